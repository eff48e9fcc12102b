// SPDX-License-Identifier: Apache-2.0
// Lane: numbers of any type as lanes, loaded and stored.
#pragma once

#include "gttf/core/pack_functions.hpp"
#include "gttf/core/pack_values.hpp"

namespace gttf::detail {

/// A Pack, or one double as a single lane.
template <class S>
struct PackAccess {
  static constexpr std::size_t width = S::size;
  using Mask = typename S::Mask;
  [[gnu::always_inline]] static S load(const PackValues& x) {
    return S::load(x.value);
  }
  [[gnu::always_inline]] static S load(const double* x) { return S::load(x); }
  [[gnu::always_inline]] static void store(const S& from, PackValues& to) {
    from.store(to.value);
  }
  [[gnu::always_inline]] static void store(const S& from, double* to) {
    from.store(to);
  }
  [[gnu::always_inline]] static Mask mask(TrackBits bits) {
    return S::mask_of(bits);
  }
  [[gnu::always_inline]] static TrackBits bits(const Mask& mask) {
    return track_bits(mask);
  }
};

template <>
struct PackAccess<double> {
  static constexpr std::size_t width = 1;
  using Mask = bool;
  static double load(const PackValues& x) { return x.value[0]; }
  static double load(const double* x) { return *x; }
  static void store(double from, PackValues& to) { to.value[0] = from; }
  static void store(double from, double* to) { *to = from; }
  static bool mask(TrackBits bits) { return (bits & 1) != 0; }
  static TrackBits bits(bool mask) { return mask ? 1 : 0; }
};

template <class S>
inline constexpr TrackBits all_in_pack = (1u << PackAccess<S>::width) - 1;

}  // namespace gttf::detail
