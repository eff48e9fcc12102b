// SPDX-License-Identifier: Apache-2.0
// The atoms of SVG and HTML: numbers, escaped text, text with markup.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "gttf/core/figure.hpp"

// Widths of text as drawn, near enough to lay out labels.
namespace gttf {

enum class Weight { regular, bold };

/// Scripts are smaller than the text around them by this factor.
inline constexpr double script_size = 0.74;

/// Width of text with markup, px: the larger of those in Helvetica (Arial and
/// Liberation Sans have the same) and in DejaVu Sans, which replaces them where
/// they are not installed. No label is wider on either machine.
/// Source: widths of the Adobe font metrics of Helvetica, and of DejaVu 2.37
double text_width(std::string_view markup, double font_size,
                  Weight weight = Weight::regular);

// SvgPath: the data of a path element, short.

/// Collects points as moves and relative lines in tenths of a pixel; rounding
/// does not add up. Points that are not finite break the line.
class SvgPath {
 public:
  /// Next point of the line.
  void to(double x, double y);
  /// The next point begins a new line.
  void lift() { down_ = false; }
  void close();
  /// A line from one point to another.
  void line(double x0, double y0, double x1, double y1);
  /// A dot: a line without length, drawn by round caps.
  void dot(double x, double y);

  bool empty() const { return data_.empty(); }
  const std::string& data() const { return data_; }

 private:
  void append(long tenths);

  std::string data_;
  bool down_ = false;
  long x_ = 0, y_ = 0;  // tenths of a pixel
};

/// `text` for XML and HTML, in content and in attributes with double quotes.
/// Control characters, which XML does not allow, are left out.
std::string escaped(std::string_view text);

/// A coordinate: at most `decimals` digits behind the point, no zeros at the
/// end, "0" for what rounds to it.
std::string coordinate(double value, int decimals = 1);

/// Markup as the content of a text element: tspans for italics and scripts.
/// Scripts move the base line by dy and back; spaces at their borders become
/// dx, since librsvg drops them.
std::string svg_runs(std::string_view markup, double font_size);

/// Markup as HTML: i, sub and sup elements.
std::string html_runs(std::string_view markup);

/// How a text element is drawn.
struct SvgTextStyle {
  std::string classes = "tx";
  Anchor anchor = Anchor::start;
  double size = 12;
  double rotation = 0;  ///< degrees, counter-clockwise
  std::string id = {};  ///< of the series that switches it
};

/// A text element at (x, y), px.
std::string svg_text(double x, double y, std::string_view markup,
                     const SvgTextStyle& style);

}  // namespace gttf
