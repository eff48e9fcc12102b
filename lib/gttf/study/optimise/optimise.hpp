// SPDX-License-Identifier: Apache-2.0
// All that an optimisation asks for: search, front, errors of construction.
#pragma once

#include <optional>

#include "gttf/study/optimise/construction.hpp"
#include "gttf/study/optimise/pareto_front.hpp"
#include "gttf/study/optimise/search.hpp"

namespace gttf {

/// All that was found.
struct OptimisationResults {
  SearchResult search;
  std::optional<ParetoFront> front;                ///< if there is `pareto`
  std::optional<ConstructionResult> construction;  ///< of a design found
};

/// The search, then what the problem asks for besides. A search that was
/// interrupted, of the front too, says so in `search.interrupted`.
OptimisationResults optimise(const OptimisationProblem& problem,
                             const SearchOptions& options);

}  // namespace gttf
