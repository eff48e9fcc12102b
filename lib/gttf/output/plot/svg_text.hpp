// SPDX-License-Identifier: Apache-2.0
// The atoms of SVG and HTML: numbers, escaped text, text with markup.
#pragma once

#include <string>
#include <string_view>

#include "gttf/core/figure.hpp"

namespace gttf {

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
