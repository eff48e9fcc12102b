// SPDX-License-Identifier: Apache-2.0
// Input and output of the simulation of toys of one point, for any scalar.
#pragma once

#include <span>
#include <vector>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/kernels.hpp"
#include "gttf/core/random.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/line.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf::detail {

/// Position, mm, and unit vector of the direction.
template <class S>
struct PathPoint {
  Cartesian<S> position, direction;
};

/// One surface of the simulation.
struct ToyStep {
  SurfaceRecord surface;
  bool measures = false;
  double error[2][2]{};  ///< of each random number, along u' and v'
  /// One coordinate, one random number; along the other direction, given in u'
  /// and v', hits are placed at `nominal`.
  bool free = false;
  double free_direction[2]{}, nominal[3]{};
  double theta0 = 0;

  /// Number of random numbers of a measurement: one per coordinate.
  int n_normals() const { return measures ? (free ? 1 : 2) : 0; }
};

/// Measured coordinates get Gaussian errors along their own axes; along an
/// unmeasured direction the hit is placed at the crossing of the reference
/// track.
/// @param nominal crossing of the reference track with the surface
/// @param hit its position, axes and coordinates are set
ToyStep make_toy_step(const TrackingGeometry& geometry,
                      const SurfaceRecord& surface, const Vector3& nominal,
                      double theta0, TrackHit& hit);

struct BatchFlight;
struct BatchLoss;

/// Losses that fluctuate, of the layers of toys.
struct ToyLoss {
  const BatchLoss* layers = nullptr;  ///< null: toys lose the mean energy
  std::span<const double> paths;      ///< in each, as for energy_loss()
  std::byte* media = nullptr;  ///< buffer: ElementPower of each, at first zero
};

/// A start that is displaced by a beam spot: standard deviations, mm, and the
/// parameters of toys with respect to its centre.
struct ToySpot {
  double sigma[3]{};
  double theta = 0, phi = 0;    ///< at the start
  PackValues* truth = nullptr;  ///< result: five parameters
};

/// Toys, one per vector element: helices, or through regions of uniform fields
/// from an exact start.
struct ToyTask {
  std::span<const ToyStep> steps;
  const Line<double>* start = nullptr;
  /// At the first surface, which all toys cross at the same point; with a beam
  /// spot at its centre.
  PathPoint<double> first;
  const ToySpot* spot = nullptr;  ///< of helices
  /// Through regions; `first` is the start then.
  const BatchFlight* flight = nullptr;
  double qop = 0;                   ///< e/GeV, at the start
  std::span<const double> lengths;  ///< of the reference track, to each step
  ToyLoss loss;                     ///< after each step
  RandomPlace first_place;          ///< of the toy of the first element
  std::size_t n_blocks = 0;         ///< of random bits per toy
  std::uint64_t* words = nullptr;   ///< buffer for these, for all toys
  // results
  PackValues* hits = nullptr;  ///< x, y, z of every hit
  TrackBits crossed = 0;       ///< toys that cross all surfaces
  TrackBits doubtful = 0;      ///< toys that could not be followed
};

/// The code for one instruction set.
struct ToyKernel {
  std::size_t width;
  void (*simulate)(ToyTask&);
};

}  // namespace gttf::detail
