// SPDX-License-Identifier: Apache-2.0
// BatchStatistics, CodePath: the code paths a batch may use and has used.
#pragma once

#include <cstddef>

namespace gttf {

/// Number of tracks, or toys, handled by each code path.
///
/// Each of `tracks` is vectorised, doubtful, unsupported or not fitted. (Toys
/// that are unsupported and not fitted count as both.)
struct BatchStatistics {
  std::size_t tracks = 0;
  /// By kernels, one track per vector element.
  std::size_t vectorised = 0;
  /// Vectorised with tracks that cross other surfaces, which are masked.
  std::size_t mixed = 0;
  /// Vectorised in vectors of which less than half was in use.
  std::size_t half_empty = 0;
  /// Scalar path, because the kernel result was not reliable: a parameter is
  /// nearly free, a hit coarse, the bending strong, or a fit failed.
  std::size_t doubtful = 0;
  /// Those of the doubtful tracks that the kernel could not follow: they stop,
  /// bend strongly, or recurl to surfaces.
  std::size_t not_followed = 0;
  /// Scalar path, because kernels do not support the field, the model, the
  /// direction, the surfaces or the options.
  std::size_t unsupported = 0;
  /// Those of the unsupported tracks of which only the way is not supported:
  /// along the axis, or through surfaces more than once.
  std::size_t other_way = 0;
  /// Not fitted: too few hits, or a toy that left the layers.
  std::size_t not_fitted = 0;
  std::size_t groups = 0;  ///< calls of the kernel for covariances

  BatchStatistics& operator+=(const BatchStatistics& other) {
    tracks += other.tracks;
    vectorised += other.vectorised;
    mixed += other.mixed;
    half_empty += other.half_empty;
    doubtful += other.doubtful;
    not_followed += other.not_followed;
    unsupported += other.unsupported;
    other_way += other.other_way;
    not_fitted += other.not_fitted;
    groups += other.groups;
    return *this;
  }
};

/// Code paths a batch may use.
enum class CodePath {
  best,   ///< kernels where they support a track, else the scalar path
  scalar  ///< the same digits for every SimdLevel
};

}  // namespace gttf
