// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "gttf/core/parallel.hpp"
#include "gttf/core/random.hpp"
#include "gttf/study/optimise/layer_choice.hpp"
#include "gttf/study/optimise/placement_bound.hpp"

namespace gttf {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Two results are the same optimum if their relative difference is smaller.
constexpr double same_optimum = 1e-6;
/// Number of designs evaluated for each one that is optimised.
constexpr std::size_t screened_per_start = 16;
/// Maximum number of resolution limits in the solver, unless more are active.
constexpr std::size_t most_working = 60;
/// Designs per task of a thread.
constexpr std::size_t screened_at_once = 64;

/// For every requirement the samples closest to their limits, or furthest
/// beyond them, that are not yet in `working`.
std::vector<std::size_t> nearest_to_limits(
    const DesignProgram& program, const DesignProgram::AllValues& all,
    std::size_t of_each, bool only_beyond,
    const std::vector<std::size_t>& working) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> by;
  for (std::size_t i = 0; i < all.samples.size(); ++i) {
    const Sample& s = program.sample(i);
    if (s.file == Sample::objective && !program.has_level()) continue;
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

/// A few evenly chosen items of a list that are not yet in `working`.
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

/// One solution of the program from x, with constraint exchange.
/// @param history  receives the designs at which derivatives were computed; may
///                 be null
LocalOptimum solve(DesignProgram& program, const std::vector<double>& x,
                   std::vector<std::size_t> working = {},
                   std::vector<LookedAt>* history = nullptr) {
  constexpr int most_rounds = 30;
  LocalOptimum optimum;
  optimum.x = x;
  if (program.n_samples() <= most_working) {
    working.clear();
    for (std::size_t i = 0; i < program.n_samples(); ++i)
      if (program.sample(i).file != Sample::objective || program.has_level())
        working.push_back(i);
  } else if (working.empty()) {
    const auto all = program.all_values(x);
    if (!all) return optimum;
    working = nearest_to_limits(program, *all, 3, false, {});
  }
  for (int round = 0; round < most_rounds; ++round) {
    // samples above a quantile are ignored
    for (const std::size_t i : program.beyond_quantile(optimum.x))
      std::erase(working, i);
    VectorXd start = program.scaled(optimum.x);
    if (program.has_level())
      start[start.size() - 1] = program.level_at(optimum.x);
    NonlinearProgram nonlinear = program.program(working);
    if (history != nullptr)
      nonlinear.evaluate = [&program, history, inner = nonlinear.evaluate](
                               const VectorXd& at, bool derivatives) {
        auto values = inner(at, derivatives);
        if (values && derivatives)
          history->push_back(
              {program.natural(at), values->f, values->violation()});
        return values;
      };
    optimum.result = minimise(nonlinear, start);
    if (!optimum.result.exists) return optimum;
    const std::vector<double> there = program.natural(optimum.result.x);
    const auto all = program.all_values(there);
    if (!all) {
      // tracks not included in the solver lose hits on the way: they limit its
      // steps from now on
      const auto lost = few_of(program.samples_that_lose_hits(there), working);
      optimum.result.exists = false;
      if (lost.empty()) return optimum;
      working.insert(working.end(), lost.begin(), lost.end());
      continue;
    }
    optimum.x = there;
    optimum.violation = all->violation();
    optimum.f = all->f;
    const auto missed = nearest_to_limits(program, *all, 2, true, working);
    const auto beyond = program.beyond_quantile(optimum.x);
    const bool same = std::ranges::none_of(beyond, [&](std::size_t i) {
      return std::ranges::count(working, i) > 0;
    });
    if (missed.empty() && same) break;
    working.insert(working.end(), missed.begin(), missed.end());
  }
  optimum.working = std::move(working);
  optimum.feasible = optimum.violation <= design_feasible;
  return optimum;
}

/// A number in [0, 1).
double uniform(std::uint64_t bits) {
  constexpr double scale = 0x1p-53;
  return static_cast<double>(bits >> 11) * scale;
}

/// Random designs that keep the gaps.
class Sampler {
 public:
  explicit Sampler(const DesignProgram& program)
      : problem_(program.problem()), space_(program.space()) {
    // variables whose layers have a fixed order
    std::vector<std::size_t> variable_of(space_.design.size(), none);
    for (std::size_t v = 0; v < space_.size(); ++v)
      if (space_.variables[v].keys.size() == 1)
        for (const NumberSlope& n :
             space_.keys[space_.variables[v].keys[0]].numbers)
          if (n.slope == 1) variable_of[n.number] = v;
    for (const Gap& gap : program.gaps()) {
      const std::size_t a = variable_of[gap.inner], b = variable_of[gap.outer];
      if (a == none || b == none || a == b) continue;
      if (chains_.empty() || chains_.back().variables.back() != a)
        chains_.push_back({{a}, {}});
      chains_.back().variables.push_back(b);
      chains_.back().gaps.push_back(gap.min);
    }
  }

  std::vector<double> design(std::uint64_t index) const {
    std::vector<double> x;
    const RandomPlace place{problem_.seed, index, 0};
    for (std::size_t v = 0; v < space_.size(); ++v) {
      const auto block = random_block(place, v / 4);
      const DesignVariable& variable = space_.variables[v];
      x.push_back(variable.from +
                  uniform(block[v % 4]) * (variable.to - variable.from));
    }
    for (const Chain& chain : chains_) put_in_order(chain, x);
    return x;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Chain {
    std::vector<std::size_t> variables;
    std::vector<double> gaps;
  };

  /// Sorted values, then separated according to the gaps, within the bounds.
  void put_in_order(const Chain& chain, std::vector<double>& x) const {
    std::vector<double> values;
    for (const std::size_t v : chain.variables) values.push_back(x[v]);
    std::ranges::sort(values);
    const std::size_t n = values.size();
    const auto variable = [&](std::size_t i) -> const DesignVariable& {
      return space_.variables[chain.variables[i]];
    };
    // minimum values outwards, then maximum values inwards
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = std::clamp(values[i], variable(i).from, variable(i).to);
      if (i > 0)
        values[i] = std::max(values[i], values[i - 1] + chain.gaps[i - 1]);
    }
    for (std::size_t i = n; i-- > 0;) {
      values[i] = std::min(values[i], variable(i).to);
      if (i + 1 < n)
        values[i] = std::min(values[i], values[i + 1] - chain.gaps[i]);
    }
    for (std::size_t i = 0; i < n; ++i) x[chain.variables[i]] = values[i];
  }

  const OptimisationProblem& problem_;
  const DesignSpace& space_;
  std::vector<Chain> chains_;
};

/// The starting designs of the solver: the design of the file, then alternately
/// the best and a random one of a sample: the best may share one valley.
std::vector<std::vector<double>> start_designs(const DesignProgram& program,
                                               std::size_t n, unsigned threads,
                                               Effort& effort) {
  const std::vector<double> own = program.space().start_values();
  std::vector<std::vector<double>> starts{own};
  if (n <= 1) return starts;
  const Sampler sampler(program);
  const std::size_t screened = screened_per_start * n;
  struct Rated {
    double rating;
    std::size_t index;
  };
  struct Block {
    std::vector<Rated> rated;
    Effort effort;
  };
  std::vector<Rated> all;
  parallel_in_order(
      (screened + screened_at_once - 1) / screened_at_once,
      thread_count(threads),
      [&](std::size_t block) {
        DesignProgram mine = program;
        const Effort before = mine.effort();
        Block result;
        const std::size_t end =
            std::min(screened, (block + 1) * screened_at_once);
        for (std::size_t i = block * screened_at_once; i < end; ++i) {
          const auto values = mine.all_values(sampler.design(i));
          if (!values) continue;
          double sum = std::max(0.0, values->others);
          for (const double s : values->samples) sum += std::max(0.0, s);
          constexpr double price = 10;  // of a violated limit, in ln
          result.rated.push_back({values->f + price * sum, i});
        }
        result.effort = mine.effort();
        result.effort.covariances -= before.covariances;
        result.effort.designs -= before.designs;
        return result;
      },
      [&](Block block) {
        all.insert(all.end(), block.rated.begin(), block.rated.end());
        effort += block.effort;
      });
  std::ranges::stable_sort(all, {}, &Rated::rating);
  for (std::size_t i = 0; i < all.size() && starts.size() < n; ++i) {
    starts.push_back(sampler.design(all[i].index));
    if (starts.size() < n) starts.push_back(sampler.design(screened + i));
  }
  return starts;
}

bool is_solved(const LocalOptimum& o) {
  return o.feasible && o.result.residual < program_stationary;
}

/// Adds all limits to the results of a design without variables.
void set_working(DesignProgram& program, LocalOptimum& o) {
  o.working.clear();
  for (std::size_t i = 0; i < program.n_samples(); ++i)
    if (program.sample(i).file != Sample::objective) o.working.push_back(i);
  o.result.multipliers = VectorXd::Zero(
      static_cast<Index>(program.limits_at({}, o.working).size()));
}

bool is_better(const LocalOptimum& a, const LocalOptimum& b) {
  if (a.feasible != b.feasible) return a.feasible;
  return a.feasible ? a.f < b.f - objective_rounding
                    : a.violation < b.violation;
}

/// Results of all starts of one combination.
struct Found {
  std::optional<LocalOptimum> best;
  std::vector<double> optima;      ///< f of each start that met the limits
  std::vector<LocalOptimum> ends;  ///< of each start that has values
  std::size_t starts = 0;
  bool interrupted = false;
  Effort effort;
};

/// Solutions from some designs, the best of them first in `best`.
/// @param shown  number of starts for progress; 0: only interruption
void solve_from(const DesignProgram& program,
                const std::vector<std::vector<double>>& starts,
                const SearchOptions& options, std::size_t shown, Found& found) {
  struct One {
    LocalOptimum optimum;
    std::vector<LookedAt> history;
    Effort effort;
  };
  std::size_t done = 0;
  std::atomic<bool> stopped = false;
  parallel_in_order(
      starts.size(), thread_count(options.threads),
      [&](std::size_t i) {
        One one;
        if (stopped) return one;
        DesignProgram mine = program;
        const Effort before = mine.effort();
        one.optimum = solve(mine, starts[i], {},
                            options.history ? &one.history : nullptr);
        one.effort = mine.effort();
        one.effort.covariances -= before.covariances;
        one.effort.gradients -= before.gradients;
        one.effort.designs -= before.designs;
        return one;
      },
      [&](One one) {
        found.effort += one.effort;
        if (options.history) options.history(program, one.history);
        LocalOptimum& o = one.optimum;
        if (o.result.exists) {
          if (o.feasible) found.optima.push_back(o.f);
          if (!found.best || is_better(o, *found.best)) found.best = o;
          found.ends.push_back(std::move(o));
        }
        ++done;
        if (options.progress &&
            !options.progress(shown == 0 ? 0 : done, starts.size()))
          found.interrupted = stopped = true;
      });
}

/// Problems with more samples are first solved with some of them.
constexpr std::size_t most_samples_of_starts = 256;
constexpr std::size_t coarse_samples = 32;
/// Different optima of the coarse problem that are solved with all samples.
constexpr std::size_t most_polished = 4;

Found solve_from_starts(
    const DesignProgram& program, std::size_t n, const SearchOptions& options,
    const std::optional<PlacementBound>& bound = std::nullopt) {
  Found found;
  const bool is_large = n > 1 && program.n_samples() > most_samples_of_starts;
  const DesignProgram coarse =
      is_large ? program.coarse(coarse_samples) : program;
  auto starts = start_designs(coarse, n, options.threads, found.effort);
  if (bound && starts.size() > 1) starts[1] = bound->x;
  starts.insert(starts.end(), options.also_from.begin(),
                options.also_from.end());
  found.starts = starts.size();
  solve_from(coarse, starts, options, starts.size(), found);
  if (!is_large || found.interrupted) return found;
  // the best of each optimum, and the design of the file
  std::ranges::stable_sort(
      found.ends, [](const auto& a, const auto& b) { return is_better(a, b); });
  std::vector<std::vector<double>> polished;
  std::vector<double> seen;
  for (const LocalOptimum& o : found.ends) {
    if (polished.size() == most_polished) break;
    const double merit = o.feasible ? o.f : o.violation;
    if (std::ranges::any_of(seen, [&](double f) {
          return std::abs(f - merit) <= same_optimum;
        }))
      continue;
    seen.push_back(merit);
    polished.push_back(o.x);
  }
  const std::vector<double> of_coarse = std::move(found.optima);
  polished.push_back(starts.front());
  polished.insert(polished.end(), options.also_from.begin(),
                  options.also_from.end());
  found.best.reset();
  found.optima.clear();
  found.ends.clear();
  solve_from(program, polished, options, 0, found);
  // starts that ended at the best result are counted as having reached it
  if (found.best && found.best->feasible && !of_coarse.empty()) {
    const double lowest = *std::ranges::min_element(of_coarse);
    found.optima.clear();
    for (const double f : of_coarse)
      found.optima.push_back(found.best->f + std::max(0.0, f - lowest));
  }
  return found;
}

/// Groups results that belong to one optimum.
std::vector<double> different(std::vector<double> list) {
  std::ranges::sort(list);
  std::vector<double> result;
  for (const double f : list)
    if (result.empty() || f > result.back() + same_optimum) result.push_back(f);
  return result;
}

/// Adds points of the finer grids beyond their limits as samples.
/// @return the number of points evaluated, and the largest violation
struct Look {
  std::size_t points = 0;
  double violation = 0;
  std::vector<std::size_t> added;
};
Look verify(DesignProgram& program, const std::vector<double>& x,
            unsigned threads, bool add) {
  Look look;
  const OptimisationProblem& problem = program.problem();
  const Detector detector = program.detector_at(x);
  for (std::size_t f = 0; f < problem.requirements.size(); ++f) {
    const RequirementFile finer =
        refined(problem.requirements[f], problem.refine);
    const CheckOutcome outcome =
        check(finer, std::span(&detector, 1), Engine::streaming, threads);
    for (const CheckResult& result : outcome.results) {
      const Criterion& criterion = finer.criteria[result.criterion];
      const StudyRequest grid = grid_of(finer, result);
      std::vector<std::pair<double, std::size_t>> beyond;
      for (std::size_t i = 0; i < result.points.size(); ++i) {
        const CheckedPoint& point = result.points[i];
        ++look.points;
        // without a margin the value does not exist
        const double miss = std::isnan(point.margin)
                                ? (point.passed ? 0.0 : 1.0)
                                : -point.margin;
        look.violation = std::max(look.violation, miss);
        if (miss > design_feasible &&
            criterion.quantity.kind == CheckedQuantity::Kind::number &&
            !std::isnan(point.value))
          beyond.emplace_back(-miss, i);
      }
      if (!add) continue;
      std::ranges::sort(beyond);
      constexpr std::size_t most_at_once = 4;
      for (std::size_t k = 0; k < std::min(most_at_once, beyond.size()); ++k) {
        const CheckedPoint& point = result.points[beyond[k].second];
        Sample sample;
        sample.file = f;
        sample.criterion = result.criterion;
        if (point.value > point.upper)
          sample.upper = point.upper;
        else
          sample.lower = point.lower;
        look.added.push_back(
            program.add_sample(sample, grid, grid_track(grid, point.point)));
      }
    }
  }
  return look;
}

/// The active limits and bounds.
std::vector<bool> holding(const ProgramResult& r) {
  std::vector<bool> list;
  for (const VectorXd* multipliers : {&r.multipliers, &r.at_lower, &r.at_upper})
    for (Index i = 0; i < multipliers->size(); ++i)
      list.push_back((*multipliers)[i] > 1e-9);
  return list;
}

/// Factors by which a limit can change while the active set stays the same.
std::pair<double, double> range_of_price(const DesignProgram& program,
                                         const LocalOptimum& best,
                                         const LimitValue& limit) {
  constexpr std::array steps{0.001, 0.003, 0.01, 0.02, 0.05, 0.1};
  const auto farthest = [&](double sign) {
    double factor = 1;
    std::vector<double> x = best.x;
    for (const double step : steps) {
      DesignProgram moved = program;
      moved.scale_limit(limit, 1 + sign * step);
      const LocalOptimum there = solve(moved, x, best.working);
      if (!there.feasible || there.working != best.working ||
          holding(there.result) != holding(best.result))
        break;
      factor = 1 + sign * step;
      x = there.x;
    }
    return factor;
  };
  return {farthest(-1), farthest(1)};
}

/// Whether a minimised resolution, or one with an active limit, depends on the
/// variable: has derivatives above `nothing`.
bool is_asked_for(const DesignProgram& program, const LocalOptimum& best,
                  Index variable, double nothing) {
  const ProgramValues& v = best.result.values;
  const Objective& objective = program.problem().objective;
  if (objective.kind != Objective::Kind::quantity && !program.has_level() &&
      std::abs(v.gradient[variable]) > nothing)
    return true;
  const Index first = v.limits.size() - static_cast<Index>(best.working.size());
  for (Index i = first; i < v.limits.size(); ++i)
    if (best.result.multipliers[i] > 0 &&
        std::abs(v.jacobian(i, variable)) > nothing)
      return true;
  return false;
}

/// Multipliers in physical terms.
void price(const DesignProgram& program, SearchResult& result) {
  const OptimisationProblem& problem = program.problem();
  DesignProgram mine = program;
  const LocalOptimum& best = result.best;
  const std::vector<LimitValue> values = mine.limits_at(best.x, best.working);
  const double objective = program.in_unit(best.f);
  const std::string unit = objective_unit(problem).name;
  const auto priced = [&](const std::string& per) {
    const std::string of = unit.empty() ? "1" : unit;
    return per == "1" ? of : of + '/' + per;
  };
  // a mean of logarithms changes absolutely, not relatively
  const double scale = problem.objective.logarithmic ? 1 : objective;
  constexpr double gap_unit = DesignProgram::gap_unit;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LimitValue& v = values[i];
    LimitPrice p;
    const double multiplier = best.result.multipliers[static_cast<Index>(i)];
    p.multiplier = multiplier;
    const bool is_length = v.kind != LimitValue::Kind::quantity &&
                           v.kind != LimitValue::Kind::sample;
    if (multiplier > 0 && !is_length && result.found) {
      const auto [low, high] = range_of_price(program, best, v);
      p.price_range = {low, high};
    }
    switch (v.kind) {
      case LimitValue::Kind::gap:
      case LimitValue::Kind::envelope:
      case LimitValue::Kind::coverage: {
        p.name = v.name;
        p.value = v.value;
        p.limit = v.limit;
        p.unit = "mm";
        p.multiplier = multiplier / gap_unit;
        p.price = p.multiplier * scale;
        p.price_unit = priced("mm");
        p.active = std::abs(v.value - v.limit) < 1e-7 * gap_unit;
        // of many edges and steps only the active ones are listed
        if (v.kind != LimitValue::Kind::gap && !p.active) continue;
        break;
      }
      case LimitValue::Kind::quantity: {
        const QuantityLimit& limit = problem.limits[v.index];
        p.name = limit.name;
        p.unit = limit.unit;
        p.value = v.value / limit.unit_value;
        p.limit = v.limit / limit.unit_value;
        p.price = p.limit != 0 ? multiplier * scale / p.limit : 0;
        p.price_unit = priced(limit.unit.empty() ? "1" : limit.unit);
        p.active = std::abs(v.value - v.limit) <= 1e-7 * std::abs(v.limit);
        break;
      }
      case LimitValue::Kind::sample: {
        const Sample& s = program.sample(v.index);
        if (s.file == Sample::objective || std::isinf(s.upper)) continue;
        const Criterion& c = problem.requirements[s.file].criteria[s.criterion];
        const CheckedQuantity& q = c.quantity;
        const Track& track = program.group(s.group).tracks[s.track];
        p.active = std::abs(v.value - v.limit) <=
                   1e-7 * std::max(std::abs(v.limit), 1e-30);
        // of a grid only the active ones are listed
        if (c.points.size() > 1) {
          if (!p.active) continue;
          p.name = fmt::format("{} at p = {:.6g} GeV, theta = {:.6g} deg",
                               c.name, track.p, in_degrees(track.theta));
        } else {
          p.name = c.name;
        }
        p.value = v.value / q.unit;
        p.limit = v.limit / q.unit;
        p.unit = q.unit == 1 ? "1" : q.symbol;
        const double shown = v.limit / q.shown_unit;
        p.price = shown != 0 ? multiplier * scale / shown : 0;
        p.price_unit = priced(q.symbol.empty() ? "1" : q.symbol);
        break;
      }
    }
    if (p.price_range) {
      p.price_range->first *= p.limit;
      p.price_range->second *= p.limit;
    }
    result.limits.push_back(std::move(p));
  }
  const DesignSpace& space = program.space();
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& v = space.variables[i];
    const auto k = static_cast<Index>(i);
    const double span = v.to - v.from;
    const double per =
        v.unit.empty() || v.is_factor ||
                space.keys[v.keys[0]].dimension == Dimension::length
            ? 1
            : v.unit_value;
    BoundPrice bound;
    bound.at_lower = best.x[i] - v.from <= 1e-7 * span;
    bound.at_upper = v.to - best.x[i] <= 1e-7 * span;
    bound.multiplier =
        (best.result.at_lower[k] + best.result.at_upper[k]) / span * per;
    const std::string in = v.unit.empty() || v.is_factor ? "1" : v.unit;
    bound.price = bound.multiplier * scale * (v.unit_value / per);
    bound.price_unit = priced(in);
    // inside its range a variable is at a point where derivatives vanish
    const double nothing = bound.at_lower || bound.at_upper ? 1e-9 : 0;
    bound.asked_for = is_asked_for(program, best, k, nothing);
    result.bounds.push_back(std::move(bound));
  }
}

/// For limits that no design meets: the minimum of the largest ratio to them,
/// with quantities and gaps met.
Infeasible least_ratio(const OptimisationProblem& problem,
                       const SearchResult& failed,
                       const SearchOptions& options) {
  OptimisationProblem margin = problem;
  margin.objective.kind = Objective::Kind::margin;
  margin.objective.logarithmic = false;
  const DesignProgram program(margin, failed.program->combination());
  constexpr std::size_t most_starts = 32;
  SearchOptions of_ratio = options;
  of_ratio.history = {};  // it has a different objective
  const Found found = solve_from_starts(
      program, options.local ? 1 : std::min(problem.starts, most_starts),
      of_ratio);
  Infeasible result;
  std::vector<double> x = failed.best.x;
  if (found.best) x = found.best->x;
  DesignProgram mine = program;
  const auto all = mine.all_values(x);
  if (!all || all->samples.empty()) return result;
  result.ratio = std::exp(all->f);
  const auto worst =
      std::ranges::max_element(all->samples) - all->samples.begin();
  const Sample& sample = mine.sample(static_cast<std::size_t>(worst));
  result.requirement =
      problem.requirements[sample.file].criteria[sample.criterion].name;
  result.track = mine.group(sample.group).tracks[sample.track];
  return result;
}

/// Whether limits are violated even with the best hits and the thinnest layers,
/// so that no design meets them.
bool is_beyond_best_corner(DesignProgram program) {
  const DesignSpace& space = program.space();
  if (!space.followers.empty()) return false;
  std::vector<double> x;
  for (const DesignVariable& v : space.variables) {
    for (const std::size_t k : v.keys)
      for (const NumberSlope& n : space.keys[k].numbers) {
        const DesignNumber::Kind kind = space.design[n.number].kind;
        if (n.slope < 0 || (kind != DesignNumber::Kind::sigma &&
                            kind != DesignNumber::Kind::x_over_x0 &&
                            kind != DesignNumber::Kind::thickness))
          return false;
      }
    x.push_back(v.from);
  }
  const auto all = program.all_values(x);
  if (!all) return false;
  for (std::size_t i = 0; i < all->samples.size(); ++i)
    if (program.sample(i).parameter && !std::isnan(program.sample(i).upper) &&
        program.sample(i).file != Sample::objective &&
        all->samples[i] > design_feasible)
      return true;
  return false;
}

/// Whether the problem is convex in the information 1/sigma^2 of the hits, so
/// that there is one optimum.
bool is_convex(const DesignProgram& program) {
  const DesignSpace& space = program.space();
  const OptimisationProblem& problem = program.problem();
  if (!space.followers.empty() || space.size() == 0) return false;
  for (const DesignVariable& v : space.variables)
    for (const std::size_t k : v.keys)
      for (const NumberSlope& n : space.keys[k].numbers)
        if (space.design[n.number].kind != DesignNumber::Kind::sigma ||
            // through zero: a factor, or one value for all
            std::abs(space.start[n.number] - n.slope * space.keys[k].start) >
                1e-9 * std::abs(space.start[n.number]))
          return false;
  using Kind = Objective::Kind;
  const Objective& o = problem.objective;
  if (o.kind == Kind::mean || o.kind == Kind::quantile) return false;
  for (std::size_t i = 0; i < program.n_samples(); ++i) {
    const Sample& s = program.sample(i);
    if (!s.parameter || std::isnan(s.upper)) return false;
  }
  // sums proportional to 1/x^2 of every variable, and nothing else
  std::vector<std::size_t> sums;
  if (o.kind == Kind::quantity) sums.push_back(o.quantity);
  for (const QuantityLimit& limit : problem.limits) {
    if (limit.min) return false;
    sums.push_back(limit.quantity);
  }
  const auto value = [&](std::size_t q, const std::vector<double>& x) {
    const auto numbers = space.numbers<double>(std::span<const double>(x));
    double sum = 0;
    for (const DesignQuantity::Term& term : problem.quantities[q].terms)
      sum += space.value<double>(term.formula, term.inputs, numbers);
    return sum;
  };
  const auto at_information = [&](const std::vector<double>& u) {
    std::vector<double> x;
    for (const double information : u) x.push_back(1 / std::sqrt(information));
    return x;
  };
  const Sampler sampler(program);
  for (const std::size_t q : sums)
    for (std::uint64_t i = 0; i < 8; ++i) {
      std::vector<double> a, b, middle;
      for (const double x : sampler.design(2 * i)) a.push_back(1 / (x * x));
      for (const double x : sampler.design(2 * i + 1)) b.push_back(1 / (x * x));
      for (std::size_t k = 0; k < a.size(); ++k)
        middle.push_back(0.5 * (a[k] + b[k]));
      const double ends =
          0.5 * (value(q, at_information(a)) + value(q, at_information(b)));
      if (std::abs(value(q, at_information(middle)) - ends) >
          1e-10 * std::abs(ends))
        return false;
    }
  return true;
}

}  // namespace

std::string_view to_string(Certificate::Kind kind) {
  switch (kind) {
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

std::vector<Combination> combinations_of(const OptimisationProblem& problem,
                                         bool only_options) {
  constexpr std::size_t most = 2000000;
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
        std::vector<std::string> overrides = problem.input.overrides;
        overrides.insert(overrides.end(), option.overrides.begin(),
                         option.overrides.end());
        const DesignNumbers changed(
            parse_detector(problem.input.text, detector.file, overrides)
                .detector);
        if (!changed.is_alike(problem.space.design)) {
          Diagnostics diagnostics;
          Diagnostic d = choice.place;
          d.problem = fmt::format("{} changes more than numbers", option.name);
          d.suggestion =
              "give the layers all slabs and coordinates in the description";
          diagnostics.add(std::move(d));
          throw InputError(std::move(diagnostics));
        }
        for (const Combination& before : all) {
          Combination one = before;
          one.chosen.push_back(option.name);
          for (std::size_t i = 0; i < changed.size(); ++i)
            if (changed.value(i) != problem.space.start[i])
              one.numbers.emplace_back(i, changed.value(i));
          for (const auto& [name, value] : option.prices)
            for (const std::size_t l : layers_of_entry(detector, name))
              one.prices.emplace_back(l, value);
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

SearchResult search(const OptimisationProblem& problem,
                    const SearchOptions& options) {
  SearchResult result;
  const bool has_variables = problem.space.size() > 0;
  const bool by_bounds = !has_variables && has_layer_bounds(problem);
  const std::vector<Combination> combinations =
      combinations_of(problem, by_bounds);
  // the design of the file, with all layers
  {
    DesignProgram start(problem, Combination{});
    const auto all = start.all_values(start.space().start_values());
    if (all) {
      result.start_f = all->f;
      result.start_is_feasible = all->violation() <= design_feasible;
    }
    result.effort += start.effort();
  }

  std::vector<double> optima;
  std::size_t starts = 0;
  bool convex = true, has_bound = has_variables;
  double lowest = std::numeric_limits<double>::infinity();
  std::optional<LocalOptimum> best;
  double n_combinations = static_cast<double>(combinations.size());
  if (by_bounds) {
    n_combinations = 0;
    const auto keep_on = [&] {
      return !options.progress || options.progress(0, 1);
    };
    std::optional<LayerChoiceResult> chosen;
    for (const Combination& combination : combinations) {
      DesignProgram program(problem, combination);
      auto found = best_layers(program, keep_on);
      result.effort += program.effort();
      ++starts;
      if (!found) continue;
      n_combinations += found->combinations;
      result.interrupted = result.interrupted || found->interrupted;
      LocalOptimum o;
      o.f = found->values.f;
      o.violation = found->values.violation();
      o.feasible = o.violation <= design_feasible;
      o.result.exists = true;
      if (best && !is_better(o, *best)) continue;
      best = std::move(o);
      chosen = std::move(found);
    }
    result.program = std::make_shared<DesignProgram>(
        problem, chosen ? chosen->combination : combinations.front());
    if (best) set_working(*result.program, *best);
  } else if (!has_variables) {
    struct Looked {
      std::optional<DesignProgram::AllValues> all;
      Effort effort;
    };
    constexpr std::size_t at_once = 32;
    std::size_t at = 0, best_at = 0;
    parallel_in_order((combinations.size() + at_once - 1) / at_once,
                      thread_count(options.threads),
                      [&](std::size_t block) {
                        std::vector<Looked> values;
                        const std::size_t end = std::min(combinations.size(),
                                                         (block + 1) * at_once);
                        for (std::size_t i = block * at_once; i < end; ++i) {
                          DesignProgram program(problem, combinations[i]);
                          Looked value;
                          value.all = program.all_values({});
                          value.effort = program.effort();
                          values.push_back(std::move(value));
                        }
                        return values;
                      },
                      [&](const std::vector<Looked>& values) {
                        for (const Looked& value : values) {
                          result.effort += value.effort;
                          const std::size_t index = at++;
                          if (!value.all) continue;
                          LocalOptimum o;
                          o.f = value.all->f;
                          o.violation = value.all->violation();
                          o.feasible = o.violation <= design_feasible;
                          o.result.exists = true;
                          if (o.feasible) optima.push_back(o.f);
                          if (best && !is_better(o, *best)) continue;
                          best = std::move(o);
                          best_at = index;
                        }
                      });
    starts = combinations.size();
    result.program =
        std::make_shared<DesignProgram>(problem, combinations[best_at]);
    if (best) set_working(*result.program, *best);
  } else {
    const DesignProgram base(problem, Combination{});
    for (const Combination& combination : combinations) {
      auto program = std::make_shared<DesignProgram>(base.with(combination));
      const bool one_optimum = is_convex(*program);
      Found found;
      if (one_optimum && best && !options.local) {
        // from the best result of another combination, and its working set
        DesignProgram mine = *program;
        LocalOptimum o = solve(mine, best->x, best->working);
        found.effort = mine.effort();
        found.starts = 1;
        if (is_solved(o)) {
          found.optima = {o.f};
          found.best = std::move(o);
        }
        if (options.progress && !options.progress(0, combinations.size()))
          found.interrupted = true;
      }
      if (!found.best) {
        const std::size_t n = options.local ? 1
                              : one_optimum
                                  ? std::min<std::size_t>(problem.starts, 2)
                                  : problem.starts;
        const auto bound =
            options.local
                ? std::nullopt
                : bound_placement(*program, program->space().start_values());
        const Effort before = found.effort;
        found = solve_from_starts(*program, n, options, bound);
        found.effort += before;
        if (bound) lowest = std::min(lowest, std::log(bound->sigma));
        has_bound = has_bound && bound.has_value();
      }
      convex = convex && one_optimum &&
               ((found.best && is_solved(*found.best)) ||
                is_beyond_best_corner(*program));
      result.effort += found.effort;
      starts += found.starts;
      optima.insert(optima.end(), found.optima.begin(), found.optima.end());
      if (found.best && (!best || is_better(*found.best, *best))) {
        best = std::move(found.best);
        result.program = program;
      }
      if (found.interrupted) {
        result.interrupted = true;
        break;
      }
    }
  }
  if (!best || !result.program) {
    if (!result.program)
      result.program =
          std::make_shared<DesignProgram>(problem, combinations.front());
    return result;
  }
  result.best = std::move(*best);
  result.found = result.best.feasible;

  // grids with violated limits between their points
  DesignProgram& program = *result.program;
  constexpr int most_looks = 12;
  for (int round = 0; round < most_looks; ++round) {
    const bool last = round + 1 == most_looks || !has_variables;
    const Look look =
        verify(program, result.best.x, options.threads, result.found && !last);
    result.verify_points = look.points;
    result.verify_violation = look.violation;
    const double missing =
        program.missing_coverage(result.best.x, result.found && !last);
    constexpr double of_coverage = 100;  // mm, as in the program
    result.verify_violation =
        std::max(result.verify_violation, missing / of_coverage);
    if (look.added.empty() &&
        !(missing > design_feasible * of_coverage && result.found && !last))
      break;
    std::vector<std::size_t> working = result.best.working;
    working.insert(working.end(), look.added.begin(), look.added.end());
    LocalOptimum again = solve(program, result.best.x, std::move(working));
    if (!again.result.exists) break;
    result.best = std::move(again);
    result.found = result.best.feasible;
  }
  result.found = result.found && result.verify_violation <= design_feasible;
  result.effort += program.effort();

  Certificate& c = result.certificate;
  c.starts = starts;
  // values of combinations are not optima
  if (!has_variables && result.found) optima = {result.best.f};
  c.optima = different(optima);
  for (const double f : optima)
    c.reached += f < c.optima.front() + same_optimum;
  c.residual = result.best.result.residual;
  if (!has_variables && !result.interrupted) {
    c.kind = Certificate::Kind::proven;
    c.reason = by_bounds
                   ? fmt::format(
                         "of {:.0f} combinations, those that were not looked "
                         "at cannot be better",
                         n_combinations)
                   : fmt::format("all {:.0f} combinations were looked at",
                                 n_combinations);
  } else if (convex && result.found && c.residual < program_stationary) {
    c.kind = Certificate::Kind::proven;
    c.reason =
        "variances are convex in the information of the hits: there is one "
        "optimum";
  } else if (options.local) {
    c.kind = Certificate::Kind::local;
  } else if (has_bound && result.found && lowest <= result.best.f) {
    c.kind = Certificate::Kind::bounded;
    c.gap = std::expm1(result.best.f - lowest);
    c.reason = "hits of any weight on a lattice";
  } else {
    c.kind = Certificate::Kind::best_of_starts;
  }
  if (options.prices) price(program, result);
  if (!result.found && options.prices && !result.interrupted && has_variables &&
      program.n_samples() > 0 && !problem.requirements.empty()) {
    result.infeasible = least_ratio(problem, result, options);
    const bool proven =
        std::ranges::all_of(combinations, [&](const Combination& combination) {
          return is_beyond_best_corner(DesignProgram(problem, combination));
        });
    if (proven) {
      c.kind = Certificate::Kind::proven;
      c.reason =
          "limits are missed even with the best hits and the least material";
    }
  }
  return result;
}

}  // namespace gttf
