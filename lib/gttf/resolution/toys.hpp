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

/// One simulated track. Made by ToySimulator::prototype() and used again and
/// again: no allocation per toy.
struct ToyTrack {
  TrackHits hits;                   ///< what a fit may know
  Vector5 truth;                    ///< true perigee parameters, with kappa
  Vector5 truth_at_plane;           ///< as GlobalFit::start_plane; traced only
  std::vector<std::uint64_t> bits;  ///< the random bits of this toy
};

/// Simulates a track many times: from its start to each surface of the list of
/// the reference track, where it is measured, then scattered and slowed.
///
/// Between surfaces it follows an exact helix where resolve() takes the track
/// as one, else it is traced through the field. Scattering turns the direction
/// by normal angles of standard deviation theta0 along two directions across
/// it, along e_theta and e_phi on a helix: var(theta) = theta0^2, var(phi) =
/// theta0^2/sin^2(theta). theta0 is that of the reference track, the one the
/// resolution is computed with. Measured coordinates get normal errors along
/// their own axes; along a direction that is not measured the hit is put where
/// the reference track crosses. A beam spot displaces the start.
///
/// The energy lost in a layer is the mean for the toy's own momentum and the
/// path of the reference track; if the model straggles(), it is simulated
/// collision by collision, whatever width the model assumes:
/// simulate_loss(). A toy whose energy is spent stops.
class ToySimulator {
 public:
  /// @param geometry  must outlive the toys
  ToySimulator(const TrackingGeometry& geometry, const Track& track,
               const Model& model);
  /// Of a track that was traced already.
  ToySimulator(const TrackingGeometry& geometry, const Track& track,
               const TracedTrack& reference, EnergyLoss loss,
               const std::optional<BeamSpot>& spot);

  /// A toy with all that is the same for every toy; hand a copy to simulate().
  const ToyTrack& prototype() const;

  /// Makes the toy of `place` out of a prototype or an earlier toy: the same
  /// one whatever was made before. False if it leaves the list of surfaces: it
  /// misses one of them, or meets them in another order, stops in a layer or
  /// leaves the field map.
  bool simulate(const RandomPlace& place, ToyTrack& toy) const;

  /// The same for a toy with the hits that it has: each is lost with the
  /// inefficiency of its layer, and a surface that the toy misses is passed
  /// without hit and material. False if the toy stops or leaves the field map.
  /// @param efficiencies  of every layer
  /// @param undisturbed   if not null, set to the hits that the toy would have
  ///                      without errors and scattering
  bool simulate(const RandomPlace& place, std::span<const double> efficiencies,
                ToyTrack& toy, TrackHits* undisturbed = nullptr) const;

  /// All that toys share.
  const detail::ToyPlan& plan() const { return *plan_; }

 private:
  std::shared_ptr<const detail::ToyPlan> plan_;
};

}  // namespace gttf
