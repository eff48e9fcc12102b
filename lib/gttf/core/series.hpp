// SPDX-License-Identifier: Apache-2.0
// Removable singularities of arcs and chords, evaluated without cancellation.
#pragma once

#include <cmath>

#include "gttf/core/scalar.hpp"
#include "gttf/core/units.hpp"

namespace gttf {

namespace detail {

/// sum_k c_k x^k, lowest power first.
template <class S, std::size_t N>
S polynomial(const double (&c)[N], const S& x) {
  S y(c[N - 1]);
  for (std::size_t k = N - 1; k-- > 0;) y = y * x + S(c[k]);
  return y;
}

/// exp(y) for |y| <= 1/2: the rest of the series is below 1e-15, for
/// |y| <= ln(2)/2 below 5e-18.
template <class S>
S exp_small(const S& y) {
  constexpr double terms[] = {1.,
                              1.,
                              1. / 2,
                              1. / 6,
                              1. / 24,
                              1. / 120,
                              1. / 720,
                              1. / 5040,
                              1. / 40320,
                              1. / 362880,
                              1. / 3628800,
                              1. / 39916800,
                              1. / 479001600,
                              1. / 6227020800};
  return polynomial(terms, y);
}

/// (asin(u)/u - 1)/u^2 for u^2 <= 1/4; t = u^2.
template <class S>
S asin_excess_small(const S& t) {
  if constexpr (wider_than_double<S>) {
    // c_k/(2k+1) t^(k-1) with c_k = (2k)!/(4^k k!^2), to 2^-2*120
    S coefficient = S(1) / S(2), power(1), sum(0);
    for (int k = 1; k < 120; ++k) {
      sum += coefficient / S(2 * k + 1) * power;
      power *= t;
      coefficient *= S(2 * k + 1) / S(2 * k + 2);
    }
    return sum;
  } else {
    // Minimax polynomial on [0, 1/4]: error 5e-18 of asin(u)/u. Two half-length
    // chains (even and odd powers) shorten the latency.
    const S t2 = t * t;
    constexpr double even[] = {0.16666666666666669,  0.044642857146355429,
                               0.022372172942149889, 0.013971212973552933,
                               0.010322814350185779, 0.017400879442694021,
                               0.028757851367421566};
    constexpr double odd[] = {0.074999999999984329,  0.030381944138531247,
                              0.017352392720869973,  0.011479177415184906,
                              0.0054575067186403581, -0.014851887071247204};
    return polynomial(even, t2) + t * polynomial(odd, t2);
  }
}

template <class S>
S half_pi() {
  using std::atan2;
  if constexpr (wider_than_double<S>) return atan2(S(1), S(0));
  return S(0.5 * unit::pi);
}

}  // namespace detail

/// R(u^2) = (asin(u)/u - 1)/u^2: the relative excess of an arc over its chord.
///
/// @param u2      u^2 with u = sin(X), X half the turning angle, in [0, 1)
/// @param cosine  cos(X) = sqrt(1 - u^2), given because 1 - u^2 cancels
/// @return        R, 1/6 at u = 0; relative error < 2e-16 for u2 <= 1/4
template <class S>
S asin_excess(const S& u2, const S& cosine) {
  using std::sqrt;
  S r = detail::asin_excess_small(u2);
  const auto big = u2 > S(0.25);
  if (any(big)) [[unlikely]] {
    // asin(u) = pi/2 - 2 asin(sqrt((1-u)/2)), 1 - u = cos^2/(1+u)
    const S u = sqrt(u2 + S(1e-300));
    const S half = cosine * cosine / (S(1) + u) * S(0.5);
    const S angle =
        detail::half_pi<S>() -
        S(2) * sqrt(half) * (S(1) + half * detail::asin_excess_small(half));
    r = select(big, (angle / u - S(1)) / (u2 + S(1e-300)), r);
  }
  return r;
}

/// (1 - sin(x)/x)/x^2 and cos(x) for |x| <= pi/2.
template <class S>
struct SineSeries {
  S deficit;
  S cosine;
};

/// @param x2  x^2 in [0, (pi/2)^2]
/// @return    sin(x) = x (1 - x2 deficit) and cos(x); error < 2e-17
template <class S>
SineSeries<S> sine_series(const S& x2) {
  if constexpr (wider_than_double<S>) {
    S term = S(1) / S(6), deficit(0);
    for (int k = 1; k < 60; ++k) {
      deficit += term;
      term *= -x2 / S((2 * k + 2) * (2 * k + 3));
    }
    S cosine(0);
    term = S(1);
    for (int k = 0; k < 60; ++k) {
      cosine += term;
      term *= -x2 / S((2 * k + 1) * (2 * k + 2));
    }
    return {deficit, cosine};
  } else {
    // Taylor: 1/3!, -1/5!, ... and 1, -1/2!, 1/4!, ...
    constexpr double deficit[] = {1. / 6,
                                  -1. / 120,
                                  1. / 5040,
                                  -1. / 362880,
                                  1. / 39916800,
                                  -1. / 6227020800,
                                  1. / 1307674368000,
                                  -1. / 355687428096000,
                                  1. / 121645100408832000,
                                  -1. / 51090942171709440000.};
    constexpr double cosine[] = {1.,
                                 -1. / 2,
                                 1. / 24,
                                 -1. / 720,
                                 1. / 40320,
                                 -1. / 3628800,
                                 1. / 479001600,
                                 -1. / 87178291200,
                                 1. / 20922789888000,
                                 -1. / 6402373705728000,
                                 1. / 2432902008176640000.};
    return {detail::polynomial(deficit, x2), detail::polynomial(cosine, x2)};
  }
}

namespace detail {

/// 2 atanh(s) for s^2 < 0.0295: ln(m) for s = (m - 1)/(m + 1) and m in
/// [sqrt(1/2), sqrt(2)). The coefficients near 2/(2k+1) are those of fdlibm's
/// log, minimax (3e-18), here in two chains.
template <class S>
S twice_atanh_small(const S& s) {
  constexpr double even[] = {6.666666666666735130e-01, 2.857142874366239149e-01,
                             1.818357216161805012e-01,
                             1.479819860511658591e-01};
  constexpr double odd[] = {3.999999999940941908e-01, 2.222219843214978396e-01,
                            1.531383769920937332e-01};
  const S z = s * s, z2 = z * z;
  return s + s + s * z * (polynomial(even, z2) + z * polynomial(odd, z2));
}

/// (sin(x) - x cos(x))/x^3 for x^2 <= 1: sum_k (-1)^k (2k+2)/(2k+3)! x^(2k).
template <class S>
S cosine_lag_small(const S& x2) {
  if constexpr (wider_than_double<S>) {
    S term = S(1) / S(3), sum(0);
    for (int k = 0; k < 40; ++k) {
      sum += term;
      term *= -x2 / S((2 * k + 2) * (2 * k + 5));
    }
    return sum;
  } else {
    constexpr double c[] = {1. / 3,
                            -1. / 30,
                            1. / 840,
                            -1. / 45360,
                            1. / 3991680,
                            -1. / 518918400,
                            1. / 93405312000,
                            -1. / 22230464256000,
                            1. / 6758061133824000,
                            -1. / 2554547108585472000};
    return polynomial(c, x2);
  }
}

}  // namespace detail

/// Functions of the half turning angle X of an arc in lengths and slopes.
template <class S>
struct ArcShape {
  S stretch;     ///< X/sin(X): arc over chord, 1 at X = 0
  S index_term;  ///< g(X) = (1 - X cot(X))/X^2, 1/3 at X = 0
  S cosine;      ///< cos(X)
};

/// @param x  X, half the turning angle [rad], |X| < pi
/// @return   even functions of X; relative error < 1e-15 away from |X| = pi,
///           where stretch and index_term have a pole
template <class S>
ArcShape<S> arc_shape(const S& x) {
  using std::cos, std::sin;
  const S x2 = x * x;
  const auto big = x2 > S(1);
  const SineSeries<S> series = sine_series(select(big, S(1), x2));
  S chord_over_arc = S(1) - x2 * series.deficit;
  S cosine = series.cosine;
  S lag = detail::cosine_lag_small(x2);  // (sin(X) - X cos(X))/X^3
  if (any(big)) {
    const S safe = select(big, x, S(1));
    const S sine = sin(safe), cosine_big = cos(safe);
    chord_over_arc = select(big, sine / safe, chord_over_arc);
    cosine = select(big, cosine_big, cosine);
    lag = select(big, (sine / safe - cosine_big) / (safe * safe), lag);
  }
  const S stretch = S(1) / chord_over_arc;
  return {stretch, lag * stretch, cosine};
}

}  // namespace gttf

namespace gttf::detail {

/// (asin(u)/u - 1)/u^2: for u^2 <= 0.01 a polynomial with an error of 4e-17 of
/// asin(u)/u.
/// @param full  returns the value for larger u^2
template <class S, class Full>
S short_excess(const S& u2, const Full& full) {
  constexpr double c[] = {0.16666666666667013, 0.07499999998271115,
                          0.04464287096224251, 0.030378082245879665,
                          0.02281171524781535};
  const S series = polynomial(c, u2);
  const auto large = !(u2 <= S(0.01));
  if (!any(large)) [[likely]]
    return series;
  return select(large, full(), series);
}

}  // namespace gttf::detail
