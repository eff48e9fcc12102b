// SPDX-License-Identifier: Apache-2.0
// A figure in characters, for terminals.
#pragma once

#include <cstddef>
#include <string>

#include "gttf/core/figure.hpp"

namespace gttf {

struct TerminalStyle {
  std::size_t width = 80;   ///< characters
  std::size_t height = 16;  ///< lines of all panels together
  bool colour = false;      ///< ANSI
  bool utf8 = true;         ///< braille dots, blocks; else ASCII
};

/// The figure with axes, legend and conditions. Curves are dots of braille, two
/// across and four up in each character, bars are blocks, maps are shades.
/// Without colour, letters at their right ends distinguish the curves.
/// Lines end with a line feed, none is longer than `width`.
std::string terminal_plot(const Figure& figure, const TerminalStyle& style);

}  // namespace gttf
