// SPDX-License-Identifier: Apache-2.0
// Figures on the terminal of the user.
#pragma once

#include <string>

#include "gttf/core/figure.hpp"

namespace gttf::app {

/// The figure as wide as the terminal on standard output, with its colours and
/// characters.
std::string drawn_on_terminal(const Figure& figure);

}  // namespace gttf::app
