// SPDX-License-Identifier: Apache-2.0
// Input and output of the code for one instruction set: plain numbers of a
// group of tracks, one per vector element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gttf/core/kernels.hpp"
#include "gttf/core/track_dim.hpp"
#include "gttf/fit/streaming/undoubted_variances.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {
enum class Scattering;
struct BeamSpot;
}  // namespace gttf

namespace gttf::detail {

/// A surface and the location of its coordinates. Of modules, of which every
/// track may cross another, there is one for each kind: it has only the kind
/// of the surface, the number of coordinates, and whether there is material;
/// where energy is lost, modules of a kind also have the same slabs.
struct BatchSurface {
  SurfaceRecord record;
  double log_x_over_x0 = 0;  ///< at normal incidence; -infinity without any
  const CoordinateAxis* axes = nullptr;  ///< in_order()
  const double* weights = nullptr;       ///< 1/variance of each
  /// Index of the coordinate in axes[1], if the two determine a point; else 0.
  std::size_t independent = 0;

  bool is_point() const { return independent > 0; }
};

struct BatchTracks {
  PackValues p, theta, phi, mass, charge, x, y, z;
  /// Up to the last hit; for Scattering::highland_total.
  PackValues x_over_x0;
  bool on_axis = false;  ///< the start points of all tracks
  bool onwards = true;   ///< all fly along the normal of BatchRegions
};

struct BatchRegions;  // batch_regions.hpp
struct BatchLoss;     // batch_loss.hpp

/// Search for the surfaces crossed by each track.
struct BatchSearch {
  const BatchSurface* surfaces = nullptr;
  std::size_t n_surfaces = 0;
  double bz = 0;
  const BatchRegions* regions = nullptr;  ///< if they are flown through
  const BatchTracks* tracks = nullptr;
  /// In a field, if energy is lost on the way; with the numbers_of_medium of
  /// each medium, temporary.
  const BatchLoss* loss = nullptr;
  PackValues* media = nullptr;
  // results
  TrackBits* crossed = nullptr;     ///< per surface
  PackValues* arc = nullptr;        ///< per surface; where crossed
  PackValues* x_over_x0 = nullptr;  ///< the same; null: not requested
  TrackBits turned_back = 0;        ///< tracks that turn back before a surface
  TrackBits lost = 0;               ///< tracks that cannot be followed
  /// A guess; `in_order` is set if every track crosses these surfaces in this
  /// order (and possibly others).
  const unsigned* guess = nullptr;
  std::size_t n_guess = 0;
  bool in_order = false;
};

/// Planes that are not normal to an axis, one for each track: what
/// SurfaceRecord is for all of a group.
struct ElementPlane {
  PackValues position, normal_cos, normal_sin, normal_r, normal_z, turn_cos,
      turn_sin, x_over_x0;
  /// To the crossing, except for rounding; where energy is lost, from the
  /// crossing before it.
  PackValues arc;
  unsigned layer[most_in_pack];  ///< which one it is, where it is crossed
};

/// What CoordinateAxis is for all tracks of a group.
struct ElementAxis {
  PackValues cosine, sine, variance;
};

/// A crossing of a group of tracks that share a list of them. With a beam spot,
/// fitted and kinked begin at the start and no track is `inner`.
struct ListedSurface {
  unsigned surface = 0;
  /// If every track crosses a different plane: these, and their coordinates in
  /// the order of BatchSurface::axes. The surface then only gives their kind.
  const ElementPlane* planes = nullptr;
  const ElementAxis* axes = nullptr;
  /// The surface whose slabs the tracks pass, see BatchLoss::first: of modules
  /// of one kind all have the same.
  std::size_t slabs_of = 0;
  /// Rows of the results of this crossing, and of its first coordinate.
  std::size_t row = 0, first_coordinate = 0;
  TrackBits crossed = 0;
  TrackBits fitted = 0;  ///< tracks that cross it between their first and last
                         ///< measuring crossing, inclusive,
  TrackBits kinked = 0;  ///< these excluded
  TrackBits first = 0;   ///< as their first measuring one
  TrackBits inner = 0;   ///< as `first`, or inside the first measuring crossing
  TrackBits outer = 0;   ///< as their last measuring one, or outside of it
  /// Whether it is a cylinder and the next one on the list is clearly wider.
  /// From the axis, they can only be crossed in this order.
  bool inside_next = false;
};

/// The numbers of BatchTask::out. Symmetric matrices as lower triangles:
/// element (i, j <= i) at i (i + 1)/2 + j; in the user's parameters, d0 z0 phi0
/// theta q/p, or u v phi theta q/p on the first measuring layer, or x y tx ty
/// q/p at the start. At a layer: u v phi theta q/p and u v tu tv q/p there, and
/// the momentum before it.
struct BatchPlane {
  static constexpr std::size_t perigee = 0,
                               without_inner = perigee + track_triangle,
                               first_hit = without_inner + track_triangle,
                               sigma_p = first_hit + track_triangle,
                               sigma_pt = sigma_p + 1, hit_only = sigma_pt + 1,
                               ms_only = hit_only + 1, mu_phi = ms_only + 1,
                               mu_theta = mu_phi + 1, xi = mu_theta + 1,
                               start_plane = xi + 1,
                               x_over_x0 = start_plane + track_triangle,
                               x_over_x0_tracker = x_over_x0 + 1,
                               at_state = x_over_x0_tracker + 1,
                               at_slopes = at_state + track_triangle,
                               at_sigma_p = at_slopes + track_triangle,
                               at_p = at_sigma_p + 1, count = at_p + 1;
};

/// Results requested in addition to the covariances.
struct BatchExtras {
  bool limits = false;
  /// mu, variances of layers, derivatives or a state at a layer.
  bool backward_pass = false;
};

/// Ranges of surfaces of one kind, one per vector element; `n` is a multiple of
/// most_in_pack.
struct BatchRanges {
  const double *first = nullptr, *last = nullptr, *lower = nullptr,
               *upper = nullptr;
  std::size_t n = 0;
};

/// Surfaces of one kind, individually and in blocks of most_in_pack.
struct BatchExtents {
  BatchRanges single, blocks;
  const unsigned* surface = nullptr;  ///< of single ones
};

struct BatchTask {
  const BatchSurface* surfaces = nullptr;
  std::size_t n_surfaces = 0;
  /// GeV/(e mm), of a solenoid; in regions their b_ref.
  double bz = 0;
  const BatchRegions* regions = nullptr;  ///< if they are flown through
  Scattering scattering{};
  const BatchTracks* tracks = nullptr;
  const ListedSurface* list = nullptr;
  std::size_t n_crossings = 0;
  TrackBits all = 0;
  bool mixed = false;  ///< the tracks differ in the bits of `list`
  BatchExtras extras;
  UndoubtedVariances undoubted;
  /// Between first and last measuring crossing of each track, all material is
  /// at crossings that, like these two, measure a point.
  bool points = false;
  const BeamSpot* beam_spot = nullptr;  ///< constrains the starts; or null
  /// The list position of the layer at which states are requested; or nowhere.
  std::size_t at = nowhere;
  bool at_own_hit = true;  ///< as in AtLayer
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  const BatchLoss* loss = nullptr;  ///< if energy is lost on the way
  /// Tracks that lose energy have too few hits to be fitted: only where they go
  /// and the sums of x/X0 are needed.
  bool follows_only = false;
  std::size_t n_coordinates = 0;  ///< of all crossings
  /// For the backward pass: CovarianceKernel::workspace() bytes, aligned to 64.
  std::byte* workspace = nullptr;
  /// Whether the list is a guess; then these are the surfaces not on it.
  bool guessed = false;
  BatchExtents other_disks, other_cylinders;
  const unsigned* other_planes = nullptr;
  std::size_t n_other_planes = 0;
  // results
  /// Destination of the numbers of all tracks, starting with the first; null:
  /// not requested. For a matrix all or none.
  double* out[BatchPlane::count] = {};
  /// The variance that scattering and hits of a crossing add to a Parameter, at
  /// ListedSurface::row times budget_stride; or null.
  double *scattering_variance[n_parameters] = {},
         *hit_variance[n_parameters] = {};
  /// The derivative of that variance with respect to position and x/X0 of the
  /// surface, in the same row, and to the error of a coordinate, in rows from
  /// first_coordinate on; all three or null.
  double *position_slope[n_parameters] = {}, *material_slope[n_parameters] = {},
         *sigma_slope[n_parameters] = {};
  std::size_t budget_stride = 0;
  /// Tracks whose result may be invalid: a parameter is free, or nearly
  /// free.
  TrackBits doubtful = 0;
  /// For a guess: whether every track crosses the surfaces of the list, in that
  /// order, and no others. If not, there are no other results.
  bool confirmed = false;
  TrackBits turned_back = 0;  ///< for a guess, as in BatchSearch
  /// Tracks for which a guess is right.
  TrackBits as_listed = 0;
};

/// The code for one instruction set.
struct CovarianceKernel {
  std::size_t width;
  void (*search)(BatchSearch&);
  void (*fit)(BatchTask&);
  std::size_t (*workspace)(const BatchTask&);
};

}  // namespace gttf::detail
