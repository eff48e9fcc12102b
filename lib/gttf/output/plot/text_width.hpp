// SPDX-License-Identifier: Apache-2.0
// Widths of text as drawn, near enough to lay out labels.
#pragma once

#include <string_view>

namespace gttf {

enum class Weight { regular, bold };

/// Scripts are smaller than the text around them by this factor.
inline constexpr double script_size = 0.74;

/// Width of text with markup, px, in Helvetica, Arial or Liberation Sans, which
/// have equal widths; 3 % of room for other fonts.
/// Source: widths of the Adobe font metrics of Helvetica
double text_width(std::string_view markup, double font_size,
                  Weight weight = Weight::regular);

}  // namespace gttf
