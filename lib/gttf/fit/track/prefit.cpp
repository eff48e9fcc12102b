// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/prefit.hpp"

#include "gttf/core/matrix.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/track/prefit_steps.hpp"

namespace gttf::detail {

Eigen::Vector2d coordinate_residuals(const TrackHit& hit, const Vector3& x) {
  const InPlane<double> seen = seen_in_plane(surface_of(hit), cartesian(x));
  Eigen::Vector2d residual = Eigen::Vector2d::Zero();
  for (int q = 0; q < hit.n_coordinates; ++q) {
    const CoordinateAxis& a = hit.coordinates[static_cast<std::size_t>(q)];
    residual[q] = a.cosine * seen.u + a.sine * seen.v;
  }
  return residual;
}

Prefit prefit(const TrackHits& track, std::span<const std::size_t> measured,
              bool coarse) {
  BatchOutcome<double> outcome;
  const Helix<double> start =
      prefit_helix(SingleHits{track, measured, track.field}, coarse, outcome);
  return {outcome.status, start};
}

}  // namespace gttf::detail
