// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/optimisation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "gttf/core/readable.hpp"
#include "gttf/study/report/report_figures.hpp"

namespace gttf {
namespace {

RichText number_in(double value, const std::string& unit, int digits) {
  const RichText text = rich_number(value, digits);
  if (unit.empty() || unit == "1") return text;
  return text + " " + literal_text(unit);
}

void add_row(PageSection& section, PageRow::Split split,
             std::vector<PageBlock> blocks) {
  section.rows.push_back({split, std::move(blocks)});
}

/// The tracks for drawings: those of the objective and the limits.
StudyRequest request_for_drawings(const OptimisationProblem& problem) {
  StudyRequest request = problem.request;
  const Criterion* criterion = &problem.objective.criterion;
  if (criterion->points.empty() && !problem.requirements.empty())
    criterion = &problem.requirements.front().criteria.front();
  request.momentum = criterion->momentum;
  request.angle = criterion->angle;
  if (request.momentum.values.empty()) request.momentum.values = {1};
  if (request.angle.values.empty())
    request.angle = {AngleAxis::Variable::theta, {90 * unit::deg}, false};
  return request;
}

PageTable variable_table(const SearchResult& result) {
  PageTable table;
  table.title = "Variables";
  table.columns = {{"variable", false},
                   {"before"},
                   {"after"},
                   {"range"},
                   {"price of its bound"}};
  const DesignSpace& space = result.program->space();
  for (std::size_t i = 0; i < space.size(); ++i) {
    const DesignVariable& v = space.variables[i];
    const BoundPrice& b = result.bounds[i];
    RichText price;
    if (b.price > 0)
      price = rich_number(b.price, 3) + " " + literal_text(b.price_unit);
    else if (b.at_lower || b.at_upper)
      price = "none";
    if (!b.asked_for)
      price += price.empty() ? "no resolution depends on it"
                             : "; no resolution depends on it";
    table.rows.push_back({literal_text(v.name),
                          number_in(v.start / v.unit_value, v.unit, 5),
                          number_in(result.best.x[i] / v.unit_value, v.unit, 5),
                          rich_number(v.from / v.unit_value, 4) + " – " +
                              number_in(v.to / v.unit_value, v.unit, 4),
                          std::move(price)});
  }
  table.caption =
      "The price is the cost of an active bound: the objective falls by this "
      "amount for each unit by which the bound is relaxed.";
  table.id = "variables";
  table.data = optimisation_table(result);
  return table;
}

PageTable limit_table(const SearchResult& result) {
  PageTable table;
  table.title = "Limits";
  table.columns = {{"limit on", false},
                   {"value"},
                   {"limit"},
                   {"price"},
                   {"holds for limits"}};
  for (const bool active : {true, false})
    for (const LimitPrice& p : result.limits) {
      if (p.active != active) continue;
      table.rows.push_back(
          {literal_text(p.name), number_in(p.value, p.unit, 5),
           number_in(p.limit, p.unit, 5),
           p.multiplier > 0
               ? rich_number(p.price, 3) + " " + literal_text(p.price_unit)
               : RichText("–"),
           p.price_range ? rich_number(p.price_range->first, 4) + " – " +
                               number_in(p.price_range->second, p.unit, 4)
                         : RichText("–")});
    }
  table.caption =
      "Active limits come first. The price is the gain per unit by which a "
      "limit is relaxed; outside its range other limits are active.";
  return table;
}

PageTable optima_table(const SearchResult& result) {
  PageTable table;
  table.title = "Local optima";
  table.columns = {{"rank"}, {"objective"}, {"above the best"}};
  const std::string unit = objective_unit(result.program->problem()).name;
  constexpr std::size_t most = 10;
  const std::vector<double>& list = result.certificate.optima;
  for (std::size_t i = 0; i < std::min(most, list.size()); ++i)
    table.rows.push_back(
        {std::to_string(i + 1),
         number_in(result.program->in_unit(list[i]), unit, 6),
         rich_number(100 * std::expm1(list[i] - list[0]), 3) + " %"});
  return table;
}

PageTable construction_table(const ConstructionResult& c) {
  PageTable table;
  table.title = "Errors of construction";
  table.columns = {
      {"number", false}, {"rms"}, {"effect of one rms"}, {"by", false}};
  for (const ConstructionEffect& e : c.effects)
    table.rows.push_back(
        {literal_text(e.key), number_in(e.rms, e.unit, 3),
         rich_number(100 * (e.by_derivative() ? e.first : e.second), 3) + " %",
         e.by_derivative() ? "first derivative" : "second derivative"});
  table.caption = literal_text(construction_text(c));
  return table;
}

PageSection layout_section(const SearchResult& result, const Detector& before,
                           const Detector& after, unsigned threads) {
  using detail::make_subject;
  PageSection section{"layout", "Before and after", {}, "Layout"};
  const StudyRequest request = request_for_drawings(result.program->problem());
  std::vector<PageBlock> figures;
  std::size_t index = 0;
  for (const Detector* detector : {&before, &after}) {
    const detail::ReportSubject subject =
        make_subject(request, *detector, index, 2, threads);
    Figure figure = detail::has_barrel(*detector)
                        ? detail::layout_rz_figure(subject)
                        : detail::layout_side_figure(subject, Axis::x);
    figure.title = index == 0 ? "Before" : "After";
    figures.emplace_back(std::move(figure));
    ++index;
  }
  add_row(section, PageRow::Split::halves, std::move(figures));
  return section;
}

}  // namespace

Page optimisation_page(const OptimisationResults& results, unsigned threads) {
  const SearchResult& result = results.search;
  const DesignProgram& program = *result.program;
  const OptimisationProblem& problem = program.problem();
  Page page;
  page.title = literal_text(problem.name.empty() ? problem.file : problem.name);
  page.conditions = literal_text(certificate_text(result));
  PageSection head{"result", "Result", {}, "Result"};
  const std::string unit = objective_unit(problem).name;
  RichText lead = literal_text(problem.objective.name) + " is " +
                  number_in(program.in_unit(result.best.f), unit, 5) + ", " +
                  number_in(program.in_unit(result.start_f), unit, 5) +
                  " before";
  if (!result.start_is_feasible) lead += ", which misses limits";
  if (!result.found) lead += "; limits are not met";
  add_row(head, PageRow::Split::full, {Paragraph{lead + ".", true}});
  if (!problem.choices.empty()) {
    RichText text;
    for (std::size_t i = 0; i < problem.choices.size(); ++i)
      text += (i > 0 ? "; " : "") + literal_text(problem.choices[i].name) +
              ": " + literal_text(program.combination().chosen[i]);
    add_row(head, PageRow::Split::full, {Paragraph{"Chosen: " + text + "."}});
  }
  if (program.space().size() > 0)
    add_row(head, PageRow::Split::full, {variable_table(result)});
  if (!result.limits.empty())
    add_row(head, PageRow::Split::full, {limit_table(result)});
  if (result.certificate.optima.size() > 1)
    add_row(head, PageRow::Split::full, {optima_table(result)});
  page.sections.push_back(std::move(head));
  DesignProgram there = program;
  page.sections.push_back(layout_section(result, problem.input.detector,
                                         there.detector_at(result.best.x),
                                         threads));
  if (results.front && !results.front->points.empty()) {
    PageSection section{"front", "Pareto front", {}, "Pareto front"};
    add_row(section, PageRow::Split::full, {pareto_figure(*results.front)});
    page.sections.push_back(std::move(section));
  }
  if (results.construction) {
    PageSection section{"tolerances", "Tolerances", {}, "Tolerances"};
    add_row(section, PageRow::Split::full,
            {construction_table(*results.construction)});
    page.sections.push_back(std::move(section));
  }
  page.facts.emplace_back("Residual",
                          "of the conditions of an optimum: " +
                              rich_number(result.certificate.residual, 2));
  page.facts.emplace_back(
      "Verified",
      fmt::format("{} points, largest violation ", result.verify_points) +
          rich_number(std::max(0.0, result.verify_violation), 2));
  return page;
}

}  // namespace gttf
