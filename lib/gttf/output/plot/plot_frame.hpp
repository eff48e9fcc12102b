// SPDX-License-Identifier: Apache-2.0
// PlotFrame: where the frames, axes and margins of a plot are.
#pragma once

#include <string>
#include <vector>

#include "gttf/core/figure.hpp"
#include "gttf/output/plot/axis.hpp"
#include "gttf/output/plot/label_layout.hpp"

namespace gttf {

inline constexpr double tick_size = 12;   ///< font of tick labels, px
inline constexpr double title_size = 13;  ///< font of axis titles, px
inline constexpr double label_size = 12.5;

/// One panel: its frame and the maps of its axes.
struct PanelFrame {
  Box box;
  AxisMap x, y;
  std::vector<AxisTick> y_ticks;
};

struct PlotFrame {
  double width = 0, height = 0;
  std::vector<AxisTick> x_ticks;
  std::vector<PanelFrame> panels;
};

/// Margins as wide as the labels need. A figure without height gets one from
/// equal scales, or two thirds of its width.
PlotFrame make_frame(const Figure& figure, const Plot& plot);

/// Frame, grid, ticks, tick labels and titles; grid apart, since it is below
/// the curves.
std::string svg_grid(const PlotFrame& frame, std::size_t panel);
std::string svg_axes(const Plot& plot, const PlotFrame& frame,
                     std::size_t panel);

}  // namespace gttf
