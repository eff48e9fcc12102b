// SPDX-License-Identifier: Apache-2.0
// Kernels: the batch code for one instruction set, as a table of functions,
// with its inputs and outputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gttf/core/simd.hpp"

namespace gttf::detail {

// Declared by the calling stages; see gttf/kernels.
struct CovarianceKernel;
struct HitKernel;
struct ToyKernel;
struct TripletKernel;

/// The same templates, compiled for one SimdLevel.
struct Kernels {
  const CovarianceKernel& covariance;
  const CovarianceKernel& in_regions;  ///< the same, see batch_regions.hpp
  const HitKernel& triplet_fit;        ///< needs both coordinates of every hit
  const HitKernel& streaming_fit;  ///< also accepts hits with one coordinate
  const HitKernel& flown_fit;      ///< through regions of uniform fields
  const ToyKernel& toys;
  const ToyKernel& flown_toys;    ///< the same
  const TripletKernel& triplets;  ///< single triplets, for regimes
};

/// The only place in the library where code is selected by instruction set.
/// @pre `level` is one of available_simd_levels()
const Kernels& kernels(SimdLevel level);

inline constexpr std::size_t most_in_pack = 16;

/// One number per vector element.
struct alignas(64) PackValues {
  double value[most_in_pack];
};

/// Bit i: element i.
using TrackBits = std::uint32_t;

}  // namespace gttf::detail
