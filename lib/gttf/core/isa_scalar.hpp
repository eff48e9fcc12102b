// SPDX-License-Identifier: Apache-2.0
// Any processor: one track at a time.
#pragma once

namespace gttf::detail {

using KernelScalar = double;

}  // namespace gttf::detail
