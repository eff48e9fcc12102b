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
  const auto start = track.start_hit(spot);
  const auto triplets = [&](Determined determined) {
    return track.triplets(start ? &*start : nullptr,
                          determined == Determined::wide);
  };
  const TripletTrack t = triplets(outline.determined);
  const auto options = [](Errors errors, Determined determined) {
    return TripletOptions{.errors = errors,
                          .determined = determined == Determined::wide};
  };
  const TripletCovariance fit =
      triplet_covariance(t, options(Errors::all, outline.determined));
  if (fit.status != TripletStatus::ok) return r;
  r.determined = outline.determined;
  r.perigee = transformed(track.perigee(), fit.perigee);
  r.perigee_without_inner =
      transformed(track.perigee(), fit.perigee_without_inner);
  r.start_plane = transformed(track.at_start_plane(), fit.perigee);
  r.first_hit =
      transformed(track.from_frame_after(track.first()), fit.first_hit);
  if (outline.hit_only != Determined::no)
    r.hit_only =
        triplet_covariance(triplets(outline.hit_only),
                           options(Errors::hits_only, outline.hit_only))
            .variance_kappa;
  if (outline.scattering_only)
    r.scattering_only =
        triplet_covariance(t, {Errors::scattering_only}).variance_kappa;
  r.shares = outline.shares;
  return r;
}

}  // namespace gttf::detail
