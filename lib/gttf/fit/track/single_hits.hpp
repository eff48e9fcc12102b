// SPDX-License-Identifier: Apache-2.0
// SingleHits: the hits of one track as the steps of the streaming fit want
// them.
#pragma once

#include <span>

#include "gttf/fit/track/hit_surface.hpp"

namespace gttf::detail {

struct SingleHits {
  const TrackHits& track;
  std::span<const std::size_t> measured;
  bool field = true;
  std::span<const std::size_t> points = {};

  HitSurface<double> surface(std::size_t i) const {
    return surface_of(track.points[i]);
  }
  std::span<const CoordinateAxis> axes(std::size_t i) const {
    return track.points[i].axes();
  }
  double theta0_2(std::size_t i) const { return track.points[i].theta0_2; }
};

}  // namespace gttf::detail
