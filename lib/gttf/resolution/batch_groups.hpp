// SPDX-License-Identifier: Apache-2.0
// BatchGroups: finds the crossings of tracks and puts tracks with the same list
// of them together, one in each element of a vector.
#pragma once

#include <unordered_map>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/resolution/other_surfaces.hpp"
#include "gttf/trajectory/track_material.hpp"

namespace gttf::detail {

/// Surfaces that a track crosses, in order of flight.
struct SurfaceList {
  std::vector<unsigned> surfaces;
  std::vector<unsigned> others;  ///< surfaces that it does not cross
  OtherSurfaces extents;         ///< of these
  int first = -1, last = -1;     ///< measuring ones
  int n_measuring = 0;
  bool points = false;  ///< as BatchTask::points
};

/// The detector as lanes see it.
struct BatchGeometry {
  explicit BatchGeometry(const TrackingGeometry& geometry);
  ~BatchGeometry() = default;
  BatchGeometry(const BatchGeometry&) = delete;  // surfaces point to these
  BatchGeometry& operator=(const BatchGeometry&) = delete;

  std::vector<BatchSurface> surfaces;
  std::vector<CoordinateAxis> axes;  ///< of all coordinates
  std::vector<double> weights;
  double bz = 0;
};

/// Tracks that are fitted together.
struct BatchGroup {
  std::size_t n = 0;                  ///< lanes in use
  std::size_t track[most_in_pack]{};  ///< of each lane; those beyond n repeat
  bool in_a_row = false;              ///< track[i] = track[0] + i for all lanes
  bool mixed = false;
  bool points = false;  ///< as BatchTask::points
  /// The list that may be theirs, if they have not been searched for it.
  const SurfaceList* guess = nullptr;
  std::vector<ListedSurface> list;
  std::size_t n_coordinates = 0;
};

/// Adds the crossings of `b` to those of `a`: both orders are kept.
/// @return  false if the two contradict each other; `a` is then unchanged
bool unite(std::vector<unsigned>& a, const std::vector<unsigned>& b);

/// What a fit has found of a guess.
struct GuessCheck {
  bool confirmed = true;
  TrackBits turned_back = 0;
};

/// Works on a block of tracks at a time; keeps the lists that it has met.
class BatchGroups {
 public:
  /// @param may_guess  a fit can check a list that is not known for sure
  BatchGroups(const BatchGeometry& geometry, const CovarianceKernel& kernel,
              const TrackArrays& tracks, bool may_guess);

  /// Calls GuessCheck fit(group) for all of the tracks `begin` to `end` with at
  /// least `least_hits` hits, but for those that `left_out` tells.
  ///
  /// As long as neighbours cross the same surfaces, the list of one group is
  /// the guess of the next, which the fit checks by the way. Else the lists are
  /// searched for, and tracks with equal ones gathered from the whole block.
  template <class LeftOut, class Fit>
  void for_each_group(std::size_t begin, std::size_t end, int least_hits,
                      const LeftOut& left_out, const Fit& fit) {
    start(begin, end);
    for (std::size_t track = begin; track < end; ++track)
      if (!left_out(track)) order_.push_back(track);
    sort_by_start();
    least_hits_ = least_hits;
    for (std::size_t i = 0; i < order_.size();) {
      const std::size_t n = together(i);
      if (make_guess(&order_[i], n)) {
        const GuessCheck check = fit(group_);
        if (accept(check)) {
          i += n;
          continue;
        }
      }
      if (search(&order_[i], n)) fit(group_);
      i += n;
    }
    plan();
    for (const Planned& planned : planned_) {
      make_group(planned);
      fit(group_);
    }
  }

  /// Of a track of the block that has not been left out.
  const SurfaceList& list_of(std::size_t track) const {
    return lists_[ids_[track - begin_]];
  }
  bool turned_back(std::size_t track) const {
    return turned_back_[track - begin_] != 0;
  }
  /// Of a track that is in no group.
  const TrackMaterial<double>& material(std::size_t track) const {
    return material_[track - begin_];
  }

  /// The tracks of a group as numbers.
  void gather(const BatchGroup& group, BatchTracks& lanes) const;

 private:
  struct Planned {
    std::size_t begin, end;  ///< in rest_
    bool mixed;
  };

  void start(std::size_t begin, std::size_t end);
  bool on_axis(std::size_t track) const;
  void sort_by_start();
  std::size_t together(std::size_t i) const;
  bool make_guess(const std::size_t* tracks, std::size_t n);
  bool accept(const GuessCheck& check);
  bool search(const std::size_t* tracks, std::size_t n);
  std::size_t find_list(const BatchSearch& found, std::size_t lane);
  std::size_t intern(const std::vector<unsigned>& surfaces);
  void plan();
  void set_tracks(const std::size_t* tracks, std::size_t n);
  void set_list(std::size_t id);
  void make_group(const Planned& planned);
  bool are_points(const SurfaceList& list) const;
  void add_crossings(const std::vector<unsigned>& surfaces);

  const BatchGeometry& geometry_;
  const CovarianceKernel& kernel_;
  const TrackArrays& tracks_;
  bool one_start_, may_guess_;

  std::vector<SurfaceList> lists_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;
  std::size_t guess_ = 0;
  bool trusted_ = false;  ///< the guess was right the last time

  std::size_t begin_ = 0;
  std::vector<std::size_t> ids_;  ///< of the list of each track of the block;
                                  ///< 0 is the empty one
  std::vector<TrackMaterial<double>> material_;
  std::vector<char> turned_back_;

  std::vector<unsigned> its_surfaces_;  ///< of one track, to be kept or not
  std::vector<TrackBits> crossed_;
  std::vector<PackValues> arc_, x_over_x0_;  ///< by surface
  int least_hits_ = 0;
  std::vector<std::size_t> order_, rest_;
  std::vector<Planned> planned_;
  BatchGroup group_;
  std::size_t group_id_ = 0;  ///< of the list of group_; 0: of several lists
};

}  // namespace gttf::detail
