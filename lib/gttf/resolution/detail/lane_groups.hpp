// SPDX-License-Identifier: Apache-2.0
// LaneGroups: finds the crossings of tracks and puts tracks with the same list
// of them together, one per lane.
#pragma once

#include <unordered_map>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/detail/lanes.hpp"

namespace gttf::detail {

/// Surfaces that a track crosses, in order of flight.
struct CrossingList {
  std::vector<unsigned> surfaces;
  int first = -1, last = -1;  ///< measuring ones
  int n_measuring = 0;
};

/// The detector as lanes see it.
struct LaneGeometry {
  explicit LaneGeometry(const TrackingGeometry& geometry);

  std::vector<LaneSurface> surfaces;
  double bz = 0;
};

/// Tracks that are fitted together.
struct LaneGroup {
  std::size_t n = 0;                ///< lanes in use
  std::size_t track[most_lanes]{};  ///< of each lane; those beyond n repeat
  bool mixed = false;
  std::vector<LaneCrossing> list;
  std::size_t n_coordinates = 0;
};

/// Adds the crossings of `b` to those of `a`: both orders are kept.
/// @return  false if the two contradict each other; `a` is then unchanged
bool unite(std::vector<unsigned>& a, const std::vector<unsigned>& b);

/// Works on a block of tracks at a time; keeps the lists that it has met.
class LaneGroups {
 public:
  LaneGroups(const LaneGeometry& geometry, const LaneKernel& kernel,
             const TrackArrays& tracks);

  /// Finds the crossings of the tracks `begin` to `end`.
  void search(std::size_t begin, std::size_t end);

  const CrossingList& list_of(std::size_t track) const {
    return lists_[ids_[track - begin_]];
  }
  double x_over_x0(std::size_t track) const {
    return x_over_x0_[track - begin_];
  }
  bool turned_back(std::size_t track) const {
    return turned_back_[track - begin_] != 0;
  }

  /// Calls use(group) for all tracks with at least `least_hits` hits.
  template <class Use>
  void for_each_group(int least_hits, const Use& use) {
    plan(least_hits);
    for (std::size_t i = 0; i < n_groups_; ++i) use(make_group(i));
  }

  /// The tracks of a group as numbers.
  void gather(const LaneGroup& group, LaneTracks& lanes) const;

 private:
  struct Planned {
    std::size_t begin, end;  ///< in order_
    bool mixed;
  };

  void search_lanes(const std::size_t* tracks, std::size_t n);
  std::size_t find_list(const LaneSearch& found, std::size_t lane);
  std::size_t intern(std::vector<unsigned> surfaces);
  void fill(const std::size_t* tracks, LaneTracks& lanes) const;
  void plan(int least_hits);
  const LaneGroup& make_group(std::size_t i);
  void add_crossings(const std::vector<unsigned>& surfaces);

  const LaneGeometry& geometry_;
  const LaneKernel& kernel_;
  const TrackArrays& tracks_;
  bool one_start_;

  std::vector<CrossingList> lists_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;
  std::size_t guess_ = 0;

  std::size_t begin_ = 0;
  std::vector<std::size_t> ids_;  ///< of the list of each track of the block
  std::vector<double> x_over_x0_;
  std::vector<char> turned_back_;

  std::vector<LaneBits> crossed_;
  std::vector<LaneValues> arc_;
  std::vector<std::size_t> order_;
  std::vector<Planned> planned_;
  std::size_t n_groups_ = 0;
  LaneGroup group_;
};

}  // namespace gttf::detail
