// SPDX-License-Identifier: Apache-2.0
// Modules in the vectorised fit: planes that differ from one vector element to
// the next, in the formulas of an inclined surface.
#pragma once

#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/trajectory/derivatives.hpp"

namespace gttf::detail {

/// The numbers of ElementPlane as vectors, with the names that SurfaceRecord
/// has.
template <class S>
struct PackPlane {
  S position, normal_cos, normal_sin, normal_r, normal_z, turn_cos, turn_sin,
      x_over_x0;

  static constexpr bool leans() { return true; }
  static constexpr bool is_upright() { return false; }
  static constexpr bool is_curved() { return false; }

  [[gnu::always_inline]] explicit PackPlane(const ElementPlane& p)
      : position(PackAccess<S>::load(p.position)),
        normal_cos(PackAccess<S>::load(p.normal_cos)),
        normal_sin(PackAccess<S>::load(p.normal_sin)),
        normal_r(PackAccess<S>::load(p.normal_r)),
        normal_z(PackAccess<S>::load(p.normal_z)),
        turn_cos(PackAccess<S>::load(p.turn_cos)),
        turn_sin(PackAccess<S>::load(p.turn_sin)),
        x_over_x0(PackAccess<S>::load(p.x_over_x0)) {}
};

template <class S>
struct PackAxis {
  S cosine, sine, variance;

  [[gnu::always_inline]] explicit PackAxis(const ElementAxis& a)
      : cosine(PackAccess<S>::load(a.cosine)),
        sine(PackAccess<S>::load(a.sine)),
        variance(PackAccess<S>::load(a.variance)) {}
};

/// surface_jacobian() of planes.
template <class S>
[[gnu::noinline, gnu::flatten]] std::array<Row<S>, track_dim> plane_jacobian(
    const Line<S>& l, const ElementPlane& planes, const Crossing<S>& x) {
  const PackPlane<S> plane(planes);
  const Kink<S> k = kink(l, x);
  const auto [phi, theta, kappa] =
      direction_rows(l, x, k, leaning_slip(l, plane, x));
  return {leaning_row(l, plane, x, k, plane.turn_cos, plane.turn_sin),
          leaning_row(l, plane, x, k, S(-plane.turn_sin), plane.turn_cos), phi,
          theta, kappa};
}

}  // namespace gttf::detail
