// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/readable.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("readable: no exponent in the usual range") {
  CHECK(readable(0.0123456, 3) == "0.0123");
  CHECK(readable(1234.56, 3) == "1235");
  CHECK(readable(100, 3) == "100");
  CHECK(readable(999.96, 4) == "1000");
  CHECK(readable(9.996, 3) == "10");
  CHECK(readable(123456.7, 3) == "123457");
  CHECK(readable(1234567.0, 3) == "1.23e+06");
  CHECK(readable(0.00012345, 3) == "0.000123");
  CHECK(readable(0.000012345, 3) == "1.23e-05");
  CHECK(readable(-0.5, 3) == "-0.5");
  CHECK(readable(1.0 / 3, 17) == "0.33333333333333331");
}

TEST_CASE("readable: zeros at the end are kept on request only") {
  CHECK(readable(1, 3) == "1");
  CHECK(readable(1, 3, Zeros::keep) == "1.00");
  CHECK(readable(0.5, 3, Zeros::keep) == "0.500");
  CHECK(readable(90, 3, Zeros::keep) == "90.0");
  CHECK(readable(9.996, 3, Zeros::keep) == "10.0");
  CHECK(readable(1e-7, 3, Zeros::keep) == "1.00e-07");
  CHECK(readable(1e-7, 3) == "1e-07");
  CHECK(readable(100, 3, Zeros::strip) == "100");
}

TEST_CASE("readable: a dash represents a missing value") {
  CHECK(readable(std::numeric_limits<double>::quiet_NaN(), 3) == "-");
  CHECK(readable(std::numeric_limits<double>::infinity(), 3) == "inf");
  CHECK(readable(-std::numeric_limits<double>::infinity(), 3) == "-inf");
  CHECK(readable(0, 3) == "0");
  CHECK(readable(-0.0, 3, Zeros::keep) == "0");
}

TEST_CASE("readable: a change has a sign") {
  CHECK(readable_change(12.3456, 3) == "+12.3");
  CHECK(readable_change(-7720.4, 3) == "-7720");
  CHECK(readable_change(0, 3) == "+0");
}

}  // namespace gttf::test::GTTF_TEST_FILE
