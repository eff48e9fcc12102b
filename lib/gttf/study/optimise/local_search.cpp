// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/local_search.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gttf {
namespace {

using Eigen::VectorXd;

/// Maximum number of limits on resolutions for the solver, if fewer are active.
constexpr std::size_t most_working = 60;

/// For every requirement, the samples closest to their limits, or furthest
/// beyond them, that are not in `working` yet.
std::vector<std::size_t> nearest_to_limits(
    const DesignProgram& program, const DesignProgram::AllValues& all,
    std::size_t of_each, bool only_beyond,
    const std::vector<std::size_t>& working) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> by;
  for (std::size_t i = 0; i < all.samples.size(); ++i) {
    const Sample& s = program.sample(i);
    if (!s.is_limit() && !(s.file == Sample::objective && program.has_level()))
      continue;
    if (only_beyond && !(all.samples[i] > design_feasible)) continue;
    if (std::ranges::count(working, i) == 0)
      by[{s.file, s.criterion}].push_back(i);
  }
  std::vector<std::size_t> chosen;
  for (auto& [key, list] : by) {
    std::ranges::stable_sort(list, [&](std::size_t a, std::size_t b) {
      return all.samples[a] > all.samples[b];
    });
    list.resize(std::min(list.size(), of_each));
    chosen.insert(chosen.end(), list.begin(), list.end());
  }
  return chosen;
}

/// At most a few of a list, evenly, that are not in `working` yet.
std::vector<std::size_t> few_of(const std::vector<std::size_t>& list,
                                const std::vector<std::size_t>& working) {
  constexpr std::size_t most = 8;
  std::vector<std::size_t> fresh, chosen;
  for (const std::size_t i : list)
    if (std::ranges::count(working, i) == 0) fresh.push_back(i);
  const std::size_t n = std::min(most, fresh.size());
  for (std::size_t k = 0; k < n; ++k)
    chosen.push_back(
        fresh[k * (fresh.size() - 1) / std::max<std::size_t>(n - 1, 1)]);
  return chosen;
}

/// Adds to `chosen` what is not in `working` yet.
void add_new(const std::vector<std::size_t>& list,
             const std::vector<std::size_t>& working,
             std::vector<std::size_t>& chosen) {
  for (const std::size_t i : list)
    if (std::ranges::count(working, i) == 0) chosen.push_back(i);
}

/// The edges at which the shortest of the steps that were cut changes the
/// layers that tracks cross.
std::vector<std::size_t> edges_of_cuts(DesignProgram& program,
                                       const std::vector<double>& x,
                                       const ProgramResult& result) {
  const auto edges_to = [&](std::size_t step) {
    return program.changed_edges(x, program.natural(result.rejected[step]));
  };
  std::size_t begin = 0, end = result.rejected.size();
  if (end == 0) return {};
  std::vector<std::size_t> edges = edges_to(begin);
  if (edges.empty()) return edges;
  while (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    std::vector<std::size_t> nearer = edges_to(middle);
    (nearer.empty() ? end : begin) = middle;
    if (!nearer.empty()) edges = std::move(nearer);
  }
  return edges;
}

}  // namespace

LocalOptimum solve(DesignProgram& program, const std::vector<double>& x,
                   const SolveOptions& options) {
  constexpr int most_rounds = 30;
  std::vector<std::size_t> working = options.working;
  LocalOptimum optimum;
  optimum.x = x;
  if (program.n_samples() <= most_working) {
    std::erase_if(working,
                  [](std::size_t i) { return !HitEdge::is_number(i); });
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < program.n_samples(); ++i)
      if (program.sample(i).is_limit() ||
          (program.sample(i).file == Sample::objective && program.has_level()))
        all.push_back(i);
    working.insert(working.begin(), all.begin(), all.end());
  } else if (working.empty()) {
    const auto all = program.all_values(x);
    if (!all) return optimum;
    working = nearest_to_limits(program, *all, 3, false, {});
  }
  for (int round = 0;; ++round) {
    // values above a quantile do not count
    for (const std::size_t i : program.beyond_quantile(optimum.x))
      std::erase(working, i);
    VectorXd start = program.scaled(optimum.x);
    if (program.has_level())
      start[start.size() - 1] = program.level_at(optimum.x);
    NonlinearProgram nonlinear = program.program(working);
    nonlinear.keep_on = options.keep_on;
    if (options.history != nullptr)
      nonlinear.evaluate = [&program, history = options.history,
                            inner = nonlinear.evaluate](const VectorXd& at,
                                                        bool derivatives) {
        auto values = inner(at, derivatives);
        if (values && derivatives)
          history->push_back(
              {program.natural(at), values->f, values->violation()});
        return values;
      };
    optimum.result = minimise(nonlinear, start);
    if (!optimum.result.exists) return optimum;
    // the limits of the result are those of the working set from here on
    const bool is_last =
        round + 1 == most_rounds || (options.keep_on && !options.keep_on());
    const std::vector<double> there = program.natural(optimum.result.x);
    const auto all = program.all_values(there);
    if (!all) {
      // tracks that the solver did not look at lose hits on the way: they cut
      // its steps from now on
      auto lost = few_of(program.samples_that_lose_hits(there), working);
      if (round > 0)
        add_new(program.changed_edges(optimum.x, there), working, lost);
      optimum.result.exists = false;
      if (lost.empty() || is_last) return optimum;
      working.insert(working.end(), lost.begin(), lost.end());
      continue;
    }
    optimum.x = there;
    optimum.violation = all->violation();
    optimum.f = all->f;
    // where tracks would cross other layers the steps were cut: these edges
    // become limits, along which there may be more to gain
    std::vector<std::size_t> edges;
    if (!is_last && optimum.result.residual >= program_stationary)
      add_new(edges_of_cuts(program, there, optimum.result), working, edges);
    if (!edges.empty()) {
      working.insert(working.end(), edges.begin(), edges.end());
      continue;
    }
    const auto missed = nearest_to_limits(program, *all, 2, true, working);
    const auto beyond = program.beyond_quantile(optimum.x);
    const bool same = std::ranges::none_of(beyond, [&](std::size_t i) {
      return std::ranges::count(working, i) > 0;
    });
    if ((missed.empty() && same) || is_last) break;
    working.insert(working.end(), missed.begin(), missed.end());
  }
  optimum.working = std::move(working);
  optimum.feasible = optimum.violation <= design_feasible;
  return optimum;
}

LocalOptimum solve_on(DesignProgram& program, const std::vector<double>& x,
                      const SolveOptions& options) {
  constexpr int most_restarts = 5;
  LocalOptimum best = solve(program, x, options);
  SolveOptions again = options;
  for (int i = 0; i < most_restarts && best.result.exists && !is_solved(best);
       ++i) {
    again.working = best.working;
    LocalOptimum next = solve(program, best.x, again);
    if (!next.result.exists || (!is_better(next, best) && !is_solved(next)))
      break;
    best = std::move(next);
  }
  return best;
}

bool is_solved(const LocalOptimum& o) {
  return o.feasible && o.result.residual < program_stationary;
}

bool is_better(const LocalOptimum& a, const LocalOptimum& b) {
  if (a.feasible != b.feasible) return a.feasible;
  return a.feasible ? a.f < b.f - objective_rounding
                    : a.violation < b.violation;
}

}  // namespace gttf
