// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/read_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "gttf/config/text.hpp"
#include "gttf/core/dual.hpp"
#include "gttf/detector/layer_node.hpp"
#include "gttf/detector/override.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {

FormulaReader::FormulaReader(const DetectorInput& input, DesignSpace& space,
                             Diagnostics& diagnostics, bool only_linear)
    : input_(input),
      space_(space),
      diagnostics_(diagnostics),
      probe_(input, space.design, only_linear) {
  for (const std::string& entry : entry_names(space.design.detector())) {
    entry_of_layer_.push_back(name_in_file(entry));
    if (std::ranges::count(entries_, entry_of_layer_.back()) == 0)
      entries_.push_back(entry_of_layer_.back());
  }
}

std::vector<std::size_t> FormulaReader::layers_of(
    const std::string& entry) const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < entry_of_layer_.size(); ++i)
    if (entry_of_layer_[i] == entry ||
        name_in_file(space_.design.detector().layers[i].name) == entry)
      list.push_back(i);
  return list;
}

const Node* FormulaReader::find(const std::string& key) {
  if (!description_) {
    Diagnostics ignored;  // it was already read
    auto source = std::make_shared<Source>(input_.detector.file, input_.text);
    description_ = parse_yaml(source, "", ignored);
    if (description_)
      description_ =
          apply_overrides(std::move(*description_), input_.overrides, ignored);
  }
  return description_ ? find_key(*description_, key) : nullptr;
}

bool FormulaReader::check_number(const std::string& key, const Value& place) {
  const auto is_number = [this](const std::string& other) {
    const Node* node = find(other);
    return node->kind() == Node::Kind::scalar &&
           parse_quantity(node->text(), dimension_of_key(other));
  };
  if (find(key) == nullptr) return true;
  // the key itself and those within it; none: the description has no such key
  std::vector<std::string> known = keys_in(*description_);
  std::erase_if(known, [&](const std::string& other) {
    return other != key && !other.starts_with(key + '.') &&
           !other.starts_with(key + '[');
  });
  if (known.empty() || is_number(key)) return true;
  const bool is_text = find(key)->kind() == Node::Kind::scalar;
  const bool is_list = find(key)->kind() == Node::Kind::list;
  const auto example = std::ranges::find_if(known, is_number);
  place.error(
      fmt::format("{} is not a number{}", in_quotes(key),
                  is_text ? ": it is " + in_quotes(find(key)->text()) : ""),
      is_list ? fmt::format("name one, for example {}", in_quotes(key + "[0]"))
      : example != known.end()
          ? fmt::format("name one, for example {}", in_quotes(*example))
          : "name a number of the detector");
  return false;
}

std::optional<FormulaRules> FormulaReader::rules_for(
    const Value& value, std::size_t layer, std::vector<FormulaInput>& inputs) {
  const std::string& text = value.node().text();
  FormulaRules rules;
  rules.any_powers = true;
  for (const LayerName& name : layer_names_in_formulas()) {
    if (layer == FormulaInput::none ||
        !has_quantity(space_.design.detector().layers[layer], name.quantity))
      continue;
    rules.variables.push_back(
        {std::string(name.name), gttf::powers_of(name.quantity)});
    inputs.push_back({FormulaInput::none, layer, name.quantity});
  }
  for (std::size_t at = text.find("layers["); at != text.npos;
       at = text.find("layers[", at + 1)) {
    // a surface of a repeated layer has brackets in its name
    int depth = 0;
    std::size_t end = text.find('[', at);
    for (; end < text.size(); ++end) {
      depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    if (end == text.size()) break;
    ++end;
    while (end < text.size() &&
           (text[end] == '.' || text[end] == '_' ||
            std::isalnum(static_cast<unsigned char>(text[end])) != 0))
      ++end;
    const std::string key = text.substr(at, end - at);
    if (std::ranges::count(rules.variables, key, &FormulaVariable::name) > 0)
      continue;
    const auto index = key_for_reading(key);
    if (!index) {
      explain_unknown_key(key, value.part(at, key.size()));
      return std::nullopt;
    }
    rules.variables.push_back({key, gttf::powers_of(dimension_of_key(key))});
    inputs.push_back({*index, FormulaInput::none, {}});
  }
  return rules;
}

void FormulaReader::explain_unknown_key(const std::string& key,
                                        const Value& place) {
  const auto keys = selected_keys(key, entries_, place);
  if (keys.empty()) return;  // no such layer
  if (keys.size() > 1) {
    place.error(
        fmt::format("{} stands for {} keys", in_quotes(key), keys.size()),
        fmt::format("name one of them, for example {}",
                    in_quotes(keys.front())));
    return;
  }
  const auto near =
      description_ ? nearest(key, keys_in(*description_)) : std::nullopt;
  place.error(fmt::format("{} is not a number of the detector", in_quotes(key)),
              near && *near != key
                  ? fmt::format("did you mean {}?", in_quotes(*near))
                  : "write for example layers[L0].cylinder.radius");
}

std::optional<std::size_t> FormulaReader::key_for_reading(
    const std::string& key) {
  for (std::size_t k = 0; k < space_.keys.size(); ++k)
    if (space_.keys[k].key == key) return k;
  const Node* node = find(key);
  if (node == nullptr || node->kind() != Node::Kind::scalar)
    return std::nullopt;
  const auto parsed = parse_quantity(node->text(), dimension_of_key(key));
  if (!parsed) return std::nullopt;
  Diagnostics ignored;  // a key that cannot be probed is not a name
  const Value place(*node, "", ignored);
  const double step = 0.01 * std::max(std::abs(parsed.value), 1e-6);
  auto found =
      probe_.probe(key, {parsed.value - step, parsed.value + step}, place);
  if (!found) return std::nullopt;
  space_.keys.push_back(std::move(*found));
  read_keys_.push_back(space_.keys.size() - 1);
  return space_.keys.size() - 1;
}

std::optional<Formula> FormulaReader::read(const Value& value,
                                           std::size_t layer,
                                           std::vector<FormulaInput>& inputs,
                                           std::optional<Powers> powers) {
  if (!value.is_scalar()) {
    value.expected("a formula", "write for example \"area\"");
    return std::nullopt;
  }
  auto rules = rules_for(value, layer, inputs);
  if (!rules) return std::nullopt;
  if (powers) {
    rules->powers = *powers;
    rules->any_powers = false;
  }
  Parsed<Formula> parsed = parse_formula(value.node().text(), *rules);
  if (parsed) return std::move(parsed.value);
  value.part(parsed.offset, parsed.length)
      .error(parsed.problem, parsed.suggestion);
  return std::nullopt;
}

void FormulaReader::read_follow(const Value& value) {
  MapReader map(value,
                "{ 'layers[L0].cylinder.half_length': radius / tan(40 deg) }");
  if (!map) return;
  std::vector<Follower> list;
  for (const Node::Entry& entry : value.node().entries()) {
    const auto item = map.find(entry.key.text());
    const Value name = key_value(value, entry);
    for (const std::string& key :
         selected_keys(entry.key.text(), entries_, name))
      if (auto follower = read_follower(key, name, *item))
        list.push_back(std::move(*follower));
      else
        break;
  }
  add_in_order(std::move(list));
}

std::optional<Follower> FormulaReader::read_follower(const std::string& key,
                                                     const Value& name,
                                                     const Value& value) {
  Follower follower;
  follower.place = diagnostic_at(value.node());
  std::size_t layer = FormulaInput::none;
  if (const auto layers = layers_of(layer_of_key(key)); !layers.empty())
    layer = layers.front();
  if (!check_entry(key, entries_, name)) return std::nullopt;
  auto formula = read(value, layer, follower.inputs,
                      gttf::powers_of(dimension_of_key(key)));
  if (!formula) return std::nullopt;
  follower.formula = std::move(*formula);
  const double now =
      space_.value<double>(follower.formula, follower.inputs, space_.start);
  if (!std::isfinite(now)) {
    value.error(fmt::format("the formula has no value for {}", in_quotes(key)));
    return std::nullopt;
  }
  const double step = std::max(std::abs(now), 1e-3);
  auto found = probe_.probe(key, {now, now + step / 16}, name);
  if (!found || !is_free(*found, name)) return std::nullopt;
  follower.key = space_.keys.size();
  space_.keys.push_back(std::move(*found));
  return follower;
}

bool FormulaReader::is_free(const DesignKey& key, const Value& place) const {
  for (std::size_t k = 0; k < space_.keys.size(); ++k) {
    if (std::ranges::count(read_keys_, k) > 0 ||
        probe_.are_independent(key, space_.keys[k]))
      continue;
    place.error(fmt::format("{} sets the same number as {}", in_quotes(key.key),
                            in_quotes(space_.keys[k].key)),
                "remove one of the two");
    return false;
  }
  return true;
}

bool FormulaReader::needs(const Follower& a, const Follower& b) const {
  const auto sets = [&](std::size_t number) {
    return std::ranges::count(space_.keys[b.key].numbers, number,
                              &NumberSlope::number) > 0;
  };
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    if (!a.formula.uses(i)) continue;
    const FormulaInput& input = a.inputs[i];
    if (input.key != FormulaInput::none) {
      if (sets(space_.keys[input.key].numbers.front().number)) return true;
      continue;
    }
    // determines the numbers that enter the quantity from its derivatives
    if (input.quantity == LayerQuantity::price) continue;
    std::vector<Dual<1>> list(space_.start.begin(), space_.start.end());
    for (std::size_t k = space_.design.first_of(input.layer);
         k < space_.design.end_of(input.layer); ++k) {
      if (!sets(k)) continue;
      list[k].derivative[0] = 1;
      if (layer_quantity<Dual<1>>(space_.design, input.layer, input.quantity,
                                  list)
              .derivative[0] != 0)
        return true;
      list[k].derivative[0] = 0;
    }
  }
  return false;
}

void FormulaReader::add_in_order(std::vector<Follower> list) {
  while (!list.empty()) {
    const auto ready = std::ranges::find_if(list, [&](const Follower& a) {
      return std::ranges::none_of(
          list, [&](const Follower& b) { return needs(a, b); });
    });
    if (ready == list.end()) {
      Diagnostic d = list.front().place;
      d.problem = fmt::format("{} follows itself",
                              in_quotes(space_.keys[list.front().key].key));
      d.suggestion = "let it depend on a variable";
      diagnostics_.add(std::move(d));
      return;
    }
    space_.followers.push_back(std::move(*ready));
    list.erase(ready);
  }
}

}  // namespace gttf::detail
