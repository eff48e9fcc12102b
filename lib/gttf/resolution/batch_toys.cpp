// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_toys.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "gttf/core/kernels.hpp"
#include "gttf/core/run_batch.hpp"
#include "gttf/fit/hit_batch.hpp"
#include "gttf/fit/streaming/kinked_trajectory.hpp"
#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/fit/track/coarse_hits.hpp"
#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/fit/triplet/shared_fit.hpp"
#include "gttf/resolution/loss_tables.hpp"
#include "gttf/resolution/toy_plan.hpp"

namespace gttf {

using detail::HitPlane;
using detail::PackValues;
using detail::TrackBits;

namespace {

/// The plane of a beam spot.
SurfaceRecord plane_of_spot(const TrackHit& spot) {
  SurfaceRecord plane;
  plane.kind = SurfaceRecord::Kind::plane;
  plane.normal_cos = spot.u.y();
  plane.normal_sin = -spot.u.x();
  plane.position = plane.normal_cos * spot.position.x() +
                   plane.normal_sin * spot.position.y();
  return plane;
}

/// Of all points of the hits.
std::vector<FitSurface> fit_surfaces(const detail::ToyPlan& plan) {
  std::vector<FitSurface> surfaces;
  const auto add = [&](const SurfaceRecord& surface) {
    const TrackHit& h = plan.prototype.hits.points[surfaces.size()];
    surfaces.push_back({surface, h.coordinates, h.n_coordinates});
  };
  if (plan.spot) add(plane_of_spot(plan.prototype.hits.points.front()));
  for (const detail::ToyStep& step : plan.steps) add(step.surface);
  return surfaces;
}

/// Whether TrackFitter takes the streaming fit for toys of helices with all
/// coordinates: where hits are coarse. Nothing if that depends on the toy.
std::optional<bool> are_streamed(const TrackHits& hits) {
  const auto coarse = [&hits](double scale) {
    TrackHits scaled = hits;
    for (TrackHit& h : scaled.points)
      for (CoordinateAxis& a : h.coordinates) a.variance *= scale * scale;
    detail::KinkSystem system;
    return system.take(scaled) == FitStatus::ok && is_coarse(system);
  };
  constexpr double margin = 1.2;
  const bool less = coarse(1 / margin), more = coarse(margin);
  return less == more ? std::optional(less) : std::nullopt;
}

/// Streaming or triplet fits of the kinds that can be both; nothing if that
/// depends on the toy.
std::optional<bool> needs_streaming(const detail::ToyPlan& plan,
                                    std::span<const FitSurface> surfaces) {
  if (gttf::needs_streaming(surfaces)) return true;
  const TrackHits& hits = plan.prototype.hits;
  if (changes_losses(hits)) return true;
  if (plan.traced)
    return detail::part_lost(hits, hits.kappa_ref) > most_lost_by_triplets;
  return plan.spot ? are_streamed(plan.prototype.hits) : false;
}

bool scatters_between_hits(const TrackHits& hits) {
  bool behind_hit = false;  // the last point measures
  for (const TrackHit& h : hits.points) {
    if (h.measures()) behind_hit = true;
    if (!h.measures() && behind_hit && h.theta0_2 > 0) return true;
  }
  return false;
}

/// Null for helices.
const detail::RegionToys* in_regions(const detail::ToyPlan& plan) {
  return plan.traced ? plan.traced->in_regions.get() : nullptr;
}

/// @param streams  fits are streaming fits, which share no data
bool shares(const FitChoice& fit, bool streams) {
  return !streams && fit.weights == WeightSource::shared &&
         detail::can_be_shared(fit.kind);
}

/// Whether a fit is a streaming fit.
/// @param streams  of needs_streaming()
bool is_streamed(const FitChoice& fit, std::span<const FitSurface> surfaces,
                 bool streams) {
  // without both coordinates there are no triplets
  return streams &&
         (can_be_streamed(fit.kind) || gttf::needs_streaming(surfaces));
}

}  // namespace

struct ToyBatch::Work {
  /// All streaming fits of the toys, or all others.
  struct Fits {
    Fits(std::span<const FitSurface> surfaces, bool streams,
         const detail::RegionToys* regions, SimdLevel level)
        : batch(surfaces, streams,
                regions != nullptr ? &regions->flight : nullptr),
          kernel(batch.kernel(level)),
          workspace(batch.workspace(kernel)) {}

    detail::HitBatch batch;
    const detail::HitKernel& kernel;
    detail::BatchWorkspace workspace;
    detail::HitGroup task;
    std::vector<detail::GroupFit> asked;
    std::vector<std::size_t> choice;  ///< of each of these
  };

  Work(const ToySimulator& s, std::span<const FitChoice> fits, CodePath path)
      : simulator(s),
        choices(fits.begin(), fits.end()),
        toy(s.prototype()),
        vectorised(path == CodePath::best && gttf::is_vectorised(s, fits)) {
    const auto reference = std::make_shared<const TrackHits>(toy.hits);
    for (const FitChoice& choice : choices) {
      FitOptions options;
      options.weights = choice.weights;
      if (shares(choice, false)) options.reference = reference;
      fitters.emplace_back(options);
    }
    if (vectorised) prepare_vectorised();
  }

  void prepare_vectorised();
  void prepare_fits(const std::vector<FitSurface>& surfaces,
                    const detail::RegionToys* regions);
  void prepare_shared(std::size_t f, detail::GroupFit& asked);
  void prepare_losses(const detail::RegionToys& regions);
  const ToySimulator& simulator;
  std::vector<FitChoice> choices;
  ToyTrack toy;
  bool vectorised;
  std::vector<TrackFitter> fitters;

  const detail::ToyKernel* flight = nullptr;
  std::optional<detail::LossTables> losses;  ///< that fluctuate
  std::unique_ptr<detail::BatchWorkspace> media;
  std::vector<std::uint64_t> words;
  std::vector<PackValues> hits, shared;
  std::vector<const double*> hit_pointers, theta0_2;
  std::vector<detail::FitPlanes> out;
  std::vector<std::unique_ptr<Fits>> fits;
  std::vector<TrackBits> done;  ///< of each choice: GroupFit::done
  std::vector<std::unique_ptr<detail::SharedFit>> shared_fits;
  detail::ToyTask flight_task;
  detail::ToySpot spot;
  std::array<PackValues, track_dim> truth;
};

void ToyBatch::Work::prepare_vectorised() {
  const SimdLevel level = simd_level();
  const detail::ToyPlan& plan = simulator.plan();
  const detail::RegionToys* regions = in_regions(plan);
  flight = regions != nullptr ? &detail::kernels(level).flown_toys
                              : &detail::kernels(level).toys;
  const std::vector<FitSurface> surfaces = fit_surfaces(plan);
  prepare_fits(surfaces, regions);

  flight_task.steps = plan.steps;
  flight_task.start = &plan.start;
  flight_task.first = plan.begin;
  if (regions != nullptr) {
    const FlightState<0>& start = plan.traced->start;
    flight_task.first = {cartesian(start.position), cartesian(start.direction)};
    flight_task.flight = &regions->flight;
    flight_task.qop = start.qop;
    flight_task.lengths = regions->lengths;
    if (!regions->slabs.empty()) prepare_losses(*regions);
  }
  flight_task.n_blocks = plan.n_blocks;
  words.resize(4 * flight_task.n_blocks * flight->width);
  flight_task.words = words.data();
  flight_task.hits = hits.data();
  if (plan.spot) {
    const BeamSpot& s = *plan.spot;
    spot = {.sigma = {s.x, s.y, s.z},
            .theta = plan.theta,
            .phi = plan.phi,
            .truth = truth.data()};
    flight_task.spot = &spot;
    for (std::size_t i = 0; i < 3; ++i)
      std::ranges::fill(flight_task.hits++->value,
                        toy.hits.origin[static_cast<int>(i)]);
  } else {
    for (std::size_t i = 0; i < track_dim; ++i)
      std::ranges::fill(truth[i].value, toy.truth[static_cast<int>(i)]);
  }
}

void ToyBatch::Work::prepare_fits(const std::vector<FitSurface>& surfaces,
                                  const detail::RegionToys* regions) {
  const bool streams = needs_streaming(simulator.plan(), surfaces).value();
  out.assign(choices.size(), detail::empty_planes());
  done.assign(choices.size(), 0);
  for (const bool streamed : {true, false}) {
    auto all =
        std::make_unique<Fits>(surfaces, streamed, regions, simd_level());
    for (std::size_t f = 0; f < choices.size(); ++f) {
      if (is_streamed(choices[f], surfaces, streams) != streamed) continue;
      all->asked.push_back(
          {choices[f].kind, choices[f].weights, out[f].data()});
      all->choice.push_back(f);
      if (shares(choices[f], streamed)) prepare_shared(f, all->asked.back());
    }
    if (!all->asked.empty()) fits.push_back(std::move(all));
  }
  const detail::HitBatch batch(surfaces);  // both have the same points
  hits.resize(3 * batch.n_hits);
  for (const PackValues& h : hits) hit_pointers.push_back(h.value);
  shared.resize(batch.points.size() + 1);
  for (std::size_t i = 0; i < batch.points.size(); ++i) {
    std::ranges::fill(shared[i].value,
                      toy.hits.points[batch.surface[i]].theta0_2);
    theta0_2.push_back(shared[i].value);
  }
  std::ranges::fill(shared.back().value, toy.hits.kappa_ref);
  for (const auto& all : fits) {
    detail::HitGroup& task = all->task;
    all->batch.put_into(task);
    for (int i = 0; i < 3; ++i) task.origin[i] = toy.hits.origin[i];
    task.hits = hit_pointers.data();
    task.theta0_2 = theta0_2.data();
    task.kappa_ref = task.estimate = shared.back().value;
    task.workspace = all->workspace.data();
    task.passive = scatters_between_hits(toy.hits);
  }
}

void ToyBatch::Work::prepare_losses(const detail::RegionToys& regions) {
  const detail::BatchLoss& layers =
      losses
          .emplace(regions.slabs, simulator.plan().traced->particle,
                   regions.model)
          .view();
  const std::size_t bytes = layers.n_media * detail::numbers_of_medium *
                            flight->width * sizeof(double);
  media = std::make_unique<detail::BatchWorkspace>(bytes);
  std::fill_n(media->data(), bytes, std::byte{0});
  flight_task.loss = {&layers, regions.paths, media->data()};
}

/// Solves the equations of the true track. Its errors are those of all toys.
void ToyBatch::Work::prepare_shared(std::size_t f, detail::GroupFit& asked) {
  const detail::SharedFit& reference = *shared_fits.emplace_back(
      std::make_unique<detail::SharedFit>(toy.hits, choices[f].kind));
  if (reference.status() != FitStatus::ok) {  // see each status
    vectorised = false;
    return;
  }
  asked.shared = &reference.equations();
  const auto fill = [&](std::size_t plane, double value) {
    std::ranges::fill(out[f][plane].value, value);
  };
  fill(HitPlane::sigma, reference.fit().sigma);
  fill(HitPlane::kappa_weights, toy.hits.kappa_ref);
  std::size_t plane = HitPlane::covariance;
  for (int i = 0; i < track_dim; ++i)
    for (int j = 0; j <= i; ++j)
      fill(plane++, reference.fit().perigee_covariance(i, j));
}

/// One call of ToyBatch::run().
class ToyBatch::Worker {
 public:
  Worker(Work& work, const RandomPlace& first, const ToyArrays& results,
         const TakeToyFit& take)
      : work_(work), first_(first), results_(results), take_(take) {}

  bool is_vectorised() const { return work_.vectorised; }

  void run_vectorised(detail::BatchBlock& block) {
    const std::size_t width = work_.flight->width;
    for (std::size_t begin = block.begin; begin < block.end; begin += width)
      run_group(begin, std::min(width, block.end - begin), block);
  }

  /// All fits of a toy, or only the doubtful ones.
  void run_scalar(std::size_t i) {
    const bool crossed = work_.simulator.simulate(place_of(i), work_.toy);
    results_.missed[i] = crossed ? 0 : 1;
    store_truth(i, 1, [this](std::size_t q) {
      return &work_.toy.truth[static_cast<int>(q)];
    });
    if (!is_vectorised()) {
      if (!crossed) ++missed_;
      for (std::size_t f = 0; crossed && f < work_.choices.size(); ++f) {
        const GlobalFit& fit = fit_scalar(f, i);
        if (take_) take_(i, f, fit, work_.toy);
      }
      return;
    }
    for (; next_ < doubtful_.size() && doubtful_[next_].toy == i; ++next_)
      if (crossed) fit_scalar(doubtful_[next_].fit, i);
  }

  void end_block(detail::BatchBlock& block) {
    block.statistics.not_fitted += missed_;
  }

 private:
  RandomPlace place_of(std::size_t i) const {
    RandomPlace place = first_;
    place.index += i;
    return place;
  }

  const GlobalFit& fit_scalar(std::size_t f, std::size_t i) {
    const GlobalFit& fit =
        work_.fitters[f].fit(work_.toy.hits, work_.choices[f].kind);
    detail::store(fit, results_.fits[f], i, results_.missed.size());
    return fit;
  }

  /// @param from  pointer to parameter q of n toys
  template <class From>
  void store_truth(std::size_t begin, std::size_t n, const From& from) {
    if (results_.truth.empty()) return;
    for (std::size_t q = 0; q < track_dim; ++q)
      std::copy_n(from(q), n,
                  results_.truth.data() + q * results_.missed.size() + begin);
  }

  /// Toys `begin` to `begin` + n - 1, at most one per vector element.
  void run_group(std::size_t begin, std::size_t n, detail::BatchBlock& block) {
    // elements beyond the last toy simulate the following toys
    work_.flight_task.first_place = place_of(begin);
    work_.flight->simulate(work_.flight_task);
    store_truth(begin, n,
                [this](std::size_t q) { return work_.truth[q].value; });
    const TrackBits wanted = (TrackBits{1} << n) - 1;
    const TrackBits lost = work_.flight_task.doubtful & wanted;
    const TrackBits crossed = work_.flight_task.crossed & wanted & ~lost;
    TrackBits doubtful = lost;
    if (crossed != 0)
      for (const auto& all : work_.fits) {
        fit_group(*all, begin, n);
        for (const std::size_t f : all->choice)
          doubtful |= crossed & ~work_.done[f];
      }
    for (std::size_t element = 0; element < n; ++element) {
      const auto is_in = [element](TrackBits toys) {
        return (toys >> element & 1) != 0;
      };
      results_.missed[begin + element] = is_in(crossed) ? 0 : 1;
      if (is_in(doubtful)) {
        block.leave_doubtful(begin + element);
        for (std::size_t f = 0; f < work_.done.size(); ++f)
          if (is_in(lost) || !is_in(work_.done[f]))
            doubtful_.push_back({begin + element, f});
      } else if (is_in(crossed)) {
        ++block.statistics.vectorised;
      } else {
        ++block.statistics.not_fitted;
      }
    }
  }

  void fit_group(Work::Fits& all, std::size_t begin, std::size_t n) {
    for (std::size_t i = 0; i < all.asked.size(); ++i) {
      detail::GroupFit& fit = all.asked[i];
      const FitArrays& results = results_.fits[all.choice[i]];
      fit.perigee = detail::wants_perigee(results);
      fit.start_plane = detail::wants_start_plane(results);
      fit.momentum = !results.scattering_momentum.empty();
    }
    all.kernel.fit(all.task, all.asked.data(), all.asked.size());
    for (std::size_t i = 0; i < all.asked.size(); ++i) {
      const std::size_t f = all.choice[i];
      detail::store(all.asked[i], n, results_.fits[f], begin,
                    results_.missed.size());
      work_.done[f] = all.asked[i].done;
    }
  }

  Work& work_;
  const RandomPlace& first_;
  const ToyArrays& results_;
  const TakeToyFit& take_;
  struct DoubtfulFit {
    std::size_t toy, fit;
  };
  std::vector<DoubtfulFit> doubtful_;  ///< in the order of toys
  std::size_t next_ = 0;               ///< of these
  std::size_t missed_ = 0;             ///< on the scalar path
};

bool is_vectorised(const ToySimulator& simulator,
                   std::span<const FitChoice> fits) {
  const detail::ToyPlan& plan = simulator.plan();
  if (!plan.is_vectorised()) return false;
  const TrackHits& hits = simulator.prototype().hits;
  const auto surfaces = fit_surfaces(plan);
  const bool flown = in_regions(plan) != nullptr;
  const auto streams = needs_streaming(plan, surfaces);
  if (!streams) return false;
  // a beam spot is too coarse for triplets
  if (plan.spot && std::ranges::any_of(fits, [&](const FitChoice& fit) {
        return fit.weights == WeightSource::shared ||
               (*streams && !can_be_streamed(fit.kind));
      }))
    return false;
  const auto supports =
      [&, passive = scatters_between_hits(hits)](WeightSource weights) {
        FitOptions options;
        if (flown || weights != WeightSource::shared) options.weights = weights;
        return flown ? detail::is_fitted(surfaces,
                                         hits.field ? track_dim : track_dim - 1,
                                         passive, options)
                     : is_vectorised(surfaces, hits.field, passive, options);
      };
  return supports(WeightSource::estimate) &&
         std::ranges::all_of(fits, supports, &FitChoice::weights);
}

ToyBatch::ToyBatch(const ToySimulator& simulator,
                   std::span<const FitChoice> fits, CodePath path)
    : work_(std::make_unique<Work>(simulator, fits, path)) {}
ToyBatch::~ToyBatch() = default;
ToyBatch::ToyBatch(ToyBatch&&) noexcept = default;
ToyBatch& ToyBatch::operator=(ToyBatch&&) noexcept = default;

bool ToyBatch::is_vectorised() const { return work_->vectorised; }
const ToyTrack& ToyBatch::prototype() const { return work_->toy; }

BatchStatistics ToyBatch::run(const RandomPlace& first,
                              const ToyArrays& results,
                              const TakeToyFit& take) {
  const std::size_t n = results.missed.size();
  return detail::run_batch(n, std::max<std::size_t>(n, 1), 1, [&] {
    return Worker(*work_, first, results, take);
  });
}

}  // namespace gttf
