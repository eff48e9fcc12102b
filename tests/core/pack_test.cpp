// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "gttf/core/pack_functions.hpp"
#include "gttf/core/random_words.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Vectors of the compiler, for any processor.
struct Portable {
  using Vector [[gnu::vector_size(16)]] = double;
  using Bits [[gnu::vector_size(16)]] = std::uint64_t;
  struct Mask {
    bool element[2];
  };
  static constexpr std::size_t width = 2;

  static Vector fill(double x) { return Vector{x, x}; }
  static Vector load(const double* p) { return Vector{p[0], p[1]}; }
  static void store(double* p, Vector x) {
    p[0] = x[0];
    p[1] = x[1];
  }
  static Vector sqrt(Vector x) {
    return Vector{std::sqrt(x[0]), std::sqrt(x[1])};
  }
  static Vector abs(Vector x) { return Vector{std::abs(x[0]), std::abs(x[1])}; }
  static Mask less(Vector a, Vector b) { return {{a[0] < b[0], a[1] < b[1]}}; }
  static Mask less_equal(Vector a, Vector b) {
    return {{a[0] <= b[0], a[1] <= b[1]}};
  }
  static Vector choose(Mask m, Vector a, Vector b) {
    return Vector{m.element[0] ? a[0] : b[0], m.element[1] ? a[1] : b[1]};
  }
  static Mask both(Mask a, Mask b) {
    return {{a.element[0] && b.element[0], a.element[1] && b.element[1]}};
  }
  static Mask either(Mask a, Mask b) {
    return {{a.element[0] || b.element[0], a.element[1] || b.element[1]}};
  }
  static Mask negated(Mask a) { return {{!a.element[0], !a.element[1]}}; }
  static std::uint32_t bits_of(Mask a) {
    return (a.element[0] ? 1u : 0u) | (a.element[1] ? 2u : 0u);
  }
  static Mask mask_of(std::uint32_t elements) {
    return {{(elements & 1) != 0, (elements & 2) != 0}};
  }
};
using P = Pack<Portable>;

/// Units in the last place of `expected`.
double ulps(double got, double expected) {
  const double next = std::nextafter(std::abs(expected),
                                     std::numeric_limits<double>::infinity());
  return std::abs(got - expected) / (next - std::abs(expected));
}

/// Largest error of f in ulps at n points from a to b.
template <class F, class G>
double worst(const F& f, const G& exact, double a, double b, int n) {
  double worst = 0;
  for (int i = 0; i < n; i += 4) {
    double x[4], y[4];
    for (int k = 0; k < 4; ++k) x[k] = a + (b - a) * (i + k) / n;
    f(P::load(x)).store(y);
    for (int k = 0; k < 4; ++k)
      worst = std::max(worst, ulps(y[k], static_cast<double>(exact(
                                             static_cast<long double>(x[k])))));
  }
  return worst;
}

}  // namespace

TEST_CASE("pack: log is within 2.5 units in the last place") {
  const auto f = [](const P& x) { return log(x); };
  const auto exact = [](long double x) { return std::log(x); };
  CHECK(worst(f, exact, 1e-6, 1e-3, 4000) < 1.5);
  CHECK(worst(f, exact, 1.5, 1e10, 4000) < 1.5);
  // near 1, where log(x) is small, the relative error is that of m - 1
  CHECK(worst(f, exact, 1e-3, 100, 4000) < 2.5);
  CHECK(worst(f, exact, 0.7, 1.4, 4000) < 2.5);
}

TEST_CASE("pack: exp is within 2 units in the last place") {
  const auto f = [](const P& x) { return exp(x); };
  const auto exact = [](long double x) { return std::exp(x); };
  CHECK(worst(f, exact, -1, 1, 8000) < 2);
  CHECK(worst(f, exact, -1e-9, 1e-9, 4000) < 2);
  CHECK(worst(f, exact, -700, 700, 8000) < 2);
}

TEST_CASE("pack: the arc tangent is within 3 units in the last place") {
  // all directions at all lengths; the octants' edges lie between
  double worst = 0;
  for (int i = 0; i < 4000; i += 4) {
    double x[4], y[4], angle[4];
    for (int k = 0; k < 4; ++k) {
      const double turn = -3.14159 + 6.28318 * (i + k) / 4000;
      const double length = std::pow(10., i % 40 - 20);
      x[k] = length * std::cos(turn);
      y[k] = length * std::sin(turn);
    }
    atan2(P::load(y), P::load(x)).store(angle);
    for (int k = 0; k < 4; ++k)
      worst =
          std::max(worst, ulps(angle[k], static_cast<double>(std::atan2(
                                             static_cast<long double>(y[k]),
                                             static_cast<long double>(x[k])))));
  }
  CHECK(worst < 3);
}

TEST_CASE("pack: an element's arc tangent does not depend on its neighbours") {
  const double y[4] = {0.01, 0.02, 0.03, -0.04}, x[4] = {1, 1, 2, 3};
  double other_x[4] = {1, -1, 2, 3}, alone[4], beside[4];
  atan2(P::load(y), P::load(x)).store(alone);
  atan2(P::load(y), P::load(other_x)).store(beside);
  for (const int k : {0, 2, 3}) CHECK(alone[k] == beside[k]);
}

TEST_CASE("pack: sine and cosine are within 1.5 units in the last place") {
  const auto sine = [](const P& x) { return sin(x); };
  const auto cosine = [](const P& x) { return cos(x); };
  const auto sin_of = [](long double x) { return std::sin(x); };
  const auto cos_of = [](long double x) { return std::cos(x); };
  for (const auto& [a, b] :
       {std::pair(-7., 7.), std::pair(0.1, 3.1), std::pair(1.570796, 1.570797),
        std::pair(-1000., 1000.)}) {
    const double end = b;  // clang 14 captures no binding
    CAPTURE(end);
    CHECK(worst(sine, sin_of, a, b, 8000) < 1.5);
    CHECK(worst(cosine, cos_of, a, b, 8000) < 1.5);
  }
}

TEST_CASE("pack: masks and selections act element by element") {
  const double numbers[4] = {1, -2, std::nan(""), 4};
  const P x = P::load(numbers);
  const auto positive = x > P(0);
  CHECK(track_bits(positive) == 0b1001);
  CHECK(track_bits(!positive) == 0b0110);
  CHECK(track_bits(both(positive, x > P(2))) == 0b1000);
  CHECK(track_bits(either(positive, x < P(0))) == 0b1011);
  CHECK(track_bits(P::mask_of(0b0101)) == 0b0101);
  CHECK(any(positive));
  CHECK(!any(both(positive, !positive)));
  double y[4];
  select(positive, sqrt(x), P(7)).store(y);
  CHECK(y[0] == 1);
  CHECK(y[1] == 7);
  CHECK(y[2] == 7);
  CHECK(y[3] == 2);
}

TEST_CASE("pack: uniform numbers from bits are those of double, exactly") {
  const std::uint64_t bits[4] = {0, ~std::uint64_t{0}, 0x123456789abcdef0,
                                 0x8000000000000fff};
  double x[4];
  detail::Uniform<P>::of(bits).store(x);
  for (int k = 0; k < 4; ++k) {
    CHECK(x[k] == detail::Uniform<double>::of(&bits[k]));
    CHECK(x[k] > 0);
    CHECK(x[k] < 1);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
