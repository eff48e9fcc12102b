// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/varied_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/study/request/axis.hpp"

namespace gttf {
namespace {

/// Maximum number of combinations; each is at least one row.
constexpr std::size_t most_combinations = 1'000'000'000;

/// The unit of "20 mm"; nothing if the text is not a number with or without a
/// unit.
std::optional<std::string> unit_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto end =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{}) return std::nullopt;
  const std::string unit(
      trimmed(text.substr(static_cast<std::size_t>(end.ptr - text.data()))));
  if (unit.empty() || detail::find_unit(unit)) return unit;
  return std::nullopt;
}

/// Dimension of a text with this unit.
Dimension dimension_of(const std::string& unit) {
  return unit.empty() ? Dimension::number : detail::find_unit(unit)->dimension;
}

double size_of(const std::string& unit) {
  return unit.empty() ? 1.0 : detail::find_unit(unit)->factor;
}

std::string column_name(const std::string& key, const std::string& unit) {
  if (unit.empty()) return key;
  return key + '_' + (unit == "%" ? "percent" : unit);
}

/// Values in the syntax of --set: a list, or a single value.
void read_list(const std::vector<Value>& items, VariedKey& varied) {
  std::optional<std::string> common;
  bool are_alike = true;
  for (const Value& item : items) {
    if (!item.is_scalar()) {
      item.expected("a value", "write for example 20 mm");
      return;
    }
    const std::string& text = item.node().text();
    if (std::ranges::count(varied.values, text) > 0) {
      item.error(fmt::format("the value {} is given twice", in_quotes(text)),
                 "remove one of the two");
      return;
    }
    varied.values.push_back(text);
    const auto unit = unit_of(text);
    if (!common) common = unit;
    are_alike = are_alike && unit && unit == common;
  }
  if (!are_alike) return;
  for (const std::string& text : varied.values)
    varied.numbers.push_back(parse_quantity(text, dimension_of(*common)).value /
                             size_of(*common));
  varied.column = column_name(varied.key, *common);
}

/// A range in the unit of its start.
void read_range(const Value& value, VariedKey& varied) {
  const Node* from = value.node().find("from");
  const std::string unit =
      from == nullptr ? "" : unit_of(from->text()).value_or("");
  AxisRules rules;
  rules.dimension = dimension_of(unit);
  rules.example_unit = unit;
  rules.example = "20 mm";
  rules.spacing = Spacing::linear;
  const Node* spacing = value.node().find("spacing");
  const bool is_log = spacing != nullptr && spacing->text() == "log";
  rules.error = [is_log](double number) {
    return is_log && !(number > 0)
               ? "a range with logarithmic spacing begins above 0"
               : "";
  };
  for (const double native : read_axis(value, rules)) {
    // removes spurious digits of the conversion to native units and back
    const std::string text = fmt::format("{:.15g}", native / size_of(unit));
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    varied.numbers.push_back(number);
    varied.values.push_back(unit.empty() ? text : text + ' ' + unit);
  }
  varied.column = column_name(varied.key, unit);
}

VariedKey read_values(std::string key, const Value& value) {
  VariedKey varied;
  varied.key = std::move(key);
  varied.column = varied.key;
  if (value.is_map())
    read_range(value, varied);
  else if (value.is_list() && value.items().empty())
    value.error("the list is empty", "give at least one value");
  else
    read_list(value.is_list() ? value.items() : std::vector<Value>{value},
              varied);
  return varied;
}

/// @param error  reports errors of the list as a whole
template <class Error>
void check_number(const std::vector<VariedKey>& keys, const Error& error) {
  std::size_t n = 1;
  for (const VariedKey& key : keys) {
    const std::size_t values = std::max<std::size_t>(1, key.values.size());
    if (n > most_combinations / values) {
      error(
          fmt::format("more than {} combinations of values", most_combinations),
          "give fewer points");
      return;
    }
    n *= values;
  }
}

}  // namespace

std::vector<VariedKey> read_varied_keys(const Value& value) {
  std::vector<VariedKey> keys;
  MapReader map(value,
                "a map from keys to values, as in \"layers[L0].material: [0.3 "
                "%, 0.5 %]\"");
  if (!map) return keys;
  for (const Node::Entry& entry : value.node().entries())
    keys.push_back(read_values(entry.key.text(), *map.find(entry.key.text())));
  if (keys.empty()) value.error("no key", "name at least one, or remove it");
  check_number(keys, [&](std::string problem, std::string suggestion) {
    value.error(std::move(problem), std::move(suggestion));
  });
  return keys;
}

std::vector<VariedKey> read_varied_keys(std::span<const std::string> options,
                                        Diagnostics& diagnostics) {
  constexpr const char* option = "--vary";
  std::vector<VariedKey> keys;
  const auto error = [&](const std::string& text, std::string problem,
                         std::string suggestion) {
    Diagnostic d = Source(option, text, Source::Kind::option)
                       .at(0, std::max<std::size_t>(1, text.size()));
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    diagnostics.add(std::move(d));
  };
  for (const std::string& text : options) {
    const std::size_t equals = text.find('=');
    std::string key(trimmed(std::string_view(text).substr(0, equals)));
    if (equals == std::string::npos || key.empty()) {
      error(text, "expected KEY=VALUES",
            "write for example 'layers[L0].cylinder.radius=20mm:30mm:11'");
      continue;
    }
    if (std::ranges::count(keys, key, &VariedKey::key) > 0) {
      error(text, fmt::format("the key {} is given twice", in_quotes(key)),
            "remove one of the two");
      continue;
    }
    Diagnostics own;
    const Node node = option_node(option, text.substr(equals + 1), own);
    diagnostics.add(own);
    if (own.has_errors()) continue;
    keys.push_back(read_values(std::move(key), Value(node, "", diagnostics)));
  }
  if (!options.empty())
    check_number(keys, [&](std::string problem, std::string suggestion) {
      error(options.back(), std::move(problem), std::move(suggestion));
    });
  return keys;
}

std::size_t n_combinations(std::span<const VariedKey> keys) {
  std::size_t n = 1;
  for (const VariedKey& key : keys) n *= key.values.size();
  return n;
}

std::vector<std::size_t> values_of_combination(std::span<const VariedKey> keys,
                                               std::size_t combination) {
  std::vector<std::size_t> values(keys.size());
  for (std::size_t i = keys.size(); i-- > 0;) {
    values[i] = combination % keys[i].values.size();
    combination /= keys[i].values.size();
  }
  return values;
}

}  // namespace gttf
