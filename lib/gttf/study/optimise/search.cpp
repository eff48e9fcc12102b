// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/core/parallel.hpp"
#include "gttf/study/optimise/layer_choice.hpp"
#include "gttf/study/optimise/placement_bound.hpp"
#include "gttf/study/optimise/proof.hpp"

namespace gttf {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// StartPlace::search of the smallest ratio, and after it of the smallest value
/// of a quantity, from the design of the smallest ratio, and of the limits of
/// the design alone; searches of fronts count from 1.
constexpr std::size_t search_of_ratio = 1000000000;

/// Adds all limits to the results of a design without variables.
void set_working(DesignProgram& program, LocalOptimum& o) {
  o.working.clear();
  for (std::size_t i = 0; i < program.n_samples(); ++i)
    if (program.sample(i).is_limit()) o.working.push_back(i);
  o.result.multipliers = VectorXd::Zero(
      static_cast<Index>(program.limits_at({}, o.working).size()));
}

/// Whether the quantity changes steadily with the design.
bool is_steady(const Criterion& criterion) {
  const std::string& name = criterion.quantity.name;
  using Kind = CheckedQuantity::Kind;
  const Kind kind = criterion.quantity.kind;
  return kind == Kind::share || kind == Kind::material ||
         (kind == Kind::number && name != "n_hits" && name != "efficiency");
}

/// How far a point is beyond exp(level) times its limit, a logarithm.
double beyond_level(const CheckedPoint& point, double level) {
  double most = -std::numeric_limits<double>::infinity();
  if (point.upper > 0 && point.value > 0)
    most = std::log(point.value / point.upper);
  if (point.lower > 0 && point.value > 0)
    most = std::max(most, std::log(point.lower / point.value));
  return most - level;
}

/// Points of the finer grids near their limits become samples, so that the
/// exchange of limits finds the active ones; an evaluation is expensive. Of a
/// design without variables, those beyond their limits.
constexpr double near_limit = 0.05;
constexpr std::size_t most_near = 1000;  ///< of each requirement

struct Look {
  std::size_t points = 0;  ///< evaluated
  double violation = 0;    ///< the largest
  /// The largest excess over the target: the limits or, if the margin is
  /// minimised, the level.
  double excess = 0;
  std::vector<std::size_t> beyond;  ///< samples added that are beyond it
};
Look verify(DesignProgram& program, const std::vector<double>& x, double f_of_x,
            unsigned threads, bool add, std::vector<KnownEdges>& edges) {
  Look look;
  const OptimisationProblem& problem = program.problem();
  const bool of_margin = problem.objective.kind == Objective::Kind::margin;
  const double nearest = x.empty() ? design_feasible : -near_limit;
  const Detector detector = program.detector_at(x);
  for (std::size_t f = 0; f < problem.requirements.size(); ++f) {
    const RequirementFile finer =
        refined(problem.requirements[f], problem.refine);
    const CheckOutcome outcome =
        check(finer, std::span(&detector, 1), Engine::streaming, threads,
              CheckDetail::all, {}, &edges[f]);
    for (const CheckResult& result : outcome.results) {
      const Criterion& criterion = finer.criteria[result.criterion];
      const StudyRequest grid = grid_of(finer, result);
      std::vector<std::pair<double, std::size_t>>
          near;  // below its limit by, point
      for (std::size_t i = 0; i < result.points.size(); ++i) {
        const CheckedPoint& point = result.points[i];
        ++look.points;
        // without a margin the value does not exist
        const double miss = std::isnan(point.margin)
                                ? (point.passed ? 0.0 : 1.0)
                                : -point.margin;
        look.violation = std::max(look.violation, miss);
        double excess = miss;
        // quantities without derivatives are not part of the margin
        if (of_margin && is_steady(criterion) && !std::isnan(point.margin))
          excess = beyond_level(point, f_of_x);
        look.excess = std::max(look.excess, excess);
        if (excess > nearest && is_steady(criterion) &&
            !std::isnan(point.value))
          near.emplace_back(-excess, i);
      }
      // limits that are met everywhere are not evaluated again
      std::ranges::sort(near);
      if (!add || near.empty() || near[0].first >= -design_feasible) continue;
      constexpr std::size_t most_at_once = 4;
      const std::size_t most = x.empty() ? most_at_once : most_near;
      for (std::size_t k = 0; k < std::min(most, near.size()); ++k) {
        const auto& [distance, at] = near[k];
        const CheckedPoint& point = result.points[at];
        Sample sample;
        sample.file = f;
        sample.criterion = result.criterion;
        const bool is_upper = std::isnan(point.lower) ||
                              (!std::isnan(point.upper) &&
                               std::abs(point.value - point.upper) <=
                                   std::abs(point.value - point.lower));
        (is_upper ? sample.upper : sample.lower) =
            is_upper ? point.upper : point.lower;
        const std::size_t index =
            program.add_sample(sample, grid, grid_track(grid, point.point));
        if (k < most_at_once && distance < -design_feasible)
          look.beyond.push_back(index);
      }
    }
  }
  return look;
}

/// Starts of one combination.
struct Starts {
  DesignProgram program;
  bool is_convex = false;
  std::size_t n = 1;
  std::optional<PlacementBound> bound;
};

Starts starts_of(const DesignProgram& base, const Combination& combination,
                 bool local) {
  Starts starts{base.with(combination), false, 1, std::nullopt};
  starts.is_convex = is_convex(starts.program);
  if (local) return starts;
  const std::size_t n = base.problem().starts;
  // one would suffice; a second one verifies the solver
  starts.n = starts.is_convex ? std::min<std::size_t>(n, 2) : n;
  starts.bound =
      bound_placement(starts.program, starts.program.space().start_values());
  return starts;
}

/// Results collected by the parts of a search.
struct Collected {
  std::vector<double> optima;
  std::size_t starts = 0, most_starts = 0;
  bool is_enough = false;  ///< see Found; of a combination at least
  bool convex = true;      ///< every combination
  /// Lower bounds of f of each combination, if they are convex.
  std::vector<double> convex_bounds;
  /// The best design of a combination that meets the limits.
  struct End {
    double f;
    std::vector<double> x;
    std::vector<std::size_t> working;
  };
  std::vector<std::optional<End>> ends;  ///< of each combination, if several
  std::size_t best_at = 0;               ///< combination
  bool has_bound = true;                 ///< every combination
  double lowest = std::numeric_limits<double>::infinity();  ///< bound, ln
  double n_combinations = 0;
  std::optional<LocalOptimum> best;

  /// Whether all combinations are convex, and have a bound.
  bool bounds_all(std::size_t combinations) const {
    return convex && convex_bounds.size() == combinations;
  }
};

// The programs `base` of the following functions belong to no combination.

/// Choices of layers by branch and bound, for each combination of the other
/// choices.
void search_layers(const DesignProgram& base,
                   const std::vector<Combination>& combinations,
                   const SearchOptions& options, Collected& all,
                   SearchResult& result) {
  std::optional<LayerChoiceResult> chosen;
  const std::function<bool()> keep_on = [&] { return !options.is_stopped(); };
  for (const Combination& combination : combinations) {
    DesignProgram program = base.with(combination);
    const auto show = [&](std::size_t looked_at, double f, bool feasible) {
      if (!options.progress) return;
      LocalOptimum best;
      best.f = f;
      best.feasible = feasible;
      const bool is_best = !all.best || is_better(best, *all.best);
      options.progress({looked_at, 0, "combinations",
                        best_so_far(program, is_best ? best : all.best)});
    };
    auto found = best_layers(program, keep_on, show);
    result.effort += program.effort();
    ++all.starts;
    if (!found) {
      // nothing is known if the search ended before the first of them
      all.has_bound = all.has_bound && !options.is_stopped();
      continue;
    }
    all.n_combinations += found->combinations;
    all.lowest = std::min(all.lowest, found->lowest);
    result.interrupted = result.interrupted || found->interrupted;
    LocalOptimum o;
    o.f = found->values.f;
    o.violation = found->values.violation();
    o.feasible = o.violation <= design_feasible;
    o.result.exists = true;
    if (all.best && !is_better(o, *all.best)) continue;
    all.best = std::move(o);
    chosen = std::move(found);
  }
  result.program = std::make_shared<DesignProgram>(
      base.with(chosen ? chosen->combination : combinations.front()));
  if (all.best) set_working(*result.program, *all.best);
}

/// All combinations, one after the other.
void search_combinations(const DesignProgram& base,
                         const std::vector<Combination>& combinations,
                         const SearchOptions& options, Collected& all,
                         SearchResult& result) {
  struct Looked {
    bool is_stopped = false;
    std::optional<DesignProgram::AllValues> values;
    Effort effort;
  };
  constexpr std::size_t at_once = 32;
  std::size_t at = 0, best_at = 0;
  parallel_in_order(
      (combinations.size() + at_once - 1) / at_once,
      thread_count(options.threads),
      [&](std::size_t block) {
        std::vector<Looked> list;
        const std::size_t end =
            std::min(combinations.size(), (block + 1) * at_once);
        for (std::size_t i = block * at_once; i < end; ++i) {
          Looked& looked = list.emplace_back();
          looked.is_stopped = i > 0 && options.is_stopped();
          if (looked.is_stopped) continue;
          DesignProgram program = base.with(combinations[i]);
          looked.values = program.all_values({});
          looked.effort = program.effort();
        }
        return list;
      },
      [&](const std::vector<Looked>& list) {
        for (const Looked& looked : list) {
          result.effort += looked.effort;
          result.interrupted = result.interrupted || looked.is_stopped;
          const std::size_t index = at++;
          if (!looked.values) continue;
          LocalOptimum o;
          o.f = looked.values->f;
          o.violation = looked.values->violation();
          o.feasible = o.violation <= design_feasible;
          o.result.exists = true;
          if (all.best && !is_better(o, *all.best)) continue;
          all.best = std::move(o);
          best_at = index;
        }
        if (options.progress)
          options.progress({at, combinations.size(), "combinations",
                            best_so_far(base, all.best)});
      });
  all.has_bound = false;
  all.starts = combinations.size();
  all.n_combinations = static_cast<double>(combinations.size());
  result.program =
      std::make_shared<DesignProgram>(base.with(combinations[best_at]));
  if (all.best) set_working(*result.program, *all.best);
}

/// The best design of one combination as a point of another one's program.
ProgramResult here(DesignProgram& program, const LocalOptimum& best) {
  ProgramResult point;
  const NonlinearProgram nonlinear = program.program(best.working);
  point.x = best.result.x;
  auto values = nonlinear.evaluate(point.x, true);
  if (!values) return point;
  point.exists = true;
  point.values = std::move(*values);
  judge(nonlinear, point);
  return point;
}

/// Whether a bound from a point of a convex problem is not below the best.
bool cannot_be_better(DesignProgram& program, const LocalOptimum& best,
                      const ProgramResult& point) {
  return best.feasible &&
         lower_bound(program, point) >= best.f - objective_rounding;
}

/// Solutions from many designs, for each combination.
void search_designs(const DesignProgram& base,
                    const std::vector<Combination>& combinations,
                    const SearchOptions& options, Collected& all,
                    SearchResult& result) {
  for (std::size_t k = 0; k < combinations.size() && !result.interrupted; ++k) {
    const Starts starts = starts_of(base, combinations[k], options.local);
    Found found;
    bool excluded = false;
    if (starts.is_convex && all.best && !options.local) {
      // from the best result of another combination, and its working set
      DesignProgram mine = starts.program;
      found.starts = 1;
      excluded = cannot_be_better(mine, *all.best, here(mine, *all.best));
      if (!excluded) {
        LocalOptimum o =
            solve(mine, all.best->x,
                  {.working = all.best->working, .keep_on = options.keep_on});
        if (is_solved(o)) {
          found.optima = {o.f};
          found.best = std::move(o);
        } else {
          excluded = cannot_be_better(mine, *all.best, o.result);
        }
      }
      found.effort = mine.effort();
      found.interrupted = options.is_stopped();
    }
    if (!found.best && !excluded) {
      const Effort before = found.effort;
      SearchOptions own = options;
      if (options.progress && combinations.size() > 1)
        own.progress = [&](const SearchProgress&) {
          options.progress({k, combinations.size(), "combinations",
                            best_so_far(base, all.best)});
        };
      found = solve_from_starts(starts.program, starts.n, own,
                                {options.search, k, 0, 0}, starts.bound);
      found.effort += before;
    }
    if (starts.bound)
      all.lowest = std::min(all.lowest, std::log(starts.bound->sigma));
    all.has_bound = all.has_bound && starts.bound.has_value();
    all.convex = all.convex && starts.is_convex;
    if (starts.is_convex) {
      DesignProgram mine = starts.program;
      all.convex_bounds.push_back(
          excluded ? all.best->f
          : is_beyond_best_corner(mine)
              ? std::numeric_limits<double>::infinity()
          : found.best ? lower_bound(mine, found.best->result)
                       : -std::numeric_limits<double>::infinity());
    }
    result.effort += found.effort;
    all.starts += found.starts;
    all.most_starts += std::max(found.starts, found.planned);
    all.is_enough = all.is_enough || found.is_enough;
    all.optima.insert(all.optima.end(), found.optima.begin(),
                      found.optima.end());
    if (combinations.size() > 1) {
      std::optional<Collected::End>& end = all.ends.emplace_back();
      if (found.best && found.best->feasible)
        end = {found.best->f, found.best->x, found.best->working};
    }
    if (found.best && (!all.best || is_better(*found.best, *all.best))) {
      all.best = std::move(found.best);
      all.best_at = k;
      result.program = std::make_shared<DesignProgram>(starts.program);
    }
    result.interrupted = found.interrupted;
    if (options.progress && combinations.size() > 1)
      options.progress({k + 1, combinations.size(), "combinations",
                        best_so_far(base, all.best)});
  }
  all.n_combinations = static_cast<double>(combinations.size());
}

/// How far a result is above a bound; a fraction.
double gap_to(double bound, const LocalOptimum& o) {
  return std::max(0.0, std::expm1(o.f - bound));
}

/// The combination that leaves the description as it is.
struct OwnCombination {
  Combination combination;
  bool is_allowed = true;  ///< by the choices
};

OwnCombination own_combination(const OptimisationProblem& problem,
                               const std::vector<Combination>& combinations) {
  OwnCombination own;
  own.combination = combination_of_file(combinations);
  const auto same =
      std::ranges::find_if(combinations, [](const Combination& combination) {
        return combination.numbers.empty() &&
               std::ranges::count(combination.absent, char{1}) == 0;
      });
  own.is_allowed = same != combinations.end();
  if (own.is_allowed) own.combination.chosen = same->chosen;
  own.combination.chosen.resize(problem.choices.size(), "as in the file");
  for (std::size_t c = 0; c < problem.choices.size(); ++c) {
    const DesignChoice& choice = problem.choices[c];
    if (choice.layers.empty()) continue;
    own.combination.chosen[c] =
        fmt::format("{}", fmt::join(choice.layers, ","));
    own.is_allowed = own.is_allowed && choice.layers.size() <= choice.most;
  }
  return own;
}

/// Replaces the result of an interrupted search by the design of the file if
/// the latter is better. A design that the choices exclude only replaces one
/// that misses limits.
void take_start_if_better(const DesignProgram& base,
                          const std::vector<Combination>& combinations,
                          Collected& all, SearchResult& result) {
  OwnCombination own = own_combination(base.problem(), combinations);
  DesignProgram program = base.with(std::move(own.combination));
  // a search that ends immediately returns its start
  LocalOptimum start;
  const std::vector<double> x = program.space().start_values();
  if (x.empty()) {
    const auto values = program.all_values(x);
    if (!values) return;
    start.f = values->f;
    start.violation = values->violation();
    start.feasible = start.violation <= design_feasible;
    start.result.exists = true;
    set_working(program, start);
  } else {
    start = solve(program, x, {.keep_on = [] { return false; }});
    if (!start.result.exists) return;
  }
  if (all.best) {
    if (!own.is_allowed && all.best->feasible) return;
    if (!is_better(start, *all.best)) return;
  }
  all.best = std::move(start);
  result.program = std::make_shared<DesignProgram>(std::move(program));
  result.is_start = true;
}

/// The best of a result, what the solver finds if it begins there again, since
/// its steps may have ended early, and the design of the file and what it finds
/// from there if that is better. Of a convex problem the gap to its bound shows
/// whether anything is left to find.
void solve_to_the_end(DesignProgram& program, LocalOptimum& best,
                      const SearchOptions& options) {
  constexpr int most_restarts = 5;
  const bool convex = is_convex(program);
  const auto gap_of = [&](const LocalOptimum& o) {
    return convex ? gap_to(lower_bound(program, o.result), o) : 0;
  };
  double gap = gap_of(best);
  const auto improve = [&](const LocalOptimum& from) {
    LocalOptimum again = solve(
        program, from.x, {.working = from.working, .keep_on = options.keep_on});
    if (!again.result.exists || !again.feasible) return false;
    const double its_gap = gap_of(again);
    const bool is_useful =
        is_better(again, best) ||
        (is_solved(again) && (!is_solved(best) || its_gap < gap));
    if (is_useful) {
      best = std::move(again);
      gap = its_gap;
    }
    return is_useful;
  };
  for (int i = 0;
       i < most_restarts && !(is_solved(best) && gap <= same_optimum); ++i)
    if (!improve(best)) break;
  const Combination& own = program.combination();
  if (!own.numbers.empty() || std::ranges::count(own.absent, char{1}) > 0)
    return;
  LocalOptimum start =
      solve(program, program.space().start_values(),
            {.working = best.working, .keep_on = [] { return false; }});
  if (!start.result.exists || !is_better(start, best)) return;
  best = std::move(start);
  improve(best);
}

/// Evaluates the finer grids, and coverages from all starts; limits missed
/// there are added, and the problem is solved again.
/// @return  whether limits were added to a problem without variables, of which
///          another combination may be the best then
bool verify_result(SearchResult& result, const SearchOptions& options) {
  DesignProgram& program = *result.program;
  const Effort before = program.effort();
  constexpr double gap_unit = DesignProgram::gap_unit;
  const bool has_variables = program.space().size() > 0;
  bool may_change = !result.interrupted, has_added = false;
  SearchOptions how = options;
  how.keep_on = [&] {
    result.interrupted = result.interrupted || options.is_stopped();
    return !result.interrupted;
  };
  result.solved = result.best.feasible;
  if (result.solved && may_change && has_variables && !options.local)
    solve_to_the_end(program, result.best, how);
  double excess = 0;
  std::vector<KnownEdges> edges(program.problem().requirements.size());
  constexpr int most_looks = 12;
  for (int round = 0; round < most_looks; ++round) {
    may_change = may_change && !result.interrupted;
    const bool may_add = result.solved && may_change && round + 1 < most_looks;
    const Look look = verify(program, result.best.x, result.best.f,
                             options.threads, may_add, edges);
    const double allowed =
        program.problem().objective.kind == Objective::Kind::missing
            ? std::max(0.0, result.best.f)
            : 0;
    const double missing =
        program.missing_coverage(result.best.x, may_add, allowed * gap_unit) /
        gap_unit;
    result.verify_points = look.points;
    result.verify_violation = std::max(look.violation, missing);
    excess = std::max(look.excess, missing - allowed);
    if (look.beyond.empty() &&
        !(may_add && missing - allowed > design_feasible))
      break;
    has_added = !has_variables;
    if (has_added) break;
    std::vector<std::size_t> working = result.best.working;
    working.insert(working.end(), look.beyond.begin(), look.beyond.end());
    LocalOptimum again = solve(program, result.best.x,
                               {.working = working, .keep_on = how.keep_on});
    if (!again.result.exists) break;
    // an interrupted solution may be further from the limits
    if (result.interrupted && !(again.violation < excess)) break;
    result.best = std::move(again);
    if (result.best.feasible) solve_to_the_end(program, result.best, how);
    result.solved = result.best.feasible;
  }
  if (const auto missed = missed_most(program, result.best.x))
    result.verify_violation = std::max(result.verify_violation, missed->amount);
  // what has no samples is not searched for
  result.solved =
      result.solved && (excess <= design_feasible || !has_variables);
  result.found = result.solved && result.verify_violation <= design_feasible;
  result.effort += program.effort() - before;
  return has_added;
}

/// Of a convex problem: other combinations were solved, or excluded by a bound,
/// without the points that the verification of the result added. Those whose
/// bound is below the result are solved with all points known so far; the best
/// one that is better is verified, too, until there is none.
void settle_combinations(const DesignProgram& base,
                         const std::vector<Combination>& combinations,
                         const SearchOptions& options, Collected& all,
                         SearchResult& result) {
  if (!all.bounds_all(combinations.size()) || options.local) return;
  struct Candidate {
    std::size_t combination;
    std::shared_ptr<DesignProgram> program;
    LocalOptimum optimum;
  };
  std::shared_ptr<const DesignProgram> with_all_points = result.program;
  SearchOptions own = options;  // the starts are those of a part of the search
  own.progress = {};
  own.history = {};
  constexpr int most_rounds = 12;
  for (int round = 0; round < most_rounds && result.solved; ++round) {
    DesignProgram full = base;
    full.take_samples_of(*with_all_points);
    const LocalOptimum& known = result.best;
    std::optional<Candidate> better;
    for (std::size_t k = 0; k < combinations.size(); ++k) {
      double& bound = all.convex_bounds[k];
      if (k == all.best_at || bound >= known.f - objective_rounding) continue;
      if (options.is_stopped()) {
        result.interrupted = true;
        return;
      }
      auto mine = std::make_shared<DesignProgram>(full.with(combinations[k]));
      LocalOptimum o =
          solve(*mine, known.x,
                {.working = known.working, .keep_on = options.keep_on});
      bound = std::max(bound, lower_bound(*mine, o.result));
      const auto is_open = [&] {
        return bound < known.f - objective_rounding &&
               !(is_solved(o) && gap_to(bound, o) <= same_optimum);
      };
      if (o.feasible && is_open()) {
        solve_to_the_end(*mine, o, options);
        bound = std::max(bound, lower_bound(*mine, o.result));
      }
      if (is_open()) {
        const std::size_t stage = 2 + 2 * static_cast<std::size_t>(round);
        Found found =
            solve_from_starts(*mine, 2, own, {options.search, k, stage, 0});
        result.effort += found.effort;
        if (found.best) {
          o = std::move(*found.best);
          bound = std::max(bound, lower_bound(*mine, o.result));
        }
      }
      result.effort += mine->effort();
      if (o.feasible && is_better(o, better ? better->optimum : known))
        better = Candidate{k, std::move(mine), std::move(o)};
    }
    if (!better) return;
    SearchResult other = result;
    other.program = better->program;
    other.best = std::move(better->optimum);
    verify_result(other, options);
    with_all_points = other.program;
    result.effort = other.effort;
    const bool is_best = other.solved && is_better(other.best, known);
    const SearchResult& worse = is_best ? result : other;
    const std::size_t left = is_best ? all.best_at : better->combination;
    all.convex_bounds[left] =
        std::max(all.convex_bounds[left],
                 is_beyond_best_corner(*worse.program)
                     ? std::numeric_limits<double>::infinity()
                     : lower_bound(*worse.program, worse.best.result));
    if (!is_best) continue;
    all.best_at = better->combination;
    result = std::move(other);
  }
}

/// The same where it is not convex: other combinations were left at their best
/// design at the points known then, and are solved from there.
void compare_combinations(const DesignProgram& base,
                          const std::vector<Combination>& combinations,
                          const SearchOptions& options, Collected& all,
                          SearchResult& result) {
  if (all.bounds_all(combinations.size()) || options.local) return;
  std::shared_ptr<const DesignProgram> with_all_points = result.program;
  while (true) {
    std::size_t next = all.best_at;
    for (std::size_t k = 0; k < all.ends.size(); ++k)
      if (k != all.best_at && all.ends[k] &&
          (!result.solved ||
           all.ends[k]->f < result.best.f - objective_rounding) &&
          (next == all.best_at || all.ends[k]->f < all.ends[next]->f))
        next = k;
    if (next == all.best_at) return;
    if (options.is_stopped()) {
      result.interrupted = true;
      return;
    }
    const Collected::End end = *std::exchange(all.ends[next], std::nullopt);
    DesignProgram full = base;
    full.take_samples_of(*with_all_points);
    auto program =
        std::make_shared<DesignProgram>(full.with(combinations[next]));
    SearchResult other = result;
    other.best = solve(*program, end.x,
                       {.working = end.working, .keep_on = options.keep_on});
    other.effort += program->effort();
    other.program = program;
    const auto is_best = [&] {
      return other.best.feasible &&
             (!result.solved || is_better(other.best, result.best));
    };
    result.effort = other.effort;
    if (!is_best()) continue;
    verify_result(other, options);
    with_all_points = other.program;
    result.effort = other.effort;
    if (!other.solved || !is_best()) continue;
    all.best_at = next;
    result = std::move(other);
  }
}

/// A gap above it says nothing.
constexpr double most_open = 1;
/// The same for a choice of layers, where the bound of a quantity may be 0.
constexpr double most_open_choice = 1e6;

/// Of a convex problem: how far the result, with all points that its
/// verification added, is above a bound for all combinations; a fraction.
std::optional<double> convex_gap(const SearchResult& result,
                                 const Collected& all) {
  if (!all.bounds_all(static_cast<std::size_t>(all.n_combinations)) ||
      !result.solved || result.is_start)
    return std::nullopt;
  double lowest = lower_bound(*result.program, result.best.result);
  for (std::size_t k = 0; k < all.convex_bounds.size(); ++k)
    if (k != all.best_at) lowest = std::min(lowest, all.convex_bounds[k]);
  return gap_to(lowest, result.best);
}

Certificate certificate_of(const SearchResult& result, const Collected& all,
                           bool by_bounds, const SearchOptions& options) {
  const bool has_variables = result.program->space().size() > 0;
  Certificate c;
  c.starts = all.starts;
  std::vector<double> optima = all.optima;
  // values of combinations are not optima
  if (!has_variables && result.solved) optima = {result.best.f};
  c.optima = different_optima(optima);
  c.met_limits = optima.size();
  c.is_enough = all.is_enough;
  c.most_starts = all.most_starts;
  for (const double f : optima)
    c.reached += f < c.optima.front() + same_optimum;
  c.residual = result.best.result.residual;
  if (!has_variables && !result.interrupted) {
    c.kind = Certificate::Kind::proven;
    c.reason = by_bounds ? fmt::format(
                               "of {:.0f} combinations, those that were not "
                               "evaluated cannot be better",
                               all.n_combinations)
                         : fmt::format("all {:.0f} combinations were evaluated",
                                       all.n_combinations);
  } else if (const auto gap = convex_gap(result, all);
             gap && *gap <= most_open) {
    const bool is_closed =
        *gap <= same_optimum && c.residual < program_stationary;
    c.kind = is_closed ? Certificate::Kind::proven : Certificate::Kind::bounded;
    c.gap = *gap;
    // others are values of combinations, or of starts that ended early
    c.optima = {result.best.f};
    c.reason = "variances are convex in the information of the hits";
    if (is_closed) c.reason += ": there is one optimum";
    if (all.n_combinations > 1)
      c.reason +=
          fmt::format(" of each of {:.0f} combinations", all.n_combinations);
  } else if (options.local) {
    c.kind = Certificate::Kind::local;
  } else if (result.is_start) {
    c.reason =
        "the design of the file, which the search had not improved when it was "
        "ended";
  } else if (all.has_bound && result.solved && all.lowest <= result.best.f &&
             (has_variables ||
              gap_to(all.lowest, result.best) <= most_open_choice)) {
    c.kind = Certificate::Kind::bounded;
    c.gap = gap_to(all.lowest, result.best);
    c.reason = has_variables
                   ? "hits of any weight on a lattice"
                   : "no combination that was not evaluated is below it";
  } else if (!has_variables) {
    c.reason =
        "the search ended before all combinations were evaluated or excluded";
  } else if (c.starts == 0) {
    c.reason = "no start was finished";
  } else if (c.met_limits == 0) {
    c.reason = fmt::format("no start of {} ended within the limits", c.starts);
  } else {
    c.kind = Certificate::Kind::best_of_starts;
  }
  return c;
}

/// Why limits cannot be met, if even the best possible design misses one.
constexpr std::string_view beyond_corner =
    "limits are missed even with the best hits and the least material";

/// The problem of the smallest ratio to the limits on columns.
OptimisationProblem problem_of_ratio(const OptimisationProblem& problem) {
  OptimisationProblem p = problem;
  p.objective = {};
  p.objective.kind = Objective::Kind::margin;
  constexpr std::size_t most_starts = 32;
  p.starts = std::min(problem.starts, most_starts);
  p.construction.clear();
  return p;
}

/// The problem of the smallest value of a quantity or mean, with the limits of
/// the other ones, and its upper limit.
std::pair<OptimisationProblem, double> problem_of_least(
    const OptimisationProblem& problem, const LimitValue& missed) {
  OptimisationProblem p = problem_of_ratio(problem);
  p.requirements.clear();
  double limit = 0;
  if (missed.kind == LimitValue::Kind::quantity) {
    QuantityLimit& own = p.limits[missed.index];
    p.objective.kind = Objective::Kind::quantity;
    p.objective.quantity = own.quantity;
    p.objective.name = own.name;
    limit = *own.max;
    own.max.reset();
  } else {
    MeanLimit& own = p.means[missed.index];
    p.objective.kind = Objective::Kind::mean;
    p.objective.name = own.name;
    p.objective.criterion = std::move(own.criterion);
    p.objective.scale = std::move(own.scale);
    p.objective.logarithmic = own.logarithmic;
    p.objective.weights = std::move(own.weights);
    limit = own.max;
    p.means.erase(p.means.begin() + static_cast<std::ptrdiff_t>(missed.index));
  }
  return {std::move(p), limit};
}

/// The upper limit of a quantity or mean that a design misses most.
std::optional<LimitValue> missed_limit(DesignProgram& program,
                                       const std::vector<double>& x) {
  std::optional<LimitValue> missed;
  double most = 1 + design_feasible;
  for (const LimitValue& v : program.limits_at(x, {})) {
    if ((v.kind != LimitValue::Kind::quantity &&
         v.kind != LimitValue::Kind::mean) ||
        v.is_lower || !(v.limit > 0) || !(v.value > most * v.limit))
      continue;
    most = v.value / v.limit;
    missed = v;
  }
  return missed;
}

/// The gap, envelope, coverage, quantity or mean that a design misses most.
std::optional<Infeasible> most_missed(const DesignProgram& program,
                                      const std::vector<double>& x) {
  const auto missed = missed_most(program, x);
  if (!missed) return std::nullopt;
  if (missed->is_length)
    return Infeasible{0, missed->name, std::nullopt,
                      missed->amount * DesignProgram::gap_unit};
  // of a lower limit, of the limit to the value
  return Infeasible{missed->is_lower ? 1 / std::max(0.0, 1 - missed->amount)
                                     : 1 + missed->amount,
                    missed->name, std::nullopt};
}

/// The largest ratio of a design to the limits on columns, and where.
std::optional<Infeasible> largest_ratio(DesignProgram program,
                                        const std::vector<double>& x) {
  const auto all = program.all_values(x);
  if (!all || all->samples.empty()) return std::nullopt;
  const auto worst =
      std::ranges::max_element(all->samples) - all->samples.begin();
  const Sample& sample = program.sample(static_cast<std::size_t>(worst));
  if (!sample.is_limit()) return std::nullopt;
  const bool of_ratio =
      program.problem().objective.kind == Objective::Kind::margin;
  // what has no value but 0 and 1 is missed by 100 %
  const double log_ratio =
      program.is_of_text(sample)
          ? std::log(2.0)
          : (of_ratio ? all->f : 0) +
                all->samples[static_cast<std::size_t>(worst)];
  return Infeasible{std::exp(log_ratio),
                    program.problem()
                        .requirements[sample.file]
                        .criteria[sample.criterion]
                        .name,
                    program.group(sample.group).tracks[sample.track]};
}

SearchResult search_with_hits(const OptimisationProblem& problem,
                              const SearchOptions& options);

/// If the search found no design that meets all limits: the design with the
/// smallest achievable value of the largest ratio to them, with quantities and
/// gaps respected, the prices of limits in this ratio, and whether it is
/// proven. If quantities and means cannot be within their limits either: the
/// same for one of them. If it is a gap, envelope, coverage or lower limit of a
/// quantity that is missed: the design that misses these least.
void find_least_ratio(const OptimisationProblem& problem,
                      const SearchOptions& options, SearchResult& failed) {
  SearchOptions of_ratio = options;
  of_ratio.history = {};  // it has a different objective
  if (failed.program->combination().absent.empty() && !failed.best.x.empty())
    of_ratio.also_from.push_back(failed.best.x);
  const auto take = [&](const SearchResult& least, Infeasible infeasible) {
    DesignProgram program = DesignProgram(problem, Combination{}, options.kept)
                                .with(least.program->combination());
    LocalOptimum best;
    if (least.best.x.empty()) {
      best = failed.best;
      const auto values = program.all_values({});
      if (!values) return;
      best.f = values->f;
      best.violation = values->violation();
      set_working(program, best);
    } else {
      best = solve(program, least.best.x, {.keep_on = [] { return false; }});
      if (!best.result.exists) return;
    }
    failed.best = std::move(best);
    failed.program = std::make_shared<DesignProgram>(std::move(program));
    failed.verify_violation =
        std::max(least.verify_violation, infeasible.ratio - 1);
    failed.limits = least.limits;
    failed.bounds = least.bounds;
    failed.certificate = least.certificate;
    if (failed.certificate.kind == Certificate::Kind::proven)
      failed.certificate.reason =
          "no design has a smaller ratio: " + least.certificate.reason;
    failed.infeasible = std::move(infeasible);
  };
  const auto search_least = [&](const OptimisationProblem& other,
                                std::size_t number) {
    of_ratio.search = search_of_ratio + number;
    SearchResult least = search_with_hits(other, of_ratio);
    failed.effort += least.effort;
    failed.interrupted = failed.interrupted || least.interrupted;
    return least;
  };
  if (!problem.requirements.empty() && failed.program->n_samples() > 0) {
    const OptimisationProblem margin = problem_of_ratio(problem);
    const SearchResult least = search_least(margin, 0);
    if (least.found) {
      // the limits can be met: the search begins there
      of_ratio.search = search_of_ratio + 2;
      of_ratio.also_from = {least.best.x};
      SearchResult again = search_with_hits(problem, of_ratio);
      again.effort += failed.effort;
      failed = std::move(again);
      return;
    }
    if (least.solved) {
      auto ratio = largest_ratio(*least.program, least.best.x);
      if (ratio && ratio->ratio > 1 + design_feasible) {
        failed.verify_points = least.verify_points;
        take(least, std::move(*ratio));
      }
      return;
    }
  }
  const auto missed = missed_limit(*failed.program, failed.best.x);
  if (missed && !failed.interrupted) {
    const auto [of_limit, limit] = problem_of_least(problem, *missed);
    // if it can be met as the only limit: with the limits on columns
    OptimisationProblem with_columns = of_limit;
    with_columns.requirements = problem.requirements;
    for (const bool single : {true, false}) {
      const SearchResult least =
          search_least(single ? of_limit : with_columns, single ? 1 : 5);
      const double ratio = std::exp(least.best.f) / limit;
      if (!least.found || !(ratio > 1 + design_feasible)) continue;
      take(least, {ratio, of_limit.objective.name, std::nullopt});
      return;
    }
  }
  if (failed.interrupted) return;
  OptimisationProblem of_design = problem_of_ratio(problem);
  of_design.requirements.clear();
  of_design.means.clear();
  of_design.objective.kind = Objective::Kind::missing;
  // layers in their places come first
  OptimisationProblem of_places = of_design;
  of_places.coverages.clear();
  of_places.limits.clear();
  std::size_t number = 3;
  for (const OptimisationProblem* least_of : {&of_places, &of_design}) {
    const SearchResult least = search_least(*least_of, number++);
    if (failed.interrupted || !least.best.result.exists) return;
    if (auto most = most_missed(*least.program, least.best.x)) {
      take(least, std::move(*most));
      return;
    }
  }
}

/// The numbers and prices that an option sets.
Combination combination_of(const OptimisationProblem& problem,
                           const ChoiceOption& option) {
  Combination one;
  one.numbers = option.numbers;
  for (const auto& [name, value] : option.prices)
    for (const std::size_t l : layers_of_entry(problem.input.detector, name))
      one.prices.emplace_back(l, value);
  return one;
}

}  // namespace

std::string_view to_string(Certificate::Kind kind) {
  switch (kind) {
    case Certificate::Kind::none:
      return "none";
    case Certificate::Kind::proven:
      return "proven";
    case Certificate::Kind::bounded:
      return "bounded";
    case Certificate::Kind::best_of_starts:
      return "best of starts";
    case Certificate::Kind::local:
      return "local";
  }
  return "";
}

std::optional<MissedLimit> missed_most(const DesignProgram& program,
                                       const std::vector<double>& x) {
  std::optional<MissedLimit> most;
  DesignProgram mine = program;
  for (const LimitValue& v : mine.limits_at(x, {})) {
    using Kind = LimitValue::Kind;
    const bool is_length = v.kind != Kind::quantity && v.kind != Kind::mean;
    const double scale = is_length      ? DesignProgram::gap_unit
                         : v.limit != 0 ? std::abs(v.limit)
                                        : 1;
    const double amount =
        (v.is_lower ? v.limit - v.value : v.value - v.limit) / scale;
    if (!(amount > design_feasible) || (most && amount <= most->amount))
      continue;
    const std::string& name = v.kind == Kind::quantity
                                  ? program.problem().limits[v.index].name
                                  : v.name;
    most = MissedLimit{name, amount, is_length, v.is_lower};
  }
  return most;
}

bool is_verified(DesignProgram& program, const std::vector<double>& x,
                 unsigned threads) {
  std::vector<KnownEdges> edges(program.problem().requirements.size());
  const Look look = verify(program, x, 0, threads, false, edges);
  const double missing =
      program.missing_coverage(x, false) / DesignProgram::gap_unit;
  return std::max(look.violation, missing) <= design_feasible &&
         !missed_most(program, x);
}

std::vector<Combination> combinations_of(const OptimisationProblem& problem,
                                         bool only_options) {
  constexpr std::size_t most = most_combinations;
  std::vector<Combination> all{Combination{}};
  const auto too_many = [&](const DesignChoice& choice) {
    Diagnostics diagnostics;
    Diagnostic d = choice.place;
    d.problem = fmt::format("there are more than {} combinations", most);
    d.suggestion = "give fewer choices";
    diagnostics.add(std::move(d));
    throw InputError(std::move(diagnostics));
  };
  const Detector& detector = problem.input.detector;
  for (const DesignChoice& choice : problem.choices) {
    std::vector<Combination> next;
    if (choice.layers.empty()) {
      for (const ChoiceOption& option : choice.options) {
        const Combination own = combination_of(problem, option);
        for (const Combination& before : all) {
          Combination one = before;
          one.chosen.push_back(option.name);
          one.numbers.insert(one.numbers.end(), own.numbers.begin(),
                             own.numbers.end());
          one.prices.insert(one.prices.end(), own.prices.begin(),
                            own.prices.end());
          next.push_back(std::move(one));
          if (next.size() > most) too_many(choice);
        }
      }
    } else if (only_options) {
      for (Combination one : all) {
        one.chosen.emplace_back();
        next.push_back(std::move(one));
      }
    } else {
      const std::size_t n = choice.layers.size();
      for (std::size_t k = choice.least; k <= choice.most; ++k) {
        std::vector<char> taken(n, 0);
        std::fill(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(k),
                  char{1});
        do {
          for (const Combination& before : all) {
            Combination one = before;
            one.absent.resize(detector.layers.size(), 0);
            std::string names;
            for (std::size_t i = 0; i < n; ++i) {
              if (taken[i] != 0) {
                names += (names.empty() ? "" : ",") + choice.layers[i];
                continue;
              }
              for (const std::size_t l :
                   layers_of_entry(detector, choice.layers[i]))
                one.absent[l] = 1;
            }
            one.chosen.push_back(std::move(names));
            next.push_back(std::move(one));
            if (next.size() > most) too_many(choice);
          }
        } while (std::ranges::prev_permutation(taken).found);
      }
    }
    all = std::move(next);
  }
  return all;
}

Combination combination_of_file(std::span<const Combination> combinations) {
  Combination own;
  own.prices = std::ranges::min_element(combinations, {},
                                        [](const Combination& combination) {
                                          return combination.numbers.size();
                                        })
                   ->prices;
  return own;
}

void search_shard(const OptimisationProblem& problem,
                  const SearchOptions& options) {
  const DesignProgram base(problem, Combination{});
  const std::vector<Combination> combinations = combinations_of(problem);
  for (std::size_t k = 0; k < combinations.size(); ++k) {
    const Starts starts = starts_of(base, combinations[k], options.local);
    // other combinations of a convex problem begin at the best one before
    if (starts.is_convex && k > 0) continue;
    if (!solve_shard(starts.program, starts.n, options,
                     {options.search, k, 0, 0}, starts.bound))
      return;
  }
  options.state->is_complete = true;
}

namespace {

SearchResult search_with_hits(const OptimisationProblem& problem,
                              const SearchOptions& options) {
  SearchResult result;
  const bool has_variables = problem.space.size() > 0;
  const bool by_bounds = !has_variables && has_layer_bounds(problem);
  const std::vector<Combination> combinations =
      combinations_of(problem, by_bounds);
  // the design of the file, with all layers
  DesignProgram base(problem, Combination{}, options.kept);
  const std::vector<double> x = base.space().start_values();
  auto values = base.all_values(x);
  if (Combination file = combination_of_file(combinations);
      !file.prices.empty()) {
    DesignProgram priced = base.with(std::move(file));
    values = priced.all_values(x);
    result.effort += priced.effort();
  }
  if (values) {
    result.start_f = values->f;
    result.start_is_feasible = values->violation() <= design_feasible;
  }
  result.effort += base.effort();
  Collected all;
  // without variables, limits that are missed between the points of the grids
  // are added until the best combination meets all
  constexpr int most_looks = 12;
  for (int look = 0; look < most_looks; ++look) {
    all = {};
    if (by_bounds)
      search_layers(base, combinations, options, all, result);
    else if (!has_variables)
      search_combinations(base, combinations, options, all, result);
    else
      search_designs(base, combinations, options, all, result);
    if (!result.program)
      result.program =
          std::make_shared<DesignProgram>(base.with(combinations.front()));
    if (result.interrupted)
      take_start_if_better(base, combinations, all, result);
    if (!all.best) {
      result.certificate.reason = "no design has a value";
      return result;
    }
    result.best = std::move(*all.best);
    if (!verify_result(result, options)) break;
    base.take_samples_of(*result.program);
  }
  if (has_variables && !result.interrupted) {
    settle_combinations(base, combinations, options, all, result);
    compare_combinations(base, combinations, options, all, result);
  }
  result.certificate = certificate_of(result, all, by_bounds, options);
  if (!options.prices) return result;
  Prices prices = prices_of(*result.program, result.best,
                            result.solved && !result.interrupted);
  result.limits = std::move(prices.limits);
  result.bounds = std::move(prices.bounds);
  if (result.found || result.interrupted) return result;
  if (problem.objective.kind == Objective::Kind::margin && result.solved) {
    const auto ratio = largest_ratio(*result.program, result.best.x);
    if (ratio && ratio->ratio > 1 + design_feasible) result.infeasible = ratio;
    return result;
  }
  if (options.search >= search_of_ratio) return result;
  find_least_ratio(problem, options, result);
  // what depends on hits only is not improved
  if (!result.found && !result.infeasible && !result.interrupted) {
    const auto ratio = largest_ratio(*result.program, result.best.x);
    if (ratio && ratio->ratio > 1 + design_feasible) result.infeasible = ratio;
  }
  // no search is needed if one limit is proven to be missed
  if (!result.found && has_variables &&
      std::ranges::all_of(combinations, [&](const Combination& combination) {
        return is_beyond_best_corner(base.with(combination));
      })) {
    result.certificate.kind = Certificate::Kind::proven;
    result.certificate.reason = beyond_corner;
  }
  return result;
}

}  // namespace

SearchResult search(const OptimisationProblem& problem,
                    const SearchOptions& options) {
  SearchResult kept = search_with_hits(problem, options);
  if (kept.interrupted || !kept.program->may_lose_hits()) return kept;
  // from the best design that keeps all hits, so that none is worse than it
  SearchOptions fewer = options;
  fewer.kept = KeptHits::required;
  fewer.state = nullptr;  // made again from the design
  if (kept.found) fewer.also_from.push_back(kept.best.x);
  SearchResult result = search_with_hits(problem, fewer);
  const Effort effort = kept.effort;
  bool is_useful = result.found;
  if (result.found && kept.found)
    is_useful = result.best.f < kept.best.f - same_optimum;
  if (!result.found && !kept.found && result.infeasible && kept.infeasible)
    is_useful =
        result.infeasible->ratio < kept.infeasible->ratio * (1 - same_optimum);
  kept.effort += result.effort;
  kept.interrupted = result.interrupted;
  kept.needs_hits = !is_useful;
  if (!is_useful) return kept;
  result.effort += effort;
  return result;
}

}  // namespace gttf
