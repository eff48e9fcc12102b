// SPDX-License-Identifier: Apache-2.0
// Covariances by the streaming fit.
#include <algorithm>
#include <cmath>
#include <optional>

#include "gttf/fit/streaming.hpp"
#include "gttf/resolution/engine.hpp"

namespace gttf::detail {

namespace {

using Equations = FiveEquations<double>;

/// Natural scale of the variance of column i: what the best single coordinate
/// could say about it, min over coordinates of sigma^2/a_i^2.
Row<double> natural_scale(const TrackingGeometry& geometry,
                          const Crossings<double>& c) {
  Row<double> scale;
  scale.fill(Equations::nothing);
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
                const Equations& e) {
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

/// Can the scattering-only limit be trusted? With exact hits on layers of no
/// material the line would be over-determined.
bool scattering_limit_exists(const TrackingGeometry& geometry,
                             const Crossings<double>& c, bool start) {
  for (int k = start ? c.first : c.first + 1; k < c.last; ++k) {
    const auto& x = c.list[static_cast<std::size_t>(k)];
    const SurfaceRecord& s = geometry.surfaces()[x.surface];
    if (s.measures() && !(x.theta0_2 > 0)) return false;
  }
  return true;
}

Matrix5 as_matrix(const Covariance5<double>& c) {
  Matrix5 m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      m(i, j) = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return m;
}

std::optional<StartHit<double>> start_hit(const Crossings<double>& c,
                                          const BeamSpot* spot) {
  if (!spot) return std::nullopt;
  return make_start_hit(c.line, *spot);
}

void set_covariances(const TrackingGeometry& geometry,
                     const Crossings<double>& c, const StartHit<double>* start,
                     const Equations& e, EngineResult& r) {
  const auto& x = c.list[static_cast<std::size_t>(c.first)];
  const auto jacobian =
      surface_jacobian(c.line, geometry.surfaces()[x.surface], x.at);
  Covariance5<double> perigee = covariance(e), without_inner = perigee;
  Equations first = e;
  if (start) {
    const Equations outer = filter<Errors::all>(geometry, c);
    Equations bare = outer;
    measure_start<false>(*start, bare);
    without_inner = covariance(bare);
    first = join_with_start(c, *start, outer);
  } else {
    add_inner_material(c, perigee);
  }
  r.perigee = as_matrix(perigee);
  r.perigee_without_inner = as_matrix(without_inner);
  r.first_hit = as_matrix(covariance(first, jacobian));
}

}  // namespace

EngineResult streaming_engine(const TrackingGeometry& geometry,
                              const Crossings<double>& c,
                              const BeamSpot* spot) {
  const auto hit = start_hit(c, spot);
  const StartHit<double>* start = hit ? &*hit : nullptr;
  EngineResult r;
  const Equations e = filter<Errors::all>(geometry, c, start);
  r.determined = determined(geometry, c, e);
  if (!r.determined) return r;
  set_covariances(geometry, c, start, e, r);
  const auto set_limit = [&](double& limit, const Equations& equations) {
    if (determined(geometry, c, equations)) limit = equations.v[4];
  };
  set_limit(r.hit_only, filter<Errors::hits_only>(geometry, c, start));
  if (scattering_limit_exists(geometry, c, start))
    set_limit(r.scattering_only,
              filter<Errors::scattering_only>(geometry, c, start));
  return r;
}

HitShares hit_shares(const TrackingGeometry& geometry,
                     const Crossings<double>& c, const BeamSpot* spot) {
  constexpr std::size_t kappa = Perigee::kappa, theta = Perigee::theta;
  const auto hit = start_hit(c, spot);
  const StartHit<double>* start = hit ? &*hit : nullptr;
  std::vector<KinkGain<double>> gains;
  const Covariance5<double> n =
      covariance(filter<Errors::all>(geometry, c, start, &gains));
  HitShares sum;
  way_back(
      geometry, c, start, gains, n,
      [&](const HitStep<double, 5>& step) {
        const Row<double>& g = step.gain;
        sum.kappa += g[kappa] * g[kappa] / step.variance;
        sum.theta += g[theta] * g[theta] / step.variance;
      },
      [](auto&&) {});
  sum.kappa /= n[kappa][kappa];
  sum.theta /= n[theta][theta];
  return sum;
}

}  // namespace gttf::detail
