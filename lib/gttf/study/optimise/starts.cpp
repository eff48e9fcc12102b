// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/starts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "gttf/core/parallel.hpp"
#include "gttf/study/optimise/design_sampler.hpp"
#include "gttf/study/optimise/unseen_optima.hpp"

namespace gttf {
namespace {

/// Designs looked at for each one that is polished.
constexpr std::size_t screened_per_start = 16;
/// Designs that a thread takes at once.
constexpr std::size_t screened_at_once = 64;
/// Problems with more samples are first solved with some of them.
constexpr std::size_t most_samples_of_starts = 256;
constexpr std::size_t coarse_samples = 32;
/// Different optima of the coarse problem that are solved with all samples.
constexpr std::size_t most_polished = 4;

/// The designs from which the solver starts: the file's own, then in turn the
/// best of a sample and any of it, since the best may all lie in one valley.
std::vector<std::vector<double>> start_designs(const DesignProgram& program,
                                               std::size_t n,
                                               const SearchOptions& options,
                                               Effort& effort) {
  std::vector<std::vector<double>> starts{program.space().start_values()};
  if (n <= 1) return starts;
  const DesignSampler sampler(program);
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
      thread_count(options.threads),
      [&](std::size_t block) {
        Block result;
        if (options.is_stopped()) return result;
        DesignProgram mine = program;
        const Effort before = mine.effort();
        const std::size_t end =
            std::min(screened, (block + 1) * screened_at_once);
        for (std::size_t i = block * screened_at_once; i < end; ++i) {
          const auto values = mine.all_values(sampler.design(i));
          if (!values) continue;
          double sum = std::max(0.0, values->others);
          for (const double s : values->samples) sum += std::max(0.0, s);
          constexpr double price = 10;  // of a limit missed, in ln
          result.rated.push_back({values->f + price * sum, i});
        }
        result.effort = mine.effort() - before;
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

/// The problem that is solved from all starts, and these.
struct Plan {
  bool is_large = false;  ///< `program` has some of the samples only
  DesignProgram program;
  std::vector<std::vector<double>> starts;
  Effort effort;
};

Plan plan_starts(const DesignProgram& program, std::size_t n,
                 const SearchOptions& options,
                 const std::optional<PlacementBound>& bound) {
  const bool is_large = n > 1 && program.n_samples() > most_samples_of_starts;
  Plan plan{
      is_large, is_large ? program.coarse(coarse_samples) : program, {}, {}};
  plan.starts = start_designs(plan.program, n, options, plan.effort);
  if (bound && plan.starts.size() > 1) plan.starts[1] = bound->x;
  plan.starts.insert(plan.starts.begin() + 1, options.also_from.begin(),
                     options.also_from.end());
  return plan;
}

StartRecord record_of(const LocalOptimum& o, const Effort& effort) {
  StartRecord record;
  record.effort = effort;
  record.exists = o.result.exists;
  if (!record.exists) return record;
  record.f = o.f;
  record.violation = o.violation;
  record.x.assign(o.result.x.begin(), o.result.x.end());
  record.working = o.working;
  return record;
}

/// The result of a start as it was when its record was made.
LocalOptimum restored(DesignProgram& program, const StartRecord& record) {
  LocalOptimum o;
  if (!record.exists) return o;
  const NonlinearProgram nonlinear = program.program(record.working);
  const auto n = static_cast<Eigen::Index>(record.x.size());
  if (n != nonlinear.lower.size() ||
      std::ranges::any_of(record.working,
                          [&](std::size_t i) { return !program.is_known(i); }))
    return o;
  o.result.x = Eigen::Map<const Eigen::VectorXd>(record.x.data(), n);
  auto values = nonlinear.evaluate(o.result.x, true);
  if (!values) return o;
  o.result.exists = true;
  o.result.values = std::move(*values);
  judge(nonlinear, o.result);
  o.f = record.f;
  o.violation = record.violation;
  o.feasible = o.violation <= design_feasible;
  o.x = program.natural(o.result.x);
  o.working = record.working;
  return o;
}

/// Which starts are solved: all, or those of one shard.
using IsChosen = std::function<bool(std::size_t start)>;

/// Solutions from some designs, the best of them first in `best`.
/// @param shown    starts that progress tells about; 0: none, and a search that
///                 is stopped still solves from the first one
/// @param sampled  the first start that belongs to a sample: from there on, the
///                 search ends when more are unlikely to find anything else;
///                 never if there is none
void solve_from(const DesignProgram& program,
                const std::vector<std::vector<double>>& starts,
                const SearchOptions& options, const StartPlace& place,
                std::size_t shown, const IsChosen& is_chosen,
                std::size_t sampled, Found& found) {
  struct One {
    LocalOptimum optimum;
    std::vector<LookedAt> history;
    Effort effort;
    std::size_t start = 0;
    bool is_known = false, is_stopped = false;
  };
  std::size_t n_sampled = 0;            // those of a sample that met limits
  std::atomic<bool> is_enough = false;  // spares what will not count
  const auto place_of = [&](std::size_t start) {
    StartPlace p = place;
    p.start = start;
    return p;
  };
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (is_chosen(i)) chosen.push_back(i);
  // looked up before: threads add to the state
  std::vector<const StartRecord*> known(starts.size(), nullptr);
  if (options.state != nullptr)
    for (const std::size_t i : chosen) {
      const auto record = options.state->starts.find(place_of(i));
      if (record != options.state->starts.end()) known[i] = &record->second;
    }
  std::size_t done = 0;
  parallel_in_order(
      chosen.size(), thread_count(options.threads),
      [&](std::size_t k) {
        One one;
        one.start = chosen[k];
        if (is_enough) return one;
        DesignProgram mine = program;
        if (known[one.start] != nullptr) {
          one.is_known = true;
          one.optimum = restored(mine, *known[one.start]);
          one.effort = known[one.start]->effort;
          return one;
        }
        // a search that is stopped has the solution of its first start at least
        if (k > 0 && options.is_stopped()) {
          one.is_stopped = true;
          return one;
        }
        const Effort before = mine.effort();
        SolveOptions how;
        if (options.history) how.history = &one.history;
        const bool to_its_end = k == 0 && shown == 0;
        if (!to_its_end)
          how.keep_on = [&] {
            one.is_stopped = one.is_stopped || options.is_stopped();
            return !one.is_stopped;
          };
        one.optimum = solve(mine, starts[one.start], how);
        one.effort = mine.effort() - before;
        return one;
      },
      [&](One one) {
        if (found.is_enough) return;
        found.effort += one.effort;
        if (options.history) options.history(program, one.history);
        LocalOptimum& o = one.optimum;
        // starts of a later stage are others if one before was interrupted
        if (options.state != nullptr && !one.is_known && !one.is_stopped &&
            !found.interrupted) {
          options.state->starts.emplace(place_of(one.start),
                                        record_of(o, one.effort));
          if (options.added) options.added(*options.state);
        }
        if (o.result.exists) {
          if (o.feasible) {
            found.optima.push_back(o.f);
            if (one.start >= sampled) ++n_sampled;
          }
          if (!found.best || is_better(o, *found.best)) found.best = o;
          found.ends.push_back(std::move(o));
        }
        ++done;
        if (shown > 0 && !one.is_stopped) ++found.starts;
        found.interrupted = found.interrupted || one.is_stopped;
        // in the order of starts: the same for any number of threads
        if (n_sampled > 0 &&
            are_all_seen(n_sampled, different_optima(found.optima).size()))
          is_enough = found.is_enough = true;
        if (options.progress && shown > 0) options.progress(done, shown);
      });
}

}  // namespace

std::vector<double> different_optima(std::vector<double> list) {
  std::ranges::sort(list);
  std::vector<double> result;
  for (const double f : list)
    if (result.empty() || f > result.back() + same_optimum) result.push_back(f);
  return result;
}

bool solve_shard(const DesignProgram& program, std::size_t n,
                 const SearchOptions& options, const StartPlace& place,
                 const std::optional<PlacementBound>& bound) {
  const Plan plan = plan_starts(program, n, options, bound);
  const Shard& shard = options.state->shard;
  Found found;
  solve_from(
      plan.program, plan.starts, options, place,
      (plan.starts.size() + shard.count - shard.index) / shard.count,
      [&shard](std::size_t i) { return i % shard.count == shard.index - 1; },
      plan.starts.size(), found);
  return !found.interrupted;
}

Found solve_from_starts(const DesignProgram& program, std::size_t n,
                        const SearchOptions& options, const StartPlace& place,
                        const std::optional<PlacementBound>& bound) {
  Found found;
  const auto all = [](std::size_t) { return true; };
  const Plan plan = plan_starts(program, n, options, bound);
  found.effort = plan.effort;
  const std::size_t sampled = program.problem().solves_all_starts
                                  ? plan.starts.size()
                                  : 1 + options.also_from.size();
  solve_from(plan.program, plan.starts, options, place, plan.starts.size(), all,
             sampled, found);
  if (!plan.is_large) return found;
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
  polished.push_back(plan.starts.front());
  polished.insert(polished.end(), options.also_from.begin(),
                  options.also_from.end());
  found.best.reset();
  found.optima.clear();
  found.ends.clear();
  StartPlace next = place;
  ++next.stage;
  const bool is_enough = std::exchange(found.is_enough, false);
  solve_from(program, polished, options, next, 0, all, polished.size(), found);
  found.is_enough = is_enough;
  // starts that ended where the best did count as having reached it
  if (found.best && found.best->feasible && !of_coarse.empty()) {
    const double lowest = *std::ranges::min_element(of_coarse);
    found.optima.clear();
    for (const double f : of_coarse)
      found.optima.push_back(found.best->f + std::max(0.0, f - lowest));
  }
  return found;
}

}  // namespace gttf
