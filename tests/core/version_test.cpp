// SPDX-License-Identifier: Apache-2.0
// Tests of version.
#include "gttf/core/version.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("version: three numbers with dots between") {
  int dots = 0;
  for (const char c : gttf::version()) {
    CHECK((c == '.' || (c >= '0' && c <= '9')));
    dots += c == '.';
  }
  CHECK(dots == 2);
}

}  // namespace gttf::test::GTTF_TEST_FILE
