// SPDX-License-Identifier: Apache-2.0
// HitTrackBuilder: hits of a file to a track that can be fitted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/fit/track/find_track.hpp"
#include "gttf/fit/track/hit_path.hpp"
#include "gttf/study/hits/hit_file.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/traced_track.hpp"

namespace gttf {

/// How the hits of a track are put in order.
enum class HitOrder {
  /// By the distance from the end that is nearer to the vertex; hits whose
  /// errors are too large for that, by where the track crosses their surfaces.
  along_track,
  as_given,
};

struct HitTrackOptions {
  HitOrder order = HitOrder::along_track;
  /// Largest distance of a hit from the surface of its layer, mm.
  double max_distance = 10;
  /// Momentum for the scattering angles, GeV; 0: that of the helix.
  double momentum = 0;
};

/// Makes the points of a track: hits with the axes and errors of their layers,
/// and passive layers in between, each with its scattering angle.
///
/// A helix through the first, the middle and the last hit tells where the track
/// crosses the detector, how thick each layer is along it, and its momentum,
/// for which the scattering angles are computed. In fields that are not along
/// z, along the beam, and with energy loss, find_track() takes the place of the
/// helix. Surfaces that were crossed without a hit count as passive. Keeps its
/// memory: one for each thread. Hits are kept as one array for each number,
/// which vector instructions like.
class HitTrackBuilder {
 public:
  /// The detector, its geometry and the request must outlive the builder.
  HitTrackBuilder(const Detector& detector, const TrackingGeometry& geometry,
                  const StudyRequest& request, const HitTrackOptions& options);

  /// Puts the hits of a track in order, and unless it is simple finds its path
  /// and how much it scatters.
  /// @return  why it cannot be fitted, or an empty text
  std::string_view find(std::span<const FileHit> hits);
  /// Sets track(), sources() and surfaces() behind find(), and finds what that
  /// has left out. Returns as find().
  std::string_view make_points(std::span<const FileHit> hits);

  /// After find(): is it a helix whose hits have the errors of their layers?
  /// From simple_hits() gttf::find_scattering() may then find the rest.
  bool is_simple() const { return simple_; }

  /// Hits in order of flight, one array for each number.
  struct SimpleHits {
    std::vector<unsigned> surface;
    std::vector<double> x, y, z;   ///< mm
    std::vector<double> theta0_2;  ///< as TrackHit has it; after make_points()
  };
  const SimpleHits& simple_hits() const { return hits_; }
  /// Does the surface scatter without having a hit?
  bool is_missing(std::size_t surface) const;

  const TrackHits& track() const { return track_; }

  /// What the points of the track are: an index of the hits given, or -1 for
  /// passive layers and -2 for the beam spot.
  static constexpr int passive = -1, beam_spot = -2;
  std::span<const int> sources() const { return sources_; }

  /// The surface of each point of a track without TrackHits::flight that is not
  /// the beam spot.
  std::span<const unsigned> surfaces() const { return surfaces_; }
  /// Have all hits the errors of their layers?
  bool has_layer_errors() const { return layer_errors_; }

  /// The layer of each of the hits given.
  std::span<const int> layers() const { return layers_; }

 private:
  bool take_hits(std::span<const FileHit> hits);
  bool find_layers(std::span<const FileHit> hits);
  bool have_coordinates(std::span<const FileHit> hits) const;
  void find_coarse_layers();
  bool is_coarse_across(std::size_t k) const;
  bool any_coarse_across() const;
  std::size_t farthest_from(std::size_t hit);
  void sort_hits(std::span<const FileHit> hits);
  void sort_by_distance();
  void take_order_of_keys();
  void find_reach(std::span<const FileHit> hits);
  bool find_doubtful();
  bool sort_by_crossing();
  bool find_rough_path(double length);
  ArcLine<double> weighted_line(double length) const;
  double arc_to_surface(const Vector3& first, std::size_t k) const;
  double distance_to_surface(const Vector3& first, const Vector3& step,
                             std::size_t k) const;
  std::optional<double> step_to_surface(const Vector3& from,
                                        const Vector3& step,
                                        std::size_t k) const;
  void mark_layers();
  bool is_helix(std::span<const FileHit> hits) const;
  std::string_view follow();
  bool find_path();
  template <bool small>
  bool follow_arcs(const Vector3& first);
  void follow_arcs(const Vector3& first);
  void follow_turns(const Vector3& first);
  void follow_path();
  bool any_missing() const;
  void cross_detector(double kappa);
  void set_errors(const FileHit& hit, std::size_t layer, TrackHit& h) const;
  void add_hit(const FileHit& hit, int index);
  void find_scattering();
  void add_passive(const TrackCrossing<double>& crossing);
  Vector3 position(std::size_t k) const {
    return {hits_.x[k], hits_.y[k], hits_.z[k]};
  }

  // in any field, or with energy loss
  std::string_view build_traced(std::span<const FileHit> hits);
  Track start_of(const FoundTrack& found) const;
  void trace_detector(const FoundTrack& found);
  void add_traced(const TracedCrossing& crossing);
  void set_material(const TracedCrossing& crossing, TrackHit& hit) const;

  const Detector& detector_;
  const TrackingGeometry& geometry_;
  const StudyRequest& request_;
  HitTrackOptions options_;
  Vector3 vertex_;

  TrackHits track_;
  std::vector<int> sources_, layers_;
  std::vector<unsigned> surfaces_;
  bool layer_errors_ = true, simple_ = false;
  SimpleHits hits_;        // as given, then in order of flight
  std::vector<double> r_;  // of the same, transverse, mm
  std::vector<std::uint32_t> order_;
  std::vector<double> distance2_, from_first_;
  std::vector<std::pair<double, std::uint32_t>> keys_;
  std::vector<std::uint32_t> order_before_;
  std::vector<double> before_;
  std::vector<double> reach_of_layer_;  // how far a hit is from its track, mm
  std::vector<char> coarse_across_;     // do layers, see is_coarse_across()
  bool any_coarse_across_ = false;
  bool coarse_ = false;                         // some reach other layers
  std::vector<double> reach_, nearest_behind_;  // of hits in order
  std::vector<std::pair<std::size_t, std::size_t>> doubtful_;  // begin, end
  std::vector<int> marked_;    // the layers for which these hold
  std::vector<char> has_hit_;  // per surface
  bool any_missing_ = false;
  std::vector<TrackHit> hit_of_layer_;  // but for place and axes
  std::vector<double> log_x_over_x0_;   // per surface
  HitPath<double> path_;  // from the first hit (or the beam spot) on
  std::vector<ChordArc<double>> arcs_;  // from there to the hits in order
  double offset_ = 0;  // arc from the perigee to the first point, mm
  ScatterStrength<double> strength_;
  Crossings<double> crossings_;  // without a hit
  TracedTrack traced_;
  double momentum_shift_ = 0;  ///< of the weights, from that of the path
};

}  // namespace gttf
