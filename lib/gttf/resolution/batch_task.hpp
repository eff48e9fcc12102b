// SPDX-License-Identifier: Apache-2.0
// What the code for one instruction set takes and gives: plain numbers of a
// group of tracks, one track per lane.
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

/// A surface and where its coordinates stand.
struct BatchSurface {
  SurfaceRecord record;
  double log_x_over_x0 = 0;  ///< at normal incidence; -infinity without any
  const CoordinateAxis* axes = nullptr;  ///< in_order()
  const double* weights = nullptr;       ///< 1/variance of each
  /// Which of its coordinates is axes[1], if the two measure a point; else 0.
  std::size_t independent = 0;

  bool is_point() const { return independent > 0; }
};

struct BatchTracks {
  PackValues p, theta, phi, mass, charge, x, y, z;
  /// Up to the last hit; for Scattering::highland_total.
  PackValues x_over_x0;
  bool on_axis = false;  ///< the start points of all lanes
};

/// Which lanes cross which surface.
struct BatchSearch {
  const BatchSurface* surfaces = nullptr;
  std::size_t n_surfaces = 0;
  double bz = 0;
  const BatchTracks* tracks = nullptr;
  // results
  TrackBits* crossed = nullptr;     ///< per surface
  PackValues* arc = nullptr;        ///< per surface; where crossed
  PackValues* x_over_x0 = nullptr;  ///< the same; null: not asked for
  TrackBits turned_back = 0;        ///< lanes that bend back before a surface
  /// A guess; `in_order` tells whether every lane crosses these surfaces in
  /// this order (and perhaps others).
  const unsigned* guess = nullptr;
  std::size_t n_guess = 0;
  bool in_order = false;
};

/// A crossing of a group of tracks that share a list of them. From a beam spot
/// on, fitted and kinked begin at the start and no lane is `inner`.
struct ListedSurface {
  unsigned surface = 0;
  TrackBits crossed = 0;
  TrackBits fitted = 0;  ///< lanes that cross it between their first and last
                         ///< measuring crossing, these included,
  TrackBits kinked = 0;  ///< these excluded
  TrackBits first = 0;   ///< as their first measuring one
  TrackBits inner = 0;   ///< so or inside of it
  TrackBits outer = 0;   ///< as their last measuring one, or outside of it
  /// Is it a cylinder, and the next one on the list a clearly wider one? From
  /// the axis, they can only be crossed in this order.
  bool inside_next = false;
};

/// The numbers of BatchTask::out. Symmetric matrices as lower triangles:
/// element (i, j <= i) at i (i + 1)/2 + j; in the user's parameters, d0 z0 phi0
/// theta q/p, or u v phi theta q/p on the first measuring layer, or x y tx ty
/// q/p at the start. At a layer: u v phi theta q/p and u v tu tv q/p there.
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
                               count = at_sigma_p + 1;
};

/// What is asked for besides the covariances.
struct BatchExtras {
  bool limits = false;
  /// mu, variances of layers, derivatives or a state at a layer.
  bool way_back = false;
};

/// Ranges of surfaces of one kind, one in each element of a vector; `n` is a
/// multiple of most_in_pack.
struct BatchRanges {
  const double *first = nullptr, *last = nullptr, *lower = nullptr,
               *upper = nullptr;
  std::size_t n = 0;
};

/// Surfaces of one kind, one by one, and in blocks of most_in_pack.
struct BatchExtents {
  BatchRanges single, blocks;
  const unsigned* surface = nullptr;  ///< of single ones
};

struct BatchLoss;  // batch_loss.hpp

struct BatchTask {
  const BatchSurface* surfaces = nullptr;
  std::size_t n_surfaces = 0;
  double bz = 0;
  Scattering scattering{};
  const BatchTracks* tracks = nullptr;
  const ListedSurface* list = nullptr;
  std::size_t n_crossings = 0;
  TrackBits all = 0;
  bool mixed = false;  ///< the lanes differ in the bits of `list`
  BatchExtras extras;
  UndoubtedVariances undoubted;
  /// Between first and last measuring crossing of each lane there is no
  /// material but at crossings that, like these two, measure a point.
  bool points = false;
  const BeamSpot* beam_spot = nullptr;  ///< constrains the starts; or null
  /// The place on the list of the layer where states are asked for; or nowhere.
  std::size_t at = nowhere;
  bool at_own_hit = true;  ///< as in AtLayer
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  const BatchLoss* loss = nullptr;  ///< if energy is lost on the way
  std::size_t n_coordinates = 0;    ///< of all crossings
  /// For the way back: CovarianceKernel::workspace() bytes, aligned to 64.
  std::byte* workspace = nullptr;
  /// Is the list a guess? Then these are the surfaces that are not on it.
  bool guessed = false;
  BatchExtents other_disks, other_cylinders;
  const unsigned* other_planes = nullptr;
  std::size_t n_other_planes = 0;
  // results
  /// Where the number of the first lane goes, those of the others behind it;
  /// null: not asked for. Of a matrix all or none.
  double* out[BatchPlane::count] = {};
  /// The variance that scattering and hits of the surface s add to a Parameter,
  /// at s budget_stride; or null.
  double *scattering_variance[n_parameters] = {},
         *hit_variance[n_parameters] = {};
  /// The derivative of that variance with respect to position and x/X0 of the
  /// surface s, at s budget_stride, and to the error of the coordinate c, an
  /// index in TrackingGeometry::axes(), at c budget_stride; all three or null.
  double *position_slope[n_parameters] = {}, *material_slope[n_parameters] = {},
         *sigma_slope[n_parameters] = {};
  std::size_t budget_stride = 0;
  /// Lanes whose result may be no resolution at all: a parameter is free, or
  /// nearly so.
  TrackBits doubtful = 0;
  /// Of a guess: does every lane cross the surfaces of the list, in that order,
  /// and no others? If not, there are no other results.
  bool confirmed = false;
  TrackBits turned_back = 0;  ///< of a guess, as in BatchSearch
  /// Lanes for which a guess is right.
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
