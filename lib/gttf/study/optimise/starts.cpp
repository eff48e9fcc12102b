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

/// Designs evaluated for each one that is polished.
constexpr std::size_t screened_per_start = 16;
/// Designs processed by a thread at a time.
constexpr std::size_t screened_at_once = 64;
/// Problems with more samples are first solved with some of them.
constexpr std::size_t most_samples_of_starts = 256;
constexpr std::size_t coarse_samples = 32;
/// Different optima of the coarse problem that are solved with all samples.
constexpr std::size_t most_polished = 4;

/// Starts that are planned together if a search may end before all are solved:
/// to look at many designs takes longer than to solve from some.
constexpr std::size_t planned_at_once = 32;
/// The same if all are solved, unless the search is interrupted.
constexpr std::size_t most_planned_at_once = 256;

/// Starts `begin` ... `end` - 1 of `n`: the file's own, then in turn the best
/// of a sample and any of it, since the best may all lie in one valley. Nothing
/// if the search is stopped meanwhile: a part of the sample has other best
/// ones.
std::optional<std::vector<std::vector<double>>> start_designs(
    const DesignProgram& program, std::size_t begin, std::size_t end,
    std::size_t n, const SearchOptions& options, Effort& effort) {
  std::vector<std::vector<double>> starts;
  if (begin == 0) starts.push_back(program.space().start_values());
  if (n <= 1) return starts;
  const DesignSampler sampler(program);
  const std::size_t first = screened_per_start * begin,
                    screened = screened_per_start * (end - begin),
                    any = screened_per_start * n + begin / 2;
  struct Rated {
    double rating;
    std::size_t index;
  };
  struct Block {
    std::vector<Rated> rated;
    bool is_stopped = false;
    Effort effort;
  };
  std::vector<Rated> all;
  bool is_stopped = false;
  parallel_in_order(
      (screened + screened_at_once - 1) / screened_at_once,
      thread_count(options.threads),
      [&](std::size_t block) {
        Block result;
        result.is_stopped = options.is_stopped();
        if (result.is_stopped) return result;
        DesignProgram mine = program;
        const Effort before = mine.effort();
        const std::size_t last =
            first + std::min(screened, (block + 1) * screened_at_once);
        for (std::size_t i = first + block * screened_at_once; i < last; ++i) {
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
        is_stopped = is_stopped || block.is_stopped;
        effort += block.effort;
      });
  if (is_stopped) return std::nullopt;
  std::ranges::stable_sort(all, {}, &Rated::rating);
  for (std::size_t i = 0; i < all.size() && starts.size() < end - begin; ++i) {
    starts.push_back(sampler.design(all[i].index));
    if (starts.size() < end - begin) starts.push_back(sampler.design(any + i));
  }
  return starts;
}

/// The problem that is solved from all starts, and these, one part after the
/// other.
class StartPlan {
 public:
  StartPlan(const DesignProgram& program, std::size_t n,
            const SearchOptions& options,
            const std::optional<PlacementBound>& bound)
      : is_large_(n > 1 && program.n_samples() > most_samples_of_starts),
        program_(is_large_ ? program.coarse(coarse_samples) : program),
        n_(n),
        options_(options),
        bound_(bound) {}

  /// Whether program() has some of the samples only.
  bool is_large() const { return is_large_; }
  const DesignProgram& program() const { return program_; }
  /// The number of starts, at most.
  std::size_t size() const { return n_ + options_.also_from.size(); }
  /// The next part; empty after the last, or if the search is stopped before it
  /// is known.
  std::vector<std::vector<double>> next() {
    // known designs come first: a search that ends while others are evaluated
    // has a result
    if (!std::exchange(has_begun_, true)) {
      std::vector<std::vector<double>> known{program_.space().start_values()};
      known.insert(known.end(), options_.also_from.begin(),
                   options_.also_from.end());
      return known;
    }
    while (planned_ < n_) {
      const std::size_t begin = planned_;
      planned_ = std::min(n_, begin + (program_.problem().solves_all_starts
                                           ? most_planned_at_once
                                           : planned_at_once));
      auto starts =
          start_designs(program_, begin, planned_, n_, options_, effort_);
      is_stopped_ = !starts;
      if (is_stopped_) return {};
      if (begin == 0) {
        if (bound_ && starts->size() > 1) (*starts)[1] = bound_->x;
        starts->erase(starts->begin());  // known
      }
      if (!starts->empty()) return std::move(*starts);
    }
    return {};
  }
  /// Whether the search was stopped before the next part was known.
  bool is_stopped() const { return is_stopped_; }
  /// Of the plan so far.
  const Effort& effort() const { return effort_; }

 private:
  bool is_large_, has_begun_ = false, is_stopped_ = false;
  DesignProgram program_;
  std::size_t n_, planned_ = 0;
  const SearchOptions& options_;
  const std::optional<PlacementBound>& bound_;
  Effort effort_;
};

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

/// Whether a bound leaves room for a much better design than the best.
bool leaves_room(const std::optional<PlacementBound>& bound,
                 const LocalOptimum& best) {
  constexpr double small = 0.01;  // in ln
  return bound && best.f - std::log(bound->sigma) > small;
}

}  // namespace

std::string best_so_far(const DesignProgram& program,
                        const std::optional<LocalOptimum>& best) {
  if (!best) return {};
  if (!best->feasible) return "limits not met yet";
  return "best " + with_unit(program.in_unit(best->f),
                             objective_unit(program.problem()).name, 8);
}

namespace {

/// Solutions from some designs, the best of them first in `best`.
/// @param first    number of the first of them
/// @param shown    starts that progress reports; 0: none, and a search that
///                 is stopped still solves from the first one
/// @param sampled  the first start that belongs to a sample: from there on, the
///                 search ends when more are unlikely to find anything else;
///                 never if there is none
/// @param bound    it does not end while this leaves room for a better design
void solve_from(const DesignProgram& program,
                const std::vector<std::vector<double>>& starts,
                const SearchOptions& options, const StartPlace& place,
                std::size_t first, std::size_t shown, const IsChosen& is_chosen,
                std::size_t sampled, const std::optional<PlacementBound>& bound,
                Found& found) {
  struct One {
    LocalOptimum optimum;
    std::vector<LookedAt> history;
    Effort effort;
    std::size_t start = 0;
    bool is_known = false, is_stopped = false;
  };
  std::atomic<bool> is_enough = false;  // spares what will not count
  const auto place_of = [&](std::size_t start) {
    StartPlace p = place;
    p.start = first + start;
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
  std::size_t done = found.starts;
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
        if (first + k > 0 && options.is_stopped()) {
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
        // the starts of later stages differ if an earlier stage was interrupted
        if (options.state != nullptr && !one.is_known && !one.is_stopped &&
            !found.interrupted) {
          options.state->starts.emplace(place_of(one.start),
                                        record_of(o, one.effort));
          if (options.added) options.added(*options.state);
        }
        if (o.result.exists) {
          // a solution that was interrupted has not reached an optimum
          if (o.feasible && !one.is_stopped) {
            found.optima.push_back(o.f);
            if (first + one.start >= sampled) ++found.sampled;
          }
          if (!found.best || is_better(o, *found.best)) found.best = o;
          found.ends.push_back(std::move(o));
        }
        ++done;
        if (shown > 0 && !one.is_stopped) ++found.starts;
        found.interrupted = found.interrupted || one.is_stopped;
        // in the order of starts: the same for any number of threads
        if (found.sampled > 0 && !leaves_room(bound, *found.best) &&
            are_all_seen(found.sampled, different_optima(found.optima).size()))
          is_enough = found.is_enough = true;
        if (options.progress && shown > 0)
          options.progress(
              {done, shown, "starts", best_so_far(program, found.best)});
      });
}

/// Exchanges layers between the clusters of the best design as long as this
/// improves it: each number of layers in each cluster has an optimum of its
/// own, and most are reached from few designs of a sample.
void exchange_layers(const DesignProgram& program, const SearchOptions& options,
                     const StartPlace& place, Found& found) {
  SearchOptions own = options;
  own.state = nullptr;  // made again from the starts
  const DesignSampler sampler(program);
  while (found.best && found.best->feasible && !found.interrupted) {
    const auto designs = sampler.exchanged(found.best->x);
    if (designs.empty() || own.is_stopped()) return;
    Found more;
    solve_from(
        program, designs, own, place, 0, 0, [](std::size_t) { return true; },
        designs.size(), std::nullopt, more);
    found.effort += more.effort;
    found.interrupted = more.interrupted;
    if (!more.best || more.best->f >= found.best->f - same_optimum ||
        !is_better(*more.best, *found.best))
      return;
    found.optima.push_back(more.best->f);
    found.ends.push_back(*more.best);
    found.best = std::move(more.best);
  }
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
  StartPlan plan(program, n, options, bound);
  const Shard& shard = options.state->shard;
  const std::size_t total =
      (plan.size() + shard.count - shard.index) / shard.count;
  Found found;
  for (std::size_t first = 0; !found.interrupted;) {
    const auto starts = plan.next();
    if (starts.empty()) break;
    solve_from(
        plan.program(), starts, options, place, first, total,
        [&](std::size_t i) {
          return (first + i) % shard.count == shard.index - 1;
        },
        first + starts.size(), bound, found);
    first += starts.size();
  }
  return !found.interrupted && !plan.is_stopped();
}

Found solve_from_starts(const DesignProgram& program, std::size_t n,
                        const SearchOptions& options, const StartPlace& place,
                        const std::optional<PlacementBound>& bound) {
  Found found;
  const auto all = [](std::size_t) { return true; };
  StartPlan plan(program, n, options, bound);
  const std::size_t sampled = program.problem().solves_all_starts
                                  ? plan.size()
                                  : 1 + options.also_from.size();
  for (std::size_t first = 0; !found.is_enough && !found.interrupted;) {
    const auto starts = plan.next();
    if (starts.empty()) break;
    solve_from(plan.program(), starts, options, place, first, plan.size(), all,
               sampled, bound, found);
    first += starts.size();
  }
  found.effort += plan.effort();
  found.interrupted = found.interrupted || plan.is_stopped();
  if (!found.interrupted) found.planned = plan.size();
  if (n > 1) exchange_layers(plan.program(), options, place, found);
  if (!plan.is_large()) return found;
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
  polished.push_back(program.space().start_values());
  polished.insert(polished.end(), options.also_from.begin(),
                  options.also_from.end());
  found.best.reset();
  found.optima.clear();
  found.ends.clear();
  StartPlace next = place;
  ++next.stage;
  const bool is_enough = std::exchange(found.is_enough, false);
  solve_from(program, polished, options, next, 0, 0, all, polished.size(),
             bound, found);
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
