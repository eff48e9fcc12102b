// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/point_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/text.hpp"

namespace gttf {

namespace {

/// sin(theta) of a track along z but for rounding.
constexpr double along_z = 1e-12;

/// eta = -ln tan(theta/2) = asinh(cot theta); 0 at 90 deg but for rounding, NaN
/// along z.
double pseudorapidity(double theta) {
  const double cos = std::cos(theta);
  if (std::sin(theta) < along_z) return Resolution::none;
  return std::abs(cos) < 1e-15 ? 0 : std::asinh(cos / std::sin(theta));
}

}  // namespace

Model model_of(const StudyRequest& request, const Detector& detector,
               Engine engine) {
  Model model{.scattering = request.scattering,
              .engine = engine,
              .beam_spot = request.beam_spot,
              .loss = request.energy_loss};
  if (!request.at) return model;
  std::vector<std::string> names;
  for (const Layer& layer : detector.layers) names.push_back(layer.name);
  const auto found = std::ranges::find(names, request.at->layer);
  if (found == names.end()) {
    Diagnostic d;
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

void PointColumns::reserve(std::size_t rows) {
  for (Texts* c : {&detector_, &particle_}) c->reserve(rows);
  for (Reals* c : {&p_, &pt_, &theta_, &eta_, &phi_}) c->reserve(rows);
}

void PointColumns::add(const Detector& detector, const StudyRequest& request,
                       GridPoint point) {
  const Track track = grid_track(request, point);
  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
  detector_.push_back(detector.name);
  particle_.push_back(request.particle.name);
  p_.push_back(track.p);
  pt_.push_back(by_pt ? request.momentum.values[point.momentum]
                : std::sin(track.theta) < along_z
                    ? 0
                    : track.p * std::sin(track.theta));
  theta_.push_back(in_degrees(track.theta));
  eta_.push_back(by_eta ? request.angle.values[point.angle]
                        : pseudorapidity(track.theta));
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
