// SPDX-License-Identifier: Apache-2.0
// Tests of Dual.
#include "gttf/core/dual.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("dual: product, quotient and root follow the chain rule") {
  using D = Dual<2>;
  const D x = D::variable(3, 0), y = D::variable(2, 1);
  const D f = sqrt(x * y / (x + y)) - log(x) * abs(-y);
  const double root = std::sqrt(6.0 / 5.0);
  CHECK(f.value == doctest::Approx(root - 2 * std::log(3.0)).epsilon(1e-15));
  // d sqrt(xy/(x+y)) / dx = y^2/(x+y)^2 / (2 root)
  CHECK(f.derivative[0] ==
        doctest::Approx(4.0 / 25 / (2 * root) - 2.0 / 3).epsilon(1e-15));
  CHECK(f.derivative[1] ==
        doctest::Approx(9.0 / 25 / (2 * root) - std::log(3.0)).epsilon(1e-15));
}

TEST_CASE("dual: sin, cos and atan2 are each other's inverse") {
  using D = Dual<1>;
  const D x = D::variable(0.7, 0);
  const D y = atan2(sin(x), cos(x));
  CHECK(y.value == doctest::Approx(0.7).epsilon(1e-15));
  CHECK(y.derivative[0] == doctest::Approx(1).epsilon(1e-15));
}

}  // namespace gttf::test::GTTF_TEST_FILE
