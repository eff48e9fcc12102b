// SPDX-License-Identifier: Apache-2.0
// GTTF_EXPECT: states a precondition; checked in debug builds.
#pragma once

#include <cassert>

#define GTTF_EXPECT(condition) assert(condition)
