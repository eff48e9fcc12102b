// SPDX-License-Identifier: Apache-2.0
// Where labels stand so that none covers another.
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
  double weight = 1;  ///< how bad a text on it is
};

/// Whether any part of the segment lies in the box.
bool crosses(const LineSegment& segment, const Box& box);

/// Moves positions apart to at least `gap`, as little as possible in the sense
/// of least squares, and keeps them within [lowest, highest] if there is room.
/// @return  new positions, in the order of `wanted`
std::vector<double> spread_apart(std::span<const double> wanted, double gap,
                                 double lowest, double highest);

/// The middle of the place between two lines where a box of this size has most
/// room; nothing if it fits nowhere. Lines are sampled at the same x, px; y is
/// downwards, `upper[i] <= lower[i]`; NaN breaks them.
struct BandPlace {
  double x = 0, y = 0;
};
std::optional<BandPlace> place_in_band(std::span<const double> x,
                                       std::span<const double> upper,
                                       std::span<const double> lower,
                                       double width, double height, double left,
                                       double right);

/// Chooses places for texts one after the other.
class LabelPlacer {
 public:
  explicit LabelPlacer(Box frame) : frame_(frame) {}

  void add_obstacle(const Box& box) { boxes_.push_back(box); }
  void add_obstacle(const LineSegment& line) { lines_.push_back(line); }

  /// The first of `candidates` that is in the frame and meets no obstacle;
  /// else the one that meets no text and lines of the least weight; takes it.
  /// Nothing if all meet text, or with `must_fit` if all meet lines.
  std::optional<std::size_t> take(std::span<const Box> candidates,
                                  bool must_fit);

 private:
  Box frame_;
  std::vector<Box> boxes_;
  std::vector<LineSegment> lines_;
};

// Legends, as SVG above a figure and as buttons in a page.

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
