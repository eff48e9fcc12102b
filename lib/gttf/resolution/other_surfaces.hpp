// SPDX-License-Identifier: Apache-2.0
// OtherSurfaces: the surfaces that are not on a list of crossings, laid out for
// a quick look.
#pragma once

#include <algorithm>
#include <vector>

#include "gttf/resolution/batch_task.hpp"

namespace gttf::detail {

/// Extents of surfaces of one kind, see BatchExtents.
class SurfaceExtents {
 public:
  void add(unsigned surface) { surface_.push_back(surface); }
  /// Those added next are in other blocks; the last one fills this one up.
  void end_block() {
    while (surface_.size() % most_in_pack != 0)
      surface_.push_back(surface_.back());
  }

  /// Once all have been added.
  void lay_out(const std::vector<BatchSurface>& all) {
    end_block();
    if (surface_.empty()) return;
    const std::size_t n = surface_.size(), n_blocks = n / most_in_pack;
    n_ranges_ = (n_blocks + most_in_pack - 1) / most_in_pack * most_in_pack;
    numbers_.resize(3 * n + 4 * n_ranges_);
    double *position = numbers_.data(), *lower = position + n,
           *upper = lower + n;
    for (std::size_t i = 0; i < n; ++i) {
      const SurfaceRecord& s = all[surface_[i]].record;
      position[i] = s.position;
      lower[i] = s.v.lower;
      upper[i] = s.v.upper;
    }
    double* range = upper + n;  // the last one fills the last vector up
    for (std::size_t i = 0; i < n_blocks; ++i) {
      const std::size_t begin = i * most_in_pack;
      const auto [first, last] = std::minmax_element(
          position + begin, position + begin + most_in_pack);
      range[i] = *first;
      range[n_ranges_ + i] = *last;
      range[2 * n_ranges_ + i] =
          *std::min_element(lower + begin, lower + begin + most_in_pack);
      range[3 * n_ranges_ + i] =
          *std::max_element(upper + begin, upper + begin + most_in_pack);
    }
    for (int number = 0; number < 4; ++number, range += n_ranges_)
      std::fill(range + n_blocks, range + n_ranges_, range[n_blocks - 1]);
  }

  BatchExtents view() const {
    const std::size_t n = surface_.size();
    const double *position = numbers_.data(), *range = position + 3 * n;
    return {{position, position, position + n, position + 2 * n, n},
            {range, range + n_ranges_, range + 2 * n_ranges_,
             range + 3 * n_ranges_, n_ranges_},
            surface_.data()};
  }

 private:
  std::vector<unsigned> surface_;
  std::vector<double> numbers_;  ///< as view() takes them apart
  std::size_t n_ranges_ = 0;
};

class OtherSurfaces {
 public:
  /// @param others  indices into `all`
  void set(const std::vector<BatchSurface>& all,
           const std::vector<unsigned>& others) {
    using Kind = SurfaceRecord::Kind;
    for (const bool left : {true, false}) {
      for (const unsigned i : others)
        if (const SurfaceRecord& s = all[i].record;
            s.kind == Kind::disk && (s.position < 0) == left)
          disks_.add(i);
      disks_.end_block();
    }
    for (const unsigned i : others) {
      const Kind kind = all[i].record.kind;
      if (kind == Kind::cylinder)
        cylinders_.add(i);
      else if (kind != Kind::disk)
        planes_.push_back(i);
    }
    disks_.lay_out(all);
    cylinders_.lay_out(all);
  }

  void put_into(BatchTask& fit) const {
    fit.other_disks = disks_.view();
    fit.other_cylinders = cylinders_.view();
    fit.other_planes = planes_.data();
    fit.n_other_planes = planes_.size();
  }

 private:
  SurfaceExtents disks_, cylinders_;
  std::vector<unsigned> planes_;
};

}  // namespace gttf::detail
