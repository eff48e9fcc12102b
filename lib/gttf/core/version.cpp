// SPDX-License-Identifier: Apache-2.0
// The version, defined by the build.
#include "gttf/core/version.hpp"

namespace gttf {

std::string_view version() { return GTTF_VERSION; }

}  // namespace gttf
