// SPDX-License-Identifier: Apache-2.0
// Vectorised resolutions of many tracks: arrays of tracks in, arrays of results
// out, several tracks per instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gttf/core/batch.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf {

/// Tracks as arrays, units as in Track. Each array has `size` numbers, or one
/// number for all tracks.
struct TrackArrays {
  std::size_t size = 0;
  std::span<const double> p, theta, phi, mass, charge, x, y, z;

  Track track(std::size_t i) const;
};

/// A batch of one track; refers to the numbers of `track`.
TrackArrays arrays_of(const Track& track);
TrackArrays arrays_of(Track&&) = delete;

/// Numbers of every layer for all or some Parameters; the others are empty. The
/// number of layer l and track t is at l size + t.
struct LayerArrays {
  std::array<std::span<double>, n_parameters> values;

  std::span<double>& operator[](Parameter q) {
    return values[static_cast<std::size_t>(q)];
  }
  std::span<double> operator[](Parameter q) const {
    return values[static_cast<std::size_t>(q)];
  }
  bool asked_for() const;  ///< requested for any parameter
};

/// Output arrays. Empty arrays are not filled and not computed. Numbers that do
/// not exist are NaN; `status` gives the reason. The members correspond to
/// Resolution.
struct ResolutionArrays {
  /// Lower triangles, element by element: (i, j <= i) of track t is at (i (i +
  /// 1)/2 + j) size + t; 15 size numbers.
  std::span<double> perigee, perigee_without_inner, first_hit, start_plane;

  std::span<double> sigma_p_rel, sigma_pt_rel, xi, x_over_x0, x_over_x0_tracker;
  /// More results of the fit: the limits,
  std::span<double> sigma_p_rel_hit_only, sigma_p_rel_ms_only;
  /// the backward pass through all crossings,
  std::span<double> mu_phi, mu_theta;
  /// and on it, the contributions of scattering and hits of every layer to the
  /// variance of a parameter, as in BudgetPart (straggling and a beam spot are
  /// not included).
  LayerArrays scattering_variance, hit_variance;

  std::span<int> n_hits;
  /// A number that is the same for tracks that cross the same surfaces, and
  /// another one for others.
  std::span<std::uint64_t> surfaces;
  std::span<Status> status;
  std::span<TrackEnd> end;

  /// Complete results of the tracks handled by the scalar path; other entries
  /// are not modified.
  std::span<std::optional<Resolution>> scalar;
};

/// Whether kernels support such tracks: streaming engine; a solenoid, no field,
/// dipoles with parallel faces or a map; with energy loss if all have one mass
/// (electrons: and sign of the charge), except with straggling and a given
/// loss.
bool is_vectorised(const TrackingGeometry& geometry, const Model& model);

/// resolve() for every track: the same numbers except for rounding. The result
/// of a track does not depend on the number of threads or, within one
/// SimdLevel, on the other tracks.
///
/// Memory in addition to the arrays does not depend on the number of tracks or,
/// unless mu or variances are requested, on the number of crossings, except for
/// their list.
BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results, unsigned threads = 1,
                        CodePath path = CodePath::best);

/// sigmas() of every track, with the numbers of resolve().
/// @param threads  0: all cores
std::vector<PerParameter> sigmas(const TrackingGeometry& geometry,
                                 const TrackArrays& tracks, const Model& model,
                                 unsigned threads = 1);

}  // namespace gttf
