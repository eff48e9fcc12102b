// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <tuple>

#include "gttf/resolution/batch_groups.hpp"

#include "gttf/core/units.hpp"
#include "gttf/fit/streaming/stream.hpp"
#include "gttf/resolution/batch_loss.hpp"
#include "gttf/resolution/batch_regions.hpp"
#include "gttf/trajectory/module_index.hpp"

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

/// Calls f(k, i) for the crossings i of a track, k their places on the list of
/// its group.
template <class F>
void for_each_place(const std::vector<ListedSurface>& list,
                    const SurfaceList& own, const F& f) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < own.surfaces.size(); ++i, ++k) {
    while (list[k].surface != own.surfaces[i]) ++k;
    f(k, i);
  }
}

/// Whether `a` is a cylinder inside the cylinder `b`, by more than rounding.
bool is_inside(const SurfaceRecord& a, const SurfaceRecord& b) {
  using Kind = SurfaceRecord::Kind;
  return a.kind == Kind::cylinder && b.kind == Kind::cylinder &&
         a.position < b.position * (1 - 1e-9);
}

}  // namespace

BatchGeometry::BatchGeometry(const TrackingGeometry& g,
                             std::span<const unsigned> which)
    : geometry(g), layers(which.begin(), which.end()), bz(g.bz()) {
  std::size_t n = 0;
  for (const unsigned layer : layers) n += g.surfaces()[layer].n_axes;
  axes.reserve(n);
  weights.reserve(n);
  surfaces.reserve(layers.size());
  for (const unsigned layer : layers) {
    const SurfaceRecord& s = g.surfaces()[layer];
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

std::vector<unsigned> layers_without_modules(const TrackingGeometry& geometry) {
  if (const ModuleIndex* modules = geometry.modules())
    return {modules->others().begin(), modules->others().end()};
  std::vector<unsigned> all(geometry.surfaces().size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
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
                         const BatchRegions* regions, const BatchLoss* loss,
                         const TrackArrays& tracks, const Model& model,
                         KnownLists* known)
    : geometry_(geometry),
      modules_(geometry.layers.size() < geometry.geometry.surfaces().size()
                   ? geometry.geometry.modules()
                   : nullptr),
      surfaces_(geometry.surfaces),
      kernel_(kernel),
      regions_(regions),
      tracks_(tracks),
      one_kind_(regions != nullptr
                    ? regions->n == 1
                    : tracks.x.size() == 1 && tracks.y.size() == 1),
      // it is checked on the way, on which highland_total needs the sum up to
      // the last hit; where energy is lost, the fit comes after it. Which
      // modules are crossed has to be searched, and in regions the search is
      // no more work than the check
      may_guess_((model.scattering != Scattering::highland_total ||
                  model.loss != EnergyLoss::off) &&
                 modules_ == nullptr && regions == nullptr),
      from_start_(model.beam_spot.has_value()),
      slowing_(model.loss != EnergyLoss::off),
      // paths that the loss bends in regions have no masks
      may_unite_(!slowing_ || regions == nullptr || regions->b_ref == 0),
      at_(model.at),
      known_(may_guess_ && !slowing_ ? known : nullptr),
      crossed_(geometry.surfaces.size()),
      arc_(std::make_unique_for_overwrite<PackValues[]>(
          geometry.surfaces.size())),
      x_over_x0_(std::make_unique_for_overwrite<PackValues[]>(
          geometry.surfaces.size())),
      all_loss_(loss) {
  slabs_of_.assign(geometry.layers.begin(), geometry.layers.end());
  if (modules_ != nullptr && loss != nullptr)
    module_search_.emplace(geometry.geometry, *loss);
  // without field tracks fly on as without loss
  if (loss != nullptr && regions != nullptr && regions->b_ref != 0) {
    loss_ = loss;
    media_ = std::make_unique_for_overwrite<PackValues[]>(numbers_of_medium *
                                                          loss->n_media);
  }
  its_surfaces_.reserve(surfaces_.size());
  found_.reserve(surfaces_.size());
  intern({});
}

void BatchGroups::gather(const BatchGroup& group, BatchTracks& elements) const {
  const auto put = [&](std::span<const double> from, PackValues& to) {
    // possibly more elements than in use, because a fixed number is faster
    if (from.size() == 1)
      std::fill_n(to.value, most_in_pack, from[0]);
    else if (group.in_a_row && group.track[0] + most_in_pack <= from.size())
      std::memcpy(to.value, &from[group.track[0]], sizeof to.value);
    else
      for (std::size_t element = 0; element < kernel_.width; ++element)
        to.value[element] = from[group.track[element]];
  };
  put(tracks_.p, elements.p);
  put(tracks_.theta, elements.theta);
  put(tracks_.phi, elements.phi);
  put(tracks_.mass, elements.mass);
  put(tracks_.charge, elements.charge);
  put(tracks_.x, elements.x);
  put(tracks_.y, elements.y);
  put(tracks_.z, elements.z);
  elements.on_axis = on_axis(group.track[0]);
  if (regions_ != nullptr) elements.onwards = is_onwards(group.track[0]);
  // in regions lists are searched, also those of tracks that lose energy
  if (group.guess != nullptr && regions_ == nullptr) return;
  for (std::size_t element = 0; element < kernel_.width; ++element)
    elements.x_over_x0.value[element] =
        material(group.track[element]).to_last_hit;
}

void BatchGroups::start(std::size_t begin, std::size_t end) {
  if (lists_.size() > most_lists) {
    lists_.resize(1);
    by_hash_.clear();
    id_of_known_.clear();
    known_of_id_.clear();
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
  module_crossings_.clear();
  if (modules_ != nullptr) its_modules_.assign(end - begin, {});
}

bool BatchGroups::on_axis(std::size_t track) const {
  return at(tracks_.x, track) == 0 && at(tracks_.y, track) == 0;
}

bool BatchGroups::is_onwards(std::size_t track) const {
  const double theta = at(tracks_.theta, track), phi = at(tracks_.phi, track);
  if (regions_->n == 1) return true;
  if (regions_->normal == Axis::z) return theta < 0.5 * unit::pi;
  return std::sin(theta) *
             (regions_->normal == Axis::x ? std::cos(phi) : std::sin(phi)) >
         0;
}

void BatchGroups::sort_by_direction() {
  const std::size_t n = order_.size(), n_bins = n / kernel_.width;
  if (n_bins < 2 || tracks_.theta.size() == 1) return;
  const double* const theta = tracks_.theta.data();
  const auto its_theta = [theta](std::size_t track) { return theta[track]; };
  if (std::ranges::is_sorted(order_, {}, its_theta) ||
      std::ranges::is_sorted(order_, std::greater(), its_theta))
    return;
  double least = unit::pi, most = 0;
  for (const std::size_t track : order_) {
    least = std::min(least, theta[track]);
    most = std::max(most, theta[track]);
  }
  const double width = (most - least) / static_cast<double>(n_bins);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (std::abs(theta[order_[i]] - theta[order_[i - 1]]) > width) ++changes;
  // consecutive tracks are read and written faster than others
  if (changes < n / 4) return;
  bins_.resize(n);
  bin_ends_.assign(n_bins + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const double bin = (theta[order_[i]] - least) / width;
    // a track of NaN, or beyond pi, comes last
    bins_[i] = bin >= 0 && bin < static_cast<double>(n_bins)
                   ? static_cast<std::size_t>(bin)
                   : n_bins;
    ++bin_ends_[bins_[i]];
  }
  std::exclusive_scan(bin_ends_.begin(), bin_ends_.end(), bin_ends_.begin(),
                      std::size_t{0});
  sorted_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    sorted_[bin_ends_[bins_[i]]++] = order_[i];
  order_.swap(sorted_);
}

void BatchGroups::sort_by_start() {
  const auto is_first = [&](std::size_t track) {
    return is_of_first_kind(track);
  };
  if (one_kind_ || std::ranges::is_partitioned(order_, is_first)) return;
  std::stable_partition(order_.begin(), order_.end(), is_first);
}

/// Number of tracks from order_[i] that can share a group.
std::size_t BatchGroups::together(std::size_t i) const {
  const std::size_t n = std::min(kernel_.width, order_.size() - i);
  const auto kind = [&](std::size_t k) { return is_of_first_kind(order_[k]); };
  if (one_kind_ || kind(i) == kind(i + n - 1)) return n;
  std::size_t same = 1;
  while (kind(i + same) == kind(i)) ++same;
  return same;
}

void BatchGroups::set_tracks(const std::size_t* tracks, std::size_t n) {
  group_.n = n;
  group_.in_a_row = true;
  for (std::size_t element = 0; element < kernel_.width; ++element) {
    group_.track[element] = tracks[std::min(element, n - 1)];
    group_.in_a_row =
        group_.in_a_row && group_.track[element] == group_.track[0] + element;
  }
}

void BatchGroups::collect_trials() {
  constexpr std::size_t none = KnownLists::none;
  trials_.clear();
  id_of_known_.resize(known_->size(), none);
  const auto is_trial = [&](std::size_t track) {
    const std::size_t known = known_->of_track(track);
    if (known == none) return false;
    std::size_t& id = id_of_known_[known];
    if (id == none) id = intern(known_->list(known));
    ids_[track - begin_] = id;
    return lists_[id].n_measuring >= least_hits_;
  };
  const auto others = std::stable_partition(order_.begin(), order_.end(),
                                            std::not_fn(is_trial));
  trials_.assign(others, order_.end());
  order_.erase(others, order_.end());
  std::ranges::stable_sort(trials_, {}, [&](std::size_t track) {
    return std::pair(!one_kind_ && !is_of_first_kind(track),
                     ids_[track - begin_]);
  });
}

std::size_t BatchGroups::make_trial(std::size_t i) {
  const std::size_t first = trials_[i];
  guess_ = ids_[first - begin_];
  std::size_t n = 1;
  while (n < kernel_.width && i + n < trials_.size() &&
         ids_[trials_[i + n] - begin_] == guess_ &&
         (one_kind_ ||
          is_of_first_kind(trials_[i + n]) == is_of_first_kind(first)))
    ++n;
  set_tracks(&trials_[i], n);
  set_list(guess_);
  set_guess(guess_);
  group_.trial = true;
  return n;
}

void BatchGroups::add_to_order(const std::size_t* tracks, std::size_t n) {
  order_.insert(order_.end(), tracks, tracks + n);
}

void BatchGroups::remember(std::size_t end) {
  constexpr std::size_t none = KnownLists::none;
  known_of_id_.resize(lists_.size(), none);
  for (std::size_t track = begin_; track < end; ++track) {
    std::size_t& known = known_of_id_[ids_[track - begin_]];
    if (known == none) known = known_->add(list_of(track).surfaces);
    known_->set(track, known);
  }
}

bool BatchGroups::make_guess(const std::size_t* tracks, std::size_t n) {
  if (!may_guess_ || !trusted_) return false;
  if (lists_[guess_].n_measuring < least_hits_) return false;
  set_tracks(tracks, n);
  set_list(guess_);
  set_guess(guess_);
  group_.trial = true;
  return true;
}

/// Lets the fit of the group check the list.
void BatchGroups::set_guess(std::size_t id) {
  SurfaceList& list = lists_[id];
  if (!list.extents) list.extents.emplace().set(surfaces_, list.others);
  group_.guess = &list;
}

void BatchGroups::find_wrong(const GuessCheck& check) {
  for (std::size_t element = 0; check.wrong != 0 && element < group_.n;
       ++element)
    if ((check.wrong >> element & 1) != 0)
      wrong_.push_back(group_.track[element]);
}

bool BatchGroups::accept(const GuessCheck& check) {
  trusted_ = check.confirmed;
  if (trusted_)
    for (std::size_t element = 0; element < group_.n; ++element) {
      const std::size_t i = group_.track[element] - begin_;
      ids_[i] = guess_;
      turned_back_[i] = (check.turned_back >> element & 1) != 0;
    }
  group_.guess = nullptr;
  group_.trial = false;
  return trusted_;
}

/// Finds the lists of up to one group of tracks. If the list is the same for
/// all, with enough hits, they become a group; otherwise they are deferred.
bool BatchGroups::search(const std::size_t* tracks, std::size_t n) {
  set_tracks(tracks, n);
  BatchTracks elements;
  gather(group_, elements);
  const SurfaceList& guess = lists_[guess_];
  BatchSearch task;
  task.surfaces = geometry_.surfaces.data();
  task.n_surfaces = geometry_.surfaces.size();
  task.bz = geometry_.bz;
  task.regions = regions_;
  task.tracks = &elements;
  task.loss = loss_;
  task.media = media_.get();
  task.crossed = crossed_.data();
  task.arc = arc_.get();
  task.x_over_x0 = x_over_x0_.get();
  if (modules_ == nullptr) {
    task.guess = guess.surfaces.data();
    task.n_guess = guess.surfaces.size();
  }
  kernel_.search(task);
  crossed_surfaces_.resize(crossed_.size());
  std::size_t n_crossed = 0;
  for (unsigned i = 0; i < crossed_.size(); ++i)
    if (crossed_[i] != 0) crossed_surfaces_[n_crossed++] = i;
  crossed_surfaces_.resize(n_crossed);

  const TrackBits all = (TrackBits{1} << kernel_.width) - 1;
  bool as_guessed = task.in_order && modules_ == nullptr;
  if (as_guessed) {
    // all tracks cross the guessed surfaces, and the same number of surfaces
    for (const unsigned s : guess.surfaces)
      as_guessed = as_guessed && crossed_[s] == all;
    as_guessed = as_guessed && n_crossed == guess.surfaces.size();
  }
  bool same = true;
  turned_back_by_modules_ = 0;
  if (task.lost != 0) as_guessed = same = false;
  for (std::size_t element = 0; element < n; ++element) {
    const std::size_t i = tracks[element] - begin_;
    if ((task.lost >> element & 1) != 0) {
      ids_[i] = 0;
      wrong_.push_back(tracks[element]);
      continue;
    }
    if (as_guessed) {
      ids_[i] = guess_;
    } else if (const auto id = find_list(task, tracks[element], element)) {
      ids_[i] = *id;
    } else {
      task.lost |= TrackBits{1} << element;
      same = false;
      ids_[i] = 0;
      wrong_.push_back(tracks[element]);
      continue;
    }
    const SurfaceList& list = lists_[ids_[i]];
    material_[i] = sum_material<double>(
        list.surfaces.size(), list.last, [&](std::size_t k) {
          return as_guessed ? x_over_x0_[list.surfaces[k]].value[element]
                            : found_[k].x_over_x0;
        });
    // with loss it is known behind the fit
    turned_back_[i] =
        !module_search_ &&
        ((task.turned_back | turned_back_by_modules_) >> element & 1) != 0;
    same = same && ids_[i] == ids_[tracks[0] - begin_];
  }
  guess_ = ids_[tracks[n - 1] - begin_];
  trusted_ = same;
  if (same && lists_[guess_].n_measuring >= least_hits_) {
    set_list(guess_);
    return true;
  }
  for (std::size_t element = 0; element < n; ++element)
    if ((task.lost >> element & 1) == 0 &&
        list_of(tracks[element]).n_measuring >= least_hits_)
      rest_.push_back(tracks[element]);
  return false;
}

std::optional<std::size_t> BatchGroups::find_list(const BatchSearch& found,
                                                  std::size_t track,
                                                  std::size_t element) {
  found_.clear();
  for (const unsigned i : crossed_surfaces_)
    if ((found.crossed[i] >> element & 1) != 0)
      found_.push_back({found.arc[i].value[element], geometry_.layers[i], i,
                        found.x_over_x0[i].value[element]});
  if (modules_ != nullptr && !slowing_) find_modules(track, element);
  // by path, at equal path in the order of the detector; they are few, and
  // nearly in order
  const auto is_before = [](const FoundCrossing& a, const FoundCrossing& b) {
    return a.arc < b.arc || (a.arc == b.arc && a.layer < b.layer);
  };
  for (std::size_t k = 1; k < found_.size(); ++k) {
    if (!is_before(found_[k], found_[k - 1])) continue;
    const FoundCrossing x = found_[k];
    std::size_t i = k;
    for (; i > 0 && is_before(x, found_[i - 1]); --i) found_[i] = found_[i - 1];
    found_[i] = x;
  }
  if (module_search_ && !find_slowing(track)) return std::nullopt;
  return intern_found(track);
}

std::size_t BatchGroups::intern_found(std::size_t track) {
  its_surfaces_.clear();
  for (const FoundCrossing& x : found_) its_surfaces_.push_back(x.surface);
  if (modules_ != nullptr) {
    its_modules_[track - begin_] = module_crossings_.size();
    for (const FoundCrossing& x : found_)
      if (is_module(x.surface))
        module_crossings_.push_back({x.layer, x.arc, x.x_over_x0});
  }
  return intern(its_surfaces_);
}

void BatchGroups::find_modules(std::size_t track, std::size_t element) {
  const TrackingGeometry& geometry = geometry_.geometry;
  crossed_modules_.clear();
  if (detail::find_modules(
          geometry, make_line<double>(tracks_.track(track), geometry_.bz),
          near_, crossed_modules_))
    turned_back_by_modules_ |= TrackBits{1} << element;
  for (const ModuleCrossing& m : crossed_modules_)
    found_.push_back({m.arc, m.surface, kind_of(m.surface), m.x_over_x0});
}

/// Adds the modules to the surfaces that a track crosses without loss, of which
/// it may miss some.
/// @return  false if it cannot be followed
bool BatchGroups::find_slowing(std::size_t track) {
  // with loss, surfaces may be met somewhat before; if even earlier, the check
  // of the fit fails
  constexpr double earlier = 0.9;
  others_ahead_.clear();
  for (const FoundCrossing& x : found_)
    others_ahead_.push_back({x.layer, earlier * x.arc, x.arc, false});
  if (!module_search_->follow(tracks_.track(track), others_ahead_))
    return false;
  std::vector<FoundCrossing>& others = found_without_loss_;
  others.swap(found_);
  found_.clear();
  take(module_search_->passed());
  found_.insert(
      found_.end(),
      others.begin() + static_cast<std::ptrdiff_t>(module_search_->n_others()),
      others.end());
  return true;
}

void BatchGroups::take(const std::vector<ModuleSearch::Passed>& passed) {
  const std::vector<unsigned>& layers = geometry_.layers;
  for (const ModuleSearch::Passed& x : passed) {
    const auto other = std::ranges::lower_bound(layers, x.surface);
    const bool is_module = other == layers.end() || *other != x.surface;
    found_.push_back({x.arc, x.surface,
                      is_module ? kind_of(x.surface)
                                : static_cast<unsigned>(other - layers.begin()),
                      x.x_over_x0});
  }
}

/// Whether tracks lose energy in the same slabs of two surfaces.
bool BatchGroups::have_same_slabs(std::size_t a, std::size_t b) const {
  const BatchLoss& all = *all_loss_;
  const auto of = [&all](std::size_t i) {
    return std::span(all.slabs + all.first[i], all.first[i + 1] - all.first[i]);
  };
  return std::ranges::equal(of(a), of(b));
}

/// The entry of surfaces_ for modules like this one, by which the fit differs.
unsigned BatchGroups::kind_of(unsigned index) {
  const SurfaceRecord& module = geometry_.geometry.surfaces()[index];
  const std::size_t independent =
      independent_axis(geometry_.geometry.axes(module));
  const bool scatters = module.x_over_x0 > 0;
  for (std::size_t i = geometry_.surfaces.size(); i < surfaces_.size(); ++i)
    if (const BatchSurface& s = surfaces_[i];
        s.record.n_axes == module.n_axes && s.independent == independent &&
        (s.record.x_over_x0 > 0) == scatters &&
        (all_loss_ == nullptr || have_same_slabs(slabs_of_[i], index)))
      return static_cast<unsigned>(i);
  BatchSurface kind;
  kind.record.kind = SurfaceRecord::Kind::inclined;
  kind.record.n_axes = module.n_axes;
  kind.record.x_over_x0 = scatters ? 1 : 0;
  kind.independent = independent;
  surfaces_.push_back(kind);
  slabs_of_.push_back(index);
  return static_cast<unsigned>(surfaces_.size() - 1);
}

std::size_t BatchGroups::intern(const std::vector<unsigned>& surfaces) {
  const std::size_t hash = hash_of(surfaces);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto i = from; i != to; ++i)
    if (lists_[i->second].surfaces == surfaces) return i->second;
  SurfaceList list;
  if (modules_ == nullptr || slowing_) {
    const std::size_t n_surfaces = geometry_.surfaces.size();
    std::vector<char> crossed(surfaces_.size(), 0);
    for (const unsigned s : surfaces) crossed[s] = 1;
    list.others.resize(n_surfaces);
    std::size_t n = 0;
    for (unsigned s = 0; s < n_surfaces; ++s)
      if (crossed[s] == 0) list.others[n++] = s;
    list.others.resize(n);
  }
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    if (!surfaces_[surfaces[k]].record.measures()) continue;
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
        surfaces_[list.surfaces[static_cast<std::size_t>(k)]];
    if (s.record.measures() ? !s.is_point() : s.record.x_over_x0 > 0)
      return false;
  }
  return list.first >= 0;
}

/// Forms groups of deferred tracks. Tracks of a group use the same formulas, so
/// their results do not depend on the other tracks, to the last bit.
void BatchGroups::plan() {
  planned_.clear();
  if (rest_.empty()) return;
  const auto key = [&](std::size_t track) {
    const SurfaceList& list = list_of(track);
    return std::tuple(std::tuple(one_kind_ || is_of_first_kind(track),
                                 list.points, list.n_measuring >= fitted_hits_),
                      ids_[track - begin_]);
  };
  const auto same_formulas = [&](std::size_t a, std::size_t b) {
    return std::get<0>(key(a)) == std::get<0>(key(b));
  };
  std::stable_sort(
      rest_.begin(), rest_.end(),
      [&](std::size_t a, std::size_t b) { return key(a) < key(b); });

  // full groups first, then the remainder of every list
  std::vector<std::size_t> grouped, left_over;
  grouped.reserve(rest_.size());
  const auto add = [&](const std::size_t* tracks, std::size_t n, bool mixed) {
    planned_.push_back({grouped.size(), grouped.size() + n, mixed});
    grouped.insert(grouped.end(), tracks, tracks + n);
  };
  for (std::size_t i = 0; i < rest_.size();) {
    std::size_t j = i;
    while (j < rest_.size() && key(rest_[j]) == key(rest_[i])) ++j;
    for (; i + kernel_.width <= j; i += kernel_.width)
      add(rest_.data() + i, kernel_.width, false);
    left_over.insert(left_over.end(), rest_.data() + i, rest_.data() + j);
    i = j;
  }
  // each of the others joins the first of a few groups that it fits into
  struct OpenGroup {
    std::vector<std::size_t> tracks;
    std::vector<unsigned> united;
    bool mixed = false;
  };
  constexpr std::size_t most_open = 8;
  std::vector<OpenGroup> open;
  const auto close = [&](std::size_t i) {
    add(open[i].tracks.data(), open[i].tracks.size(), open[i].mixed);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
  };
  const auto takes = [&](OpenGroup& group, std::size_t track) {
    const std::size_t other = group.tracks.front();
    if (!same_formulas(other, track)) return false;
    if (!group.mixed && ids_[track - begin_] == ids_[other - begin_])
      return true;
    if (!may_unite_ || !leave_axis_together(other, track) ||
        !unite_lists(group.united, track))
      return false;
    group.mixed = true;
    return true;
  };
  for (const std::size_t track : left_over) {
    std::size_t i = 0;
    while (i < open.size() && !takes(open[i], track)) ++i;
    if (i == open.size()) {
      if (i == most_open) close(0);
      i = open.size();
      open.push_back({{}, list_of(track).surfaces});
    }
    open[i].tracks.push_back(track);
    if (open[i].tracks.size() == kernel_.width) close(i);
  }
  while (!open.empty()) close(0);
  rest_ = std::move(grouped);
}

/// Whether tracks that lose energy may share a vector as far as their starts
/// are concerned: see BatchLossPath.
bool BatchGroups::leave_axis_together(std::size_t a, std::size_t b) const {
  if (!slowing_ || regions_ != nullptr || !on_axis(a)) return true;
  const std::vector<unsigned>&of_a = list_of(a).surfaces,
        &of_b = list_of(b).surfaces;
  return !of_a.empty() && !of_b.empty() && of_a.front() == of_b.front();
}

/// Adds the list of a track, in the order of flight.
/// @return  false if the orders contradict each other
bool BatchGroups::unite_lists(std::vector<unsigned>& surfaces,
                              std::size_t track) const {
  if (!unite(surfaces, list_of(track).surfaces)) return false;
  if (regions_ != nullptr && regions_->n > 1) {
    const std::size_t* const region = regions_->region;
    std::ranges::stable_sort(
        surfaces, [&, onwards = is_onwards(track)](unsigned a, unsigned b) {
          return onwards ? region[a] < region[b] : region[b] < region[a];
        });
  }
  return true;
}

void BatchGroups::set_list(std::size_t id) {
  group_.guess = nullptr;
  if (slowing_) set_guess(id);
  if (group_id_ != id || group_.mixed || group_.list.empty()) {
    group_id_ = id;
    group_.mixed = false;
    group_.points = lists_[id].points;
    group_.n_measuring = lists_[id].n_measuring;
    add_crossings(lists_[id].surfaces);
  }
  if (modules_ != nullptr) place_modules();
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
  for (std::size_t element = 1; element < group_.n; ++element)
    unite_lists(surfaces, group_.track[element]);
  group_.n_measuring = list_of(group_.track[0]).n_measuring;
  if (slowing_ && regions_ == nullptr) set_guess(intern(surfaces));
  add_crossings(surfaces);
  if (modules_ != nullptr) place_modules();
}

void BatchGroups::add_crossings(const std::vector<unsigned>& surfaces) {
  group_.list.assign(surfaces.size(), {});
  group_.n_coordinates = 0;
  group_.at = BatchTask::nowhere;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    ListedSurface& c = group_.list[k];
    const SurfaceRecord& s = surfaces_[surfaces[k]].record;
    c.surface = surfaces[k];
    c.slabs_of = slabs_of_[surfaces[k]];
    if (at_ && !is_module(surfaces[k]) &&
        at_->layer == geometry_.layers[surfaces[k]])
      group_.at = k;
    c.row = modules_ != nullptr ? k : surfaces[k];
    c.first_coordinate =
        modules_ != nullptr ? group_.n_coordinates : s.first_axis;
    group_.n_coordinates += s.n_axes;
    c.inside_next = k + 1 < surfaces.size() &&
                    is_inside(s, surfaces_[surfaces[k + 1]].record);
  }
  const auto mark = [&](const SurfaceList& own, TrackBits elements) {
    for_each_place(group_.list, own, [&](std::size_t k, std::size_t i) {
      const int index = static_cast<int>(i);
      ListedSurface& c = group_.list[k];
      const bool inner = !from_start_ && index <= own.first;
      c.crossed |= elements;
      if (index <= own.last && (!inner || index == own.first))
        c.fitted |= elements;
      if (index < own.last && !inner) c.kinked |= elements;
      if (index == own.first) c.first |= elements;
      if (inner) c.inner |= elements;
      if (index >= own.last) c.outer |= elements;
    });
  };
  if (group_.mixed)
    for (std::size_t element = 0; element < kernel_.width; ++element)
      mark(list_of(group_.track[element]), TrackBits{1} << element);
  else
    mark(lists_[group_id_], (TrackBits{1} << kernel_.width) - 1);
}

/// Gives every track the planes of the modules that it crosses.
void BatchGroups::place_modules() {
  std::size_t n_planes = 0, n_axes = 0;
  for (const ListedSurface& c : group_.list)
    if (is_module(c.surface)) {
      ++n_planes;
      n_axes += surfaces_[c.surface].record.n_axes;
    }
  group_.planes.resize(n_planes);
  group_.axes.resize(n_axes);
  ElementPlane* plane = group_.planes.data();
  ElementAxis* axes = group_.axes.data();
  for (ListedSurface& c : group_.list)
    if (is_module(c.surface)) {
      c.planes = plane++;
      c.axes = axes;
      axes += surfaces_[c.surface].record.n_axes;
    }
  for (std::size_t element = 0; element < kernel_.width; ++element) {
    const std::size_t track = group_.track[element];
    const ModuleCrossing* own =
        module_crossings_.data() + its_modules_[track - begin_];
    for_each_place(group_.list, list_of(track),
                   [&](std::size_t k, std::size_t) {
                     const ListedSurface& c = group_.list[k];
                     if (is_module(c.surface)) put_module(*own++, element, c);
                   });
  }
  if (!group_.mixed) return;
  // where a track has no crossing, any plane will do
  for (const ListedSurface& c : group_.list) {
    if (!is_module(c.surface)) continue;
    const auto any = static_cast<std::size_t>(std::countr_zero(c.crossed));
    for (std::size_t element = 0; element < kernel_.width; ++element)
      if ((c.crossed >> element & 1) == 0)
        put_module({c.planes->layer[any], c.planes->arc.value[any], 0}, element,
                   c);
  }
}

void BatchGroups::put_module(const ModuleCrossing& crossing,
                             std::size_t element, const ListedSurface& c) {
  const TrackingGeometry& geometry = geometry_.geometry;
  const SurfaceRecord& s = geometry.surfaces()[crossing.surface];
  ElementPlane& p =
      group_.planes[static_cast<std::size_t>(c.planes - group_.planes.data())];
  p.position.value[element] = s.position;
  p.normal_cos.value[element] = s.normal_cos;
  p.normal_sin.value[element] = s.normal_sin;
  p.normal_r.value[element] = s.normal_r;
  p.normal_z.value[element] = s.normal_z;
  p.turn_cos.value[element] = s.turn_cos;
  p.turn_sin.value[element] = s.turn_sin;
  p.x_over_x0.value[element] = s.x_over_x0;
  p.arc.value[element] = crossing.arc;
  p.layer[element] = crossing.surface;
  const auto axes = geometry.axes(s);
  const std::size_t independent = surfaces_[c.surface].independent;
  for (std::size_t q = 0; q < axes.size(); ++q) {
    const CoordinateAxis& from = axes[in_order(q, independent)];
    ElementAxis& to =
        group_.axes[static_cast<std::size_t>(c.axes - group_.axes.data()) + q];
    to.cosine.value[element] = from.cosine;
    to.sine.value[element] = from.sine;
    to.variance.value[element] = from.variance;
  }
}

}  // namespace gttf::detail
