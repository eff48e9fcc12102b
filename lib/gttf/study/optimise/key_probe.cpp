// SPDX-License-Identifier: Apache-2.0
// The keys of a description, and their effect on its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "gttf/config/text.hpp"
#include "gttf/detector/layer_node.hpp"
#include "gttf/study/optimise/key_probe.hpp"

namespace gttf::detail {
namespace {

/// Whether a name matches a pattern with * as wildcard.
bool fits(std::string_view name, std::string_view glob) {
  const std::size_t star = glob.find('*');
  if (star == glob.npos) return name == glob;
  if (!name.starts_with(glob.substr(0, star))) return false;
  const std::string_view rest = glob.substr(star + 1);
  for (std::size_t i = star; i <= name.size(); ++i)
    if (fits(name.substr(i), rest)) return true;
  return false;
}

std::optional<std::pair<std::string_view, std::string_view>> ends_of(
    std::string_view part) {
  for (const std::string_view sign : {"..", ":"})
    if (const std::size_t at = part.find(sign); at != part.npos)
      return std::pair(trimmed(part.substr(0, at)),
                       trimmed(part.substr(at + sign.size())));
  return std::nullopt;
}

constexpr std::string_view list_of_layers = "layers[";

/// Position of the bracket that closes the one of list_of_layers, or the size.
std::size_t end_of_selector(const std::string& key) {
  int depth = 1;
  for (std::size_t end = list_of_layers.size(); end < key.size(); ++end) {
    if (key[end] == '[') ++depth;
    if (key[end] == ']' && --depth == 0) return end;
  }
  return key.size();
}

/// Whether `middle` is halfway between both ends, except for rounding.
bool is_on_line(const std::vector<double>& from,
                const std::vector<double>& middle,
                const std::vector<double>& to) {
  constexpr double rounding = 1e-9, nothing = 1e-13;
  for (std::size_t i = 0; i < middle.size(); ++i)
    if (std::abs(middle[i] - 0.5 * (from[i] + to[i])) >
        rounding * std::max(std::abs(from[i]), std::abs(to[i])) + nothing)
      return false;
  return true;
}

/// Removes the last digits, rounding errors of a line through two points.
double without_rounding(double value) {
  double decimal = value;
  const std::string text = fmt::format("{:.13g}", value);
  std::from_chars(text.data(), text.data() + text.size(), decimal);
  return decimal;
}

/// Whether the value of a key is a number of surfaces.
bool is_count(const std::string& key) {
  return key.ends_with(".repeat") || key.ends_with(".count");
}

/// A scalar within brackets, in quotes if it was so or has to be.
std::string flow_scalar(const Node& node) {
  const std::string& text = node.text();
  const bool is_plain = !node.is_quoted() && !text.empty() &&
                        text.find_first_of(",[]{}\n\"") == text.npos &&
                        text.find(": ") == text.npos &&
                        text.find(" #") == text.npos;
  if (is_plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::vector<std::string> selected_entries(const std::string& selector,
                                          const std::vector<std::string>& all,
                                          const Value& value) {
  std::vector<std::string> chosen;
  const auto unknown = [&](std::string_view name) {
    const auto near = nearest(std::string(name), all);
    value.error(fmt::format("there is no layer {}", in_quotes(name)),
                near ? fmt::format("did you mean {}?", in_quotes(*near))
                     : fmt::format("the layers are {}", joined(all)));
  };
  const auto add = [&](const std::string& name) {
    if (std::ranges::count(chosen, name) == 0) chosen.push_back(name);
  };
  for (std::size_t begin = 0; begin <= selector.size();) {
    const std::size_t end =
        std::min(selector.find(',', begin), selector.size());
    const std::string part(
        trimmed(std::string_view(selector).substr(begin, end - begin)));
    begin = end + 1;
    if (std::ranges::count(all, part) > 0 ||
        std::ranges::count(all, name_without_copy(part)) > 0) {
      add(part);
    } else if (const auto ends = ends_of(part)) {
      const auto first = std::ranges::find(all, ends->first),
                 last = std::ranges::find(all, ends->second);
      if (first == all.end()) unknown(ends->first);
      if (last == all.end()) unknown(ends->second);
      if (first == all.end() || last == all.end()) continue;
      if (last < first) {
        value.error(
            fmt::format("{} comes before {} in the description",
                        in_quotes(ends->second), in_quotes(ends->first)),
            "exchange the two");
        continue;
      }
      for (auto it = first; it <= last; ++it) add(*it);
    } else {
      const std::size_t before = chosen.size();
      if (part.find('*') != part.npos)
        for (const std::string& name : all)
          if (fits(name, part)) add(name);
      if (chosen.size() == before) unknown(part);
    }
  }
  return chosen;
}

std::vector<std::string> selected_keys(const std::string& pattern,
                                       const std::vector<std::string>& entries,
                                       const Value& value) {
  if (!pattern.starts_with(list_of_layers)) return {pattern};
  const std::size_t end = end_of_selector(pattern);
  if (end == pattern.size()) {
    value.error("the bracket \"[\" is not closed", "add \"]\"");
    return {};
  }
  std::vector<std::string> keys;
  for (const std::string& name : selected_entries(
           pattern.substr(list_of_layers.size(), end - list_of_layers.size()),
           entries, value))
    keys.push_back(fmt::format("layers[{}]{}", name, pattern.substr(end + 1)));
  return keys;
}

std::string layer_of_key(const std::string& key) {
  if (!key.starts_with(list_of_layers)) return "";
  return key.substr(list_of_layers.size(),
                    end_of_selector(key) - list_of_layers.size());
}

bool check_entry(const std::string& key,
                 const std::vector<std::string>& entries, const Value& value) {
  const std::string layer = layer_of_key(key);
  if (layer.empty() || std::ranges::count(entries, layer) > 0) return true;
  value.error(
      fmt::format("{} is one surface of a repeated layer", in_quotes(layer)),
      "write it in the description as a layer of its own");
  return false;
}

Dimension dimension_of_key(const std::string& key) {
  // without the index in a list
  const std::string path =
      key.substr(0, key.ends_with(']') ? key.rfind('[') : key.npos);
  const std::size_t dot = path.rfind('.');
  const std::string_view last = dot == path.npos
                                    ? std::string_view(path)
                                    : std::string_view(path).substr(dot + 1);
  const auto is_one_of = [](std::string_view name,
                            std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, name) != list.end();
  };
  if (is_one_of(last, {"material", "efficiency", "x_over_x0"}))
    return Dimension::fraction;
  if (is_one_of(last, {"angle", "tilt", "turn", "phi", "xyz", "xyx", "zxz"}))
    return Dimension::angle;
  if (last == "density") return Dimension::density;
  if (last == "dE") return Dimension::energy;
  if (is_one_of(last, {"slope", "scale", "repeat", "count"}) ||
      path.ends_with(".plane.normal") || path.ends_with(".plane.u"))
    return Dimension::number;
  if (key.starts_with("field") && is_one_of(last, {"solenoid", "field"}))
    return Dimension::field;
  return Dimension::length;
}

std::string text_of_value(double value, Dimension dimension) {
  if (dimension == Dimension::fraction || dimension == Dimension::number)
    return fmt::format("{}", value);
  const std::string unit = dimension == Dimension::length    ? "mm"
                           : dimension == Dimension::field   ? "T"
                           : dimension == Dimension::angle   ? "rad"
                           : dimension == Dimension::density ? "g/cm3"
                                                             : "GeV";
  return fmt::format("{} {}", value / find_unit(unit)->factor, unit);
}

std::string flow_text(const Node& node) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  switch (node.kind()) {
    case Node::Kind::map:
      for (const Node::Entry& entry : node.entries())
        add(flow_scalar(entry.key) + ": " + flow_text(entry.value));
      return "{ " + text + " }";
    case Node::Kind::list:
      for (const Node& item : node.items()) add(flow_text(item));
      return "[" + text + "]";
    case Node::Kind::null:
      return "null";
    case Node::Kind::scalar:
      break;
  }
  return flow_scalar(node);
}

void KeyProbe::explain_change(const std::string& key,
                              const std::string& override_text,
                              const Detector& changed,
                              const Value& value) const {
  const Detector &here = design_.detector(), &there = changed;
  if (here.field.kind != there.field.kind) {
    value.error(fmt::format("{} leaves no field", override_text),
                "exclude it from the range");
    return;
  }
  const bool same_layers = here.layers.size() == there.layers.size();
  const auto differs = [&](auto&& member) {
    return same_layers &&
           !std::ranges::equal(here.layers, there.layers, {}, member, member);
  };
  if (differs([](const Layer& l) { return l.surface.normal_vector; }) ||
      differs([](const Layer& l) { return l.surface.u_vector; }))
    value.error(fmt::format("{} cannot vary: it turns a surface, which is not "
                            "a linear change of the detector",
                            in_quotes(key)),
                "compare values of it with sweep");
  else if (differs(&Layer::dead))
    value.error(
        fmt::format("{} cannot vary: it changes a dead region, at whose "
                    "edges hits are lost in steps",
                    in_quotes(key)),
        "compare values of it with sweep");
  else
    value.error(fmt::format("{} changes more than numbers", in_quotes(key)),
                "set it in the description first");
}

std::optional<std::vector<double>> KeyProbe::numbers_at(
    const std::string& key, const std::string& text, bool report,
    const Value& value) const {
  std::vector<std::string> overrides = input_.overrides;
  overrides.push_back(key + '=' + text);
  try {
    const Detector changed = description_.read(overrides).detector;
    if (auto values = design_.values_of(changed)) return values;
    if (report) explain_change(key, overrides.back(), changed, value);
  } catch (const InputError& error) {
    if (!report) return std::nullopt;
    for (const Diagnostic& d : error.diagnostics().items()) {
      if (d.severity != Severity::error) continue;
      value.error(fmt::format("{}: {}", overrides.back(), d.problem),
                  d.suggestion);
      break;
    }
  }
  return std::nullopt;
}

std::optional<DesignKey> KeyProbe::probe(const std::string& key,
                                         const Range& range,
                                         const Value& value) const {
  if (is_count(key)) {
    value.error(fmt::format("{} cannot vary: it is a count", in_quotes(key)),
                "compare values of it with sweep");
    return std::nullopt;
  }
  const Dimension dimension = dimension_of_key(key);
  const double from = range.from, to = range.to;
  // at a bound the layer may coincide with another one; if no value is near
  // it, the error is that of the bound
  constexpr std::array shares{0.0, 0.0137, 0.0712};
  const auto text_of_bound = [&](std::size_t side) {
    const std::string& written = side == 0 ? range.from_text : range.to_text;
    return written.empty()
               ? text_of_value(side == 0 ? range.from : range.to, dimension)
               : written;
  };
  std::array<double, 2> x{};
  std::array<bool, 2> at_bound{};
  std::array<std::vector<double>, 2> numbers;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = 0; i < shares.size() && numbers[side].empty(); ++i) {
      const double share = side == 0 ? shares[i] : 1 - shares[i];
      x[side] = from + share * (to - from);
      at_bound[side] = i == 0;
      const std::string text =
          i == 0 ? text_of_bound(side) : text_of_value(x[side], dimension);
      if (auto list = numbers_at(key, text, false, value))
        numbers[side] = std::move(*list);
    }
    if (numbers[side].empty()) {
      numbers_at(key, text_of_bound(side), true, value);
      return std::nullopt;
    }
  }
  const auto middle =
      only_linear_
          ? numbers_at(key, text_of_value(0.5 * (x[0] + x[1]), dimension),
                       false, value)
          : std::nullopt;
  if (middle && !is_on_line(numbers[0], *middle, numbers[1])) {
    value.error(fmt::format("{} cannot vary: the detector does not change "
                            "linearly with it",
                            in_quotes(key)),
                "compare values of it with sweep");
    return std::nullopt;
  }
  DesignKey result{key, dimension, 0, {}};
  const std::vector<double> start = design_.values();
  for (std::size_t i = 0; i < start.size(); ++i) {
    // equal numbers may be infinite
    const double slope = numbers[1][i] == numbers[0][i]
                             ? 0
                             : (numbers[1][i] - numbers[0][i]) / (x[1] - x[0]);
    if (slope == 0 && numbers[0][i] == start[i]) continue;
    // the ends of a cone change its slope, but not on the line
    if (!only_linear_ && design_[i].kind == DesignNumber::Kind::slope &&
        !result.numbers.empty())
      continue;
    if (slope == 0) {
      value.error(fmt::format("{} cannot vary: it would replace another value "
                              "in the description",
                              in_quotes(key)),
                  "write it in the description first");
      return std::nullopt;
    }
    const double value_here = x[0] + (start[i] - numbers[0][i]) / slope;
    if (result.numbers.empty()) {
      result.start = without_rounding(value_here);
    }
    const double scale = std::max(std::abs(result.start), std::abs(to - from));
    if (std::abs(value_here - result.start) > 1e-9 * scale) {
      value.error(fmt::format("{} is not a single number in the description",
                              in_quotes(key)),
                  "give the layers one value first, or name them individually");
      return std::nullopt;
    }
    result.numbers.push_back({i, slope});
  }
  // of copies, the one that only this key moves
  if (!result.numbers.empty() && design_[result.numbers.front().number].kind ==
                                     DesignNumber::Kind::position)
    std::ranges::stable_sort(
        result.numbers, std::ranges::greater(),
        [](const NumberSlope& n) { return std::abs(n.slope); });
  if (result.numbers.empty()) {
    if (key.starts_with("materials."))
      value.error(fmt::format("{} cannot vary: it is not a number of a layer",
                              in_quotes(key)),
                  "vary the thickness or density of the layers");
    else
      value.error(fmt::format("{} changes nothing", in_quotes(key)),
                  "use the keys of --set");
    return std::nullopt;
  }
  // only layers that move coincide with others
  const bool moves =
      std::ranges::any_of(result.numbers, [this](const NumberSlope& n) {
        const DesignNumber::Kind kind = design_[n.number].kind;
        return kind == DesignNumber::Kind::position ||
               kind == DesignNumber::Kind::extent;
      });
  for (std::size_t side = 0; side < 2; ++side)
    if (!moves && !at_bound[side]) {
      numbers_at(key, text_of_bound(side), true, value);
      return std::nullopt;
    }
  return result;
}

bool KeyProbe::are_independent(const DesignKey& a, const DesignKey& b) const {
  if (std::ranges::none_of(
          a.numbers, [&](const NumberSlope& n) { return b.changes(n.number); }))
    return true;
  if (b.changes(a.numbers.front().number) ||
      a.changes(b.numbers.front().number))
    return false;
  std::vector<double> expected = design_.values();
  std::vector<std::string> overrides = input_.overrides;
  for (const DesignKey* key : {&a, &b}) {
    const double step = 1e-3 * std::abs(key->start);
    overrides.push_back(key->key + '=' +
                        text_of_value(key->start + step, key->dimension));
    for (const NumberSlope& n : key->numbers)
      expected[n.number] += n.slope * step;
  }
  try {
    const auto changed =
        design_.values_of(description_.read(overrides).detector);
    return changed && is_on_line(expected, *changed, expected);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace gttf::detail
