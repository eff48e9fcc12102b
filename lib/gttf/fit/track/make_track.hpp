// SPDX-License-Identifier: Apache-2.0
// make_track: measured hits to a track that can be fitted.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gttf/fit/track/beam_spot.hpp"
#include "gttf/fit/track/order_hits.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/scattering.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// What is known of a track besides its hits.
struct TrackModel {
  Vector3 vertex;                          ///< parameters are given there; mm
  std::optional<BeamSpot> beam_spot = {};  ///< constrains the start
  Scattering scattering = Scattering::highland;
  EnergyLoss energy_loss = EnergyLoss::off;
  double mass = 0, charge = 1;  ///< GeV, e
  /// Momentum for the scattering angles, GeV; 0: that of the path.
  double momentum = 0;
  /// Tracks may cross layers again within so many turns; their hits are in
  /// order of flight. 0: once each, within half a turn.
  double turns = 0;
};

/// A track and what its points are. Keeps its memory.
struct MadeTrack {
  MadeTrack(const HitLayers& layers, const TrackModel& model);
  /// For another track of the same model.
  void clear();

  TrackHits track;
  /// What the points of the track are: an index of the hits given, or -1 for
  /// passive layers and -2 for the beam spot.
  static constexpr int passive = -1, beam_spot = -2;
  std::vector<int> sources;
  /// The surface of each point of a track without TrackHits::flight that is not
  /// the beam spot.
  std::vector<unsigned> surfaces;
  /// Is it a helix with a hit in a layer at most, which has the errors of the
  /// layer? From the hits gttf::find_scattering() may then find the rest.
  bool simple = false;

  // found on the way
  std::vector<int> marked;    ///< the layers for which these hold
  std::vector<char> has_hit;  ///< per surface
  bool any_missing = false;   ///< see is_missing()
  bool any_repeated = false;  ///< a layer has several hits
  double offset = 0;          ///< arc from the perigee to the first point, mm
  ScatterStrength<double> strength;
  Crossings<double> crossings;  ///< without a hit
  TracedTrack traced;
  double momentum_shift = 0;  ///< of the weights, from that of the path
};

/// Finds the path of ordered hits, and unless the track is simple how much it
/// scatters.
///
/// A helix through the first, the middle and the last hit tells where the track
/// crosses the detector, how thick each layer is along it, and its momentum,
/// for which the scattering angles are computed. In fields that are not along
/// z, along the beam, and with energy loss, find_track() takes the place of the
/// helix.
/// @param made  cleared
/// @return  why it cannot be fitted, or an empty text
std::string_view follow_track(const HitLayers& layers, const TrackModel& model,
                              std::span<const MeasuredHit> hits, HitList& h,
                              MadeTrack& made);

/// Behind follow_track(): the points of the track, hits with the axes and
/// errors of their layers, and in between the surfaces that were crossed
/// without one, each with its scattering angle. Hits of one module that are
/// measured in one crossing of their layer share its material, which stands at
/// the last of them.
/// @return  as follow_track()
std::string_view make_track(const HitLayers& layers, const TrackModel& model,
                            std::span<const MeasuredHit> hits, HitList& h,
                            MadeTrack& made);

/// Does the surface scatter without having a hit?
bool is_missing(const HitLayers& layers, const MadeTrack& made,
                std::size_t surface);

}  // namespace gttf
