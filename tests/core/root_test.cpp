// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/root.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("find_root: smooth functions to the tolerance, in few calls") {
  int calls = 0;
  const auto f = [&calls](double x) {
    ++calls;
    return x * x * x - 2;
  };
  CHECK(find_root(f, 0, 5, 1e-14) ==
        doctest::Approx(std::cbrt(2.0)).epsilon(1e-14));
  CHECK(calls < 20);
}

TEST_CASE("find_root: a jump from finite to infinite") {
  const auto f = [](double x) {
    return x < 0.7 ? -1.0 : std::numeric_limits<double>::infinity();
  };
  CHECK(find_root(f, 0, 1, 1e-10) == doctest::Approx(0.7).epsilon(1e-9));
}

TEST_CASE("find_root: an end that is the root, either direction") {
  const auto f = [](double x) { return x - 1; };
  CHECK(find_root(f, 1, 3, 1e-12) == 1);
  CHECK(find_root(f, 3, 1, 1e-12) == 1);
  CHECK(find_root(f, 3, -2, 1e-12) == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("find_root: nothing without a change of sign") {
  CHECK(std::isnan(find_root([](double x) { return x * x + 1; }, -1, 1, 1e-9)));
  CHECK(std::isnan(find_root([](double) { return NAN; }, -1, 1, 1e-9)));
}

}  // namespace gttf::test::GTTF_TEST_FILE
