// SPDX-License-Identifier: Apache-2.0
// ParetoFront: designs of which none is better in both of two objectives.
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
  std::vector<ParetoPoint> points;  ///< the first objective rises
  std::array<double, 2> present{};  ///< of the file's design
  bool present_is_feasible = false;
  bool interrupted = false;
  Effort effort;
};

/// The front of the problem's `pareto`. Each point is the best of many starts
/// with one objective limited, and the neighbours' designs are tried at it, so
/// that no branch is followed beyond where it is the best one. Limits are put
/// where the largest gaps of the front are; a gap that no design fills is a
/// jump.
ParetoFront pareto_front(const OptimisationProblem& problem,
                         const SearchOptions& options);

/// Columns: the objectives, all variables, all choices, certificate.
Table pareto_table(const ParetoFront& front);

/// The front with the design of the file on it.
Figure pareto_figure(const ParetoFront& front);

}  // namespace gttf
