// SPDX-License-Identifier: Apache-2.0
// TracedToySimulator: simulated tracks in any field, with energy loss.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gttf/resolution/toys.hpp"
#include "gttf/trajectory/fly_onto.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// As ToySimulator for any field: from the start through the field to each
/// surface of the list of the reference track, where the particle is measured,
/// turned and slowed.
///
/// Scattering angles are those of the reference track. The energy lost in a
/// layer is the mean for the toy's own momentum plus a normal deviate of the
/// width with which the resolution is computed: a Gaussian, without the tail of
/// the true distribution; a toy whose energy is spent stops. Without straggling
/// the loss is the mean.
class TracedToySimulator {
 public:
  /// @param geometry   must outlive the toys: they are fitted in its field
  /// @param reference  of trace() for `track`; not empty
  /// @param losses     of the crossings, one each; empty: no energy is lost
  TracedToySimulator(const TrackingGeometry& geometry, const Track& track,
                     const TracedTrack& reference,
                     std::span<const HitLoss> losses,
                     const std::optional<BeamSpot>& spot);

  /// A toy with all that is the same for every toy; hand it to simulate().
  ToyTrack prototype() const;

  /// As ToySimulator::simulate(); false also if the toy stops in a layer or
  /// leaves the field map.
  bool simulate(const RandomPlace& place, ToyTrack& toy) const;

 private:
  using State = FlightState<0>;

  struct Step {
    detail::ToyMeasurement measurement;
    FlightGoal goal;
    double theta0 = 0;
    HitLoss loss;
  };

  void add_step(const TrackingGeometry& geometry,
                const TracedCrossing& crossing, const HitLoss& loss);
  bool lose_energy(const Step& step, const double*& normal, State& s) const;
  bool set_truth(const State& start, ToyTrack& toy) const;

  const Field* field_;
  double mass_;
  State start_;
  std::optional<BeamSpot> spot_;
  std::vector<Step> steps_;
  TrackHits hits_;
  Vector5 truth_, truth_at_plane_;  ///< without beam spot
  std::size_t n_normals_ = 0;
};

}  // namespace gttf
