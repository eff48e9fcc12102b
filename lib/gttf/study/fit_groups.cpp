// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gttf/study/detail/fit_groups.hpp"

namespace gttf::detail {

bool FitGroups::takes(const HitTrackBuilder& built) const {
  const TrackHits& track = built.track();
  if (!track.field || track.flight || track.kappa_ref == 0 ||
      !built.has_layer_errors() || options_.relinearisations > 0 ||
      options_.detail == FitDetail::hits)
    return false;
  bool behind_hit = false, scatters = false, between = false, single = false;
  for (std::size_t i = 0; i < track.points.size(); ++i) {
    const TrackHit& h = track.points[i];
    if (built.sources()[i] == HitTrackBuilder::beam_spot) return false;
    if (!h.measures()) {
      scatters = scatters || (behind_hit && h.theta0_2 > 0);
      continue;
    }
    behind_hit = true;
    between = between || scatters;
    single = single || h.n_coordinates == 1;
  }
  return single || !between;
}

/// Hits, and what scatters before the last of them; behind the first one
/// takes() lets that through only where a hit has one coordinate.
void FitGroups::choose_points(const HitTrackBuilder& built) {
  points_.clear();
  std::size_t end = 0;  // of points_, behind the last hit
  bool behind_hit = false;
  for (std::size_t i = 0; i < built.sources().size(); ++i) {
    const bool hit = built.sources()[i] >= 0;
    if (!hit && behind_hit && !(built.track().points[i].theta0_2 > 0)) continue;
    points_.push_back(i);
    if (!hit) continue;
    behind_hit = true;
    end = points_.size();
  }
  points_.resize(end);
}

void FitGroups::set_key(const HitTrackBuilder& built) {
  // a surface without a hit is not taken for one with
  constexpr unsigned passive = 0x80000000;
  key_.clear();
  for (const std::size_t i : points_)
    key_.push_back(built.surfaces()[i] |
                   (built.sources()[i] >= 0 ? 0 : passive));
}

FitGroups::Group FitGroups::make_group(const HitTrackBuilder& built) const {
  Group g;
  g.key = key_;
  g.origin = built.track().origin;
  for (const std::size_t i : points_) {
    const TrackHit& h = built.track().points[i];
    g.surfaces.push_back({geometry_.surfaces()[built.surfaces()[i]],
                          h.coordinates, h.n_coordinates});
    g.n_coordinates += h.n_coordinates;
    if (h.measures()) ++g.n_hits;
  }
  return g;
}

/// Sets last_ to the group of that key; most often it is.
bool FitGroups::find_group(std::span<const unsigned> key) {
  const auto has_key = [key](const Group& g) {
    return std::ranges::equal(g.key, key);
  };
  if (last_ < groups_.size() && has_key(groups_[last_])) return true;
  const auto at = std::ranges::find_if(groups_, has_key);
  last_ = static_cast<std::size_t>(at - groups_.begin());
  return at != groups_.end();
}

FitGroups::Place FitGroups::add(const HitTrackBuilder& built) {
  choose_points(built);
  set_key(built);
  if (!find_group(key_)) groups_.push_back(make_group(built));
  Group& g = groups_[last_];
  const TrackHits& track = built.track();
  g.rows.push_back(track.kappa_ref);
  for (const std::size_t i : points_)
    g.rows.push_back(track.points[i].theta0_2);
  for (int axis = 0; axis < 3; ++axis)
    for (const TrackHit& h : track.points)
      if (h.measures()) g.rows.push_back(h.position[axis]);
  return {last_, g.n_tracks++};
}

std::optional<FitGroups::Place> FitGroups::add_simple(
    const HitTrackBuilder& built) {
  const double kappa_ref = built.track().kappa_ref;
  if (!built.is_simple() || kappa_ref == 0) return std::nullopt;
  const HitTrackBuilder::SimpleHits& hits = built.simple_hits();
  if (!find_group(hits.surface)) return std::nullopt;
  Group& g = groups_[last_];
  g.rows.push_back(kappa_ref);
  for (const std::vector<double>* v :
       {&hits.theta0_2, &hits.x, &hits.y, &hits.z})
    g.rows.insert(g.rows.end(), v->begin(), v->end());
  return Place{last_, g.n_tracks++};
}

BatchFitStatistics FitGroups::Group::fit(FitKind kind,
                                         const FitOptions& options) {
  const std::size_t n = n_tracks, width = row_size();
  arranged.resize(n * width);
  constexpr std::size_t line = 8;  // numbers
  for (std::size_t begin = 0; begin < n; begin += line) {
    const std::size_t end = std::min(begin + line, n);
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t t = begin; t < end; ++t)
        arranged[c * n + t] = rows[t * width + c];
  }
  for (std::vector<double>* v : {&kappa, &sigma, &chi2, &weights}) v->resize(n);
  perigee.resize(5 * n);
  covariance.resize(15 * n);
  status.resize(n);
  const std::span<const double> all = arranged;
  const auto columns = [&](std::size_t first, std::size_t count) {
    return all.subspan(first * n, count * n);
  };
  const std::size_t first_hit = 1 + surfaces.size();
  const HitArrays in{.size = n,
                     .surfaces = surfaces,
                     .x = columns(first_hit, n_hits),
                     .y = columns(first_hit + n_hits, n_hits),
                     .z = columns(first_hit + 2 * n_hits, n_hits),
                     .theta0_2 = columns(1, surfaces.size()),
                     .kappa_ref = columns(0, 1),
                     .origin = origin};
  return gttf::fit(in, kind, options,
                   {kappa, sigma, chi2, weights, perigee, covariance, status});
}

BatchFitStatistics FitGroups::fit() {
  BatchFitStatistics statistics;
  for (Group& g : groups_)
    if (g.n_tracks > 0) statistics += g.fit(kind_, options_);
  return statistics;
}

const GlobalFit& FitGroups::at(const Place& place) {
  const Group& g = groups_[place.group];
  const std::size_t t = place.track, n = g.n_tracks;
  GlobalFit& f = result_;  // what is not set here has been NaN from the start
  f.status = g.status[t];
  if (f.status != FitStatus::ok) return f;
  f.kappa = g.kappa[t];
  f.sigma = g.sigma[t];
  f.chi2 = g.chi2[t];
  f.kappa_weights = g.weights[t];
  f.ndf = g.n_coordinates - 5;
  std::size_t plane = 0;
  for (int i = 0; i < 5; ++i) {
    f.perigee[i] = g.perigee[static_cast<std::size_t>(i) * n + t];
    for (int j = 0; j <= i; ++j, ++plane)
      f.perigee_covariance(i, j) = f.perigee_covariance(j, i) =
          g.covariance[plane * n + t];
  }
  return f;
}

void FitGroups::clear() {
  constexpr std::size_t most_kept = 64;
  if (groups_.size() > most_kept) groups_.clear();
  for (Group& g : groups_) {
    g.n_tracks = 0;
    g.rows.clear();
  }
}

}  // namespace gttf::detail
