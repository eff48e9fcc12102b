// SPDX-License-Identifier: Apache-2.0
// ParetoFront: designs that cannot be improved in both of two objectives.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/figure.hpp"
#include "gttf/core/table.hpp"
#include "gttf/study/optimise/search.hpp"

namespace gttf {

struct ParetoPoint {
  std::array<double, 2> values{};  ///< in the units of the front
  std::vector<double> x;           ///< native units
  std::vector<std::string> chosen;
  Certificate certificate;
};

struct ParetoFront {
  std::array<std::string, 2> names, units;  ///< "sigma_d0_um", "um"
  std::vector<std::string> choices;         ///< names
  std::vector<DesignVariable> variables;
  std::vector<ParetoPoint> points;  ///< sorted by increasing first objective
  std::array<double, 2> present{};  ///< for the design of the file
  bool present_is_feasible = false;
  bool interrupted = false;
  Effort effort;
};

/// The front of the problem's `pareto`. Each point is the best of many starts
/// with one objective limited, including the designs of its neighbours, so
/// that a branch is not followed beyond the range where it is the best. Limits
/// are placed in the largest gaps of the front; a gap without designs is a
/// jump.
ParetoFront pareto_front(const OptimisationProblem& problem,
                         const SearchOptions& options);

/// Columns: the objectives, all variables, all choices, certificate.
Table pareto_table(const ParetoFront& front);

/// The front with the design of the file on it.
Figure pareto_figure(const ParetoFront& front);

}  // namespace gttf
