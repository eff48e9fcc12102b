// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/optimisation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/document_reader.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/optimise/pareto_view.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/row.hpp"

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

/// A result as a document, and what its parts look like on a page.
class ResultView : private DocumentReader {
 public:
  ResultView(const Document& result, const std::string& name)
      : DocumentReader(name), result_(result) {
    const Document* objective = result.find("objective");
    if (objective == nullptr || result.find("certificate") == nullptr)
      throw FileError(this->name() + " is not a result of optimise");
  }

  std::vector<PageSection> sections(const StudyRequest& tracks,
                                    unsigned threads) const {
    std::vector<PageSection> list{head_section()};
    if (const Document* detector = result_.find("detector"))
      list.push_back(layout_section(*detector, tracks, threads));
    if (auto front = front_section()) list.push_back(std::move(*front));
    if (const Document* tolerances = result_.find("tolerances"))
      list.push_back(tolerance_section(*tolerances));
    return list;
  }

  RichText title() const { return literal_text(text_of(result_, "name")); }
  RichText certificate() const {
    return literal_text(text_of(member(result_, "certificate"), "text"));
  }
  double residual() const {
    return number_of(member(result_, "certificate"), "residual");
  }
  std::pair<double, double> verified() const {
    const Document& verify = member(result_, "verify");
    return {number_of(verify, "points"),
            number_of(verify, "largest_violation")};
  }

 private:
  PageSection head_section() const {
    PageSection head{"optimisation", "Optimisation", {}, "Optimisation"};
    const Document& objective = member(result_, "objective");
    const std::string unit = text_of(objective, "unit");
    RichText lead = literal_text(text_of(objective, "name")) + " is " +
                    number_in(number_of(objective, "value"), unit, 5) + ", " +
                    number_in(number_of(objective, "start"), unit, 5) +
                    " before";
    const Document* is_feasible = objective.find("start_meets_limits");
    if (is_feasible != nullptr && !boolean(*is_feasible))
      lead += ", which misses limits";
    if (!boolean(member(result_, "found"))) lead += "; limits are not met";
    add_row(head, PageRow::Split::full,
            {Paragraph{lead + ".", true},
             Paragraph{"Certificate: " + certificate() + "."}});
    // older results have none
    if (const Document* warnings = result_.find("warnings"))
      for (const Document& warning : list(*warnings))
        add_row(head, PageRow::Split::full,
                {Paragraph{"Warning: " + literal_text(text(warning)) + "."}});
    RichText chosen;
    for (const Document& choice : list(member(result_, "choices")))
      chosen += (chosen.empty() ? "" : "; ") +
                literal_text(text_of(choice, "name")) + ": " +
                literal_text(text_of(choice, "chosen"));
    if (!chosen.empty())
      add_row(head, PageRow::Split::full,
              {Paragraph{"Chosen: " + chosen + "."}});
    if (!list(member(result_, "variables")).empty())
      add_row(head, PageRow::Split::full, {variable_table()});
    if (!list(member(result_, "constraints")).empty())
      add_row(head, PageRow::Split::full, {limit_table()});
    if (list(member(member(result_, "certificate"), "local_optima")).size() > 1)
      add_row(head, PageRow::Split::full, {optima_table(unit)});
    return head;
  }

  PageTable variable_table() const {
    PageTable table;
    table.title = "Variables";
    table.columns = {{"variable", false},
                     {"before"},
                     {"after"},
                     {"range"},
                     {"price of its bound"}};
    Texts key, units;
    Reals values, starts;
    for (const Document& v : list(member(result_, "variables"))) {
      const std::string unit = text_of(v, "unit");
      const double cost = number_of(v, "price");
      RichText price;
      if (cost > 0)
        price =
            rich_number(cost, 3) + " " + literal_text(text_of(v, "price_unit"));
      else if (!text_of(v, "at_bound").empty())
        price = "none";
      const Document* asked_for = v.find("asked_for");
      if (asked_for != nullptr && !boolean(*asked_for))
        price += price.empty() ? "no resolution depends on it"
                               : "; no resolution depends on it";
      key.push_back(text_of(v, "key"));
      units.push_back(unit);
      values.push_back(number_of(v, "value"));
      starts.push_back(number_of(v, "start"));
      table.rows.push_back({literal_text(key.back()),
                            number_in(starts.back(), unit, 5),
                            number_in(values.back(), unit, 5),
                            rich_number(number_of(v, "from"), 4) + " – " +
                                number_in(number_of(v, "to"), unit, 4),
                            std::move(price)});
    }
    table.caption =
        "The price is the cost of an active bound: the objective falls by this "
        "amount for each unit by which the bound is relaxed.";
    table.id = "variables";
    table.data.add("key", std::move(key));
    table.data.add("value", std::move(values));
    table.data.add("unit", std::move(units));
    table.data.add("start", std::move(starts));
    return table;
  }

  PageTable limit_table() const {
    PageTable table;
    table.title = "Limits";
    table.columns = {{"limit on", false},
                     {"value"},
                     {"limit"},
                     {"price"},
                     {"holds for limits"}};
    for (const bool active : {true, false})
      for (const Document& c : list(member(result_, "constraints"))) {
        if (boolean(member(c, "active")) != active) continue;
        const std::string unit = text_of(c, "shown_unit");
        const bool is_share = unit == "%" && text_of(c, "unit") == "1";
        const double shown = is_share ? unit::percent : 1;
        const Document* range = c.find("price_range");
        const bool has_range =
            range != nullptr &&
            std::holds_alternative<Document::List>(range->value());
        table.rows.push_back(
            {literal_text(text_of(c, "name")),
             number_in(number_of(c, "value") / shown, unit, 5),
             number_in(number_of(c, "limit") / shown, unit, 5),
             number_of(c, "multiplier") > 0
                 ? rich_number(number_of(c, "price"), 3) + " " +
                       literal_text(text_of(c, "price_unit"))
                 : RichText("–"),
             has_range
                 ? rich_number(real(list_of(*range, 2)[0]) / shown, 4) + " – " +
                       number_in(real(list(*range)[1]) / shown, unit, 4)
                 : RichText("–")});
      }
    table.caption =
        "Active limits come first. The price is the gain per unit by which a "
        "limit is relaxed; outside its range other limits are active.";
    return table;
  }

  PageTable optima_table(const std::string& unit) const {
    PageTable table;
    table.title = "Local optima";
    table.columns = {{"rank"}, {"objective"}, {"above the best"}};
    constexpr std::size_t most = 10;
    const bool logarithmic =
        boolean(member(member(result_, "objective"), "logarithmic"));
    const std::vector<double> optima =
        reals(member(member(result_, "certificate"), "local_optima"));
    for (std::size_t i = 0; i < std::min(most, optima.size()); ++i)
      table.rows.push_back(
          {std::to_string(i + 1), number_in(optima[i], unit, 6),
           rich_number(100 * (logarithmic ? std::expm1(optima[i] - optima[0])
                                          : optima[i] / optima[0] - 1),
                       3) +
               " %"});
    return table;
  }

  PageSection layout_section(const Document& texts, const StudyRequest& tracks,
                             unsigned threads) const {
    PageSection section{"before-and-after", "Before and after", {}, ""};
    const std::string file = text(member(texts, "file"));
    std::vector<std::string> overrides;
    for (const Document& item : list(member(texts, "set")))
      overrides.push_back(text(item));
    const Detector before =
        parse_detector(text(member(texts, "before")), file, overrides).detector;
    const Detector after =
        parse_detector(text(member(texts, "after")), file).detector;
    const detail::ReportSubject subject_before =
        detail::make_subject(tracks, before, 0, 2, threads);
    const detail::ReportSubject subject_after =
        detail::make_subject(tracks, after, 1, 2, threads);
    const std::vector<detail::ErrorCurve> no_curves;
    std::vector<Figure> drawn =
        detail::compare_layouts({{subject_before, no_curves, no_curves},
                                 {subject_after, no_curves, no_curves}});
    drawn.front().id = "layout-before";
    drawn.front().title = "Before";
    drawn.back().id = "layout-after";
    drawn.back().title = "After";
    std::vector<PageBlock> figures;
    for (Figure& figure : drawn) {
      figure.subtitle = "same scale";
      figures.emplace_back(std::move(figure));
    }
    add_row(section, PageRow::Split::halves, std::move(figures));
    return section;
  }

  std::optional<PageSection> front_section() const {
    const Document* points = result_.find("pareto");
    const Document* objectives = result_.find("pareto_objectives");
    if (points == nullptr || objectives == nullptr || list(*points).empty())
      return std::nullopt;
    ParetoFront front;
    for (const Document& objective : list(*objectives)) {
      front.names.push_back(text(member(objective, "name")));
      front.units.push_back(text_of(objective, "unit"));
    }
    for (const Document& point : list(*points)) {
      ParetoPoint& p = front.points.emplace_back();
      for (const std::string& name : front.names)
        p.values.push_back(number_of(point, name));
    }
    const Document& present = member(result_, "present");
    for (const std::string& name : front.names)
      front.present.push_back(number_of(present, name));
    front.present_is_feasible = boolean(member(present, "meets_limits"));
    PageSection section{"front", "Pareto front", {}, "Pareto front"};
    for (Figure& figure : pareto_figures(front))
      add_row(section, PageRow::Split::full, {std::move(figure)});
    return section;
  }

  PageSection tolerance_section(const Document& tolerances) const {
    PageTable table;
    table.title = "Errors of construction";
    table.columns = {
        {"number", false}, {"rms"}, {"effect of one rms"}, {"by", false}};
    for (const Document& e : list(member(tolerances, "keys"))) {
      const std::string by = text_of(e, "method");
      const double effect =
          number_of(e, by == "first derivative" ? "first" : "second");
      table.rows.push_back(
          {literal_text(text_of(e, "key")),
           number_in(number_of(e, "rms"), text_of(e, "unit"), 3),
           rich_number(100 * effect, 3) + " %", literal_text(by)});
    }
    table.caption = literal_text(text_of(tolerances, "text"));
    PageSection section{"tolerances", "Tolerances", {}, "Tolerances"};
    add_row(section, PageRow::Split::full, {std::move(table)});
    return section;
  }

  const Document& result_;
};

}  // namespace

std::vector<PageSection> optimisation_sections(const Document& result,
                                               const std::string& name,
                                               const StudyRequest& tracks,
                                               unsigned threads) {
  return ResultView(result, name).sections(tracks, threads);
}

StudyRequest tracks_for_drawings(const OptimisationProblem& problem) {
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

Page optimisation_page(const Document& result, const std::string& name,
                       const StudyRequest& tracks, unsigned threads) {
  const ResultView view(result, name);
  Page page;
  page.title = view.title();
  page.conditions = view.certificate();
  page.sections = view.sections(tracks, threads);
  page.facts.emplace_back("Residual", "of the conditions of an optimum: " +
                                          rich_number(view.residual(), 2));
  const auto [points, violation] = view.verified();
  page.facts.emplace_back("Verified",
                          fmt::format("{} point{}, largest violation ", points,
                                      points == 1 ? "" : "s") +
                              rich_number(std::max(0.0, violation), 2));
  return page;
}

}  // namespace gttf
