// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <tuple>

#include "gttf/resolution/batch_groups.hpp"

#include "gttf/fit/streaming/stream.hpp"

namespace gttf::detail {
namespace {

/// Maximum number of lists; above it they are discarded between blocks.
constexpr std::size_t most_lists = 4096;

std::size_t hash_of(const std::vector<unsigned>& surfaces) {
  std::uint64_t h = 0xcbf29ce484222325;  // FNV-1a
  for (const unsigned s : surfaces) h = (h ^ s) * 0x100000001b3;
  return static_cast<std::size_t>(h);
}

double at(std::span<const double> values, std::size_t i) {
  return values[values.size() == 1 ? 0 : i];
}

/// Whether `a` is a cylinder inside the cylinder `b`, by more than rounding.
bool is_inside(const SurfaceRecord& a, const SurfaceRecord& b) {
  using Kind = SurfaceRecord::Kind;
  return a.kind == Kind::cylinder && b.kind == Kind::cylinder &&
         a.position < b.position * (1 - 1e-9);
}

}  // namespace

BatchGeometry::BatchGeometry(const TrackingGeometry& geometry)
    : bz(geometry.bz()) {
  std::size_t n = 0;
  for (const SurfaceRecord& s : geometry.surfaces()) n += s.n_axes;
  axes.reserve(n);
  weights.reserve(n);
  surfaces.reserve(geometry.surfaces().size());
  for (const SurfaceRecord& s : geometry.surfaces()) {
    const auto its_axes = geometry.axes(s);
    const std::size_t independent = independent_axis(its_axes);
    surfaces.push_back({s, std::log(s.x_over_x0), axes.data() + axes.size(),
                        weights.data() + weights.size(), independent});
    for (std::size_t q = 0; q < its_axes.size(); ++q) {
      axes.push_back(its_axes[in_order(q, independent)]);
      weights.push_back(1 / axes.back().variance);
    }
  }
}

bool unite(std::vector<unsigned>& a, const std::vector<unsigned>& b) {
  std::vector<unsigned> both;
  both.reserve(a.size() + b.size());
  const auto has = [](std::vector<unsigned>::const_iterator from,
                      const std::vector<unsigned>& list, unsigned s) {
    return std::find(from, list.end(), s) != list.end();
  };
  auto i = a.cbegin(), j = b.cbegin();
  while (i != a.cend() && j != b.cend()) {
    if (*i == *j) {
      both.push_back(*i++);
      ++j;
    } else if (!has(j, b, *i)) {
      both.push_back(*i++);
    } else if (!has(i, a, *j)) {
      both.push_back(*j++);
    } else {
      return false;
    }
  }
  both.insert(both.end(), i, a.cend());
  both.insert(both.end(), j, b.cend());
  a = std::move(both);
  return true;
}

BatchGroups::BatchGroups(const BatchGeometry& geometry,
                         const CovarianceKernel& kernel,
                         const TrackArrays& tracks, const Model& model)
    : geometry_(geometry),
      kernel_(kernel),
      tracks_(tracks),
      one_start_(tracks.x.size() == 1 && tracks.y.size() == 1),
      // it is checked on the way, on which highland_total needs the sum up to
      // the last hit
      may_guess_(model.scattering != Scattering::highland_total),
      from_start_(model.beam_spot.has_value()),
      slowing_(model.loss != EnergyLoss::off),
      at_(model.at),
      crossed_(geometry.surfaces.size()),
      arc_(geometry.surfaces.size()),
      x_over_x0_(geometry.surfaces.size()) {
  intern({});
}

void BatchGroups::gather(const BatchGroup& group, BatchTracks& lanes) const {
  const auto put = [&](std::span<const double> from, PackValues& to) {
    // possibly more lanes than in use, because a fixed number is faster
    if (from.size() == 1)
      std::fill_n(to.value, most_in_pack, from[0]);
    else if (group.in_a_row && group.track[0] + most_in_pack <= from.size())
      std::memcpy(to.value, &from[group.track[0]], sizeof to.value);
    else
      for (std::size_t lane = 0; lane < kernel_.width; ++lane)
        to.value[lane] = from[group.track[lane]];
  };
  put(tracks_.p, lanes.p);
  put(tracks_.theta, lanes.theta);
  put(tracks_.phi, lanes.phi);
  put(tracks_.mass, lanes.mass);
  put(tracks_.charge, lanes.charge);
  put(tracks_.x, lanes.x);
  put(tracks_.y, lanes.y);
  put(tracks_.z, lanes.z);
  lanes.on_axis = on_axis(group.track[0]);
  if (group.guess != nullptr) return;
  for (std::size_t lane = 0; lane < kernel_.width; ++lane)
    lanes.x_over_x0.value[lane] = material(group.track[lane]).to_last_hit;
}

void BatchGroups::start(std::size_t begin, std::size_t end) {
  if (lists_.size() > most_lists) {
    lists_.resize(1);
    by_hash_.clear();
    guess_ = group_id_ = 0;
    trusted_ = false;
  }
  begin_ = begin;
  ids_.assign(end - begin, 0);
  material_.resize(end - begin);
  turned_back_.assign(end - begin, 0);
  order_.clear();
  rest_.clear();
  wrong_.clear();
}

bool BatchGroups::on_axis(std::size_t track) const {
  return at(tracks_.x, track) == 0 && at(tracks_.y, track) == 0;
}

/// Lanes on the axis and others have different formulas.
void BatchGroups::sort_by_start() {
  if (one_start_) return;
  std::stable_partition(order_.begin(), order_.end(),
                        [&](std::size_t track) { return on_axis(track); });
}

/// Number of tracks from order_[i] that can be lanes of one group.
std::size_t BatchGroups::together(std::size_t i) const {
  const std::size_t n = std::min(kernel_.width, order_.size() - i);
  if (one_start_ || on_axis(order_[i]) == on_axis(order_[i + n - 1])) return n;
  std::size_t same = 1;
  while (on_axis(order_[i + same]) == on_axis(order_[i])) ++same;
  return same;
}

void BatchGroups::set_tracks(const std::size_t* tracks, std::size_t n) {
  group_.n = n;
  group_.in_a_row = true;
  for (std::size_t lane = 0; lane < kernel_.width; ++lane) {
    group_.track[lane] = tracks[std::min(lane, n - 1)];
    group_.in_a_row =
        group_.in_a_row && group_.track[lane] == group_.track[0] + lane;
  }
}

bool BatchGroups::make_guess(const std::size_t* tracks, std::size_t n) {
  if (!may_guess_ || !trusted_) return false;
  if (lists_[guess_].n_measuring < least_hits_) return false;
  set_tracks(tracks, n);
  set_list(guess_);
  group_.guess = &lists_[guess_];
  group_.trial = true;
  return true;
}

void BatchGroups::find_wrong(const GuessCheck& check) {
  for (std::size_t lane = 0; check.wrong != 0 && lane < group_.n; ++lane)
    if ((check.wrong >> lane & 1) != 0) wrong_.push_back(group_.track[lane]);
}

bool BatchGroups::accept(const GuessCheck& check) {
  trusted_ = check.confirmed;
  if (trusted_)
    for (std::size_t lane = 0; lane < group_.n; ++lane) {
      const std::size_t i = group_.track[lane] - begin_;
      ids_[i] = guess_;
      turned_back_[i] = (check.turned_back >> lane & 1) != 0;
    }
  group_.guess = nullptr;
  group_.trial = false;
  return trusted_;
}

/// Finds the lists of up to one group of tracks. If the list is the same for
/// all, with enough hits, they become a group; otherwise they are deferred.
bool BatchGroups::search(const std::size_t* tracks, std::size_t n) {
  set_tracks(tracks, n);
  BatchTracks lanes;
  gather(group_, lanes);
  const SurfaceList& guess = lists_[guess_];
  BatchSearch task;
  task.surfaces = geometry_.surfaces.data();
  task.n_surfaces = geometry_.surfaces.size();
  task.bz = geometry_.bz;
  task.tracks = &lanes;
  task.crossed = crossed_.data();
  task.arc = arc_.data();
  task.x_over_x0 = x_over_x0_.data();
  task.guess = guess.surfaces.data();
  task.n_guess = guess.surfaces.size();
  kernel_.search(task);

  const TrackBits all = (TrackBits{1} << kernel_.width) - 1;
  bool as_guessed = task.in_order;
  if (as_guessed) {
    // all lanes cross the guessed surfaces, and the same number of surfaces
    std::size_t n_crossed = 0;
    for (const unsigned s : guess.surfaces)
      as_guessed = as_guessed && crossed_[s] == all;
    for (const TrackBits bits : crossed_) n_crossed += bits != 0;
    as_guessed = as_guessed && n_crossed == guess.surfaces.size();
  }
  bool same = true;
  for (std::size_t lane = 0; lane < n; ++lane) {
    const std::size_t i = tracks[lane] - begin_;
    ids_[i] = as_guessed ? guess_ : find_list(task, lane);
    const SurfaceList& list = lists_[ids_[i]];
    material_[i] = sum_material<double>(
        list.surfaces.size(), list.last, [&](std::size_t k) {
          return x_over_x0_[list.surfaces[k]].value[lane];
        });
    turned_back_[i] = (task.turned_back >> lane & 1) != 0;
    same = same && ids_[i] == ids_[tracks[0] - begin_];
  }
  guess_ = ids_[tracks[n - 1] - begin_];
  trusted_ = same;
  if (same && lists_[guess_].n_measuring >= least_hits_) {
    set_list(guess_);
    return true;
  }
  for (std::size_t lane = 0; lane < n; ++lane)
    if (list_of(tracks[lane]).n_measuring >= least_hits_)
      rest_.push_back(tracks[lane]);
  return false;
}

std::size_t BatchGroups::find_list(const BatchSearch& found, std::size_t lane) {
  std::vector<unsigned>& surfaces = its_surfaces_;
  surfaces.clear();
  for (unsigned i = 0; i < found.n_surfaces; ++i) {
    if ((found.crossed[i] >> lane & 1) == 0) continue;
    // sorted by path, at equal path in the order of the detector
    auto place = surfaces.end();
    const double arc = found.arc[i].value[lane];
    while (place != surfaces.begin() &&
           found.arc[*std::prev(place)].value[lane] > arc)
      --place;
    surfaces.insert(place, i);
  }
  return intern(surfaces);
}

std::size_t BatchGroups::intern(const std::vector<unsigned>& surfaces) {
  const std::size_t hash = hash_of(surfaces);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto i = from; i != to; ++i)
    if (lists_[i->second].surfaces == surfaces) return i->second;
  SurfaceList list;
  std::vector<bool> crossed(geometry_.surfaces.size());
  for (const unsigned s : surfaces) crossed[s] = true;
  for (unsigned s = 0; s < crossed.size(); ++s)
    if (!crossed[s]) list.others.push_back(s);
  list.extents.set(geometry_.surfaces, list.others);
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    if (!geometry_.surfaces[surfaces[k]].record.measures()) continue;
    if (list.first < 0) list.first = static_cast<int>(k);
    list.last = static_cast<int>(k);
    ++list.n_measuring;
  }
  list.surfaces = surfaces;
  list.points = are_points(list);
  by_hash_.emplace(hash, lists_.size());
  lists_.push_back(std::move(list));
  return lists_.size() - 1;
}

bool BatchGroups::are_points(const SurfaceList& list) const {
  for (int k = list.first; k >= 0 && k <= list.last; ++k) {
    const BatchSurface& s =
        geometry_.surfaces[list.surfaces[static_cast<std::size_t>(k)]];
    if (s.record.measures() ? !s.is_point() : s.record.x_over_x0 > 0)
      return false;
  }
  return list.first >= 0;
}

/// Forms groups of deferred tracks. Lanes of a group use the same formulas, so
/// their results do not depend on the other lanes, to the last bit.
void BatchGroups::plan() {
  planned_.clear();
  if (rest_.empty()) return;
  const auto key = [&](std::size_t track) {
    return std::tuple(one_start_ || on_axis(track), list_of(track).points,
                      ids_[track - begin_]);
  };
  const auto same_formulas = [&](std::size_t a, std::size_t b) {
    return std::get<0>(key(a)) == std::get<0>(key(b)) &&
           std::get<1>(key(a)) == std::get<1>(key(b));
  };
  std::stable_sort(
      rest_.begin(), rest_.end(),
      [&](std::size_t a, std::size_t b) { return key(a) < key(b); });

  // full groups first, then the remainder of every list
  std::vector<std::size_t> grouped, left_over;
  grouped.reserve(rest_.size());
  for (std::size_t i = 0; i < rest_.size();) {
    std::size_t j = i;
    while (j < rest_.size() && key(rest_[j]) == key(rest_[i])) ++j;
    for (; i + kernel_.width <= j; i += kernel_.width) {
      planned_.push_back(
          {grouped.size(), grouped.size() + kernel_.width, false});
      const std::size_t* const from = rest_.data() + i;
      grouped.insert(grouped.end(), from, from + kernel_.width);
    }
    left_over.insert(left_over.end(), rest_.data() + i, rest_.data() + j);
    i = j;
  }
  std::vector<unsigned> united;
  for (const std::size_t track : left_over) {
    const std::vector<unsigned>& own = list_of(track).surfaces;
    const bool joins = !slowing_ && !planned_.empty() &&
                       planned_.back().begin < grouped.size() &&
                       grouped.size() - planned_.back().begin < kernel_.width &&
                       same_formulas(grouped[planned_.back().begin], track) &&
                       unite(united, own);
    if (joins) {
      Planned& open = planned_.back();
      open.end = grouped.size() + 1;
      open.mixed = open.mixed ||
                   ids_[track - begin_] != ids_[grouped[open.begin] - begin_];
    } else {
      planned_.push_back({grouped.size(), grouped.size() + 1, false});
      united = own;
    }
    grouped.push_back(track);
  }
  rest_ = std::move(grouped);
}

void BatchGroups::set_list(std::size_t id) {
  group_.guess = slowing_ ? &lists_[id] : nullptr;
  if (group_id_ == id && !group_.list.empty()) return;
  group_id_ = id;
  group_.mixed = false;
  group_.points = lists_[id].points;
  add_crossings(lists_[id].surfaces);
}

void BatchGroups::make_group(const Planned& planned) {
  set_tracks(&rest_[planned.begin], planned.end - planned.begin);
  if (!planned.mixed) {
    set_list(ids_[group_.track[0] - begin_]);
    return;
  }
  group_id_ = 0;
  group_.mixed = true;
  group_.points = list_of(group_.track[0]).points;
  std::vector<unsigned> surfaces = list_of(group_.track[0]).surfaces;
  for (std::size_t lane = 1; lane < group_.n; ++lane)
    unite(surfaces, list_of(group_.track[lane]).surfaces);
  add_crossings(surfaces);
}

void BatchGroups::add_crossings(const std::vector<unsigned>& surfaces) {
  group_.list.assign(surfaces.size(), {});
  group_.n_coordinates = 0;
  group_.at = BatchTask::nowhere;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    group_.list[k].surface = surfaces[k];
    if (at_ && at_->layer == surfaces[k]) group_.at = k;
    group_.n_coordinates += geometry_.surfaces[surfaces[k]].record.n_axes;
    group_.list[k].inside_next =
        k + 1 < surfaces.size() &&
        is_inside(geometry_.surfaces[surfaces[k]].record,
                  geometry_.surfaces[surfaces[k + 1]].record);
  }
  const auto mark = [&](const SurfaceList& own, TrackBits lanes) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < own.surfaces.size(); ++i, ++k) {
      while (group_.list[k].surface != own.surfaces[i]) ++k;
      const int index = static_cast<int>(i);
      ListedSurface& c = group_.list[k];
      const bool inner = !from_start_ && index <= own.first;
      c.crossed |= lanes;
      if (index <= own.last && (!inner || index == own.first))
        c.fitted |= lanes;
      if (index < own.last && !inner) c.kinked |= lanes;
      if (index == own.first) c.first |= lanes;
      if (inner) c.inner |= lanes;
      if (index >= own.last) c.outer |= lanes;
    }
  };
  if (group_.mixed)
    for (std::size_t lane = 0; lane < kernel_.width; ++lane)
      mark(list_of(group_.track[lane]), TrackBits{1} << lane);
  else
    mark(lists_[group_id_], (TrackBits{1} << kernel_.width) - 1);
}

}  // namespace gttf::detail
