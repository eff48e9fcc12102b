// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/global_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gttf/fit/streaming/kinked_trajectory.hpp"
#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/fit/track/coarse_hits.hpp"
#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/fit/triplet/fit_states.hpp"
#include "gttf/fit/triplet/fitter.hpp"
#include "gttf/fit/triplet/scattering_momentum.hpp"
#include "gttf/fit/triplet/shared_fit.hpp"

namespace gttf {

using namespace detail;

namespace {

/// Every kind of fit with its possible weights, by name.
std::vector<std::pair<std::string, FitChoice>> make_fits() {
  std::vector<std::pair<std::string, FitChoice>> all;
  for (const DescribedFit& fit : described_fits()) {
    const auto add = [&](std::string_view source, WeightSource weights) {
      all.emplace_back(std::string(fit.name).append(source),
                       FitChoice{fit.kind, weights});
    };
    add("", WeightSource::estimate);
    if (fit.scattering) {
      add("-local", WeightSource::local);
      add("-updated", WeightSource::update);
    }
    if (fit.shareable) add("-shared", WeightSource::shared);
  }
  return all;
}

const std::vector<std::pair<std::string, FitChoice>>& all_fits() {
  static const auto fits = make_fits();
  return fits;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> aliases{{
    {"ms", "scattering"},
    {"ms-local", "scattering-local"},
    {"ms-updated", "scattering-updated"},
    {"ms-shared", "scattering-shared"},
    {"hit", "hits"},
    {"regularized", "regularised"},
    {"common_curvature", "common-curvature"},
    {"common", "common-curvature"},
}};

}  // namespace

std::string name_of(const FitChoice& fit) {
  for (const auto& [name, known] : all_fits())
    if (known == fit) return name;
  return "unknown";
}

std::optional<FitChoice> find_fit(std::string_view name) {
  for (const auto& [alias, full] : aliases)
    if (name == alias) return find_fit(full);
  for (const auto& [known, fit] : all_fits())
    if (name == known) return fit;
  return std::nullopt;
}

std::vector<std::string> fit_names() {
  std::vector<std::string> names;
  for (const auto& [name, fit] : all_fits()) names.push_back(name);
  return names;
}

std::string_view to_string(FitKind kind) { return describe(kind).name; }

std::string_view to_string(WeightSource source) {
  switch (source) {
    case WeightSource::estimate:
      return "estimate";
    case WeightSource::local:
      return "local";
    case WeightSource::update:
      return "update";
    case WeightSource::shared:
      return "shared";
  }
  return "unknown";
}

void clear(GlobalFit& r) {
  r.kappa = r.sigma = r.chi2 = r.kappa_weights = GlobalFit::none;
  r.ndf = r.n_steps = 0;
  r.scattering_momentum.reset();
  r.perigee.setConstant(GlobalFit::none);
  r.perigee_covariance.setConstant(GlobalFit::none);
  r.perigee_covariance_without_inner = r.perigee_covariance;
  r.start_plane.setConstant(GlobalFit::none);
  r.start_plane_covariance.setConstant(GlobalFit::none);
}

namespace {

/// The streaming fit has no K that could be shared.
FitOptions own_weights(FitOptions options) {
  if (options.weights == WeightSource::shared)
    options.weights = WeightSource::estimate;
  return options;
}

}  // namespace

struct TrackFitter::Work {
  explicit Work(const FitOptions& o) : options(o), streaming(own_weights(o)) {}

  FitStatus run(const TrackHits& track, FitKind kind);
  FitStatus relinearise(const TrackHits& track, FitKind kind,
                        Fitter<WeightedKinks>& fitter);
  TrackState segment_state(const TrackHits& track, std::size_t k,
                           SegmentEnd end) const;
  TrackState hit_state(const TrackHits& track, std::size_t k,
                       SegmentEnd end) const;
  FitStatus report(const TrackHits& track, FitKind kind);
  void report_hits(const TrackHits& track);
  const SharedFit* shared_with(FitKind kind);
  bool is_coarse_helix(const TrackHits& track, FitKind kind);
  double may_lose(const TrackHits& track) const;

  FitOptions options;
  GlobalFit result;
  KinkSystem system;
  WeightedKinks solution;
  CurvatureFit<double> curvature;
  std::optional<SharedFit> shared_fit;
  const SharedFit* shared = nullptr;  ///< of the last fit
  std::vector<Vector2> shifts;
  StreamingFitter streaming;  ///< for tracks with unmeasured coordinates
};

FitStatus TrackFitter::Work::relinearise(const TrackHits& track, FitKind kind,
                                         Fitter<WeightedKinks>& fitter) {
  for (int step = 0; step < options.relinearisations; ++step) {
    const double kappa = fitter.result().kappa;
    solution.set_shifts(kappa - solution.solution().kappa_0, shifts);
    double moved = 0;
    for (std::size_t k = 0; k < system.hits.size(); ++k) {
      LinearHit& h = system.hits[k];
      moved = std::max(moved, (shifts[k] - h.removed).cwiseAbs().maxCoeff());
      h.removed = shifts[k];
      h.at = h.measured - h.error * h.removed;
    }
    if (const auto s = system.linearise(track, &kappa); s != FitStatus::ok)
      return s == FitStatus::beyond_pole ? s : FitStatus::not_converged;
    const bool update = options.weights == WeightSource::update &&
                        kind == FitKind::general && track.kappa_ref != 0;
    if (update)
      fitter.fit_at(kind, kappa, false);
    else
      fitter.fit_again(kind, kappa, false);
    const CurvatureFit<double>& f = fitter.result();
    if (f.outcome.failed()) return f.outcome.status;
    const double change = f.kappa - kappa;
    constexpr double nothing = 1e-11;  // standard deviations
    if (step > 0 && moved < nothing &&
        change * change <= nothing * nothing * f.variance)
      break;
  }
  return FitStatus::ok;
}

TrackState TrackFitter::Work::segment_state(const TrackHits& track,
                                            std::size_t k,
                                            SegmentEnd end) const {
  DirectionSlopes slopes;
  if (shared != nullptr) slopes = shared->direction_slopes(k, end);
  return state_on_segment(track, system, solution, curvature, k, end,
                          shared != nullptr ? &slopes : nullptr);
}

TrackState TrackFitter::Work::hit_state(const TrackHits& track, std::size_t k,
                                        SegmentEnd end) const {
  TrackState state = segment_state(track, k, end);
  if (!track.flight) return state;
  SlowedCharge charge;
  system.charge_behind(track, k, curvature.kappa, charge);
  if (end == SegmentEnd::end)
    for (const std::size_t i : system.layers_behind(track, k))
      charge.pass(track, track.points[i].loss);
  return in_user_axes(track, charge, state);
}

void TrackFitter::Work::report_hits(const TrackHits& track) {
  result.hits.resize(system.hits.size());
  const double change = curvature.kappa - solution.solution().kappa_0;
  for (std::size_t k = 0; k < system.hits.size(); ++k) {
    const LinearHit& h = system.hits[k];
    HitFit& f = result.hits[k];
    f.point = h.point;
    f.residual.setZero();
    f.residual_covariance.setZero();
    f.fitted_covariance.setZero();
    f.fitted_with_kappa.setZero();
    // shifts of the first hit of a segment, and of the second
    const std::size_t segment = std::min(k, system.n_triplets());
    const SegmentErrors<double> e = solution.errors(segment, SegmentEnd::start);
    const int first = k == segment ? 0 : 2;
    for (int i = 0; e.has_shifts && i < 2; ++i) {
      const int ei = first + i;
      f.residual[i] = h.sigma[i] * (e.by_b[ei] + change * e.by_a[ei]);
      f.fitted_with_kappa[i] = -h.sigma[i] * curvature.variance * e.by_a[ei];
      for (int j = 0; j <= i; ++j) {
        const int ej = first + j;
        const double scale = h.sigma[i] * h.sigma[j];
        const double said =
            e.products[ei][ej] - curvature.variance * e.by_a[ei] * e.by_a[ej];
        f.residual_covariance(i, j) = f.residual_covariance(j, i) =
            scale * said;
        f.fitted_covariance(i, j) = f.fitted_covariance(j, i) =
            scale * ((i == j ? 1.0 : 0.0) - said);
      }
    }
    const bool last = k + 1 == system.hits.size();
    if (k > 0) f.before = hit_state(track, k - 1, SegmentEnd::end);
    f.after = last ? f.before : hit_state(track, k, SegmentEnd::start);
    if (k == 0) f.before = f.after;
  }
}

FitStatus TrackFitter::Work::report(const TrackHits& track, FitKind kind) {
  result.kappa = curvature.kappa;
  result.sigma = std::sqrt(curvature.variance);
  result.chi2 = curvature.chi2;
  result.kappa_weights = curvature.kappa_weights;
  const int n_triplets = static_cast<int>(system.n_triplets());
  result.ndf = 2 * n_triplets - (track.field ? 1 : 0);
  if (options.detail == FitDetail::curvature) return FitStatus::ok;
  if (!track.field && kind != FitKind::hits)
    result.scattering_momentum = kink_momentum(track, system, uses_hits(kind));
  const double inner = curvature.inner_scale;
  const TrackState first = segment_state(track, 0, SegmentEnd::start);
  // no arc of that curvature from the first hit to the second
  if (!track.flight && !first.parameters.allFinite())
    return FitStatus::beyond_pole;
  if (track.flight)
    set_flown_perigee(track, system.hits[0].point, first, inner, result);
  else
    set_perigee(track, system.hits[0].point, first, inner, result);
  if (shared != nullptr) {
    const GlobalFit& f = shared->fit();
    result.perigee_covariance = f.perigee_covariance;
    result.perigee_covariance_without_inner =
        f.perigee_covariance_without_inner;
    result.start_plane_covariance = f.start_plane_covariance;
  }
  if (options.detail == FitDetail::hits) report_hits(track);
  return FitStatus::ok;
}

/// Data shared with other fits; nullptr: none.
const SharedFit* TrackFitter::Work::shared_with(FitKind kind) {
  if (options.weights != WeightSource::shared || !options.reference ||
      !can_be_shared(kind))
    return nullptr;
  if (!shared_fit || shared_fit->kind() != kind)
    shared_fit.emplace(*options.reference, kind);
  return &*shared_fit;
}

FitStatus TrackFitter::Work::run(const TrackHits& track, FitKind kind) {
  if (const auto s = system.take(track); s != FitStatus::ok) return s;
  if (const auto s = linearise_with_care(track, kind, system);
      s != FitStatus::ok)
    return s;
  shared = shared_with(kind);
  double estimate = options.kappa == 0 ? track.kappa_ref : options.kappa;
  if (shared != nullptr) {
    if (shared->status() != FitStatus::ok) return shared->status();
    if (!shared->put_into(system)) return FitStatus::too_few_hits;
    estimate = shared->equations().kappa_0;
  }
  solution.take(track, system);
  Fitter<WeightedKinks> fitter(solution, track.kappa_ref, estimate,
                               track.field);
  fitter.fit(kind, options.weights, options.detail != FitDetail::curvature);
  FitStatus status = fitter.result().outcome.status;
  if (status == FitStatus::ok && shared == nullptr && uses_hits(kind))
    status = relinearise(track, kind, fitter);
  curvature = fitter.result();
  result.n_steps = fitter.n_steps();
  return status;
}

/// Whether hits of a helix are too coarse as linearisation point of triplets.
/// The streaming fit is then closer to the minimum of chi2, and faster.
bool TrackFitter::Work::is_coarse_helix(const TrackHits& track, FitKind kind) {
  return track.field && !track.flight && can_be_streamed(kind) &&
         options.weights != WeightSource::shared &&
         system.take(track) == FitStatus::ok && is_coarse(system);
}

/// part_lost() by the fitted particle, if it is slower by its error.
double TrackFitter::Work::may_lose(const TrackHits& track) const {
  const double kappa = curvature.kappa;
  return part_lost(track,
                   kappa + std::copysign(std::sqrt(curvature.variance), kappa));
}

TrackFitter::TrackFitter(const FitOptions& options)
    : work_(std::make_unique<Work>(options)) {}
TrackFitter::~TrackFitter() = default;
TrackFitter::TrackFitter(TrackFitter&&) noexcept = default;
TrackFitter& TrackFitter::operator=(TrackFitter&&) noexcept = default;

const GlobalFit& TrackFitter::fit(const TrackHits& hits, FitKind kind) {
  const bool unmeasured =
      std::any_of(hits.points.begin(), hits.points.end(),
                  [](const TrackHit& h) { return h.n_coordinates == 1; });
  const bool recurls = hits.flight && knows_paths(hits);
  const bool streamable = can_be_streamed(kind);
  if (streamable && (unmeasured || recurls || changes_losses(hits) ||
                     part_lost(hits, hits.kappa_ref) > most_lost_by_triplets))
    return work_->streaming.fit(hits, kind);
  GlobalFit& r = work_->result;
  if (work_->is_coarse_helix(hits, kind)) {
    const GlobalFit& streamed = work_->streaming.fit(hits, kind);
    if (streamed.status == FitStatus::ok) return streamed;
  }
  clear(r);
  r.status = unmeasured ? FitStatus::not_determined
             : recurls  ? FitStatus::recurls
                        : work_->run(hits, kind);
  if (streamable && r.status == FitStatus::ok &&
      work_->may_lose(hits) > most_lost_by_triplets)
    return work_->streaming.fit(hits, kind);
  if (r.status == FitStatus::ok) r.status = work_->report(hits, kind);
  if (r.status != FitStatus::ok) {
    clear(r);
    r.hits.clear();
  }
  return r;
}

GlobalFit fit_global(const TrackHits& hits, FitKind kind,
                     const FitOptions& options) {
  TrackFitter fitter(options);
  return fitter.fit(hits, kind);
}

}  // namespace gttf
