// SPDX-License-Identifier: Apache-2.0
// The files of the folder page/ as text, embedded by CMake.
#pragma once

#include <string_view>

namespace gttf::assets {

extern const std::string_view figure_css;
extern const std::string_view report_css;
extern const std::string_view report_js;

}  // namespace gttf::assets
