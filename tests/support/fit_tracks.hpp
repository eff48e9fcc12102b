// SPDX-License-Identifier: Apache-2.0
// Measured tracks for tests of the fits of data.
#pragma once

#include <random>

#include "gttf/fit/hits.hpp"
#include "support/reference.hpp"

namespace gttf::test {

/// The track with hits, errors and scattering of the golden file.
inline TrackHits golden_track(const nlohmann::json& reference) {
  TrackHits track;
  const double su = reference.at("sigma_u"), sv = reference.at("sigma_v");
  const double scattering = reference.at("sigma_MS");
  for (const auto& x : reference.at("hits")) {
    TrackHit h;
    for (int i = 0; i < 3; ++i)
      h.position[i] = x.at(static_cast<std::size_t>(i));
    const double a = std::atan2(h.position[1], h.position[0]);
    h.u = {-std::sin(a), std::cos(a), 0};
    const CoordinateAxis axes[] = {{1, 0, su * su}, {0, 1, sv * sv}};
    set_coordinates(h, axes);
    h.theta0_2 = scattering * scattering;
    track.points.push_back(h);
  }
  return track;
}

}  // namespace gttf::test
