// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/hits.hpp"

namespace gttf {

TrackHit make_beam_spot_hit(const BeamSpot& spot, const Vector3& centre,
                            double phi, double theta) {
  Track track;
  track.phi = phi;
  track.theta = theta;
  const StartHit<double> start =
      make_start_hit(make_line<double>(track, 0), spot);
  TrackHit h;
  h.position = centre;
  h.u = {-std::sin(phi), std::cos(phi), 0};
  h.v = Vector3::UnitZ();
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

}  // namespace gttf
