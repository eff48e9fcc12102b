// SPDX-License-Identifier: Apache-2.0
// Philox by Random123, and normal numbers from it.
#include "gttf/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>

#include "gttf/core/units.hpp"

namespace gttf {

namespace {

/// A number in (0, 1): the middle of one of 2^52 equal cells, exactly.
double uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

std::array<double, 2> normal_pair(std::uint64_t first, std::uint64_t second) {
  const double radius = std::sqrt(-2 * std::log(uniform(first)));
  const double angle = 2 * unit::pi * uniform(second);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

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
    for (std::size_t pair = 0; pair < 4 && i < out.size(); pair += 2)
      for (const double x : normal_pair(bits[pair], bits[pair + 1]))
        if (i < out.size()) out[i++] = x;
  }
}

}  // namespace gttf
