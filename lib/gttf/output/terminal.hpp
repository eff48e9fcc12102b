// SPDX-License-Identifier: Apache-2.0
// What is known of a terminal.
#pragma once

#include <cstddef>

namespace gttf {

/// Columns and rows of the terminal on `descriptor`; 80 and 24 if it does not
/// tell.
struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};
TerminalSize terminal_size(int descriptor);

/// Whether it shows characters of UTF-8: of the locale variables LC_ALL,
/// LC_CTYPE and LANG the first that is set says so.
bool shows_utf8();

}  // namespace gttf
