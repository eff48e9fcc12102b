// SPDX-License-Identifier: Apache-2.0
// Measured hits of a track: the layers they belong to, and their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/core/matrix.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/fit/track/hit_path.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// A hit as it was measured.
struct MeasuredHit {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  static constexpr int nearest = -1;

  Vector3 position;                         ///< mm
  std::array<double, 2> sigma{none, none};  ///< of u, v, mm; NaN: the layer's
  int layer = nearest;                      ///< index in Detector::layers
  std::int64_t line = 0;                    ///< in the file it is from
  /// Distinguishes modules of a layer: different modules are crossed one after
  /// the other. 0: unknown, all hits of a crossing belong to one module.
  std::uint64_t module = 0;
};

/// Method of ordering the hits of a track.
enum class HitOrder {
  /// By the distance from the end closer to the vertex; hits with errors too
  /// large for this, by the crossing of the track with their surfaces.
  along_track,
  as_given,
};

/// Properties of the layers used for the hits of all tracks.
struct HitLayers {
  /// Both must outlive this object.
  HitLayers(const Detector& of, const TrackingGeometry& in);

  const Detector& detector;
  const TrackingGeometry& geometry;
  std::vector<TrackHit> hit_of_layer;  ///< except for position and axes
  std::vector<double> log_x_over_x0;   ///< per surface
  /// Maximum distance of a hit from its track along the surface, mm.
  std::vector<double> reach_of_layer;
  std::vector<char> coarse_across;  ///< per layer, see is_coarse_across()
  bool any_coarse_across = false;
  bool coarse = false;  ///< whether some reach other layers

 private:
  void find_coarse_layers();
};

/// The hits of a track as a structure of arrays, for vectorisation: as given,
/// then in order of flight. Reuses its memory.
struct HitList {
  std::vector<unsigned> surface;
  std::vector<double> x, y, z, r;    ///< mm; r: transverse
  std::vector<double> theta0_2;      ///< as TrackHit has it; of make_track()
  std::vector<int> layer;            ///< of the hits as given
  std::vector<std::uint32_t> order;  ///< index of the hit given
  bool layer_errors = true;  ///< whether all have the errors of their layers
  HitOrder rule = HitOrder::along_track;

  /// A helix close to the hits, from the first hit (or the beam spot), and the
  /// arcs from there to the hits.
  HitPath<double> path;
  std::vector<ChordArc<double>> arcs;

  // working memory
  std::vector<double> distance2, from_first, before;
  std::vector<std::pair<double, std::uint32_t>> keys;
  std::vector<std::uint32_t> order_before;
  std::vector<double> reach, nearest_behind;  // of hits in order
  std::vector<std::pair<std::size_t, std::size_t>> doubtful;  // begin, end

  Vector3 position(std::size_t k) const { return {x[k], y[k], z[k]}; }
};

/// Copies hits into arrays; each belongs to the layer it names, or to the
/// nearest measuring layer.
/// @param max_distance  of a hit from the surface of its layer, mm
/// @return  the reason why the track cannot be fitted (`not_finite`,
///          `far_from_surface`, `not_measured_there`), or an empty text
std::string_view assign_layers(const HitLayers& layers,
                               std::span<const MeasuredHit> hits,
                               double max_distance, HitList& h);

/// Puts hits that have layers in order of flight.
/// @param vertex  the end closer to it is the first
void order_hits(const HitLayers& layers, std::span<const MeasuredHit> hits,
                const Vector3& vertex, HitOrder rule, HitList& h);

}  // namespace gttf

namespace gttf::detail {

/// Whether the coordinate is along u (0) or v (1) of its layer.
bool is_along(const Coordinate& c, std::size_t axis);

/// Do errors of the hit change its distance from the first one in the
/// transverse plane, compared with that of other surfaces?
bool is_coarse_across(const HitLayers& layers, const HitList& h, std::size_t k);
bool any_coarse_across(const HitLayers& layers, const HitList& h);

/// The errors of a hit, from its layer or its own.
void set_errors(const HitLayers& layers, const MeasuredHit& hit,
                std::size_t layer, TrackHit& to);

/// Sets HitList::arcs for its path from `first` on.
void follow_arcs(HitList& h, const Vector3& first);

/// z over the arc: coarse hits hardly constrain it, unmeasured coordinates not
/// at all.
/// @param length  between the ends, mm
ArcLine<double> weighted_line(const HitList& h, double length);

/// The arc, in the transverse plane, from `first` along the path to the plane
/// that touches the surface of hit k there; mm.
double arc_to_surface(const HitLayers& layers, const HitList& h,
                      const Vector3& first, std::size_t k);

}  // namespace gttf::detail
