// SPDX-License-Identifier: Apache-2.0
// The files of page/ and the module as text, embedded in the program by CMake.
#pragma once

#include <string_view>

namespace gttf::app::explorer_assets {

extern const std::string_view explorer_html;
extern const std::string_view explorer_css;
extern const std::string_view engine_js;
extern const std::string_view explorer_js;
/// The module, gzip and base64; empty if the preset wasm was not built.
extern const std::string_view module_b64;

}  // namespace gttf::app::explorer_assets
