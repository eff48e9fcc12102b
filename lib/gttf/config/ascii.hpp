// SPDX-License-Identifier: Apache-2.0
// Characters that readers of text look for.
#pragma once

#include <string_view>

namespace gttf::detail {

/// The byte order mark that some programs put before UTF-8 text.
inline constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

/// ASCII digits, in any locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace gttf::detail
