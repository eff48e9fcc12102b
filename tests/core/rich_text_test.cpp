// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/rich_text.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("rich text: marks give runs of their style") {
  const auto runs = text_runs("*σ*(*d*_{0}) [10^{−5}]");
  REQUIRE(runs.size() == 7);
  CHECK(runs[0].text == "σ");
  CHECK(runs[0].style == TextStyle::italic);
  CHECK(runs[1].text == "(");
  CHECK(runs[1].style == TextStyle::upright);
  CHECK(runs[3].text == "0");
  CHECK(runs[3].style == TextStyle::subscript);
  CHECK(runs[5].text == "−5");
  CHECK(runs[5].style == TextStyle::superscript);
}

TEST_CASE("rich text: unclosed markup is literal") {
  CHECK(plain_text("a * b") == "a * b");
  CHECK(plain_text("a_b ^ c_{d") == "a_b ^ c_{d");
}

TEST_CASE("rich text: a literal name keeps its marks") {
  for (const char* name : {"layer_{1}*", "a^b\\c", "*x*", "plain"}) {
    const auto runs = text_runs(literal_text(name));
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].text == name);
    CHECK(runs[0].style == TextStyle::upright);
  }
}

TEST_CASE("rich text: numbers have significant digits and a true minus") {
  CHECK(rich_number(0.25374) == "0.254");
  CHECK(rich_number(-12.345) == "−12.3");
  CHECK(rich_number(9.996) == "10.0");  // rounding adds a digit in front
  CHECK(rich_number(1.5e-7, 2) == "1.5×10^{−7}");
  CHECK(rich_number(123456) == "1.23×10^{5}");
  CHECK(rich_number(0) == "0");
  CHECK(rich_number(std::numeric_limits<double>::quiet_NaN()) == "–");
}

TEST_CASE("rich text: rounded to nothing has no sign") {
  CHECK(fixed_number(-0.04, 1) == "0.0");
  CHECK(fixed_number(-0.06, 1) == "−0.1");
}

}  // namespace gttf::test::GTTF_TEST_FILE
