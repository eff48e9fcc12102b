// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/limit_prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace gttf {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// The limit of a column to which points belong.
struct LimitOfColumn {
  std::size_t file, criterion;
  bool is_lower;

  auto operator<=>(const LimitOfColumn&) const = default;
};

LimitOfColumn limit_of(const DesignProgram& program, const LimitValue& v) {
  const Sample& s = program.sample(v.index);
  return {s.file, s.criterion, v.is_lower};
}

/// What holds a design: limits with all of their points, and bounds.
struct Holding {
  std::set<LimitOfColumn> columns;
  /// Others, by LimitValue::kind, index, layer and side of hits, and name.
  std::set<std::tuple<LimitValue::Kind, std::size_t, bool, std::string>> others;
  std::vector<char> at_lower, at_upper;  ///< for each variable

  bool operator==(const Holding&) const = default;
};

Holding holding(DesignProgram& program, const LocalOptimum& o) {
  const auto holds = [](double multiplier) { return multiplier > 1e-9; };
  Holding result;
  const std::vector<LimitValue> values = program.limits_at(o.x, o.working);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LimitValue& v = values[i];
    if (!holds(o.result.multipliers[static_cast<Index>(i)])) continue;
    using Kind = LimitValue::Kind;
    if (v.kind == Kind::sample) {
      result.columns.insert(limit_of(program, v));
    } else if (v.kind == Kind::hit_edge) {
      // of whichever track
      const HitEdge edge = HitEdge::of(v.index);
      result.others.emplace(v.kind, edge.layer * HitEdge::n_sides + edge.side,
                            edge.is_outside, "");
    } else {
      const bool has_name = v.kind == Kind::gap || v.kind == Kind::envelope;
      result.others.emplace(v.kind, v.index, v.is_lower,
                            has_name ? v.name : "");
    }
  }
  for (Index i = 0; i < o.result.at_lower.size(); ++i) {
    result.at_lower.push_back(holds(o.result.at_lower[i]) ? 1 : 0);
    result.at_upper.push_back(holds(o.result.at_upper[i]) ? 1 : 0);
  }
  return result;
}

/// The factors by which a limit can change while the same limits are active.
std::pair<double, double> range_of_price(const DesignProgram& program,
                                         const LocalOptimum& best,
                                         const LimitValue& limit) {
  constexpr std::array steps{0.001, 0.002, 0.004, 0.007, 0.01, 0.02,
                             0.03,  0.045, 0.06,  0.08,  0.1};
  constexpr int halvings = 4;  // of the first step that is too long
  DesignProgram mine = program;
  const Holding now = holding(mine, best);
  const auto farthest = [&](double sign) {
    double share = 0;
    std::vector<double> x = best.x;
    const auto reaches = [&](double step) {
      DesignProgram moved = program;
      moved.scale_limit(limit, 1 + sign * step);
      const LocalOptimum there = solve_on(moved, x, {.working = best.working});
      if (!there.feasible || holding(moved, there) != now) return false;
      share = step;
      x = there.x;
      return true;
    };
    for (double beyond : steps) {
      if (reaches(beyond)) continue;
      for (int i = 0; i < halvings; ++i) {
        const double middle = 0.5 * (share + beyond);
        if (!reaches(middle)) beyond = middle;
      }
      break;
    }
    return 1 + sign * share;
  };
  return {farthest(-1), farthest(1)};
}

/// Whether a resolution that is minimised, or whose limit is active, changes.
/// @param objective()  whether that of the solver does
/// @param limit(i)     whether its limit i does
template <class OfObjective, class OfLimit>
bool any_resolution(const DesignProgram& program, const LocalOptimum& best,
                    OfObjective objective, OfLimit limit) {
  const OptimisationProblem& problem = program.problem();
  if (problem.objective.kind != Objective::Kind::quantity &&
      !program.has_level() && objective())
    return true;
  const Index end = best.result.values.limits.size();
  for (Index i =
           end - static_cast<Index>(best.working.size() + problem.means.size());
       i < end; ++i)
    if (best.result.multipliers[i] > 0 && limit(i)) return true;
  return false;
}

/// Whether one of them depends on the variable: has derivatives above rounding.
bool is_asked_for(const DesignProgram& program, const LocalOptimum& best,
                  Index variable) {
  constexpr double nothing = 1e-9;
  const ProgramValues& v = best.result.values;
  return any_resolution(
      program, best, [&] { return std::abs(v.gradient[variable]) > nothing; },
      [&](Index i) { return std::abs(v.jacobian(i, variable)) > nothing; });
}

/// The same by differences, where derivatives may vanish: at an optimum within
/// the range, or at an error or a thickness of zero.
bool changes_what_is_asked(DesignProgram& program, const LocalOptimum& best,
                           Index variable) {
  constexpr double step = 0.01;      // of the range, to its middle
  constexpr double nothing = 1e-12;  // rounding
  const ProgramValues& v = best.result.values;
  VectorXd x = best.result.x;
  x[variable] += x[variable] < 0.5 ? step : -step;
  const auto moved = program.program(best.working).evaluate(x, false);
  if (!moved) return false;
  const auto differs = [](double a, double b) {
    return std::abs(a - b) > nothing;
  };
  return any_resolution(
      program, best, [&] { return differs(moved->f, v.f); },
      [&](Index i) { return differs(moved->limits[i], v.limits[i]); });
}

const Criterion& criterion_of(const DesignProgram& program,
                              const LimitValue& v) {
  const Sample& s = program.sample(v.index);
  return program.problem().requirements[s.file].criteria[s.criterion];
}

/// The units of a column in results.
void set_units(LimitPrice& p, const CheckedQuantity& q) {
  p.shown_unit = q.symbol.empty()     ? "1"
                 : q.symbol[0] == '/' ? '1' + q.symbol
                                      : q.symbol;
  p.shown = q.shown_unit / q.unit;
  p.unit = p.shown == 1 ? p.shown_unit : "1";
}

/// Name, value and limit of a point.
LimitPrice price_of_sample(const DesignProgram& program, const LimitValue& v) {
  const Sample& s = program.sample(v.index);
  const Criterion& c = criterion_of(program, v);
  const Track& track = program.group(s.group).tracks[s.track];
  LimitPrice p;
  const bool is_of_a_point =
      c.points.size() > 1 && c.quantity.kind != CheckedQuantity::Kind::coverage;
  p.name = is_of_a_point
               ? fmt::format("{} at p = {:.6g} GeV, theta = {:.6g} deg", c.name,
                             track.p, in_degrees(track.theta))
               : c.name;
  p.value = v.value / c.quantity.unit;
  p.limit = v.limit / c.quantity.unit;
  set_units(p, c.quantity);
  return p;
}

/// The point nearest to each limit of a column that is not listed; it is then.
std::vector<LimitValue> nearest_points(DesignProgram& program,
                                       const std::vector<double>& x,
                                       std::set<LimitOfColumn>& listed) {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < program.n_samples(); ++i) {
    const Sample& s = program.sample(i);
    if (s.is_limit() && !std::isinf(s.upper) && !program.is_of_text(s) &&
        !listed.contains({s.file, s.criterion, std::isnan(s.upper)}))
      samples.push_back(i);
  }
  std::map<LimitOfColumn, LimitValue> nearest;
  if (samples.empty()) return {};
  const auto beyond = [&](const LimitValue& v) {
    return DesignProgram::against(program.sample(v.index), v.value).first;
  };
  for (const LimitValue& v : program.limits_at(x, samples)) {
    if (v.kind != LimitValue::Kind::sample) continue;
    const auto [at, is_new] = nearest.try_emplace(limit_of(program, v), v);
    if (!is_new && beyond(v) > beyond(at->second)) at->second = v;
  }
  std::vector<LimitValue> list;
  for (const auto& [limit, v] : nearest) {
    listed.insert(limit);
    list.push_back(v);
  }
  return list;
}

/// Limits without samples, on coverages and numbers of hits: the search keeps
/// the hits of the start.
std::vector<LimitPrice> limits_by_hits(DesignProgram& program,
                                       const std::vector<double>& x,
                                       const std::set<LimitOfColumn>& listed) {
  std::vector<LimitPrice> list;
  const Detector detector = program.detector_at(x);
  const std::vector<RequirementFile>& files = program.problem().requirements;
  for (std::size_t f = 0; f < files.size(); ++f) {
    RequirementFile file = files[f];
    file.criteria.clear();
    for (std::size_t c = 0; c < files[f].criteria.size(); ++c)
      if (!files[f].criteria[c].quantity.is_text() &&
          !listed.contains({f, c, true}) && !listed.contains({f, c, false}))
        file.criteria.push_back(files[f].criteria[c]);
    if (file.criteria.empty()) continue;
    const CheckOutcome outcome =
        check(file, {&detector, 1}, Engine::streaming, 1);
    for (const CheckResult& result : outcome.results) {
      const Criterion& c = file.criteria[result.criterion];
      const CheckedPoint& worst = result.worst_point();
      const bool is_lower =
          std::isnan(worst.upper) ||
          worst.value - worst.lower <= worst.upper - worst.value;
      const double limit = is_lower ? worst.lower : worst.upper;
      LimitPrice p;
      p.name = c.name;
      p.value = worst.value / c.quantity.unit;
      p.limit = limit / c.quantity.unit;
      set_units(p, c.quantity);
      p.active =
          std::abs(worst.value - limit) <= limit_rounding * std::abs(limit);
      list.push_back(std::move(p));
    }
  }
  return list;
}

}  // namespace

Prices prices_of(const DesignProgram& program, const LocalOptimum& best,
                 bool with_ranges) {
  Prices result;
  const OptimisationProblem& problem = program.problem();
  DesignProgram mine = program;
  ProgramResult relaxed = best.result;
  // a curve is one limit, whose points are relaxed together, and so are all
  // tracks of a coverage
  std::map<LimitOfColumn, std::size_t> first_point;
  std::map<std::size_t, std::size_t> first_step;
  std::vector<std::size_t> parts_of;
  const std::vector<LimitValue> values = mine.limits_at(best.x, best.working);
  for (const LimitValue& v : values) {
    const std::size_t row = parts_of.size();
    using Kind = LimitValue::Kind;
    parts_of.push_back(
        v.kind == Kind::sample
            ? first_point.try_emplace(limit_of(program, v), row).first->second
        : v.kind == Kind::coverage
            ? first_step.try_emplace(v.index, row).first->second
            : row);
  }
  take_least_multipliers(mine.program(best.working), relaxed, parts_of);
  const bool of_missing =
      problem.objective.kind == Objective::Kind::missing && best.f > 0;
  // of an amount, not of its logarithm
  if (of_missing)
    for (VectorXd* list :
         {&relaxed.multipliers, &relaxed.at_lower, &relaxed.at_upper})
      *list /= best.f;
  const double objective = program.in_unit(best.f);
  const std::string unit = objective_unit(problem).name;
  const auto priced = [&](const std::string& per) {
    const std::string of = unit.empty() ? "1" : unit;
    return per == "1"              ? of
           : per.starts_with("1/") ? of + ' ' + per.substr(2)
                                   : of + '/' + per;
  };
  // a mean of logarithms changes by an absolute, not a relative amount
  const double scale = problem.objective.logarithmic ? 1 : objective;
  const auto set_price = [&](LimitPrice& p) {
    if (p.shown_unit.empty()) p.shown_unit = p.unit.empty() ? "1" : p.unit;
    p.price = p.limit != 0 ? p.multiplier * scale / (p.limit / p.shown) : 0;
    p.price_unit = priced(p.shown_unit);
  };
  constexpr double gap_unit = DesignProgram::gap_unit;
  std::set<LimitOfColumn> listed;
  std::map<LimitOfColumn, std::pair<double, double>> ranges;
  const auto range_of = [&](const LimitValue& v) {
    if (v.kind != LimitValue::Kind::sample)
      return range_of_price(program, best, v);
    const auto [at, is_new] = ranges.try_emplace(limit_of(program, v));
    if (is_new) at->second = range_of_price(program, best, v);
    return at->second;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LimitValue& v = values[i];
    LimitPrice p;
    const double multiplier = relaxed.multipliers[static_cast<Index>(i)];
    p.multiplier = multiplier;
    const bool is_length = v.kind != LimitValue::Kind::quantity &&
                           v.kind != LimitValue::Kind::mean &&
                           v.kind != LimitValue::Kind::sample;
    if (multiplier > 0 && !is_length && with_ranges)
      p.price_range = range_of(v);
    switch (v.kind) {
      case LimitValue::Kind::gap:
      case LimitValue::Kind::envelope:
      case LimitValue::Kind::coverage:
      case LimitValue::Kind::hit_edge: {
        p.name = v.name;
        p.value = v.value;
        p.limit = v.limit;
        p.unit = "mm";
        p.shown_unit = "mm";
        p.multiplier = multiplier / gap_unit;
        p.price = p.multiplier * scale;
        p.price_unit = priced("mm");
        p.active = of_missing ? multiplier > 0
                              : std::abs(v.value - v.limit) < 1e-7 * gap_unit;
        // only active edges and steps are listed
        if (v.kind != LimitValue::Kind::gap && !p.active) continue;
        break;
      }
      case LimitValue::Kind::quantity: {
        const QuantityLimit& limit = problem.limits[v.index];
        p.name = limit.name;
        p.unit = limit.unit;
        p.value = v.value / limit.unit_value;
        p.limit = v.limit / limit.unit_value;
        p.active = of_missing ? multiplier > 0
                              : std::abs(v.value - v.limit) <=
                                    1e-7 * std::abs(v.limit);
        break;
      }
      case LimitValue::Kind::mean: {
        const MeanLimit& mean = problem.means[v.index];
        const CheckedQuantity& q = mean.criterion.quantity;
        const bool is_ratio = mean.scale.has_value();
        const double in = is_ratio ? 1 : q.unit;
        p.name = v.name;
        p.value = v.value / in;
        p.limit = v.limit / in;
        p.unit = "1";
        if (!is_ratio) set_units(p, q);
        p.active = std::abs(v.value - v.limit) <= 1e-7 * v.limit;
        break;
      }
      case LimitValue::Kind::sample: {
        const Sample& s = program.sample(v.index);
        if (!s.is_limit() || std::isinf(s.upper) || program.is_of_text(s))
          continue;
        // if a ratio is minimised, limits are missed by the same factor
        const bool active = problem.objective.kind == Objective::Kind::margin
                                ? multiplier > 0
                                : std::abs(v.value - v.limit) <=
                                      1e-7 * std::max(std::abs(v.limit), 1e-30);
        // of the others the nearest point of each limit is listed
        if (!active) continue;
        const auto price_range = p.price_range;
        p = price_of_sample(program, v);
        p.price_range = price_range;
        p.active = true;
        p.multiplier = multiplier;
        listed.insert(limit_of(program, v));
        break;
      }
    }
    if (!is_length) set_price(p);
    if (p.price_range) {
      p.price_range->first *= p.limit;
      p.price_range->second *= p.limit;
    }
    result.limits.push_back(std::move(p));
  }
  for (const LimitValue& v : nearest_points(mine, best.x, listed)) {
    LimitPrice p = price_of_sample(program, v);
    set_price(p);
    result.limits.push_back(std::move(p));
  }
  for (LimitPrice& p : limits_by_hits(mine, best.x, listed)) {
    set_price(p);
    result.limits.push_back(std::move(p));
  }
  const DesignSpace& space = program.space();
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& v = space.variables[i];
    const auto k = static_cast<Index>(i);
    const double share = v.scaled(best.x[i]);
    const double per =
        v.unit.empty() || v.is_factor ||
                space.keys[v.keys[0]].dimension == Dimension::length
            ? 1
            : v.unit_value;
    BoundPrice bound;
    bound.at_lower = share <= 1e-7;
    bound.at_upper = 1 - share <= 1e-7;
    bound.multiplier = (relaxed.at_lower[k] + relaxed.at_upper[k]) /
                       v.span_at(best.x[i]) * per;
    const std::string in = v.unit.empty() || v.is_factor ? "1" : v.unit;
    bound.price = bound.multiplier * scale * (v.unit_value / per);
    bound.price_unit = priced(in);
    bound.asked_for =
        is_asked_for(program, best, k) || changes_what_is_asked(mine, best, k);
    result.bounds.push_back(std::move(bound));
  }
  return result;
}

}  // namespace gttf
