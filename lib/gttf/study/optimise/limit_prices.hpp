// SPDX-License-Identifier: Apache-2.0
// The prices of limits and bounds at an optimum.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gttf/study/optimise/local_search.hpp"

namespace gttf {

/// An active limit or bound, and its price.
struct LimitPrice {
  std::string name;
  double value = 0, limit = 0;  ///< in `unit`
  std::string unit;             ///< of the column; 1 for fractions
  std::string shown_unit;       ///< of texts and prices; % for fractions
  double shown = 1;             ///< that unit in `unit`
  bool active = false;
  double multiplier = 0;  ///< -d ln objective / d ln limit; of gaps per mm
  double price = 0;       ///< objective's unit per `price_unit`
  std::string price_unit;
  /// Limits, in `unit`, between which the same ones are active, evaluated up to
  /// 10 % to both sides. None for gaps and inactive limits.
  std::optional<std::pair<double, double>> price_range;
};

struct BoundPrice {
  bool at_lower = false, at_upper = false;
  double multiplier = 0;  ///< per mm, or per unit of the variable
  double price = 0;       ///< objective's unit per `price_unit`
  std::string price_unit;
  /// The objective or an active limit on a resolution depends on the variable;
  /// if not, its value follows from quantities and its range only.
  bool asked_for = true;
};

struct Prices {
  std::vector<LimitPrice> limits;
  std::vector<BoundPrice> bounds;  ///< of each variable
};

/// Multipliers in physical terms.
/// @param with_ranges  also their range of validity
Prices prices_of(const DesignProgram& program, const LocalOptimum& best,
                 bool with_ranges);

}  // namespace gttf
