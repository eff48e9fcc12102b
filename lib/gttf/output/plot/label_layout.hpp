// SPDX-License-Identifier: Apache-2.0
// Placement of labels without overlaps.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/core/figure.hpp"

namespace gttf {

/// A rectangle in pixels, y downwards.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom &&
           other.top < bottom;
  }
  bool inside(const Box& other) const {
    return left >= other.left && right <= other.right && top >= other.top &&
           bottom <= other.bottom;
  }
};

/// A straight piece of a curve, px.
struct LineSegment {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  double weight = 1;  ///< penalty of a text on it
};

/// Whether any part of the segment lies in the box.
bool crosses(const LineSegment& segment, const Box& box);

/// Moves positions apart to at least `gap`, with the least-squares
/// displacement, and keeps them within [lowest, highest] if possible.
/// @return  new positions, in the order of `wanted`
std::vector<double> spread_apart(std::span<const double> wanted, double gap,
                                 double lowest, double highest);

/// The centre of the position between two lines where a box of this size has
/// the largest clearance; nothing if it does not fit. Lines are sampled at the
/// same x, px; y is downwards, `upper[i] <= lower[i]`; NaN interrupts them.
struct BandPlace {
  double x = 0, y = 0;
};
std::optional<BandPlace> place_in_band(std::span<const double> x,
                                       std::span<const double> upper,
                                       std::span<const double> lower,
                                       double width, double height, double left,
                                       double right);

/// Chooses positions for texts one after the other.
class LabelPlacer {
 public:
  explicit LabelPlacer(Box frame);

  void add_obstacle(const Box& box) { boxes_.push_back(box); }
  void add_obstacle(const LineSegment& line);

  /// The first of `candidates` that is in the frame and overlaps no obstacle;
  /// else the one that overlaps no text and lines of the least weight; occupies
  /// it. Nothing if all overlap text, or with `must_fit` if all overlap lines.
  std::optional<std::size_t> take(std::span<const Box> candidates,
                                  bool must_fit);

 private:
  struct Line {
    LineSegment segment;
    std::size_t last_search = 0;  ///< in which it was tested
  };

  /// The range of cells, columns or rows, from `from` to `to`, px.
  struct CellRange {
    std::size_t begin, end;
  };
  CellRange columns(double from, double to) const;
  CellRange rows(double from, double to) const;
  /// The weights of the lines in a box, or a part of them that reaches `limit`.
  double weight_in(const Box& box, double limit);

  Box frame_;
  std::vector<Box> boxes_;
  std::vector<Line> lines_;
  std::size_t n_columns_, n_rows_, searches_ = 0;
  /// Numbers of the lines in each cell of the frame, row by row: thousands of
  /// labels need not look at thousands of lines.
  std::vector<std::vector<std::size_t>> cells_;
};

// Legends, as SVG above a figure and as buttons in a page.

/// The entries in lines of at most `width`, drawn above y = 0.
struct SvgLegend {
  double height = 0;  ///< px; 0: no entries
  std::string elements;
};
SvgLegend svg_legend(const std::vector<LegendEntry>& entries, double width);

/// The entries as HTML; entries that switch items are buttons. Empty if there
/// are none.
std::string html_legend(const std::vector<LegendEntry>& entries);

}  // namespace gttf
