// SPDX-License-Identifier: Apache-2.0
// The steps of the streaming fit in lanes, inwards and on the way back.
#pragma once

#include "gttf/fit/kink_steps.hpp"
#include "gttf/resolution/detail/lane_equations.hpp"
#include "gttf/resolution/detail/lane_search.hpp"
#include "gttf/resolution/detail/start_plane.hpp"
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

template <class S>
[[gnu::noinline, gnu::flatten]] void kink_in_lanes(
    const Line<S>& line, const SurfaceRecord& s, const Crossing<S>& x,
    Scattering model, const S& total, LaneKink<S>& k) {
  k.b = kink(line, x);
  k.w =
      s.x_over_x0 > 0 ? theta0_squared(line, model, x.x_over_x0, total) : S(0);
}

/// The rows of one coordinate; of two coordinates, which share most terms.
template <class S>
[[gnu::noinline, gnu::flatten]] void row_in_lanes(const Line<S>& line,
                                                  const SurfaceRecord& s,
                                                  const Crossing<S>& x,
                                                  const CoordinateAxis& axis,
                                                  Row<S>& row) {
  row = coordinate_row(line, s, x, axis.cosine, axis.sine);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void row_in_lanes(
    const Line<S>& line, const SurfaceRecord& s, const Crossing<S>& x,
    const CoordinateAxis& first, Row<S>& a, const CoordinateAxis& second,
    Row<S>& b) {
  const Kink<S> k = kink(line, x);
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

/// Lanes in which a variance is so large that the parameter may be free.
template <class S>
LaneBits lanes_in_doubt(const FiveEquations<S>& e, const S& kappa) {
  const auto fine = both(both(e.v[0] <= S(1e6), e.v[1] <= S(1e6)),
                         both(both(e.v[2] <= S(1), e.v[3] <= S(1)),
                              e.v[4] <= S(1e6) * (kappa * kappa)));
  return all_lanes<S> & ~Lane<S>::bits(fine);
}

/// What the way back needs of a crossing; rows of coordinates stand apart.
template <class S>
struct LaneStep {
  KinkGain<S> gain;
  Kink<S> kink;
  S w;
};

template <class S>
std::size_t lane_workspace(std::size_t n_crossings, std::size_t n_coordinates) {
  return n_crossings * sizeof(LaneStep<S>) + n_coordinates * sizeof(Row<S>);
}

/// A hit on the way back: adds its share of the variance of every function.
/// @param gain  covariance of the functions with the coordinate
template <class S, std::size_t M>
[[gnu::noinline, gnu::flatten]] void gain_in_lanes(
    const std::array<Row<S>, M>& inside, const Row<S>& row, const S& weight,
    std::array<S, M>& gain, std::array<S, M>& sum) {
  gain = covariance_with(inside, row);
  for (std::size_t i = 0; i < M; ++i)
    sum[i] = sum[i] + gain[i] * gain[i] * weight;
}

template <class S, std::size_t M>
[[gnu::noinline, gnu::flatten]] void pass_in_lanes(
    const Kink<S>& b, const KinkGain<S>& gain, std::array<Row<S>, M>& inside,
    KinkCovariance<S, M>& with) {
  with = pass_outwards(b, gain, inside);
}

/// A number for each Parameter.
template <class S>
using LaneParts = std::array<S, n_parameters>;

/// What changes of the line mean for each Parameter.
template <class S>
struct ParameterChanges {
  explicit ParameterChanges(const Line<S>& l)
      : inverse_kappa(S(1) / l.kappa), cot_theta(l.cot_theta), plane(l) {}
  S inverse_kappa, cot_theta;
  StartPlane<S> plane;
};

template <class S>
[[gnu::always_inline]] inline LaneParts<S> squares_of(
    const ParameterChanges<S>& all, const Row<S>& s, const S& weight) {
  const S p = -(s[4] * all.inverse_kappa);
  const S pt = p + all.cot_theta * s[3];
  const auto [x, y, tx, ty] = all.plane.change(s);
  return {p * p * weight,       pt * pt * weight,     s[0] * s[0] * weight,
          s[1] * s[1] * weight, s[2] * s[2] * weight, s[3] * s[3] * weight,
          x * x * weight,       y * y * weight,       tx * tx * weight,
          ty * ty * weight};
}

/// Adds change^2 * weight of every Parameter, the change of the line's being
/// given; the same for two changes.
template <class S>
[[gnu::noinline, gnu::flatten]] void add_in_lanes(
    const ParameterChanges<S>& all, const Row<S>& change, const S& weight,
    LaneParts<S>& parts) {
  const LaneParts<S> squares = squares_of(all, change, weight);
  GTTF_UNROLL
  for (std::size_t i = 0; i < n_parameters; ++i)
    parts[i] = parts[i] + squares[i];
}
template <class S>
[[gnu::noinline, gnu::flatten]] void add_in_lanes(
    const ParameterChanges<S>& all, const Row<S>& a, const S& weight_a,
    const Row<S>& b, const S& weight_b, LaneParts<S>& parts) {
  const LaneParts<S> of_a = squares_of(all, a, weight_a);
  const LaneParts<S> of_b = squares_of(all, b, weight_b);
  GTTF_UNROLL
  for (std::size_t i = 0; i < n_parameters; ++i)
    parts[i] = parts[i] + of_a[i] + of_b[i];
}

}  // namespace gttf::detail
