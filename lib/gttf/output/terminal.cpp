// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/terminal.hpp"

#include <sys/ioctl.h>

#include <cstdlib>
#include <string>

#include "gttf/config/text.hpp"

namespace gttf {

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  TerminalSize known;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return known;
  if (size.ws_col > 0) known.columns = size.ws_col;
  if (size.ws_row > 0) known.rows = size.ws_row;
  return known;
}

bool shows_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = lower_case(value);
    return locale.find("utf-8") != locale.npos ||
           locale.find("utf8") != locale.npos;
  }
  return false;
}

}  // namespace gttf
