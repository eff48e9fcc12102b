// SPDX-License-Identifier: Apache-2.0
// The version of the library and of the program.
#pragma once

#include <string_view>

namespace gttf {

/// The version as set in the project's CMakeLists.txt, e.g. "0.1.0".
std::string_view version();

}  // namespace gttf
