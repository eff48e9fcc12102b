// SPDX-License-Identifier: Apache-2.0
// Assignment of results of the vectorised fit to the arrays of a batch.
#pragma once

#include <array>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/batch_task.hpp"

namespace gttf::detail {

/// Arrays of one number per track and the plane that provides it.
struct PlaneTarget {
  std::span<double> ResolutionArrays::*target;
  std::size_t plane;
  double Resolution::*member;
};
inline constexpr std::array plane_targets = {
    PlaneTarget{&ResolutionArrays::sigma_p_rel, BatchPlane::sigma_p,
                &Resolution::sigma_p_rel},
    PlaneTarget{&ResolutionArrays::sigma_pt_rel, BatchPlane::sigma_pt,
                &Resolution::sigma_pt_rel},
    PlaneTarget{&ResolutionArrays::xi, BatchPlane::xi, &Resolution::xi},
    PlaneTarget{&ResolutionArrays::x_over_x0, BatchPlane::x_over_x0,
                &Resolution::x_over_x0},
    PlaneTarget{&ResolutionArrays::x_over_x0_tracker,
                BatchPlane::x_over_x0_tracker, &Resolution::x_over_x0_tracker},
    PlaneTarget{&ResolutionArrays::sigma_p_rel_hit_only, BatchPlane::hit_only,
                &Resolution::sigma_p_rel_hit_only},
    PlaneTarget{&ResolutionArrays::sigma_p_rel_ms_only, BatchPlane::ms_only,
                &Resolution::sigma_p_rel_ms_only},
    PlaneTarget{&ResolutionArrays::mu_phi, BatchPlane::mu_phi,
                &Resolution::mu_phi},
    PlaneTarget{&ResolutionArrays::mu_theta, BatchPlane::mu_theta,
                &Resolution::mu_theta}};

struct MatrixTarget {
  std::span<double> ResolutionArrays::*target;
  std::size_t plane;
  Matrix5 Resolution::*member;
};
inline constexpr std::array matrix_targets = {
    MatrixTarget{&ResolutionArrays::perigee, BatchPlane::perigee,
                 &Resolution::perigee},
    MatrixTarget{&ResolutionArrays::perigee_without_inner,
                 BatchPlane::without_inner, &Resolution::perigee_without_inner},
    MatrixTarget{&ResolutionArrays::first_hit, BatchPlane::first_hit,
                 &Resolution::first_hit},
    MatrixTarget{&ResolutionArrays::start_plane, BatchPlane::start_plane,
                 &Resolution::start_plane}};

inline BatchExtras extras_for(const ResolutionArrays& r) {
  return {!r.sigma_p_rel_hit_only.empty() || !r.sigma_p_rel_ms_only.empty(),
          !r.mu_phi.empty() || !r.mu_theta.empty() ||
              r.scattering_variance.asked_for() || r.hit_variance.asked_for()};
}

}  // namespace gttf::detail
