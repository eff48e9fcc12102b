// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/explore/design_handles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/study/explore/exploration.hpp"

namespace gttf {
namespace {

constexpr std::string_view layers = "layers[";

/// What may be changed, and what its value measures; by the path of a key
/// behind the layer.
std::optional<Dimension> dimension_of(std::string_view tail, bool in_layer) {
  if (!in_layer) return Dimension::field;
  if (tail.starts_with("efficiency") || tail.starts_with("drift") ||
      tail.starts_with("dead"))
    return std::nullopt;
  const bool fraction =
      tail.starts_with("material") && !tail.ends_with("thickness");
  return fraction ? Dimension::fraction : Dimension::length;
}

/// The number that a text begins with, and what follows it.
std::optional<std::pair<double, std::string>> split_number(
    std::string_view text) {
  text = trimmed(text);
  double number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return std::pair(number, std::string(end, text.data() + text.size()));
}

/// "cylinder.radius" -> "radius", "disk.radius[0]" -> "inner radius".
std::string label_of(std::string_view tail) {
  std::string_view rest = tail;
  const std::size_t dot = rest.find('.');
  const std::string_view first = rest.substr(0, dot);
  std::string_view name = dot == rest.npos ? rest : rest.substr(dot + 1);
  std::optional<std::size_t> item;
  if (const std::size_t bracket = name.find('[');
      bracket != name.npos && name.ends_with(']')) {
    item = static_cast<std::size_t>(std::atoi(name.data() + bracket + 1));
    name = name.substr(0, bracket);
  }
  const auto of_two = [&](std::string_view a, std::string_view b) {
    return std::string(*item == 0 ? a : b);
  };
  if (first.starts_with("material")) {
    std::string label = tail.ends_with("thickness") ? "thickness" : "x/X0";
    const std::size_t bracket = tail.find('[');
    if (bracket != tail.npos)
      label += fmt::format(" {}", std::atoi(tail.data() + bracket + 1) + 1);
    return label;
  }
  if (first.starts_with("measures") || first.starts_with("pitch")) {
    const std::string what = first.starts_with("pitch") ? "pitch" : "error";
    if (dot == rest.npos) return what;
    if (name == "sigma" && first.find('[') != first.npos)
      return fmt::format("{} {}", what,
                         std::atoi(first.data() + first.find('[') + 1) + 1);
    return what + ' ' + std::string(name);
  }
  if (!item) {
    std::string label(name);
    std::ranges::replace(label, '_', '-');
    return label;
  }
  if (first == "disk" && name == "radius")
    return of_two("inner radius", "outer radius");
  if (name == "size") return of_two("width u", "width v");
  if (name == "center")
    return fmt::format("center {}", "xyz"[std::min<std::size_t>(*item, 2)]);
  if (name == "z" || name == "x" || name == "y" || name == "radius")
    return fmt::format("{} {}", name, *item == 0 ? "first" : "last");
  return fmt::format("{} {}", name, *item + 1);
}

/// The list of the detector with other values of some keys; nothing if the
/// description cannot be read or has another structure then.
class Probe {
 public:
  explicit Probe(const DetectorInput& input)
      : input_(input),
        description_(input.text, input.detector.file),
        start_(to_list(input.detector)) {}

  const NumberList& start() const { return start_; }

  std::optional<std::vector<double>> at(
      std::span<const std::string> changes) const {
    std::vector<std::string> overrides = input_.overrides;
    overrides.insert(overrides.end(), changes.begin(), changes.end());
    try {
      NumberList list = to_list(description_.read(overrides).detector);
      if (list.texts != start_.texts ||
          list.numbers.size() != start_.numbers.size())
        return std::nullopt;
      return std::move(list.numbers);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  /// Rounding of a number of the list.
  double rounding(double value) const {
    return 1e-11 * std::max(1e-3, std::abs(value));
  }

 private:
  const DetectorInput& input_;
  DetectorDescription description_;
  NumberList start_;
};

/// A step that leaves the order of the layers.
double step_of(const DesignHandle& handle) {
  constexpr double share = 1e-4, length_at_zero = 1e-3;
  if (handle.number != 0) return share * handle.number;
  return length_at_zero / handle.factor;
}

/// The lists with two changes of a value. A layer may touch another one: then
/// both go to the side where there is room.
struct TwoLists {
  std::array<double, 2> steps{};
  std::array<std::vector<double>, 2> lists;
};
std::optional<TwoLists> two_lists(const Probe& probe,
                                  const DesignHandle& handle) {
  const double step = step_of(handle);
  for (const auto& sides :
       {std::array{1., -2.}, std::array{1., 2.}, std::array{-1., -2.}}) {
    TwoLists two;
    bool good = true;
    for (std::size_t i = 0; good && i < 2; ++i) {
      two.steps[i] = sides[i] * step;
      const std::string change =
          handle.key + '=' + text_of(handle, handle.number + two.steps[i]);
      auto list = probe.at({&change, 1});
      good = list.has_value();
      if (good) two.lists[i] = std::move(*list);
    }
    if (good) return two;
  }
  return std::nullopt;
}

/// Fills step and slopes. False if the numbers do not depend linearly on it.
bool find_slopes(const Probe& probe, DesignHandle& handle) {
  const auto two = two_lists(probe, handle);
  if (!two) return false;
  const auto& [steps, lists] = *two;
  handle.step = steps[0];
  const std::vector<double>& start = probe.start().numbers;
  for (std::size_t n = 0; n < start.size(); ++n) {
    const double rise = lists[1][n] - lists[0][n];
    if (rise == 0 && lists[0][n] == start[n]) continue;
    const double slope = rise / ((steps[1] - steps[0]) * handle.factor);
    const double expected = start[n] + slope * steps[0] * handle.factor;
    const double size =
        std::max(std::abs(start[n]), std::abs(slope * handle.start()));
    if (std::abs(lists[0][n] - expected) > probe.rounding(size)) return false;
    // short decimal slopes are exact, differences are not
    constexpr double decimal = 1e6, near = 1e-9;
    const double round = std::round(slope * decimal) / decimal;
    const bool is_round = std::abs(slope - round) < near * std::abs(slope);
    handle.slopes.emplace_back(n, is_round ? round : slope);
  }
  return !handle.slopes.empty();
}

/// Whether the changes of these handles, made together, add up.
bool add_up(const Probe& probe, std::span<const DesignHandle> handles) {
  std::vector<std::string> changes;
  std::vector<double> expected = probe.start().numbers;
  for (const DesignHandle& handle : handles) {
    changes.push_back(handle.key + '=' +
                      text_of(handle, handle.number + handle.step));
    for (const auto& [n, slope] : handle.slopes)
      expected[n] += slope * handle.step * handle.factor;
  }
  const auto all = probe.at(changes);
  if (!all) return false;
  for (std::size_t n = 0; n < expected.size(); ++n)
    if (std::abs((*all)[n] - expected[n]) > probe.rounding(expected[n]))
      return false;
  return true;
}

/// Takes out handles of one entry that change a number together with another
/// one, the later ones of them.
void drop_products(const Probe& probe, std::vector<DesignHandle>& handles) {
  std::vector<DesignHandle> kept;
  for (std::size_t begin = 0; begin < handles.size();) {
    std::size_t end = begin + 1;
    while (end < handles.size() && handles[end].entry == handles[begin].entry)
      ++end;
    std::vector<DesignHandle> some(handles.begin() + static_cast<long>(begin),
                                   handles.begin() + static_cast<long>(end));
    if (!add_up(probe, some)) {
      std::vector<DesignHandle> good;
      for (DesignHandle& handle : some) {
        good.push_back(std::move(handle));
        if (!add_up(probe, good)) good.pop_back();
      }
      some = std::move(good);
    }
    std::ranges::move(some, std::back_inserter(kept));
    begin = end;
  }
  handles = std::move(kept);
}

/// The keys whose values are plain quantities.
std::vector<DesignHandle> candidates(const Node& root) {
  std::vector<DesignHandle> found;
  const auto add = [&](const std::string& key, const Node& node) {
    if (node.kind() != Node::Kind::scalar || node.is_quoted()) return;
    DesignHandle handle;
    handle.key = key;
    const bool in_layer = key.starts_with(layers);
    if (!in_layer && !key.starts_with("field.")) return;
    std::string tail = key.substr(key.find('.') + 1);
    if (in_layer) {
      const std::size_t end = key.find("].");
      if (end == key.npos) return;
      handle.entry = key.substr(layers.size(), end - layers.size());
      tail = key.substr(end + 2);
    }
    auto dimension = dimension_of(tail, in_layer);
    if (!dimension) return;
    // faces of a magnet are lengths
    if (!in_layer && !parse_quantity(node.text(), *dimension))
      dimension = Dimension::length;
    const auto value = parse_quantity(node.text(), *dimension);
    const auto parts = split_number(node.text());
    if (!value || !parts) return;
    handle.dimension = *dimension;
    handle.label = label_of(tail);
    handle.number = parts->first;
    handle.unit = parts->second;
    const auto one = parse_quantity("1" + handle.unit, *dimension);
    if (!one) return;
    handle.factor = one.value;
    found.push_back(std::move(handle));
  };
  for (const std::string& key : keys_in(root)) {
    const Node* node = find_key(root, key);
    if (node == nullptr) continue;
    if (node->kind() == Node::Kind::list)
      for (std::size_t i = 0; i < node->items().size(); ++i)
        add(fmt::format("{}[{}]", key, i), node->items()[i]);
    else
      add(key, *node);
  }
  return found;
}

}  // namespace

std::vector<DesignHandle> find_handles(const DetectorInput& input,
                                       unsigned threads) {
  Diagnostics ignored;  // the description was read before
  const auto root =
      parse_yaml(std::make_shared<Source>(input.detector.file, input.text),
                 "gttf-detector: 1", ignored);
  if (!root) return {};
  std::vector<DesignHandle> all =
      candidates(apply_overrides(*root, input.overrides, ignored));
  const Probe probe(input);
  std::vector<DesignHandle> handles;
  std::size_t next = 0;
  parallel_in_order(
      all.size(), thread_count(threads),
      [&](std::size_t i) { return find_slopes(probe, all[i]); },
      [&](bool good) {
        if (good) handles.push_back(std::move(all[next]));
        ++next;
      });
  drop_products(probe, handles);
  return handles;
}

std::string text_of(const DesignHandle& handle, double number) {
  return fmt::format("{}{}", number, handle.unit);
}

}  // namespace gttf
