// SPDX-License-Identifier: Apache-2.0
// Lanes of any number type: how they are loaded and stored, and the search of
// the crossings in lanes.
#pragma once

#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/detail/lanes.hpp"
#include "gttf/trajectory/reach.hpp"

namespace gttf::detail {

/// A Pack, or one double as a single lane.
template <class S>
struct Lane {
  static constexpr std::size_t width = S::size;
  using Mask = typename S::Mask;
  [[gnu::always_inline]] static S load(const LaneValues& x) {
    return S::load(x.value);
  }
  [[gnu::always_inline]] static S load(const double* x) { return S::load(x); }
  [[gnu::always_inline]] static void store(const S& from, LaneValues& to) {
    from.store(to.value);
  }
  [[gnu::always_inline]] static void store(const S& from, double* to) {
    from.store(to);
  }
  [[gnu::always_inline]] static Mask mask(LaneBits bits) {
    return S::mask_of(bits);
  }
  [[gnu::always_inline]] static LaneBits bits(const Mask& mask) {
    return lane_bits(mask);
  }
};

template <>
struct Lane<double> {
  static constexpr std::size_t width = 1;
  using Mask = bool;
  static double load(const LaneValues& x) { return x.value[0]; }
  static double load(const double* x) { return *x; }
  static void store(double from, LaneValues& to) { to.value[0] = from; }
  static void store(double from, double* to) { *to = from; }
  static bool mask(LaneBits bits) { return (bits & 1) != 0; }
  static LaneBits bits(bool mask) { return mask ? 1 : 0; }
};

template <class S>
inline constexpr LaneBits all_lanes = (1u << Lane<S>::width) - 1;

template <class S>
[[gnu::always_inline]] inline Line<S> line_of(const LaneTracks& t, double bz) {
  using L = Lane<S>;
  return make_line(
      TrackValues<S>{L::load(t.p), L::load(t.theta), L::load(t.phi),
                     L::load(t.mass), L::load(t.charge), L::load(t.x),
                     L::load(t.y), L::load(t.z)},
      bz, t.on_axis);
}

template <class S>
[[gnu::flatten]] void search_lanes(LaneSearch& task) {
  using L = Lane<S>;
  const Line<S> line = line_of<S>(*task.tracks, task.bz);
  S sum(0);
  LaneBits turned_back = 0;
  for (std::size_t i = 0; i < task.n_surfaces; ++i) {
    Crossing<S> x;
    x.arc = x.x_over_x0 = S(0);
    const Reached<S> reached = find_crossing(line, task.surfaces[i].record, x);
    const LaneBits crossed = L::bits(reached.crossed);
    turned_back |= L::bits(reached.turned_back);
    task.crossed[i] = crossed;
    if (crossed == 0) continue;
    L::store(x.arc, task.arc[i]);
    sum = sum + select(reached.crossed, x.x_over_x0, S(0));
  }
  task.turned_back = turned_back;
  task.in_order = true;
  for (std::size_t k = 0; k + 1 < task.n_guess && task.in_order; ++k) {
    const unsigned i = task.guess[k], j = task.guess[k + 1];
    const S a = L::load(task.arc[i]), b = L::load(task.arc[j]);
    // at equal path in the order of the detector
    const LaneBits right = L::bits(i < j ? a <= b : a < b);
    task.in_order = right == all_lanes<S>;
  }
  L::store(sum, task.x_over_x0);
}

}  // namespace gttf::detail
