// SPDX-License-Identifier: Apache-2.0
// Arc tangent of a Pack.
#pragma once

#include "gttf/core/pack.hpp"
#include "gttf/core/series.hpp"

namespace gttf {

namespace detail {

/// atan(t) for |t| <= tan(pi/8): the polynomial in t^2 has an error of 5e-18.
/// Two half-length chains (even and odd powers) shorten the latency.
template <class S>
[[gnu::always_inline]] inline S atan_small(const S& t) {
  constexpr double even[] = {0.3333333333333333,  0.14285714284666542,
                             0.09090904578123903, 0.06664511447381948,
                             0.0508544973794026,  0.01917688711906226};
  constexpr double odd[] = {-0.1999999999999552, -0.11111111015256361,
                            -0.07692183190826087, -0.0585814891280221,
                            -0.03923165829558719};
  const S z = t * t, z2 = z * z;
  return t - t * z * (polynomial(even, z2) + z * polynomial(odd, z2));
}

}  // namespace detail

/// The angle of the vector (x, y), not both zero, within 3 units in the last
/// place.
template <class Isa>
[[gnu::always_inline]] inline Pack<Isa> atan2(const Pack<Isa>& y,
                                              const Pack<Isa>& x) {
  using P = Pack<Isa>;
  constexpr double eighth = 0.41421356237309503;       // tan(pi/8)
  constexpr double three_eighths = 2.414213562373095;  // tan(3 pi/8)
  const P ax = abs(x), ay = abs(y);
  const auto ahead = ay <= x * P(eighth);
  if (!any(!ahead)) return detail::atan_small(y / x);
  const auto flat = ay <= ax * P(eighth);
  const auto steep = ay > ax * P(three_eighths);
  const P numerator = select(flat, ay, select(steep, -ax, ay - ax));
  const P denominator = select(flat, ax, select(steep, ay, ay + ax));
  const P offset =
      select(flat, P(0), select(steep, P(0.5 * unit::pi), P(0.25 * unit::pi)));
  P angle = offset + detail::atan_small(numerator / denominator);
  angle = select(x < P(0), P(unit::pi) - angle, angle);
  return select(y < P(0), -angle, angle);
}

}  // namespace gttf
