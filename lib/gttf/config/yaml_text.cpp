// SPDX-License-Identifier: Apache-2.0
// Finds the extent of YAML values in the text.
#include <algorithm>

#include "gttf/config/text.hpp"
#include "gttf/config/yaml_text.hpp"

namespace gttf::detail {

std::size_t content_offset(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    const std::size_t end = text.find_first_of(" \t\r\n", at);
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next == std::string_view::npos) break;
    at = next;
  }
  return at;
}

std::size_t scalar_length(std::string_view text, std::size_t at,
                          std::string_view value) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with(value)) return std::max<std::size_t>(1, value.size());
  const std::size_t line = std::min(rest.find('\n'), rest.size());
  if (rest.starts_with('"') || rest.starts_with('\'')) {
    const std::size_t end = rest.find(rest[0], 1);
    if (end < line) return end + 1;
  }
  return std::max<std::size_t>(1, trimmed(rest.substr(0, line)).size());
}

}  // namespace gttf::detail
