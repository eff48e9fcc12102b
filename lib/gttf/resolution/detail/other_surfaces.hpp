// SPDX-License-Identifier: Apache-2.0
// OtherSurfaces: the surfaces that are not on a list of crossings, laid out for
// a quick look.
#pragma once

#include <vector>

#include "gttf/resolution/detail/lanes.hpp"

namespace gttf::detail {

/// Extents of surfaces of one kind. Padded to full lanes: the last one repeats.
struct SurfaceExtents {
  std::vector<double> position, lower, upper;
  std::vector<unsigned> surface;

  void add(const SurfaceRecord& s, unsigned index) {
    position.push_back(s.position);
    lower.push_back(s.v.lower);
    upper.push_back(s.v.upper);
    surface.push_back(index);
  }
  void pad() {
    while (surface.size() % most_lanes != 0) {
      position.push_back(position.back());
      lower.push_back(lower.back());
      upper.push_back(upper.back());
      surface.push_back(surface.back());
    }
  }
  LaneExtents view() const {
    return {position.data(), lower.data(), upper.data(), surface.data(),
            surface.size()};
  }
};

struct OtherSurfaces {
  SurfaceExtents disks, cylinders;
  std::vector<unsigned> planes;

  void add(const SurfaceRecord& s, unsigned index) {
    using Kind = SurfaceRecord::Kind;
    if (s.kind == Kind::disk)
      disks.add(s, index);
    else if (s.kind == Kind::cylinder)
      cylinders.add(s, index);
    else
      planes.push_back(index);
  }
  void pad() {
    disks.pad();
    cylinders.pad();
  }
  void put_into(LaneFit& fit) const {
    fit.other_disks = disks.view();
    fit.other_cylinders = cylinders.view();
    fit.other_planes = planes.data();
    fit.n_other_planes = planes.size();
  }
};

}  // namespace gttf::detail
