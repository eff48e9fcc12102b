// SPDX-License-Identifier: Apache-2.0
// BatchGroups: finds the crossings of tracks and groups tracks with the same
// list, one track per vector element.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/batch_task.hpp"
#include "gttf/resolution/known_lists.hpp"
#include "gttf/resolution/module_search.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/track_material.hpp"

// OtherSurfaces: the surfaces that are not on a list of crossings, stored for a
// fast check.
namespace gttf::detail {

/// Extents of surfaces of one kind, see BatchExtents.
class SurfaceExtents {
 public:
  void reserve(std::size_t n) { surface_.reserve(n); }
  void add(unsigned surface) { surface_.push_back(surface); }
  /// Ends a block: the last surface is repeated to fill it.
  void end_block() {
    while (surface_.size() % most_in_pack != 0)
      surface_.push_back(surface_.back());
  }

  /// Must be called after all have been added.
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
    double* range = upper + n;  // repeat the last one
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
  std::vector<double> numbers_;  ///< as split by view()
  std::size_t n_ranges_ = 0;
};

class OtherSurfaces {
 public:
  /// @param others  indices into `all`
  void set(const std::vector<BatchSurface>& all,
           const std::vector<unsigned>& others) {
    using Kind = SurfaceRecord::Kind;
    const auto kind_of = [&all](unsigned i) { return all[i].record.kind; };
    const auto n_cylinders = static_cast<std::size_t>(
        std::ranges::count(others, Kind::cylinder, kind_of));
    const auto n_disks = static_cast<std::size_t>(
        std::ranges::count(others, Kind::disk, kind_of));
    cylinders_.reserve(n_cylinders + most_in_pack);
    disks_.reserve(n_disks + 2 * most_in_pack);
    for (const bool left : {true, false}) {
      for (const unsigned i : others)
        if (const SurfaceRecord& s = all[i].record;
            s.kind == Kind::disk && (s.position < 0) == left)
          disks_.add(i);
      disks_.end_block();
    }
    for (const unsigned i : others) {
      const Kind kind = kind_of(i);
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

namespace gttf::detail {

/// Surfaces that a track crosses, in order of flight; of modules their kinds,
/// each as often as modules of it are crossed.
struct SurfaceList {
  std::vector<unsigned> surfaces;
  std::vector<unsigned> others;  ///< surfaces it does not cross; no modules
  /// Of these, once the list is a guess.
  std::optional<OtherSurfaces> extents;
  int first = -1, last = -1;  ///< measuring ones
  int n_measuring = 0;
  bool points = false;  ///< as BatchTask::points
};

/// The detector in the form used by kernels.
struct BatchGeometry {
  /// @param layers  of the surfaces, ascending
  BatchGeometry(const TrackingGeometry& geometry,
                std::span<const unsigned> layers);
  ~BatchGeometry() = default;
  BatchGeometry(const BatchGeometry&) = delete;  // referenced by the surfaces
  BatchGeometry& operator=(const BatchGeometry&) = delete;

  const TrackingGeometry& geometry;
  std::vector<unsigned> layers;  ///< of the surfaces
  std::vector<BatchSurface> surfaces;
  std::vector<CoordinateAxis> axes;  ///< of all coordinates
  std::vector<double> weights;
  double bz = 0;
};

/// The layers that all tracks of a group are searched for at once: all but
/// those of a ModuleIndex.
std::vector<unsigned> layers_without_modules(const TrackingGeometry& geometry);

/// A group of tracks that are fitted together.
struct BatchGroup {
  std::size_t n = 0;                  ///< elements in use
  std::size_t track[most_in_pack]{};  ///< of each element; repeated beyond n
  bool in_a_row = false;  ///< track[i] = track[0] + i for all elements
  bool mixed = false;
  bool points = false;  ///< as BatchTask::points
  /// The list that may be theirs, if it is not known for sure.
  const SurfaceList* guess = nullptr;
  bool trial = false;  ///< all of the tracks have to confirm it
  std::vector<ListedSurface> list;
  std::size_t at = BatchTask::nowhere;  ///< as BatchTask::at
  std::size_t n_coordinates = 0;
  int n_measuring = 0;  ///< of the list; if mixed, of one of the tracks
  std::vector<ElementPlane> planes;  ///< of modules on the list
  std::vector<ElementAxis> axes;     ///< of these
};

/// Merges the crossings of `b` into `a`, preserving both orders.
/// @return false if the orders contradict each other; `a` is then unchanged
bool unite(std::vector<unsigned>& a, const std::vector<unsigned>& b);

/// Result of the check of a guess by a fit.
struct GuessCheck {
  bool confirmed = true;
  TrackBits turned_back = 0;
  /// Not for a guess: tracks with a different list.
  TrackBits wrong = 0;
};

/// What a track that loses energy crosses, in order, and whether it turns back
/// before other surfaces.
struct Retraced {
  std::vector<ModuleSearch::Passed> passed;
  bool turned_back = false;
};

/// Processes a block of tracks at a time; keeps the lists found so far.
class BatchGroups {
 public:
  /// @param regions  of the field that the tracks fly through; null: helices
  /// @param loss     what they lose energy in, or null
  /// @param known    lists that are tried first; may be null
  BatchGroups(const BatchGeometry& geometry, const CovarianceKernel& kernel,
              const BatchRegions* regions, const BatchLoss* loss,
              const TrackArrays& tracks, const Model& model, KnownLists* known);

  /// Calls GuessCheck fit(group) for tracks `begin` to `end` with at least
  /// `least_hits` hits, except if `left_out`; of tracks that lose energy, of
  /// which the number of hits is known behind them, for all.
  ///
  /// Tracks in random order are sorted first. Known lists are tried first, on
  /// tracks collected from the block. Then, as
  /// long as consecutive tracks cross the same surfaces, the list of a group
  /// is the guess for the next, checked by the fit. Otherwise lists are
  /// searched, and tracks with equal lists collected from the block.
  ///
  /// Of helices that lose energy, the lists that they would have without are
  /// guesses; for those with wrong guesses the list is searched one by
  /// one, bool retrace(track, Retraced), or, in vain, left: leave(track). In
  /// regions, and through modules, lists are searched with the loss.
  template <class LeftOut, class Fit, class Retrace, class Leave>
  void for_each_group(std::size_t begin, std::size_t end, int least_hits,
                      const LeftOut& left_out, const Fit& fit,
                      const Retrace& retrace, const Leave& leave) {
    start(begin, end);
    order_.resize(end - begin);
    std::size_t n_tracks = 0;
    for (std::size_t track = begin; track < end; ++track)
      if (!left_out(track)) order_[n_tracks++] = track;
    order_.resize(n_tracks);
    sort_by_direction();
    sort_by_start();
    fitted_hits_ = least_hits;
    least_hits_ = slowing_ ? 0 : least_hits;
    if (known_ != nullptr) {
      collect_trials();
      for (std::size_t i = 0; i < trials_.size();) {
        const std::size_t n = make_trial(i);
        if (!accept(fit(group_))) add_to_order(&trials_[i], n);
        i += n;
      }
      sort_by_start();
    }
    for (std::size_t i = 0; i < order_.size();) {
      const std::size_t n = together(i);
      if (make_guess(&order_[i], n)) {
        const GuessCheck check = fit(group_);
        if (accept(check)) {
          i += n;
          continue;
        }
      }
      if (search(&order_[i], n)) find_wrong(fit(group_));
      i += n;
    }
    const auto fit_planned = [&] {
      plan();
      for (const Planned& planned : planned_) {
        make_group(planned);
        find_wrong(fit(group_));
      }
    };
    fit_planned();
    if (known_ != nullptr) remember(end);
    if (wrong_.empty()) return;
    rest_.clear();
    for (const std::size_t track : wrong_) {
      retraced_.passed.clear();
      if (retrace(track, retraced_)) {
        found_.clear();
        take(retraced_.passed);
        ids_[track - begin_] = intern_found(track);
        turned_back_[track - begin_] = retraced_.turned_back;
        rest_.push_back(track);
      } else {
        leave(track);
      }
    }
    wrong_.clear();
    fit_planned();
    for (const std::size_t track : wrong_) leave(track);
  }

  /// The list of a track of the block that was not left out.
  const SurfaceList& list_of(std::size_t track) const {
    return lists_[ids_[track - begin_]];
  }
  bool turned_back(std::size_t track) const {
    return turned_back_[track - begin_] != 0;
  }
  /// For a track that is in no group.
  const TrackMaterial<double>& material(std::size_t track) const {
    return material_[track - begin_];
  }

  /// Those of the list, of which modules have only their kind.
  const std::vector<BatchSurface>& surfaces() const { return surfaces_; }

  /// The tracks of a group as numbers.
  void gather(const BatchGroup& group, BatchTracks& elements) const;

 private:
  struct Planned {
    std::size_t begin, end;  ///< in rest_
    bool mixed;
  };

  void start(std::size_t begin, std::size_t end);
  bool on_axis(std::size_t track) const;
  bool is_onwards(std::size_t track) const;
  /// Tracks of a group use the same formulas: for starts on the axis, or in the
  /// same order of regions.
  bool is_of_first_kind(std::size_t track) const {
    return regions_ != nullptr ? is_onwards(track) : on_axis(track);
  }
  /// Brings tracks of similar polar angles together, unless they already are:
  /// these cross the same surfaces.
  void sort_by_direction();
  void sort_by_start();
  std::size_t together(std::size_t i) const;
  /// Moves tracks with known lists from order_ to trials_, sorted by list.
  void collect_trials();
  /// Forms a group of the trials from `i`.
  /// @return  the number of tracks
  std::size_t make_trial(std::size_t i);
  void add_to_order(const std::size_t* tracks, std::size_t n);
  /// Adds the lists of the block to the known ones.
  void remember(std::size_t end);
  bool make_guess(const std::size_t* tracks, std::size_t n);
  bool accept(const GuessCheck& check);
  bool search(const std::size_t* tracks, std::size_t n);
  /// The list of a track; nothing if it cannot be followed.
  std::optional<std::size_t> find_list(const BatchSearch& found,
                                       std::size_t track, std::size_t element);
  std::size_t intern(const std::vector<unsigned>& surfaces);
  void set_guess(std::size_t id);
  void find_wrong(const GuessCheck& check);
  void plan();
  bool leave_axis_together(std::size_t a, std::size_t b) const;
  bool unite_lists(std::vector<unsigned>& surfaces, std::size_t track) const;
  void set_tracks(const std::size_t* tracks, std::size_t n);
  void set_list(std::size_t id);
  void make_group(const Planned& planned);
  void find_modules(std::size_t track, std::size_t element);
  bool find_slowing(std::size_t track);
  /// Adds surfaces to those that a track crosses.
  void take(const std::vector<ModuleSearch::Passed>& passed);
  /// The list of the track that crosses these.
  std::size_t intern_found(std::size_t track);
  unsigned kind_of(unsigned module);
  bool have_same_slabs(std::size_t a, std::size_t b) const;
  bool is_module(unsigned surface) const {
    return surface >= geometry_.surfaces.size();
  }
  void place_modules();
  void put_module(const ModuleCrossing& crossing, std::size_t element,
                  const ListedSurface& c);
  bool are_points(const SurfaceList& list) const;
  void add_crossings(const std::vector<unsigned>& surfaces);

  const BatchGeometry& geometry_;
  const ModuleIndex* modules_;          ///< or null
  std::vector<BatchSurface> surfaces_;  ///< and kinds of modules
  std::vector<std::size_t> slabs_of_;   ///< of these: ListedSurface::slabs_of
  const CovarianceKernel& kernel_;
  const BatchRegions* regions_;
  const TrackArrays& tracks_;
  bool one_kind_;    ///< is_of_first_kind() of all tracks
  bool may_guess_;   ///< whether a fit can check a guessed list
  bool from_start_;  ///< a beam spot is the first hit
  bool slowing_;     ///< energy is lost
  bool may_unite_;   ///< tracks with other lists may share a group
  std::optional<AtLayer> at_;
  KnownLists* known_;
  std::vector<std::size_t> id_of_known_;  ///< indices in lists_
  std::vector<std::size_t> known_of_id_;  ///< and back

  std::vector<SurfaceList> lists_;
  std::unordered_multimap<std::size_t, std::size_t> by_hash_;
  std::size_t guess_ = 0;
  bool trusted_ = false;  ///< the last guess was correct

  std::size_t begin_ = 0;
  std::vector<std::size_t> ids_;  ///< of the list of each track of the block;
                                  ///< 0 is the empty one
  std::vector<TrackMaterial<double>> material_;
  std::vector<char> turned_back_;

  std::vector<unsigned> its_surfaces_;  ///< of one track, temporary
  struct FoundCrossing {
    double arc;
    unsigned layer, surface;
    double x_over_x0;
  };
  std::vector<FoundCrossing> found_;  ///< the same, in order of flight
  std::vector<FoundCrossing> found_without_loss_;
  Retraced retraced_;
  std::vector<unsigned> near_;
  std::vector<ModuleCrossing> crossed_modules_;
  TrackBits turned_back_by_modules_ = 0;
  /// Of all tracks of the block, and where those of each begin.
  std::vector<ModuleCrossing> module_crossings_;
  std::vector<std::size_t> its_modules_;
  std::vector<TrackBits> crossed_;
  std::vector<unsigned> crossed_surfaces_;  ///< by any track of a group
  /// By surface; set where a track crosses it.
  std::unique_ptr<PackValues[]> arc_, x_over_x0_;
  const BatchLoss* all_loss_;
  const BatchLoss* loss_ = nullptr;      ///< if it bends tracks in regions
  std::unique_ptr<PackValues[]> media_;  ///< as BatchSearch::media
  /// Of modules, if energy is lost there.
  std::optional<ModuleSearch> module_search_;
  std::vector<ModuleAhead> others_ahead_;  ///< of one track, temporary
  int least_hits_ = 0, fitted_hits_ = 0;
  std::vector<std::size_t> order_, trials_, rest_, wrong_;
  std::vector<std::size_t> sorted_, bins_, bin_ends_;  ///< temporary
  std::vector<Planned> planned_;
  BatchGroup group_;
  std::size_t group_id_ = 0;  ///< of the list of group_; 0: of several lists
};

}  // namespace gttf::detail
