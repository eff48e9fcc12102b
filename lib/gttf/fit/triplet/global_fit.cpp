// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/global_fit.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/fit/track/coarse_hits.hpp"
#include "gttf/fit/triplet/fit_states.hpp"
#include "gttf/fit/triplet/kink_momentum.hpp"
#include "gttf/fit/triplet/kink_solution.hpp"
#include "gttf/fit/triplet/shared_fit.hpp"

namespace gttf {

using namespace detail;

std::string_view to_string(FitKind kind) {
  switch (kind) {
    case FitKind::general:
      return "general";
    case FitKind::hits:
      return "hits";
    case FitKind::scattering:
      return "scattering";
    case FitKind::regularised:
      return "regularised";
    case FitKind::common_curvature:
      return "common_curvature";
  }
  return "unknown";
}

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

/// The streaming fit has no K to share.
FitOptions own_weights(FitOptions options) {
  if (options.weights == WeightSource::shared)
    options.weights = WeightSource::estimate;
  return options;
}

}  // namespace

struct TrackFitter::Work {
  explicit Work(const FitOptions& o) : options(o), streaming(own_weights(o)) {}

  FitStatus run(const TrackHits& track, FitKind kind);
  TrackState hit_state(const TrackHits& track, std::size_t k,
                       SegmentEnd end) const;
  FitStatus linear_fit(const TrackHits& track, FitKind kind,
                       WeightSource source);
  FitStatus solve(const TrackHits& track, FitKind kind, double kappa);
  FitStatus solve_scaled(const TrackHits& track, FitKind kind);
  FitStatus relinearise(const TrackHits& track, FitKind kind);
  void set_scale(const TrackHits& track, double kappa);
  void report(const TrackHits& track, FitKind kind);
  void report_hits(const TrackHits& track);

  FitOptions options;
  GlobalFit result;
  const SharedFit* shared_with(FitKind kind);
  bool is_coarse_helix(const TrackHits& track, FitKind kind);

  KinkSystem system;
  KinkSolution solution;
  std::optional<SharedFit> shared_fit;
  std::vector<double> scale;
  StreamingFitter streaming;  ///< for tracks with unmeasured coordinates
};

namespace {

/// The fluctuation of a loss concerns all triplets behind it, which the band of
/// the triplets' matrix has no room for.
bool straggles(const TrackHits& track) {
  return track.flight && track.field &&
         std::any_of(track.points.begin(), track.points.end(),
                     [](const TrackHit& h) { return h.loss.sigma > 0; });
}

bool uses_hits(FitKind kind) {
  return kind == FitKind::general || kind == FitKind::hits;
}

}  // namespace

/// Factors of theta0_2 at a curvature; the same for all triplets.
void TrackFitter::Work::set_scale(const TrackHits& track, double kappa) {
  const double ratio = track.kappa_ref == 0 ? 1 : kappa / track.kappa_ref;
  scale.assign(system.n_triplets(), ratio * ratio);
  result.kappa_weights = kappa;
}

/// A linear fit with weights for `kappa`, or as in `scale` if kappa is NaN.
FitStatus TrackFitter::Work::solve(const TrackHits& track, FitKind kind,
                                   double kappa) {
  if (!std::isnan(kappa)) set_scale(track, kappa);
  if (kind == FitKind::hits) std::fill(scale.begin(), scale.end(), 0.0);
  solution.set_weights(track, system, scale);
  if (!solution.factorise(system, {uses_hits(kind), kind != FitKind::hits}))
    return FitStatus::singular;
  ++result.n_steps;
  if (!track.field) {
    solution.set_kappa(0, 0);
  } else {
    if (!(solution.aa > 0)) return FitStatus::not_determined;
    solution.set_kappa(-solution.ab / solution.aa, 1 / solution.aa);
  }
  return std::isfinite(solution.chi2()) ? FitStatus::ok : FitStatus::singular;
}

/// Scattering fits with theta0 = b |kappa|: solved with theta0 = b.
FitStatus TrackFitter::Work::solve_scaled(const TrackHits& track,
                                          FitKind kind) {
  if (track.kappa_ref == 0 || !track.field) return FitStatus::no_reference;
  set_scale(track, 1);
  solution.set_weights(track, system, scale);
  if (!solution.factorise(system, {false, true})) return FitStatus::singular;
  ++result.n_steps;
  const double aa = solution.aa, ab = solution.ab, bb = solution.bb;
  double kappa = -ab / aa, variance = kappa * kappa / aa;
  if (kind == FitKind::regularised) {
    // u = 1/kappa = -ab/bb with error bb^-1/2
    if (!(ab * ab > bb)) return FitStatus::no_curvature;
    kappa = -bb / ab;
    const double root = bb / (ab * ab);
    variance = bb * root * root;
  }
  if (!(std::abs(kappa) > 0)) return FitStatus::no_curvature;
  set_scale(track, kappa);
  solution.set_weights(track, system, scale);
  if (!solution.factorise(system, {false, true})) return FitStatus::singular;
  solution.set_kappa(kappa, variance);
  return std::isfinite(solution.chi2()) ? FitStatus::ok
                                        : FitStatus::no_curvature;
}

FitStatus TrackFitter::Work::linear_fit(const TrackHits& track, FitKind kind,
                                        WeightSource source) {
  if (kind == FitKind::regularised || kind == FitKind::common_curvature)
    return solve_scaled(track, kind);
  const double estimate = options.kappa == 0 ? track.kappa_ref : options.kappa;
  if (source == WeightSource::estimate || kind == FitKind::hits ||
      !track.field || track.kappa_ref == 0)
    return solve(track, kind, estimate);
  if (source == WeightSource::local) {
    scale.resize(system.n_triplets());
    for (std::size_t j = 0; j < scale.size(); ++j) {
      const auto& t = system.triplets[j];
      // in a straight piece of the track nothing tells the curvature
      constexpr double straight = 1e-9;  // mm
      const double ratio = std::abs(t.rho_phi) > straight
                               ? -t.phi_tilde / t.rho_phi / track.kappa_ref
                               : 1;
      scale[j] = ratio * ratio;
    }
    result.kappa_weights = GlobalFit::none;
    return solve(track, kind, GlobalFit::none);
  }
  // update: the common curvature needs no estimate
  double kappa = estimate;
  if (solve_scaled(track, FitKind::common_curvature) == FitStatus::ok)
    kappa = solution.kappa();
  const FitStatus first = solve(track, kind, kappa);
  if (first != FitStatus::ok) return first;
  return solve(track, kind, solution.kappa());
}

FitStatus TrackFitter::Work::relinearise(const TrackHits& track, FitKind kind) {
  for (int step = 0; step < options.relinearisations; ++step) {
    solution.make_shifts(system);
    double moved = 0;
    for (std::size_t k = 0; k < system.hits.size(); ++k) {
      LinearHit& h = system.hits[k];
      moved = std::max(
          moved, (solution.shifts()[k] - h.removed).cwiseAbs().maxCoeff());
      h.removed = solution.shifts()[k];
      h.at = h.measured - h.error * h.removed;
    }
    const double kappa = solution.kappa();
    if (const auto s = system.linearise(track, &kappa); s != FitStatus::ok)
      return s == FitStatus::beyond_pole ? s : FitStatus::not_converged;
    const bool update = options.weights == WeightSource::update &&
                        kind == FitKind::general && track.kappa_ref != 0;
    if (const auto s = solve(track, kind, update ? kappa : GlobalFit::none);
        s != FitStatus::ok)
      return s;
    const double change = solution.kappa() - kappa;
    constexpr double nothing = 1e-11;  // standard deviations
    if (step > 0 && moved < nothing &&
        change * change <= nothing * nothing * solution.variance())
      break;
  }
  return FitStatus::ok;
}

TrackState TrackFitter::Work::hit_state(const TrackHits& track, std::size_t k,
                                        SegmentEnd end) const {
  TrackState state = state_on_segment(track, system, solution, k, end);
  if (!track.flight) return state;
  SlowedCharge charge;
  system.charge_behind(track, k, solution.kappa(), charge);
  if (end == SegmentEnd::end)
    for (const std::size_t i : system.layers_behind(track, k))
      charge.pass(track, track.points[i].loss);
  return in_user_axes(track, charge, state);
}

void TrackFitter::Work::report_hits(const TrackHits& track) {
  result.hits.resize(system.hits.size());
  for (std::size_t k = 0; k < system.hits.size(); ++k) {
    const LinearHit& h = system.hits[k];
    HitFit& f = result.hits[k];
    f.point = h.point;
    f.residual = h.sigma.cwiseProduct(solution.shifts()[k]);
    f.residual_covariance.setZero();
    f.fitted_covariance.setZero();
    f.fitted_with_kappa.setZero();
    for (int i = 0; solution.has_hit_errors() && i < 2; ++i) {
      const auto ci = KinkSolution::hit_column(k, static_cast<std::size_t>(i));
      f.fitted_with_kappa[i] = -h.sigma[i] * solution.with_kappa(ci);
      for (int j = 0; j < 2; ++j) {
        const auto cj =
            KinkSolution::hit_column(k, static_cast<std::size_t>(j));
        const double scale_ij = h.sigma[i] * h.sigma[j];
        f.residual_covariance(i, j) = scale_ij * solution.reduction(ci, cj);
        f.fitted_covariance(i, j) = scale_ij * solution.covariance(ci, cj);
      }
    }
    const bool last = k + 1 == system.hits.size();
    if (k > 0) f.before = hit_state(track, k - 1, SegmentEnd::end);
    f.after = last ? f.before : hit_state(track, k, SegmentEnd::start);
    if (k == 0) f.before = f.after;
  }
}

void TrackFitter::Work::report(const TrackHits& track, FitKind kind) {
  result.kappa = solution.kappa();
  result.sigma = std::sqrt(solution.variance());
  result.chi2 = solution.chi2();
  const int n_triplets = static_cast<int>(system.n_triplets());
  result.ndf = 2 * n_triplets - (track.field ? 1 : 0);
  if (options.detail == FitDetail::curvature) return;
  if (!track.field && kind != FitKind::hits)
    result.scattering_momentum = kink_momentum(track, system, uses_hits(kind));
  solution.make_shifts(system);
  const bool all = options.detail == FitDetail::hits;
  solution.make_columns(system, all ? system.hits.size() : 2);
  const double inner = kind == FitKind::hits ? 0 : scale.front();
  const TrackState first =
      state_on_segment(track, system, solution, 0, SegmentEnd::start);
  if (track.flight)
    set_flown_perigee(track, system.hits[0].point, first, inner, result);
  else
    set_perigee(track, system.hits[0].point, first, inner, result);
  if (const SharedFit* shared = shared_with(kind)) {
    const GlobalFit& f = shared->fit();
    result.perigee_covariance = f.perigee_covariance;
    result.perigee_covariance_without_inner =
        f.perigee_covariance_without_inner;
    result.start_plane_covariance = f.start_plane_covariance;
  }
  if (all) report_hits(track);
}

/// What the fit shares with others; nullptr: nothing.
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
  if (const SharedFit* shared = shared_with(kind)) {
    if (shared->status() != FitStatus::ok) return shared->status();
    if (!shared->put_into(system)) return FitStatus::too_few_hits;
    return solve(track, kind, shared->equations().kappa_0);
  }
  if (const auto s = linear_fit(track, kind, options.weights);
      s != FitStatus::ok)
    return s;
  if (!uses_hits(kind)) return FitStatus::ok;
  return relinearise(track, kind);
}

/// Are hits of a helix too coarse to linearise triplets at them? Then the
/// streaming fit is nearer to the minimum of chi2, and faster.
bool TrackFitter::Work::is_coarse_helix(const TrackHits& track, FitKind kind) {
  return track.field && !track.flight && can_be_streamed(kind) &&
         options.weights != WeightSource::shared &&
         system.take(track) == FitStatus::ok && is_coarse(system);
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
  if (can_be_streamed(kind) && (unmeasured || straggles(hits)))
    return work_->streaming.fit(hits, kind);
  GlobalFit& r = work_->result;
  if (work_->is_coarse_helix(hits, kind)) {
    const GlobalFit& streamed = work_->streaming.fit(hits, kind);
    if (streamed.status == FitStatus::ok) return streamed;
  }
  clear(r);
  r.status = unmeasured ? FitStatus::not_determined : work_->run(hits, kind);
  if (r.status == FitStatus::ok)
    work_->report(hits, kind);
  else
    r.hits.clear();
  return r;
}

GlobalFit fit_global(const TrackHits& hits, FitKind kind,
                     const FitOptions& options) {
  TrackFitter fitter(options);
  return fitter.fit(hits, kind);
}

}  // namespace gttf
