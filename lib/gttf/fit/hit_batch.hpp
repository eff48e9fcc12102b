// SPDX-License-Identifier: Apache-2.0
// HitBatch: the common properties of tracks in a vectorised batch of fits.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/fit/batch_fit.hpp"
#include "gttf/fit/triplet/batch_hits.hpp"

namespace gttf::detail {

/// Memory aligned to 64 bytes.
class BatchWorkspace {
 public:
  explicit BatchWorkspace(std::size_t bytes);
  std::byte* data() { return reinterpret_cast<std::byte*>(lines_.get()); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::unique_ptr<Line[]> lines_;
};

/// The points relevant for fits: hits, and passive layers before the last hit.
struct HitBatch {
  /// By triplets, or by streaming fits if these are needed.
  explicit HitBatch(std::span<const FitSurface> surfaces);
  /// @param streaming  fits are streaming fits
  /// @param along      path of the tracks; null: helices around z
  HitBatch(std::span<const FitSurface> surfaces, bool streaming,
           const BatchFlight* along);

  /// Sets the corresponding members of `elements`.
  void put_into(HitGroup& elements) const;
  /// The code for these fits.
  const HitKernel& kernel(SimdLevel level) const;
  BatchWorkspace workspace(const HitKernel& kernel) const;

  std::vector<GroupPoint> points;
  std::vector<std::size_t> surface;   ///< of each point
  std::vector<std::size_t> between;   ///< passive surfaces after a hit
  std::vector<std::size_t> measured;  ///< indices of the points with hits
  std::size_t n_hits = 0;
  bool streams = false;  ///< fits are streaming fits
  const BatchFlight* flight = nullptr;
};

/// The conditions of is_vectorised() except the field.
bool is_fitted(std::span<const FitSurface> surfaces, int n_parameters,
               bool passive, const FitOptions& options);

/// Planes of GroupFit::out in which nothing is set yet.
using FitPlanes = std::array<PackValues, HitPlane::count>;
FitPlanes empty_planes();

/// Whether perigee parameters, or those on the plane through the start, are
/// requested.
bool wants_perigee(const FitArrays& results);
bool wants_start_plane(const FitArrays& results);

/// Pointer to numbers for `width` tracks, of which the first n exist; if there
/// are fewer, to a copy in which the others repeat the last.
const double* whole(const double* from, std::size_t n, std::size_t width,
                    PackValues& copy);

/// Stores the fits of n tracks of a vector, or of one track, as tracks t ... of
/// arrays for `size` tracks.
void store(const GroupFit& fit, std::size_t n, const FitArrays& to,
           std::size_t t, std::size_t size);
void store(const GlobalFit& fit, const FitArrays& to, std::size_t t,
           std::size_t size);

}  // namespace gttf::detail
