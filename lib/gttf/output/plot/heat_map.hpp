// SPDX-License-Identifier: Apache-2.0
// Heat maps: cells of colour with contour lines.
#pragma once

#include <string>

#include "gttf/core/figure.hpp"
#include "gttf/output/plot/plot_frame.hpp"

namespace gttf {

/// Cells and contours of a map; cells without a value stay empty.
std::string svg_heat_map(const HeatMap& map, const PanelFrame& frame);

}  // namespace gttf
