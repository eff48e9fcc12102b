// SPDX-License-Identifier: Apache-2.0
// HitTrackBuilder: hits of a file to a track that can be fitted.
#pragma once

#include <span>
#include <string_view>

#include "gttf/fit/track/make_track.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

struct HitTrackOptions {
  HitOrder order = HitOrder::along_track;
  /// Largest distance of a hit from the surface of its layer, mm.
  double max_distance = 10;
  /// Momentum for the scattering angles, GeV; 0: that of the helix.
  double momentum = 0;
};

/// Takes the hits of one track after the other through assign_layers(),
/// order_hits(), follow_track() and make_track(). Keeps its memory: one for
/// each thread.
class HitTrackBuilder {
 public:
  /// The detector and its geometry must outlive the builder.
  HitTrackBuilder(const Detector& detector, const TrackingGeometry& geometry,
                  const StudyRequest& request, const HitTrackOptions& options);

  /// Puts the hits of a track in order, and unless it is simple finds its path
  /// and how much it scatters.
  /// @return  why it cannot be fitted, or an empty text
  std::string_view find(std::span<const MeasuredHit> hits);
  /// Sets track(), sources() and surfaces() behind find(), and finds what that
  /// has left out. Returns as find().
  std::string_view make_points(std::span<const MeasuredHit> hits) {
    return make_track(layers_, model_, hits, hits_, made_);
  }

  /// After find(): see MadeTrack::simple.
  bool is_simple() const { return made_.simple; }
  const HitList& hits() const { return hits_; }
  /// Does the surface scatter without having a hit?
  bool is_missing(std::size_t surface) const {
    return gttf::is_missing(layers_, made_, surface);
  }

  const TrackHits& track() const { return made_.track; }
  /// As in MadeTrack.
  std::span<const int> sources() const { return made_.sources; }
  std::span<const unsigned> surfaces() const { return made_.surfaces; }
  /// Have all hits the errors of their layers?
  bool has_layer_errors() const { return hits_.layer_errors; }
  /// The layer of each of the hits given.
  std::span<const int> layers() const { return hits_.layer; }

 private:
  HitTrackOptions options_;
  HitLayers layers_;
  TrackModel model_;
  HitList hits_;
  MadeTrack made_;
};

}  // namespace gttf
