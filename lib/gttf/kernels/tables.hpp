// SPDX-License-Identifier: Apache-2.0
// The kernels of every instruction set, in a namespace of its name.
#pragma once

#include "gttf/core/kernels.hpp"
#include "gttf/fit/triplet/batch_hits.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/resolution/batch_triplets.hpp"
#include "gttf/resolution/toy_task.hpp"

// Levels compiled into this program.
#if GTTF_SIMD_X86
#define GTTF_LEVELS(LEVEL) LEVEL(scalar, true) GTTF_X86_LEVELS(LEVEL)
#else
#define GTTF_LEVELS(LEVEL) LEVEL(scalar, true)
#endif

#define GTTF_DECLARE_KERNELS(level, ...)    \
  namespace level {                         \
  extern const CovarianceKernel covariance; \
  extern const CovarianceKernel in_regions; \
  extern const HitKernel triplet_fit;       \
  extern const HitKernel streaming_fit;     \
  extern const HitKernel flown_fit;         \
  extern const ToyKernel toys;              \
  extern const ToyKernel flown_toys;        \
  extern const TripletKernel triplets;      \
  }

namespace gttf::detail {

GTTF_LEVELS(GTTF_DECLARE_KERNELS)

}  // namespace gttf::detail
