// SPDX-License-Identifier: Apache-2.0
// Covariances by the triplet fit, the form of the paper.
#include <optional>

#include "gttf/fit/triplet_covariance.hpp"
#include "gttf/resolution/engine.hpp"

namespace gttf::detail {

EngineResult triplet_engine(const TrackingGeometry& geometry,
                            const Track& track, const Crossings<double>& c,
                            const BeamSpot* spot) {
  std::optional<StartHit<double>> start;
  if (spot) start = make_start_hit(c.line, *spot);
  const TripletTrack t =
      make_triplet_track(geometry, track, c, start ? &*start : nullptr);
  const TripletCovariance fit = triplet_covariance(t);
  return {
      .determined = fit.status == TripletStatus::ok,
      .perigee = fit.perigee,
      .perigee_without_inner = fit.perigee_without_inner,
      .first_hit = fit.first_hit,
      .hit_only = triplet_covariance(t, {Errors::hits_only}).variance_kappa,
      .scattering_only =
          triplet_covariance(t, {Errors::scattering_only}).variance_kappa,
  };
}

}  // namespace gttf::detail
