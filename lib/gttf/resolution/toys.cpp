// SPDX-License-Identifier: Apache-2.0
// Simulated tracks by exact helices between scatterers.
#include "gttf/resolution/toys.hpp"

#include <cmath>

#include "gttf/trajectory/reach.hpp"

namespace gttf {

namespace {

/// Position and unit vector of the direction.
struct Flight {
  Vector3 position, direction;
};

/// Sets what the formulas of a crossing need; the rest of `l` stays.
void set_line(const Flight& f, Line<double>& l) {
  const double tx = f.direction.x(), ty = f.direction.y();
  l.sin_theta = std::sqrt(tx * tx + ty * ty);
  l.inv_sin_theta = 1 / l.sin_theta;
  l.cos_theta = f.direction.z();
  l.cot_theta = l.cos_theta * l.inv_sin_theta;
  l.tan_theta = l.sin_theta / l.cos_theta;
  l.c = l.kappa * l.inv_sin_theta;
  l.cos_phi = tx * l.inv_sin_theta;
  l.sin_phi = ty * l.inv_sin_theta;
  const double x = f.position.x(), y = f.position.y();
  l.along = x * l.cos_phi + y * l.sin_phi;
  l.across = y * l.cos_phi - x * l.sin_phi;
  l.z = f.position.z();
  l.r2 = x * x + y * y;
  l.on_axis = false;
}

Vector3 position_at(const Line<double>& l, const Crossing<double>& x) {
  const double a = l.along + x.forward, b = l.across + x.sideward;
  return {l.cos_phi * a - l.sin_phi * b, l.sin_phi * a + l.cos_phi * b,
          l.z + x.arc * l.cot_theta};
}

Flight flight_at(const Line<double>& l, const Crossing<double>& x) {
  return {position_at(l, x),
          {l.sin_theta * (l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn),
           l.sin_theta * (l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn),
           l.cos_theta}};
}

/// Turns the direction by small angles along e_theta and e_phi.
/// @param inv_sine  1/sin(theta) before
void scatter(double theta, double phi, double inv_sine, Vector3& t) {
  const double ex = t.x() * inv_sine, ey = t.y() * inv_sine, cosine = t.z();
  const double sine = ex * t.x() + ey * t.y();
  const double norm = 1 / std::sqrt(1 + theta * theta + phi * phi);
  t = {norm * (t.x() + theta * cosine * ex - phi * ey),
       norm * (t.y() + theta * cosine * ey + phi * ex),
       norm * (cosine - theta * sine)};
}

/// Perigee parameters of a helix from `start` with respect to `origin`. With
/// a, b the start along and across the transverse direction e0,
///
///   d0 = (2 b + c (a^2 + b^2))/(1 + sqrt(1 + c (2 b + c (a^2 + b^2))))
///   phi0 = phi - turn,  z0 = z - cot(theta) turn/c,  tan(turn) = c a/(1 + c b)
Vector5 perigee_of(const Line<double>& l, double theta, double phi,
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
      position_at(line, crossing.at), hit);
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

bool ToySimulator::simulate(const RandomPlace& place, ToyTrack& toy) const {
  fill_normals(place, toy.normals);
  const double* normal = toy.normals.data();
  Line<double> line = start_;
  Flight flight{vertex_,
                {start_.sin_theta * start_.cos_phi,
                 start_.sin_theta * start_.sin_phi, start_.cos_theta}};
  if (spot_) {
    flight.position += Vector3(spot_->x * normal[0], spot_->y * normal[1],
                               spot_->z * normal[2]);
    normal += 3;
    set_line(flight, line);
  }
  toy.truth = perigee_of(line, theta_, phi_, flight.position, vertex_);
  TrackHit* hit = toy.hits.points.data() + (spot_ ? 1 : 0);
  for (const Step& step : steps_) {
    Crossing<double> x;
    if (!find_crossing(line, step.measurement.surface(), x).crossed)
      return false;
    flight = flight_at(line, x);
    if (step.measurement.measures())
      normal = step.measurement.measure(flight.position, normal, *hit);
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
