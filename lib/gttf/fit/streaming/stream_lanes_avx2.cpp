// SPDX-License-Identifier: Apache-2.0
// Streaming fits in lanes, for x86-64-v3.
#include "gttf/core/isa_avx2.hpp"
#include "gttf/fit/streaming/stream_lane_fit.hpp"

namespace gttf::detail {

const HitKernel avx2_stream_kernel = make_stream_kernel<Pack<Avx2>>();

}  // namespace gttf::detail
