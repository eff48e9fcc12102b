// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/point_columns.hpp"

#include <cmath>
#include <utility>

namespace gttf {

namespace {

/// eta = -ln tan(theta/2) = asinh(cot theta); 0 at 90 deg but for rounding.
double pseudorapidity(double theta) {
  const double cos = std::cos(theta);
  return std::abs(cos) < 1e-15 ? 0 : std::asinh(cos / std::sin(theta));
}

}  // namespace

double in_degrees(double angle) {
  const double degrees = angle / unit::deg;
  const double rounded = std::round(degrees * 1e9) / 1e9;
  return std::abs(rounded - degrees) <= 4e-16 * std::abs(degrees) ? rounded
                                                                  : degrees;
}

std::vector<GridPoint> grid_points(const StudyRequest& request) {
  std::vector<GridPoint> points;
  for (std::size_t j = 0; j < request.angle.values.size(); ++j)
    for (std::size_t i = 0; i < request.momentum.values.size(); ++i)
      points.push_back({i, j});
  return points;
}

Track grid_track(const StudyRequest& request, GridPoint point) {
  Track t;
  t.theta = theta_of(request.angle, point.angle);
  t.p = request.momentum.values[point.momentum];
  if (request.momentum.variable == MomentumAxis::Variable::pt)
    t.p /= std::sin(t.theta);
  t.phi = request.phi;
  t.mass = request.particle.mass;
  t.charge = request.particle.charge;
  t.vertex = request.vertex;
  return t;
}

double pt_of(const StudyRequest& request, GridPoint point) {
  if (request.momentum.variable == MomentumAxis::Variable::pt)
    return request.momentum.values[point.momentum];
  const Track track = grid_track(request, point);
  return track.p * std::sin(track.theta);
}

double eta_of(const StudyRequest& request, GridPoint point) {
  return request.angle.variable == AngleAxis::Variable::eta
             ? request.angle.values[point.angle]
             : pseudorapidity(theta_of(request.angle, point.angle));
}

void PointColumns::reserve(std::size_t rows) {
  for (Texts* c : {&detector_, &particle_}) c->reserve(rows);
  for (Reals* c : {&p_, &pt_, &theta_, &eta_, &phi_}) c->reserve(rows);
}

void PointColumns::add(const Detector& detector, const StudyRequest& request,
                       GridPoint point) {
  const Track track = grid_track(request, point);
  detector_.push_back(detector.name);
  particle_.push_back(request.particle.name);
  p_.push_back(track.p);
  pt_.push_back(pt_of(request, point));
  theta_.push_back(in_degrees(track.theta));
  eta_.push_back(eta_of(request, point));
  phi_.push_back(in_degrees(track.phi));
}

void PointColumns::move_to(Table& table) && {
  table.add("detector", std::move(detector_));
  table.add("particle", std::move(particle_));
  table.add("p_GeV", std::move(p_));
  table.add("pt_GeV", std::move(pt_));
  table.add("theta_deg", std::move(theta_));
  table.add("eta", std::move(eta_));
  table.add("phi_deg", std::move(phi_));
}

}  // namespace gttf
