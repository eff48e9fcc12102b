// SPDX-License-Identifier: Apache-2.0
// A figure as one SVG document.
#include "gttf/output/plot/svg_plot.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gttf/output/page_assets.hpp"
#include "gttf/output/plot/label_layout.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {
namespace {

SvgContent content_of(const Figure& figure) {
  if (const auto* plot = std::get_if<Plot>(&figure.content))
    return svg_plot(figure, *plot);
  if (const auto* bars = std::get_if<BarChart>(&figure.content))
    return svg_bars(figure, *bars);
  return svg_matrices(figure, std::get<MatrixChart>(figure.content));
}

std::string words_about(const Figure& figure) {
  std::string title = plain_text(figure.title);
  if (!figure.subtitle.empty()) title += ", " + plain_text(figure.subtitle);
  std::string out =
      fmt::format("<title id=\"{}-t\">{}</title>", figure.id, escaped(title));
  if (!figure.description.empty())
    out += fmt::format("<desc id=\"{}-d\">{}</desc>", figure.id,
                       escaped(figure.description));
  return out;
}

// Five digits exceed the resolution of a screen.
double shown(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double scale =
      std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Document axis_document(const FigureAxis& axis, const AxisMap& map) {
  Document out;
  out.set("lo", axis.lower).set("hi", axis.upper);
  out.set("log", axis.scale == AxisScale::logarithmic);
  out.set("r", Document::List{shown(map.first()), shown(map.last())});
  out.set("name", axis.name).set("unit", axis.unit);
  out.set("own", !axis.ticks.empty());
  return out;
}

Document panel_document(const Panel& panel, const PanelFrame& frame) {
  Document out = axis_document(panel.y, frame.y);
  Document::List series;
  for (const Band& band : panel.bands)
    if (band.column != no_column)
      series.push_back(Document()
                           .set("id", band.id)
                           .set("c", paint_class(band.paint))
                           .set("col", static_cast<int>(band.column))
                           .set("area", true));
  for (const Curve& curve : panel.curves)
    if (curve.column != no_column)
      series.push_back(Document()
                           .set("id", curve.id)
                           .set("c", paint_class(curve.paint))
                           .set("col", static_cast<int>(curve.column))
                           .set("dash", static_cast<int>(curve.dash)));
  out.set("series", std::move(series));
  return out;
}

Document data_document(const Table& data, double (*rounded)(double)) {
  Document::List columns;
  for (const Column& column : data.columns) {
    Document::List cells;
    std::visit(
        [&](const auto& values) {
          for (const auto& value : values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
              cells.emplace_back(rounded(value));
            else
              cells.emplace_back(value);
          }
        },
        column.cells);
    columns.push_back(
        Document().set("name", column.name).set("cells", std::move(cells)));
  }
  return columns;
}

}  // namespace

std::string figure_in_page(const Figure& figure) {
  const SvgContent content = content_of(figure);
  const SvgLegend legend = svg_legend(figure.legend, content.width);
  std::string key;
  if (legend.height > 0)
    key =
        fmt::format("<g class=\"legend\" display=\"none\" data-h=\"{}\">{}</g>",
                    coordinate(legend.height), legend.elements);
  return fmt::format(
      "<svg class=\"plot\" data-fig=\"{0}\" viewBox=\"0 0 {1} {2}\" "
      "width=\"{1}\" height=\"{2}\" role=\"img\" aria-labelledby=\"{0}-t{3}\">"
      "{4}{5}{6}<g class=\"hv\"></g></svg>",
      figure.id, coordinate(content.width), coordinate(content.height),
      figure.description.empty() ? "" : " " + figure.id + "-d",
      words_about(figure), key, content.elements);
}

std::string figure_file(const Figure& figure,
                        const std::optional<Provenance>& provenance) {
  const SvgContent content = content_of(figure);
  const SvgLegend legend = svg_legend(figure.legend, content.width);
  const double height = content.height + legend.height;
  const std::string css =
      with_light_colours(std::string(assets::figure_css) + paint_rules());
  const std::string metadata =
      provenance ? "\n<metadata>\n" + escaped(to_lines(*provenance, "")) +
                       "</metadata>\n"
                 : "";
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {0} {1} {2}\" "
      "width=\"{1}\" height=\"{2}\" font-family=\"Helvetica, Arial, "
      "'Liberation Sans', sans-serif\">\n{3}{7}<style>{4}</style>\n<rect "
      "y=\"{0}\" width=\"{1}\" height=\"{2}\" fill=\"#ffffff\"/>\n{5}{6}\n"
      "</svg>\n",
      coordinate(-legend.height), coordinate(content.width), coordinate(height),
      words_about(figure), css, legend.elements, content.elements, metadata);
}

Document figure_document(const Figure& figure) {
  Document out;
  if (const auto* plot = std::get_if<Plot>(&figure.content)) {
    const PlotFrame frame = make_frame(figure, *plot);
    Document::List panels;
    for (std::size_t i = 0; i < plot->panels.size(); ++i)
      panels.push_back(panel_document(plot->panels[i], frame.panels[i]));
    out.set("x", axis_document(plot->x, frame.panels.front().x));
    out.set("panels", std::move(panels));
    if (const auto& map = plot->panels.front().map)
      out.set("map", Document()
                         .set("nx", static_cast<int>(map->x.size() - 1))
                         .set("name", plain_text(map->title)));
  }
  out.set("data", data_document(figure.data, shown));
  return out;
}

Document table_document(const PageTable& table) {
  return data_document(table.data, [](double value) { return value; });
}

}  // namespace gttf
