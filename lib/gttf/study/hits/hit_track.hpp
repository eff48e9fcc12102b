// SPDX-License-Identifier: Apache-2.0
// HitTrackBuilder: converts hits of a file to a track that can be fitted.
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
  /// Momentum for the scattering angles, GeV; 0: momentum of the helix.
  double momentum = 0;
};

/// Processes one track after the other with assign_layers(), order_hits(),
/// follow_track() and make_track(). Reuses its buffers; use one per
/// thread.
class HitTrackBuilder {
 public:
  /// The detector and its geometry must outlive the builder.
  HitTrackBuilder(const Detector& detector, const TrackingGeometry& geometry,
                  const StudyRequest& request, const HitTrackOptions& options);

  /// Orders the hits of a track and, unless it is simple, finds its path and
  /// scattering.
  /// @return the reason why it cannot be fitted, or an empty text
  std::string_view find(std::span<const MeasuredHit> hits);
  /// After find(), sets track(), sources() and surfaces(), and finds what
  /// find() has left out. Returns like find().
  std::string_view make_points(std::span<const MeasuredHit> hits) {
    return make_track(layers_, model_, hits, hits_, made_);
  }

  /// After find(): see MadeTrack::simple.
  bool is_simple() const { return made_.simple; }
  const HitList& hits() const { return hits_; }
  /// Whether the surface scatters without having a hit.
  bool is_missing(std::size_t surface) const {
    return gttf::is_missing(layers_, made_, surface);
  }

  const TrackHits& track() const { return made_.track; }
  /// As in MadeTrack.
  std::span<const int> sources() const { return made_.sources; }
  std::span<const unsigned> surfaces() const { return made_.surfaces; }
  /// Whether all hits have the errors of their layers.
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
