// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "gttf/fit/streaming/trajectory_start.hpp"
#include "gttf/fit/track/coarse_hits.hpp"
#include "gttf/fit/track/prefit.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/fit_kinds.hpp"

namespace gttf::detail {

namespace {

/// How far an error of one standard deviation in a coordinate moves a hit, mm:
/// with stereo angles much further than the error is.
double reach(const LinearHit& hit, int coordinate) {
  return hit.error.col(coordinate).norm();
}

/// Distance from hit k to hit i, minus a coarse error of hit i.
double distance_between(const KinkSystem& system, std::size_t k,
                        std::size_t i) {
  const LinearHit& other = system.hits[i];
  Vector3 step = other.measured - system.hits[k].measured;
  for (int q = 0; q < 2; ++q) {
    if (!(reach(other, q) > coarse_share * step.norm())) continue;
    const Vector3 along = other.error.col(q).normalized();
    step -= along.dot(step) * along;
  }
  return step.norm();
}

double distance_to_neighbour(const KinkSystem& system, std::size_t k) {
  const auto to = [&](std::size_t i) { return distance_between(system, k, i); };
  if (k == 0) return to(1);
  if (k + 1 == system.hits.size()) return to(k - 1);
  return std::min(to(k - 1), to(k + 1));
}

bool is_coarse(const KinkSystem& system, std::size_t k, int coordinate) {
  return reach(system.hits[k], coordinate) >
         coarse_share * distance_to_neighbour(system, k);
}

}  // namespace

bool is_coarse(const KinkSystem& system) {
  for (std::size_t k = 0; k < system.hits.size(); ++k)
    if (is_coarse(system, k, 0) || is_coarse(system, k, 1)) return true;
  return false;
}

FitStatus put_on_prefit(const TrackHits& track, KinkSystem& system,
                        double& kappa) {
  std::vector<std::size_t> measured;
  for (const LinearHit& h : system.hits) measured.push_back(h.point);
  const Prefit fit = prefit(track, measured, true);
  if (fit.status != FitStatus::ok) return fit.status;
  kappa = fit.start.kappa;
  Helix<double> at = fit.start;
  for (std::size_t k = 0; k < system.hits.size(); ++k) {
    LinearHit& h = system.hits[k];
    const TrackHit& p = track.points[h.point];
    const double guess =
        k == 0 ? 0
               : (p.position - track.points[system.hits[k - 1].point].position)
                     .head<2>()
                     .norm();
    const double s = arc_to(at, surface_of(p), guess);
    if (!std::isfinite(s)) return FitStatus::not_converged;
    at = advanced(at, s);
    const auto residual = coordinate_residuals(p, vector_of(at.position));
    for (int q = 0; q < 2; ++q)
      if (is_coarse(system, k, q)) h.removed[q] = residual[q] / h.sigma[q];
  }
  for (LinearHit& h : system.hits) h.at = h.measured - h.error * h.removed;
  return FitStatus::ok;
}

FitStatus put_on_trajectory(const TrackHits& track, bool coarse,
                            KinkSystem& system, double& kappa) {
  std::vector<std::size_t> measured;
  for (const LinearHit& h : system.hits) measured.push_back(h.point);
  const TrajectoryStart fit = find_start(track, measured);
  if (fit.status != FitStatus::ok) return fit.status;
  kappa = 0;
  if (track.field) {
    const double p =
        momentum_at_start(track, momentum_of(track, fit.state.qop));
    const double size =
        track.flight->charge * std::abs(track.flight->field->reference) / p;
    kappa = std::copysign(size, kappa_of(track, fit.state));
  }
  if (!coarse) return FitStatus::ok;
  KinkedTrajectory trajectory;
  trajectory.start(track, fit.state);
  const std::size_t n = trajectory.nodes().size();
  if (const auto s = trajectory.follow(track, n, false); s != FitStatus::ok)
    return s;
  std::size_t k = 0;
  for (const TrajectoryNode& node : trajectory.nodes()) {
    if (node.point != system.hits[k].point) continue;
    LinearHit& h = system.hits[k];
    const auto residual =
        coordinate_residuals(track.points[h.point], node.before.position);
    for (int q = 0; q < 2; ++q)
      if (is_coarse(system, k, q)) h.removed[q] = residual[q] / h.sigma[q];
    h.at = h.measured - h.error * h.removed;
    if (++k == system.hits.size()) break;
  }
  return FitStatus::ok;
}

FitStatus linearise_with_care(const TrackHits& track, FitKind kind,
                              KinkSystem& system) {
  const bool has_errors = uses_hits(kind);
  double kappa = 0;
  if (track.flight) {
    const bool coarse = has_errors && is_coarse(system);
    // straight tracks need no curvature
    if (track.field || coarse)
      if (const auto s = put_on_trajectory(track, coarse, system, kappa);
          s != FitStatus::ok)
        return s;
    return system.linearise(track, &kappa);
  }
  // exact hits are not moved
  if (has_errors && is_coarse(system)) {
    if (const auto s = put_on_prefit(track, system, kappa); s != FitStatus::ok)
      return s;
    return system.linearise(track, &kappa);
  }
  return system.linearise(track, track.field ? nullptr : &kappa);
}

}  // namespace gttf::detail
