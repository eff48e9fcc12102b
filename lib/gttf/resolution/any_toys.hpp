// SPDX-License-Identifier: Apache-2.0
// AnyToySimulator: the simulator that suits a track, its field and model.
#pragma once

#include <variant>
#include <vector>

#include "gttf/resolution/resolution.hpp"
#include "gttf/resolution/traced_toys.hpp"

namespace gttf {

/// Mean and width of the loss at each crossing of a traced track. Empty if no
/// energy is lost.
std::vector<HitLoss> hit_losses(const TrackingGeometry& geometry,
                                const Track& track, const TracedTrack& traced,
                                EnergyLoss model);

/// The same of one layer.
/// @param p      momentum before the layer, GeV
/// @param paths  path in the layer in units of its thickness
HitLoss hit_loss(std::span<const LossSlab> slabs, const Projectile& particle,
                 double p, double paths, EnergyLoss model);

/// A ToySimulator where the track is a helix that loses no energy, else a
/// TracedToySimulator: the choice that resolve() makes, too.
class AnyToySimulator {
 public:
  /// @param geometry  must outlive the toys
  AnyToySimulator(const TrackingGeometry& geometry, const Track& track,
                  const Model& model);

  ToyTrack prototype() const {
    return std::visit([](const auto& s) { return s.prototype(); }, simulator_);
  }
  bool simulate(const RandomPlace& place, ToyTrack& toy) const {
    return std::visit([&](const auto& s) { return s.simulate(place, toy); },
                      simulator_);
  }
  /// That of helices, or nullptr.
  const ToySimulator* helix() const {
    return std::get_if<ToySimulator>(&simulator_);
  }

 private:
  std::variant<ToySimulator, TracedToySimulator> simulator_;
};

}  // namespace gttf
