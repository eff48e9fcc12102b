// SPDX-License-Identifier: Apache-2.0
// ParetoFront: designs that cannot be improved in all of several objectives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/study/optimise/search.hpp"

namespace gttf {

struct ParetoPoint {
  std::vector<double> values;  ///< in the units of the front
  /// The limits on objectives with which the first one without a limit was
  /// minimised, in the same units; none: no limit.
  std::vector<std::optional<double>> limits;
  std::vector<double> x;  ///< native units
  std::vector<std::string> chosen;
  Certificate certificate;
};

struct ParetoFront {
  std::vector<std::string> names, units;  ///< "sigma_d0_um", "um"
  std::vector<std::string> choices;       ///< names
  std::vector<DesignVariable> variables;
  std::vector<ParetoPoint> points;  ///< sorted by increasing first objective
  std::vector<double> present;      ///< for the design of the file
  bool present_is_feasible = false;
  bool interrupted = false;
  Effort effort;
};

/// The front of the problem's `pareto`, of two or three objectives. Each point
/// is the best of many starts with the other objectives limited, including the
/// designs of its neighbours, so that a branch is not followed beyond the range
/// where it is the best.
///
/// Without variables it is found among all combinations, unless there are too
/// many.
///
/// Of two objectives, limits are placed in the largest gaps of the front; a gap
/// without designs is a jump. Of three, they form a grid between the smallest
/// values of the second and third objective and those where the others are
/// smallest; the grid is refined where points are furthest apart.
ParetoFront pareto_front(const OptimisationProblem& problem,
                         const SearchOptions& options);

}  // namespace gttf
