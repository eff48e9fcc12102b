// SPDX-License-Identifier: Apache-2.0
// The steps of the streaming fit in lanes, inwards.
#pragma once

#include "gttf/fit/streaming/kink_steps.hpp"
#include "gttf/fit/streaming/point_chain.hpp"
#include "gttf/resolution/lane_equations.hpp"
#include "gttf/resolution/lane_search.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::detail {

// The steps are functions of their own that leave their results in memory. In
// one piece the compiler would keep more in registers than there are, and copy
// it to and fro.

/// What all crossings of a group share.
template <class S>
struct LaneScattering {
  Scattering model;
  S inv_sin2, log_inv_sin;
  S total;  ///< x/X0 of all crossings; for Scattering::highland_total
};

template <class S>
LaneScattering<S> scattering_of_lanes(const LaneFit& task, const Line<S>& l) {
  using std::log;
  return {task.scattering, l.inv_sin_theta * l.inv_sin_theta,
          log(l.inv_sin_theta), Lane<S>::load(task.tracks->x_over_x0)};
}

/// What a crossing does to the direction: columns of the two kinks and their
/// variances.
template <class S>
struct LaneKink {
  Kink<S> b;
  S w, w_phi;
};

/// theta0^2 of a crossing.
template <class S>
[[gnu::always_inline]] inline S kink_variance(const Line<S>& line,
                                              const LaneSurface& s,
                                              const LaneScattering<S>& all,
                                              const Crossing<S>& x) {
  using Kind = SurfaceRecord::Kind;
  const bool upright =
      s.record.kind == Kind::cylinder || s.record.kind == Kind::plane;
  return theta0_squared(
      line.strength, all.model, x.x_over_x0,
      [&] {
        using std::log;
        return upright ? S(s.log_x_over_x0) + all.log_inv_sin + log_secant(x)
                       : S(log(x.x_over_x0));
      },
      all.total);
}

/// Where a track crosses a surface and how it is scattered there.
/// @param check     asked whether this is a crossing; or null
/// @param scatters  else the variances are 0
/// @param x         filled only if the surface measures, but for x_over_x0
template <bool measures, class S, class Check>
[[gnu::noinline, gnu::flatten]] void cross_in_lanes(
    const Line<S>& line, const LaneSurface& s, const LaneScattering<S>& all,
    Check* check, std::size_t index, bool scatters, Crossing<S>& x,
    LaneKink<S>& k) {
  Crossing<S> passive;
  Crossing<S>& at = measures ? x : passive;
  const auto use = [&] {
    if (check != nullptr) check->on_list(index, s.record, at);
    k.b = kink(line, at);
    k.w = scatters && s.record.x_over_x0 > 0 ? kink_variance(line, s, all, at)
                                             : S(0);
    k.w_phi = k.w * all.inv_sin2;
    if constexpr (!measures) x.x_over_x0 = at.x_over_x0;
  };
  if (line.on_axis && s.record.kind == SurfaceRecord::Kind::cylinder) {
    cross_cylinder_from_axis(line, S(s.record.position), S(s.record.x_over_x0),
                             at);
    use();
  } else {
    at = cross(line, s.record);
    use();
  }
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

template <class S>
[[gnu::noinline, gnu::flatten]] void add_kink_in_lanes(
    const Kink<S>& b, const S& w, const S& w_phi, Covariance5<S>& covariance) {
  add_kink_variance(b, w, w_phi, covariance);
}

/// The scattering-only limit of a track through points.
template <class S>
[[gnu::noinline, gnu::flatten]] void start_in_lanes(const Line<S>& line,
                                                    const Crossing<S>& x,
                                                    const LaneKink<S>& k,
                                                    PointChain<S>& chain) {
  chain.start(exact_point(line, x, k.b));
}
template <class S>
[[gnu::noinline, gnu::flatten]] void add_point_in_lanes(const Line<S>& line,
                                                        const Crossing<S>& x,
                                                        const LaneKink<S>& k,
                                                        PointChain<S>& chain) {
  const S weight = S(1) / k.w;
  chain.add(exact_point(line, x, k.b), weight,
            weight * (line.sin_theta * line.sin_theta));
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
