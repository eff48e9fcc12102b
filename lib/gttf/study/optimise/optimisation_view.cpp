// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/optimisation_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gttf/core/readable.hpp"

namespace gttf {
namespace {

std::string bound_of(const BoundPrice& bound) {
  return bound.at_lower ? "from" : bound.at_upper ? "to" : "";
}

std::string with_unit(double value, const std::string& unit, int digits) {
  const std::string text = readable(value, digits);
  if (unit.empty() || unit == "1") return text;
  return text + ' ' + unit;
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

Document optimisation_document(const SearchResult& result, double cpu_s) {
  const DesignProgram& program = *result.program;
  const OptimisationProblem& problem = program.problem();
  Document document;
  document.set("name", problem.name);
  document.set("found", result.found);
  if (result.interrupted) document.set("interrupted", true);
  document.set("objective",
               Document()
                   .set("name", problem.objective.name)
                   .set("value", result.best.result.exists
                                     ? program.in_unit(result.best.f)
                                     : Resolution::none)
                   .set("start", program.in_unit(result.start_f))
                   .set("unit", objective_unit(problem).name));
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
                              .set("multiplier", result.bounds[i].multiplier));
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
            .set("price_range", p.price_range ? reals({p.price_range->first,
                                                       p.price_range->second})
                                              : Document()));
  document.set("variables", std::move(variables));
  document.set("choices", std::move(choices));
  document.set("constraints", std::move(constraints));
  const Certificate& c = result.certificate;
  std::vector<double> optima;
  for (const double f : c.optima) optima.push_back(program.in_unit(f));
  document.set("certificate",
               Document()
                   .set("kind", to_string(c.kind))
                   .set("gap", c.gap)
                   .set("starts", static_cast<std::int64_t>(c.starts))
                   .set("reached", static_cast<std::int64_t>(c.reached))
                   .set("optima", static_cast<std::int64_t>(c.optima.size()))
                   .set("residual", c.residual)
                   .set("text", certificate_text(result))
                   .set("local_optima", reals(optima)));
  document.set(
      "verify",
      Document()
          .set("points", static_cast<std::int64_t>(result.verify_points))
          .set("largest_violation", result.verify_violation));
  if (result.infeasible)
    document.set(
        "infeasible",
        Document()
            .set("ratio", result.infeasible->ratio)
            .set("requirement", result.infeasible->requirement)
            .set("p_GeV", result.infeasible->track.p)
            .set("theta_deg", in_degrees(result.infeasible->track.theta)));
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
  switch (c.kind) {
    case Certificate::Kind::proven:
      return "proven: " + c.reason;
    case Certificate::Kind::bounded:
      return fmt::format("within {} % of a bound: {}", readable(100 * c.gap, 3),
                         c.reason);
    case Certificate::Kind::local:
      return "local: one solution from the design of the file";
    case Certificate::Kind::best_of_starts:
      break;
  }
  const auto n = static_cast<double>(c.starts),
             w = static_cast<double>(c.optima.size());
  std::string text = fmt::format(
      "best of {} starts: {} reached it, {} optim{} seen", c.starts, c.reached,
      c.optima.size(), c.optima.size() == 1 ? "um" : "a");
  // Source: [BoenderRinnooyKan87]
  if (c.starts > 1)
    text += fmt::format(", share of the unseen about {} %",
                        readable(100 * w * (w + 1) / (n * (n - 1)), 2));
  return text;
}

Summary optimisation_summary(const SearchResult& result) {
  const DesignProgram& program = *result.program;
  const OptimisationProblem& problem = program.problem();
  Summary summary;
  summary.title = problem.name.empty() ? problem.file : problem.name;
  Section head;
  const std::string unit = objective_unit(problem).name;
  if (!result.best.result.exists) {
    head.facts.emplace_back("result", "no design has a value");
    summary.sections.push_back(std::move(head));
    return summary;
  }
  head.facts.emplace_back(problem.objective.name,
                          with_unit(program.in_unit(result.best.f), unit, 8));
  head.facts.emplace_back(
      "at the start", with_unit(program.in_unit(result.start_f), unit, 8) +
                          (result.start_is_feasible ? "" : ", limits not met"));
  if (!result.found)
    head.facts.emplace_back(
        "limits", fmt::format("not met: beyond by {} %",
                              readable(100 * std::max(result.best.violation,
                                                      result.verify_violation),
                                       3)));
  if (result.interrupted)
    head.facts.emplace_back("search", "interrupted: the best so far");
  head.facts.emplace_back("certificate", certificate_text(result));
  if (program.space().size() > 0)
    head.facts.emplace_back("residual",
                            readable(result.certificate.residual, 2));
  if (result.verify_points > 0)
    head.facts.emplace_back(
        "verified",
        fmt::format("{} points, largest violation {}", result.verify_points,
                    readable(result.verify_violation, 2)));
  if (result.infeasible)
    head.facts.emplace_back(
        "least ratio",
        fmt::format("{} of {} at p = {} GeV, theta = {} deg",
                    readable(result.infeasible->ratio, 4),
                    result.infeasible->requirement,
                    readable(result.infeasible->track.p, 4),
                    readable(in_degrees(result.infeasible->track.theta), 4)));
  for (std::size_t i = 0; i < problem.choices.size(); ++i)
    head.facts.emplace_back(problem.choices[i].name,
                            program.combination().chosen[i]);
  summary.sections.push_back(std::move(head));
  if (program.space().size() > 0) {
    Table table = optimisation_table(result);
    table.columns.pop_back();
    summary.sections.push_back({"Variables", {}, std::move(table), 6});
  }
  if (!result.limits.empty()) {
    Texts name, value, limit, price;
    for (const LimitPrice& p : result.limits) {
      name.push_back(p.name);
      value.push_back(with_unit(p.value, p.unit, 6));
      limit.push_back(with_unit(p.limit, p.unit, 6));
      price.push_back(
          p.active && p.price != 0
              ? fmt::format("{} {}", readable(p.price, 4), p.price_unit)
              : "-");
    }
    Table table;
    table.add("limit_on", std::move(name));
    table.add("value", std::move(value));
    table.add("limit", std::move(limit));
    table.add("price", std::move(price));
    summary.sections.push_back({"Limits", {}, std::move(table)});
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
