// SPDX-License-Identifier: Apache-2.0
// Simulated tracks by exact helices between scatterers.
#include "gttf/resolution/toys.hpp"

#include <cmath>

#include "gttf/resolution/toy_flight.hpp"
#include "gttf/trajectory/reach.hpp"

namespace gttf {

using namespace detail;

namespace {

/// Perigee parameters of a helix from `start` with respect to `origin`. With
/// a, b the start along and across the transverse direction e0,
///
///   d0 = (2 b + c (a^2 + b^2))/(1 + sqrt(1 + c (2 b + c (a^2 + b^2))))
///   phi0 = phi - turn,  z0 = z - cot(theta) turn/c,  tan(turn) = c a/(1 + c b)
Vector5 start_perigee(const Line<double>& l, double theta, double phi,
                      const Vector3& start, const Vector3& origin) {
  const Vector3 d = start - origin;
  const double a = d.x() * l.cos_phi + d.y() * l.sin_phi;
  const double b = d.y() * l.cos_phi - d.x() * l.sin_phi;
  const double power = 2 * b + l.c * (a * a + b * b);
  const double turn = std::atan2(l.c * a, 1 + l.c * b);
  Vector5 p;
  p[Perigee::d0] = power / (1 + std::sqrt(1 + l.c * power));
  p[Perigee::z0] = d.z() - l.cot_theta * (l.c == 0 ? a : turn / l.c);
  p[Perigee::phi] = phi - turn;
  p[Perigee::theta] = theta;
  p[Perigee::kappa] = l.kappa;
  return p;
}

}  // namespace

ToySimulator::ToySimulator(const TrackingGeometry& geometry, const Track& track,
                           const Crossings<double>& reference,
                           const std::optional<BeamSpot>& spot)
    : start_(reference.line),
      vertex_(track.vertex[0], track.vertex[1], track.vertex[2]),
      theta_(std::atan2(start_.sin_theta, start_.cos_theta)),
      phi_(track.phi),
      spot_(spot) {
  hits_.field = geometry.bz() != 0;
  hits_.kappa_ref = start_.kappa;
  hits_.momentum = track.p;
  hits_.mass = track.mass;
  hits_.origin = vertex_;
  if (spot_) {
    n_normals_ = 3;
    hits_.points.push_back(make_beam_spot_hit(*spot_, vertex_, phi_, theta_));
  }
  steps_.reserve(reference.list.size());
  for (int k = 0; k <= reference.last; ++k)
    add_step(geometry, reference.line,
             reference.list[static_cast<std::size_t>(k)]);
}

void ToySimulator::add_step(const TrackingGeometry& geometry,
                            const Line<double>& line,
                            const TrackCrossing<double>& crossing) {
  TrackHit hit;
  const detail::ToyMeasurement measurement(
      geometry, geometry.surfaces()[crossing.surface],
      vector_of(position_at(line, crossing.at)), hit);
  hit.theta0_2 = crossing.theta0_2;
  const double theta0 = std::sqrt(crossing.theta0_2);
  n_normals_ += static_cast<std::size_t>(hit.n_coordinates);
  if (theta0 > 0) n_normals_ += 2;
  hits_.points.push_back(hit);
  steps_.push_back({measurement, theta0});
}

ToyTrack ToySimulator::prototype() const {
  return {hits_, Vector5::Zero(), Vector5::Zero(),
          std::vector<double>(n_normals_)};
}

Vector5 ToySimulator::truth() const {
  return start_perigee(start_, theta_, phi_, vertex_, vertex_);
}

bool ToySimulator::simulate(const RandomPlace& place, ToyTrack& toy) const {
  fill_normals(place, toy.normals);
  const double* normal = toy.normals.data();
  Line<double> line = start_;
  detail::Flight<double> flight{{vertex_.x(), vertex_.y(), vertex_.z()},
                                direction_of(start_)};
  if (spot_) {
    flight.position = flight.position + Cartesian<double>{spot_->x * normal[0],
                                                          spot_->y * normal[1],
                                                          spot_->z * normal[2]};
    normal += 3;
    set_line(flight, line);
  }
  toy.truth =
      start_perigee(line, theta_, phi_, vector_of(flight.position), vertex_);
  TrackHit* hit = toy.hits.points.data() + (spot_ ? 1 : 0);
  for (const Step& step : steps_) {
    Crossing<double> x;
    if (!find_crossing(line, step.measurement.surface(), x).crossed)
      return false;
    flight = flight_at(line, x);
    if (step.measurement.measures())
      normal =
          step.measurement.measure(vector_of(flight.position), normal, *hit);
    if (step.theta0 > 0) {
      scatter(step.theta0 * normal[0], step.theta0 * normal[1],
              line.inv_sin_theta, flight.direction);
      normal += 2;
    }
    ++hit;
    set_line(flight, line);
  }
  return true;
}

}  // namespace gttf
