// SPDX-License-Identifier: Apache-2.0
// Triplets of a KinkSystem in any field, with energy loss.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "gttf/fit/triplet/kink_system.hpp"

namespace gttf::detail {

namespace {

using Rows = Eigen::Matrix<double, 2, 3>;

Rows rows(const Cartesian<double>& theta, const Cartesian<double>& phi) {
  Rows m;
  m << theta.x, theta.y, theta.z, phi.x, phi.y, phi.z;
  return m;
}

/// The crossing point shifts within the passive surface until the two parts of
/// the segment join at a given kink.
void set_weights(const FlightSegment& in, const FlightSegment& out,
                 const SurfaceAxes& surface, PassiveKink& kink) {
  Matrix32 axes;
  axes << surface.u, surface.v;
  const auto &a = in.directed, &b = out.directed;
  const Matrix2 start_in =
      rows(a.polar_start.at_end, a.azimuth_start.at_end) * axes;
  const Matrix2 end_in = rows(a.polar_end.at_end, a.azimuth_end.at_end) * axes;
  const Matrix2 start_out =
      rows(b.polar_start.at_start, b.azimuth_start.at_start) * axes;
  const Matrix2 end_out =
      rows(b.polar_end.at_start, b.azimuth_end.at_start) * axes;
  const Matrix2 shift = (start_out - end_in).inverse();
  kink.leaving = start_in * shift;
  kink.arriving = end_out * shift;
}

}  // namespace

bool KinkSystem::charge_behind(const TrackHits& track, std::size_t k,
                               double kappa, SlowedCharge& charge) const {
  charge = SlowedCharge::at_origin(track, kappa);
  for (std::size_t i = 0; i <= hits[k].point; ++i)
    if (!charge.pass(track, track.points[i].loss)) return false;
  return true;
}

std::vector<std::size_t> KinkSystem::layers_behind(const TrackHits& track,
                                                   std::size_t k) const {
  std::vector<std::size_t> layers;
  for (std::size_t i = hits[k].point + 1; i < hits[k + 1].point; ++i)
    if (track.points[i].theta0_2 > 0 || track.points[i].loss.mean > 0)
      layers.push_back(i);
  return layers;
}

FitStatus KinkSystem::make_flown_triplets(const TrackHits& track,
                                          double kappa) {
  segments.resize(hits.size() - 1);
  SlowedCharge charge;
  if (!charge_behind(track, 0, kappa, charge)) return FitStatus::stops;
  for (std::size_t k = 0; k + 1 < hits.size(); ++k) {
    FlightSegment& s = segments[k];
    if (const auto status =
            make_flight_segment(track, hits[k].at, hits[k + 1].at, charge,
                                layers_behind(track, k), s);
        status != FitStatus::ok)
      return status;
    s.directed.kappa = kappa;
    charge = s.end;
    if (!charge.pass(track, track.points[hits[k + 1].point].loss))
      return FitStatus::stops;
  }
  for (std::size_t j = 0; j < triplets.size(); ++j) {
    triplets[j] = make_triplet(segments[j].directed, segments[j + 1].directed);
    constexpr double back = 0.5 * unit::pi;
    const double turn =
        std::abs(triplets[j].phi_tilde + triplets[j].rho_phi * kappa);
    if (turn > back) return FitStatus::wrong_order;
  }
  return FitStatus::ok;
}

FitStatus KinkSystem::set_flown_passive(const TrackHits& track, double kappa) {
  for (const PassivePoint& p : passive) {
    const std::size_t k = p.before;
    const auto layers = layers_behind(track, k);
    const auto at = std::ranges::find(layers, p.point) - layers.begin();
    const auto index = static_cast<std::size_t>(at);
    const Vector3 crossing = segments[k].crossings[index];
    SlowedCharge charge;
    FlightSegment in, out;
    if (!charge_behind(track, k, kappa, charge)) return FitStatus::stops;
    const std::span all(layers);
    if (const auto status = make_flight_segment(track, hits[k].at, crossing,
                                                charge, all.first(index), in);
        status != FitStatus::ok)
      return status;
    charge = in.end;
    if (!charge.pass(track, track.points[p.point].loss))
      return FitStatus::stops;
    if (const auto status =
            make_flight_segment(track, crossing, hits[k + 1].at, charge,
                                all.subspan(index + 1), out);
        status != FitStatus::ok)
      return status;
    PassiveKink kink;
    set_weights(in, out, axes_at(track.points[p.point], crossing), kink);
    if (!kink.leaving.allFinite() || !kink.arriving.allFinite())
      return FitStatus::wrong_order;
    add_kink(track, p, kink);
  }
  return FitStatus::ok;
}

}  // namespace gttf::detail
