// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/optimise.hpp"

#include <algorithm>

#include "gttf/study/optimise/missed_limits.hpp"

namespace gttf {
namespace {

/// Why no design has a value.
std::string reason_without_value(const DesignProgram& program) {
  std::vector<double> x;
  for (const DesignVariable& v : program.space().variables)
    x.push_back(std::clamp(v.start, v.from, v.to));
  if (std::string missing = missing_value(program, x); !missing.empty())
    return missing;
  return x.empty() ? "tracks have no resolution with any of the choices"
                   : "tracks lose hits that they have in the detector file";
}

}  // namespace

OptimisationResults optimise(const OptimisationProblem& problem,
                             const SearchOptions& options) {
  OptimisationResults results;
  SearchResult& result = results.search;
  result = search(problem, options);
  if (!result.best.result.exists && !result.interrupted)
    result.certificate.reason += ": " + reason_without_value(*result.program);
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
  results.design = found_design(result);
  return results;
}

}  // namespace gttf
