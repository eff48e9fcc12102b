// SPDX-License-Identifier: Apache-2.0
// CrossedSurfaces: a number for the surfaces that a track crosses.
#pragma once

#include <cstdint>

namespace gttf::detail {

/// The sum of a hash of every surface crossed: the same for the same surfaces,
/// in any order. Those of other surfaces are equal with a probability of 2^-64.
class CrossedSurfaces {
 public:
  void add(std::uint64_t surface) { sum_ += mixed(surface + 1); }
  std::uint64_t number() const { return sum_; }

 private:
  /// SplitMix64: the numbers of consecutive integers are independent.
  /// Source: [Steele14]
  static std::uint64_t mixed(std::uint64_t x) {
    x *= 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint64_t sum_ = 0;
};

}  // namespace gttf::detail
