// SPDX-License-Identifier: Apache-2.0
// Documents compared, and read with names in the messages.
#pragma once

#include <optional>
#include <string>

#include "gttf/core/document.hpp"

namespace gttf {

/// Name of the first member of `a` and `b` that is not the same in both
/// ("seed", "detectors[1].sha256"); nothing if they are equal.
std::optional<std::string> first_difference(const Document& a,
                                            const Document& b);

}  // namespace gttf
