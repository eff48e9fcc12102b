// SPDX-License-Identifier: Apache-2.0
// make_track: converts measured hits to a track that can be fitted.
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

/// Properties of a track besides its hits.
struct TrackModel {
  Vector3 vertex;  ///< reference point of the parameters; mm
  std::optional<BeamSpot> beam_spot = {};  ///< constrains the start
  Scattering scattering = Scattering::highland;
  EnergyLoss energy_loss = EnergyLoss::off;
  double mass = 0, charge = 1;  ///< GeV, e
  /// Momentum for the scattering angles, GeV; 0: momentum of the path.
  double momentum = 0;
  /// Tracks may cross layers again within so many turns; their hits are in
  /// order of flight. 0: once each, within half a turn.
  double turns = 0;
};

/// A track and the meaning of its points. Reuses its memory.
struct MadeTrack {
  MadeTrack(const HitLayers& layers, const TrackModel& model);
  /// For another track of the same model.
  void clear();

  TrackHits track;
  /// For each point of the track, the index in the given hits, or -1 for a
  /// passive layer and -2 for the beam spot.
  static constexpr int passive = -1, beam_spot = -2;
  std::vector<int> sources;
  /// The surface of each point of a track without TrackHits::flight that is not
  /// the beam spot.
  std::vector<unsigned> surfaces;
  /// Whether it is a helix with at most one hit per layer, with the errors of
  /// the layer. gttf::find_scattering() can then find the rest.
  bool simple = false;

  // intermediate results
  std::vector<int> marked;    ///< the layers they are valid for
  std::vector<char> has_hit;  ///< per surface
  bool any_missing = false;   ///< see is_missing()
  bool any_repeated = false;  ///< whether a layer has several hits
  double offset = 0;          ///< arc from the perigee to the first point, mm
  ScatterStrength<double> strength;
  Crossings<double> crossings;  ///< without a hit
  TracedTrack traced;
  double charge = 1;          ///< e, with the measured sign
  double momentum_shift = 0;  ///< of the weights, from the momentum of the path
};

/// Finds the path of ordered hits and, unless the track is simple, its
/// scattering.
///
/// A helix through the first, the middle and the last hit gives the
/// crossings with the detector, the thickness of each layer along it, and
/// the momentum, for which the scattering angles are computed. In fields
/// that are not along z, along the beam, and with energy loss, find_track()
/// replaces the helix.
/// @param made cleared
/// @return the reason why it cannot be fitted, or an empty text
std::string_view follow_track(const HitLayers& layers, const TrackModel& model,
                              std::span<const MeasuredHit> hits, HitList& h,
                              MadeTrack& made);

/// After follow_track(): the points of the track, hits with the axes
/// and errors of their layers, and in between the surfaces crossed
/// without a hit, each with its scattering angle. Hits measured in one
/// crossing of a module share its material, which is assigned to the
/// last of them.
/// @return as follow_track()
std::string_view make_track(const HitLayers& layers, const TrackModel& model,
                            std::span<const MeasuredHit> hits, HitList& h,
                            MadeTrack& made);

/// Whether the surface scatters without having a hit.
bool is_missing(const HitLayers& layers, const MadeTrack& made,
                std::size_t surface);

}  // namespace gttf
