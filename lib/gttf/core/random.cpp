// SPDX-License-Identifier: Apache-2.0
// Philox of Random123, and normal random numbers from it.
#include "gttf/core/random.hpp"

#include <algorithm>
#include <vector>

#include "gttf/core/random_words.hpp"

namespace gttf {

std::array<std::uint64_t, 4> random_block(const RandomPlace& place,
                                          std::uint64_t block) {
  std::array<std::uint64_t, 4> bits;
  detail::random_words<double>(place, block, 1, bits.data());
  return bits;
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
  std::vector<std::uint64_t> bits(4 * n_places);
  for (std::size_t w = 0; w < n_words; w += 4) {
    detail::random_words<double>(first, w / 4, n_places, bits.data());
    const std::size_t n = std::min<std::size_t>(4, n_words - w);
    std::copy_n(bits.begin(), n * n_places, out.subspan(w * n_places).begin());
  }
}

const std::uint64_t* RandomBranch::take(std::size_t n) {
  if (used_ + n > bits_.size()) {  // a word may be left over
    detail::random_words<double>(place_, block_++, 1, bits_.data(), branch_);
    used_ = 0;
  }
  const std::uint64_t* words = &bits_[used_];
  used_ += n;
  return words;
}

double RandomBranch::uniform() { return detail::Uniform<double>::of(take(1)); }

double RandomBranch::normal() {
  const std::uint64_t* words = take(2);
  return detail::normal_pair<double>(words, words + 1).first;
}

}  // namespace gttf
