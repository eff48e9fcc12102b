// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/diagnostics.hpp"

namespace gttf {}
