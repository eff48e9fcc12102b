// SPDX-License-Identifier: Apache-2.0
// Covariances by the streaming fit.
#include <algorithm>
#include <cmath>

#include "gttf/fit/streaming/exact_hits.hpp"
#include "gttf/resolution/engine.hpp"
#include "gttf/resolution/linear.hpp"

namespace gttf::detail {

namespace {

using Equations = FiveEquations<double>;

template <Path P>
void set_covariances(const AnyTrack& track, const P& path,
                     const StartHit<double>* start, const Equations& e,
                     EngineResult& r) {
  const Matrix5 perigee = track.perigee();
  const Matrix5 plane = track.at_start_plane();
  const Matrix5 surface = track.after_layer(track.first());
  // the line of a helix is its perigee
  r.perigee =
      track.helix() ? matrix_of(covariance(e)) : covariance_of(e, perigee);
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

UndoubtedVariances undoubted_for(const AnyTrack& track,
                                 const StartHit<double>* start) {
  double least = least_variance(track.geometry());
  if (start)
    least = std::min(
        {least, start->transverse_variance, start->longitudinal_variance});
  return undoubted_variances(least);
}

/// A track with its equations, and what they decide.
template <Path P>
struct StreamedTrack {
  StreamedTrack(const AnyTrack& track, const P& path,
                const StartHit<double>* start) {
    std::vector<typename P::Gain> gains(path.size());
    PathFit<Errors::all, P> all;
    all.gains.gains = &gains;
    PathFit<Errors::hits_only, P> hits;
    filter_together(path, start, all, hits);
    equations = all.equations;
    const UndoubtedVariances undoubted = undoubted_for(track, start);
    outline.determined =
        is_determined(path, start, gains, equations, undoubted);
    if (!outline.determined) return;
    outline.shares = shares(track, path, start, gains, equations);
    if (!path.fits_momentum()) return;
    gains.assign(path.size(), {});  // nothing scatters
    outline.hit_only =
        is_determined(path, start, gains, hits.equations, undoubted);
    hit_only = hits.equations.v[4];
    scattering_only = scattering_only_variance(path, start);
    outline.scattering_only = !std::isnan(scattering_only);
  }

  FiveEquations<double> equations;
  Outline outline;
  double hit_only = 0, scattering_only = 0;
};

template <Path P>
EngineResult run(const AnyTrack& track, const P& path,
                 const StartHit<double>* start) {
  const StreamedTrack<P> fit(track, path, start);
  EngineResult r;
  r.determined = fit.outline.determined;
  if (!r.determined) return r;
  set_covariances(track, path, start, fit.equations, r);
  if (fit.outline.hit_only) r.hit_only = fit.hit_only;
  if (fit.outline.scattering_only) r.scattering_only = fit.scattering_only;
  r.shares = fit.outline.shares;
  return r;
}

/// The same decision for a track without one of its hits.
template <Path P>
bool is_determined_without(const AnyTrack& track, const P& path,
                           const StartHit<double>* start, std::size_t k) {
  const WithoutHit<P> rest(path, k);
  if (innermost(rest, start) < 0) return false;
  std::vector<typename P::Gain> gains;
  const Equations e = filter<Errors::all>(rest, start, &gains);
  return is_determined(rest, start, gains, e, undoubted_for(track, start));
}

}  // namespace

EngineResult streaming_engine(const AnyTrack& track, const BeamSpot* spot) {
  const auto hit = track.start_hit(spot);
  return track.with_path([&](const auto& path) {
    return run(track, path, hit ? &*hit : nullptr);
  });
}

Outline outline_of(const AnyTrack& track, const BeamSpot* spot) {
  const auto hit = track.start_hit(spot);
  return track.with_path([&](const auto& path) {
    return StreamedTrack(track, path, hit ? &*hit : nullptr).outline;
  });
}

StateAtLayer state_at_layer(const AnyTrack& track, const BeamSpot* spot,
                            const AtLayer& at, bool determined) {
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
    const StartHit<double>* const start = hit ? &*hit : nullptr;
    state.exists =
        at.own_hit ? determined : is_determined_without(track, path, start, k);
    if (!state.exists) return;
    const Equations e = line_before(path, start, k, at.own_hit);
    state.covariance = covariance_of(e, track.on_surface(k));
    state.slopes = covariance_of(e, track.slopes_on_surface(k));
  });
  return state;
}

}  // namespace gttf::detail
