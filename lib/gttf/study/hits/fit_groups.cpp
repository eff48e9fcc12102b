// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/study/hits/fit_groups.hpp"

namespace gttf::detail {

bool FitGroups::can_hold(const HitTrackBuilder& built) const {
  const TrackHits& track = built.track();
  if (!track.field || track.flight || track.kappa_ref == 0 ||
      !built.has_layer_errors() || options_.detail == FitDetail::hits)
    return false;
  bool behind_hit = false;
  std::size_t last_hit = 0;
  for (std::size_t i = 0; i < track.points.size(); ++i) {
    const TrackHit& h = track.points[i];
    if (built.sources()[i] == MadeTrack::beam_spot) return false;
    if (!h.measures()) continue;
    // HitArrays require passive surfaces between adjacent hits
    for (std::size_t k = last_hit + 1; behind_hit && k < i; ++k)
      if (!is_between(geometry_.surfaces()[built.surfaces()[k]],
                      cartesian(track.points[last_hit].position),
                      cartesian(h.position)))
        return false;
    last_hit = i;
    behind_hit = true;
  }
  return true;
}

void FitGroups::set_key(const HitTrackBuilder& built) {
  // distinguishes a surface without a hit from one with a hit
  constexpr unsigned passive = 0x80000000;
  key_.clear();
  for (std::size_t i = 0; i < built.sources().size(); ++i)
    key_.push_back(built.surfaces()[i] |
                   (built.sources()[i] >= 0 ? 0 : passive));
}

/// Creates a group, reusing a free one if possible, and sets at_ to it.
void FitGroups::make_group(const HitTrackBuilder& built, Kind kind) {
  const auto free = std::ranges::find_if(
      groups_, [](const Group& g) { return g.key.empty(); });
  at_ = static_cast<std::size_t>(free - groups_.begin());
  Group& g = free == groups_.end() ? groups_.emplace_back() : *free;
  g.kind = kind;
  g.key = kind == Kind::hits ? built.hits().surface : key_;
  g.origin = built.track().origin;
  g.surfaces.clear();
  g.others.clear();
  g.n_hits = 0;
  g.n_coordinates = 0;
  std::vector<char> listed(geometry_.surfaces().size());
  for (std::size_t i = 0; i < built.sources().size(); ++i) {
    const TrackHit& h = built.track().points[i];
    listed[built.surfaces()[i]] = 1;
    g.surfaces.push_back({geometry_.surfaces()[built.surfaces()[i]],
                          h.coordinates, h.n_coordinates});
    g.n_coordinates += h.n_coordinates;
    if (h.measures()) ++g.n_hits;
  }
  if (kind != Kind::points && scattering_.model != Scattering::off)
    for (std::size_t i = 0; i < listed.size(); ++i)
      if (listed[i] == 0 && built.is_missing(i))
        g.others.push_back(geometry_.surfaces()[i]);
}

/// Sets at_ to the group of this key; usually the group of the previous
/// track.
bool FitGroups::find_group(std::span<const unsigned> key, Kind kind) {
  const auto has_key = [&](const Group& g) {
    return g.kind == kind && std::ranges::equal(g.key, key);
  };
  std::size_t& last = last_[static_cast<std::size_t>(kind)];
  if (last >= groups_.size() || !has_key(groups_[last]))
    last = static_cast<std::size_t>(std::ranges::find_if(groups_, has_key) -
                                    groups_.begin());
  at_ = last;
  return at_ < groups_.size();
}

FitGroups::Slot FitGroups::put_hits(const HitTrackBuilder& built,
                                    std::size_t number) {
  Group& g = groups_[at_];
  g.numbers.push_back(number);
  const HitList& hits = built.hits();
  for (const std::vector<double>* v : {&hits.x, &hits.y, &hits.z})
    g.rows.insert(g.rows.end(), v->begin(), v->end());
  return {at_, g.n_added++};
}

std::optional<FitGroups::Slot> FitGroups::add_hits(const HitTrackBuilder& built,
                                                   std::size_t number) {
  if (!built.is_simple() || !find_group(built.hits().surface, Kind::hits))
    return std::nullopt;
  return put_hits(built, number);
}

FitGroups::Slot FitGroups::add(const HitTrackBuilder& built, Kind kind,
                               std::size_t number) {
  if (!built.is_simple()) kind = Kind::points;
  set_key(built);
  if (!find_group(kind == Kind::hits ? built.hits().surface : key_, kind))
    make_group(built, kind);
  if (kind != Kind::points) return put_hits(built, number);
  Group& g = groups_[at_];
  g.numbers.push_back(number);
  const TrackHits& track = built.track();
  g.rows.push_back(track.kappa_ref);
  for (const TrackHit& h : track.points) g.rows.push_back(h.theta0_2);
  for (int axis = 0; axis < 3; ++axis)
    for (const TrackHit& h : track.points)
      if (h.measures()) g.rows.push_back(h.position[axis]);
  return {at_, g.n_added++};
}

/// Transposes rows to columns for all tracks added.
void FitGroups::Group::arrange() {
  const std::size_t n = n_tracks = n_added;
  columns.resize(n * row_size());
  const std::size_t first = kind == Kind::points ? 0 : first_hit();
  double* const to = columns.data() + n * first;
  const std::size_t width = row_size() - first;
  constexpr std::size_t line = 8;  // numbers
  for (std::size_t begin = 0; begin < n; begin += line) {
    const std::size_t end = std::min(begin + line, n);
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t t = begin; t < end; ++t)
        to[c * n + t] = rows[t * width + c];
  }
}

HitArrays FitGroups::Group::arrays() const {
  const std::span<const double> all = columns;
  const auto part = [&](std::size_t first, std::size_t count) {
    return all.subspan(first * n_tracks, count * n_tracks);
  };
  const std::size_t hit = first_hit();
  return {.size = n_tracks,
          .surfaces = surfaces,
          .x = part(hit, n_hits),
          .y = part(hit + n_hits, n_hits),
          .z = part(hit + 2 * n_hits, n_hits),
          .theta0_2 = part(1, surfaces.size()),
          .kappa_ref = part(0, 1),
          .origin = origin};
}

void FitGroups::Group::find_scattering(double bz, const HitScattering& model) {
  arrange();
  known.resize(n_added);
  const std::span<double> all = columns;
  gttf::find_scattering(arrays(), others, bz, model,
                        all.subspan(n_tracks, surfaces.size() * n_tracks),
                        all.first(n_tracks), known);
  if (std::ranges::find(known, 0) != known.end()) forget_unknown();
}

/// Removes tracks without result from the columns and numbers.
void FitGroups::Group::forget_unknown() {
  index_of.resize(n_added);
  std::size_t n = 0;
  for (std::size_t t = 0; t < n_added; ++t) {
    index_of[t] = n;
    if (known[t] != 0) numbers[n++] = numbers[t];
  }
  for (std::size_t c = 0; c < row_size(); ++c)
    for (std::size_t t = 0; t < n_added; ++t)
      if (known[t] != 0)
        columns[c * n + index_of[t]] = columns[c * n_added + t];
  n_tracks = n;
}

void FitGroups::find_scattering() {
  for (Group& g : groups_)
    if (g.kind != Kind::points && g.n_added > 0 && g.known.empty())
      g.find_scattering(geometry_.bz(), scattering_);
}

bool FitGroups::is_known(const Slot& place) const {
  const Group& g = groups_[place.group];
  return g.kind == Kind::points || g.known[place.track] != 0;
}

BatchStatistics FitGroups::Group::fit(FitKind fit_kind,
                                      const FitOptions& options,
                                      const FitOneTrack& fit_one) {
  if (kind == Kind::points) arrange();
  const std::size_t n = n_tracks;
  for (std::vector<double>* v : {&kappa, &sigma, &chi2, &weights}) v->resize(n);
  perigee.resize(track_dim * n);
  covariance.resize(track_triangle * n);
  status.resize(n);
  constexpr unsigned threads = 1;
  return gttf::fit(
      arrays(), fit_kind, options,
      {kappa, sigma, chi2, weights, perigee, covariance, status}, threads,
      [&](std::size_t t) -> const GlobalFit& { return fit_one(numbers[t]); });
}

BatchStatistics FitGroups::fit(const FitOneTrack& fit_one) {
  BatchStatistics statistics;
  for (Group& g : groups_)
    if (g.n_added > 0) statistics += g.fit(kind_, options_, fit_one);
  return statistics;
}

const GlobalFit& FitGroups::at(const Slot& place) {
  const Group& g = groups_[place.group];
  const std::size_t t = g.index(place.track), n = g.n_tracks;
  GlobalFit& f = result_;  // values not set here are NaN from the start
  f.status = g.status[t];
  if (f.status != FitStatus::ok) return f;
  f.kappa = g.kappa[t];
  f.sigma = g.sigma[t];
  f.chi2 = g.chi2[t];
  f.kappa_weights = g.weights[t];
  f.ndf = g.n_coordinates - track_dim;
  std::size_t plane = 0;
  for (int i = 0; i < track_dim; ++i) {
    f.perigee[i] = g.perigee[static_cast<std::size_t>(i) * n + t];
    for (int j = 0; j <= i; ++j, ++plane)
      f.perigee_covariance(i, j) = f.perigee_covariance(j, i) =
          g.covariance[plane * n + t];
  }
  return f;
}

void FitGroups::clear() {
  constexpr std::size_t most_kept = 256;
  if (groups_.size() > most_kept) groups_.clear();
  for (Group& g : groups_) {
    // the surfaces that a track is presumed to cross must depend only on the
    // block, not on previous blocks of this thread
    if (g.kind != Kind::points) g.key.clear();
    g.n_added = 0;
    g.rows.clear();
    g.numbers.clear();
    g.known.clear();
    g.index_of.clear();
  }
}

}  // namespace gttf::detail
