// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gttf/study/detail/fit_groups.hpp"

namespace gttf::detail {

namespace {

/// Points that a fit in lanes knows: hits, and what scatters before them.
bool matters(const HitTrackBuilder& built, std::size_t i, bool behind_hit) {
  return built.sources()[i] >= 0 || !behind_hit;
}

}  // namespace

bool FitGroups::takes(const HitTrackBuilder& built) const {
  const TrackHits& track = built.track();
  if (!track.field || track.flight || track.kappa_ref == 0 ||
      !built.has_layer_errors() || options_.relinearisations > 0 ||
      options_.detail == FitDetail::hits)
    return false;
  bool behind_hit = false, scatters = false;
  for (std::size_t i = 0; i < track.points.size(); ++i) {
    const TrackHit& h = track.points[i];
    if (built.sources()[i] == HitTrackBuilder::beam_spot) return false;
    if (!h.measures()) {
      scatters = scatters || (behind_hit && h.theta0_2 > 0);
      continue;
    }
    if (h.n_coordinates < 2 || scatters) return false;
    behind_hit = true;
  }
  return true;
}

void FitGroups::set_key(const HitTrackBuilder& built) {
  // a surface without a hit is not taken for one with
  constexpr unsigned passive = 0x80000000;
  key_.clear();
  bool behind_hit = false;
  for (std::size_t i = 0; i < built.sources().size(); ++i) {
    if (!matters(built, i, behind_hit)) continue;
    const bool hit = built.sources()[i] >= 0;
    key_.push_back(built.surfaces()[i] | (hit ? 0 : passive));
    behind_hit = behind_hit || hit;
  }
}

FitGroups::Group FitGroups::make_group(const HitTrackBuilder& built) const {
  Group g;
  g.key = key_;
  g.origin = built.track().origin;
  for (std::size_t i = 0; i < built.sources().size(); ++i) {
    if (!matters(built, i, g.n_hits > 0)) continue;
    const TrackHit& h = built.track().points[i];
    g.surfaces.push_back({geometry_.surfaces()[built.surfaces()[i]],
                          h.coordinates, h.n_coordinates});
    if (h.measures()) ++g.n_hits;
  }
  return g;
}

FitGroups::Place FitGroups::add(const HitTrackBuilder& built) {
  set_key(built);
  if (last_ >= groups_.size() || groups_[last_].key != key_) {
    const auto at = std::ranges::find_if(
        groups_, [this](const Group& g) { return g.key == key_; });
    last_ = static_cast<std::size_t>(at - groups_.begin());
    if (at == groups_.end()) groups_.push_back(make_group(built));
  }
  Group& g = groups_[last_];
  const TrackHits& track = built.track();
  g.rows.push_back(track.kappa_ref);
  bool behind_hit = false;
  for (std::size_t i = 0; i < track.points.size(); ++i) {
    if (!matters(built, i, behind_hit)) continue;
    g.rows.push_back(track.points[i].theta0_2);
    behind_hit = behind_hit || built.sources()[i] >= 0;
  }
  for (const TrackHit& h : track.points)
    if (h.measures())
      g.rows.insert(g.rows.end(), h.position.data(), h.position.data() + 3);
  return {last_, g.n_tracks++};
}

BatchFitStatistics FitGroups::Group::fit(FitKind kind,
                                         const FitOptions& options) {
  const std::size_t n = n_tracks, width = row_size();
  arranged.resize(n * width);
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t c = 0; c < width; ++c)
      arranged[c * n + t] = rows[t * width + c];
  // columns: kappa_ref, theta0_2 of every surface, then x, y, z of every hit
  std::vector<double> hits[3];
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t h = 0; h < n_hits; ++h) {
      const double* column =
          arranged.data() + (1 + surfaces.size() + 3 * h + axis) * n;
      hits[axis].insert(hits[axis].end(), column, column + n);
    }
  for (std::vector<double>* v : {&kappa, &sigma, &chi2, &weights}) v->resize(n);
  perigee.resize(5 * n);
  covariance.resize(15 * n);
  status.resize(n);
  const std::span<const double> all = arranged;
  const HitArrays in{.size = n,
                     .surfaces = surfaces,
                     .x = hits[0],
                     .y = hits[1],
                     .z = hits[2],
                     .theta0_2 = all.subspan(n, surfaces.size() * n),
                     .kappa_ref = all.first(n),
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
  f.ndf = 2 * (static_cast<int>(g.n_hits) - 2) - 1;
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
