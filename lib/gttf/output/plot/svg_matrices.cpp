// SPDX-License-Identifier: Apache-2.0
// Correlation matrices as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/output/plot/svg_text.hpp"

namespace gttf {
namespace {

constexpr double cell = 58, left_margin = 52, title_margin = 34;

std::string cell_text(double value) {
  if (std::isnan(value)) return "–";
  if (std::abs(value) < 0.005) return "0";
  return (value > 0 ? "+" : "") + fixed_number(value, 2);
}

std::string svg_cell(double x, double y, double value, bool diagonal) {
  constexpr double gap = 0.75;
  const double size = std::isnan(value) ? 0 : std::abs(value);
  // Darker for small correlations than proportional: they are seen, too.
  const double opacity = diagonal ? 1 : 0.85 * std::pow(size, 0.8);
  const char* fill = diagonal ? "hair" : value > 0 ? "pos" : "neg";
  constexpr double dark = 0.62;
  const char* ink = diagonal || size < 0.005 ? "ink3"
                    : size > dark            ? "on-colour"
                                             : "ink";
  return fmt::format(
             "<rect class=\"ar {}\" fill-opacity=\"{}\" x=\"{}\" y=\"{}\" "
             "width=\"{}\" height=\"{}\"/>",
             fill, coordinate(opacity, 2), coordinate(x + gap, 2),
             coordinate(y + gap, 2), coordinate(cell - 2 * gap, 2),
             coordinate(cell - 2 * gap, 2)) +
         svg_text(x + cell / 2, y + cell / 2 + 4.5,
                  diagonal ? "1" : cell_text(value),
                  {fmt::format("tx {}", ink), Anchor::middle, title_size});
}

}  // namespace

SvgContent svg_matrices(const Figure& figure, const MatrixChart& chart) {
  const double n = static_cast<double>(chart.names.size());
  const double side = cell * n;
  const double pitch = std::max(figure.width / 3, left_margin + side + 16);
  std::string out;
  double left = left_margin;
  for (const MatrixChart::Matrix& matrix : chart.matrices) {
    out += svg_text(left, title_margin - 14, matrix.title,
                    {"tx ink2", Anchor::start, title_size});
    for (std::size_t i = 0; i < chart.names.size(); ++i) {
      const double y = title_margin + cell * static_cast<double>(i);
      const double x = left + cell * static_cast<double>(i);
      out += svg_text(left - 9, y + cell / 2 + 4, chart.names[i],
                      {"tx ink", Anchor::end, title_size});
      out += svg_text(x + cell / 2, title_margin + side + 18, chart.names[i],
                      {"tx ink", Anchor::middle, title_size});
      for (std::size_t j = 0; j <= i; ++j)
        out += svg_cell(left + cell * static_cast<double>(j), y,
                        matrix.rows[i][j], i == j);
    }
    left += pitch;
  }
  return {figure.width, title_margin + side + 28, out};
}

}  // namespace gttf
