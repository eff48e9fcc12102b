// SPDX-License-Identifier: Apache-2.0
// Philox by Random123, and normal numbers from it.
#include "gttf/core/random.hpp"

#include <Random123/philox.h>

#include <algorithm>

#include "gttf/core/detail/normal_pair.hpp"

namespace gttf {

std::array<std::uint64_t, 4> random_block(const RandomPlace& place,
                                          std::uint64_t block) {
  const r123::Philox4x64::ctr_type counter{{place.index, block, 0, 0}};
  const r123::Philox4x64::key_type key{{place.seed, place.stream}};
  const auto bits = r123::Philox4x64()(counter, key);
  return {bits[0], bits[1], bits[2], bits[3]};
}

void fill_normals(const RandomPlace& place, std::span<double> out) {
  std::size_t i = 0;
  for (std::uint64_t block = 0; i < out.size(); ++block) {
    const auto bits = random_block(place, block);
    for (std::size_t pair = 0; pair < 4 && i < out.size(); pair += 2) {
      const auto x = detail::normal_pair<double>(&bits[pair], &bits[pair + 1]);
      out[i++] = x.first;
      if (i < out.size()) out[i++] = x.second;
    }
  }
}

void fill_random_words(const RandomPlace& first, std::size_t n_places,
                       std::span<std::uint64_t> out) {
  const std::size_t n_words = out.size() / n_places;
  RandomPlace place = first;
  for (std::size_t k = 0; k < n_places; ++k, ++place.index)
    for (std::size_t w = 0; w < n_words; w += 4) {
      const auto bits = random_block(place, w / 4);
      const std::size_t n = std::min<std::size_t>(4, n_words - w);
      for (std::size_t i = 0; i < n; ++i) out[(w + i) * n_places + k] = bits[i];
    }
}

}  // namespace gttf
