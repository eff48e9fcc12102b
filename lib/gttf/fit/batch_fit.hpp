// SPDX-License-Identifier: Apache-2.0
// Vectorised fits of many tracks: arrays of hits in, arrays of results out,
// several tracks per instruction.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "gttf/core/batch.hpp"
#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf {

/// A surface crossed by all tracks of a batch.
struct FitSurface {
  SurfaceRecord surface;
  /// In the axes (u', v') of the surface; the first n_coordinates are used, 0:
  /// passive.
  std::array<CoordinateAxis, 2> coordinates{};
  int n_coordinates = 0;
};

/// Hits of tracks on the same surfaces, in a field along z, as arrays; mm, rad.
/// A passive surface must lie between the hits that precede and follow it in
/// the list.
struct HitArrays {
  std::size_t size = 0;                  ///< number of tracks
  std::span<const FitSurface> surfaces;  ///< in order of flight
  /// Measured points: the h-th of track t is at h size + t.
  std::span<const double> x, y, z;
  /// TrackHit::theta0_2 on surface i of track t at i size + t; or one per
  /// surface.
  std::span<const double> theta0_2;
  /// TrackHits::kappa_ref per track, or one for all.
  std::span<const double> kappa_ref;
  Vector3 origin = Vector3::Zero();
  bool field = true;  ///< false: straight tracks

  /// Returns track t.
  TrackHits track(std::size_t t) const;
};

/// Output arrays. Empty arrays are not filled. Numbers are NaN unless the
/// status is ok; the members correspond to GlobalFit.
struct FitArrays {
  std::span<double> kappa, sigma, chi2, kappa_weights;
  /// (parameter q) of track t at q size + t, order of Perigee with kappa.
  std::span<double> perigee;
  /// Lower triangle of perigee_covariance: (i, j <= i) of track t is at (i (i +
  /// 1)/2 + j) size + t.
  std::span<double> perigee_covariance;
  std::span<FitStatus> status;
  /// GlobalFit::start_plane and its covariance, in the same orders.
  std::span<double> start_plane = {}, start_plane_covariance = {};
  /// ScatteringMomentum::p, GeV; infinite if the scattering does not bound it,
  /// NaN if there is none.
  std::span<double> scattering_momentum = {};
};

/// Fits track t of a batch on the scalar path. The result is valid until the
/// next call.
using FitOneTrack = std::function<const GlobalFit&(std::size_t t)>;

/// Whether a surface measures one coordinate only. TrackFitter then uses the
/// streaming fit for general and hits, and supports no other fits.
bool needs_streaming(std::span<const FitSurface> surfaces);

/// Whether kernels support such fits. Requires a field, at least three
/// measuring surfaces with errors, five coordinates, no re-linearisation and
/// FitDetail below hits. Triplet fits also require two independent coordinates
/// of every hit, weights other than shared and, with scattering layers between
/// hits, other than local.
/// @param passive whether layers between hits scatter
bool is_vectorised(std::span<const FitSurface> surfaces, bool field,
                   bool passive, const FitOptions& options);

/// TrackFitter::fit() for every track: the same numbers except for rounding.
/// The result of a track does not depend on the number of threads or, within
/// one SimdLevel, on the other tracks (except for the last digits if a surface
/// scatters some tracks but not others, with theta0_2 = 0). Tracks with
/// different lists of surfaces require separate calls.
/// @param fit_one  for the scalar path, called by all threads; empty: fits
///                 HitArrays::track()
BatchStatistics fit(const HitArrays& hits, FitKind kind,
                    const FitOptions& options, const FitArrays& results,
                    unsigned threads = 1, const FitOneTrack& fit_one = {});

}  // namespace gttf
