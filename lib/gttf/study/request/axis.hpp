// SPDX-License-Identifier: Apache-2.0
// Axis: the values of a scan, as a number, a list or an evenly spaced range.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gttf/config/reader.hpp"

namespace gttf {

enum class Spacing { logarithmic, linear };

/// Allowed values of an axis and texts for messages.
struct AxisRules {
  Dimension dimension = Dimension::energy;
  std::string example_unit;
  std::string example;  ///< of one value
  Spacing spacing = Spacing::logarithmic;
  bool may_choose_spacing = true;
  /// The reason why a value is out of bounds; empty if it is valid.
  std::function<std::string(double)> error;
};

/// Maximum number of points of an axis.
inline constexpr std::size_t max_points = 1000000;

/// Reads `1 GeV`, `[1 GeV, 10 GeV]` or
/// `{ from: 0.1 GeV, to: 100 GeV, points: 60, spacing: linear }`.
/// @return  values in native units; empty after an error was reported
std::vector<double> read_axis(const Value& value, const AxisRules& rules);

/// n values from `from` to `to`; the first and last are exact, as are round
/// numbers in between: 0.7, not 0.7000000000000001.
/// @param n  >= 2;  from, to > 0 for Spacing::logarithmic
std::vector<double> spaced(double from, double to, std::size_t n,
                           Spacing spacing);

/// The text of an option as a node: `a:b:n` or `a:b:n:linear` is a range,
/// `a,b` a list, text in brackets YAML. Parts keep their location.
Node option_node(const std::string& option, const std::string& text,
                 Diagnostics& diagnostics);

}  // namespace gttf
