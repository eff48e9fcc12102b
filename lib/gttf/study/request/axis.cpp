// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// NaN after an error was reported.
double read_value(const Value& value, const AxisRules& rules) {
  const double number =
      value.quantity(rules.dimension, rules.example_unit).value_or(unknown);
  if (std::isnan(number)) return number;
  const std::string error = rules.error(number);
  if (error.empty()) return number;
  value.error(fmt::format("{}, got {}", error, describe(value.node())));
  return unknown;
}

std::vector<double> read_list(const Value& value, const AxisRules& rules) {
  const std::vector<Value> items = value.items();
  if (items.empty())
    value.error("the list is empty", "give at least one value");
  std::vector<double> values;
  bool good = true;
  for (const Value& item : items) {
    values.push_back(read_value(item, rules));
    good = good && !std::isnan(values.back());
  }
  return good ? values : std::vector<double>{};
}

std::size_t read_points(const Value& value) {
  const std::int64_t number = value.integer().value_or(0);
  if (number >= 2 && number <= static_cast<std::int64_t>(max_points))
    return static_cast<std::size_t>(number);
  if (value.is_scalar() && parse_integer(value.node().text()))
    value.error(fmt::format("a range has from 2 to {} points, got {}",
                            max_points, describe(value.node())),
                number == 1 ? "give a single value instead of a range" : "");
  return 0;
}

std::vector<double> read_grid(const Value& value, const AxisRules& rules) {
  MapReader map(value);
  const auto from = map.require("from", rules.example);
  const auto to = map.require("to", rules.example);
  const auto points = map.require("points", "60");
  const auto spacing_value = map.find("spacing");
  map.finish();
  const double a = from ? read_value(*from, rules) : unknown;
  const double b = to ? read_value(*to, rules) : unknown;
  const std::size_t n = points ? read_points(*points) : 0;
  Spacing spacing = rules.spacing;
  if (spacing_value) {
    const std::vector<std::string> choices =
        rules.may_choose_spacing ? std::vector<std::string>{"log", "linear"}
                                 : std::vector<std::string>{"linear"};
    const auto chosen = spacing_value->choice("spacing", choices);
    if (!chosen) return {};
    spacing =
        choices[*chosen] == "log" ? Spacing::logarithmic : Spacing::linear;
  }
  if (std::isnan(a) || std::isnan(b) || n == 0) return {};
  if (a < b) return spaced(a, b, n, spacing);
  const std::string& first = from->node().text();
  const std::string& last = to->node().text();
  if (a == b)
    to->error(fmt::format("the range from {} to {} is empty", in_quotes(first),
                          in_quotes(last)),
              "give a single value instead of a range");
  else
    to->error(fmt::format("the range from {} to {} is inverted",
                          in_quotes(first), in_quotes(last)),
              "exchange the two");
  return {};
}

// Removes rounding errors of a step: 0.7 instead of 0.7000000000000001, so that
// a column can be searched for it.
double without_rounding(double value, double scale) {
  const std::string text = fmt::format("{:.12g}", value);
  double decimal = value;
  std::from_chars(text.data(), text.data() + text.size(), decimal);
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return std::abs(decimal - value) <= rounding * scale ? decimal : value;
}

}  // namespace

std::vector<double> spaced(double from, double to, std::size_t n,
                           Spacing spacing) {
  std::vector<double> values(n);
  const double largest = std::max(std::abs(from), std::abs(to));
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n - 1);
    if (spacing == Spacing::linear) {
      values[i] = without_rounding(from + (to - from) * x, largest);
    } else {
      // The power multiplies the rounding error of its exponent by ln(to/from).
      const long double ratio = static_cast<long double>(to) / from;
      const auto power = static_cast<long double>(i) / (n - 1);
      const auto value = static_cast<double>(from * std::pow(ratio, power));
      values[i] = without_rounding(value, value);
    }
  }
  values.front() = from;
  values.back() = to;
  return values;
}

std::vector<double> read_axis(const Value& value, const AxisRules& rules) {
  if (value.is_list()) return read_list(value, rules);
  if (value.is_map()) return read_grid(value, rules);
  if (!value.is_scalar()) {
    value.expected(
        fmt::format("{}, a list or a range", name_of(rules.dimension)),
        fmt::format("write for example \"{}\"", rules.example));
    return {};
  }
  const double number = read_value(value, rules);
  return std::isnan(number) ? std::vector<double>{}
                            : std::vector<double>{number};
}

Node option_node(const std::string& option, const std::string& text,
                 Diagnostics& diagnostics) {
  const auto source =
      std::make_shared<Source>(option, text, Source::Kind::option);
  const Origin whole{source, 0, std::max<std::size_t>(1, text.size())};
  if (!check_text(*source, diagnostics)) return Node::make_null(whole);
  const std::string_view first = trimmed(text).substr(0, 1);
  if (first == "{" || first == "[")
    return parse_yaml_value(source, 0, diagnostics)
        .value_or(Node::make_null(whole));

  const char separator = text.find(':') != std::string::npos ? ':' : ',';
  std::vector<Node> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    const std::string_view part =
        trimmed(std::string_view(text).substr(begin, end - begin));
    const std::size_t at =
        part.empty() ? begin
                     : static_cast<std::size_t>(part.data() - text.data());
    parts.push_back(
        Node::make_scalar({source, at, std::max<std::size_t>(1, part.size())},
                          std::string(part), false));
    begin = end + 1;
  }
  if (parts.size() == 1) return parts[0];
  if (separator == ',') return Node::make_list(whole, std::move(parts));

  constexpr std::array keys = {"from", "to", "points", "spacing"};
  const bool too_many = parts.size() > keys.size();
  if (too_many || parts.size() < 3) {
    Diagnostic d =
        source->at(too_many ? parts[keys.size()].origin().offset : text.size());
    d.problem = "a range is FROM:TO:POINTS or FROM:TO:POINTS:linear";
    if (!too_many) d.suggestion = fmt::format("write for example {}:60", text);
    diagnostics.add(std::move(d));
    return Node::make_null(whole);
  }
  std::vector<Node::Entry> entries;
  for (std::size_t i = 0; i < parts.size(); ++i)
    entries.push_back(
        {Node::make_scalar(parts[i].origin(), keys[i], false), parts[i]});
  return Node::make_map(whole, std::move(entries));
}

}  // namespace gttf
