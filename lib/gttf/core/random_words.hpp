// SPDX-License-Identifier: Apache-2.0
// Random bits of many places at once, in the instructions of the source file
// that asks for them.
#pragma once

#include <Random123/philox.h>

#include "gttf/core/random.hpp"

namespace gttf::detail {

/// random_block() of n_places places with the next indices: word w of place k
/// at w n_places + k.
/// @param branch  0, or that of a RandomBranch
/// @tparam S  a type of the source file, which makes this local to it too
template <class S>
void random_words(const RandomPlace& first, std::uint64_t block,
                  std::size_t n_places, std::uint64_t* out,
                  std::uint64_t branch = 0) {
  // Random123's functions for C are static, its classes would not be
  const philox4x64_key_t key{{first.seed, first.stream}};
  for (std::size_t k = 0; k < n_places; ++k) {
    const philox4x64_ctr_t counter{{first.index + k, block, branch, 0}};
    const philox4x64_ctr_t bits = philox4x64(counter, key);
    for (std::size_t w = 0; w < 4; ++w) out[w * n_places + k] = bits.v[w];
  }
}

}  // namespace gttf::detail
