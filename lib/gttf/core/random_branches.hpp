// SPDX-License-Identifier: Apache-2.0
// RandomBranches: RandomBranch for several positions at once, compiled with the
// instruction set of the including source file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gttf/core/random_words.hpp"

namespace gttf::detail {

/// The branches of positions with consecutive indices, one per vector element.
/// Each element takes its own numbers in order: those of RandomBranch.
/// Elements that have always taken numbers together are at the same word of
/// their blocks, so that these words are one vector.
template <class S>
class RandomBranches {
 public:
  static constexpr std::size_t width = PackAccess<S>::width;

  /// @param first   the position of the first element
  /// @param branch  > 0
  RandomBranches(const RandomPlace& first, std::uint64_t branch)
      : first_(first), branch_(branch) {}

  /// Uniform in (0, 1), with 52 bits.
  /// @param taken  elements that take a number; others are any number
  S uniform(const MaskOf<S>& taken) {
    return Uniform<S>::of(take(PackAccess<S>::bits(taken), 1));
  }
  /// Standard normal, from two words.
  S normal(const MaskOf<S>& taken) {
    const std::uint64_t* const words = take(PackAccess<S>::bits(taken), 2);
    return normal_pair<S>(words, words + width).first;
  }

 private:
  static constexpr std::size_t n_words = 4;  ///< of a block

  /// @param use  of (element), for every one of a set
  template <class Use>
  [[gnu::always_inline]] static void for_each(TrackBits elements,
                                              const Use& use) {
    for (; elements != 0; elements &= elements - 1)
      use(static_cast<std::size_t>(__builtin_ctz(elements)));
  }

  /// The next n words of every element: word w of element k at w width + k.
  const std::uint64_t* take(TrackBits elements, std::size_t n) {
    if ((elements & ~together_) != 0) [[unlikely]]
      return take_apart(elements, n);
    if (elements != together_) part_with(together_ & ~elements);
    if (next_ + n > n_words) {  // a word may be left over
      begin_blocks(elements);
      next_ = 0;
    }
    const std::uint64_t* const words = bits_ + next_ * width;
    next_ += n;
    return words;
  }

  [[gnu::noinline]] const std::uint64_t* take_apart(TrackBits elements,
                                                    std::size_t n) {
    part_with(together_);
    for_each(elements, [this, n](std::size_t k) {
      if (next_of_[k] + n > n_words) {
        begin_blocks(TrackBits{1} << k);
        next_of_[k] = 0;
      }
      for (std::size_t w = 0; w < n; ++w)
        apart_[w * width + k] = bits_[(next_of_[k] + w) * width + k];
      next_of_[k] += n;
    });
    return apart_;
  }

  void part_with(TrackBits elements) {
    for_each(elements, [this](std::size_t k) { next_of_[k] = next_; });
    together_ &= ~elements;
  }

  [[gnu::noinline]] void begin_blocks(TrackBits elements) {
    for_each(elements, [this](std::size_t k) {
      RandomPlace place = first_;
      place.index += k;
      std::uint64_t words[n_words];
      random_words<S>(place, block_[k]++, 1, words, branch_);
      for (std::size_t w = 0; w < n_words; ++w) bits_[w * width + k] = words[w];
    });
  }

  const RandomPlace& first_;
  const std::uint64_t branch_;
  std::uint64_t block_[width]{};  ///< the next of each element
  std::uint64_t bits_[n_words * width]{}, apart_[2 * width]{};
  std::size_t next_ = n_words;    ///< word of those that are together
  std::size_t next_of_[width]{};  ///< of the others
  TrackBits together_ = all_in_pack<S>;
};

}  // namespace gttf::detail
