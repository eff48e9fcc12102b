// SPDX-License-Identifier: Apache-2.0
// Tracks through a detector with every kind of crossing, for the triplet fit.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/fit/streaming/five_equations.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"

namespace gttf::test {

/// Largest |a - b| over sigma_i sigma_j of b.
template <class A, class B>
double deviation(const A& a, const B& b, int n = 5) {
  double worst = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double scale = std::sqrt(double(b(i, i)) * double(b(j, j)));
      const double d = std::abs(a(i, j) - double(b(i, j))) / scale;
      if (!(d <= worst)) worst = d;  // a NaN is the worst
    }
  return worst;
}

inline Matrix5 matrix(const Covariance5<double>& c) {
  Matrix5 m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      m(i, j) = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return m;
}

inline Layer layer(Surface surface, double x_over_x0,
                   std::vector<Coordinate> coordinates = {}) {
  Layer l;
  l.surface = surface;
  l.material.push_back({"", 0, x_over_x0});
  l.coordinates = std::move(coordinates);
  return l;
}

/// Pixels, passive layers, one-coordinate strips, crossed and triple strips,
/// disks and planes: everything a crossing can be.
inline Detector mixed_detector(double field = 2 * unit::T) {
  using unit::deg, unit::um;
  const auto barrel = [](double r) { return make_cylinder(r, {-900, 900}); };
  const std::vector<Coordinate> pixel = {{0, 10 * um}, {90 * deg, 20 * um}};
  Detector d;
  if (field != 0) d.field = {FieldKind::solenoid, field};
  d.layers = {
      layer(barrel(20), 0.003),
      layer(barrel(30), 0.01, pixel),
      layer(barrel(41), 0.002),
      layer(barrel(43), 0.003),
      layer(barrel(60), 0.01, {{-3 * deg, 15 * um}, {4 * deg, 18 * um}}),
      layer(barrel(100), 0.01, {{0, 20 * um}}),
      layer(barrel(150), 0, {{30 * deg, 30 * um}}),
      layer(barrel(170), 0.02),
      layer(barrel(230), 0.02,
            {{0, 30 * um}, {60 * deg, 30 * um}, {120 * deg, 40 * um}}),
      layer(barrel(320), 0.02, {{-5 * deg, 30 * um}}),
      layer(make_disk(420, {30, 900}), 0.01, {{0, 30 * um}}),
      layer(barrel(420), 0.02, pixel)};
  return d;
}

struct Sample {
  Track track;
  std::string name;
};

inline std::vector<Sample> samples() {
  std::vector<Sample> list;
  for (const double p : {0.4, 3.0, 200.0})
    for (const double theta : {89.0, 50.0, 135.0})
      for (const double charge : {-1.0, 1.0}) {
        Track t;
        t.p = p;
        t.theta = theta * unit::deg;
        t.phi = 0.7 * charge + theta;
        t.charge = charge;
        list.push_back({t, std::to_string(p) + " GeV at " +
                               std::to_string(theta) + " deg"});
        t.vertex = {3, -8, 15};
        list.push_back({t, list.back().name + ", displaced"});
      }
  return list;
}

inline TripletTrack track_in(const TrackingGeometry& geometry,
                             const Track& track) {
  return make_triplet_track(
      geometry, track, find_crossings(geometry, track, Scattering::highland));
}

}  // namespace gttf::test
