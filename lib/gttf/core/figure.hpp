// SPDX-License-Identifier: Apache-2.0
// Figure: the content of a figure as data; output/ renders it as SVG.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gttf/core/rich_text.hpp"
#include "gttf/core/table.hpp"
#include "gttf/core/variant.hpp"

namespace gttf {

/// Meaning of a colour; themes define its value on light and dark paper.
enum class Tone {
  ink,         ///< text and axes
  second,      ///< less important text
  third,       ///< least important text
  series,      ///< `index`: lines of different things that are compared
  ordered,     ///< `index`: lines of an ordered quantity, from dark to light
  group,       ///< `index`: fills of subsystems
  pale_group,  ///< the same, supports and services of a subsystem
  edge,        ///< `index`: lines of subsystems
  hits,        ///< area excluded by hit errors
  scattering,  ///< area excluded by scattering
  less,        ///< effect of a decrease
  more,
  good,
  bad
};

/// A colour: series, groups and edges are distinguished by an index from 0.
struct Paint {
  Tone tone = Tone::ink;
  int index = 0;

  friend bool operator==(const Paint&, const Paint&) = default;
};

/// Colours of `series`, `ordered` and `group` before they repeat. Not everyone
/// can distinguish more than four hues; beyond them the line styles change.
inline constexpr int n_series_paints = 4;
inline constexpr int n_ordered_paints = 6;
inline constexpr int n_group_paints = 8;

/// Limits are dashed and dotted; the other styles distinguish curves.
enum class Dash {
  solid,
  dashed,
  dotted,
  long_dashed,
  dash_dotted,
  dash_dot_dotted
};

/// How a line differs from others.
struct LineStyle {
  Paint paint = {};
  Dash dash = Dash::solid;

  friend bool operator==(const LineStyle&, const LineStyle&) = default;
};

/// Line `i` of a category, such as detectors: four hues, then the same hues in
/// the next of four line styles.
LineStyle category_style(std::size_t i);

/// Line `i` of `n` values of an ordered quantity, such as angles and momenta: a
/// sequence of colours of increasing lightness, with alternating line styles.
LineStyle ordered_style(std::size_t i, std::size_t n);

enum class AxisScale { linear, logarithmic };
enum class Anchor { start, middle, end };

/// A tick placed independently of the scale.
struct AxisTick {
  double at = 0;
  bool major = false;
  RichText label = {};  ///< empty: none
};

struct FigureAxis {
  RichText title = {};    ///< with unit: "*p*_{T} [GeV]"
  std::string name = {};  ///< of the quantity in read-outs and files: "pT"
  std::string unit = {};  ///< empty: none
  AxisScale scale = AxisScale::linear;
  double lower = 0;
  double upper = 1;
  double step = 0;                   ///< between labels, linear; 0: chosen
  std::vector<AxisTick> ticks = {};  ///< empty: chosen
};

/// No column of the figure's data.
inline constexpr std::size_t no_column =
    std::numeric_limits<std::size_t>::max();

/// A line through points; NaN in `y` interrupts it.
struct Curve {
  std::string id = {};  ///< items switched on and off together
  Reals x = {}, y = {};
  Paint paint = {};
  Dash dash = Dash::solid;
  double width = 1.8;              ///< px
  double opacity = 1;              ///< 0 to 1
  bool hidden = false;             ///< until switched on
  bool behind = false;             ///< below the grid
  RichText end_label = {};         ///< right of the frame; empty: none
  std::size_t column = no_column;  ///< in Figure::data, for the read-out
};

/// The area between two lines. NaN interrupts it.
struct Band {
  std::string id = {};
  Reals x = {}, lower = {}, upper = {};
  Paint paint = {};
  bool hatched = false;
  bool behind = false;  ///< below the grid, opaque
  RichText label = {};  ///< written into it, or next to its right end
  std::size_t column = no_column;
};

/// A line that shows text while the pointer is near: a layer of a drawing.
struct HoverLine {
  Reals x = {}, y = {};
  std::string name = {};   ///< of the layer
  std::string words = {};  ///< lines of text about it
};

enum class MarkShape { ring, dot };

/// Points that keep their size when zoomed.
struct Marks {
  std::string id = {};
  std::string owner = {};  ///< another id that also switches them
  Reals x = {}, y = {};
  Paint paint = {};
  MarkShape shape = MarkShape::ring;
  double size = 7.4;  ///< diameter, px
};

/// A possible position of a note, relative to a point in data coordinates.
struct NotePlace {
  double x = 0, y = 0;
  double dx = 0, dy = 0;  ///< px; dy downwards, to the base line
  Anchor anchor = Anchor::start;
};

/// Text in the frame, at the first of its possible positions that is free.
struct Note {
  std::string id = {};
  std::vector<NotePlace> places = {};
  RichText text = {};
  Paint paint = {};
  bool bold = false;
  double rotation = 0;    ///< degrees, counter-clockwise; one position only
  bool must_fit = false;  ///< omitted if no position is free
};

/// A line across the frame at a value of one axis, with text outside.
struct Guide {
  enum class Along { x, y };  ///< the axis whose value it marks
  Along along = Along::y;
  double at = 0;
  std::vector<RichText> words;  ///< lines right of (y) or above (x) the frame
};

/// A label at the frame where a ray leaves it, as for pseudorapidity.
struct RayLabel {
  double x = 0, y = 0;  ///< where the ray leaves the frame, data coordinates
  RichText text = {};
};

/// Values on a grid, shown as colours. values[j * (x.size() - 1) + i].
struct HeatMap {
  Reals x = {}, y = {};  ///< edges
  Reals values = {};
  AxisScale scale = AxisScale::logarithmic;
  double lower = 0, upper = 1;
  RichText title = {};  ///< of the colour bar
  std::vector<double> contours = {};
};

/// Stacked frames with a common horizontal axis.
struct Panel {
  FigureAxis y = {};
  double share = 1;  ///< of the height, relative to the other panels
  std::vector<Band> bands = {};
  std::vector<Curve> curves = {};
  std::vector<Marks> marks = {};
  std::vector<Note> notes = {};
  std::vector<Guide> guides = {};
  std::vector<RayLabel> rays = {};
  std::optional<HeatMap> map = {};
  std::vector<HoverLine> hover = {};
};

struct Plot {
  FigureAxis x = {};
  std::optional<FigureAxis> top = {};  ///< other labels of the same axis, above
  std::vector<Panel> panels = {};
  bool grid = true;
  bool equal_scales = false;  ///< equal scales along x and y
};

/// A bar of a row: a length from zero, or from the end of the previous bar.
struct ChartBar {
  double value = 0;
  Paint paint = {};
  bool hatched = false;
};

/// A row of text and bars.
struct ChartRow {
  std::vector<RichText> cells = {};  ///< one for each text column
  Paint swatch = {};
  bool has_swatch = false;
  bool light = false;      ///< less important
  bool new_block = false;  ///< a fine line above
  /// For each panel of bars: stacked if not diverging.
  std::vector<std::vector<ChartBar>> bars = {};
  std::vector<RichText> labels =
      {};                 ///< for each panel, at the end of its bars
  std::string hint = {};  ///< spoken and shown when pointed at
};

struct ChartColumn {
  RichText title = {};
  Anchor anchor = Anchor::start;
};

struct ChartPanel {
  RichText title = {};
  double lower = 0, upper = 1;
  AxisScale scale = AxisScale::linear;
  bool diverging = false;  ///< each bar from zero, labelled at its end
};

/// Rows of text next to panels of bars.
struct BarChart {
  std::vector<ChartColumn> columns = {};
  std::vector<ChartPanel> panels = {};
  std::vector<ChartRow> rows = {};
  std::vector<RichText> foot = {};  ///< columns, then panels; empty: none
};

/// Lower triangles of symmetric matrices with entries in [-1, 1].
struct MatrixChart {
  struct Matrix {
    RichText title = {};
    std::vector<Reals> rows = {};
  };
  std::vector<RichText> names = {};
  std::vector<Matrix> matrices = {};
};

/// An entry of a legend.
struct LegendEntry {
  enum class Key { line, box, hatched_box, ring, two_lines };
  Key key = Key::line;
  RichText text = {};
  Paint paint = {};
  Dash dash = Dash::solid;
  std::vector<std::string> ids = {};  ///< id of the switched items; empty: none
  bool on = true;
};

struct Figure {
  std::string id = {};     ///< unique in a page; letters, digits, dashes
  RichText title = {};     ///< "Transverse momentum"
  RichText subtitle = {};  ///< "unconstrained fit"
  RichText caption = {};
  RichText conditions = {};      ///< of a saved figure: detector, track, model
  std::string description = {};  ///< text alternative for accessibility
  double width = 548;            ///< px
  double height = 350;           ///< px; 0: determined by the content
  std::vector<LegendEntry> legend = {};
  Variant<Plot, BarChart, MatrixChart> content = {};
  Table data = {};  ///< plotted data, for files and read-outs
};

}  // namespace gttf
