// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_regimes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/momentum_searches.hpp"
#include "gttf/resolution/regime_parts.hpp"
#include "gttf/resolution/triplet_batch.hpp"

namespace gttf {

namespace {

using detail::AskedXi;
using detail::direction_of;
using detail::MomentumSearches;

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

/// What the threads share.
struct RegimeJob {
  const TrackingGeometry& geometry;
  const detail::TripletGeometry lanes;
  const TrackArrays& tracks;
  const Model& model;
  const RegimeThresholds& thresholds;
  const RegimeArrays& results;
  TripletChoice choice;
  std::span<const std::size_t> layers;
  /// Of find_regimes(); find_triplets() does without tracks and momenta.
  bool whole;
  bool triplets;
  /// Whether kernels find regimes and triplets of such tracks.
  bool vectorised =
      is_vectorised(geometry, model) &&
      (choice != TripletChoice::recurling || !geometry.has_field());
  /// The scalar path is slow: small blocks occupy all threads.
  std::size_t block_size = vectorised ? 512 : 4;
  std::size_t n_blocks = (tracks.size + block_size - 1) / block_size;
};

class RegimeWorker {
 public:
  /// @param triplets  of each block
  RegimeWorker(const RegimeJob& job, std::vector<TripletArrays>& triplets)
      : job_(job), of_block_(triplets) {}

  bool is_vectorised() const { return job_.vectorised; }

  void run_vectorised(detail::BatchBlock& block) {
    begin_ = block.begin;
    tracks_ = part_of(job_.tracks, block.begin, block.size());
    helices_.clear();
    for (std::size_t t = 0; t < tracks_.size; ++t)
      if (detail::follows_helix(job_.geometry, tracks_.track(t), job_.model))
        helices_.push_back(t);
      else
        block.leave_unsupported(begin_ + t);
    if (job_.whole) resolve_tracks(block.statistics);
    if (!job_.geometry.has_field()) return;
    std::vector<std::size_t> directions(tracks_.size);
    std::map<detail::Direction, std::size_t> known;
    for (const std::size_t t : helices_) {
      const detail::Direction direction = direction_of(tracks_, t);
      directions[t] = known.try_emplace(direction, known.size()).first->second;
    }
    if (job_.whole && !job_.results.p_significant.empty())
      search_tracks(directions);
    if (job_.triplets) fit_triplets(directions);
  }

  void run_scalar(std::size_t t) {
    const Track track = job_.tracks.track(t);
    if (!job_.whole) {
      of_scalar_.push_back(find_triplets(job_.geometry, track, job_.model,
                                         job_.layers, job_.thresholds));
      return;
    }
    TrackRegime one = find_regime(job_.geometry, track, job_.model,
                                  job_.thresholds, job_.choice);
    store(t, one);
    of_scalar_.push_back(std::move(one.triplets));
  }

  void end_block(const detail::BatchBlock& block) {
    if (job_.triplets) join(block);
    vectorised_ = {};
    of_scalar_.clear();
  }

 private:
  void resolve_tracks(BatchStatistics& statistics) {
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
    found.tracks = found.unsupported = 0;  // counted already
    statistics += found;
    for (const std::size_t t : helices_) {
      TrackRegime one;
      one.resolution.mu_phi = mu_phi[t];
      one.resolution.mu_theta = mu_theta[t];
      one.resolution.xi = xi_[t];
      one.resolution.n_hits = n_hits[t];
      one.resolution.status = status[t];
      const Regime regime = classify(mu_phi[t], xi_[t], job_.thresholds);
      one.resolution.regime = regime;
      if (status[t] == Status::ok) {
        one.xi_ms = 1 / ms_only[t];
        one.fit = detail::recommend(regime, xi_[t], job_.thresholds);
        one.biases = detail::predict_biases(n_hits[t], mu_phi[t], xi_[t],
                                            job_.thresholds);
      } else {
        xi_[t] = Resolution::none;
      }
      store(begin_ + t, one);
    }
  }

  void search_tracks(const std::vector<std::size_t>& directions) {
    MomentumSearches searches;
    std::vector<std::size_t> found;
    for (const std::size_t t : helices_) {
      if (std::isnan(xi_[t])) continue;
      found.push_back(t);
      searches.add({t, tracks_.track(t).p, {}}, xi_[t], directions[t]);
    }
    const std::vector<double> momenta =
        searches.run(job_.thresholds.xi_significant,
                     [this](const std::vector<AskedXi>& asked,
                            std::span<double> xi) { resolve_at(asked, xi); });
    for (std::size_t i = 0; i < found.size(); ++i)
      job_.results.p_significant[begin_ + found[i]] = momenta[i];
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

  void fit_triplets(const std::vector<std::size_t>& directions) {
    detail::TripletBatch batch(job_.lanes, job_.model.scattering, tracks_);
    std::vector<std::vector<std::size_t>> hits(tracks_.size);
    batch.find_hits(
        helices_, [&](std::size_t t, std::vector<std::size_t> list) {
          if (!job_.layers.empty())
            std::erase_if(list, [this](std::size_t layer) {
              return !std::ranges::binary_search(job_.layers, layer);
            });
          hits[t] = std::move(list);
        });
    std::vector<AskedXi> asked;
    for (const std::size_t t : helices_) {
      const double p = tracks_.track(t).p;
      detail::for_each_triplet(
          hits[t].size(), job_.choice,
          [&](std::size_t i, std::size_t j, std::size_t k) {
            asked.push_back({t, p, {hits[t][i], hits[t][j], hits[t][k]}});
          });
    }
    batch.fit(asked, job_.thresholds, vectorised_);
    vectorised_.begin.assign(tracks_.size + 1, 0);
    for (const AskedXi& a : asked) ++vectorised_.begin[a.track + 1];
    for (std::size_t t = 0; t < tracks_.size; ++t)
      vectorised_.begin[t + 1] += vectorised_.begin[t];
    if (!job_.whole) return;
    MomentumSearches searches;
    std::vector<std::size_t> existing;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (std::isnan(vectorised_.xi[i])) continue;
      existing.push_back(i);
      searches.add(asked[i], vectorised_.xi[i], directions[asked[i].track]);
    }
    const std::vector<double> momenta =
        searches.run(job_.thresholds.xi_significant,
                     [&](const std::vector<AskedXi>& at, std::span<double> xi) {
                       batch.significances(at, xi);
                     });
    for (std::size_t i = 0; i < existing.size(); ++i)
      vectorised_.p_significant[existing[i]] = momenta[i];
  }

  /// Puts the triplets of the block into the order of the tracks.
  void join(const detail::BatchBlock& block) {
    TripletArrays& joined = of_block_[block.begin / job_.block_size];
    vectorised_.begin.resize(block.size() + 1);
    std::size_t n_scalar = 0;
    for (std::size_t t = block.begin; t < block.end; ++t) {
      const std::size_t i = t - block.begin;
      if (n_scalar < block.scalar().size() && block.scalar()[n_scalar] == t)
        for (const TripletRegime& r : of_scalar_[n_scalar++]) joined.add(r);
      else
        joined.add(vectorised_, vectorised_.begin[i], vectorised_.begin[i + 1]);
      joined.begin.push_back(joined.size());
    }
  }

  void store(std::size_t t, const TrackRegime& one) {
    const RegimeArrays& r = job_.results;
    const auto put = [&](const auto& to, const auto& value) {
      if (!to.empty()) to[t] = value;
    };
    put(r.mu_phi, one.resolution.mu_phi);
    put(r.mu_theta, one.resolution.mu_theta);
    put(r.xi, one.resolution.xi);
    put(r.xi_ms, one.xi_ms);
    put(r.p_significant, one.p_significant);
    put(r.n_hits, one.resolution.n_hits);
    put(r.status, one.resolution.status);
    put(r.regime, one.resolution.regime);
    put(r.fit, one.fit);
    put(r.biases, one.biases);
  }

  const RegimeJob& job_;
  std::vector<TripletArrays>& of_block_;
  // of the block
  std::size_t begin_ = 0;
  TrackArrays tracks_;
  std::vector<std::size_t> helices_;
  std::vector<double> xi_;  ///< of tracks
  TripletArrays vectorised_;
  std::vector<std::vector<TripletRegime>> of_scalar_;
};

BatchStatistics run_blocks(const RegimeJob& job, TripletArrays* triplets,
                           unsigned threads) {
  std::vector<TripletArrays> of_block(job.n_blocks);
  const BatchStatistics statistics =
      detail::run_batch(job.tracks.size, job.block_size, thread_count(threads),
                        [&] { return RegimeWorker(job, of_block); });
  if (triplets == nullptr) return statistics;
  *triplets = {};
  for (const TripletArrays& block : of_block) {
    const std::size_t before = triplets->size();
    triplets->add(block, 0, block.size());
    for (std::size_t t = 1; t < block.begin.size(); ++t)
      triplets->begin.push_back(before + block.begin[t]);
  }
  return statistics;
}

}  // namespace

BatchStatistics find_regimes(const TrackingGeometry& geometry,
                             const TrackArrays& tracks, const Model& model,
                             const RegimeThresholds& thresholds,
                             const RegimeArrays& results,
                             TripletArrays* triplets, TripletChoice choice,
                             unsigned threads) {
  const RegimeJob job{geometry,   detail::TripletGeometry(geometry),
                      tracks,     model,
                      thresholds, results,
                      choice,     {},
                      true,       triplets != nullptr};
  return run_blocks(job, triplets, threads);
}

TripletArrays find_triplets(const TrackingGeometry& geometry,
                            const TrackArrays& tracks, const Model& model,
                            std::span<const std::size_t> layers,
                            const RegimeThresholds& thresholds,
                            unsigned threads) {
  const RegimeArrays none;
  const RegimeJob job{
      geometry, detail::TripletGeometry(geometry), tracks, model, thresholds,
      none,     TripletChoice::consecutive,        layers, false, true};
  TripletArrays triplets;
  run_blocks(job, &triplets, threads);
  return triplets;
}

}  // namespace gttf
