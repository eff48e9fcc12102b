// SPDX-License-Identifier: Apache-2.0
// Streaming fits in lanes, for the baseline of x86-64.
#include "gttf/core/isa_sse2.hpp"
#include "gttf/fit/streaming/stream_lane_fit.hpp"

namespace gttf::detail {

const HitKernel sse2_stream_kernel = make_stream_kernel<Pack<Sse2>>();

}  // namespace gttf::detail
