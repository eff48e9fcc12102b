// SPDX-License-Identifier: Apache-2.0
// The content of figures as SVG elements.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/figure.hpp"
#include "gttf/core/page.hpp"
#include "gttf/output/plot/label_layout.hpp"
#include "gttf/output/provenance.hpp"

// PlotFrame: the positions of frames, axes and margins of a plot. Ticks of an
// axis and its map from values to pixels.
namespace gttf {

/// An axis from pixel `first` (at its lower end) to `last`.
class AxisMap {
 public:
  AxisMap() = default;
  AxisMap(const FigureAxis& axis, double first, double last);

  /// Pixel of a value; on logarithmic axes values up to 0 give -infinity.
  double operator()(double value) const;
  double first() const { return first_; }
  double last() const { return last_; }
  double lower() const { return lower_; }
  double upper() const { return upper_; }
  bool is_log() const { return log_; }

 private:
  bool log_ = false;
  double lower_ = 0, upper_ = 1, first_ = 0, last_ = 1;
  double offset_ = 0, slope_ = 1;
};

/// Minimum distance of labels on linear axes, px; numbers are wider than high.
inline constexpr double label_distance_across = 70;
inline constexpr double label_distance_up = 42;
/// For axes shorter than `short_axis`.
inline constexpr double label_distance_short = 26;
inline constexpr double short_axis = 150;

/// The ticks of `axis` drawn `length` px long: steps of 1, 2, 5 on linear axes,
/// labels at least `distance` px apart; on logarithmic ones labels at 1-2-5,
/// 1-3 or 1, depending on the length of a decade, and all digits if the axis
/// covers less than a decade.
std::vector<AxisTick> axis_ticks(const FigureAxis& axis, double length,
                                 double distance = label_distance_across);

/// "0.05", "5000", "10^{−5}": the label of a tick, as a power of ten from
/// `power_from`.
RichText tick_label(double value, double power_from);

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

/// Margins fit the labels. A figure without height gets its height from equal
/// scales, or two thirds of its width.
PlotFrame make_frame(const Figure& figure, const Plot& plot);

/// Frame, grid, ticks, tick labels and titles; the grid separately, because it
/// is drawn below the curves.
std::string svg_grid(const PlotFrame& frame, std::size_t panel);
std::string svg_axes(const Plot& plot, const PlotFrame& frame,
                     std::size_t panel);

/// Elements and their size.
struct SvgContent {
  double width = 0, height = 0;
  std::string elements;
};

SvgContent svg_plot(const Figure& figure, const Plot& plot);
SvgContent svg_bars(const Figure& figure, const BarChart& chart);
SvgContent svg_matrices(const Figure& figure, const MatrixChart& chart);

/// A pattern of hatches on a fill, referenced as url(#id).
std::string svg_hatch(const std::string& id, Paint paint);
std::string hatch_id(const Figure& figure, Paint paint);

/// Curves and areas of a panel, those below the grid separately, and its marks.
struct PanelShapes {
  std::string behind, front, marks;
};
PanelShapes panel_shapes(const Figure& figure, const Panel& panel,
                         const PanelFrame& frame);

/// The class of a line style, with a space before it: " dash".
std::string_view dash_class(Dash dash);

/// Bands whose names do not fit into them, but which reach the right side of
/// the frame.
std::vector<const Band*> bands_named_beside(const Panel& panel,
                                            const PanelFrame& frame);

/// Notes, labels in bands and at the ends of curves, guides, rays.
std::string panel_labels(const Panel& panel, const PanelFrame& frame);

/// The colour bar of a map, right of the frame.
std::string svg_colour_bar(const HeatMap& map, const PanelFrame& frame);

/// The values of the contours, written on them if there is space.
std::string svg_contour_labels(const HeatMap& map, const PanelFrame& frame);

/// Cells and contours of a map; cells without a value remain empty.
std::string svg_heat_map(const HeatMap& map, const PanelFrame& frame);

/// An svg element for a page: colours by class, legend hidden, with a text
/// alternative of the content.
std::string figure_in_page(const Figure& figure);

/// The style of a picture for a paper or slides.
struct PictureStyle {
  RichText title = {};         ///< above it; empty: none
  double scale = 1;            ///< of the picture's size, in `unit` per px
  std::string_view unit = {};  ///< "mm"; empty: px
  std::size_t columns = 1;     ///< of several figures
};

/// A file: white paper, plain colours, legends above and conditions below the
/// figures, provenance as metadata. Valid XML in UTF-8; the same figures give
/// the same bytes.
/// @param figures  at least one; their names differ
std::string figure_file(std::span<const Figure> figures,
                        const std::optional<Provenance>& provenance = {},
                        const PictureStyle& style = {});
inline std::string figure_file(const Figure& figure,
                               const std::optional<Provenance>& provenance = {},
                               const PictureStyle& style = {}) {
  return figure_file(std::span(&figure, 1), provenance, style);
}

/// Data for the script of the page: axes, frames, series and data, rounded to
/// the resolution of a figure.
Document figure_document(const Figure& figure);

/// Of a table its data, columns with `name` and `cells`, all digits.
Document table_document(const PageTable& table);

}  // namespace gttf
