// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: a function of position, not of earlier calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gttf {

/// Position of a sequence of random numbers: item `index` of `stream` of
/// `seed`. Different positions give independent sequences, in any order and on
/// any thread.
struct RandomPlace {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t index = 0;
};

/// Block `block` of the sequence at `place`: 256 random bits. Philox4x64-10
/// with the key (seed, stream) and the counter (index, block).
/// Source: [Salmon11]; the implementation is Random123's
std::array<std::uint64_t, 4> random_block(const RandomPlace& place,
                                          std::uint64_t block);

/// The first numbers of the sequence at `place`, standard normal: pairs
/// sqrt(-2 ln u) (cos(2 pi w), sin(2 pi w)) of uniform u, w with 52 bits,
/// where u is never 0; values reach 8.6. A longer span begins with the same
/// numbers.
/// Source: [BoxMuller58]
void fill_normals(const RandomPlace& place, std::span<double> out);

/// The bits from which fill_normals() computes its numbers, for n_places
/// positions with consecutive indices: word w of position k at w n_places + k.
/// Words 2i and 2i + 1 give the numbers 2i and 2i + 1.
void fill_random_words(const RandomPlace& first, std::size_t n_places,
                       std::span<std::uint64_t> out);

/// A separate sequence at the same position: the blocks of Philox with `branch`
/// as the third word of the counter, which is 0 for random_block().
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
