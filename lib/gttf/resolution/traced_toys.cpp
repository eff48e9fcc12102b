// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/traced_toys.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Nearer to the z axis a direction has no azimuth.
constexpr double along_z = 1e-6;

/// Turns a direction by small angles along two unit vectors across it.
void scatter(double first, double second, Vector3& t) {
  const Vector3 across = t.unitOrthogonal();
  t = (t + first * across + second * t.cross(across)).normalized();
}

Vector5 perigee_parameters(const FlightState<0>& s, const Vector3& origin,
                           double kappa) {
  const Vector3 x = s.position - origin;
  const double sine = std::hypot(s.direction.x(), s.direction.y());
  const double theta = std::atan2(sine, s.direction.z());
  Vector5 p;
  if (!(sine > along_z)) {
    p << nan, nan, nan, theta, kappa;
    return p;
  }
  const double across =
      (s.direction.x() * x.y() - s.direction.y() * x.x()) / sine;
  p << across, x.z(), std::atan2(s.direction.y(), s.direction.x()), theta,
      kappa;
  return p;
}

Vector5 plane_parameters(const FlightState<0>& s, double kappa) {
  const double per_z = 1 / s.direction.z();
  Vector5 p;
  p << s.position.x(), s.position.y(), s.direction.x() * per_z,
      s.direction.y() * per_z, kappa;
  return p;
}

}  // namespace

TracedToySimulator::TracedToySimulator(const TrackingGeometry& geometry,
                                       const Track& track,
                                       const TracedTrack& reference,
                                       std::span<const HitLoss> losses,
                                       const std::optional<BeamSpot>& spot)
    : field_(&geometry.field()), mass_(track.mass), spot_(spot) {
  const double sine = std::sin(reference.theta);
  start_.position = {track.vertex[0], track.vertex[1], track.vertex[2]};
  start_.direction = reference.frame.out_of({sine * std::cos(reference.phi),
                                             sine * std::sin(reference.phi),
                                             std::cos(reference.theta)});
  start_.qop = track.charge / track.p;
  hits_.field = reference.b_ref != 0;
  hits_.kappa_ref = reference.kappa;
  hits_.momentum = track.p;
  hits_.mass = track.mass;
  hits_.origin = start_.position;
  hits_.flight =
      FlightModel{field_, reference.frame, track.mass, std::abs(track.charge)};
  if (spot_) {
    n_normals_ = 3;
    hits_.points.push_back(make_beam_spot_hit(*spot_, start_.position,
                                              reference.phi, reference.theta,
                                              reference.frame));
  }
  steps_.reserve(reference.list.size());
  for (int k = 0; k <= reference.last; ++k) {
    const auto index = static_cast<std::size_t>(k);
    add_step(geometry, reference.list[index],
             losses.empty() ? HitLoss() : losses[index]);
  }
  truth_ = perigee_parameters(start_, start_.position, reference.kappa);
  truth_at_plane_ = plane_parameters(start_, reference.kappa);
}

void TracedToySimulator::add_step(const TrackingGeometry& geometry,
                                  const TracedCrossing& crossing,
                                  const HitLoss& loss) {
  const SurfaceRecord& surface = geometry.surfaces()[crossing.surface];
  TrackHit hit;
  const detail::ToyMeasurement measurement(geometry, surface, crossing.position,
                                           hit);
  hit.theta0_2 = crossing.theta0_2;
  hit.loss = loss;
  const double theta0 = std::sqrt(crossing.theta0_2);
  n_normals_ += static_cast<std::size_t>(hit.n_coordinates);
  if (theta0 > 0) n_normals_ += 2;
  if (loss.sigma > 0) n_normals_ += 1;
  hits_.points.push_back(hit);
  const FlightGoal goal =
      hit.cylinder ? FlightGoal::cylinder(surface.position)
                   : FlightGoal::plane(hit.position, hit.u.cross(hit.v));
  steps_.push_back({measurement, goal, theta0, loss});
}

ToyTrack TracedToySimulator::prototype() const {
  return {hits_, truth_, truth_at_plane_, std::vector<double>(n_normals_)};
}

/// Parameters of a start that the beam spot displaced.
bool TracedToySimulator::set_truth(const State& start, ToyTrack& toy) const {
  State s = start;
  if (!std::isnan(truth_[Perigee::phi])) {
    if (fly_onto(*field_, FlightGoal::perigee(hits_.origin), Way::either, s) !=
        Landing::there)
      return false;
    toy.truth = perigee_parameters(s, hits_.origin, hits_.kappa_ref);
  }
  s = start;
  if (fly_onto(*field_, FlightGoal::plane(hits_.origin, Vector3::UnitZ()),
               Way::either, s) == Landing::there)
    toy.truth_at_plane = plane_parameters(s, hits_.kappa_ref);
  else
    toy.truth_at_plane.setConstant(nan);
  return true;
}

/// @return  false if nothing is left
bool TracedToySimulator::lose_energy(const Step& step, const double*& normal,
                                     State& s) const {
  const HitLoss& loss = step.loss;
  if (!(loss.mean > 0)) return true;
  const double p = hits_.flight->charge / std::abs(s.qop);
  double lost = loss.mean * std::pow(p / loss.momentum, loss.power);
  if (loss.sigma > 0) lost += loss.sigma * *normal++;
  const double energy = std::hypot(p, mass_) - lost;
  if (!(energy > mass_)) return false;
  s.qop *= p / std::sqrt((energy - mass_) * (energy + mass_));
  return true;
}

bool TracedToySimulator::simulate(const RandomPlace& place,
                                  ToyTrack& toy) const {
  fill_normals(place, toy.normals);
  const double* normal = toy.normals.data();
  State s = start_;
  if (spot_) {
    s.position += Vector3(spot_->x * normal[0], spot_->y * normal[1],
                          spot_->z * normal[2]);
    normal += 3;
    if (!set_truth(s, toy)) return false;
  }
  TrackHit* hit = toy.hits.points.data() + (spot_ ? 1 : 0);
  for (const Step& step : steps_) {
    if (fly_onto(*field_, step.goal, Way::forward, s) != Landing::there ||
        !inside(step.measurement.surface(), s.position))
      return false;
    if (step.measurement.measures())
      normal = step.measurement.measure(s.position, normal, *hit);
    if (step.theta0 > 0) {
      scatter(step.theta0 * normal[0], step.theta0 * normal[1], s.direction);
      normal += 2;
    }
    if (!lose_energy(step, normal, s)) return false;
    ++hit;
  }
  return true;
}

}  // namespace gttf
