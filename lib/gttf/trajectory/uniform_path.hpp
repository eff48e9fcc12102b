// SPDX-License-Identifier: Apache-2.0
// UniformPath: the path of a particle in a uniform field, for any scalar.
#pragma once

#include "gttf/core/cartesian.hpp"
#include "gttf/core/scalar.hpp"
#include "gttf/detector/surface.hpp"

namespace gttf::detail {

template <class S>
[[gnu::always_inline]] inline S inner(const Cartesian<S>& a,
                                      const Cartesian<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
[[gnu::always_inline]] inline Cartesian<S> cross_of(const Cartesian<S>& a,
                                                    const Cartesian<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S>
[[gnu::always_inline]] inline S component(const Cartesian<S>& v, Axis axis) {
  return axis == Axis::x ? v.x : axis == Axis::y ? v.y : v.z;
}

/// Two unit vectors that form a right-handed system with a third one.
template <class S>
struct Transverse {
  Cartesian<S> first, second;

  Transverse() = default;
  /// Source: Duff et al., J. Comput. Graph. Tech. 6 (2017) 1
  [[gnu::always_inline]] explicit Transverse(const Cartesian<S>& t) {
    const S one(1), sign = select(t.z < S(0), S(-1), one);
    const S a = S(-1) / (sign + t.z), b = t.x * t.y * a;
    first = {one + sign * (t.x * t.x) * a, sign * b, -(sign * t.x)};
    second = {b, sign + t.y * t.y * a, -t.y};
  }
};

/// The path from a point in a uniform field, t' = w x t: UniformFlight of
/// flight.cpp for turns of less than 1 rad.
template <class S>
class UniformPath {
 public:
  /// @param rotation  w, 1/mm
  /// @param path      l, mm
  [[gnu::always_inline]] UniformPath(const Cartesian<S>& rotation,
                                     const S& path)
      : a_(path * rotation), path_(path) {
    // sum_k (-psi^2)^k/(2k + m)!
    const S psi2 = inner(a_, a_);
    f_ = S(1. / 24) -
         psi2 * (S(1. / 720) -
                 psi2 * (S(1. / 40320) -
                         psi2 * (S(1. / 3628800) -
                                 psi2 * (S(1. / 479001600) -
                                         psi2 * S(1. / 87178291200)))));
    e_ = S(1. / 6) -
         psi2 * (S(1. / 120) -
                 psi2 * (S(1. / 5040) -
                         psi2 * (S(1. / 362880) -
                                 psi2 * (S(1. / 39916800) -
                                         psi2 * S(1. / 6227020800)))));
    c_ = S(0.5) - psi2 * f_;
    s_ = S(1) - psi2 * e_;
  }

  S turn2() const { return inner(a_, a_); }
  /// x(l) - x of a track that starts along t; linear in t.
  Cartesian<S> displacement(const Cartesian<S>& t) const {
    const Cartesian<S> at = cross_of(a_, t);
    return path_ * (t + c_ * at + e_ * cross_of(a_, at));
  }
  /// t(l); linear in t.
  Cartesian<S> direction(const Cartesian<S>& t) const {
    const Cartesian<S> at = cross_of(a_, t);
    return t + s_ * at + c_ * cross_of(a_, at);
  }
  /// dx(l)/d(q/p).
  Cartesian<S> displacement_per_qop(const Cartesian<S>& t,
                                    const Cartesian<S>& field) const {
    const Cartesian<S> at = cross_of(a_, t);
    const Cartesian<S> sum =
        S(0.5) * t + (c_ - e_) * at + (e_ - f_) * cross_of(a_, at);
    return path_ * path_ * cross_of(sum, field);
  }
  /// dt(l)/d(q/p).
  Cartesian<S> direction_per_qop(const Cartesian<S>& t,
                                 const Cartesian<S>& field) const {
    return path_ * cross_of(direction(t), field);
  }

 private:
  Cartesian<S> a_;
  S path_, s_, c_, e_, f_;
};

}  // namespace gttf::detail
