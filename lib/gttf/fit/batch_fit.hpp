// SPDX-License-Identifier: Apache-2.0
// Fits of many tracks at once: arrays of hits in, arrays of results out,
// several tracks in every instruction.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "gttf/core/batch.hpp"
#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf {

/// A surface that all tracks of a batch meet.
struct FitSurface {
  SurfaceRecord surface;
  /// In the axes (u', v') of the surface; the first n_coordinates count, 0: it
  /// is passive.
  std::array<CoordinateAxis, 2> coordinates{};
  int n_coordinates = 0;
};

/// Hits of tracks on the same surfaces, in a field along z, as arrays; mm, rad.
/// Passive surfaces are met between the hits beside them on the list, which
/// must lie on both sides.
struct HitArrays {
  std::size_t size = 0;                  ///< number of tracks
  std::span<const FitSurface> surfaces;  ///< in order of flight
  /// Measured points: the h-th of track t stands at h size + t.
  std::span<const double> x, y, z;
  /// TrackHit::theta0_2 on surface i of track t at i size + t; or one per
  /// surface.
  std::span<const double> theta0_2;
  /// TrackHits::kappa_ref per track, or one for all.
  std::span<const double> kappa_ref;
  Vector3 origin = Vector3::Zero();
  bool field = true;  ///< false: straight tracks

  /// One of the tracks.
  TrackHits track(std::size_t t) const;
};

/// Where the results go. An array that is empty is not asked for. Numbers are
/// NaN unless the status is ok; the members are those of GlobalFit.
struct FitArrays {
  std::span<double> kappa, sigma, chi2, kappa_weights;
  /// (parameter q) of track t at q size + t, order of Perigee with kappa.
  std::span<double> perigee;
  /// Lower triangle of perigee_covariance: (i, j <= i) of track t stands at
  /// (i (i + 1)/2 + j) size + t.
  std::span<double> perigee_covariance;
  std::span<FitStatus> status;
};

/// Fits track t of a batch on the scalar path. The result is valid until the
/// next call.
using FitOneTrack = std::function<const GlobalFit&(std::size_t t)>;

/// Does a surface measure one coordinate only? Then TrackFitter's general fit
/// and that of the hits are the streaming ones, and there are no others.
bool needs_streaming(std::span<const FitSurface> surfaces);

/// Whether kernels support such fits. Requires a field, at least three
/// measuring surfaces with errors, five coordinates, no re-linearisation and
/// FitDetail below hits. Triplet fits also require two independent coordinates
/// of every hit and weights other than shared, and with layers that scatter
/// between hits, other than local.
/// @param passive  layers between hits scatter
bool is_vectorised(std::span<const FitSurface> surfaces, bool field,
                   bool passive, const FitOptions& options);

/// TrackFitter::fit() for every track: the same numbers but for rounding. The
/// result of a track does not depend on the number of threads nor, within one
/// SimdLevel, on the tracks beside it (but for its last digits if a surface
/// scatters some tracks and others, with theta0_2 = 0, not at all). Arrays of
/// different tracks' lists of surfaces are fitted in calls of their own.
/// @param fit_one  for the scalar path, called by all threads; empty: fits
///                 HitArrays::track()
BatchStatistics fit(const HitArrays& hits, FitKind kind,
                    const FitOptions& options, const FitArrays& results,
                    unsigned threads = 1, const FitOneTrack& fit_one = {});

}  // namespace gttf
