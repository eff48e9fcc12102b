// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/double_double.hpp"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <random>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Quad = boost::multiprecision::cpp_bin_float_100;

/// Error of a number, relative.
double error_of(const DoubleDouble& x, const Quad& exact) {
  const auto high = static_cast<double>(x);
  const auto low = static_cast<double>(x - DoubleDouble(high));
  return std::abs(static_cast<double>((Quad(high) + Quad(low)) / exact - 1));
}

}  // namespace

TEST_CASE("double double: arithmetic has 31 digits") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  double worst = 0;
  const auto check = [&worst](const DoubleDouble& x, const Quad& exact) {
    worst = std::max(worst, error_of(x, exact));
  };
  for (int i = 0; i < 1000; ++i) {
    const double a = normal(random), b = normal(random), c = normal(random);
    // of full length
    const DoubleDouble x = DoubleDouble(a) + DoubleDouble(1e-17 * b);
    const DoubleDouble y = DoubleDouble(c) * DoubleDouble(b);
    const Quad qx = Quad(a) + Quad(1e-17 * b), qy = Quad(c) * Quad(b);
    check(x + y, qx + qy);
    check(x - y, qx - qy);
    check(x * y, qx * qy);
    check(x / y, qx / qy);
    check(sqrt(abs(x)), sqrt(abs(qx)));
  }
  CHECK(worst > 0);
  CHECK(worst < 1e-30);
}

TEST_CASE("double double: functions have 31 digits") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double worst = 0, angles = 0;
  for (int i = 0; i < 300; ++i) {
    const double a = 10 * uniform(random), b = uniform(random);
    const DoubleDouble x = DoubleDouble(a) + DoubleDouble(1e-17 * b);
    const Quad qx = Quad(a) + Quad(1e-17 * b);
    const auto check = [&](const DoubleDouble& y, const Quad& exact) {
      angles = std::max(angles,
                        static_cast<double>(abs(exact * error_of(y, exact))));
    };
    check(sin(x), sin(qx));
    check(cos(x), cos(qx));
    worst = std::max(
        {worst, error_of(log(abs(x)), log(abs(qx))),
         error_of(atan2(x, DoubleDouble(b)), Quad(atan2(qx, Quad(b))))});
    const double large = std::ldexp(1 + std::abs(b), 30 * i - 4500);
    if (large > 0 && std::isfinite(large))
      worst =
          std::max(worst, error_of(log(DoubleDouble(large)), log(Quad(large))));
  }
  CHECK(static_cast<double>(atan2(DoubleDouble(1), DoubleDouble(0))) ==
        doctest::Approx(0.5 * std::numbers::pi).epsilon(1e-16));
  CHECK(worst > 0);
  CHECK(worst < 1e-29);
  CHECK(angles < 2e-30);
}

TEST_CASE("double double: digits that cancel in doubles are kept") {
  const DoubleDouble one(1), small(1e-20);
  CHECK(static_cast<double>(one + small - one) == 1e-20);
  CHECK(one < one + small);
  CHECK(one - small < one);
  CHECK(-one < small);
  CHECK(static_cast<double>(sqrt(DoubleDouble(0))) == 0);
  CHECK(std::isnan(static_cast<double>(one / DoubleDouble(0))));
}

}  // namespace gttf::test::GTTF_TEST_FILE
