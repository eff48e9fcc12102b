// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/hits.hpp"

#include <cmath>

#include "gttf/fit/track/beam_spot.hpp"

namespace gttf {

namespace {

/// Are two points too near to each other to tell a direction?
bool coincide(const TrackHits& track, std::size_t a, std::size_t b) {
  const Vector3 step = track.points[b].position - track.points[a].position;
  constexpr double closest = 1e-6;  // mm
  return (track.flight ? step.norm() : step.head<2>().norm()) < closest;
}

FitStatus check_points(const TrackHits& track, MeasuredPoints& measured) {
  if (!std::isfinite(track.kappa_ref) || !track.origin.allFinite())
    return FitStatus::not_finite;
  for (std::size_t i = 0; i < track.points.size(); ++i) {
    const TrackHit& h = track.points[i];
    double sum = h.position.sum() + h.u.sum() + h.v.sum() + h.theta0_2;
    bool positive = h.theta0_2 >= 0;
    for (const CoordinateAxis& a : h.axes()) {
      sum += a.cosine + a.sine + a.variance;
      positive = positive && a.variance > 0;
    }
    if (!std::isfinite(sum)) return FitStatus::not_finite;
    if (!positive) return FitStatus::bad_error;
    if (!h.measures()) continue;
    // wires may cross: what lies along them is not measured
    if (!measured.points.empty() && h.n_coordinates == 2 &&
        coincide(track, i, measured.points.back()))
      return FitStatus::coincident_hits;
    measured.points.push_back(i);
    measured.n_coordinates += h.n_coordinates;
  }
  if (measured.points.size() < 3) return FitStatus::too_few_hits;
  return measured.n_coordinates < (track.field ? track_dim : track_dim - 1)
             ? FitStatus::not_determined
             : FitStatus::ok;
}

}  // namespace

void find_measured(const TrackHits& track, MeasuredPoints& measured) {
  measured.points.clear();
  measured.n_coordinates = 0;
  measured.status = check_points(track, measured);
}

TrackHit make_beam_spot_hit(const BeamSpot& spot, const Vector3& centre,
                            double phi, double theta, const Frame& frame) {
  Track track;
  track.phi = phi;
  track.theta = theta;
  const Vector3 errors = frame.into({spot.x, spot.y, spot.z});
  const StartHit<double> start = make_start_hit(
      make_line<double>(track, 0), errors.x(), errors.y(), errors.z());
  TrackHit h;
  h.position = centre;
  h.u = frame.out_of({-std::sin(phi), std::cos(phi), 0});
  h.v = frame.out_of(Vector3::UnitZ());
  const CoordinateAxis axes[] = {
      {start.transverse[0], start.transverse[1], start.transverse_variance},
      {start.longitudinal[0], start.longitudinal[1],
       start.longitudinal_variance}};
  set_coordinates(h, axes);
  return h;
}

void set_coordinates(TrackHit& hit, std::span<const CoordinateAxis> axes) {
  hit.n_coordinates = static_cast<int>(axes.size());
  if (axes.size() <= 2) {
    for (std::size_t i = 0; i < axes.size(); ++i) hit.coordinates[i] = axes[i];
    return;
  }
  // information about (u, v), turned onto its principal axes
  double uu = 0, uv = 0, vv = 0;
  for (const CoordinateAxis& a : axes) {
    uu += a.cosine * a.cosine / a.variance;
    uv += a.cosine * a.sine / a.variance;
    vv += a.sine * a.sine / a.variance;
  }
  const double angle = 0.5 * std::atan2(2 * uv, uu - vv);
  const double c = std::cos(angle), s = std::sin(angle);
  const double most = c * c * uu + 2 * c * s * uv + s * s * vv;
  const double least = s * s * uu - 2 * c * s * uv + c * c * vv;
  hit.coordinates[0] = {c, s, 1 / most};
  hit.coordinates[1] = {-s, c, 1 / least};
  constexpr double parallel = 1e-12;
  hit.n_coordinates = least > parallel * most ? 2 : 1;
}

std::string_view to_string(FitStatus status) {
  switch (status) {
    case FitStatus::ok:
      return "ok";
    case FitStatus::too_few_hits:
      return "too_few_hits";
    case FitStatus::not_finite:
      return "not_finite";
    case FitStatus::bad_error:
      return "bad_error";
    case FitStatus::coincident_hits:
      return "coincident_hits";
    case FitStatus::wrong_order:
      return "wrong_order";
    case FitStatus::beyond_pole:
      return "beyond_pole";
    case FitStatus::singular:
      return "singular";
    case FitStatus::not_determined:
      return "not_determined";
    case FitStatus::no_reference:
      return "no_reference";
    case FitStatus::no_curvature:
      return "no_curvature";
    case FitStatus::not_converged:
      return "not_converged";
    case FitStatus::outside_map:
      return "outside_map";
    case FitStatus::stops:
      return "stops";
    case FitStatus::recurls:
      return "recurls";
  }
  return "unknown";
}

}  // namespace gttf
