// SPDX-License-Identifier: Apache-2.0
// A complete optimisation: search, front, construction errors.
#pragma once

#include <optional>

#include "gttf/study/optimise/construction.hpp"
#include "gttf/study/optimise/found_design.hpp"
#include "gttf/study/optimise/pareto_front.hpp"
#include "gttf/study/optimise/search.hpp"

namespace gttf {

/// All results.
struct OptimisationResults {
  SearchResult search;
  FoundDesign design;
  std::optional<ParetoFront> front;                ///< if `pareto` is given
  std::optional<ConstructionResult> construction;  ///< for a resulting design
};

/// The search, then the additional requests of the problem. An interruption,
/// also of the front, is recorded in `search.interrupted`.
OptimisationResults optimise(const OptimisationProblem& problem,
                             const SearchOptions& options);

}  // namespace gttf
