// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "gttf/resolution/resolution.hpp"
#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/request/axis.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/show/detector_view.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

using namespace detail;

// Adds the existing blocks to a section.
class Rows {
 public:
  explicit Rows(PageSection& section) : section_(section) {}

  Rows& full(std::optional<Figure> figure) {
    if (figure) add(PageRow::Split::full, {std::move(*figure)});
    return *this;
  }
  /// Figures in rows of two.
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

// Figures in rows of two.
void add_all(Rows& rows, std::vector<Figure> figures) {
  std::vector<std::optional<Figure>> list;
  for (Figure& figure : figures) list.emplace_back(std::move(figure));
  rows.halves(std::move(list));
}

bool at_right_angle(const ReportSubject& subject) {
  return std::abs(theta_of(subject.curves.angle, 0) - 90 * unit::deg) <
         3 * unit::deg;
}

RichText field_text(const Detector& detector) {
  if (detector.field.kind == FieldKind::none) return "no field";
  return field_facts(detector.field).front().second;
}

// Only in numbers; hyphens in names are kept.
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

// "*θ* = 90° – 15°", "*η* = 2 – 4.5": in the order of the study.
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
  if (request.at) text += place_text(request) + " · ";
  return with_true_minus(text + (request.beam_spot
                                     ? "beam spot as a measurement"
                                     : "no vertex constraint"));
}

PageTable published_table(const ReportSubject& subject,
                          const std::vector<Published>& published) {
  PageTable table;
  table.title = "Published figures";
  table.subtitle = "at 90° unless *η* is given";
  table.columns = {{"quantity", false}, {"at", false}, {"published"},
                   {"this study"},      {"ratio"},     {"source", false},
                   {"condition", false}};
  const TrackingGeometry geometry(subject.detector);
  StudyRequest tracks = subject.request;
  for (const Published& p : published) {
    // at 90 deg the relative errors of p and pT are the same
    const ShownQuantity& q = shown_quantity(
        p.parameter == Parameter::p ? Parameter::pt : p.parameter);
    tracks.momentum = {
        p.is_pt ? MomentumAxis::Variable::pt : MomentumAxis::Variable::p,
        {p.momentum}};
    tracks.angle = {AngleAxis::Variable::eta, {p.eta}};
    // published numbers are those of the perigee
    Model model = subject.model();
    model.at.reset();
    const PerParameter all =
        subject.request.average
            ? average_sigmas(subject, tracks).front()
            : sigmas(resolve(geometry, grid_track(tracks, {0, 0}), model));
    const double sigma = all[p.parameter];
    const std::vector<RichText> pair =
        aligned_numbers(Reals{p.sigma * q.factor, sigma * q.factor});
    RichText at = subject.momentum.text(p.momentum);
    if (p.eta != 0) at += fmt::format(", *η* = {:.3g}", p.eta);
    table.rows.push_back({q.axis_title(), at, pair[0], pair[1],
                          fixed_number(sigma / p.sigma, 3),
                          literal_text(p.source), literal_text(p.condition)});
  }
  table.caption = "Conditions may differ from this study; see the last column.";
  return table;
}

// One detector with the data needed by the whole page.
struct Chapter {
  ReportSubject subject;
  std::vector<ErrorCurve> curves;
  std::vector<ErrorCurve> along_eta;  // none of tracks along the axis
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
      ". The sand-coloured area is excluded by scattering, the blue-grey one "
      "by hit errors; each limit holds with the other effect switched off.");
  for (std::size_t j = 0; j < c.curves.size(); ++j)
    if (c.curves[j].broken) {
      aside.paragraphs.push_back(
          "A curve is interrupted where the track gains or loses a layer.");
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
      at_right_angle(c.subject) && c.subject.place == Place::perigee
          ? c.published
          : std::vector<Published>{};
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
    const auto on_map = sigmas_on_grid(c.subject, c.subject.map);
    const std::size_t direction = c.subject.place == Place::perigee ? 4 : 3;
    rows.halves({sigma_eta_figure(c.subject, c.along_eta, all[0]),
                 sigma_eta_figure(c.subject, c.along_eta, all[1]),
                 sigma_eta_figure(c.subject, c.along_eta, all[2]),
                 sigma_eta_figure(c.subject, c.along_eta, all[direction])});
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
        {Paragraph{"What limits the resolution is shown for single tracks with "
                   "all their hits, at *φ* = " +
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
             {"Each curve is a triplet of layers; momentum increases to the "
              "right, "
              "rings at powers of ten, dots at 2 and 5 in between. The axis is "
              "linear in the logarithm of *σ*_{hit}/*σ*_{MS}, so that equal "
              "steps of momentum stay visible as *μ*_{φ} goes to 1.",
              "Left of *μ*_{φ} = 0.15 a fit with scattering only is "
              "sufficient. The plateau there is 1/*ξ*_{MS}, a property of the "
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

// At most three of the angles or momenta, the first and the last among them.
std::vector<std::size_t> some_of(std::size_t n) {
  constexpr std::size_t most = 3;
  if (n <= 1) return {0};
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < std::min(n, most); ++i)
    some.push_back(i * (n - 1) / (std::min(n, most) - 1));
  return some;
}

PageSection compare_section(const std::vector<Chapter>& chapters) {
  PageSection section{"compare", "Comparison", {}, "Comparison"};
  std::vector<ComparedDetector> all;
  for (const Chapter& c : chapters)
    all.push_back({c.subject, c.curves, c.along_eta});
  const ReportSubject& first = chapters.front().subject;
  Rows rows(section);
  rows.add(PageRow::Split::full, {compare_table(all)});
  const auto add = [&](Along along, std::size_t n) {
    const std::size_t full = 0;  // of these all quantities are shown
    for (const std::size_t i : some_of(n)) {
      std::vector<std::optional<Figure>> figures;
      constexpr std::size_t few = 3;
      for (std::size_t k = 0; k < first.shown().size(); ++k)
        if (k < few || i == full)
          figures.push_back(compare_figure(all, first.shown()[k], along, i));
      rows.halves(std::move(figures));
    }
  };
  add(Along::momentum, first.curves.angle.values.size());
  if (std::ranges::none_of(
          chapters, [](const Chapter& c) { return c.subject.on_axis; })) {
    add(Along::eta, first.against_eta.momentum.values.size());
    add_all(rows, compare_profiles(all));
  }
  add_all(rows, compare_layouts(all));
  return section;
}

// Compared detectors share one axis of pseudorapidity, which covers the ranges
// of all.
void share_eta_axis(std::vector<Chapter>& chapters) {
  std::vector<double> all;
  for (const Chapter& c : chapters) {
    const auto& own = c.subject.against_eta.angle.values;
    if (all.empty() || own.front() < all.front() || own.back() > all.back()) {
      const double lower =
          all.empty() ? own.front() : std::min(own.front(), all.front());
      const double upper =
          all.empty() ? own.back() : std::max(own.back(), all.back());
      all = spaced(lower, upper, std::max(own.size(), all.size()),
                   Spacing::linear);
    }
  }
  const auto& first = chapters.front().subject.against_eta.angle.values;
  // values of the study are among them if all have the same ends
  if (first.front() == all.front() && first.back() == all.back()) all = first;
  for (Chapter& c : chapters) c.subject.against_eta.angle.values = all;
}

// "CLD · solenoid 2 T · muon · *θ* = 90° · Highland ...": under a saved figure.
// `fixed`: the variables shown by the figure itself.
RichText figure_conditions(const StudyRequest& request,
                           std::span<const Detector> detectors,
                           const RichText& fixed) {
  RichText text;
  for (const Detector& detector : detectors) {
    if (!text.empty()) text += ", ";
    text += literal_text(detector.name);
    if (detectors.size() == 1) text += " · " + field_text(detector);
  }
  text += " · " + literal_text(particle_text(request.particle)) +
          literal_text(start_text(request.vertex));
  if (!fixed.empty()) text += " · " + fixed;
  if (request.at) text += " · " + place_text(request);
  text += " · " + models_text(request, detectors, ", ");
  if (request.beam_spot) text += " · beam spot as a measurement";
  return with_true_minus(text);
}

void set_conditions(const StudyRequest& request,
                    std::span<const Detector> detectors, PageSection& section) {
  for (PageRow& row : section.rows)
    for (PageBlock& block : row.blocks)
      if (auto* figure = std::get_if<Figure>(&block))
        figure->conditions =
            figure_conditions(request, detectors, figure->conditions);
}

}  // namespace

Page make_report(const StudyRequest& request,
                 std::span<const Detector> detectors,
                 const ReportOptions& options) {
  std::vector<Chapter> chapters;
  for (std::size_t i = 0; i < detectors.size(); ++i)
    chapters.push_back({make_subject(request, detectors[i], i, detectors.size(),
                                     options.threads),
                        {},
                        {},
                        {},
                        published_of(options.published, detectors[i].file)});
  const bool several = chapters.size() > 1;
  if (several) share_eta_axis(chapters);
  const std::size_t parts =
      (options.toys > 0 ? 8 : 7) * chapters.size() + (several ? 2 : 1);
  auto advance = [&, done = std::size_t{0}]() mutable {
    if (options.progress) options.progress(++done, parts);
  };
  for (Chapter& c : chapters) {
    c.curves = momentum_curves(c.subject);
    advance();
    if (!c.subject.on_axis) c.along_eta = eta_curves(c.subject);
    advance();
    c.budgets = budgets_along(c.subject);
    advance();
  }
  Page page;
  page.title = several ? "Comparison of tracking detectors"
                       : literal_text(detectors[0].name) + ": track resolution";
  page.conditions = conditions(request, chapters[0].subject, detectors);
  page.sections.push_back(summary_section(chapters, options));
  advance();
  if (several) {
    page.sections.push_back(compare_section(chapters));
    set_conditions(request, detectors, page.sections.back());
    advance();
  }
  for (const Chapter& c : chapters) {
    const auto add = [&](PageSection section) {
      set_conditions(request, std::span(&c.subject.detector, 1), section);
      page.sections.push_back(std::move(section));
      advance();
    };
    add(detector_section(c, several));
    add(resolution_section(c, several));
    add(limits_section(c, several));
    add(regime_section(c, several));
    if (options.toys > 0)
      add(toy_section(c.subject, options.toys, request.toys.seed));
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
      "Drag to zoom; “Reset zoom”, a double-click or Esc to return; arrow keys "
      "move the read-out.");
  return page;
}

std::optional<Figure> scan_figure(const StudyRequest& request,
                                  std::span<const Detector> detectors,
                                  unsigned threads) {
  const std::size_t momenta = request.momentum.values.size(),
                    angles = request.angle.values.size();
  if (std::max(momenta, angles) < 2) return std::nullopt;
  const Along along = momenta >= angles ? Along::momentum : Along::eta;
  std::vector<Chapter> chapters;
  for (std::size_t i = 0; i < detectors.size(); ++i) {
    chapters.push_back(
        {make_subject(request, detectors[i], i, detectors.size(), threads),
         {},
         {},
         {},
         {}});
    if (along == Along::eta && chapters.back().subject.on_axis)
      return std::nullopt;
  }
  const bool several = chapters.size() > 1;
  if (several) share_eta_axis(chapters);
  std::vector<ComparedDetector> all;
  for (Chapter& c : chapters) {
    if (along == Along::momentum)
      c.curves = momentum_curves(c.subject);
    else
      c.along_eta = eta_curves(c.subject);
  }
  for (const Chapter& c : chapters)
    all.push_back({c.subject, c.curves, c.along_eta});
  const Chapter& first = chapters.front();
  for (const ShownQuantity& q : first.subject.shown()) {
    std::optional<Figure> figure =
        several ? compare_figure(all, q, along, 0)
        : along == Along::momentum
            ? sigma_figure(first.subject, first.curves, q, false, {})
            : sigma_eta_figure(first.subject, first.along_eta, q);
    if (!figure) continue;
    // the limits would fill the drawing
    for (Panel& panel : std::get<Plot>(figure->content).panels) {
      std::erase_if(panel.curves,
                    [](const Curve& curve) { return curve.id == "limits"; });
      panel.bands.clear();
    }
    figure->conditions =
        figure_conditions(request, detectors, figure->conditions);
    return figure;
  }
  return std::nullopt;
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
