// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gttf/resolution/detail/lane_groups.hpp"

namespace gttf::detail {
namespace {

/// Lists are forgotten between blocks when there are more.
constexpr std::size_t most_lists = 4096;

std::size_t hash_of(const std::vector<unsigned>& surfaces) {
  std::size_t h = 0xcbf29ce484222325;  // FNV-1a
  for (const unsigned s : surfaces) h = (h ^ s) * 0x100000001b3;
  return h;
}

double at(std::span<const double> values, std::size_t i) {
  return values[values.size() == 1 ? 0 : i];
}

/// Coordinates along the same direction measure only one of two.
unsigned independent_axis(std::span<const CoordinateAxis> axes) {
  for (unsigned q = 1; q < axes.size(); ++q) {
    const double sine =
        axes[0].cosine * axes[q].sine - axes[0].sine * axes[q].cosine;
    if (std::abs(sine) > 1e-9) return q;
  }
  return 0;
}

}  // namespace

LaneGeometry::LaneGeometry(const TrackingGeometry& geometry)
    : bz(geometry.bz()) {
  for (const SurfaceRecord& s : geometry.surfaces()) {
    const auto axes = geometry.axes(s);
    surfaces.push_back({s, axes.data(), independent_axis(axes)});
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

LaneGroups::LaneGroups(const LaneGeometry& geometry, const LaneKernel& kernel,
                       const TrackArrays& tracks)
    : geometry_(geometry),
      kernel_(kernel),
      tracks_(tracks),
      one_start_(tracks.x.size() == 1 && tracks.y.size() == 1),
      crossed_(geometry.surfaces.size()),
      arc_(geometry.surfaces.size()) {
  intern({});
}

void LaneGroups::fill(const std::size_t* tracks, LaneTracks& lanes) const {
  const auto put = [&](std::span<const double> from, LaneValues& to) {
    for (std::size_t lane = 0; lane < kernel_.width; ++lane)
      to.value[lane] = at(from, tracks[lane]);
  };
  put(tracks_.p, lanes.p);
  put(tracks_.theta, lanes.theta);
  put(tracks_.phi, lanes.phi);
  put(tracks_.mass, lanes.mass);
  put(tracks_.charge, lanes.charge);
  put(tracks_.x, lanes.x);
  put(tracks_.y, lanes.y);
  put(tracks_.z, lanes.z);
  lanes.on_axis =
      at(tracks_.x, tracks[0]) == 0 && at(tracks_.y, tracks[0]) == 0;
}

void LaneGroups::gather(const LaneGroup& group, LaneTracks& lanes) const {
  fill(group.track, lanes);
  for (std::size_t lane = 0; lane < kernel_.width; ++lane)
    lanes.x_over_x0.value[lane] = x_over_x0(group.track[lane]);
}

void LaneGroups::search(std::size_t begin, std::size_t end) {
  if (lists_.size() > most_lists) {
    lists_.resize(1);
    by_hash_.clear();
    guess_ = 0;
  }
  begin_ = begin;
  ids_.resize(end - begin);
  x_over_x0_.resize(end - begin);
  turned_back_.resize(end - begin);
  order_.resize(end - begin);
  std::iota(order_.begin(), order_.end(), begin);
  // lanes on the axis and others have different formulas
  const auto middle =
      one_start_ ? order_.end()
                 : std::stable_partition(
                       order_.begin(), order_.end(), [&](std::size_t i) {
                         return at(tracks_.x, i) == 0 && at(tracks_.y, i) == 0;
                       });
  const auto search_part = [&](auto from, auto to) {
    for (; from < to; from += static_cast<std::ptrdiff_t>(kernel_.width)) {
      const auto n =
          std::min(kernel_.width, static_cast<std::size_t>(to - from));
      search_lanes(&*from, n);
      if (n < kernel_.width) break;
    }
  };
  search_part(order_.begin(), middle);
  search_part(middle, order_.end());
}

void LaneGroups::search_lanes(const std::size_t* tracks, std::size_t n) {
  std::size_t lane_tracks[most_lanes];
  for (std::size_t lane = 0; lane < kernel_.width; ++lane)
    lane_tracks[lane] = tracks[std::min(lane, n - 1)];
  LaneTracks lanes;
  fill(lane_tracks, lanes);
  const CrossingList& guess = lists_[guess_];
  LaneSearch task;
  task.surfaces = geometry_.surfaces.data();
  task.n_surfaces = geometry_.surfaces.size();
  task.bz = geometry_.bz;
  task.tracks = &lanes;
  task.crossed = crossed_.data();
  task.arc = arc_.data();
  task.guess = guess.surfaces.data();
  task.n_guess = guess.surfaces.size();
  kernel_.search(task);

  const LaneBits all = (LaneBits{1} << kernel_.width) - 1;
  bool same = task.in_order;
  if (same) {
    // all lanes cross what was guessed, and as many surfaces
    std::size_t n_crossed = 0;
    for (const unsigned s : guess.surfaces) same = same && crossed_[s] == all;
    for (const LaneBits bits : crossed_) n_crossed += bits != 0;
    same = same && n_crossed == guess.surfaces.size();
  }
  for (std::size_t lane = 0; lane < n; ++lane) {
    const std::size_t i = tracks[lane] - begin_;
    ids_[i] = same ? guess_ : find_list(task, lane);
    x_over_x0_[i] = task.x_over_x0.value[lane];
    turned_back_[i] = (task.turned_back >> lane & 1) != 0;
  }
  guess_ = ids_[tracks[n - 1] - begin_];
}

std::size_t LaneGroups::find_list(const LaneSearch& found, std::size_t lane) {
  std::vector<unsigned> surfaces;
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
  return intern(std::move(surfaces));
}

std::size_t LaneGroups::intern(std::vector<unsigned> surfaces) {
  const std::size_t hash = hash_of(surfaces);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto i = from; i != to; ++i)
    if (lists_[i->second].surfaces == surfaces) return i->second;
  CrossingList list;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    if (!geometry_.surfaces[surfaces[k]].record.measures()) continue;
    if (list.first < 0) list.first = static_cast<int>(k);
    list.last = static_cast<int>(k);
    ++list.n_measuring;
  }
  list.surfaces = std::move(surfaces);
  by_hash_.emplace(hash, lists_.size());
  lists_.push_back(std::move(list));
  return lists_.size() - 1;
}

void LaneGroups::plan(int least_hits) {
  const auto key = [&](std::size_t track) {
    const bool on_axis = at(tracks_.x, track) == 0 && at(tracks_.y, track) == 0;
    return std::pair(one_start_ || on_axis, ids_[track - begin_]);
  };
  std::erase_if(order_, [&](std::size_t track) {
    return list_of(track).n_measuring < least_hits;
  });
  const auto before = [&](std::size_t a, std::size_t b) {
    return key(a) < key(b);
  };
  if (!std::is_sorted(order_.begin(), order_.end(), before))
    std::stable_sort(order_.begin(), order_.end(), before);

  // full groups in front, what is left over of every list behind
  planned_.clear();
  std::vector<std::size_t> grouped, rest;
  grouped.reserve(order_.size());
  for (std::size_t i = 0; i < order_.size();) {
    std::size_t j = i;
    while (j < order_.size() && key(order_[j]) == key(order_[i])) ++j;
    for (; i + kernel_.width <= j; i += kernel_.width) {
      planned_.push_back(
          {grouped.size(), grouped.size() + kernel_.width, false});
      grouped.insert(grouped.end(), &order_[i], &order_[i] + kernel_.width);
    }
    rest.insert(rest.end(), &order_[i], &order_[i] + (j - i));
    i = j;
  }
  std::vector<unsigned> united;
  for (const std::size_t track : rest) {
    const std::vector<unsigned>& own = list_of(track).surfaces;
    const bool joins =
        !planned_.empty() && planned_.back().begin < grouped.size() &&
        grouped.size() - planned_.back().begin < kernel_.width &&
        key(grouped[planned_.back().begin]).first == key(track).first &&
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
  order_ = std::move(grouped);
  n_groups_ = planned_.size();
}

const LaneGroup& LaneGroups::make_group(std::size_t i) {
  const Planned& planned = planned_[i];
  group_.n = planned.end - planned.begin;
  group_.mixed = planned.mixed;
  for (std::size_t lane = 0; lane < kernel_.width; ++lane)
    group_.track[lane] = order_[planned.begin + std::min(lane, group_.n - 1)];
  std::vector<unsigned> surfaces = list_of(group_.track[0]).surfaces;
  if (planned.mixed)
    for (std::size_t lane = 1; lane < group_.n; ++lane)
      unite(surfaces, list_of(group_.track[lane]).surfaces);
  add_crossings(surfaces);
  return group_;
}

void LaneGroups::add_crossings(const std::vector<unsigned>& surfaces) {
  group_.list.assign(surfaces.size(), {});
  group_.n_coordinates = 0;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    group_.list[k].surface = surfaces[k];
    group_.n_coordinates += geometry_.surfaces[surfaces[k]].record.n_axes;
  }
  const auto mark = [&](const CrossingList& own, LaneBits lanes) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < own.surfaces.size(); ++i, ++k) {
      while (group_.list[k].surface != own.surfaces[i]) ++k;
      const int index = static_cast<int>(i);
      LaneCrossing& c = group_.list[k];
      if (index >= own.first && index <= own.last) c.fitted |= lanes;
      if (index > own.first && index < own.last) c.kinked |= lanes;
      if (index == own.first) c.first |= lanes;
      if (index <= own.first) c.inner |= lanes;
    }
  };
  if (group_.mixed)
    for (std::size_t lane = 0; lane < kernel_.width; ++lane)
      mark(list_of(group_.track[lane]), LaneBits{1} << lane);
  else
    mark(list_of(group_.track[0]), (LaneBits{1} << kernel_.width) - 1);
}

}  // namespace gttf::detail
