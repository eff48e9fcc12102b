// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/missed_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "gttf/core/readable.hpp"

namespace gttf {
namespace {

struct Missed {
  double amount = 0;  ///< relative; of a length in DesignProgram::gap_unit
  std::string text;
};

std::string text_of_track(const Track& track) {
  return fmt::format("at p = {:.6g} GeV, theta = {:.6g} deg", track.p,
                     in_degrees(track.theta));
}

std::string text_of_miss(const std::string& name, const std::string& value,
                         const std::string& limit, double amount) {
  return fmt::format("{}: {} instead of {}, beyond by {} %", name, value, limit,
                     readable(100 * amount, 3));
}

/// Of gaps, envelopes, coverages, quantities and means.
void add_limits_of_design(DesignProgram program, const std::vector<double>& x,
                          std::vector<Missed>& to) {
  const OptimisationProblem& problem = program.problem();
  for (const LimitValue& v : program.limits_at(x, {})) {
    const double beyond = v.is_lower ? v.limit - v.value : v.value - v.limit;
    using Kind = LimitValue::Kind;
    const bool is_length = v.kind != Kind::quantity && v.kind != Kind::mean;
    const double amount = beyond / (is_length      ? DesignProgram::gap_unit
                                    : v.limit != 0 ? std::abs(v.limit)
                                                   : 1);
    if (!(amount > design_feasible)) continue;
    if (is_length) {
      to.push_back(
          {amount, fmt::format("{}, by {} mm", v.name, readable(beyond, 3))});
    } else if (v.kind == Kind::quantity) {
      const QuantityLimit& limit = problem.limits[v.index];
      const auto text = [&](double value) {
        return readable(value / limit.unit_value, 4) +
               (limit.unit.empty() ? "" : ' ' + limit.unit);
      };
      to.push_back({amount, text_of_miss(limit.name, text(v.value),
                                         text(v.limit), amount)});
    } else {
      const MeanLimit& mean = problem.means[v.index];
      const auto text = [&](double value) {
        return mean.scale ? readable(value, 4)
                          : shown(mean.criterion.quantity, value, 4);
      };
      to.push_back(
          {amount, text_of_miss(v.name, text(v.value), text(v.limit), amount)});
    }
  }
}

/// Of columns: the worst point of each.
void add_limits_of_columns(DesignProgram program, const std::vector<double>& x,
                           std::vector<Missed>& to) {
  const OptimisationProblem& problem = program.problem();
  const Detector detector = program.detector_at(x);
  for (const RequirementFile& file : problem.requirements) {
    const RequirementFile finer = refined(file, problem.refine);
    const CheckOutcome outcome =
        check(finer, std::span(&detector, 1), Engine::streaming, 1);
    for (const CheckResult& result : outcome.results) {
      if (result.passed()) continue;
      const Criterion& criterion = finer.criteria[result.criterion];
      const CheckedQuantity& quantity = criterion.quantity;
      const CheckedPoint& worst = result.worst_point();
      const StudyRequest grid = grid_of(finer, result);
      const std::string place = text_of_track(grid_track(grid, worst.point));
      if (std::isnan(worst.margin)) {
        to.push_back(
            {1, fmt::format("{} has no value {}{}", criterion.name, place,
                            worst.status.empty() || worst.status == "ok"
                                ? ""
                                : ": " + worst.status)});
        continue;
      }
      const bool is_lower =
          std::isnan(worst.upper) || worst.value < worst.lower;
      const double limit = is_lower ? worst.lower : worst.upper;
      const int digits = distinct_digits(worst.value / quantity.shown_unit,
                                         limit / quantity.shown_unit);
      to.push_back(
          {-worst.margin,
           text_of_miss(criterion.name, shown(quantity, worst.value, digits),
                        shown(quantity, limit, digits) + ' ' + place,
                        -worst.margin)});
    }
  }
}

/// The first point of some requirements that has no value; empty: all have.
std::string first_without_value(const RequirementFile& file,
                                const Detector& detector) {
  const CheckOutcome outcome =
      check(file, std::span(&detector, 1), Engine::streaming, 1);
  for (const CheckResult& result : outcome.results) {
    const Criterion& criterion = file.criteria[result.criterion];
    if (criterion.quantity.kind != CheckedQuantity::Kind::number) continue;
    const StudyRequest grid = grid_of(file, result);
    for (const CheckedPoint& point : result.points)
      if (std::isnan(point.value))
        return fmt::format("{} has no value {}{}", criterion.name,
                           text_of_track(grid_track(grid, point.point)),
                           point.status.empty() || point.status == "ok"
                               ? ""
                               : ": " + point.status);
  }
  return {};
}

}  // namespace

std::vector<std::string> missed_limits(const DesignProgram& program,
                                       const std::vector<double>& x) {
  std::vector<Missed> missed;
  add_limits_of_design(program, x, missed);
  add_limits_of_columns(program, x, missed);
  std::ranges::stable_sort(missed, std::ranges::greater(), &Missed::amount);
  std::vector<std::string> texts;
  for (Missed& one : missed) texts.push_back(std::move(one.text));
  return texts;
}

std::string missing_value(const DesignProgram& program,
                          const std::vector<double>& x) {
  const OptimisationProblem& problem = program.problem();
  const Detector detector = DesignProgram(program).detector_at(x);
  RequirementFile own;
  own.request = problem.request;
  own.criteria.push_back(problem.objective.criterion);
  for (const MeanLimit& mean : problem.means)
    own.criteria.push_back(mean.criterion);
  // a quantity has no points
  std::erase_if(own.criteria,
                [](const Criterion& c) { return c.points.empty(); });
  std::string first = first_without_value(own, detector);
  for (std::size_t f = 0; first.empty() && f < problem.requirements.size(); ++f)
    first = first_without_value(problem.requirements[f], detector);
  return first;
}

}  // namespace gttf
