// SPDX-License-Identifier: Apache-2.0
// Covariances by the streaming fit.
#include <algorithm>
#include <cmath>

#include "gttf/fit/streaming/streaming.hpp"
#include "gttf/resolution/engine.hpp"
#include "gttf/resolution/linear.hpp"

namespace gttf::detail {

namespace {

using Equations = FiveEquations<double>;

/// Natural scale of the variance of column i: what the best single coordinate
/// could say about it, min over coordinates of sigma^2/a_i^2.
template <Path P>
Row<double> natural_scale(const P& path) {
  Row<double> scale;
  scale.fill(Equations::nothing);
  for (std::size_t k = 0; k < path.size(); ++k) {
    for (const CoordinateAxis& axis : path.axes(k)) {
      const Row<double> a = path.row(k, axis.cosine, axis.sine);
      for (std::size_t i = 0; i < track_dim; ++i)
        scale[i] = std::min(scale[i], axis.variance / (a[i] * a[i] + 1e-60));
    }
  }
  return scale;
}

/// Does the fit leave a parameter free? A free one shows as a variance near
/// FiveEquations::nothing or, after rounding, many orders above its natural
/// scale (which is looked at only for unphysically large results).
template <Path P>
bool determined(const P& path, const Equations& e) {
  const std::size_t n = path.fits_momentum() ? track_dim : track_dim - 1;
  for (std::size_t i = 0; i < n; ++i)
    if (!(e.v[i] < 1e30)) return false;
  const double k = path.kappa();
  const bool suspicious = e.v[0] > 1e6 || e.v[1] > 1e6 || e.v[2] > 1 ||
                          e.v[3] > 1 ||
                          (n == track_dim && e.v[4] > 1e6 * k * k);
  if (!suspicious) return true;
  const Row<double> scale = natural_scale(path);
  for (std::size_t i = 0; i < n; ++i)
    if (e.v[i] > 1e24 * scale[i]) return false;
  return true;
}

/// Can the scattering-only limit be trusted? With exact hits on layers of no
/// material the line would be over-determined.
template <Path P>
bool scattering_limit_exists(const P& path, bool start) {
  for (int k = start ? path.first() : path.first() + 1; k < path.last(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    if (path.surface(index).measures() && !(path.kinks(index).w > 0))
      return false;
  }
  return true;
}

template <Path P>
void set_covariances(const AnyTrack& track, const P& path,
                     const StartHit<double>* start, const Equations& e,
                     EngineResult& r) {
  const Matrix5 perigee = track.perigee();
  const Matrix5 plane = track.at_start_plane();
  const Matrix5 surface = track.after_layer(track.first());
  r.perigee = covariance_of(e, perigee);
  r.start_plane = covariance_of(e, plane);
  if (start) {
    const Equations outer = filter<Errors::all>(path);
    Equations bare = outer;
    measure_start<ZeroVariance::excluded>(*start, bare);
    r.perigee_without_inner = covariance_of(bare, perigee);
    r.first_hit = covariance_of(join_with_start(path, *start, outer), surface);
  } else {
    r.perigee_without_inner = r.perigee;
    r.perigee += inner_material(path, perigee);
    r.start_plane += inner_material(path, plane);
    r.first_hit = covariance_of(e, surface);
  }
}

template <Path P>
HitShares shares(const AnyTrack& track, const P& path,
                 const StartHit<double>* start,
                 const std::vector<typename P::Gain>& gains,
                 const Equations& e) {
  constexpr std::size_t kappa = 0, theta = 1;
  const auto perigee = rows_of(track.perigee());
  const std::array<Row<double>, 2> functions{perigee[Perigee::kappa],
                                             perigee[Perigee::theta]};
  const auto inside = covariance_with_line(e, functions);
  HitShares sum;
  way_back(
      path, start, gains, inside,
      [&](const HitStep<double, 2>& step) {
        sum.kappa += step.gain[kappa] * step.gain[kappa] / step.variance;
        sum.theta += step.gain[theta] * step.gain[theta] / step.variance;
      },
      [](auto&&) {});
  const auto variance = [&](std::size_t q) {
    double total = 0;
    for (std::size_t i = 0; i < track_dim; ++i)
      total += inside[q][i] * functions[q][i];
    return total;
  };
  sum.kappa /= variance(kappa);
  sum.theta /= variance(theta);
  return sum;
}

template <Path P>
EngineResult run(const AnyTrack& track, const P& path,
                 const StartHit<double>* start) {
  EngineResult r;
  std::vector<typename P::Gain> gains(path.size());
  PathFit<Errors::all, P> all;
  all.gains.gains = &gains;
  PathFit<Errors::hits_only, P> hits;
  PathFit<Errors::scattering_only, P> scattering;
  filter_together(path, start, all, hits, scattering);
  r.determined = determined(path, all.equations);
  if (!r.determined) return r;
  set_covariances(track, path, start, all.equations, r);
  const auto set_limit = [&](double& limit, const Equations& equations) {
    if (determined(path, equations)) limit = equations.v[4];
  };
  set_limit(r.hit_only, hits.equations);
  if (scattering_limit_exists(path, start))
    set_limit(r.scattering_only, scattering.equations);
  r.shares = shares(track, path, start, gains, all.equations);
  return r;
}

}  // namespace

EngineResult streaming_engine(const AnyTrack& track, const BeamSpot* spot) {
  const auto hit = track.start_hit(spot);
  return track.with_path([&](const auto& path) {
    return run(track, path, hit ? &*hit : nullptr);
  });
}

HitShares hit_shares(const AnyTrack& track, const BeamSpot* spot) {
  const auto hit = track.start_hit(spot);
  return track.with_path([&](const auto& path) {
    const StartHit<double>* const start = hit ? &*hit : nullptr;
    std::vector<typename std::remove_cvref_t<decltype(path)>::Gain> gains;
    const Equations e = filter<Errors::all>(path, start, &gains);
    return shares(track, path, start, gains, e);
  });
}

StateAtLayer state_at_layer(const AnyTrack& track, const BeamSpot* spot,
                            const AtLayer& at) {
  StateAtLayer state;
  state.covariance.fill(Resolution::none);
  state.slopes = state.covariance;
  const auto found = track.crossing_of(at.layer);
  if (!found) return state;
  const std::size_t k = *found;
  state.crossed = true;
  state.crossing = k;
  const auto hit = track.start_hit(spot);
  track.with_path([&](const auto& path) {
    const Equations e = line_before(path, hit ? &*hit : nullptr, k, at.own_hit);
    state.exists = determined(path, e);
    if (!state.exists) return;
    state.covariance = covariance_of(e, track.on_surface(k));
    state.slopes = covariance_of(e, track.slopes_on_surface(k));
  });
  return state;
}

}  // namespace gttf::detail
