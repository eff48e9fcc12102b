// SPDX-License-Identifier: Apache-2.0
// Legends, as SVG above a figure and as buttons in a page.
#pragma once

#include <string>
#include <vector>

#include "gttf/core/figure.hpp"

namespace gttf {

/// The entries in lines not wider than `width`, drawn above y = 0.
struct SvgLegend {
  double height = 0;  ///< px; 0: no entries
  std::string elements;
};
SvgLegend svg_legend(const std::vector<LegendEntry>& entries, double width);

/// The entries as HTML: those that switch something are buttons. Empty if
/// there are none.
std::string html_legend(const std::vector<LegendEntry>& entries);

}  // namespace gttf
