// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/pareto_front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace gttf {
namespace {

/// Number of starts per point; the designs of its neighbours are also tried.
constexpr std::size_t starts_of_point = 64;
/// Range beyond the minimum of an objective in which the other one is searched.
constexpr double at_the_least = 1e-8;
/// Points whose objectives differ by less are merged.
constexpr double same_point = 1e-7;
/// A gap reduced below this share of the front is a jump: no design lies in
/// it.
constexpr double least_gap = 1e-3;

std::string unit_name(const OptimisationProblem& problem,
                      const Objective& objective) {
  OptimisationProblem one = problem;
  one.objective = objective;
  return objective_unit(one).name;
}

class Front {
 public:
  Front(const OptimisationProblem& problem, const SearchOptions& options)
      : problem_(problem), options_(options), progress_(options.progress) {
    options_.prices = false;
    options_.progress = {};
  }

  ParetoFront find() {
    ParetoFront front;
    for (std::size_t i = 0; i < 2; ++i) {
      const Objective& objective = problem_.pareto.of[i];
      front.names[i] = objective.name;
      front.units[i] = unit_name(problem_, objective);
    }
    if (front.names[0] == front.names[1])
      for (std::size_t i = 0; i < 2; ++i) {
        const Criterion& c = problem_.pareto.of[i].criterion;
        if (c.momentum.values.empty()) continue;
        front.names[i] += fmt::format(" at {:.6g} GeV", c.momentum.values[0]);
      }
    front.variables = problem_.space.variables;
    for (const DesignChoice& choice : problem_.choices)
      front.choices.push_back(choice.name);
    look_at_present(front);
    find_ends();
    fill();
    for (int pass = 0; pass < 2; ++pass) try_neighbours();
    drop_dominated();
    for (Found& f : found_) front.points.push_back(std::move(f.point));
    front.effort = effort_;
    front.interrupted = interrupted_;
    return front;
  }

 private:
  struct Found {
    ParetoPoint point;
    std::array<double, 2> f{};  ///< logarithms
    double limit = 0;           ///< of the second objective, logarithm
  };

  /// Objective `made_small`, with the other one at most exp(limit) in its
  /// native unit.
  OptimisationProblem limited(std::size_t made_small,
                              std::optional<double> limit) const {
    OptimisationProblem p = problem_;
    p.objective = problem_.pareto.of[made_small];
    p.starts = std::min(problem_.starts, starts_of_point);
    if (!limit) return p;
    const Objective& other = problem_.pareto.of[1 - made_small];
    if (other.kind == Objective::Kind::quantity) {
      QuantityLimit quantity;
      quantity.name = other.name;
      quantity.quantity = other.quantity;
      quantity.max = std::exp(*limit);
      p.limits.push_back(std::move(quantity));
      return p;
    }
    if (other.kind == Objective::Kind::mean) {
      p.means.push_back({other.name, other.criterion, other.scale,
                         other.logarithmic, std::exp(*limit)});
      return p;
    }
    RequirementFile file;
    file.name = p.name;
    file.request = p.request;
    Criterion criterion = other.criterion;
    criterion.name = other.name;
    // these points and none between them
    criterion.angle.is_range = false;
    criterion.max = times(other.scale, std::exp(*limit), criterion);
    file.criteria.push_back(std::move(criterion));
    p.requirements.push_back(std::move(file));
    return p;
  }

  /// A curve times a number; none: a number of native units.
  static Limit times(const std::optional<Limit>& curve, double factor,
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

  /// Both objectives at a design, as logarithms.
  std::optional<std::array<double, 2>> values(
      const Combination& combination, const std::vector<double>& x) const {
    std::array<double, 2> f{};
    for (std::size_t i = 0; i < 2; ++i) {
      OptimisationProblem p = problem_;
      p.objective = problem_.pareto.of[i];
      p.requirements.clear();
      p.means.clear();
      DesignProgram program(p, combination);
      const auto all = program.all_values(x);
      if (!all) return std::nullopt;
      f[i] = all->f;
    }
    return f;
  }

  double in_unit(std::size_t i, double f) const {
    OptimisationProblem p = problem_;
    p.objective = problem_.pareto.of[i];
    return std::exp(f) / objective_unit(p).value;
  }

  std::optional<Found> solve(std::size_t made_small,
                             std::optional<double> limit,
                             std::vector<std::vector<double>> also_from,
                             bool local) {
    const OptimisationProblem p = limited(made_small, limit);
    ++options_.search;
    SearchOptions options = options_;
    options.local = local;
    options.also_from = std::move(also_from);
    const SearchResult r = search(p, options);
    effort_ += r.effort;
    interrupted_ = interrupted_ || r.interrupted;
    if (progress_) progress_(found_.size(), problem_.pareto.points);
    if (!r.found) return std::nullopt;
    Found found;
    const auto f = values(r.program->combination(), r.best.x);
    if (!f) return std::nullopt;
    found.f = *f;
    found.limit = limit.value_or(found.f[1]);
    found.point.x = r.best.x;
    found.point.chosen = r.program->combination().chosen;
    found.point.certificate = r.certificate;
    for (std::size_t i = 0; i < 2; ++i)
      found.point.values[i] = in_unit(i, found.f[i]);
    return found;
  }

  void look_at_present(ParetoFront& front) const {
    const Combination file =
        combination_of_file(combinations_of(problem_, true));
    const auto f = values(file, problem_.space.start_values());
    for (std::size_t i = 0; i < 2; ++i)
      front.present[i] = f ? in_unit(i, (*f)[i]) : Resolution::none;
    if (!f) return;
    OptimisationProblem p = limited(0, std::nullopt);
    DesignProgram program(p, file);
    const auto all = program.all_values(p.space.start_values());
    front.present_is_feasible = all && all->violation() <= design_feasible;
  }

  /// The minimum of each, and then the minimum of the other.
  void find_ends() {
    for (std::size_t i = 0; i < 2 && !interrupted_; ++i) {
      auto best = solve(i, std::nullopt, {}, false);
      if (!best) return;
      auto both =
          solve(1 - i, best->f[i] + at_the_least, {best->point.x}, false);
      found_.push_back(both && both->f[1 - i] < best->f[1 - i]
                           ? std::move(*both)
                           : std::move(*best));
      found_.back().limit = found_.back().f[1];
    }
    sort();
  }

  void sort() {
    std::ranges::stable_sort(found_, std::ranges::greater(),
                             [](const Found& p) { return p.f[1]; });
  }

  /// Limits where the front has its largest gaps: between a point and the next
  /// one with a smaller second objective.
  void fill() {
    if (found_.size() < 2) return;
    const std::array<double, 2> range{
        std::max(std::abs(found_.back().f[0] - found_.front().f[0]), 1e-12),
        std::max(std::abs(found_.back().f[1] - found_.front().f[1]), 1e-12)};
    const std::size_t most = 4 * problem_.pareto.points;
    for (std::size_t n = 0;
         n < most && !interrupted_ && found_.size() < problem_.pareto.points;
         ++n) {
      std::size_t at = 0;
      double widest = 0;
      for (std::size_t i = 0; i + 1 < found_.size(); ++i) {
        // below the limit of the next one no new design is found
        const double gap = (found_[i].f[1] -
                            std::max(found_[i + 1].limit, found_[i + 1].f[1])) /
                           range[1];
        if (gap < least_gap) continue;
        const double size =
            std::hypot(gap, (found_[i + 1].f[0] - found_[i].f[0]) / range[0]);
        if (size > widest) {
          widest = size;
          at = i;
        }
      }
      if (widest == 0) break;
      const double limit =
          0.5 * (found_[at].f[1] +
                 std::max(found_[at + 1].limit, found_[at + 1].f[1]));
      auto point =
          solve(0, limit, {found_[at].point.x, found_[at + 1].point.x}, false);
      if (!point || point->f[1] - found_[at + 1].f[1] < same_point) {
        // a jump up to this limit
        if (point && point->f[0] < found_[at + 1].f[0] - same_point)
          found_[at + 1] = std::move(*point);
        found_[at + 1].limit = limit;
        continue;
      }
      found_.push_back(std::move(*point));
      sort();
    }
  }

  /// Every point from the designs on both sides of it.
  void try_neighbours() {
    for (std::size_t i = 0; i < found_.size() && !interrupted_; ++i) {
      std::vector<std::vector<double>> designs{found_[i].point.x};
      if (i > 0) designs.push_back(found_[i - 1].point.x);
      if (i + 1 < found_.size()) designs.push_back(found_[i + 1].point.x);
      if (problem_.space.size() == 0) return;
      auto point = solve(0, std::max(found_[i].limit, found_[i].f[1]),
                         std::move(designs), true);
      if (!point || point->f[0] >= found_[i].f[0] - 1e-10) continue;
      point->point.certificate = found_[i].point.certificate;
      found_[i] = std::move(*point);
    }
    sort();
  }

  void drop_dominated() {
    std::vector<Found> kept;
    double least = std::numeric_limits<double>::infinity();
    // from the minimum of the second objective, the first must decrease
    for (auto it = found_.rbegin(); it != found_.rend(); ++it) {
      if (it->f[0] > least - same_point) continue;
      least = it->f[0];
      kept.push_back(std::move(*it));
    }
    std::ranges::reverse(kept);
    found_ = std::move(kept);
  }

  const OptimisationProblem& problem_;
  SearchOptions options_;
  std::function<void(std::size_t, std::size_t)> progress_;
  std::vector<Found> found_;  ///< the second objective decreases
  Effort effort_;
  bool interrupted_ = false;
};

/// An axis slightly wider than the values.
FigureAxis axis_around(const std::string& name, const std::string& unit,
                       const Reals& values) {
  FigureAxis axis;
  axis.name = name;
  axis.unit = unit == "1" ? "" : unit;
  axis.title = literal_text(name) +
               (axis.unit.empty() ? "" : " [" + literal_text(axis.unit) + "]");
  const auto [low, high] = std::ranges::minmax(values);
  const double margin = std::max(0.06 * (high - low), 1e-3 * std::abs(high));
  axis.lower = std::max(low - margin, low > 0 ? 0.0 : low - margin);
  axis.upper = high + margin;
  return axis;
}

}  // namespace

ParetoFront pareto_front(const OptimisationProblem& problem,
                         const SearchOptions& options) {
  return Front(problem, options).find();
}

Table pareto_table(const ParetoFront& front) {
  Table table;
  for (std::size_t i = 0; i < 2; ++i) {
    Reals values;
    for (const ParetoPoint& p : front.points) values.push_back(p.values[i]);
    const std::string& unit = front.units[i];
    const bool named =
        unit.empty() || unit == "1" || front.names[i].ends_with('_' + unit);
    table.add(front.names[i] + (named ? "" : '_' + unit), std::move(values));
  }
  for (std::size_t v = 0; v < front.variables.size(); ++v) {
    const DesignVariable& variable = front.variables[v];
    Reals values;
    for (const ParetoPoint& p : front.points)
      values.push_back(p.x[v] / variable.unit_value);
    table.add(variable.unit.empty()
                  ? variable.name
                  : fmt::format("{} [{}]", variable.name, variable.unit),
              std::move(values));
  }
  for (std::size_t c = 0; c < front.choices.size(); ++c) {
    Texts chosen;
    for (const ParetoPoint& p : front.points) chosen.push_back(p.chosen[c]);
    table.add(front.choices[c], std::move(chosen));
  }
  Texts kind;
  for (const ParetoPoint& p : front.points)
    kind.emplace_back(to_string(p.certificate.kind));
  table.add("certificate", std::move(kind));
  return table;
}

Figure pareto_figure(const ParetoFront& front) {
  Figure figure;
  figure.id = "pareto";
  figure.title =
      literal_text(front.names[1]) + " against " + literal_text(front.names[0]);
  figure.caption = "No design is better than these points in both objectives.";
  figure.description = "Front of two objectives and the present detector.";
  Reals x, y;
  for (const ParetoPoint& p : front.points) {
    x.push_back(p.values[0]);
    y.push_back(p.values[1]);
  }
  figure.data.add(front.names[0], x);
  figure.data.add(front.names[1], y);
  Reals all_x = x, all_y = y;
  const bool has_present = std::isfinite(front.present[0]);
  if (has_present) {
    all_x.push_back(front.present[0]);
    all_y.push_back(front.present[1]);
  }
  if (all_x.empty()) return figure;
  Plot plot;
  plot.x = axis_around(front.names[0], front.units[0], all_x);
  Panel panel;
  panel.y = axis_around(front.names[1], front.units[1], all_y);
  // a front is a step at a jump; points are joined by straight lines
  panel.curves.push_back({"front", x, y, {Tone::series, 0}});
  Marks points{"front-points", "front", x, y, {Tone::series, 0}};
  points.shape = MarkShape::dot;
  points.size = 5;
  panel.marks.push_back(std::move(points));
  figure.legend.push_back({LegendEntry::Key::line, "found", {Tone::series, 0}});
  if (has_present) {
    panel.marks.push_back({"present",
                           "",
                           {front.present[0]},
                           {front.present[1]},
                           {Tone::series, 1}});
    figure.legend.push_back({LegendEntry::Key::ring,
                             front.present_is_feasible
                                 ? "present detector"
                                 : "present detector (misses limits)",
                             {Tone::series, 1}});
  }
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

}  // namespace gttf
