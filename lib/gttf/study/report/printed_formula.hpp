// SPDX-License-Identifier: Apache-2.0
// A formula as people write it by hand: "5 µm ⊕ 15 µm·GeV/(p·sin(θ)^{3/2})".
#pragma once

#include <string_view>

#include "gttf/core/rich_text.hpp"

namespace gttf::detail {

/// The text of a formula with the symbols of its variables and units, and
/// powers raised. What has no symbol stays as it was written.
RichText printed_formula(std::string_view formula);

}  // namespace gttf::detail
