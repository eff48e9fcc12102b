// SPDX-License-Identifier: Apache-2.0
// What the simulation for one instruction set takes and gives: toys of one
// point, one per lane.
#pragma once

#include "gttf/core/lane_values.hpp"
#include "gttf/core/random.hpp"
#include "gttf/trajectory/line.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf::detail {

/// What happens at one surface, see ToySimulator.
struct ToyLaneStep {
  SurfaceRecord surface;
  bool measures = false;
  double error[2][2]{};  ///< of each random number, along u' and v'
  /// One coordinate, one random number; along the other direction, given in u'
  /// and v', hits are put where `nominal` is.
  bool free = false;
  double free_direction[2]{}, nominal[3]{};
  double theta0 = 0;
};

struct ToyLanes {
  const ToyLaneStep* steps = nullptr;
  std::size_t n_steps = 0;
  const Line<double>* start = nullptr;
  /// At the first surface, which all toys meet in the same place.
  double first_position[3]{}, first_direction[3]{};
  RandomPlace first_place;         ///< of the toy of the first lane
  std::size_t n_blocks = 0;        ///< of random bits per toy
  std::uint64_t* words = nullptr;  ///< room for these, of all lanes
  // results
  LaneValues* hits = nullptr;  ///< x, y, z of every hit
  LaneBits crossed = 0;        ///< lanes that meet all surfaces
};

/// The code for one instruction set.
struct ToyKernel {
  std::size_t width;
  void (*simulate)(ToyLanes&);
};

}  // namespace gttf::detail
