// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/optimisation_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/core/readable.hpp"
#include "gttf/study/optimise/missed_limits.hpp"
#include "gttf/study/optimise/pareto_view.hpp"
#include "gttf/study/optimise/unseen_optima.hpp"

namespace gttf {
namespace {

std::string bound_of(const BoundPrice& bound) {
  return bound.at_lower ? "from" : bound.at_upper ? "to" : "";
}

std::string in_one_sentence(const Diagnostic& d) {
  return d.problem + (d.suggestion.empty() ? "" : "; " + d.suggestion);
}

/// Whether the design of the file is within all limits. If the margin is
/// minimised, the largest ratio to them is the objective.
bool start_meets_limits(const SearchResult& result) {
  const DesignProgram& program = *result.program;
  return result.start_is_feasible &&
         (program.problem().objective.kind != Objective::Kind::margin ||
          program.in_unit(result.start_f) <= 1 + design_feasible);
}

/// Whether the design of the file is within the ranges.
bool start_is_in_range(const DesignSpace& space) {
  return std::ranges::all_of(space.variables, [&](const DesignVariable& v) {
    return v.contains(v.start) &&
           (v.is_factor || std::ranges::all_of(v.keys, [&](std::size_t k) {
              return v.contains(space.keys[k].start);
            }));
  });
}

Document reals(const std::vector<double>& list) {
  return Document::List(list.begin(), list.end());
}

}  // namespace

Table optimisation_table(const SearchResult& result) {
  Texts key, unit, at_bound;
  Reals value, start, from, to, multiplier;
  const DesignSpace& space = result.program->space();
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& v = space.variables[i];
    key.push_back(v.name);
    unit.push_back(v.unit);
    value.push_back(result.best.x[i] / v.unit_value);
    start.push_back(v.start / v.unit_value);
    from.push_back(v.from / v.unit_value);
    to.push_back(v.to / v.unit_value);
    at_bound.push_back(bound_of(result.bounds[i]));
    multiplier.push_back(result.bounds[i].multiplier);
  }
  Table table;
  table.add("key", std::move(key));
  table.add("value", std::move(value));
  table.add("unit", std::move(unit));
  table.add("start", std::move(start));
  table.add("from", std::move(from));
  table.add("to", std::move(to));
  table.add("at_bound", std::move(at_bound));
  table.add("multiplier", std::move(multiplier));
  return table;
}

Table history_table(const DesignProgram& program,
                    const std::vector<LookedAt>& designs, std::int64_t start) {
  const std::size_t n = designs.size();
  Integers evaluation;
  Reals objective, violation;
  for (const LookedAt& d : designs) {
    evaluation.push_back(static_cast<std::int64_t>(evaluation.size()) + 1);
    objective.push_back(program.in_unit(d.f));
    violation.push_back(d.violation);
  }
  Table table;
  table.add("start", Integers(n, start));
  table.add("evaluation", std::move(evaluation));
  table.add("objective", std::move(objective));
  table.add("violation", std::move(violation));
  const DesignSpace& space = program.space();
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& v = space.variables[i];
    Reals values;
    for (const LookedAt& d : designs) values.push_back(d.x[i] / v.unit_value);
    table.add(v.unit.empty() ? v.name : fmt::format("{} [{}]", v.name, v.unit),
              std::move(values));
  }
  return table;
}

std::string construction_text(const ConstructionResult& c) {
  const auto percent = [](double x) { return readable(100 * x, 3) + " %"; };
  std::string text = fmt::format(
      "rms {}, mean {} {}", percent(c.by_derivatives() ? c.first : c.rms),
      percent(c.shift),
      c.by_derivatives() ? "(first derivatives, confirmed by samples)"
                         : fmt::format("(sampled; first derivatives give {})",
                                       percent(c.first)));
  text += fmt::format("; 95 % of {} detectors are below {}", c.samples,
                      percent(c.high));
  if (c.violation > 0)
    text +=
        fmt::format(" and miss no limit by more than {}", percent(c.violation));
  if (c.lost > 0) text += fmt::format("; {} lose hits", c.lost);
  return text;
}

namespace {

Document construction_document(const ConstructionResult& c) {
  Document::List keys;
  for (const ConstructionEffect& e : c.effects)
    keys.push_back(Document()
                       .set("key", e.key)
                       .set("rms", e.rms)
                       .set("unit", e.unit)
                       .set("first", e.first)
                       .set("second", e.second)
                       .set("method", e.by_derivative() ? "first derivative"
                                                        : "second derivative"));
  return Document()
      .set("method", c.by_derivatives() ? "first derivatives" : "sampled")
      .set("rms", c.by_derivatives() ? c.first : c.rms)
      .set("first", c.first)
      .set("sampled", c.rms)
      .set("mean", c.shift)
      .set("below_95", c.high)
      .set("violation_95", c.violation)
      .set("samples", static_cast<std::int64_t>(c.samples))
      .set("lost", static_cast<std::int64_t>(c.lost))
      .set("text", construction_text(c))
      .set("keys", std::move(keys));
}

Document front_document(const ParetoFront& front) {
  Document::List list;
  for (const ParetoPoint& p : front.points) {
    Document point, limits, variables, choices;
    for (std::size_t i = 0; i < front.names.size(); ++i) {
      point.set(front.names[i], p.values[i]);
      if (p.limits[i]) limits.set(front.names[i], *p.limits[i]);
    }
    point.set("limits", std::move(limits));
    for (std::size_t v = 0; v < front.variables.size(); ++v)
      variables.set(front.variables[v].name,
                    p.x[v] / front.variables[v].unit_value);
    for (std::size_t c = 0; c < front.choices.size(); ++c)
      choices.set(front.choices[c], p.chosen[c]);
    point.set("variables", std::move(variables));
    if (!front.choices.empty()) point.set("choices", std::move(choices));
    point.set("certificate", to_string(p.certificate.kind));
    list.push_back(std::move(point));
  }
  return Document(std::move(list));
}

}  // namespace

Document optimisation_document(const OptimisationResults& results,
                               double cpu_s) {
  const SearchResult& result = results.search;
  const DesignProgram& program = *result.program;
  const OptimisationProblem& problem = program.problem();
  Document document;
  document.set("name", problem.name.empty() ? problem.file : problem.name);
  document.set("found", result.found);
  if (result.interrupted) document.set("interrupted", true);
  if (result.is_start) document.set("is_start", true);
  document.set("objective",
               Document()
                   .set("name", problem.objective.name)
                   .set("value", result.best.result.exists
                                     ? result.program->objective_at(
                                           result.best.x, result.best.f)
                                     : Resolution::none)
                   .set("start", program.in_unit(result.start_f))
                   .set("unit", objective_unit(problem).name)
                   .set("start_meets_limits", start_meets_limits(result))
                   .set("start_in_range", start_is_in_range(program.space()))
                   .set("logarithmic", problem.objective.logarithmic));
  Document::List variables, choices, constraints;
  const DesignSpace& space = program.space();
  if (result.best.result.exists) {
    for (std::size_t i = 0; i < space.size(); ++i) {
      const DesignVariable& v = space.variables[i];
      variables.push_back(Document()
                              .set("key", v.name)
                              .set("value", result.best.x[i] / v.unit_value)
                              .set("unit", v.unit)
                              .set("start", v.start / v.unit_value)
                              .set("from", v.from / v.unit_value)
                              .set("to", v.to / v.unit_value)
                              .set("at_bound", bound_of(result.bounds[i]))
                              .set("multiplier", result.bounds[i].multiplier)
                              .set("price", result.bounds[i].price)
                              .set("price_unit", result.bounds[i].price_unit)
                              .set("asked_for", result.bounds[i].asked_for));
    }
    for (std::size_t i = 0; i < problem.choices.size(); ++i)
      choices.push_back(Document()
                            .set("name", problem.choices[i].name)
                            .set("chosen", program.combination().chosen[i]));
  }
  for (const LimitPrice& p : result.limits)
    constraints.push_back(
        Document()
            .set("name", p.name)
            .set("value", p.value)
            .set("limit", p.limit)
            .set("unit", p.unit)
            .set("active", p.active)
            .set("multiplier", p.multiplier)
            .set("price", p.price)
            .set("price_unit", p.price_unit)
            .set("shown_unit", p.shown_unit)
            .set("price_range", p.price_range ? reals({p.price_range->first,
                                                       p.price_range->second})
                                              : Document()));
  document.set("variables", std::move(variables));
  document.set("choices", std::move(choices));
  document.set("constraints", std::move(constraints));
  const Certificate& c = result.certificate;
  std::vector<double> optima;
  // those of a ratio are not in the unit of the objective
  if (!result.infeasible)
    for (const double f : c.optima) optima.push_back(program.in_unit(f));
  document.set("certificate",
               Document()
                   .set("kind", to_string(c.kind))
                   .set("gap", c.gap)
                   .set("starts", static_cast<std::int64_t>(c.starts))
                   .set("most_starts", static_cast<std::int64_t>(c.most_starts))
                   .set("reached", static_cast<std::int64_t>(c.reached))
                   .set("optima", static_cast<std::int64_t>(c.optima.size()))
                   .set("residual", c.residual)
                   .set("text", certificate_text(result))
                   .set("local_optima", reals(optima)));
  Document::List by_differences;
  for (std::string& name : result.program->by_differences())
    by_differences.emplace_back(std::move(name));
  document.set("by_differences", std::move(by_differences));
  document.set(
      "verify",
      Document()
          .set("points", static_cast<std::int64_t>(result.verify_points))
          .set("largest_violation", result.verify_violation));
  if (result.infeasible) {
    const Infeasible& least = *result.infeasible;
    Document place;
    if (least.missing)
      place.set("missing_mm", *least.missing);
    else
      place.set("ratio", least.ratio);
    place.set("requirement", least.requirement);
    if (least.track)
      place.set("p_GeV", least.track->p)
          .set("theta_deg", in_degrees(least.track->theta));
    document.set("infeasible", std::move(place));
  }
  if (results.front) {
    const ParetoFront& front = *results.front;
    document.set("pareto", front_document(front));
    Document::List objectives;
    Document present;
    for (std::size_t i = 0; i < front.names.size(); ++i) {
      objectives.push_back(
          Document().set("name", front.names[i]).set("unit", front.units[i]));
      present.set(front.names[i], front.present[i]);
    }
    present.set("meets_limits", front.present_is_feasible);
    document.set("pareto_objectives", std::move(objectives));
    document.set("present", std::move(present));
  }
  if (results.construction)
    document.set("tolerances", construction_document(*results.construction));
  Document::List warnings;
  for (const Diagnostic& d : results.design.warnings.items())
    warnings.emplace_back(in_one_sentence(d));
  document.set("warnings", std::move(warnings));
  if (!results.design.text.empty()) {
    Document::List overrides;
    for (const std::string& text : problem.input.overrides)
      overrides.emplace_back(text);
    document.set("detector", Document()
                                 .set("file", problem.input.detector.file)
                                 .set("set", std::move(overrides))
                                 .set("before", problem.input.text)
                                 .set("after", results.design.text));
  }
  document.set(
      "effort",
      Document()
          .set("covariances",
               static_cast<std::int64_t>(result.effort.covariances))
          .set("gradients", static_cast<std::int64_t>(result.effort.gradients))
          .set("designs", static_cast<std::int64_t>(result.effort.designs))
          .set("cpu_s", cpu_s));
  return document;
}

std::string certificate_text(const SearchResult& result) {
  const Certificate& c = result.certificate;
  const std::string of = !result.infeasible           ? ""
                         : result.infeasible->missing ? "of the least miss: "
                                                      : "of the least ratio: ";
  switch (c.kind) {
    case Certificate::Kind::none:
      return "none: " + c.reason;
    case Certificate::Kind::proven:
      return "proven: " + c.reason;
    case Certificate::Kind::bounded:
      return fmt::format("within {} % of a bound: {}", readable(100 * c.gap, 3),
                         c.reason);
    case Certificate::Kind::local:
      return of + "local: one solution from the design of the file";
    case Certificate::Kind::best_of_starts:
      break;
  }
  std::string text = fmt::format(
      "{}best of {} starts: {} reached it, {} optim{} seen", of, c.starts,
      c.reached, c.optima.size(), c.optima.size() == 1 ? "um" : "a");
  if (c.met_limits > 1)
    text += fmt::format(
        ", share of the unseen about {} %",
        readable(100 * unseen_share(c.met_limits, c.optima.size()), 2));
  if (c.is_enough)
    text +=
        fmt::format("; the rest of {} starts are unlikely to find another one",
                    c.most_starts);
  else if (c.starts < c.most_starts)
    text += fmt::format(
        "; {} others have no value, as where tracks lose hits that must be "
        "kept",
        c.most_starts - c.starts);
  return text;
}

Summary optimisation_summary(const OptimisationResults& results) {
  const SearchResult& result = results.search;
  const DesignProgram& program = *result.program;
  const OptimisationProblem& problem = program.problem();
  Summary summary;
  summary.title = problem.name.empty() ? problem.file : problem.name;
  Section head;
  const std::string unit = objective_unit(problem).name;
  if (!result.best.result.exists) {
    head.facts.emplace_back("result", result.certificate.reason);
    summary.sections.push_back(std::move(head));
    return summary;
  }
  head.facts.emplace_back(problem.objective.name,
                          with_unit(program.in_unit(result.best.f), unit, 8));
  head.facts.emplace_back(
      "at the start",
      with_unit(program.in_unit(result.start_f), unit, 8) +
          (start_meets_limits(result) ? "" : ", limits not met") +
          (start_is_in_range(program.space()) ? ""
                                              : ", outside of the ranges"));
  if (!result.found) {
    const auto missed = missed_limits(program, result.best.x);
    if (missed.empty())
      head.facts.emplace_back(
          "limits", fmt::format("not met: beyond by {} %",
                                readable(100 * result.verify_violation, 3)));
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, missed.size()); ++i)
      head.facts.emplace_back("limits", "not met: " + missed[i]);
    if (missed.size() > most)
      head.facts.emplace_back(
          "limits", fmt::format("not met: {} more", missed.size() - most));
  }
  if (result.interrupted)
    head.facts.emplace_back(
        "search",
        result.is_start ? "interrupted: the design of the file"
        : result.best.feasible && !result.found
            ? "interrupted: the best so far, which meets the limits only at "
              "the points of the search"
            : "interrupted: the best so far");
  if (!problem.pareto.of.empty() && !results.front)
    head.facts.emplace_back("Pareto front",
                            "not calculated: the search was interrupted");
  head.facts.emplace_back("certificate", certificate_text(result));
  if (result.needs_hits)
    head.facts.emplace_back("hits",
                            "tracks keep those of the original detector; no "
                            "better design with fewer hits was found");
  if (program.space().size() > 0) {
    head.facts.emplace_back("residual",
                            readable(result.certificate.residual, 2));
    if (const auto names = result.program->by_differences(); !names.empty())
      head.facts.emplace_back(
          "derivatives",
          fmt::format("by differences for {}", fmt::join(names, ", ")));
  }
  if (result.verify_points > 0)
    head.facts.emplace_back(
        "verified",
        fmt::format("{} point{}, largest violation {}", result.verify_points,
                    result.verify_points == 1 ? "" : "s",
                    readable(result.verify_violation, 2)));
  if (result.infeasible && !result.infeasible->missing) {
    const Infeasible& least = *result.infeasible;
    std::string text =
        fmt::format("{} of {}", readable(least.ratio, 4), least.requirement);
    if (least.track)
      text += fmt::format(" at p = {} GeV, theta = {} deg",
                          readable(least.track->p, 4),
                          readable(in_degrees(least.track->theta), 4));
    head.facts.emplace_back("least ratio", std::move(text));
  }
  for (std::size_t i = 0; i < problem.choices.size(); ++i)
    head.facts.emplace_back(problem.choices[i].name,
                            program.combination().chosen[i]);
  if (result.found) {
    std::string names;
    for (std::size_t i = 0; i < result.bounds.size(); ++i)
      if (!result.bounds[i].asked_for)
        names +=
            (names.empty() ? "" : ", ") + program.space().variables[i].name;
    if (!names.empty())
      head.facts.emplace_back("no resolution depends on", names);
  }
  if (!problem.construction.empty() && !results.construction)
    head.facts.emplace_back("tolerances",
                            "not computed: no design meets the limits");
  for (const Diagnostic& d : results.design.warnings.items())
    head.facts.emplace_back("warning", in_one_sentence(d));
  summary.sections.push_back(std::move(head));
  if (program.space().size() > 0) {
    Table table = optimisation_table(result);
    table.columns.pop_back();
    Texts price;
    for (const BoundPrice& b : result.bounds)
      price.push_back(
          b.price > 0 ? fmt::format("{} {}", readable(b.price, 3), b.price_unit)
                      : "-");
    table.add("price", std::move(price));
    summary.sections.push_back({"Variables", {}, std::move(table), 6});
  }
  if (!result.limits.empty()) {
    Texts name, value, limit, price, range;
    for (const LimitPrice& p : result.limits) {
      name.push_back(p.name);
      value.push_back(with_unit(p.value / p.shown, p.shown_unit, 6));
      limit.push_back(with_unit(p.limit / p.shown, p.shown_unit, 6));
      price.push_back(
          p.active && p.price != 0
              ? fmt::format("{} {}", readable(p.price, 4), p.price_unit)
              : "-");
      range.push_back(
          p.price_range
              ? fmt::format(
                    "{} to {}", readable(p.price_range->first / p.shown, 4),
                    with_unit(p.price_range->second / p.shown, p.shown_unit, 4))
              : "-");
    }
    Table table;
    table.add("limit_on", std::move(name));
    table.add("value", std::move(value));
    table.add("limit", std::move(limit));
    table.add("price", std::move(price));
    table.add("price_holds", std::move(range));
    summary.sections.push_back({"Limits", {}, std::move(table)});
  }
  if (results.front) {
    const ParetoFront& front = *results.front;
    Section section{"Pareto front", {}, {}};
    std::string present;
    for (std::size_t i = 0; i < front.names.size(); ++i)
      present += (present.empty() ? "" : ", ") +
                 with_unit(front.present[i], front.units[i], 5);
    section.facts.emplace_back(
        "present detector",
        present + (front.present_is_feasible ? "" : ", limits not met"));
    Table table = pareto_table(front);
    table.columns.resize(front.names.size());
    section.table = std::move(table);
    section.digits = 6;
    summary.sections.push_back(std::move(section));
  }
  if (results.construction) {
    const ConstructionResult& c = *results.construction;
    Section section{"Tolerances", {}, {}};
    section.facts.emplace_back("effect", construction_text(c));
    Texts key, rms, effect, by;
    for (const ConstructionEffect& e : c.effects) {
      key.push_back(e.key);
      rms.push_back(with_unit(e.rms, e.unit, 3));
      effect.push_back(
          readable(100 * (e.by_derivative() ? e.first : e.second), 3) + " %");
      by.emplace_back(e.by_derivative() ? "first derivative"
                                        : "second derivative");
    }
    section.table.add("key", std::move(key));
    section.table.add("rms", std::move(rms));
    section.table.add("effect", std::move(effect));
    section.table.add("by", std::move(by));
    summary.sections.push_back(std::move(section));
  }
  return summary;
}

std::vector<std::string> best_file_header(const SearchResult& result) {
  const DesignProgram& program = *result.program;
  const OptimisationProblem& problem = program.problem();
  return {fmt::format("Found by gttf-design optimise {}: {} {}", problem.file,
                      problem.objective.name,
                      with_unit(program.in_unit(result.best.f),
                                objective_unit(problem).name, 8)),
          "Certificate: " + certificate_text(result)};
}

}  // namespace gttf
