// SPDX-License-Identifier: Apache-2.0
// OtherSurfaces: the surfaces that are not on a list of crossings, laid out for
// a quick look.
#pragma once

#include <algorithm>
#include <vector>

#include "gttf/resolution/detail/lanes.hpp"

namespace gttf::detail {

/// See LaneRanges.
struct RangeArrays {
  std::vector<double> first, last, lower, upper;

  void add(double from, double to, const Interval& extent) {
    first.push_back(from);
    last.push_back(to);
    lower.push_back(extent.lower);
    upper.push_back(extent.upper);
  }
  /// Fills up to full lanes: the last one repeats.
  void pad() {
    while (first.size() % most_lanes != 0)
      add(first.back(), last.back(), {lower.back(), upper.back()});
  }
  LaneRanges view() const {
    return {first.data(), last.data(), lower.data(), upper.data(),
            first.size()};
  }
};

/// Extents of surfaces of one kind.
struct SurfaceExtents {
  RangeArrays single, blocks;
  std::vector<unsigned> surface;

  void add(const SurfaceRecord& s, unsigned index) {
    single.add(s.position, s.position, s.v);
    surface.push_back(index);
  }
  /// Ends a block: those added next are in others.
  void end_block() {
    single.pad();
    while (surface.size() < single.first.size())
      surface.push_back(surface.back());
  }
  void make_blocks() {
    end_block();
    for (std::size_t i = 0; i < surface.size(); i += most_lanes) {
      const auto least = [i](const std::vector<double>& x) {
        return *std::min_element(&x[i], &x[i] + most_lanes);
      };
      const auto most = [i](const std::vector<double>& x) {
        return *std::max_element(&x[i], &x[i] + most_lanes);
      };
      blocks.add(least(single.first), most(single.last),
                 {least(single.lower), most(single.upper)});
    }
    blocks.pad();
  }
  LaneExtents view() const {
    return {single.view(), blocks.view(), surface.data()};
  }
};

struct OtherSurfaces {
  SurfaceExtents disks, cylinders;
  std::vector<unsigned> planes;

  /// @param others  indices into `all`
  OtherSurfaces(const std::vector<LaneSurface>& all,
                const std::vector<unsigned>& others) {
    using Kind = SurfaceRecord::Kind;
    const auto add_disks = [&](bool left) {
      for (const unsigned i : others)
        if (const SurfaceRecord& s = all[i].record;
            s.kind == Kind::disk && (s.position < 0) == left)
          disks.add(s, i);
    };
    add_disks(true);
    disks.end_block();
    add_disks(false);
    disks.make_blocks();
    for (const unsigned i : others) {
      const SurfaceRecord& s = all[i].record;
      if (s.kind == Kind::cylinder)
        cylinders.add(s, i);
      else if (s.kind != Kind::disk)
        planes.push_back(i);
    }
    cylinders.make_blocks();
  }
  OtherSurfaces() = default;

  void put_into(LaneFit& fit) const {
    fit.other_disks = disks.view();
    fit.other_cylinders = cylinders.view();
    fit.other_planes = planes.data();
    fit.n_other_planes = planes.size();
  }
};

}  // namespace gttf::detail
