// SPDX-License-Identifier: Apache-2.0
// Covariances by the triplet fit, the form of the paper.
#include <Eigen/LU>
#include <cmath>

#include "gttf/fit/triplet_covariance.hpp"
#include "gttf/fit/triplet_model.hpp"
#include "gttf/resolution/engine.hpp"

namespace gttf::detail {

namespace {

/// The beam spot as a measuring surface without material at the start, spanned
/// by n0 and z.
TripletCrossing start_crossing(const TripletTrack& t,
                               const StartHit<double>& hit) {
  TripletCrossing x;
  x.position = t.start;
  x.u = {-std::sin(t.phi), std::cos(t.phi), 0};
  x.v = Vector3::UnitZ();
  const auto axis = [](const Row<double>& row, double variance) {
    const double norm = std::hypot(row[0], row[1]);
    return CoordinateAxis{row[0] / norm, row[1] / norm,
                          variance / (norm * norm)};
  };
  x.coordinates = {axis(hit.transverse, hit.transverse_variance),
                   axis(hit.longitudinal, hit.longitudinal_variance)};
  return x;
}

void drop_inner_scattering(TripletTrack& t) {
  for (TripletCrossing& x : t.crossings) {
    x.kink_variance = 0;
    if (x.measures()) return;
  }
}

/// Updates the state outside the first layer by the start hit, which is blurred
/// by the scattering in between: a weighted mean in Joseph's form.
Matrix5 update_by_start(const Matrix5& state, const Matrix5& jacobian,
                        const Matrix5& inner, const StartHit<double>& hit,
                        bool fit_kappa) {
  Eigen::Matrix<double, 2, 5> at_start;
  at_start.row(0) =
      Eigen::Map<const Eigen::RowVector<double, 5>>(hit.transverse.data());
  at_start.row(1) =
      Eigen::Map<const Eigen::RowVector<double, 5>>(hit.longitudinal.data());
  // start parameters as functions of the state on the surface
  Eigen::Matrix<double, 2, 5> h = at_start * jacobian.inverse();
  if (!fit_kappa) h.col(Perigee::kappa).setZero();
  Eigen::Matrix2d noise = at_start * inner * at_start.transpose();
  noise(0, 0) += hit.transverse_variance;
  noise(1, 1) += hit.longitudinal_variance;
  const Eigen::Matrix<double, 5, 2> gain =
      state * h.transpose() * (h * state * h.transpose() + noise).inverse();
  const Matrix5 keep = Matrix5::Identity() - gain * h;
  return keep * state * keep.transpose() + gain * noise * gain.transpose();
}

Matrix5 jacobian_at_first(const TrackingGeometry& geometry,
                          const Crossings<double>& c) {
  const auto& x = c.list[static_cast<std::size_t>(c.first)];
  const auto rows =
      surface_jacobian(c.line, geometry.surfaces()[x.surface], x.at);
  Matrix5 j;
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 5; ++k)
      j(i, k) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  return j;
}

double variance_or_nan(const TripletCovariance& c) {
  return c.status == TripletStatus::ok
             ? c.variance_kappa
             : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

EngineResult triplet_engine(const TrackingGeometry& geometry,
                            const Track& track, const Crossings<double>& c,
                            const BeamSpot* spot) {
  TripletTrack t = make_triplet_track(geometry, track, c);
  EngineResult r;
  const TripletCovariance hits = triplet_covariance(t);
  if (!spot) {
    r.determined = hits.status == TripletStatus::ok;
    r.perigee = hits.perigee;
    r.perigee_without_inner = hits.perigee_without_inner;
    r.first_hit = hits.first_hit;
  } else {
    const auto hit = make_start_hit(c.line, *spot);
    const Matrix5 inner = inner_scattering(t);
    t.crossings.insert(t.crossings.begin(), start_crossing(t, hit));
    const TripletCovariance all = triplet_covariance(t);
    TripletTrack bare = t;
    bare.crossings.erase(bare.crossings.begin());
    drop_inner_scattering(bare);
    bare.crossings.insert(bare.crossings.begin(), t.crossings.front());
    r.determined = all.status == TripletStatus::ok;
    // on the surface through the start u, v are d0, z0, to linear order
    r.perigee = all.first_hit;
    r.perigee_without_inner = triplet_covariance(bare).first_hit;
    r.first_hit =
        update_by_start(hits.first_hit, jacobian_at_first(geometry, c), inner,
                        hit, t.fit_kappa);
  }
  r.hit_only = variance_or_nan(triplet_covariance(t, {Errors::hits_only}));
  r.scattering_only =
      variance_or_nan(triplet_covariance(t, {Errors::scattering_only}));
  return r;
}

}  // namespace gttf::detail
