// SPDX-License-Identifier: Apache-2.0
// Rows of text and bars as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {
namespace {

constexpr double row_height = 18, head_height = 50, foot_height = 26;
constexpr double bar_text_size = 12.5, column_gap = 18, bar_gap = 34;
constexpr double swatch_width = 12;
constexpr double bar_inset = 3;  // above and below a bar

// Positions of columns and panels, px.
struct BarLayout {
  std::vector<double> columns;  // anchor of the text
  struct Panel {
    AxisMap map;
    double left = 0, right = 0;
  };
  std::vector<Panel> panels;
  double width = 0, height = 0, bottom = 0;
};

double widest_cell(const BarChart& chart, std::size_t column) {
  double most = text_width(chart.columns[column].title, bar_text_size);
  for (const ChartRow& row : chart.rows)
    most = std::max(most, text_width(row.cells[column], bar_text_size));
  if (column < chart.foot.size() && column > 0)
    most = std::max(most, text_width(chart.foot[column], bar_text_size));
  return most;
}

// The label at the end of a bar that extends to either side.
RichText change_label(double value) {
  return (value < 0 ? "" : "+") + fixed_number(value, 1);
}

double widest_label(const BarChart& chart, std::size_t panel) {
  double most = 0;
  const auto need = [&most](const RichText& label) {
    most = std::max(most, text_width(label, tick_size));
  };
  for (const ChartRow& row : chart.rows) {
    if (panel < row.labels.size()) need(row.labels[panel]);
    if (!chart.panels[panel].diverging) continue;
    for (const ChartBar& bar : row.bars[panel]) need(change_label(bar.value));
  }
  return most + 8;
}

BarLayout make_layout(const Figure& figure, const BarChart& chart) {
  BarLayout layout;
  layout.width = figure.width;
  layout.bottom =
      head_height + row_height * static_cast<double>(chart.rows.size());
  layout.height = layout.bottom + (chart.foot.empty() ? 8 : foot_height);
  const bool swatches =
      std::any_of(chart.rows.begin(), chart.rows.end(),
                  [](const ChartRow& row) { return row.has_swatch; });
  double at = swatches ? swatch_width : 0;
  for (std::size_t i = 0; i < chart.columns.size(); ++i) {
    const double width = widest_cell(chart, i);
    layout.columns.push_back(
        chart.columns[i].anchor == Anchor::start ? at : at + width);
    at += width + column_gap;
  }
  at += 6;
  const double n = static_cast<double>(chart.panels.size());
  const double each = (figure.width - at - bar_gap * (n - 1)) / n;
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const ChartPanel& panel = chart.panels[i];
    BarLayout::Panel place;
    const double label = widest_label(chart, i);
    place.left = at + (panel.diverging ? label : 0);
    place.right = at + each - label;
    FigureAxis axis;
    axis.scale = panel.scale;
    axis.lower = panel.lower;
    axis.upper = panel.upper;
    place.map = AxisMap(axis, place.left, place.right);
    layout.panels.push_back(std::move(place));
    at += each + bar_gap;
  }
  return layout;
}

// Title and scale of a panel of bars.
std::string panel_head(const ChartPanel& panel, const BarLayout::Panel& place,
                       double bottom) {
  FigureAxis axis;
  axis.scale = panel.scale;
  axis.lower = panel.lower;
  axis.upper = panel.upper;
  SvgPath lines;
  std::string out = svg_text(place.left, 16, panel.title,
                             {"tx ink2", Anchor::start, bar_text_size});
  constexpr double room = 1.25;  // bars need fewer labels than axes
  for (const AxisTick& tick :
       axis_ticks(axis, (place.right - place.left) / room)) {
    if (tick.label.empty()) continue;
    const double x = place.map(tick.at);
    lines.line(x, head_height - 8, x, bottom);
    const std::string sign = panel.diverging && tick.at > 0 ? "+" : "";
    out += svg_text(x, head_height - 14, sign + tick.label,
                    {"tx ink3", Anchor::middle, tick_size});
  }
  return fmt::format("<path class=\"gr\" d=\"{}\"/>", lines.data()) + out;
}

std::string zero_line(const ChartPanel& panel, const BarLayout::Panel& place,
                      double bottom) {
  const double zero = panel.scale == AxisScale::logarithmic
                          ? panel.lower
                          : std::max(0.0, panel.lower);
  SvgPath path;
  path.line(place.map(zero), head_height - 8, place.map(zero), bottom);
  return fmt::format("<path class=\"fr\" d=\"{}\"/>", path.data());
}

std::string rectangle(const Figure& figure, const ChartBar& bar, double from,
                      double to, double top) {
  constexpr double visible = 0.3;
  if (std::abs(to - from) < visible) return "";
  const std::string fill =
      bar.hatched
          ? fmt::format(" style=\"fill:url(#{})\"", hatch_id(figure, bar.paint))
          : "";
  return fmt::format(
      "<rect class=\"ar {}\"{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
      paint_class(bar.paint), fill, coordinate(std::min(from, to)),
      coordinate(top + bar_inset), coordinate(std::abs(to - from)),
      coordinate(row_height - 2 * bar_inset));
}

std::string bars_of(const Figure& figure, const ChartRow& row,
                    const ChartPanel& panel, const BarLayout::Panel& place,
                    std::size_t i, double top) {
  std::string out;
  const double base = top + row_height / 2 + 0.36 * tick_size;
  if (panel.diverging) {
    for (const ChartBar& bar : row.bars[i]) {
      const double end =
          place.map(std::clamp(bar.value, panel.lower, panel.upper));
      out += rectangle(figure, bar, place.map(0), end, top);
      const bool left = bar.value < 0;
      out +=
          svg_text(end + (left ? -5 : 5), base, change_label(bar.value),
                   {"tx ink2", left ? Anchor::end : Anchor::start, tick_size});
    }
    return out;
  }
  double sum = panel.scale == AxisScale::logarithmic ? panel.lower : 0;
  if (panel.scale == AxisScale::linear && panel.lower > 0) sum = panel.lower;
  double end = place.map(sum);
  for (const ChartBar& bar : row.bars[i]) {
    const bool first = &bar == &row.bars[i].front();
    const double to = first && sum != 0 ? bar.value : sum + bar.value;
    const double next = place.map(std::clamp(to, panel.lower, panel.upper));
    out += rectangle(figure, bar, end, next, top);
    sum = to;
    end = next;
  }
  if (i < row.labels.size() && !row.labels[i].empty())
    out += svg_text(end + 5, base, row.labels[i],
                    {"tx ink2", Anchor::start, tick_size});
  return out;
}

std::string row_of(const Figure& figure, const BarChart& chart,
                   const BarLayout& layout, const ChartRow& row, double top) {
  std::string out;
  if (!row.hint.empty())
    out += fmt::format("<title>{}</title>", escaped(row.hint));
  if (row.has_swatch)
    out += fmt::format(
        "<rect class=\"ar {}\" x=\"0\" y=\"{}\" width=\"4\" height=\"{}\"/>",
        paint_class(row.swatch), coordinate(top + bar_inset),
        coordinate(row_height - 2 * bar_inset));
  const double base = top + row_height / 2 + 0.36 * bar_text_size;
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    out += svg_text(layout.columns[i], base, row.cells[i],
                    {row.light || i > 0 ? "tx ink2" : "tx ink",
                     chart.columns[i].anchor, bar_text_size});
  for (std::size_t i = 0; i < chart.panels.size(); ++i)
    out += bars_of(figure, row, chart.panels[i], layout.panels[i], i, top);
  return "<g>" + out + "</g>";
}

std::string bar_hatches(const Figure& figure, const BarChart& chart) {
  std::set<std::string> done;
  std::string out;
  for (const ChartRow& row : chart.rows)
    for (const auto& bars : row.bars)
      for (const ChartBar& bar : bars)
        if (bar.hatched && done.insert(hatch_id(figure, bar.paint)).second)
          out += svg_hatch(hatch_id(figure, bar.paint), bar.paint);
  return out.empty() ? out : "<defs>" + out + "</defs>";
}

std::string foot_of(const BarChart& chart, const BarLayout& layout) {
  SvgPath rule;
  rule.line(0, layout.bottom + 1, layout.width, layout.bottom + 1);
  std::string out = fmt::format("<path class=\"fr\" d=\"{}\"/>", rule.data());
  for (std::size_t i = 0; i < chart.foot.size(); ++i) {
    const bool column = i < chart.columns.size();
    const double x = column ? layout.columns[i]
                            : layout.panels[i - chart.columns.size()].left;
    out += svg_text(
        x, layout.bottom + 19, chart.foot[i],
        {column ? "tx ink2" : "tx ink b",
         column ? chart.columns[i].anchor : Anchor::start, bar_text_size});
  }
  return out;
}

}  // namespace

SvgContent svg_bars(const Figure& figure, const BarChart& chart) {
  const BarLayout layout = make_layout(figure, chart);
  std::string out = bar_hatches(figure, chart);
  for (std::size_t i = 0; i < chart.columns.size(); ++i)
    out += svg_text(layout.columns[i], 16, chart.columns[i].title,
                    {"tx ink2", chart.columns[i].anchor, bar_text_size});
  for (std::size_t i = 0; i < chart.panels.size(); ++i)
    out += panel_head(chart.panels[i], layout.panels[i], layout.bottom);
  double top = head_height;
  SvgPath blocks;
  for (const ChartRow& row : chart.rows) {
    if (row.new_block) blocks.line(0, top, layout.width, top);
    top += row_height;
  }
  out += fmt::format("<path class=\"gr\" d=\"{}\"/>", blocks.data());
  top = head_height;
  for (const ChartRow& row : chart.rows) {
    out += row_of(figure, chart, layout, row, top);
    top += row_height;
  }
  for (std::size_t i = 0; i < chart.panels.size(); ++i)
    out += zero_line(chart.panels[i], layout.panels[i], layout.bottom);
  if (!chart.foot.empty()) out += foot_of(chart, layout);
  return {layout.width, layout.height, out};
}

}  // namespace gttf
