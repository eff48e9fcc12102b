// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/axis.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("spaced: ends are exact and steps are even") {
  const auto log = spaced(0.1, 100, 61, Spacing::logarithmic);
  CHECK(log.front() == 0.1);
  CHECK(log.back() == 100);
  for (std::size_t i = 1; i < log.size(); ++i)
    // exp and log: a few units in the last place
    CHECK(log[i] / log[i - 1] ==
          doctest::Approx(std::pow(10.0, 3.0 / 60)).epsilon(1e-13));
  const auto linear = spaced(-1, 0.7, 18, Spacing::linear);
  CHECK(linear.front() == -1);
  CHECK(linear.back() == 0.7);
  for (std::size_t i = 1; i < linear.size(); ++i)
    CHECK(linear[i] - linear[i - 1] == doctest::Approx(0.1).epsilon(1e-12));
  CHECK(spaced(1, 2, 2, Spacing::logarithmic) == std::vector<double>{1, 2});
}

TEST_CASE("spaced: round steps are the round numbers") {
  const auto decades = spaced(0.1, 100, 61, Spacing::logarithmic);
  CHECK(decades[20] == 1);
  CHECK(decades[40] == 10);
  CHECK(spaced(1, 100, 5, Spacing::logarithmic)[2] == 10);
  CHECK(spaced(0.07, 7, 3, Spacing::logarithmic)[1] == 0.7);
  const auto eta = spaced(0, 2.5, 26, Spacing::linear);
  CHECK(eta[7] == 0.7);
  CHECK(eta[23] == 2.3);
  const auto through_zero = spaced(-1, 0.7, 18, Spacing::linear);
  CHECK(through_zero[7] == -0.3);
  CHECK(through_zero[10] == 0);
  CHECK(through_zero[11] == 0.1);
  // and no others: a third is not rounded to twelve digits
  CHECK(spaced(0, 1, 4, Spacing::linear)[1] == 1.0 / 3);
}

TEST_CASE("option node: values, lists and ranges keep their place") {
  Diagnostics faults;
  CHECK(option_node("--p", "1GeV", faults).text() == "1GeV");
  const Node list = option_node("--p", "1GeV, 10 GeV", faults);
  REQUIRE(list.items().size() == 2);
  CHECK(list.items()[1].text() == "10 GeV");
  CHECK(list.items()[1].origin().offset == 6);
  const Node range = option_node("--p", "1GeV:2GeV:3:linear", faults);
  CHECK(range.find("to")->text() == "2GeV");
  CHECK(range.find("spacing")->text() == "linear");
  CHECK(option_node("--x", "{a: [1, 2]}", faults).find("a")->items().size() ==
        2);
  CHECK(faults.empty());
  option_node("--p", "1:2:3:4:5", faults);
  CHECK(faults.has_errors());
}

}  // namespace gttf::test::GTTF_TEST_FILE
