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
  /// By kernels, one track per vector lane.
  std::size_t vectorised = 0;
  /// Vectorised with tracks that cross other surfaces, which are masked.
  std::size_t mixed = 0;
  /// Scalar path, because the kernel result was not reliable: a parameter is
  /// nearly free, a hit coarse, the bending strong, or a fit failed.
  std::size_t doubtful = 0;
  /// Scalar path, because kernels do not support the field, the model, the
  /// direction, the surfaces or the options.
  std::size_t unsupported = 0;
  /// Not fitted: too few hits, or a toy that left the layers.
  std::size_t not_fitted = 0;
  std::size_t groups = 0;  ///< calls of the kernel for covariances

  BatchStatistics& operator+=(const BatchStatistics& other) {
    tracks += other.tracks;
    vectorised += other.vectorised;
    mixed += other.mixed;
    doubtful += other.doubtful;
    unsupported += other.unsupported;
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
