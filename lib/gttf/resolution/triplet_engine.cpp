// SPDX-License-Identifier: Apache-2.0
// Covariances by the triplet fit, the form of the paper.
#include <limits>
#include <optional>

#include "gttf/fit/triplet_covariance.hpp"
#include "gttf/resolution/engine.hpp"

namespace gttf::detail {

namespace {

double variance_or_nan(const TripletCovariance& c) {
  return c.status == TripletStatus::ok
             ? c.variance_kappa
             : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

EngineResult triplet_engine(const TrackingGeometry& geometry,
                            const Track& track, const Crossings<double>& c,
                            const BeamSpot* spot) {
  std::optional<StartHit<double>> start;
  if (spot) start = make_start_hit(c.line, *spot);
  const TripletTrack t =
      make_triplet_track(geometry, track, c, start ? &*start : nullptr);
  const TripletCovariance all = triplet_covariance(t);
  EngineResult r;
  r.determined = all.status == TripletStatus::ok;
  r.perigee = all.perigee;
  r.perigee_without_inner = all.perigee_without_inner;
  r.first_hit = all.first_hit;
  r.hit_only = variance_or_nan(triplet_covariance(t, {Errors::hits_only}));
  r.scattering_only =
      variance_or_nan(triplet_covariance(t, {Errors::scattering_only}));
  return r;
}

}  // namespace gttf::detail
