// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_toys.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "gttf/core/kernels.hpp"
#include "gttf/core/run_batch.hpp"
#include "gttf/fit/hit_batch.hpp"
#include "gttf/fit/triplet/shared_fit.hpp"
#include "gttf/resolution/toy_plan.hpp"

namespace gttf {

using detail::HitPlane;
using detail::PackValues;
using detail::TrackBits;

namespace {

std::vector<FitSurface> fit_surfaces(const detail::ToyPlan& plan) {
  std::vector<FitSurface> surfaces;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const TrackHit& h = plan.prototype.hits.points[i];
    surfaces.push_back({plan.steps[i].surface, h.coordinates, h.n_coordinates});
  }
  return surfaces;
}

bool scatters_between_hits(const TrackHits& hits) {
  bool behind_hit = false;  // the last point measures
  for (const TrackHit& h : hits.points) {
    if (h.measures()) behind_hit = true;
    if (!h.measures() && behind_hit && h.theta0_2 > 0) return true;
  }
  return false;
}

/// @param streams  fits are streaming fits, which share no data
bool shares(const FitChoice& fit, bool streams) {
  return !streams && fit.weights == WeightSource::shared &&
         detail::can_be_shared(fit.kind);
}

}  // namespace

struct ToyBatch::Work {
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
  void prepare_shared(std::size_t f);
  const ToySimulator& simulator;
  std::vector<FitChoice> choices;
  ToyTrack toy;
  bool vectorised;
  std::vector<TrackFitter> fitters;

  const detail::ToyKernel* flight = nullptr;
  const detail::HitKernel* fit = nullptr;
  std::vector<std::uint64_t> words;
  std::vector<PackValues> hits, shared;
  std::vector<const double*> hit_pointers, theta0_2;
  std::unique_ptr<detail::HitBatch> batch;
  std::unique_ptr<detail::BatchWorkspace> workspace;
  std::vector<std::array<PackValues, HitPlane::count>> out;
  std::vector<detail::GroupFit> asked;
  std::vector<std::unique_ptr<detail::SharedFit>> shared_fits;
  detail::ToyTask flight_task;
  detail::HitGroup fit_task;
};

void ToyBatch::Work::prepare_vectorised() {
  const SimdLevel level = simd_level();
  flight = &detail::kernels(level).toys;
  const detail::ToyPlan& plan = simulator.plan();
  batch = std::make_unique<detail::HitBatch>(fit_surfaces(plan));
  fit = &batch->kernel(level);
  workspace = std::make_unique<detail::BatchWorkspace>(batch->workspace(*fit));
  hits.resize(3 * batch->n_hits);
  for (const PackValues& h : hits) hit_pointers.push_back(h.value);
  shared.resize(batch->points.size() + 1);
  for (std::size_t i = 0; i < batch->points.size(); ++i) {
    std::ranges::fill(shared[i].value,
                      toy.hits.points[batch->surface[i]].theta0_2);
    theta0_2.push_back(shared[i].value);
  }
  std::ranges::fill(shared.back().value, toy.hits.kappa_ref);
  out.resize(choices.size());
  for (std::size_t f = 0; f < choices.size(); ++f)
    asked.push_back({choices[f].kind, choices[f].weights, out[f].data()});
  for (std::size_t f = 0; f < choices.size(); ++f)
    if (shares(choices[f], batch->streams)) prepare_shared(f);

  flight_task.steps = plan.steps;
  flight_task.start = &plan.start;
  flight_task.first = plan.begin;
  flight_task.n_blocks = plan.n_blocks;
  words.resize(4 * flight_task.n_blocks * flight->width);
  flight_task.words = words.data();
  for (int i = 0; i < 3; ++i) fit_task.origin[i] = toy.hits.origin[i];
  flight_task.hits = hits.data();
  batch->put_into(fit_task);
  fit_task.hits = hit_pointers.data();
  fit_task.theta0_2 = theta0_2.data();
  fit_task.kappa_ref = fit_task.estimate = shared.back().value;
  fit_task.workspace = workspace->data();
  fit_task.passive = scatters_between_hits(toy.hits);
}

/// Solves the equations of the true track. Its errors are those of all toys.
void ToyBatch::Work::prepare_shared(std::size_t f) {
  const detail::SharedFit& reference = *shared_fits.emplace_back(
      std::make_unique<detail::SharedFit>(toy.hits, choices[f].kind));
  if (reference.status() != FitStatus::ok) {  // see each status
    vectorised = false;
    return;
  }
  asked[f].shared = &reference.equations();
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

  /// Toys `begin` to `begin` + n - 1, at most one per vector element.
  void run_group(std::size_t begin, std::size_t n, detail::BatchBlock& block) {
    std::vector<detail::GroupFit>& fits = work_.asked;
    // elements beyond the last toy simulate the following toys
    work_.flight_task.first_place = place_of(begin);
    work_.flight->simulate(work_.flight_task);
    const TrackBits wanted = (TrackBits{1} << n) - 1;
    const TrackBits crossed = work_.flight_task.crossed & wanted;
    TrackBits doubtful = 0;
    if (crossed != 0 && !fits.empty()) {
      for (std::size_t f = 0; f < fits.size(); ++f)
        fits[f].perigee = detail::wants_perigee(results_.fits[f]);
      work_.fit->fit(work_.fit_task, fits.data(), fits.size());
      for (std::size_t f = 0; f < fits.size(); ++f) {
        detail::store(fits[f], n, results_.fits[f], begin,
                      results_.missed.size());
        doubtful |= crossed & ~fits[f].done;
      }
    }
    for (std::size_t element = 0; element < n; ++element) {
      const bool has_crossed = (crossed >> element & 1) != 0;
      results_.missed[begin + element] = has_crossed ? 0 : 1;
      if (!has_crossed) {
        ++block.statistics.not_fitted;
      } else if ((doubtful >> element & 1) == 0) {
        ++block.statistics.vectorised;
      } else {
        block.leave_doubtful(begin + element);
        for (std::size_t f = 0; f < fits.size(); ++f)
          if ((fits[f].done >> element & 1) == 0)
            doubtful_.push_back({begin + element, f});
      }
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
  const auto supports =
      [&, passive = scatters_between_hits(hits)](WeightSource weights) {
        FitOptions options;
        if (weights != WeightSource::shared) options.weights = weights;
        return is_vectorised(surfaces, hits.field, passive, options);
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
