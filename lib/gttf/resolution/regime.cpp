// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/regime.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "gttf/core/parallel.hpp"
#include "gttf/core/run_batch.hpp"
#include "gttf/fit/triplet/bias.hpp"
#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/momentum_searches.hpp"
#include "gttf/resolution/triplet_batch.hpp"

namespace gttf {

namespace {

using detail::AskedXi;
using detail::direction_key;
using detail::MomentumSearches;

RecommendedFit recommend(Regime regime, double xi,
                         const RegimeThresholds& thresholds) {
  switch (regime) {
    case Regime::scattering:
      return xi < thresholds.xi_unbiased ? RecommendedFit::common_curvature
                                         : RecommendedFit::scattering;
    case Regime::hits:
      return RecommendedFit::hits;
    case Regime::mixed:
    case Regime::weak:
      return RecommendedFit::general;
    case Regime::unknown:
      break;
  }
  return RecommendedFit::none;
}

/// If hit errors are not negligible, the error of fits with scattering only
/// exceeds their bias.
FitBiases predict_biases(int n_hits, double mu_phi, double xi,
                         const RegimeThresholds& thresholds) {
  FitBiases biases;
  const int n = n_hits - 2;
  if (!(mu_phi <= thresholds.mu_small) || n < 1) return biases;
  const double relative = std::sqrt(n) / xi;
  const auto of = [&](BiasedFit fit) {
    return predicted_bias(fit, relative, n);
  };
  const Bias local = of(BiasedFit::unregularised);
  const Bias regularised = of(BiasedFit::regularised);
  const Bias common = of(BiasedFit::common_curvature);
  return {local.curvature, regularised.curvature, common.curvature,
          local.pull,      regularised.pull,      common.pull};
}

/// Calls add(i, j, k) for the triplets of n hits in a row.
template <class Add>
void for_each_triplet(std::size_t n, TripletChoice choice, const Add& add) {
  for (std::size_t i = 0; i + 2 < n; ++i) {
    if (choice != TripletChoice::all) {
      add(i, i + 1, i + 2);
      continue;
    }
    for (std::size_t j = i + 1; j + 1 < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k) add(i, j, k);
  }
}

std::span<const double> part_of(std::span<const double> values,
                                std::size_t begin, std::size_t n) {
  return values.size() == 1 ? values : values.subspan(begin, n);
}

TrackArrays part_of(const TrackArrays& t, std::size_t begin, std::size_t n) {
  const auto part = [&](std::span<const double> values) {
    return part_of(values, begin, n);
  };
  return {n,           part(t.p),    part(t.theta),
          part(t.phi), part(t.mass), part(t.charge),
          part(t.x),   part(t.y),    part(t.z)};
}

/// Data shared by the threads.
struct RegimeJob {
  const TrackingGeometry& geometry;
  const detail::TripletGeometry triplets;
  const TrackArrays& tracks;
  const Model& model;
  const RegimeThresholds& thresholds;
  /// Of find_regimes(), one per track; not used by find_triplets().
  std::span<TrackRegime> results;
  TripletChoice choice;
  std::span<const std::size_t> layers;
  /// Of find_triplets().
  std::span<std::vector<TripletRegime>> triplet_results;
  /// Whether kernels support regimes and triplets of such tracks.
  bool vectorised =
      is_vectorised(geometry, model) && model.loss == EnergyLoss::off &&
      geometry.field().kind != FieldKind::dipole &&
      (choice != TripletChoice::recurling || !geometry.has_field());
  /// The scalar path is slow: small blocks occupy all threads.
  std::size_t block_size = vectorised ? 512 : 4;
};

class RegimeWorker {
 public:
  explicit RegimeWorker(const RegimeJob& job) : job_(job) {}

  bool is_vectorised() const { return job_.vectorised; }

  void run_vectorised(detail::BatchBlock& block) {
    set_tracks(block.begin, block.size());
    list_.clear();
    for (std::size_t t = 0; t < tracks_.size; ++t)
      if (follows_helix(t))
        list_.push_back(t);
      else
        block.leave_other_way(begin_ + t);
    block.statistics += resolve_tracks();
    if (job_.geometry.has_field()) find_on_helices();
  }

  void run_scalar(std::size_t t) {
    set_tracks(t, 1);
    list_ = {0};
    resolve_tracks();
    if (!job_.geometry.has_field()) return;
    if (follows_helix(0) && !job_.geometry.depends_on_track())
      find_on_helices();
    else
      find(detail::TracedTriplets(job_.geometry, job_.model, tracks_));
    if (job_.choice == TripletChoice::recurling && job_.geometry.bz() != 0)
      for (const TripletRegime& r :
           detail::recurling_triplets(job_.geometry, tracks_.track(0),
                                      job_.model.scattering, job_.thresholds))
        triplets_of(0).push_back(r);
  }

  void end_block(const detail::BatchBlock&) {}

 private:
  /// Whether for find_regimes(), not only for triplets.
  bool whole() const { return !job_.results.empty(); }

  void set_tracks(std::size_t begin, std::size_t n) {
    begin_ = begin;
    tracks_ = part_of(job_.tracks, begin, n);
  }

  bool follows_helix(std::size_t t) const {
    return detail::follows_helix(job_.geometry, tracks_.track(t), job_.model);
  }

  std::vector<TripletRegime>& triplets_of(std::size_t t) {
    return whole() ? job_.results[begin_ + t].triplets
                   : job_.triplet_results[begin_ + t];
  }

  /// All except momenta and triplets.
  BatchStatistics resolve_tracks() {
    if (!whole()) return {};
    const std::size_t n = tracks_.size;
    std::vector<double> mu_phi(n), mu_theta(n), ms_only(n);
    std::vector<int> n_hits(n);
    std::vector<Status> status(n);
    xi_.resize(n);
    ResolutionArrays r;
    r.mu_phi = mu_phi;
    r.mu_theta = mu_theta;
    r.xi = xi_;
    r.sigma_p_rel_ms_only = ms_only;
    r.n_hits = n_hits;
    r.status = status;
    BatchStatistics found = resolve(job_.geometry, tracks_, job_.model, r);
    found.tracks = found.unsupported = found.other_way = 0;  // counted already
    for (const std::size_t t : list_) {
      TrackRegime& one = job_.results[begin_ + t];
      one = {};
      one.thresholds = job_.thresholds;
      one.mu_phi = mu_phi[t];
      one.mu_theta = mu_theta[t];
      one.xi = xi_[t];
      one.n_hits = n_hits[t];
      one.status = status[t];
      one.regime = classify(mu_phi[t], xi_[t], job_.thresholds);
      if (status[t] != Status::ok || !job_.geometry.has_field()) continue;
      one.xi_ms = 1 / ms_only[t];
      one.fit = recommend(one.regime, one.xi, job_.thresholds);
      one.biases =
          predict_biases(n_hits[t], mu_phi[t], one.xi, job_.thresholds);
    }
    return found;
  }

  void find_on_helices() {
    find(detail::TripletBatch(job_.triplets, job_.model.scattering, tracks_));
  }

  /// @param batch  TripletBatch or TracedTriplets
  template <class Triplets>
  void find(Triplets&& batch) {
    std::vector<std::size_t> directions(tracks_.size);
    std::map<detail::DirectionKey, std::size_t> known;
    for (const std::size_t t : list_) {
      const detail::DirectionKey direction = direction_key(tracks_, t);
      directions[t] = known.try_emplace(direction, known.size()).first->second;
    }
    if (whole()) search_tracks(directions);
    fit_triplets(batch, directions);
  }

  void search_tracks(const std::vector<std::size_t>& directions) {
    MomentumSearches searches;
    std::vector<std::size_t> found;
    for (const std::size_t t : list_) {
      const TrackRegime& one = job_.results[begin_ + t];
      if (one.status != Status::ok || std::isnan(one.xi)) continue;
      found.push_back(t);
      searches.add({t, tracks_.track(t).p, {}}, one.xi, directions[t]);
    }
    const std::vector<double> momenta =
        searches.run(job_.thresholds.xi_significant,
                     [this](const std::vector<AskedXi>& asked,
                            std::span<double> xi) { resolve_at(asked, xi); });
    for (std::size_t i = 0; i < found.size(); ++i)
      job_.results[begin_ + found[i]].p_significant = momenta[i];
  }

  /// xi of tracks at other momenta.
  void resolve_at(const std::vector<AskedXi>& asked, std::span<double> xi) {
    constexpr std::span<const double> TrackArrays::*views[] = {
        &TrackArrays::p,    &TrackArrays::theta,  &TrackArrays::phi,
        &TrackArrays::mass, &TrackArrays::charge, &TrackArrays::x,
        &TrackArrays::y,    &TrackArrays::z};
    TrackArrays at = tracks_;
    at.size = asked.size();
    std::array<std::vector<double>, std::size(views)> columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::span<const double> from = tracks_.*views[c];
      if (c > 0 && from.size() == 1) continue;
      for (const AskedXi& a : asked)
        columns[c].push_back(c == 0 ? a.p : from[a.track]);
      at.*views[c] = columns[c];
    }
    ResolutionArrays r;
    r.xi = xi;
    resolve(job_.geometry, at, job_.model, r);
  }

  template <class Triplets>
  void fit_triplets(Triplets& batch,
                    const std::vector<std::size_t>& directions) {
    std::vector<std::vector<std::size_t>> hits(tracks_.size);
    batch.find_hits(list_, [&](std::size_t t, std::vector<std::size_t> layers) {
      if (!job_.layers.empty())
        std::erase_if(layers, [this](std::size_t layer) {
          return !std::ranges::binary_search(job_.layers, layer);
        });
      hits[t] = std::move(layers);
    });
    std::vector<AskedXi> asked;
    for (const std::size_t t : list_) {
      const double p = tracks_.track(t).p;
      for_each_triplet(
          hits[t].size(), job_.choice,
          [&](std::size_t i, std::size_t j, std::size_t k) {
            asked.push_back({t, p, {hits[t][i], hits[t][j], hits[t][k]}});
          });
    }
    std::vector<TripletRegime> triplets = batch.fit(asked, job_.thresholds);
    if (whole()) search_triplets(batch, asked, directions, triplets);
    for (const std::size_t t : list_) triplets_of(t).clear();
    for (std::size_t i = 0; i < asked.size(); ++i)
      triplets_of(asked[i].track).push_back(triplets[i]);
  }

  template <class Triplets>
  void search_triplets(Triplets& batch, const std::vector<AskedXi>& asked,
                       const std::vector<std::size_t>& directions,
                       std::vector<TripletRegime>& triplets) {
    MomentumSearches searches;
    std::vector<std::size_t> existing;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!triplets[i].exists()) continue;
      existing.push_back(i);
      searches.add(asked[i], triplets[i].xi, directions[asked[i].track]);
    }
    const std::vector<double> momenta =
        searches.run(job_.thresholds.xi_significant,
                     [&](const std::vector<AskedXi>& at, std::span<double> xi) {
                       batch.significances(at, xi);
                     });
    for (std::size_t i = 0; i < existing.size(); ++i)
      triplets[existing[i]].p_significant = momenta[i];
  }

  const RegimeJob& job_;
  // the tracks in progress, listed in `list_`
  std::size_t begin_ = 0;
  TrackArrays tracks_;
  std::vector<std::size_t> list_;
  std::vector<double> xi_;
};

BatchStatistics run_job(const RegimeJob& job, unsigned threads) {
  return detail::run_batch(job.tracks.size, job.block_size,
                           thread_count(threads),
                           [&] { return RegimeWorker(job); });
}

}  // namespace

std::string_view to_string(RecommendedFit fit) {
  switch (fit) {
    case RecommendedFit::scattering:
      return "scattering";
    case RecommendedFit::common_curvature:
      return "common-curvature";
    case RecommendedFit::general:
      return "general";
    case RecommendedFit::hits:
      return "hits";
    case RecommendedFit::none:
      break;
  }
  return "";
}

const TripletRegime* TrackRegime::weakest() const {
  const TripletRegime* weakest = nullptr;
  for (const TripletRegime& t : triplets)
    if (t.exists() && !t.recurls && (!weakest || t.xi < weakest->xi))
      weakest = &t;
  return weakest;
}

BatchStatistics find_regimes(const TrackingGeometry& geometry,
                             const TrackArrays& tracks, const Model& model,
                             const RegimeThresholds& thresholds,
                             std::span<TrackRegime> results,
                             TripletChoice choice, unsigned threads) {
  return run_job({geometry,
                  detail::TripletGeometry(geometry),
                  tracks,
                  model,
                  thresholds,
                  results,
                  choice,
                  {},
                  {}},
                 threads);
}

TrackRegime find_regime(const TrackingGeometry& geometry, const Track& track,
                        const Model& model, const RegimeThresholds& thresholds,
                        TripletChoice choice) {
  TrackRegime regime;
  find_regimes(geometry, arrays_of(track), model, thresholds, {&regime, 1},
               choice);
  return regime;
}

std::vector<std::vector<TripletRegime>> find_triplets(
    const TrackingGeometry& geometry, const TrackArrays& tracks,
    const Model& model, std::span<const std::size_t> layers,
    const RegimeThresholds& thresholds, unsigned threads) {
  std::vector<std::vector<TripletRegime>> triplets(tracks.size);
  run_job({geometry,
           detail::TripletGeometry(geometry),
           tracks,
           model,
           thresholds,
           {},
           TripletChoice::consecutive,
           layers,
           triplets},
          threads);
  return triplets;
}

}  // namespace gttf
