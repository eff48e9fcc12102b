// SPDX-License-Identifier: Apache-2.0
// ToyPlan: the data shared by all toys of one point.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gttf/fit/track/batch_flight.hpp"
#include "gttf/resolution/toy_task.hpp"
#include "gttf/resolution/toys.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/flight.hpp"

namespace gttf::detail {

/// Traced toys in regions of uniform fields, as kernels take them.
struct RegionToys {
  explicit RegionToys(const Field& field) : regions(field) {}

  FieldRegionTable regions;
  std::vector<std::size_t> region;  ///< of the surface of each step
  std::vector<SlowingDown> loss;    ///< after each step
  std::vector<double> lengths;      ///< of the reference track, to each step
  // if losses fluctuate
  EnergyLoss model = EnergyLoss::mean;
  std::vector<LossSpread> spread;
  std::vector<std::span<const LossSlab>> slabs;
  std::vector<double> paths;  ///< of the reference track in these
  BatchFlight flight;         ///< refers to these
};

/// For toys that are traced through a field.
struct TracedToys {
  struct Leg {
    FlightGoal goal;
    HitLoss loss = {};  ///< after it
    /// The material, if losses fluctuate, and the path of the reference track
    /// in it.
    std::span<const LossSlab> slabs = {};
    std::shared_ptr<const std::vector<LossSlab>> own_slabs = {};
    double paths = 1;
    /// Path of the reference track from the step before, mm; NaN: to the first
    /// crossing within half a turn.
    double length = std::numeric_limits<double>::quiet_NaN();
  };
  /// Owner of the objects used by the steps; null: the geometry of all tracks.
  std::shared_ptr<const TrackingGeometry> own_geometry;
  const Field* field = nullptr;
  Projectile particle;
  FlightState<0> start;
  std::vector<Leg> legs;  ///< to each step
  /// Null if kernels do not support them.
  std::shared_ptr<const RegionToys> in_regions;
};

struct ToyPlan {
  ToyTrack prototype;
  std::vector<ToyStep> steps;
  std::vector<std::size_t> layers;  ///< of each step
  std::optional<BeamSpot> spot;
  std::size_t n_blocks = 0;  ///< of random bits per toy
  std::optional<TracedToys> traced;
  // else helices
  Line<double> start;
  double theta = 0, phi = 0;  ///< of the start
  /// At the first surface; with a beam spot, at its centre.
  PathPoint<double> begin;

  /// Whether kernels support such toys: along helices, or through regions of
  /// uniform fields from an exact start.
  bool is_vectorised() const {
    return !traced || traced->in_regions != nullptr;
  }
};

}  // namespace gttf::detail
