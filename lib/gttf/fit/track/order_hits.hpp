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
  /// Tells modules of a layer apart: two that differ are crossed one after the
  /// other. 0: not known, all hits of a crossing are of one.
  std::uint64_t module = 0;
};

/// How the hits of a track are put in order.
enum class HitOrder {
  /// By the distance from the end that is nearer to the vertex; hits whose
  /// errors are too large for that, by where the track crosses their surfaces.
  along_track,
  as_given,
};

/// What is needed of the layers for the hits of any track.
struct HitLayers {
  /// Both must outlive it.
  HitLayers(const Detector& of, const TrackingGeometry& in);

  const Detector& detector;
  const TrackingGeometry& geometry;
  std::vector<TrackHit> hit_of_layer;  ///< but for place and axes
  std::vector<double> log_x_over_x0;   ///< per surface
  /// How far a hit may be from its track along the surface, mm.
  std::vector<double> reach_of_layer;
  std::vector<char> coarse_across;  ///< per layer, see is_coarse_across()
  bool any_coarse_across = false;
  bool coarse = false;  ///< some reach other layers

 private:
  void find_coarse_layers();
};

/// The hits of a track as one array for each number, which vector instructions
/// like: as given, then in order of flight. Keeps its memory.
struct HitList {
  std::vector<unsigned> surface;
  std::vector<double> x, y, z, r;    ///< mm; r: transverse
  std::vector<double> theta0_2;      ///< as TrackHit has it; of make_track()
  std::vector<int> layer;            ///< of the hits as given
  std::vector<std::uint32_t> order;  ///< index of the hit given
  bool layer_errors = true;          ///< have all the errors of their layers?
  HitOrder rule = HitOrder::along_track;

  /// A helix near them, from the first one (or the beam spot) on, and the arcs
  /// from there to the hits.
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

/// Copies hits into arrays; each belongs to the layer that it names, or to the
/// nearest one that measures.
/// @param max_distance  of a hit from the surface of its layer, mm
/// @return  why the track cannot be fitted (`not_finite`, `far_from_surface`,
///          `not_measured_there`), or an empty text
std::string_view assign_layers(const HitLayers& layers,
                               std::span<const MeasuredHit> hits,
                               double max_distance, HitList& h);

/// Puts hits that have layers in order of flight.
/// @param vertex  the end that is nearer to it is the first
void order_hits(const HitLayers& layers, std::span<const MeasuredHit> hits,
                const Vector3& vertex, HitOrder rule, HitList& h);

}  // namespace gttf

namespace gttf::detail {

/// Does the coordinate lie along u (0) or v (1) of its layer?
bool is_along(const Coordinate& c, std::size_t axis);

/// Do errors of the hit change its distance from the first one in the
/// transverse plane, compared with that of other surfaces?
bool is_coarse_across(const HitLayers& layers, const HitList& h, std::size_t k);
bool any_coarse_across(const HitLayers& layers, const HitList& h);

/// The errors of a hit: those of its layer, or its own.
void set_errors(const HitLayers& layers, const MeasuredHit& hit,
                std::size_t layer, TrackHit& to);

/// Sets HitList::arcs for its path from `first` on.
void follow_arcs(HitList& h, const Vector3& first);

/// z over the arc: coarse hits tell little about it, unmeasured coordinates
/// nothing.
/// @param length  between the ends, mm
ArcLine<double> weighted_line(const HitList& h, double length);

/// The arc, in the transverse plane, from `first` along the path to the plane
/// that touches the surface of hit k there; mm.
double arc_to_surface(const HitLayers& layers, const HitList& h,
                      const Vector3& first, std::size_t k);

}  // namespace gttf::detail
