// SPDX-License-Identifier: Apache-2.0
// A kind of vector instructions for the life of a test.
#pragma once

#include <doctest/doctest.h>

#include <optional>

#include "gttf/core/simd.hpp"

namespace gttf::test {

/// Sets a level while it lives; the test ends if the processor lacks it.
class AtLevel {
 public:
  explicit AtLevel(SimdLevel level) { REQUIRE(!set_simd_level(level)); }
  ~AtLevel() { set_simd_level(std::nullopt); }
  AtLevel(const AtLevel&) = delete;
  AtLevel& operator=(const AtLevel&) = delete;
};

}  // namespace gttf::test
