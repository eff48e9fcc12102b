// SPDX-License-Identifier: Apache-2.0
// Measured points of simulated tracks of a detector, as lines of a file.
#pragma once

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "gttf/resolution/toys.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf::test {

inline const std::string no_layers = "track,x_mm,y_mm,z_mm\n";

struct ToyHit {
  std::size_t layer = 0;
  Vector3 at = Vector3::Zero();
};
/// In order of flight.
using ToyHits = std::vector<ToyHit>;

/// Of a detector in a solenoid.
/// @param p, theta  ranges, GeV, rad
inline std::vector<ToyHits> toy_hits(const Detector& detector, std::size_t n,
                                     Interval p = {1, 20},
                                     Interval theta = {0.3, 2.8}) {
  const TrackingGeometry geometry(detector);
  std::mt19937_64 engine(5);
  const auto uniform = [&engine](double a, double b) {
    return std::uniform_real_distribution<>(a, b)(engine);
  };
  std::vector<ToyHits> tracks;
  while (tracks.size() < n) {
    Track track;
    track.p = uniform(p.lower, p.upper);
    track.theta = uniform(theta.lower, theta.upper);
    track.phi = uniform(-3, 3);
    track.charge = tracks.size() % 2 == 0 ? 1 : -1;
    const ToySimulator simulator(geometry, track,
                                 {.scattering = Scattering::highland});
    ToyTrack toy = simulator.prototype();
    if (!simulator.simulate({2, 0, tracks.size()}, toy)) continue;
    ToyHits& hits = tracks.emplace_back();
    for (const auto& x :
         find_crossings(geometry, track, Scattering::highland).list)
      if (geometry.surfaces()[x.surface].measures())
        hits.push_back({x.surface});
    std::size_t k = 0;
    for (const TrackHit& h : toy.hits.points)
      if (h.measures()) hits.at(k++).at = h.position;
  }
  return tracks;
}

/// Below `no_layers` or, with a detector, below `header`.
inline std::string lines_of(std::size_t track, const ToyHits& hits,
                            const Detector* detector = nullptr) {
  std::string text;
  for (const ToyHit& hit : hits) {
    text += std::to_string(track) + ',';
    if (detector != nullptr)
      text += '"' + detector->layers[hit.layer].name + "\",";
    char line[200];
    std::snprintf(line, sizeof line, "%.7f,%.7f,%.7f\n", hit.at[0], hit.at[1],
                  hit.at[2]);
    text += line;
  }
  return text;
}

}  // namespace gttf::test
