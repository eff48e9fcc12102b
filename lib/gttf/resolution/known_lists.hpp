// SPDX-License-Identifier: Apache-2.0
// KnownLists: which surfaces the tracks of a batch crossed before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "gttf/resolution/batch_states.hpp"

namespace gttf {

/// The surfaces that tracks crossed, for the same tracks in a similar geometry:
/// guesses, which the fit checks. Where they hold, no list has to be searched;
/// results do not depend on them.
class KnownLists {
 public:
  /// Begins with these tracks. Forgets the lists if there are other tracks or
  /// surfaces than before.
  void begin(std::size_t tracks, std::size_t surfaces) {
    if (of_track_.size() == tracks && n_surfaces_ == surfaces &&
        lists_.size() < most_lists)
      return;
    of_track_.assign(tracks, none);
    n_surfaces_ = surfaces;
    lists_.clear();
  }

  std::size_t size() const { return lists_.size(); }
  const std::vector<unsigned>& list(std::size_t i) const { return lists_[i]; }
  /// Index of the list of a track; none: not known.
  std::size_t of_track(std::size_t track) const { return of_track_[track]; }

  /// @return  its index
  std::size_t add(const std::vector<unsigned>& surfaces) {
    const auto known = std::ranges::find(lists_, surfaces);
    const auto i = static_cast<std::size_t>(known - lists_.begin());
    if (known == lists_.end()) lists_.push_back(surfaces);
    return i;
  }
  void set(std::size_t track, std::size_t list) { of_track_[track] = list; }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

 private:
  static constexpr std::size_t most_lists = 4096;

  std::vector<std::size_t> of_track_;
  std::vector<std::vector<unsigned>> lists_;
  std::size_t n_surfaces_ = 0;
};

/// resolve() of a batch, on one thread, with guesses of the lists; they are
/// those of this geometry afterwards.
BatchStatistics resolve(const TrackingGeometry& geometry,
                        const TrackArrays& tracks, const Model& model,
                        const ResolutionArrays& results,
                        const StateArrays& states, KnownLists& known,
                        CodePath path = CodePath::best);

}  // namespace gttf
