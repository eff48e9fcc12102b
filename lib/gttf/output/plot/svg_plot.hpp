// SPDX-License-Identifier: Apache-2.0
// The content of figures as SVG elements.
#pragma once

#include <string>

#include "gttf/core/figure.hpp"
#include "gttf/output/plot/plot_frame.hpp"

namespace gttf {

/// Elements and the size they need.
struct SvgContent {
  double width = 0, height = 0;
  std::string elements;
};

SvgContent svg_plot(const Figure& figure, const Plot& plot);
SvgContent svg_bars(const Figure& figure, const BarChart& chart);
SvgContent svg_matrices(const Figure& figure, const MatrixChart& chart);

/// A pattern of hatches on a fill, to be referred to as url(#id).
std::string svg_hatch(const std::string& id, Paint paint);
std::string hatch_id(const Figure& figure, Paint paint);

/// Curves and areas of a panel, those below the grid apart, and its marks.
struct PanelShapes {
  std::string behind, front, marks;
};
PanelShapes panel_shapes(const Figure& figure, const Panel& panel,
                         const PanelFrame& frame);

/// Notes, labels in bands and at the ends of curves, guides, rays.
std::string panel_labels(const Panel& panel, const PanelFrame& frame);

/// The colour bar of a map, right of the frame.
std::string svg_colour_bar(const HeatMap& map, const PanelFrame& frame);

}  // namespace gttf
