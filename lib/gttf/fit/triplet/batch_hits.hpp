// SPDX-License-Identifier: Apache-2.0
// Input and output of the fits for one instruction set: plain numbers of a
// group of tracks with hits on the same surfaces, one track per vector
// element.
#pragma once

#include <cstddef>
#include <limits>

#include "gttf/core/kernels.hpp"
#include "gttf/fit/track/hit_scattering.hpp"
#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf::detail {

/// A surface with hits, or a passive one before the last of them.
struct GroupPoint {
  SurfaceRecord surface;
  bool measures = false;
  CoordinateAxis coordinates[2];  ///< the first n_coordinates are used
  std::size_t n_coordinates = 0;
  /// Indices of the hit here, or of the hits before and after.
  std::size_t hit = 0, next_hit = 0;
  /// Shifts along u' and v' by one standard deviation of each of two
  /// coordinates, mm; not set if a track has single coordinates.
  double error[2][2]{};
  bool along_axes = false;  ///< the first along u', the second along v' only
  /// Largest of the two standard deviations, mm.
  double largest_sigma = 0;
};

/// Planes of GroupFit::out; covariances as lower triangles, (i, j <= i) at
/// i (i + 1)/2 + j, of d0, z0, phi, theta, kappa and of GlobalFit::start_plane.
struct HitPlane {
  static constexpr std::size_t kappa = 0, sigma = 1, chi2 = 2,
                               kappa_weights = 3, perigee = 4, covariance = 9,
                               start_plane = 24, start_covariance = 29,
                               momentum = 44, count = 45;
};

struct BatchFlight;
struct SharedEquations;

/// A requested fit.
struct GroupFit {
  FitKind kind = FitKind::general;
  WeightSource weights = WeightSource::estimate;
  PackValues* out = nullptr;
  bool perigee = true;  ///< requested; otherwise only the planes before it
  // requested; with HitGroup::flight only
  bool start_plane = false;
  bool momentum = false;  ///< from scattering, without field
  /// With WeightSource::shared; the planes of errors are not set then.
  const SharedEquations* shared = nullptr;
  TrackBits done = 0;  ///< tracks with a result; the others are scalar
  FitStatus status = FitStatus::ok;  ///< of these tracks
};

/// Tracks in a field along z, or those of a BatchFlight.
struct HitGroup {
  const GroupPoint* points = nullptr;
  std::size_t n_points = 0, n_hits = 0;
  const std::size_t* measured = nullptr;  ///< indices of the n_hits points
  /// Each points to one number per track: x, y, z of every hit; of every point.
  const double* const* hits = nullptr;
  const double* const* theta0_2 = nullptr;
  /// TrackHits::kappa_ref; FitOptions::kappa, or the same value.
  const double* kappa_ref = nullptr;
  const double* estimate = nullptr;
  double origin[3]{};
  bool passive = false;  ///< layers between hits scatter
  bool streams = false;  ///< fits are streaming fits
  const BatchFlight* flight = nullptr;
  std::byte* workspace = nullptr;  ///< HitKernel::workspace() bytes at 64
};

/// A surface with hits, or a surface that only scatters.
struct ScatterPoint {
  SurfaceRecord surface;
  double log_x_over_x0 = 0;
  bool measures = false;
  bool on_line = false;  ///< whether its hits measure the position along z
};

/// Input for the scattering angles of tracks given by their hits.
struct ScatterGroup {
  const ScatterPoint* points = nullptr;  ///< in order of flight, a hit last
  std::size_t n_points = 0, n_hits = 0;
  const SurfaceRecord* others = nullptr;  ///< must not be crossed between
  std::size_t n_others = 0;
  /// Each points to one number per track: x, y, z of every hit.
  const double* const* hits = nullptr;
  double origin[3]{};
  HitScattering model;
  double bz = 0;
  std::byte* workspace = nullptr;  ///< as for HitGroup
  /// Of every point; TrackHits::kappa_ref.
  PackValues* theta0_2 = nullptr;
  PackValues* kappa_ref = nullptr;
  TrackBits known = 0;  ///< tracks with a result
};

/// The code for one instruction set.
struct HitKernel {
  std::size_t width;
  void (*fit)(const HitGroup&, GroupFit* fits, std::size_t n_fits);
  std::size_t (*workspace)(std::size_t n_points, std::size_t n_hits);
  void (*find_scattering)(ScatterGroup&);  ///< of triplet_fit only
};

}  // namespace gttf::detail
