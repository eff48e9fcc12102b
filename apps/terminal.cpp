// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <unistd.h>

#include <algorithm>

#include "gttf/output/plot/terminal_plot.hpp"
#include "gttf/output/terminal.hpp"
#include "messages.hpp"

namespace gttf::app {

std::string drawn_on_terminal(const Figure& figure) {
  constexpr std::size_t widest = 120, highest = 20, lowest = 8, around = 8;
  const TerminalSize size = terminal_size(STDOUT_FILENO);
  TerminalStyle style;
  // the last column stays free: some terminals wrap there
  style.width = std::min(widest, std::max<std::size_t>(size.columns, 31) - 1);
  style.height = std::clamp(size.rows > around ? size.rows - around : lowest,
                            lowest, highest);
  style.colour = colours(STDOUT_FILENO);
  style.utf8 = shows_utf8();
  return terminal_plot(figure, style);
}

}  // namespace gttf::app
