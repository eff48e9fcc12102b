// SPDX-License-Identifier: Apache-2.0
// The content of figures as SVG elements.
#pragma once

#include <optional>
#include <string>

#include "gttf/core/document.hpp"
#include "gttf/core/figure.hpp"
#include "gttf/core/page.hpp"
#include "gttf/output/plot/plot_frame.hpp"
#include "gttf/output/provenance.hpp"

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

/// Cells and contours of a map; cells without a value stay empty.
std::string svg_heat_map(const HeatMap& map, const PanelFrame& frame);

/// An svg element for a page: colours by class, legend hidden, the content
/// described to those who do not see it.
std::string figure_in_page(const Figure& figure);

/// A file: white paper, plain colours, legend above, what made it as metadata.
/// Valid XML in UTF-8; the same figure gives the same bytes.
std::string figure_file(const Figure& figure,
                        const std::optional<Provenance>& provenance = {});

/// What the script of the page needs: axes, frames, series and data, rounded
/// to what a figure shows.
Document figure_document(const Figure& figure);

/// Of a table its data, columns with `name` and `cells`, all digits.
Document table_document(const PageTable& table);

}  // namespace gttf
