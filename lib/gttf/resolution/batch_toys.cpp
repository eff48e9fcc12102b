// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_toys.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "gttf/core/kernels.hpp"
#include "gttf/fit/hit_batch.hpp"
#include "gttf/fit/triplet/shared_fit.hpp"
#include "gttf/resolution/toy_flight.hpp"
#include "gttf/resolution/toy_lanes.hpp"
#include "gttf/trajectory/reach.hpp"

namespace gttf {

using detail::HitPlane;
using detail::LaneBits;
using detail::LaneValues;

namespace {

std::vector<detail::ToyLaneStep> lane_steps(const ToySimulator& simulator) {
  std::vector<detail::ToyLaneStep> steps;
  for (const ToySimulator::Step& from : simulator.steps()) {
    detail::ToyLaneStep& s = steps.emplace_back();
    s.surface = from.measurement.surface();
    s.measures = from.measurement.measures();
    for (int i = 0; i < 2; ++i)
      for (int axis = 0; axis < 2; ++axis)
        s.error[i][axis] = from.measurement.error(i)[axis];
    if (s.measures && !from.measurement.measures_point()) {
      s.free = true;
      for (int axis = 0; axis < 2; ++axis)
        s.free_direction[axis] = from.measurement.free_direction()[axis];
      for (int axis = 0; axis < 3; ++axis)
        s.nominal[axis] = from.measurement.nominal()[axis];
    }
    s.theta0 = from.theta0;
  }
  if (!steps.empty()) steps.back().theta0 = 0;  // nothing is behind it
  return steps;
}

std::vector<FitSurface> fit_surfaces(const ToySimulator& simulator,
                                     const TrackHits& hits) {
  std::vector<FitSurface> surfaces;
  for (std::size_t i = 0; i < hits.points.size(); ++i) {
    const TrackHit& h = hits.points[i];
    surfaces.push_back({simulator.steps()[i].measurement.surface(),
                        h.coordinates, h.n_coordinates});
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

/// @param streams  fits are streaming ones, which share nothing
bool shares(const FitChoice& fit, bool streams) {
  return !streams && fit.weights == WeightSource::shared &&
         detail::can_be_shared(fit.kind);
}

}  // namespace

struct ToyBatch::Work {
  Work(const AnyToySimulator& s, std::span<const FitChoice> fits)
      : simulator(s),
        choices(fits.begin(), fits.end()),
        toy(s.prototype()),
        lanes_wanted(toys_in_lanes(s, fits)) {
    const auto reference = std::make_shared<const TrackHits>(toy.hits);
    for (const FitChoice& choice : choices) {
      FitOptions options;
      options.weights = choice.weights;
      if (shares(choice, false)) options.reference = reference;
      fitters.emplace_back(options);
    }
    if (lanes_wanted) prepare_lanes();
  }

  void prepare_lanes();
  void set_first_place();
  void prepare_shared(std::size_t f);
  BatchToyStatistics run_lanes(const RandomPlace& first, std::size_t begin,
                               std::size_t n, const ToyArrays& results);
  void fit_alone(std::size_t f, std::size_t i, const ToyArrays& results);
  bool run_alone(const RandomPlace& place, std::size_t i,
                 const ToyArrays& results);

  const AnyToySimulator& simulator;
  std::vector<FitChoice> choices;
  ToyTrack toy;
  bool lanes_wanted;
  std::vector<TrackFitter> fitters;

  const detail::ToyKernel* flight = nullptr;
  const detail::HitKernel* fit = nullptr;
  std::vector<detail::ToyLaneStep> steps;
  std::vector<std::uint64_t> words;
  std::vector<LaneValues> hits, shared;
  std::vector<const double*> hit_pointers, theta0_2;
  std::unique_ptr<detail::HitBatch> batch;
  std::unique_ptr<detail::LaneWorkspace> workspace;
  std::vector<std::array<LaneValues, HitPlane::count>> out;
  std::vector<detail::HitLaneFit> asked;
  std::vector<std::unique_ptr<detail::SharedFit>> shared_fits;
  detail::ToyLanes flight_task;
  detail::HitLanes fit_task;
};

void ToyBatch::Work::set_first_place() {
  const Line<double>& line = simulator.helix()->start();
  Crossing<double> x{};
  find_crossing(line, steps[0].surface, x);
  const detail::Flight<double> at = detail::flight_at(line, x);
  const auto set = [](const Cartesian<double>& from, double(&to)[3]) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
  };
  set(at.position, flight_task.first_position);
  set(at.direction, flight_task.first_direction);
}

void ToyBatch::Work::prepare_lanes() {
  const SimdLevel level = simd_level();
  flight = &detail::kernels(level).toys;
  const ToySimulator& helix = *simulator.helix();
  steps = lane_steps(helix);
  batch = std::make_unique<detail::HitBatch>(fit_surfaces(helix, toy.hits));
  fit = &batch->kernel(level);
  workspace = std::make_unique<detail::LaneWorkspace>(batch->workspace(*fit));
  hits.resize(3 * batch->n_hits);
  for (const LaneValues& h : hits) hit_pointers.push_back(h.value);
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

  flight_task.steps = steps.data();
  flight_task.n_steps = steps.size();
  flight_task.start = &helix.start();
  flight_task.n_blocks = (toy.normals.size() + 3) / 4;
  words.resize(4 * flight_task.n_blocks * flight->width);
  flight_task.words = words.data();
  for (int i = 0; i < 3; ++i) fit_task.origin[i] = toy.hits.origin[i];
  set_first_place();
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
  if (reference.status() != FitStatus::ok) {  // each toy tells why
    lanes_wanted = false;
    return;
  }
  asked[f].shared = &reference.equations();
  const auto fill = [&](std::size_t plane, double value) {
    std::ranges::fill(out[f][plane].value, value);
  };
  fill(HitPlane::sigma, reference.fit().sigma);
  fill(HitPlane::kappa_weights, toy.hits.kappa_ref);
  std::size_t plane = HitPlane::covariance;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j <= i; ++j)
      fill(plane++, reference.fit().perigee_covariance(i, j));
}

void ToyBatch::Work::fit_alone(std::size_t f, std::size_t i,
                               const ToyArrays& results) {
  detail::store(fitters[f].fit(toy.hits, choices[f].kind), results.fits[f], i,
                results.missed.size());
}

bool ToyBatch::Work::run_alone(const RandomPlace& place, std::size_t i,
                               const ToyArrays& results) {
  results.missed[i] = simulator.simulate(place, toy) ? 0 : 1;
  if (results.missed[i] != 0) return false;
  for (std::size_t f = 0; f < choices.size(); ++f) fit_alone(f, i, results);
  return true;
}

/// Toys of index first.index + begin on, not more than there are lanes.
BatchToyStatistics ToyBatch::Work::run_lanes(const RandomPlace& first,
                                             std::size_t begin, std::size_t n,
                                             const ToyArrays& results) {
  BatchToyStatistics statistics;
  RandomPlace place = first;
  place.index += begin;
  // lanes beyond the last toy simulate those that would follow
  flight_task.first_place = place;
  flight->simulate(flight_task);
  const LaneBits wanted = (LaneBits{1} << n) - 1;
  const LaneBits crossed = flight_task.crossed & wanted;
  for (std::size_t lane = 0; lane < n; ++lane)
    results.missed[begin + lane] = (crossed >> lane & 1) != 0 ? 0 : 1;
  statistics.in_lanes = n;
  LaneBits doubtful = 0;
  if (crossed != 0 && !asked.empty()) {
    for (std::size_t f = 0; f < asked.size(); ++f)
      asked[f].perigee = detail::wants_perigee(results.fits[f]);
    fit->fit(fit_task, asked.data(), asked.size());
    for (std::size_t f = 0; f < asked.size(); ++f) {
      detail::store(asked[f], n, results.fits[f], begin, results.missed.size());
      doubtful |= crossed & ~asked[f].done;
    }
  }
  for (std::size_t lane = 0; lane < n; ++lane) {
    statistics.missed += (crossed >> lane & 1) != 0 ? 0 : 1;
    if ((doubtful >> lane & 1) == 0) continue;
    ++statistics.doubtful;
    RandomPlace own = place;
    own.index += lane;
    if (!simulator.simulate(own, toy)) {
      results.missed[begin + lane] = 1;
      continue;
    }
    for (std::size_t f = 0; f < asked.size(); ++f)
      if ((asked[f].done >> lane & 1) == 0) fit_alone(f, begin + lane, results);
  }
  return statistics;
}

BatchToyStatistics& BatchToyStatistics::operator+=(
    const BatchToyStatistics& other) {
  toys += other.toys;
  in_lanes += other.in_lanes;
  missed += other.missed;
  doubtful += other.doubtful;
  not_for_lanes += other.not_for_lanes;
  return *this;
}

bool toys_in_lanes(const AnyToySimulator& simulator,
                   std::span<const FitChoice> fits) {
  const ToySimulator* helix = simulator.helix();
  if (helix == nullptr || helix->spot()) return false;
  const ToyTrack toy = helix->prototype();
  if (!toy.hits.field) return false;
  const auto surfaces = fit_surfaces(*helix, toy.hits);
  if (!fits_in_lanes(surfaces, {})) return false;
  // weights of passive layers between triplets with weights of their own
  return needs_streaming(surfaces) || !scatters_between_hits(toy.hits) ||
         std::ranges::none_of(fits, [](const FitChoice& fit) {
           return fit.weights == WeightSource::local;
         });
}

ToyBatch::ToyBatch(const AnyToySimulator& simulator,
                   std::span<const FitChoice> fits)
    : work_(std::make_unique<Work>(simulator, fits)) {}
ToyBatch::~ToyBatch() = default;
ToyBatch::ToyBatch(ToyBatch&&) noexcept = default;
ToyBatch& ToyBatch::operator=(ToyBatch&&) noexcept = default;

bool ToyBatch::in_lanes() const { return work_->lanes_wanted; }
const ToyTrack& ToyBatch::prototype() const { return work_->toy; }

BatchToyStatistics ToyBatch::run(const RandomPlace& first,
                                 const ToyArrays& results) {
  BatchToyStatistics statistics;
  const std::size_t n = results.missed.size();
  if (work_->lanes_wanted) {
    const std::size_t width = work_->flight->width;
    for (std::size_t begin = 0; begin < n; begin += width)
      statistics +=
          work_->run_lanes(first, begin, std::min(width, n - begin), results);
  } else {
    RandomPlace place = first;
    for (std::size_t i = 0; i < n; ++i, ++place.index)
      if (!work_->run_alone(place, i, results)) ++statistics.missed;
    statistics.not_for_lanes = n;
  }
  statistics.toys = n;
  return statistics;
}

}  // namespace gttf
