// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/straight_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gttf/core/readable.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {

namespace {

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
  if (!is_round(s)) return seen(radii(s), extent(s, Axis::z));
  const Meridian m = meridian(s);
  const double a = std::atan2(m.r[0], m.z[0]), b = std::atan2(m.r[1], m.z[1]);
  return {std::min(a, b), std::max(a, b)};
}

namespace {

class StraightTracks {
 public:
  StraightTracks(const Detector& detector, double phi)
      : geometry_(without_field(detector)), phi_(phi) {}

  Resolution at(double theta) const {
    Track track;
    track.theta = theta;
    track.phi = phi_;
    return resolve(geometry_, track, {Scattering::off});
  }

 private:
  static Detector without_field(Detector detector) {
    detector.field = {};
    return detector;
  }

  TrackingGeometry geometry_;
  double phi_;
};

/// Material up to the first measuring layer, that of it included.
double inner_material(const Resolution& r) {
  double sum = 0;
  for (const CrossingInfo& crossing : r.crossings) {
    sum += crossing.x_over_x0;
    if (crossing.measured) return sum;
  }
  return Resolution::none;
}

/// A region of the detector, and the track that stands for it.
struct Region {
  std::string name;  ///< "at eta 1", "along z"
  Resolution track;

  /// "x_over_x0_eta_1", "x_over_x0_along_z".
  std::string column() const {
    std::string text = name.starts_with("at ") ? name.substr(3) : name;
    std::ranges::replace(text, ' ', '_');
    return "x_over_x0_" + text;
  }
};

/// Whole numbers of eta, and the z axis, where there are three hits; if there
/// are nowhere, where there is one.
std::vector<Region> regions(const Detector& detector, double phi) {
  std::vector<Region> list;
  const StraightTracks tracks(detector, phi);
  const auto add = [&](std::string name, double theta) {
    Resolution track = tracks.at(theta);
    if (track.n_hits > 0) list.push_back({std::move(name), std::move(track)});
  };
  const Grid grid = eta_grid(detector);
  for (int i = 0; i < grid.points; ++i) {
    const double eta = grid.first + i * grid.step;
    if (eta == std::round(eta))
      add(fmt::format("at eta {:.0f}", eta), theta_at_eta(eta));
  }
  add("along z", 0);
  const auto is_short = [](const Region& r) { return r.track.n_hits < 3; };
  if (!std::ranges::all_of(list, is_short)) std::erase_if(list, is_short);
  return list;
}

}  // namespace

Table material_profile(const Detector& detector, double phi) {
  Reals eta, theta_deg, x_over_x0, tracker, inner;
  Integers n_hits, n_layers;
  const StraightTracks tracks(detector, phi);
  const Grid grid = eta_grid(detector);
  for (int i = 0; i < grid.points; ++i) {
    eta.push_back(grid.first + i * grid.step);
    const double theta = theta_at_eta(eta.back());
    const Resolution r = tracks.at(theta);
    theta_deg.push_back(in_degrees(theta));
    n_hits.push_back(r.n_hits);
    n_layers.push_back(static_cast<std::int64_t>(r.crossings.size()));
    x_over_x0.push_back(r.x_over_x0);
    tracker.push_back(r.x_over_x0_tracker);
    inner.push_back(inner_material(r));
  }
  Table table;
  table.add("eta", std::move(eta));
  table.add("theta_deg", std::move(theta_deg));
  table.add("n_hits", std::move(n_hits));
  table.add("n_layers", std::move(n_layers));
  table.add("x_over_x0", std::move(x_over_x0));
  table.add("x_over_x0_tracker", std::move(tracker));
  table.add("x_over_x0_inner", std::move(inner));
  return table;
}

Table group_table(const Detector& detector, double phi) {
  Texts groups;
  Integers layers, hits;
  std::vector<std::size_t> group_of;  // by layer
  for (const Layer& layer : detector.layers) {
    const auto found = std::ranges::find(groups, layer.group);
    const auto i = static_cast<std::size_t>(found - groups.begin());
    group_of.push_back(i);
    if (found == groups.end()) {
      groups.push_back(layer.group);
      layers.push_back(0);
      hits.push_back(0);
    }
    ++layers[i];
    hits[i] += layer.measures();
  }
  std::vector<std::pair<std::string, Reals>> sums;
  for (const Region& region : regions(detector, phi)) {
    Reals& sum =
        sums.emplace_back(region.column(), Reals(groups.size())).second;
    for (const CrossingInfo& c : region.track.crossings)
      sum[group_of[c.layer]] += c.x_over_x0;
  }
  // layers that belong to no group have no row
  const auto named = [&](auto cells) {
    const auto none = std::ranges::find(groups, "");
    if (none != groups.end())
      cells.erase(cells.begin() + (none - groups.begin()));
    return cells;
  };
  Table table;
  table.add("group", named(groups));
  table.add("n_layers", named(layers));
  table.add("n_measuring", named(hits));
  for (auto& [name, sum] : sums) table.add(name, named(std::move(sum)));
  return table;
}

std::string material_text(const Detector& detector, double phi) {
  std::string text;
  for (const Region& region : regions(detector, phi))
    text +=
        fmt::format("{}{} % {}", text.empty() ? "" : ", ",
                    readable(region.track.x_over_x0_tracker / unit::percent, 3),
                    region.name);
  return text;
}

}  // namespace gttf
