// SPDX-License-Identifier: Apache-2.0
// Averages of resolutions, and the efficiency.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <variant>

#include "gttf/study/report/report_figures.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf::detail {
namespace {

const Column& column(const Table& table, std::string_view name) {
  return *std::ranges::find(table.columns, name, &Column::name);
}

const Reals& reals(const Table& table, std::string_view name) {
  return std::get<Reals>(column(table, name).cells);
}

/// Maximum number of tracks for a figure.
constexpr std::size_t tracks_of_figure = 65536;

/// The averages of `request` in `detector`, with the average of the subject.
Table averages(const ReportSubject& subject, StudyRequest request,
               const Detector& detector) {
  request.average = subject.request.average;
  request.at.reset();
  constexpr std::size_t fewest = 16;
  const std::size_t most =
      std::max(fewest, tracks_of_figure / n_grid_points(request));
  std::size_t& tracks = request.average->tracks;
  if (tracks > 0 || most < usual_sample)
    tracks = std::min(tracks > 0 ? tracks : usual_azimuths, most);
  ScanOptions options;
  options.threads = subject.threads;
  return scan_table(request, detector, options).rows;
}

/// One number of the errors in a row, native units.
PerParameter errors(const Table& table, std::size_t row,
                    std::string_view ending) {
  PerParameter result;
  for (const Parameter q : all_parameters)
    result[q] =
        reals(table, std::string(sigma_column(q)) + std::string(ending))[row] *
        sigma_unit(q);
  return result;
}

}  // namespace

std::vector<ErrorCurve> average_curves(const ReportSubject& subject,
                                       Along along) {
  const bool by_momentum = along == Along::momentum;
  const StudyRequest& grid = by_momentum ? subject.curves : subject.against_eta;
  const Table all = averages(subject, grid, subject.detector);
  Table hits, exact;  // for the limits
  if (by_momentum) {
    StudyRequest request = grid;
    request.scattering = Scattering::off;
    request.chosen.scattering = true;
    hits = averages(subject, request, subject.detector);
    request = grid;
    if (request.beam_spot) {
      request.luminous_region = luminous_region_of(request);
      remove_errors(*request.beam_spot);
    }
    exact = averages(subject, request, without_hit_errors(subject.detector));
  }
  const bool scatters = subject.model().scattering != Scattering::off;
  PerParameter none;
  none.values.fill(Resolution::none);
  const std::size_t momenta = grid.momentum.values.size();
  std::vector<ErrorCurve> curves(by_momentum ? grid.angle.values.size()
                                             : momenta);
  for (std::size_t row = 0; row < all.rows(); ++row) {
    LimitedSigmas s;
    s.all = errors(all, row, "");
    s.low = errors(all, row, "_q16");
    s.high = errors(all, row, "_q84");
    s.hits = by_momentum ? errors(hits, row, "") : none;
    s.scattering = by_momentum && scatters ? errors(exact, row, "") : none;
    s.efficiency = reals(all, "efficiency")[row];
    s.n_hits = static_cast<int>(std::lround(reals(all, "n_hits")[row]));
    curves[by_momentum ? row / momenta : row % momenta].grid.push_back(s);
  }
  for (ErrorCurve& curve : curves) {
    curve.x = by_momentum ? grid.momentum.values : grid.angle.values;
    curve.path = curve.grid;
  }
  return curves;
}

std::vector<PerParameter> average_sigmas(const ReportSubject& subject,
                                         const StudyRequest& request) {
  const Table table = averages(subject, request, subject.detector);
  std::vector<PerParameter> list;
  for (std::size_t i = 0; i < table.rows(); ++i)
    list.push_back(errors(table, i, ""));
  return list;
}

std::optional<Figure> efficiency_figure(const ReportSubject& subject,
                                        const std::vector<ErrorCurve>& curves) {
  if (!subject.request.average) return std::nullopt;
  Figure figure = subject.figure(
      "efficiency", "Tracks with a resolution",
      "against " + subject.momentum.symbol,
      fmt::format("Share of tracks that have enough hits against {} for {} "
                  "angle{}.",
                  subject.momentum.name, curves.size(),
                  curves.size() == 1 ? "" : "s"));
  figure.width = page_width;
  figure.height = 330;
  Plot plot;
  plot.x = subject.momentum.axis(subject.curves.momentum.values);
  Panel panel;
  panel.y.title = "efficiency [%]";
  panel.y.name = "efficiency";
  panel.y.unit = "%";
  Reals momenta;
  for (const double p : subject.curves.momentum.values)
    momenta.push_back(p * subject.momentum.factor);
  figure.data.add(column_name(plot.x.name, plot.x.unit), momenta);
  double least = 1;
  const std::vector<LineStyle> styles =
      ordered_styles(subject.curves.angle.values);
  for (const std::size_t i : in_order(subject.curves.angle.values)) {
    Reals y;
    for (const LimitedSigmas& s : curves[i].grid) {
      y.push_back(s.efficiency / unit::percent);
      least = std::min(least, s.efficiency);
    }
    const std::string id = fmt::format("a{}", i);
    const auto& [paint, dash] = styles[i];
    panel.curves.push_back({.id = id,
                            .x = momenta,
                            .y = y,
                            .paint = paint,
                            .dash = dash,
                            .end_label = angle_text(subject.curves, i),
                            .column = figure.data.columns.size()});
    const RichText angle = angle_equation(subject.curves, i);
    figure.data.add(column_name(angle, "%"), std::move(y));
    figure.legend.push_back({.key = LegendEntry::Key::line,
                             .text = angle,
                             .paint = paint,
                             .dash = dash,
                             .ids = {id}});
  }
  // as much space below as the loss, and a little above
  const double lost = std::max(1 - least, 1e-3);
  panel.y.lower = std::max(0.0, 1 - 1.25 * lost) / unit::percent;
  panel.y.upper = (1 + 0.1 * lost) / unit::percent;
  plot.panels.push_back(std::move(panel));
  figure.content = std::move(plot);
  return figure;
}

std::optional<PageTable> average_page_table(const ReportSubject& subject) {
  if (!subject.request.average) return std::nullopt;
  const Table rows = averages(subject, subject.points, subject.detector);
  PageTable table;
  table.title = "Averages";
  table.subtitle = "over " + to_string(*subject.request.average);
  table.columns = {{"", false}, {"efficiency [%]"}, {"measurements"}};
  std::vector<const ShownQuantity*> shown;
  for (const ShownQuantity& q : subject.shown()) {
    const Reals& mean = reals(rows, sigma_column(q.parameter));
    if (std::ranges::all_of(mean, [](double x) { return std::isnan(x); }))
      continue;
    shown.push_back(&q);
    table.columns.push_back({q.axis_title() + ": mean (16 % – 84 %)"});
    if (shown.size() == 3) break;  // as wide as a page
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const GridPoint at = grid_points(subject.points)[i];
    const double efficiency = reals(rows, "efficiency")[i],
                 error = reals(rows, "efficiency_error")[i];
    std::vector<PageCell> cells{
        subject.point_text(at.momentum, at.angle),
        rich_number(efficiency / unit::percent, 4) +
            (error > 0 ? " ± " + rich_number(error / unit::percent, 2)
                       : RichText()),
        rich_number(reals(rows, "n_hits")[i], 4)};
    for (const ShownQuantity* q : shown) {
      const std::string name(sigma_column(q->parameter));
      const double unit = sigma_unit(q->parameter) * q->factor;
      const auto number = [&](std::string_view ending) {
        return rich_number(reals(rows, name + std::string(ending))[i] * unit);
      };
      cells.emplace_back(number("") + " (" + number("_q16") + " – " +
                         number("_q84") + ")");
    }
    table.rows.push_back(std::move(cells));
  }
  const Texts& method = std::get<Texts>(column(rows, "method").cells);
  const Integers& tracks = std::get<Integers>(column(rows, "tracks").cells);
  table.caption = method.front() == "exact"
                      ? RichText("All patterns of hits, each with its weight.")
                      : fmt::format("Method: {}, {} tracks at the first point.",
                                    method.front(), tracks.front());
  return table;
}

}  // namespace gttf::detail
