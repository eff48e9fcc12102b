// SPDX-License-Identifier: Apache-2.0
// Covariances by the triplet fit, as in the paper.
#include <algorithm>
#include <limits>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/triplet/triplet_covariance.hpp"
#include "gttf/resolution/engine.hpp"

namespace gttf::detail {

namespace {

/// Whether measuring layers are at one place for the triplets, but not the
/// same.
bool has_close_hits(const TracedTrack& track,
                    const TrackingGeometry& geometry) {
  double last = -std::numeric_limits<double>::infinity();
  for (const TracedCrossing& x : track.list) {
    if (!geometry.surfaces()[x.surface].measures()) continue;
    const double distance = x.path - last;
    if (distance > 0 && distance <= same_place) return true;
    last = x.path;
  }
  return false;
}

/// The derivatives of a traced track are doubles: between hits that are close,
/// and for hardly determined tracks, they do not give directions.
bool has_triplets(const AnyTrack& track, bool doubtful) {
  return !track.traced() ||
         !(doubtful || has_close_hits(*track.traced(), track.geometry()));
}

/// Whether points are so close that the directions between them lose five
/// digits or more to the rounding of the positions.
bool has_short_segments(const TripletTrack& t) {
  constexpr double shortest = 1e-5;  // of the distance to the origin
  const Vector3* last = &t.start;
  for (const TripletPoint& point : t.crossings) {
    const double length = (point.position - *last).norm();
    // points at one place have no direction between them
    if (length > 0 && length < shortest * point.position.norm()) return true;
    last = &point.position;
  }
  return false;
}

/// Whether hit errors differ so much that the equations of triplets, which have
/// the square of the condition of the fit's, are not solved to 1e-8 in doubles.
bool has_wide_range_of_errors(const TripletTrack& t) {
  constexpr double widest = 1e8;  // of variances
  double least = std::numeric_limits<double>::infinity(), most = 0;
  const auto take = [&](const std::vector<TripletCoordinate>& coordinates) {
    for (const TripletCoordinate& c : coordinates) {
      least = std::min(least, c.variance);
      most = std::max(most, c.variance);
    }
  };
  take(t.start_coordinates);
  for (const TripletPoint& point : t.crossings) take(point.coordinates);
  return most > widest * least;
}

}  // namespace

double triplet_limit(const AnyTrack& track, const BeamSpot* spot,
                     bool doubtful) {
  if (!has_triplets(track, doubtful))
    return std::numeric_limits<double>::quiet_NaN();
  const bool wide = track.helix() != nullptr;
  return triplet_covariance(
             track.triplets(spot, wide),
             {.errors = Errors::scattering_only, .doubtful = wide})
      .variance_kappa;
}

EngineResult triplet_engine(const AnyTrack& track, const BeamSpot* spot) {
  EngineResult r;
  Outline outline = outline_of(track, spot);
  if (outline.determined == Determined::no) return r;
  if (!has_triplets(track, outline.doubtful))
    return streaming_engine(track, spot);
  // segments of doubtful tracks may be too short for directions in doubles
  const auto triplets = [&](bool doubtful) {
    return track.triplets(spot, doubtful && track.helix());
  };
  TripletTrack t = triplets(outline.doubtful);
  if (!outline.doubtful &&
      (has_short_segments(t) || has_wide_range_of_errors(t))) {
    outline.doubtful = true;
    t = triplets(true);
  }
  const TripletFit fits(t, outline.doubtful);
  const TripletCovariance fit = fits.covariance(Errors::all);
  // what the five equations determine is determined, for both engines
  if (fit.status != TripletStatus::ok) return streaming_engine(track, spot);
  const auto limit = [&](const TripletCovariance& c, double EngineResult::*of) {
    return c.status == TripletStatus::ok ? c.variance_kappa
                                         : streaming_engine(track, spot).*of;
  };
  r.determined = outline.determined;
  r.perigee = propagated(track.perigee(), fit.perigee);
  r.perigee_without_inner =
      propagated(track.perigee(), fit.perigee_without_inner);
  r.start_plane = propagated(track.at_start_plane(), fit.perigee);
  r.first_hit =
      propagated(track.from_frame_after(track.first()), fit.first_hit);
  if (outline.hit_only == Determined::wide && !outline.doubtful)
    r.hit_only = limit(
        triplet_covariance(triplets(true),
                           {.errors = Errors::hits_only, .doubtful = true}),
        &EngineResult::hit_only);
  else if (outline.hit_only != Determined::no)
    r.hit_only =
        limit(fits.covariance(Errors::hits_only), &EngineResult::hit_only);
  if (outline.scattering_only)
    r.scattering_only = limit(fits.covariance(Errors::scattering_only),
                              &EngineResult::scattering_only);
  r.shares = outline.shares;
  r.sigma_pt_rel = outline.sigma_pt_rel;
  return r;
}

}  // namespace gttf::detail
