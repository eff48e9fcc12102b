// SPDX-License-Identifier: Apache-2.0
// LaneListCheck: do all lanes cross the surfaces of a guessed list, in its
// order, and no others?
#pragma once

#include "gttf/resolution/lane_search.hpp"

namespace gttf::detail {

template <class S>
class LaneListCheck {
 public:
  LaneListCheck(LaneFit& task, const Line<S>& line)
      : task_(task), line_(line) {}

  /// Is the guess right about the surfaces that are not on the list? Most are
  /// far from all lanes, which is looked at for many blocks of surfaces at a
  /// time, and for the surfaces of a block that is not.
  bool misses_others() {
    task_.confirmed = false;
    task_.turned_back = 0;
    const LineBounds b = bounds_of_lanes(line_);
    const auto misses = [&](const LaneExtents& all, const auto& are_far) {
      const auto none_near = [&](const LaneRanges& r, std::size_t begin,
                                 std::size_t end, const auto& look_at) {
        for (std::size_t i = begin; i < end; i += L::width) {
          LaneBits near = all_lanes<S> &
                          ~L::bits(are_far(
                              b, {L::load(&r.first[i]), L::load(&r.last[i]),
                                  L::load(&r.lower[i]), L::load(&r.upper[i])}));
          for (; near != 0; near &= near - 1)
            if (!look_at(i + static_cast<std::size_t>(__builtin_ctz(near))))
              return false;
        }
        return true;
      };
      return none_near(all.blocks, 0, all.blocks.n, [&](std::size_t block) {
        const std::size_t begin = block * most_lanes;
        return begin >= all.single.n ||
               none_near(
                   all.single, begin, begin + most_lanes,
                   [&](std::size_t i) { return !crosses(all.surface[i]); });
      });
    };
    if (!misses(task_.other_disks, are_far_disks<S>)) return false;
    if (!misses(task_.other_cylinders, are_far_cylinders<S>)) return false;
    for (std::size_t i = 0; i < task_.n_other_planes; ++i)
      if (crosses(task_.other_planes[i])) return false;
    return true;
  }

  /// Is it right about the crossing `k`? To be asked from the outermost one
  /// inwards. At equal path, surfaces are crossed in the order of the detector.
  void on_list(std::size_t k, const SurfaceRecord& s, const Crossing<S>& x) {
    as_guessed_ = both(as_guessed_, is_crossed(line_, s, x));
    if (k + 1 < task_.n_crossings &&
        !(line_.on_axis && task_.list[k].inside_next)) {
      const bool tie = task_.list[k].surface < task_.list[k + 1].surface;
      as_guessed_ =
          both(as_guessed_, tie ? x.arc <= outer_arc_ : x.arc < outer_arc_);
    }
    outer_arc_ = x.arc;
  }

  /// The answer, once all crossings have been looked at.
  bool confirm() {
    return task_.confirmed = L::bits(as_guessed_) == all_lanes<S>;
  }

 private:
  using L = Lane<S>;

  /// Does any lane cross a surface that is not on the list?
  bool crosses(unsigned surface) {
    Crossing<S> x;
    const Reached<S> reached =
        find_crossing(line_, task_.surfaces[surface].record, x);
    task_.turned_back |= L::bits(reached.turned_back);
    return any(reached.crossed);
  }

  LaneFit& task_;
  const Line<S>& line_;
  S outer_arc_{0};  ///< of the crossing outside
  MaskOf<S> as_guessed_ = S(0) < S(1);
};

}  // namespace gttf::detail
