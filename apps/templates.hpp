// SPDX-License-Identifier: Apache-2.0
// The files of the folder templates/ as text, embedded by CMake.
#pragma once

#include <string_view>

namespace gttf::app::templates {

extern const std::string_view barrel_yaml;
extern const std::string_view collider_yaml;
extern const std::string_view telescope_yaml;
extern const std::string_view spectrometer_yaml;

}  // namespace gttf::app::templates
