// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "gttf/resolution/resolution.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

using namespace detail;

// Adds blocks to a section, those that exist.
class Rows {
 public:
  explicit Rows(PageSection& section) : section_(section) {}

  Rows& full(std::optional<Figure> figure) {
    if (figure) add(PageRow::Split::full, {std::move(*figure)});
    return *this;
  }
  /// Figures two by two.
  Rows& halves(std::vector<std::optional<Figure>> figures) {
    std::vector<PageBlock> blocks;
    for (auto& figure : figures)
      if (figure) blocks.emplace_back(std::move(*figure));
    for (std::size_t i = 0; i < blocks.size(); i += 2) {
      PageRow row{PageRow::Split::halves, {}};
      for (std::size_t k = i; k < std::min(i + 2, blocks.size()); ++k)
        row.blocks.push_back(std::move(blocks[k]));
      section_.rows.push_back(std::move(row));
    }
    return *this;
  }
  Rows& add(PageRow::Split split, std::vector<PageBlock> blocks) {
    if (!blocks.empty()) section_.rows.push_back({split, std::move(blocks)});
    return *this;
  }

 private:
  PageSection& section_;
};

bool at_right_angle(const ReportSubject& subject) {
  return std::abs(theta_of(subject.curves.angle, 0) - 90 * unit::deg) <
         3 * unit::deg;
}

RichText field_text(const Detector& detector) {
  if (detector.field.kind == FieldKind::none) return "no field";
  return field_facts(detector.field).front().second;
}

// Of numbers; hyphens of names stay.
RichText with_true_minus(const RichText& text) {
  RichText out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool minus = text[i] == '-' && i > 0 && i + 1 < text.size() &&
                       (text[i - 1] == ' ' || text[i - 1] == '(') &&
                       std::isdigit(static_cast<unsigned char>(text[i + 1]));
    out += minus ? "−" : RichText(1, text[i]);
  }
  return out;
}

// "*θ* = 90° – 15°", "*η* = 2 – 4.5": in the order of the study if it has one.
RichText angle_range(const StudyRequest& request) {
  std::vector<double> values = request.angle.values;
  if (!std::ranges::is_sorted(values, std::ranges::greater()))
    std::ranges::sort(values);
  StudyRequest ends = request;
  ends.angle.values = {values.front(), values.back()};
  RichText text = angle_equation(ends, 0);
  if (values.size() == 1) return text;
  const RichText last = angle_text(ends, 1);
  const std::size_t sign = last.find("= ");
  return text + " – " + (sign == RichText::npos ? last : last.substr(sign + 2));
}

RichText conditions(const StudyRequest& request, const ReportSubject& first,
                    std::span<const Detector> detectors) {
  RichText text;
  if (detectors.size() == 1) text = field_text(detectors[0]) + " · ";
  text += literal_text(particle_text(request.particle)) +
          literal_text(start_text(request.vertex)) + " · " +
          first.momentum.symbol + " " +
          first.momentum.text(first.curves.momentum.values.front()) + " – " +
          first.momentum.text(first.curves.momentum.values.back()) + " · " +
          angle_range(request) + " · " +
          models_text(request, detectors, " · ") + " · ";
  if (request.average)
    text += "averages over " + to_string(*request.average) + " · ";
  return with_true_minus(text + (request.beam_spot
                                     ? "beam spot as a measurement"
                                     : "no vertex constraint"));
}

PageTable published_table(const ReportSubject& subject,
                          const std::vector<Published>& published) {
  PageTable table;
  table.title = "Published figures";
  table.subtitle = "at 90°";
  table.columns = {{"quantity", false}, {"at", false}, {"published"},
                   {"this study"},      {"ratio"},     {"source", false},
                   {"condition", false}};
  const TrackingGeometry geometry(subject.detector);
  StudyRequest tracks = subject.request;
  tracks.angle = {AngleAxis::Variable::theta, {90 * unit::deg}};
  for (const Published& p : published) {
    // at 90 deg the relative errors of p and pT are the same
    const ShownQuantity& q = shown_quantity(
        p.parameter == Parameter::p ? Parameter::pt : p.parameter);
    tracks.momentum.values = {p.momentum};
    const PerParameter all =
        subject.request.average
            ? average_sigmas(subject, tracks).front()
            : sigmas(resolve(geometry, grid_track(tracks, {0, 0}),
                             subject.model()));
    const double sigma = all[q.parameter];
    table.rows.push_back({q.axis_title(), subject.momentum.text(p.momentum),
                          rich_number(p.sigma * q.factor),
                          rich_number(sigma * q.factor),
                          rich_number(sigma / p.sigma), literal_text(p.source),
                          literal_text(p.condition)});
  }
  table.caption =
      "Conditions may differ from those of this study; see the last column.";
  return table;
}

// One detector with what the whole page needs of it.
struct Chapter {
  ReportSubject subject;
  std::vector<MomentumCurve> curves;
  std::vector<Budget> budgets;
  std::vector<Published> published;
};

std::string chapter_title(const Chapter& chapter, const std::string& title,
                          bool several) {
  return several ? literal_text(chapter.subject.detector.name) + ": " + title
                 : title;
}

PageSection detector_section(const Chapter& c, bool several) {
  PageSection section{
      c.subject.id("detector"),
      chapter_title(c, "Detector", several),
      {},
      several ? literal_text(c.subject.detector.name) : RichText("Detector")};
  Rows rows(section);
  if (has_barrel(c.subject.detector))
    rows.halves({layout_rz_figure(c.subject), layout_xy_figure(c.subject)});
  else
    rows.halves({layout_side_figure(c.subject, Axis::x),
                 layout_side_figure(c.subject, Axis::y)});
  if (!c.subject.on_axis)
    rows.full(layout_closeup_figure(c.subject))
        .halves({hits_figure(c.subject), material_figure(c.subject)});
  rows.add(PageRow::Split::full, {layer_page_table(c.subject)});
  return section;
}

Aside reading(const Chapter& c) {
  Aside aside{"Reading", {}};
  aside.paragraphs.push_back(
      "Shaded: out of reach at " + angle_text(c.subject.curves, 0) +
      ". The sand-coloured area is closed by scattering, the blue-grey one by "
      "hit errors: each is what is left if the other cause is switched off.");
  for (std::size_t j = 0; j < c.curves.size(); ++j)
    if (c.curves[j].broken) {
      aside.paragraphs.push_back(
          "A curve breaks where the track gains or loses a layer.");
      break;
    }
  if (c.subject.curves.angle.values.size() <
      c.subject.request.angle.values.size())
    aside.paragraphs.push_back(
        fmt::format("{} of the {} angles of the study are drawn.",
                    c.subject.curves.angle.values.size(),
                    c.subject.request.angle.values.size()));
  return aside;
}

PageSection resolution_section(const Chapter& c, bool several) {
  PageSection section{c.subject.id("resolution"),
                      chapter_title(c, "Resolution", several),
                      {},
                      several ? "" : "Resolution"};
  const std::vector<Published> rings =
      at_right_angle(c.subject) ? c.published : std::vector<Published>{};
  const auto& all = c.subject.shown();
  Rows rows(section);
  std::vector<PageBlock> first;
  if (auto figure = sigma_figure(c.subject, c.curves, all[0], true, rings)) {
    first.emplace_back(std::move(*figure));
    first.emplace_back(reading(c));
    if (auto table = parametrisation_table(c.subject, c.curves))
      first.emplace_back(std::move(*table));
  }
  rows.add(PageRow::Split::wide_first, std::move(first));
  std::vector<std::optional<Figure>> others;
  for (std::size_t k = 1; k < all.size(); ++k)
    others.push_back(sigma_figure(c.subject, c.curves, all[k], false, rings));
  rows.halves(std::move(others));
  if (auto table = average_page_table(c.subject))
    rows.add(PageRow::Split::full, {std::move(*table)});
  rows.full(efficiency_figure(c.subject, c.curves));
  if (!c.subject.on_axis) {
    const auto along_eta = sigmas_on_grid(c.subject, c.subject.against_eta);
    const auto on_map = sigmas_on_grid(c.subject, c.subject.map);
    const std::size_t direction = c.subject.along_beam ? 3 : 4;
    rows.halves({sigma_eta_figure(c.subject, along_eta, all[0]),
                 sigma_eta_figure(c.subject, along_eta, all[1]),
                 sigma_eta_figure(c.subject, along_eta, all[2]),
                 sigma_eta_figure(c.subject, along_eta, all[direction])});
    rows.halves({sigma_map_figure(c.subject, on_map, all[0]),
                 sigma_map_figure(c.subject, on_map, all[1])});
  }
  rows.full(correlation_figure(c.subject));
  return section;
}

PageSection limits_section(const Chapter& c, bool several) {
  PageSection section{c.subject.id("limits"),
                      chapter_title(c, "What limits it", several),
                      {},
                      several ? "" : "What limits it"};
  std::vector<std::optional<Figure>> shares;
  for (const ShownQuantity& q : c.subject.shown())
    if (q.parameter != Parameter::phi0 && q.parameter != Parameter::ty)
      shares.push_back(share_figure(c.subject, c.budgets, q));
  Rows rows(section);
  if (c.subject.request.average)
    rows.add(
        PageRow::Split::full,
        {Paragraph{"What limits the resolution is shown of single tracks "
                   "with all their hits, at *φ* = " +
                   fixed_number(in_degrees(c.subject.request.phi), 1) + "°."}});
  rows.halves(std::move(shares))
      .full(layer_budget_figure(c.subject))
      .full(tornado_figure(c.subject))
      .full(lost_layer_figure(c.subject));
  return section;
}

PageSection regime_section(const Chapter& c, bool several) {
  PageSection section{c.subject.id("regime"),
                      chapter_title(c, "Regimes", several),
                      {},
                      several ? "" : "Regimes"};
  auto figure = regime_figure(c.subject);
  if (!figure) return section;
  Rows(section).add(
      PageRow::Split::wide_first,
      {std::move(*figure),
       Aside{"Reading",
             {"Each curve is a triplet of layers; momentum grows to the right, "
              "rings at powers of ten, dots at 2 and 5 in between. The axis is "
              "linear in the logarithm of *σ*_{hit}/*σ*_{MS}, so that equal "
              "steps of momentum stay visible as *μ*_{φ} goes to 1.",
              "Left of *μ*_{φ} = 0.15 the fit that takes scattering only is "
              "sufficient. The plateau there is 1/*ξ*_{MS}, a number of the "
              "detector alone."}}});
  return section;
}

PageSection summary_section(const std::vector<Chapter>& chapters,
                            const ReportOptions& options) {
  PageSection section{"summary", "Summary", {}, "Summary"};
  Rows rows(section);
  const bool several = chapters.size() > 1;
  if (options.check != nullptr)
    rows.add(PageRow::Split::full,
             {Paragraph{requirement_sentence(*options.check), true}});
  std::vector<PageBlock> blocks;
  for (const Chapter& c : chapters) {
    std::vector<RichText> texts =
        summary_sentences(c.subject, c.curves, c.budgets);
    if (several && !texts.empty()) {
      texts.resize(1);
      texts[0] = literal_text(c.subject.detector.name) + ": " + texts[0];
    }
    for (RichText& text : texts)
      blocks.emplace_back(Paragraph{std::move(text), true});
  }
  if (blocks.size() > 1)
    rows.add(PageRow::Split::halves, std::move(blocks));
  else
    rows.add(PageRow::Split::full, std::move(blocks));
  if (options.check != nullptr) {
    rows.add(PageRow::Split::full, {requirement_table(*options.check)});
    if (auto failures = failure_table(*options.check))
      rows.add(PageRow::Split::full, {std::move(*failures)});
  }
  for (const Chapter& c : chapters) {
    if (!several) rows.add(PageRow::Split::full, {benchmark_table(c.subject)});
    if (!c.published.empty()) {
      PageTable table = published_table(c.subject, c.published);
      if (several) table.title += ", " + literal_text(c.subject.detector.name);
      rows.add(PageRow::Split::full, {std::move(table)});
    }
  }
  return section;
}

PageSection compare_section(const std::vector<Chapter>& chapters) {
  PageSection section{"compare", "Comparison", {}, "Comparison"};
  std::vector<ComparedDetector> all;
  all.reserve(chapters.size());
  for (const Chapter& c : chapters) all.push_back({c.subject, c.curves});
  Rows rows(section);
  rows.add(PageRow::Split::full, {compare_table(all)});
  std::vector<std::optional<Figure>> figures;
  for (const ShownQuantity& q : chapters.front().subject.shown())
    figures.push_back(compare_figure(all, q));
  rows.halves(std::move(figures));
  return section;
}

}  // namespace

Page make_report(const StudyRequest& request,
                 std::span<const Detector> detectors,
                 const ReportOptions& options) {
  std::vector<Chapter> chapters;
  for (std::size_t i = 0; i < detectors.size(); ++i) {
    ReportSubject subject = make_subject(request, detectors[i], i,
                                         detectors.size(), options.threads);
    std::vector<MomentumCurve> curves = momentum_curves(subject);
    std::vector<Budget> budgets = budgets_along(subject);
    chapters.push_back({std::move(subject), std::move(curves),
                        std::move(budgets),
                        published_of(options.published, detectors[i].file)});
  }
  const bool several = chapters.size() > 1;
  Page page;
  page.title = several ? "Comparison of tracking detectors"
                       : literal_text(detectors[0].name) + ": track resolution";
  page.conditions = conditions(request, chapters[0].subject, detectors);
  page.sections.push_back(summary_section(chapters, options));
  if (several) page.sections.push_back(compare_section(chapters));
  for (const Chapter& c : chapters) {
    page.sections.push_back(detector_section(c, several));
    page.sections.push_back(resolution_section(c, several));
    page.sections.push_back(limits_section(c, several));
    page.sections.push_back(regime_section(c, several));
    if (options.toys > 0)
      page.sections.push_back(
          toy_section(c.subject, options.toys, request.toys.seed));
  }
  std::erase_if(page.sections,
                [](const PageSection& s) { return s.rows.empty(); });
  for (const Detector& detector : detectors)
    for (const std::string& source : detector.source)
      page.facts.emplace_back(several ? detector.name + ", source" : "Source",
                              literal_text(source));
  page.facts.emplace_back(
      "Method",
      "Covariance of the General Triplet Track Fit; thin scatterers; perigee "
      "with respect to the start of the track. Positions in mm, momenta in "
      "GeV, as labelled.");
  page.facts.emplace_back(
      "Page",
      "No network, no external font or script; readable without JavaScript. "
      "Drag to zoom, double-click or Esc to return, arrow keys move the "
      "read-out.");
  return page;
}

std::vector<const Figure*> figures_of(const Page& page) {
  std::vector<const Figure*> figures;
  for (const PageSection& section : page.sections)
    for (const PageRow& row : section.rows)
      for (const PageBlock& block : row.blocks)
        if (const auto* figure = std::get_if<Figure>(&block))
          figures.push_back(figure);
  return figures;
}

}  // namespace gttf
