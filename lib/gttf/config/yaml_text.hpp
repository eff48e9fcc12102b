// SPDX-License-Identifier: Apache-2.0
// Where a YAML value stands in the text: what the parser does not tell.
#pragma once

#include <cstddef>
#include <string_view>

namespace gttf::detail {

/// Past `&anchor` and `!tag`, which stand before the content at `at`.
std::size_t content_offset(std::string_view text, std::size_t at);

/// How many bytes the scalar `value` takes at `at`, quotation marks included;
/// at least 1.
std::size_t scalar_length(std::string_view text, std::size_t at,
                          std::string_view value);

}  // namespace gttf::detail
