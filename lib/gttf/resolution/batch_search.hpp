// SPDX-License-Identifier: Apache-2.0
// The vectorised search of crossings.
#pragma once

#include <limits>

#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/trajectory/group_reach.hpp"

namespace gttf::detail {

template <class S>
[[gnu::always_inline]] inline Line<S> line_of(const BatchTracks& t, double bz) {
  using L = PackAccess<S>;
  return make_line(
      TrackValues<S>{L::load(t.p), L::load(t.theta), L::load(t.phi),
                     L::load(t.mass), L::load(t.charge), L::load(t.x),
                     L::load(t.y), L::load(t.z)},
      bz, t.on_axis);
}

template <class S>
[[gnu::always_inline]] inline double largest(const S& x) {
  PackValues elements;
  PackAccess<S>::store(x, elements);
  double most = elements.value[0];
  for (std::size_t i = 1; i < PackAccess<S>::width; ++i)
    most = elements.value[i] > most ? elements.value[i] : most;
  return most;
}

/// Bounds of the lines of all tracks; if one of them is NaN, no surface is far.
template <class S>
[[gnu::always_inline]] inline LineBounds bounds_of_group(const Line<S>& l) {
  using std::abs, std::sqrt;
  const S start = l.on_axis ? S(0) : S(sqrt(l.r2)), c = abs(l.c);
  LineBounds b = {largest(start),         largest(c),
                  -largest(-l.z),         largest(l.z),
                  -largest(-l.cot_theta), largest(l.cot_theta)};
  const auto inside = [](double least, const S& x, double most) {
    return both(S(least) <= x, x <= S(most));
  };
  const auto real = both(both(start <= S(b.start), c <= S(b.c)),
                         both(inside(b.z_min, l.z, b.z_max),
                              inside(b.cot_min, l.cot_theta, b.cot_max)));
  if (any(!real)) b.start = std::numeric_limits<double>::quiet_NaN();
  return b;
}

/// Whether the surfaces of the guess are crossed in its order.
template <class S>
[[gnu::always_inline]] inline void check_order(BatchSearch& task) {
  using L = PackAccess<S>;
  task.in_order = true;
  for (std::size_t k = 0; k + 1 < task.n_guess && task.in_order; ++k) {
    const unsigned i = task.guess[k], j = task.guess[k + 1];
    const S a = L::load(task.arc[i]), b = L::load(task.arc[j]);
    // at equal path in the order of the detector
    const TrackBits right = L::bits(i < j ? a <= b : a < b);
    task.in_order = right == all_in_pack<S>;
  }
}

template <class S>
[[gnu::flatten]] void search_batch(BatchSearch& task) {
  using L = PackAccess<S>;
  const Line<S> line = line_of<S>(*task.tracks, task.bz);
  TrackBits turned_back = 0;
  for (std::size_t i = 0; i < task.n_surfaces; ++i) {
    Crossing<S> x;
    x.arc = x.x_over_x0 = S(0);
    const Reached<S> reached = find_crossing(line, task.surfaces[i].record, x);
    const TrackBits crossed = L::bits(reached.crossed);
    turned_back |= L::bits(reached.turned_back);
    task.crossed[i] = crossed;
    if (crossed == 0) continue;
    L::store(x.arc, task.arc[i]);
    if (task.x_over_x0 != nullptr) L::store(x.x_over_x0, task.x_over_x0[i]);
  }
  task.turned_back = turned_back;
  check_order<S>(task);
}

}  // namespace gttf::detail
