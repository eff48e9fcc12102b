// SPDX-License-Identifier: Apache-2.0
// Theme: the colours of figures and pages on light and on dark paper.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gttf/core/figure.hpp"

namespace gttf {

/// A colour of the theme; `--name` in CSS.
struct ThemeColour {
  std::string_view name, light, dark;
};

/// All colours. Series differ from paper by a contrast of at least 3, text in
/// their colours by 4.5 [WCAG21].
std::span<const ThemeColour> theme_colours();

/// CSS class for the colour of an element: "s0", "g3", "ink".
std::string paint_class(Paint paint);

/// CSS class for text in that colour: darker than the line on light paper.
std::string text_class(Paint paint);

/// "--paper:#fff;--ink:#1a1e23;...": all colours as CSS variables.
std::string light_variables();
std::string dark_variables();

/// ".s0{color:var(--s0)}...": the classes of paint_class().
std::string paint_rules();

/// `css` with every `var(--name)` replaced by its colour on light paper.
std::string with_light_colours(std::string_view css);

/// A colour between a and b (hex, "#rrggbb"), fraction in [0, 1].
std::string mixed_colour(std::string_view a, std::string_view b,
                         double fraction);

/// Colour of a value in [0, 1] on a scale from dark blue over green to yellow
/// with increasing lightness.
std::string scale_colour(double fraction);

}  // namespace gttf
