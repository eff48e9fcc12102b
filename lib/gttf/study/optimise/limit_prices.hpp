// SPDX-License-Identifier: Apache-2.0
// What limits and bounds cost at an optimum.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gttf/study/optimise/local_search.hpp"

namespace gttf {

/// A limit or bound that holds, and what it costs.
struct LimitPrice {
  std::string name;
  double value = 0, limit = 0;  ///< in `unit`
  std::string unit;
  bool active = false;
  double multiplier = 0;  ///< -d ln objective / d ln limit; of gaps per mm
  double price = 0;       ///< objective's unit per `price_unit`
  std::string price_unit;
  /// Limits, in `unit`, between which the same ones hold, as far as was looked
  /// at: 10 % to both sides. None of a gap and of what does not hold.
  std::optional<std::pair<double, double>> price_range;
};

struct BoundPrice {
  bool at_lower = false, at_upper = false;
  double multiplier = 0;  ///< per mm, or per unit of the variable
  double price = 0;       ///< objective's unit per `price_unit`
  std::string price_unit;
  /// What is minimised, or a limit that holds, depends on the variable; if not,
  /// its value follows from quantities and its range only.
  bool asked_for = true;
};

struct Prices {
  std::vector<LimitPrice> limits;
  std::vector<BoundPrice> bounds;  ///< of each variable
};

/// Multipliers in physical terms.
/// @param with_ranges  also in which range of limits they hold
Prices prices_of(const DesignProgram& program, const LocalOptimum& best,
                 bool with_ranges);

}  // namespace gttf
