// SPDX-License-Identifier: Apache-2.0
// RandomBranch: random numbers of which nobody knows beforehand how many are
// wanted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gttf/core/random.hpp"

namespace gttf {

/// A sequence of its own at a place: the blocks of Philox with `branch` as the
/// third word of the counter, that of random_block() having 0 there.
class RandomBranch {
 public:
  /// @param branch  > 0
  RandomBranch(const RandomPlace& place, std::uint64_t branch)
      : place_(place), branch_(branch) {}

  /// Uniform in (0, 1), with 52 bits.
  double uniform();
  /// Standard normal, from two words.
  double normal();

 private:
  const std::uint64_t* take(std::size_t n);

  RandomPlace place_;
  std::uint64_t branch_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 4> bits_{};
  std::size_t used_ = 4;  ///< of bits_
};

}  // namespace gttf
