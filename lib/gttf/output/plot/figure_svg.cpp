// SPDX-License-Identifier: Apache-2.0
// A figure as one SVG document.
#include "gttf/output/plot/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

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
  if (panel.hover.empty()) return out;
  Document::List lines;
  const auto values = [](const Reals& list) {
    Document::List rounded;
    for (const double v : list) rounded.emplace_back(shown(v));
    return rounded;
  };
  for (const HoverLine& line : panel.hover)
    lines.push_back(Document()
                        .set("name", line.name)
                        .set("words", line.words)
                        .set("x", values(line.x))
                        .set("y", values(line.y)));
  out.set("lines", std::move(lines));
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

namespace {

constexpr double condition_size = 10.5, condition_line = 14;  // px
constexpr double border = 8;  ///< around a file; also used by page/report.js

// Words in lines not wider than `width`; none begins with a separating dot.
std::vector<RichText> in_lines(const RichText& text, double width) {
  std::vector<RichText> lines;
  RichText line;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const RichText word = text.substr(from, end - from);
    from = end + 1;
    const RichText longer = line.empty() ? word : line + " " + word;
    if (line.empty() || text_width(longer, condition_size) <= width) {
      line = longer;
      continue;
    }
    lines.push_back(line);
    line = word == "·" ? RichText() : word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

// The conditions of a figure, below y.
SvgContent svg_conditions(const Figure& figure, double y, double width) {
  SvgContent out{width, 0, ""};
  if (figure.conditions.empty()) return out;
  for (const RichText& line : in_lines(figure.conditions, width)) {
    out.height += condition_line;
    out.elements += svg_text(0, y + out.height, line,
                             {"tx ink3", Anchor::start, condition_size});
  }
  out.height += condition_line / 2;  // of letters below the line
  return out;
}

// A figure with its legend and conditions, from y = 0 downwards.
SvgContent picture_of(const Figure& figure) {
  const SvgContent content = content_of(figure);
  const SvgLegend legend = svg_legend(figure.legend, content.width);
  const SvgContent below =
      svg_conditions(figure, content.height, content.width);
  return {content.width, legend.height + content.height + below.height,
          fmt::format("<g transform=\"translate(0 {})\">{}{}{}</g>",
                      coordinate(legend.height), legend.elements,
                      content.elements, below.elements)};
}

}  // namespace

std::string figure_in_page(const Figure& figure) {
  const SvgContent content = content_of(figure);
  const SvgLegend legend = svg_legend(figure.legend, content.width);
  const SvgContent below =
      svg_conditions(figure, content.height, content.width);
  std::string key;
  if (legend.height > 0)
    key =
        fmt::format("<g class=\"legend\" display=\"none\" data-h=\"{}\">{}</g>",
                    coordinate(legend.height), legend.elements);
  if (below.height > 0)
    key += fmt::format(
        "<g class=\"conditions\" display=\"none\" data-h=\"{}\">{}</g>",
        coordinate(below.height), below.elements);
  return fmt::format(
      "<svg class=\"plot\" data-fig=\"{0}\" viewBox=\"0 0 {1} {2}\" "
      "width=\"{1}\" height=\"{2}\" role=\"img\" aria-labelledby=\"{0}-t{3}\">"
      "{4}{5}{6}<g class=\"hv\"></g></svg>",
      figure.id, coordinate(content.width), coordinate(content.height),
      figure.description.empty() ? "" : " " + figure.id + "-d",
      words_about(figure), key, content.elements);
}

std::string figure_file(std::span<const Figure> figures,
                        const std::optional<Provenance>& provenance,
                        const PictureStyle& style) {
  constexpr double gap = 18, title_height = 30, large = 16;
  const std::size_t columns =
      std::clamp<std::size_t>(style.columns, 1, figures.size());
  std::vector<SvgContent> pictures;
  std::vector<double> widths(columns), heights;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    pictures.push_back(picture_of(figures[i]));
    if (i % columns == 0) heights.push_back(0);
    heights.back() = std::max(heights.back(), pictures[i].height);
    widths[i % columns] = std::max(widths[i % columns], pictures[i].width);
  }
  double width = gap * static_cast<double>(columns - 1);
  for (const double w : widths) width += w;
  std::string out;
  double top = 0;
  if (!style.title.empty()) {
    out += svg_text(0, title_height - 12, style.title,
                    {"tx ink b", Anchor::start, large});
    top = title_height;
  }
  const bool is_single = figures.size() == 1;
  double left = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string words = is_single ? "" : words_about(figures[i]);
    out += left == 0 && top == 0
               ? words + pictures[i].elements
               : fmt::format("<g transform=\"translate({} {})\">{}{}</g>",
                             coordinate(left), coordinate(top), words,
                             pictures[i].elements);
    left += widths[i % columns] + gap;
    if ((i + 1) % columns > 0 && i + 1 < pictures.size()) continue;
    left = 0;
    top += heights[i / columns] + (i + 1 < pictures.size() ? gap : 0);
  }
  const std::string css =
      with_light_colours(std::string(assets::figure_css) + paint_rules());
  const std::string metadata =
      provenance ? "\n<metadata>\n" + escaped(to_lines(*provenance, "")) +
                       "</metadata>\n"
                 : "";
  const auto size = [&style](double px) {
    return coordinate(px * style.scale) + std::string(style.unit);
  };
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{8} -{8} {0} {1}\" "
      "width=\"{2}\" height=\"{3}\" font-family=\"Helvetica, Arial, "
      "'Liberation Sans', sans-serif\">\n{4}{5}<style>{6}</style>\n<rect "
      "x=\"-{8}\" y=\"-{8}\" width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>"
      "\n{7}\n"
      "</svg>\n",
      coordinate(width + 2 * border), coordinate(top + 2 * border),
      size(width + 2 * border), size(top + 2 * border),
      is_single ? words_about(figures.front()) : "", metadata, css, out,
      coordinate(border));
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
