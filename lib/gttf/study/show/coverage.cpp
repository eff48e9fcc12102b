// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/resolution/resolution.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {
namespace {

double eta_of(double theta) {
  // pi has a neighbour for a tangent: say infinity along both ends of the axis
  if (theta >= unit::pi) return -std::numeric_limits<double>::infinity();
  return -std::log(std::tan(theta / 2));
}

// Least and greatest |x| in an interval.
Interval absolute(const Interval& i) {
  const double a = std::abs(i.lower), b = std::abs(i.upper);
  return {i.contains(0) ? 0 : std::min(a, b), std::max(a, b)};
}

PolarRange seen(const Interval& rho, const Interval& z) {
  // The far corner in z is nearest to the axis with the smallest rho, if z is
  // positive there, and with the largest, if it is negative.
  const double theta_min =
      std::atan2(z.upper > 0 ? rho.lower : rho.upper, z.upper);
  const double theta_max =
      std::atan2(z.lower < 0 ? rho.lower : rho.upper, z.lower);
  return {theta_min, theta_max};
}

// The eta range that measuring layers cover, as multiples of the step.
struct Grid {
  double first = 0;
  double step = 0.25;
  int points = 0;
};

Grid eta_grid(const Detector& detector) {
  constexpr double largest = 4;
  double lower = largest, upper = -largest;
  for (const Layer& layer : detector.layers) {
    if (!layer.measures()) continue;
    const PolarRange range = polar_range(layer.surface);
    lower = std::min(lower, std::max(range.eta_min(), -largest));
    upper = std::max(upper, std::min(range.eta_max(), largest));
  }
  if (lower > upper) return {};
  const bool symmetric = std::abs(lower + upper) < 1e-9;  // rounding
  if (symmetric) lower = 0;
  Grid grid;
  grid.step = upper - lower > 3 ? 0.5 : 0.25;
  const double first = std::floor(lower / grid.step);
  grid.first = first * grid.step;
  grid.points = static_cast<int>(std::ceil(upper / grid.step) - first) + 1;
  return grid;
}

}  // namespace

double PolarRange::eta_min() const { return eta_of(theta_max); }
double PolarRange::eta_max() const { return eta_of(theta_min); }

PolarRange polar_range(const Surface& s) {
  const Interval at{s.position, s.position};
  switch (s.shape) {
    case Shape::cylinder:
      return seen(at, s.v);
    case Shape::disk:
      return seen(s.v, at);
    case Shape::plane:
      break;
  }
  // Planes normal to x have axes (y, z), to y (z, x), to z (x, y).
  const Interval x = s.normal == Axis::x ? at : s.normal == Axis::y ? s.v : s.u;
  const Interval y = s.normal == Axis::x ? s.u : s.normal == Axis::y ? at : s.v;
  const Interval z = s.normal == Axis::x ? s.v : s.normal == Axis::y ? s.u : at;
  const Interval ax = absolute(x), ay = absolute(y);
  return seen({std::hypot(ax.lower, ay.lower), std::hypot(ax.upper, ay.upper)},
              z);
}

Table material_profile(const Detector& detector, double phi) {
  Reals eta, theta_deg, x_over_x0, inner;
  Integers n_hits, n_layers;
  Detector straight = detector;
  straight.field = {};
  const TrackingGeometry geometry(straight);
  const Grid grid = eta_grid(detector);
  for (int i = 0; i < grid.points; ++i) {
    Track track;
    eta.push_back(grid.first + i * grid.step);
    track.theta = 2 * std::atan(std::exp(-eta.back()));
    track.phi = phi;
    const Resolution r = resolve(geometry, track, {Scattering::off});
    theta_deg.push_back(in_degrees(track.theta));
    n_hits.push_back(r.n_hits);
    n_layers.push_back(static_cast<std::int64_t>(r.crossings.size()));
    x_over_x0.push_back(r.x_over_x0);
    double sum = 0, to_first = std::numeric_limits<double>::quiet_NaN();
    for (const CrossingInfo& crossing : r.crossings) {
      sum += crossing.x_over_x0;
      if (!crossing.measured) continue;
      to_first = sum;
      break;
    }
    inner.push_back(to_first);
  }
  Table table;
  table.add("eta", std::move(eta));
  table.add("theta_deg", std::move(theta_deg));
  table.add("n_hits", std::move(n_hits));
  table.add("n_layers", std::move(n_layers));
  table.add("x_over_x0", std::move(x_over_x0));
  table.add("x_over_x0_inner", std::move(inner));
  return table;
}

}  // namespace gttf
