// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/point_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/text.hpp"

namespace gttf {

namespace {

/// sin(theta) below which a track is along z except for rounding.
constexpr double along_z = 1e-12;

/// eta = -ln tan(theta/2) = asinh(cot theta); exactly 0 at 90 deg, NaN along
/// z.
double pseudorapidity(double theta) {
  const double cos = std::cos(theta);
  if (std::sin(theta) < along_z) return Resolution::none;
  return std::abs(cos) < 1e-15 ? 0 : std::asinh(cos / std::sin(theta));
}

double pt_from(double p, double sine) { return sine < along_z ? 0 : p * sine; }

}  // namespace

Model model_of(const StudyRequest& request, const Detector& detector,
               Engine engine) {
  Model model{.scattering = scattering_of(request, detector),
              .engine = engine,
              .beam_spot = request.beam_spot,
              .loss = energy_loss_of(request, detector),
              .turns = request.turns};
  if (!request.at) return model;
  std::vector<std::string> names;
  for (const Layer& layer : detector.layers) names.push_back(layer.name);
  const auto found = std::ranges::find(names, request.at->layer);
  if (found == names.end()) {
    Diagnostic d = request.at->place;
    d.problem = fmt::format("{} has no layer {}", detector.name,
                            in_quotes(request.at->layer));
    const auto guess = nearest(request.at->layer, names);
    d.suggestion = guess ? fmt::format("did you mean {}?", in_quotes(*guess))
                         : "its layers: " + joined(names);
    Diagnostics diagnostics;
    diagnostics.add(std::move(d));
    throw InputError(std::move(diagnostics));
  }
  model.at = AtLayer{static_cast<std::size_t>(found - names.begin()),
                     request.at->own_hit};
  return model;
}

double in_degrees(double angle) {
  const double degrees = angle / unit::deg;
  const double rounded = std::round(degrees * 1e9) / 1e9;
  return std::abs(rounded - degrees) <= 4e-16 * std::abs(degrees) ? rounded
                                                                  : degrees;
}

std::size_t n_grid_points(const StudyRequest& request) {
  return request.momentum.values.size() * request.angle.values.size();
}

GridPoint grid_point(const StudyRequest& request, std::size_t index) {
  const std::size_t n = request.momentum.values.size();
  return {index % n, index / n};
}

std::vector<GridPoint> grid_points(const StudyRequest& request) {
  std::vector<GridPoint> points(n_grid_points(request));
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = grid_point(request, i);
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
  return pt_from(track.p, std::sin(track.theta));
}

double eta_of(const StudyRequest& request, GridPoint point) {
  return request.angle.variable == AngleAxis::Variable::eta
             ? request.angle.values[point.angle]
             : pseudorapidity(theta_of(request.angle, point.angle));
}

bool along_beam(const Detector& detector, const Track& track) {
  const Field& field = detector.field;
  const bool barrel = field.kind == FieldKind::solenoid ||
                      (field.kind == FieldKind::map && field.axis == Axis::z);
  constexpr double near = 20 * unit::deg;
  return !barrel && std::sin(track.theta) < std::sin(near);
}

bool along_beam(const StudyRequest& request,
                std::span<const Detector> detectors) {
  // only the angle matters, and a grid may have more points than memory
  std::size_t angle = 0;
  const auto is_along = [&](const Detector& detector) {
    return along_beam(detector, grid_track(request, {0, angle}));
  };
  const std::size_t n = request.angle.values.size();
  while (angle < n && std::ranges::all_of(detectors, is_along)) ++angle;
  return angle == n;
}

void PointRows::set_angle(std::size_t index, double theta) {
  const AngleAxis& axis = request_->angle;
  angle_.index = index;
  angle_.sine = std::sin(theta);
  angle_.theta_deg = in_degrees(theta);
  angle_.eta = axis.variable == AngleAxis::Variable::eta
                   ? axis.values[index]
                   : pseudorapidity(theta);
}

PointRow PointRows::at(GridPoint point) {
  const Track track = grid_track(*request_, point);
  return at(point, track.p, track.theta);
}

PointRow PointRows::at(GridPoint point, double p, double theta) {
  if (angle_.index != point.angle) set_angle(point.angle, theta);
  const MomentumAxis& axis = request_->momentum;
  const bool by_pt = axis.variable == MomentumAxis::Variable::pt;
  return {detector_->name,
          request_->particle.name,
          p,
          by_pt ? axis.values[point.momentum] : pt_from(p, angle_.sine),
          angle_.theta_deg,
          angle_.eta,
          in_degrees(request_->phi)};
}

PointRow point_of(const Detector& detector, const StudyRequest& request,
                  const Track& track) {
  return {detector.name,
          request.particle.name,
          track.p,
          pt_from(track.p, std::sin(track.theta)),
          in_degrees(track.theta),
          pseudorapidity(track.theta),
          in_degrees(track.phi)};
}

PointColumns::PointColumns() : rows_(point_columns<Row>) {}

void PointColumns::add(const Detector& detector, const StudyRequest& request,
                       GridPoint point) {
  rows_.add({PointRows(detector, request).at(point)});
}

void PointColumns::move_to(Table& table) && {
  for (Column& column : std::move(rows_).take().columns)
    table.columns.push_back(std::move(column));
}

}  // namespace gttf
