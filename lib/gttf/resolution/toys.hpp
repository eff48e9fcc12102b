// SPDX-License-Identifier: Apache-2.0
// Toys: simulated tracks, to be fitted and compared with the resolution.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gttf/core/random.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/resolution/toy_measurement.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf {

/// One simulated track. Made by ToySimulator::prototype() and used again and
/// again: no allocation per toy.
struct ToyTrack {
  TrackHits hits;               ///< what a fit may know
  Vector5 truth;                ///< true perigee parameters, with kappa
  Vector5 truth_at_plane;       ///< as GlobalFit::start_plane; any field only
  std::vector<double> normals;  ///< the random numbers of this toy
};

/// Simulates a track many times: from its start along an exact helix to each
/// surface of the list of the reference track, where it is measured and then
/// scattered, and on along a new helix.
///
/// Scattering turns the direction t by theta0 (g1 e_theta + g2 e_phi), g
/// standard normal: var(theta) = theta0^2, var(phi) = theta0^2/sin^2(theta).
/// theta0 is that of the reference track, the one the resolution is computed
/// with. Measured coordinates get normal errors along their own axes; along a
/// direction that is not measured the hit is put where the reference track
/// crosses. A beam spot displaces the start.
class ToySimulator {
 public:
  /// @param reference  of find_crossings() for `track`; not empty
  ToySimulator(const TrackingGeometry& geometry, const Track& track,
               const Crossings<double>& reference,
               const std::optional<BeamSpot>& spot);

  /// A toy with all that is the same for every toy; hand it to simulate().
  ToyTrack prototype() const;

  /// Makes the toy of `place` out of a prototype or an earlier toy: the same
  /// one whatever was made before. False if it leaves the list of surfaces: it
  /// misses one of them, or meets them in another order.
  bool simulate(const RandomPlace& place, ToyTrack& toy) const;

  /// What happens at one surface.
  struct Step {
    detail::ToyMeasurement measurement;
    double theta0 = 0;
  };
  std::span<const Step> steps() const { return steps_; }
  const Line<double>& start() const { return start_; }
  const std::optional<BeamSpot>& spot() const { return spot_; }
  /// ToyTrack::truth of all toys, if there is no beam spot.
  Vector5 truth() const;

 private:
  void add_step(const TrackingGeometry& geometry, const Line<double>& line,
                const TrackCrossing<double>& crossing);

  Line<double> start_;
  Vector3 vertex_;
  double theta_ = 0, phi_ = 0;
  std::optional<BeamSpot> spot_;
  std::vector<Step> steps_;
  TrackHits hits_;
  std::size_t n_normals_ = 0;
};

}  // namespace gttf
