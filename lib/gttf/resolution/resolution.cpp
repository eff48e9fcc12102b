// SPDX-License-Identifier: Apache-2.0
// Resolution of a track: crossings, fit, parameters in user conventions.
#include "gttf/resolution/resolution.hpp"

#include <cmath>

#include "gttf/resolution/detail/momentum.hpp"
#include "gttf/resolution/engine.hpp"

namespace gttf {

namespace {

/// kappa -> q/p = -kappa/B in row and column 4; NaN there without a field.
Matrix5 in_user_parameters(Matrix5 m, double bz) {
  const double factor = bz == 0 ? Resolution::none : -1 / bz;
  m.row(Perigee::qop) *= factor;
  m.col(Perigee::qop) *= factor;
  return m;
}

std::vector<CrossingInfo> describe(const TrackingGeometry& geometry,
                                   const Track& track,
                                   const Crossings<double>& c) {
  std::vector<CrossingInfo> list;
  list.reserve(c.list.size());
  const Line<double>& l = c.line;
  for (const auto& x : c.list) {
    const SurfaceRecord& s = geometry.surfaces()[x.surface];
    const double a = l.along + x.at.forward, b = l.across + x.at.sideward;
    CrossingInfo info;
    info.layer = x.surface;
    info.path = x.at.arc * l.inv_sin_theta;
    info.position = {l.cos_phi * a - l.sin_phi * b,
                     l.sin_phi * a + l.cos_phi * b,
                     l.z + x.at.arc * l.cot_theta};
    info.phi = std::remainder(track.phi + l.kappa * info.path, 2 * unit::pi);
    info.cos_incidence = s.kind == SurfaceRecord::Kind::disk ||
                                 s.kind == SurfaceRecord::Kind::disk_plane
                             ? std::abs(l.cos_theta)
                             : std::abs(l.sin_theta * x.at.cos_psi);
    info.x_over_x0 = x.at.x_over_x0;
    info.theta0 = std::sqrt(x.theta0_2);
    info.measured = s.measures();
    list.push_back(info);
  }
  return list;
}

void set_momentum_resolution(const TrackingGeometry& geometry,
                             const Crossings<double>& c,
                             const detail::EngineResult& fit, Resolution& r) {
  const double qop = -c.line.kappa / geometry.bz(), cot = c.line.cot_theta;
  const Matrix5& m = r.perigee;
  const detail::MomentumErrors<double> errors = detail::momentum_errors(
      m(Perigee::qop, Perigee::qop), m(Perigee::theta, Perigee::qop),
      m(Perigee::theta, Perigee::theta), qop, cot);
  r.sigma_p_rel = errors.p;
  r.sigma_pt_rel = errors.pt;
  r.xi = 1 / r.sigma_p_rel;
  const double k = std::abs(c.line.kappa);
  r.sigma_p_rel_hit_only = std::sqrt(fit.hit_only) / k;
  r.sigma_p_rel_ms_only = std::sqrt(fit.scattering_only) / k;
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
  const Crossings<double> c = find_crossings(geometry, track, model.scattering);
  Resolution r;
  r.perigee.fill(Resolution::none);
  r.perigee_without_inner = r.first_hit = r.perigee;
  r.end = c.end;
  r.n_hits = c.n_measuring;
  r.x_over_x0 = c.x_over_x0;
  r.crossings = describe(geometry, track, c);

  const bool field = geometry.bz() != 0;
  const int n_points = c.n_measuring + (model.beam_spot ? 1 : 0);
  if (c.n_measuring == 0 || n_points < (field ? 3 : 2)) {
    r.status =
        c.end == TrackEnd::curls_up ? Status::curls_up : Status::too_few_hits;
    return r;
  }
  const BeamSpot* spot = model.beam_spot ? &*model.beam_spot : nullptr;
  const detail::EngineResult fit =
      model.engine == Engine::streaming
          ? detail::streaming_engine(geometry, c, spot)
          : detail::triplet_engine(geometry, track, c, spot);
  if (!fit.determined) {
    r.status = Status::not_determined;
    return r;
  }
  const double bz = geometry.bz();
  r.perigee = in_user_parameters(fit.perigee, bz);
  r.perigee_without_inner = in_user_parameters(fit.perigee_without_inner, bz);
  r.first_hit = in_user_parameters(fit.first_hit, bz);
  // the same for both engines: the budget is the streaming engine's way back
  const detail::HitShares share = detail::hit_shares(geometry, c, spot);
  r.mu_theta = std::sqrt(share.theta);
  r.status = field ? Status::ok : Status::no_field;
  if (!field) return r;
  r.mu_phi = std::sqrt(share.kappa);
  set_momentum_resolution(geometry, c, fit, r);
  r.regime = classify(r.mu_phi, r.xi);
  return r;
}

}  // namespace gttf
