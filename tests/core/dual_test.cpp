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

TEST_CASE("dual: powers, exponentials and the larger of two") {
  using D = Dual<2>;
  const D x = D::variable(1.7, 0), y = D::variable(0.6, 1);
  const D f = pow(x, y) + exp(y) * tan(x - D(1.0)) + hypot(x, y);
  const double power = std::pow(1.7, 0.6), tangent = std::tan(0.7);
  const double length = std::hypot(1.7, 0.6);
  CHECK(f.derivative[0] ==
        doctest::Approx(0.6 * power / 1.7 +
                        std::exp(0.6) * (1 + tangent * tangent) + 1.7 / length)
            .epsilon(1e-15));
  CHECK(f.derivative[1] ==
        doctest::Approx(power * std::log(1.7) + std::exp(0.6) * tangent +
                        0.6 / length)
            .epsilon(1e-15));
  // a negative base has whole powers
  const D square = pow(-x, D(2.0));
  CHECK(square.value == doctest::Approx(1.7 * 1.7).epsilon(1e-15));
  CHECK(square.derivative[0] == doctest::Approx(2 * 1.7).epsilon(1e-15));
  CHECK(max(x, y).derivative[0] == 1);
  CHECK(min(x, y).derivative[1] == 1);
}

TEST_CASE("dual: sin, cos and atan2 are each other's inverse") {
  using D = Dual<1>;
  const D x = D::variable(0.7, 0);
  const D y = atan2(sin(x), cos(x));
  CHECK(y.value == doctest::Approx(0.7).epsilon(1e-15));
  CHECK(y.derivative[0] == doctest::Approx(1).epsilon(1e-15));
}

}  // namespace gttf::test::GTTF_TEST_FILE
