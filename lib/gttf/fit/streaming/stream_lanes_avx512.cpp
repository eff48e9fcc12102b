// SPDX-License-Identifier: Apache-2.0
// Streaming fits in lanes, for x86-64-v4.
#include "gttf/core/isa_avx512.hpp"
#include "gttf/fit/streaming/stream_lane_fit.hpp"

namespace gttf::detail {

const HitKernel avx512_stream_kernel = make_stream_kernel<Pack<Avx512>>();

}  // namespace gttf::detail
