// SPDX-License-Identifier: Apache-2.0
// Properties of a terminal.
#pragma once

#include <cstddef>

namespace gttf {

/// Columns and rows of the terminal on `descriptor`; 80 and 24 if
/// unknown.
struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};
TerminalSize terminal_size(int descriptor);

/// Whether it shows UTF-8: determined by the first of LC_ALL, LC_CTYPE and LANG
/// that is set.
bool shows_utf8();

}  // namespace gttf
