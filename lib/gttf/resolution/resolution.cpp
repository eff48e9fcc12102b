// SPDX-License-Identifier: Apache-2.0
// Resolution of a track: crossings, fit, parameters in user conventions.
#include "gttf/resolution/resolution.hpp"

#include <cmath>

#include "gttf/fit/streaming.hpp"

namespace gttf {

namespace {

constexpr std::size_t kappa = Perigee::kappa;

/// Natural scale of the variance of column i: what the best single coordinate
/// could say about it, min over coordinates of sigma^2/a_i^2.
Row<double> natural_scale(const TrackingGeometry& geometry,
                          const Crossings<double>& c) {
  Row<double> scale;
  scale.fill(FiveEquations<double>::nothing);
  for (const auto& x : c.list) {
    const SurfaceRecord& s = geometry.surfaces()[x.surface];
    for (const CoordinateAxis& axis : geometry.axes(s)) {
      const Row<double> a =
          coordinate_row(c.line, s, x.at, axis.cosine, axis.sine);
      for (std::size_t i = 0; i < 5; ++i)
        scale[i] = std::min(scale[i], axis.variance / (a[i] * a[i] + 1e-60));
    }
  }
  return scale;
}

/// Does the fit leave a parameter free? A free one shows as a variance near
/// FiveEquations::nothing or, after rounding, many orders above its natural
/// scale (which is looked at only for unphysically large results).
bool determined(const TrackingGeometry& geometry, const Crossings<double>& c,
                const FiveEquations<double>& e) {
  const std::size_t n = geometry.bz() == 0 ? 4 : 5;
  for (std::size_t i = 0; i < n; ++i)
    if (!(e.v[i] < 1e30)) return false;
  const double k = c.line.kappa;
  const bool suspicious = e.v[0] > 1e6 || e.v[1] > 1e6 || e.v[2] > 1 ||
                          e.v[3] > 1 || (n == 5 && e.v[4] > 1e6 * k * k);
  if (!suspicious) return true;
  const Row<double> scale = natural_scale(geometry, c);
  for (std::size_t i = 0; i < n; ++i)
    if (e.v[i] > 1e24 * scale[i]) return false;
  return true;
}

/// kappa -> q/p = -kappa/B in row and column 4; NaN there without a field.
Matrix5 in_user_parameters(const Covariance5<double>& c, double bz) {
  const double factor = bz == 0 ? Resolution::none : -1 / bz;
  Matrix5 m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      double value =
          c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      if (i == Perigee::qop) value *= factor;
      if (j == Perigee::qop) value *= factor;
      m(i, j) = value;
    }
  return m;
}

/// Can the scattering-only limit be trusted? With exact hits on layers of no
/// material the line would be over-determined.
bool scattering_limit_exists(const TrackingGeometry& geometry,
                             const Crossings<double>& c,
                             const StartHit<double>* start) {
  for (int k = start ? c.first : c.first + 1; k < c.last; ++k) {
    const auto& x = c.list[static_cast<std::size_t>(k)];
    const SurfaceRecord& s = geometry.surfaces()[x.surface];
    if (s.measures() && !(x.theta0_2 > 0)) return false;
  }
  return true;
}

struct HitShares {
  double kappa = 0, theta = 0;
};

HitShares hit_shares(const TrackingGeometry& geometry,
                     const Crossings<double>& c, const StartHit<double>* start,
                     const std::vector<KinkGain<double>>& gains,
                     const Covariance5<double>& n) {
  HitShares sum;
  way_back(
      geometry, c, start, gains, n,
      [&](std::size_t, std::size_t, const Row<double>& g, double variance) {
        sum.kappa += g[kappa] * g[kappa] / variance;
        sum.theta += g[Perigee::theta] * g[Perigee::theta] / variance;
      },
      [](auto&&...) {});
  sum.kappa /= n[kappa][kappa];
  sum.theta /= n[Perigee::theta][Perigee::theta];
  return sum;
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

/// The three covariances from the fit `e` (see filter()).
void set_covariances(const TrackingGeometry& geometry,
                     const Crossings<double>& c, const StartHit<double>* start,
                     const FiveEquations<double>& e, Resolution& r) {
  const double bz = geometry.bz();
  const auto& x = c.list[static_cast<std::size_t>(c.first)];
  const auto jacobian =
      surface_jacobian(c.line, geometry.surfaces()[x.surface], x.at);
  Covariance5<double> perigee = covariance(e), without_inner = perigee;
  FiveEquations<double> first = e;
  if (start) {
    const auto outer = filter<Errors::all>(geometry, c);
    FiveEquations<double> bare = outer;
    detail::measure_start<false>(*start, bare);
    without_inner = covariance(bare);
    first = join_with_start(c, *start, outer);
  } else {
    add_inner_material(c, perigee);
  }
  r.perigee = in_user_parameters(perigee, bz);
  r.perigee_without_inner = in_user_parameters(without_inner, bz);
  r.first_hit = in_user_parameters(covariance(first, jacobian), bz);
}

void set_momentum_resolution(const TrackingGeometry& geometry,
                             const Crossings<double>& c,
                             const StartHit<double>* start, Resolution& r) {
  const double qop = -c.line.kappa / geometry.bz(), cot = c.line.cot_theta;
  const Matrix5& m = r.perigee;
  const double relative = m(Perigee::qop, Perigee::qop) / (qop * qop);
  r.sigma_p_rel = std::sqrt(relative);
  r.sigma_pt_rel =
      std::sqrt(relative + cot * cot * m(Perigee::theta, Perigee::theta) -
                2 * cot * m(Perigee::theta, Perigee::qop) / qop);
  r.xi = 1 / r.sigma_p_rel;
  const double k = std::abs(c.line.kappa);
  const auto limit = [&](const FiveEquations<double>& e) {
    return determined(geometry, c, e) ? std::sqrt(e.v[kappa]) / k
                                      : Resolution::none;
  };
  r.sigma_p_rel_hit_only = limit(filter<Errors::hits_only>(geometry, c, start));
  if (scattering_limit_exists(geometry, c, start))
    r.sigma_p_rel_ms_only =
        limit(filter<Errors::scattering_only>(geometry, c, start));
}

}  // namespace

Regime classify(double mu_phi, double xi) {
  constexpr double small = 0.15, significant = 3;
  if (!(mu_phi >= 0) || !(xi >= 0)) return Regime::unknown;
  if (xi < significant) return Regime::weak;
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
  std::optional<StartHit<double>> spot;
  if (model.beam_spot) spot = make_start_hit(c.line, *model.beam_spot);
  const StartHit<double>* start = spot ? &*spot : nullptr;

  std::vector<KinkGain<double>> gains;
  const auto e = filter<Errors::all>(geometry, c, start, &gains);
  if (!determined(geometry, c, e)) {
    r.status = Status::not_determined;
    return r;
  }
  set_covariances(geometry, c, start, e, r);
  const HitShares share = hit_shares(geometry, c, start, gains, covariance(e));
  r.mu_theta = std::sqrt(share.theta);
  r.status = field ? Status::ok : Status::no_field;
  if (!field) return r;
  r.mu_phi = std::sqrt(share.kappa);
  set_momentum_resolution(geometry, c, start, r);
  r.regime = classify(r.mu_phi, r.xi);
  return r;
}

}  // namespace gttf
