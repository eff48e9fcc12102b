// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_study.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "gttf/core/parallel.hpp"
#include "gttf/core/statistics.hpp"
#include "gttf/resolution/drawn_toys.hpp"
#include "gttf/resolution/toys.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/toys/toy_table.hpp"

namespace gttf {

namespace {

/// Toys per task of a thread.
constexpr std::uint64_t block_size = 256;
/// Blocks per thread in a wave, after which the state is complete: initial
/// number, doubled while a wave takes less than its target time. Threads
/// synchronise at its end.
constexpr std::size_t fewest_blocks = 32, most_blocks = 4096;
constexpr std::chrono::milliseconds wave_time{200};

/// Expected errors in fit units from the covariance of resolve().
ToyScale scale_of(const Resolution& r, ToyParameters parameters, double b_ref) {
  const Matrix5& m =
      parameters == ToyParameters::plane ? r.start_plane : r.perigee;
  ToyScale scale;
  for (int i = 0; i < track_dim; ++i)
    scale[static_cast<std::size_t>(i)] = std::sqrt(m(i, i));
  scale[Perigee::kappa] *= std::abs(b_ref);  // q/p -> kappa = -B q/p
  return scale;
}

/// The same from the columns of the row of a point.
ToyScale scale_of(const Document& row, ToyParameters parameters, double b_ref) {
  using Columns = std::array<const char*, n_toy_parameters>;
  static constexpr Columns perigee{"sigma_d0_um", "sigma_z0_um",
                                   "sigma_phi0_mrad", "sigma_theta_mrad",
                                   "sigma_qop_per_GeV"};
  static constexpr Columns plane{"sigma_x_um", "sigma_y_um", "sigma_tx_mrad",
                                 "sigma_ty_mrad", "sigma_qop_per_GeV"};
  const std::array units{unit::um, unit::um, unit::mrad, unit::mrad,
                         std::abs(b_ref)};
  const Columns& columns = parameters == ToyParameters::plane ? plane : perigee;
  ToyScale scale;
  for (std::size_t i = 0; i < scale.size(); ++i)
    scale[i] = number_of(row, columns[i]) * units[i];
  return scale;
}

/// All that toys of a point share that draw azimuths, vertices and hits.
struct PreparedDraws {
  const TrackingGeometry& geometry;
  std::vector<double> efficiencies;
  Track track;
  Model model;
  ToySpread spread;
};

/// All that the toys of a point share.
struct PreparedPoint {
  std::variant<ToySimulator, PreparedDraws> simulator;
  ToyParameters parameters;
  ToyScale scale;
  std::uint64_t stream;
};

/// Toys first <= i < last of one point.
struct Block {
  std::size_t point = 0;
  std::uint64_t first = 0, last = 0;
};

/// Toys of one point, with buffers for a block.
class PointToys {
 public:
  PointToys(const PreparedPoint& point, const std::vector<FitChoice>& fits)
      : point_(point), numbers_(fits.size()) {
    if (const auto* simulator = std::get_if<ToySimulator>(&point.simulator)) {
      // kernels give parameters on the plane through the start of traced tracks
      const TrackHits& hits = simulator->prototype().hits;
      batch_.emplace(*simulator, fits,
                     point.parameters == ToyParameters::perigee || hits.flight
                         ? CodePath::best
                         : CodePath::scalar);
      for (const TrackHit& h : hits.points) ndf_ += h.n_coordinates;
      has_field_ = hits.field;
      ndf_ -= has_field_ ? track_dim : track_dim - 1;
    } else {
      const auto& draws = std::get<PreparedDraws>(point.simulator);
      drawn_.emplace(draws.geometry, draws.efficiencies, draws.track,
                     draws.model, draws.spread, fits);
    }
    for (Numbers& n : numbers_) n.toys.parameters = point.parameters;
  }

  /// Simulates and fits toys and adds them to `sum`, and to `rows` unless null.
  BatchStatistics run(const RandomPlace& first, std::size_t n,
                      const std::vector<FitChoice>& fits, ToyStatistics& sum,
                      ToyRows* rows) {
    missed_.assign(n, 0);
    truth_.resize(track_dim * n);
    std::vector<FitArrays> arrays;
    for (Numbers& numbers : numbers_)
      arrays.push_back(numbers.resized(n, point_.parameters, has_field_));
    const auto take = [&](std::size_t i, std::size_t f, const GlobalFit& fit,
                          const ToyTrack& toy) {
      numbers_[f].toys.set(i, fit, toy);
    };
    BatchStatistics statistics;
    if (batch_)
      statistics = batch_->run(first, {missed_, arrays, truth_}, take);
    else
      statistics = draw(first, take);
    sum.simulated += n;
    sum.missed += n - static_cast<std::size_t>(
                          std::count(missed_.begin(), missed_.end(), 0));
    for (std::size_t f = 0; f < fits.size(); ++f) {
      FittedToys& toys = numbers_[f].toys;
      if (batch_ && batch_->is_vectorised())
        toys.set(arrays[f], batch_->prototype(), truth_, ndf_);
      sum.fits[f].add(toys, missed_, point_.scale);
    }
    for (std::size_t i = 0; rows != nullptr && i < n; ++i) {
      if (missed_[i] != 0) rows->add_missed(first.index + i);
      for (std::size_t f = 0; missed_[i] == 0 && f < fits.size(); ++f)
        rows->add(first.index + i, name_of(fits[f]), numbers_[f].toys, i);
    }
    return statistics;
  }

 private:
  BatchStatistics draw(RandomPlace place, const TakeToyFit& take) {
    BatchStatistics statistics;
    for (std::size_t i = 0; i < missed_.size(); ++i, ++place.index) {
      const bool simulated = drawn_->run(
          place, [&](std::size_t f, const GlobalFit& fit, const ToyTrack& toy) {
            take(i, f, fit, toy);
          });
      missed_[i] = simulated ? 0 : 1;
      ++(simulated ? statistics.unsupported : statistics.not_fitted);
    }
    statistics.tracks = missed_.size();
    return statistics;
  }

  struct Numbers {
    std::vector<double> kappa, sigma, chi2, perigee, covariance,
        scattering_momentum;
    std::vector<FitStatus> status;
    FittedToys toys;

    FitArrays resized(std::size_t n, ToyParameters parameters, bool has_field) {
      for (std::vector<double>* v : {&kappa, &sigma, &chi2}) v->resize(n);
      perigee.resize(track_dim * n);
      covariance.resize(track_triangle * n);
      status.resize(n);
      toys.resize(n);
      FitArrays arrays{.kappa = kappa,
                       .sigma = sigma,
                       .chi2 = chi2,
                       .kappa_weights = {},
                       .perigee = {},
                       .perigee_covariance = {},
                       .status = status};
      if (!has_field) {
        scattering_momentum.resize(n);
        arrays.scattering_momentum = scattering_momentum;
      }
      if (parameters == ToyParameters::plane) {
        arrays.start_plane = perigee;
        arrays.start_plane_covariance = covariance;
      } else {
        arrays.perigee = perigee;
        arrays.perigee_covariance = covariance;
      }
      return arrays;
    }
  };

  const PreparedPoint& point_;
  std::optional<ToyBatch> batch_;
  std::optional<DrawnToys> drawn_;  ///< without a batch
  int ndf_ = 0;
  bool has_field_ = true;
  std::vector<char> missed_;
  std::vector<double> truth_;
  std::vector<Numbers> numbers_;  ///< of each fit
};

class Runner {
 public:
  Runner(const StudyRequest& request, std::span<const Detector> detectors,
         const ToyRunOptions& options, ToyState& state)
      : request_(request),
        detectors_(detectors),
        options_(options),
        state_(state),
        threads_(thread_count(options.threads)) {
    for (const Detector& d : detectors) geometries_.emplace_back(d);
    prepared_.resize(state.points.size());
    progress_.resize(state.points.size());
    for (std::size_t k = 0; k < state.points.size(); ++k)
      progress_[k] = state.from + state.points[k].statistics.simulated;
  }

  void run() {
    for (std::vector<Block> wave = next_wave(); !wave.empty();
         wave = next_wave()) {
      const auto begin = std::chrono::steady_clock::now();
      run_wave(wave);
      // rows of single toys are kept until the end of a wave
      if (options_.toys == nullptr && blocks_per_thread_ < most_blocks &&
          std::chrono::steady_clock::now() - begin < wave_time / 2)
        blocks_per_thread_ *= 2;
      if (options_.progress)
        options_.progress(static_cast<std::size_t>(state_.done()),
                          static_cast<std::size_t>(state_.total()));
      if (options_.checkpoint) options_.checkpoint(state_);
    }
    if (options_.toys != nullptr) options_.toys->finish();
  }

 private:
  std::vector<Block> next_wave() {
    for (; released_ < point_; ++released_) prepared_[released_].reset();
    std::vector<Block> wave;
    const std::size_t most = std::size_t{threads_} * blocks_per_thread_;
    while (wave.size() < most && point_ < state_.points.size()) {
      std::uint64_t& next = progress_[point_];
      if (!state_.points[point_].has_toys || next == state_.to) {
        ++point_;
        continue;
      }
      if (!prepared_[point_]) prepare(point_);
      const std::uint64_t last = std::min(next + block_size, state_.to);
      wave.push_back({point_, next, last});
      next = last;
    }
    return wave;
  }

  /// Points are in the order of plan_toys().
  void prepare(std::size_t k) {
    const std::size_t n_momenta = request_.momentum.values.size();
    const std::size_t n_points = n_momenta * request_.angle.values.size();
    const GridPoint point{k % n_momenta, k % n_points / n_momenta};
    const TrackingGeometry& geometry = geometries_[k / n_points];
    const Track track = grid_track(request_, point);
    Model model = model_of(request_, detectors_[k / n_points]);
    model.at.reset();
    const ToyParameters parameters = state_.points[k].parameters();
    const Detector& detector = detectors_[k / n_points];
    if (const StudyRequest drawn = toy_request(request_, detector);
        drawn.average) {
      PreparedDraws draws{geometry, {}, track, model, {}};
      for (const Layer& layer : detector.layers)
        draws.efficiencies.push_back(layer.efficiency);
      draws.spread.phi = drawn.average->phi;
      if (drawn.average->vertex)
        draws.spread.vertex = luminous_region_of(drawn);
      prepared_[k] = std::make_unique<PreparedPoint>(PreparedPoint{
          std::move(draws), parameters,
          scale_of(state_.points[k].row, parameters, geometry.b_ref()), k});
      return;
    }
    ToySimulator simulator(geometry, track, model);
    prepared_[k] = std::make_unique<PreparedPoint>(PreparedPoint{
        std::move(simulator), parameters,
        scale_of(resolve(geometry, track, model), parameters, geometry.b_ref()),
        k});
  }

  void run_wave(const std::vector<Block>& wave) {
    std::vector<Table> rows(options_.toys != nullptr ? wave.size() : 0);
    std::mutex mutex;
    parallel_workers(wave.size(), threads_, [&](auto next) {
      ToyStatistics sum(state_.fits.size());
      std::unique_ptr<PointToys> toys;
      BatchStatistics statistics;
      std::size_t toy_point = state_.points.size();
      const auto hand_over = [&] {
        if (toy_point == state_.points.size()) return;
        const std::lock_guard lock(mutex);
        state_.points[toy_point].statistics.add(sum);
        sum = ToyStatistics(state_.fits.size());
      };
      for (auto b = next(); b; b = next()) {
        const Block& block = wave[*b];
        if (toy_point != block.point) {
          hand_over();
          toy_point = block.point;
          toys =
              std::make_unique<PointToys>(*prepared_[block.point], state_.fits);
        }
        std::optional<ToyRows> table;
        if (!rows.empty())
          table.emplace(state_.points[block.point], state_.any_at_plane());
        statistics += toys->run(
            {state_.seed, prepared_[block.point]->stream, block.first},
            block.last - block.first, state_.fits, sum,
            table ? &*table : nullptr);
        if (table) rows[*b] = std::move(*table).take();
      }
      hand_over();
      if (options_.statistics == nullptr) return;
      const std::lock_guard lock(mutex);
      *options_.statistics += statistics;
    });
    for (const Table& table : rows) options_.toys->write(table);
  }

  const StudyRequest& request_;
  std::span<const Detector> detectors_;
  const ToyRunOptions& options_;
  ToyState& state_;
  unsigned threads_;
  std::size_t blocks_per_thread_ = fewest_blocks;
  std::vector<TrackingGeometry> geometries_;
  std::vector<std::unique_ptr<PreparedPoint>> prepared_;
  std::vector<std::uint64_t> progress_;  ///< next toy of each point
  std::size_t point_ = 0;                ///< of the next block
  std::size_t released_ = 0;             ///< previous points are finished
};

}  // namespace

void run_toys(const StudyRequest& request, std::span<const Detector> detectors,
              const ToyRunOptions& options, ToyState& state) {
  Runner(request, detectors, options, state).run();
}

}  // namespace gttf
