// SPDX-License-Identifier: Apache-2.0
// Toys: simulated tracks, to be fitted and compared with the resolution.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gttf/core/random.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf {

struct TracedTrack;
namespace detail {
struct ToyPlan;
}

/// One simulated track. Created by ToySimulator::prototype() and reused: no
/// allocation per toy.
struct ToyTrack {
  TrackHits hits;                   ///< the input of the fits
  Vector5 truth;                    ///< true perigee parameters, with kappa
  Vector5 truth_at_plane;           ///< as GlobalFit::start_plane; traced only
  std::vector<std::uint64_t> bits;  ///< the random bits of this toy
};

/// Simulates a track many times: from its start to each surface in the list of
/// the reference track, where it is measured, then scatters and loses energy.
///
/// Between surfaces it follows an exact helix where resolve() uses a helix, and
/// is otherwise traced through the field. Scattering rotates the direction by
/// Gaussian angles of standard deviation theta0 along two orthogonal
/// directions, along e_theta and e_phi on a helix: var(theta) = theta0^2,
/// var(phi) = theta0^2/sin^2(theta). theta0 is taken from the reference track,
/// as in the resolution. Measured coordinates get Gaussian errors along their
/// own axes; along an unmeasured direction the hit is placed at the crossing of
/// the reference track. A beam spot displaces the start.
///
/// The energy lost in a layer is the mean for the momentum of the toy and the
/// path of the reference track; if the model straggles(), it is simulated
/// collision by collision, independently of the width assumed by the model:
/// simulate_loss(). A toy that has lost its energy stops.
class ToySimulator {
 public:
  /// @param geometry  must outlive the toys
  ToySimulator(const TrackingGeometry& geometry, const Track& track,
               const Model& model);
  /// For a track that is already traced.
  ToySimulator(const TrackingGeometry& geometry, const Track& track,
               const TracedTrack& reference, EnergyLoss loss,
               const std::optional<BeamSpot>& spot);

  /// A toy with the data common to all toys; pass a copy to simulate().
  const ToyTrack& prototype() const;

  /// Simulates the toy at `place`, reusing a prototype or an earlier toy; the
  /// result does not depend on earlier toys. Returns false if the toy leaves
  /// the list of surfaces: it misses a surface, crosses them in another order,
  /// stops in a layer or leaves the field map.
  bool simulate(const RandomPlace& place, ToyTrack& toy) const;

  /// The same for a toy with the hits that it has: each is lost with the
  /// inefficiency of its layer, and a surface that the toy misses is passed
  /// without hit and material. False if the toy stops or leaves the field map.
  /// @param efficiencies  of every layer
  /// @param undisturbed   if not null, set to the hits that the toy would have
  ///                      without errors and scattering
  bool simulate(const RandomPlace& place, std::span<const double> efficiencies,
                ToyTrack& toy, TrackHits* undisturbed = nullptr) const;

  /// The data shared by all toys.
  const detail::ToyPlan& plan() const { return *plan_; }

 private:
  std::shared_ptr<const detail::ToyPlan> plan_;
};

}  // namespace gttf
