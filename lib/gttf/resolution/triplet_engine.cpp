// SPDX-License-Identifier: Apache-2.0
// Covariances by the triplet fit, as in the paper.
#include "gttf/fit/triplet/triplet_covariance.hpp"
#include "gttf/resolution/engine.hpp"

namespace gttf::detail {

namespace {

/// J C J^T, symmetric to the last bit.
Matrix5 transformed(const Matrix5& j, const Matrix5& covariance) {
  const Matrix5 m = j * covariance * j.transpose();
  return 0.5 * (m + m.transpose());
}

}  // namespace

EngineResult triplet_engine(const AnyTrack& track, const BeamSpot* spot) {
  EngineResult r;
  const Outline outline = outline_of(track, spot);
  if (outline.determined == Determined::no) return r;
  // segments of doubtful tracks may be too short for directions in doubles
  const auto triplets = [&](bool doubtful) {
    return track.triplets(spot, doubtful && track.helix());
  };
  const TripletTrack t = triplets(outline.doubtful);
  const TripletCovariance fit =
      triplet_covariance(t, {.doubtful = outline.doubtful});
  if (fit.status != TripletStatus::ok) return r;
  r.determined = outline.determined;
  r.perigee = transformed(track.perigee(), fit.perigee);
  r.perigee_without_inner =
      transformed(track.perigee(), fit.perigee_without_inner);
  r.start_plane = transformed(track.at_start_plane(), fit.perigee);
  r.first_hit =
      transformed(track.from_frame_after(track.first()), fit.first_hit);
  if (outline.hit_only != Determined::no) {
    const bool doubtful =
        outline.doubtful || outline.hit_only == Determined::wide;
    r.hit_only =
        triplet_covariance(triplets(doubtful),
                           {.errors = Errors::hits_only, .doubtful = doubtful})
            .variance_kappa;
  }
  if (outline.scattering_only)
    r.scattering_only =
        triplet_covariance(t, {.errors = Errors::scattering_only,
                               .doubtful = outline.doubtful})
            .variance_kappa;
  r.shares = outline.shares;
  return r;
}

}  // namespace gttf::detail
