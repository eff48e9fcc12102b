// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/optimise.hpp"

namespace gttf {

OptimisationResults optimise(const OptimisationProblem& problem,
                             const SearchOptions& options) {
  OptimisationResults results;
  SearchResult& result = results.search;
  result = search(problem, options);
  if (!problem.pareto.of.empty() && !result.interrupted) {
    SearchOptions of_front = options;
    of_front.history = {};  // the front has other objectives
    results.front = pareto_front(problem, of_front);
    result.effort += results.front->effort;
    result.interrupted = results.front->interrupted;
  }
  if (!problem.construction.empty() && result.found)
    results.construction =
        construction_effects(*result.program, result.best.x, options.threads);
  return results;
}

}  // namespace gttf
