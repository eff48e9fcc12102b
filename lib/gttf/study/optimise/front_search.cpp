// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/front_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "gttf/core/parallel.hpp"
#include "gttf/study/optimise/layer_choice.hpp"

namespace gttf {
namespace {

/// Number of starts per point; the designs of its neighbours are also tried.
constexpr std::size_t starts_of_point = 64;
/// ln of a limit that every value meets. Where layers are left out, an
/// objective need not have one: without layers the area is smallest.
constexpr double any_value = 230;

std::string unit_name(const OptimisationProblem& problem,
                      const Objective& objective) {
  OptimisationProblem one = problem;
  one.objective = objective;
  return objective_unit(one).name;
}

/// A curve times a number; none: a number of native units.
Limit times(const std::optional<Limit>& curve, double factor,
            const Criterion& criterion) {
  const CheckedQuantity& what = criterion.quantity;
  auto parsed =
      curve ? parse_formula(
                  fmt::format("{} * ({})", factor, curve->formula.text()),
                  {limit_variables(what), what.powers, baseline_variable})
            : parse_formula(fmt::format("{}", factor),
                            {{}, what.powers, FormulaRules::none, true});
  return {std::move(parsed.value), {}, criterion.place};
}

/// Limits an objective to exp(limit) in its native unit.
void add_limit(const Objective& objective, double limit,
               OptimisationProblem& p) {
  if (objective.kind == Objective::Kind::quantity) {
    QuantityLimit quantity;
    quantity.name = objective.name;
    quantity.quantity = objective.quantity;
    quantity.max = std::exp(limit);
    p.limits.push_back(std::move(quantity));
    return;
  }
  if (objective.kind == Objective::Kind::mean) {
    p.means.push_back({objective.name, objective.criterion, objective.scale,
                       objective.logarithmic, objective.weights,
                       std::exp(limit)});
    return;
  }
  RequirementFile file;
  file.name = p.name;
  file.request = p.request;
  Criterion criterion = objective.criterion;
  criterion.name = objective.name;
  // these points and none between them
  criterion.momentum.is_range = false;
  criterion.angle.is_range = false;
  criterion.max = times(objective.scale, std::exp(limit), criterion);
  file.criteria.push_back(std::move(criterion));
  p.requirements.push_back(std::move(file));
}

}  // namespace

FrontSearch::FrontSearch(const OptimisationProblem& problem,
                         const SearchOptions& options)
    : problem_(problem),
      options_(options),
      progress_(options.progress),
      leaves_layers_out_(std::ranges::any_of(
          problem.choices,
          [](const DesignChoice& choice) { return !choice.layers.empty(); })) {
  options_.prices = false;
  options_.progress = {};
}

OptimisationProblem FrontSearch::limited(std::size_t minimised,
                                         const ObjectiveLimits& limits) const {
  OptimisationProblem p = problem_;
  p.objective = problem_.pareto.of[minimised];
  p.starts = std::min(problem_.starts, starts_of_point);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const Objective& objective = problem_.pareto.of[i];
    if (limits[i])
      add_limit(objective, *limits[i], p);
    else if (i != minimised && objective.kind != Objective::Kind::quantity &&
             leaves_layers_out_)
      add_limit(objective, any_value, p);
  }
  return p;
}

/// The objectives of a design, as logarithms.
std::optional<std::vector<double>> FrontSearch::values(
    const Combination& combination, const std::vector<double>& x) const {
  std::vector<double> f;
  for (const Objective& objective : problem_.pareto.of) {
    OptimisationProblem p = problem_;
    p.objective = objective;
    p.requirements.clear();
    p.means.clear();
    DesignProgram program(p, combination);
    const auto all = program.all_values(x);
    if (!all) return std::nullopt;
    f.push_back(all->f);
  }
  return f;
}

double FrontSearch::in_unit(std::size_t i, double f) const {
  OptimisationProblem p = problem_;
  p.objective = problem_.pareto.of[i];
  return objective_in_unit(p, f);
}

std::optional<FrontDesign> FrontSearch::solve(
    std::size_t minimised, const ObjectiveLimits& limits,
    std::vector<std::vector<double>> also_from, bool local, std::size_t done) {
  const OptimisationProblem p = limited(minimised, limits);
  ++options_.search;
  SearchOptions options = options_;
  options.local = local;
  options.also_from = std::move(also_from);
  const SearchResult r = search(p, options);
  effort_ += r.effort;
  interrupted_ = interrupted_ || r.interrupted;
  if (progress_) progress_({done, points(), "points", {}});
  if (!r.found) return std::nullopt;
  auto f = values(r.program->combination(), r.best.x);
  if (!f) return std::nullopt;
  return FrontDesign{std::move(*f), limits, r.best.x,
                     r.program->combination().chosen, r.certificate};
}

std::optional<FrontDesign> FrontSearch::least(std::size_t first,
                                              std::size_t done) {
  ObjectiveLimits limits(n_objectives());
  auto best = solve(first, limits, {}, false, done);
  std::size_t minimised = first;
  for (std::size_t i = 0; i < n_objectives() && best; ++i) {
    if (i == first) continue;
    limits[minimised] = best->f[minimised] + at_the_least;
    minimised = i;
    auto both = solve(minimised, limits, {best->x}, false, done);
    if (both && both->f[minimised] < best->f[minimised]) best = std::move(both);
  }
  return best;
}

bool FrontSearch::can_list_designs() const {
  if (has_variables()) return false;
  // bounds find the points of two objectives faster than so many evaluations
  constexpr std::size_t most_if_bounded = 20000;
  const bool is_bounded =
      n_objectives() == 2 &&
      std::ranges::all_of(problem_.pareto.of, [&](const Objective& objective) {
        OptimisationProblem p = problem_;
        p.objective = objective;
        return has_layer_bounds(p);
      });
  return count_combinations(problem_) <=
         static_cast<double>(is_bounded ? most_if_bounded : most_combinations);
}

std::vector<FrontDesign> FrontSearch::best_designs() {
  // the first of them has all limits
  std::vector<OptimisationProblem> problems(n_objectives(), problem_);
  std::vector<DesignProgram> programs;
  for (std::size_t i = 0; i < n_objectives(); ++i) {
    OptimisationProblem& p = problems[i];
    p.objective = problem_.pareto.of[i];
    if (i > 0) {
      p.requirements.clear();
      p.means.clear();
    }
    programs.emplace_back(p, Combination{});
  }
  struct Design {
    std::vector<double> f;  ///< empty: none within the limits
    std::size_t combination = 0;
  };
  struct Block {
    std::vector<Design> designs;
    bool is_stopped = false;
    Effort effort;
  };
  const std::vector<Combination> combinations = combinations_of(problem_);
  const auto look = [&](std::size_t k, Effort& effort) {
    Design design{{}, k};
    for (std::size_t i = 0; i < n_objectives(); ++i) {
      DesignProgram program = programs[i].with(combinations[k]);
      const auto values = program.all_values({});
      effort += program.effort();
      if (!values || (i == 0 && values->violation() > design_feasible))
        return Design{};
      design.f.push_back(values->f);
    }
    return design;
  };
  constexpr std::size_t at_once = 32;
  std::vector<Design> all;
  std::size_t done = 0;
  parallel_in_order(
      (combinations.size() + at_once - 1) / at_once,
      thread_count(options_.threads),
      [&](std::size_t block) {
        Block result;
        const std::size_t end =
            std::min(combinations.size(), (block + 1) * at_once);
        for (std::size_t k = block * at_once; k < end; ++k) {
          result.is_stopped = options_.is_stopped();
          if (result.is_stopped) break;
          if (Design design = look(k, result.effort); !design.f.empty())
            result.designs.push_back(std::move(design));
        }
        return result;
      },
      [&](Block block) {
        std::ranges::move(block.designs, std::back_inserter(all));
        effort_ += block.effort;
        interrupted_ = interrupted_ || block.is_stopped;
        done = std::min(combinations.size(), done + at_once);
        if (progress_)
          progress_({done, combinations.size(), "combinations", {}});
      });
  std::ranges::stable_sort(all, {}, &Design::f);
  Certificate certificate;
  certificate.reason = "not all combinations were evaluated";
  if (!interrupted_) {
    certificate.kind = Certificate::Kind::proven;
    certificate.reason =
        fmt::format("all {} combinations were evaluated", combinations.size());
  }
  std::vector<FrontDesign> best;
  for (Design& design : all) {
    // in this order, only designs before this one can be as good or better
    const bool is_dominated =
        std::ranges::any_of(best, [&](const FrontDesign& other) {
          return std::ranges::equal(other.f, design.f, [](double a, double b) {
            return a <= b + same_point;
          });
        });
    if (is_dominated) continue;
    const Combination& combination = combinations[design.combination];
    DesignProgram program = programs[0].with(combination);
    if (!is_verified(program, {}, options_.threads)) continue;
    best.push_back({std::move(design.f),
                    ObjectiveLimits(n_objectives()),
                    {},
                    combination.chosen,
                    certificate});
  }
  return best;
}

ParetoFront FrontSearch::front(std::vector<FrontDesign> designs) const {
  ParetoFront front;
  for (const Objective& objective : problem_.pareto.of) {
    front.names.push_back(objective.name);
    front.units.push_back(unit_name(problem_, objective));
  }
  // two columns of one name differ by their momenta
  const std::vector<std::string> names = front.names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Criterion& c = problem_.pareto.of[i].criterion;
    if (std::ranges::count(names, names[i]) > 1 && !c.momentum.values.empty())
      front.names[i] += fmt::format(" at {:.6g} GeV", c.momentum.values[0]);
  }
  front.variables = problem_.space.variables;
  for (const DesignChoice& choice : problem_.choices)
    front.choices.push_back(choice.name);
  look_at_present(front);
  for (FrontDesign& d : designs) {
    ParetoPoint& point = front.points.emplace_back();
    for (std::size_t i = 0; i < n_objectives(); ++i) {
      point.values.push_back(in_unit(i, d.f[i]));
      point.limits.push_back(
          d.limits[i] ? std::optional(in_unit(i, *d.limits[i])) : std::nullopt);
    }
    point.x = std::move(d.x);
    point.chosen = std::move(d.chosen);
    point.certificate = std::move(d.certificate);
  }
  front.effort = effort_;
  front.interrupted = interrupted_;
  return front;
}

void FrontSearch::look_at_present(ParetoFront& front) const {
  const Combination file = combination_of_file(combinations_of(problem_, true));
  const auto f = values(file, problem_.space.start_values());
  for (std::size_t i = 0; i < n_objectives(); ++i)
    front.present.push_back(f ? in_unit(i, (*f)[i]) : Resolution::none);
  if (!f) return;
  const OptimisationProblem p = limited(0, ObjectiveLimits(n_objectives()));
  DesignProgram program(p, file);
  const auto all = program.all_values(p.space.start_values());
  front.present_is_feasible = all && all->violation() <= design_feasible;
}

}  // namespace gttf
