// SPDX-License-Identifier: Apache-2.0
// Resolution of a track: crossings, fit, parameters in user conventions.

#include "gttf/resolution/resolution.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/resolution/engine.hpp"
#include "gttf/resolution/momentum.hpp"

namespace gttf {

namespace {

/// kappa -> q/p = -kappa/B_ref in row and column 4; NaN there without a field.
Matrix5 in_user_parameters(Matrix5 m, double b_ref) {
  const double factor = b_ref == 0 ? Resolution::none : -1 / b_ref;
  m.row(Perigee::qop) *= factor;
  m.col(Perigee::qop) *= factor;
  return m;
}

/// @return  whether the error of pT is known
bool set_momentum_resolution(const detail::AnyTrack& track,
                             const detail::EngineResult& fit, Resolution& r) {
  const double qop = -track.kappa() / track.b_ref();
  const Matrix5& m = r.perigee;
  const auto variances = detail::momentum_variances(
      m(Perigee::qop, Perigee::qop), m(Perigee::theta, Perigee::qop),
      m(Perigee::theta, Perigee::theta), qop, detail::cot_theta(track.track()));
  const double p = 1 / std::abs(qop);  // its square is infinite at 1e200 GeV
  r.sigma_p_rel = std::sqrt(variances.p) * p;
  r.sigma_pt_rel =
      variances.pt_is_lost ? fit.sigma_pt_rel : std::sqrt(variances.pt) * p;
  r.xi = 1 / r.sigma_p_rel;
  const double k = std::abs(track.kappa());
  r.sigma_p_rel_hit_only = std::sqrt(fit.hit_only) / k;
  r.sigma_p_rel_ms_only = std::sqrt(fit.scattering_only) / k;
  return !(variances.pt_is_lost && std::isnan(r.sigma_pt_rel));
}

void set_state_at(const detail::AnyTrack& track, const BeamSpot* spot,
                  const AtLayer& at, detail::Determined determined,
                  Resolution& r) {
  r.at = detail::state_at_layer(track, spot, at, determined);
  const double b_ref = track.b_ref();
  r.at->covariance = in_user_parameters(r.at->covariance, b_ref);
  r.at->slopes = in_user_parameters(r.at->slopes, b_ref);
  if (!r.at->exists || b_ref == 0) return;
  r.at->sigma_p_rel =
      std::sqrt(r.at->covariance(OnSurface::qop, OnSurface::qop)) *
      r.crossings[r.at->crossing].p / std::abs(track.track().charge);
}

/// No number with status "ok" is infinite: values of a curvature at the limit
/// of the range of doubles are removed.
bool fits_doubles(const Resolution& r) {
  const auto is_finite = [](double x) { return !std::isinf(x); };
  const auto all_finite = [&](const Matrix5& m) {
    // this sum, fast to compute, is 0 unless a number is infinite or missing
    return (0 * m).sum() == 0 ||
           std::all_of(m.data(), m.data() + m.size(), is_finite);
  };
  return all_finite(r.perigee) && all_finite(r.perigee_without_inner) &&
         all_finite(r.first_hit) && all_finite(r.start_plane) &&
         is_finite(r.sigma_p_rel_hit_only) &&
         is_finite(r.sigma_p_rel_ms_only) && is_finite(r.sigma_p_rel) &&
         is_finite(r.sigma_pt_rel) && r.xi != 0;
}

void clear_numbers(Resolution& r) {
  r.perigee.fill(Resolution::none);
  r.perigee_without_inner = r.first_hit = r.start_plane = r.perigee;
  for (double* x : {&r.sigma_p_rel, &r.sigma_pt_rel, &r.sigma_p_rel_hit_only,
                    &r.sigma_p_rel_ms_only, &r.mu_phi, &r.mu_theta, &r.xi})
    *x = Resolution::none;
  r.regime = Regime::unknown;
}

/// The reason for too few hits.
Status too_few(const Resolution& r) {
  if (r.stopped) return Status::stops;
  return r.end == TrackEnd::curls_up ? Status::curls_up : Status::too_few_hits;
}

}  // namespace

Regime classify(double mu_phi, double xi, const RegimeThresholds& thresholds) {
  const double small = thresholds.mu_small;
  if (!(mu_phi >= 0) || !(xi >= 0)) return Regime::unknown;
  if (xi < thresholds.xi_significant) return Regime::weak;
  if (mu_phi <= small) return Regime::scattering;
  return mu_phi * mu_phi >= 1 - small * small ? Regime::hits : Regime::mixed;
}

Resolution resolve(const TrackingGeometry& geometry, const Track& track,
                   const Model& model) {
  return detail::resolve(detail::AnyTrack(geometry, track, model), model);
}

Resolution detail::resolve(const AnyTrack& t, const Model& model,
                           Limits limits) {
  Resolution r;
  clear_numbers(r);
  r.end = t.end();
  r.n_hits = t.n_measuring();
  r.x_over_x0 = t.material().all;
  if (r.n_hits > 0) r.x_over_x0_tracker = t.material().to_last_hit;
  r.crossings = t.describe_crossings();
  if (t.traced()) {
    r.left_map = t.traced()->left_map;
    r.stopped = t.traced()->stopped;
  }
  const BeamSpot* spot = model.beam_spot ? &*model.beam_spot : nullptr;
  if (r.left_map) {
    r.status = Status::outside_map;
    return r;
  }
  const bool field = t.fits_momentum();
  const int n_points = r.n_hits + (spot ? 1 : 0);
  if (r.n_hits == 0 || n_points < (field ? 3 : 2)) {
    r.status = too_few(r);
    return r;
  }
  if (!t.has_errors()) {
    r.status = Status::no_hit_error;
    return r;
  }
  const EngineResult fit = model.engine == Engine::streaming
                               ? streaming_engine(t, spot, limits)
                               : triplet_engine(t, spot);
  if (model.at) set_state_at(t, spot, *model.at, fit.determined, r);
  if (fit.determined == Determined::no) {
    r.status = Status::not_determined;
    return r;
  }
  const double b_ref = t.b_ref();
  r.perigee = in_user_parameters(fit.perigee, b_ref);
  r.perigee_without_inner =
      in_user_parameters(fit.perigee_without_inner, b_ref);
  r.first_hit = in_user_parameters(fit.first_hit, b_ref);
  r.start_plane = in_user_parameters(fit.start_plane, b_ref);
  r.mu_theta = std::sqrt(fit.shares.theta);
  r.status = field ? Status::ok : Status::no_field;
  if (!field) return r;
  r.mu_phi = std::sqrt(fit.shares.kappa);
  const bool knows_pt = set_momentum_resolution(t, fit, r);
  r.regime = classify(r.mu_phi, r.xi);
  if (!knows_pt || !std::isnormal(t.kappa()) || !fits_doubles(r)) {
    clear_numbers(r);
    r.status = Status::not_determined;
  }
  return r;
}

std::string_view to_string(Engine engine) {
  return engine == Engine::streaming ? "streaming" : "triplet";
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::no_field:
      return "no field: momentum not measured";
    case Status::too_few_hits:
      return "too few hits";
    case Status::curls_up:
      return "curls up";
    case Status::stops:
      return "stops";
    case Status::outside_map:
      return "outside the field map";
    case Status::not_determined:
      return "not determined";
    case Status::no_hit_error:
      return "hit error not positive";
  }
  return "";
}

std::string_view to_string(TrackEnd end) {
  return end == TrackEnd::leaves ? "leaves" : "curls up";
}

std::string_view to_string(Regime regime) {
  switch (regime) {
    case Regime::scattering:
      return "scattering";
    case Regime::mixed:
      return "mixed";
    case Regime::hits:
      return "hits";
    case Regime::weak:
      return "weak";
    case Regime::unknown:
      return "";
  }
  return "";
}

}  // namespace gttf
