// SPDX-License-Identifier: Apache-2.0
// The steps of the streaming fit in lanes, inwards.
#pragma once

#include "gttf/resolution/detail/lane_equations.hpp"
#include "gttf/resolution/detail/lane_search.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::detail {

// The steps are functions of their own that leave their results in memory. In
// one piece the compiler would keep more in registers than there are, and copy
// it to and fro.

template <class S>
[[gnu::noinline, gnu::flatten]] void cross_in_lanes(const Line<S>& line,
                                                    const SurfaceRecord& s,
                                                    Crossing<S>& x) {
  x = cross(line, s);
}

/// What a crossing does to the direction.
template <class S>
struct LaneKink {
  Kink<S> b;
  S w;
};

/// @param scatters  else only `b` is filled, which rows need as well
template <class S>
[[gnu::noinline, gnu::flatten]] void kink_in_lanes(
    const Line<S>& line, const SurfaceRecord& s, const Crossing<S>& x,
    Scattering model, const S& total, bool scatters, LaneKink<S>& k) {
  k.b = kink(line, x);
  k.w = scatters && s.x_over_x0 > 0
            ? theta0_squared(line, model, x.x_over_x0, total)
            : S(0);
}

/// The rows of one coordinate; of two coordinates, which share most terms.
template <class S>
[[gnu::noinline, gnu::flatten]] void row_in_lanes(
    const Line<S>& line, const SurfaceRecord& s, const Crossing<S>& x,
    const Kink<S>& k, const CoordinateAxis& axis, Row<S>& row) {
  row = coordinate_row(line, s, x, k, axis.cosine, axis.sine);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void row_in_lanes(
    const Line<S>& line, const SurfaceRecord& s, const Crossing<S>& x,
    const Kink<S>& k, const CoordinateAxis& first, Row<S>& a,
    const CoordinateAxis& second, Row<S>& b) {
  a = coordinate_row(line, s, x, k, first.cosine, first.sine);
  b = coordinate_row(line, s, x, k, second.cosine, second.sine);
}

template <class S>
[[gnu::noinline, gnu::flatten]] void check_in_lanes(const Line<S>& line,
                                                    const SurfaceRecord& s,
                                                    const Crossing<S>& x,
                                                    MaskOf<S>& all) {
  all = both(all, is_crossed(line, s, x));
}

/// Has the equations stand in memory at this point of the program, where the
/// next step finds them as operands. Else the compiler stores them elsewhere.
template <class S>
[[gnu::always_inline]] inline void stand_in_memory(FiveEquations<S>& e) {
  asm volatile("" : "+m"(e));
}

/// Adds one coordinate; two coordinates.
template <ZeroVariance z, class S>
[[gnu::noinline, gnu::flatten]] void measure_in_lanes(LaneEquations<S>& e,
                                                      const Row<S>& a,
                                                      const S& va) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i)
    measure<z>(e.part[i], part_of<S>(a, i), Parts<S>::get(va, i));
}
template <ZeroVariance z, class S>
[[gnu::noinline, gnu::flatten]] void measure_in_lanes(LaneEquations<S>& e,
                                                      const Row<S>& a,
                                                      const S& va,
                                                      const Row<S>& b,
                                                      const S& vb) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    measure<z>(e.part[i], part_of<S>(a, i), Parts<S>::get(va, i));
    stand_in_memory(e.part[i]);
  }
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i)
    measure<z>(e.part[i], part_of<S>(b, i), Parts<S>::get(vb, i));
}

template <ZeroVariance z, bool keep_gain, class S>
[[gnu::noinline, gnu::flatten]] void scatter_in_lanes(LaneEquations<S>& e,
                                                      const Kink<S>& b,
                                                      const S& w,
                                                      const S& w_phi,
                                                      KinkGain<S>* gain) {
  GTTF_UNROLL
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    KinkGain<Part<S>> of_part;
    scatter<z, keep_gain>(
        e.part[i], Kink<Part<S>>{part_of<S>(b.theta, i), part_of<S>(b.phi, i)},
        Parts<S>::get(w, i), Parts<S>::get(w_phi, i), &of_part);
    if constexpr (keep_gain) {
      put_part<S>(of_part.theta, i, gain->theta);
      put_part<S>(of_part.phi, i, gain->phi);
    }
  }
}

/// Covariance of the line, one part of the lanes after the other: it nearly
/// stays in registers.
template <class S>
[[gnu::noinline, gnu::flatten]] void covariance_in_lanes(
    const LaneEquations<S>& e, bool has_field, Covariance5<S>& c) {
  for (std::size_t i = 0; i < Parts<S>::count; ++i) {
    FiveEquations<Part<S>> part = e.part[i];
    if (!has_field) part.v[4] = Part<S>(0);
    const Covariance5<Part<S>> of_part = covariance(part);
    GTTF_UNROLL
    for (std::size_t j = 0; j < 5; ++j) put_part<S>(of_part[j], i, c[j]);
  }
}

/// Lanes in which a variance is so large that the parameter may be free.
template <class S>
LaneBits lanes_in_doubt(const std::array<S, 5>& v, const S& kappa) {
  const auto fine = both(
      both(v[0] <= S(1e6), v[1] <= S(1e6)),
      both(both(v[2] <= S(1), v[3] <= S(1)), v[4] <= S(1e6) * (kappa * kappa)));
  return all_lanes<S> & ~Lane<S>::bits(fine);
}

}  // namespace gttf::detail
