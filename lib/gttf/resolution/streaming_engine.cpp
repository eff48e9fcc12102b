// SPDX-License-Identifier: Apache-2.0
// Covariances by the streaming fit.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/streaming/exact_hits.hpp"
#include "gttf/fit/streaming/function_rounding.hpp"
#include "gttf/fit/streaming/two_fits.hpp"
#include "gttf/resolution/engine.hpp"
#include "gttf/resolution/linear.hpp"

namespace gttf::detail {

namespace {

/// u, v, phi, theta, kappa just after a layer of a helix, without energy loss.
template <class S>
std::array<Row<S>, track_dim> rows_behind(const AnyTrack&,
                                          const HelixPath<S>& path,
                                          std::size_t k) {
  return path.on_surface(k);
}
std::array<Row<double>, track_dim> rows_behind(const AnyTrack& track,
                                               const TracedPath&,
                                               std::size_t k) {
  return rows_of(track.after_layer(k));
}

/// Equations of the track after its first measuring layer.
/// @param all  of the whole track
template <Path P, class S = typename P::Scalar>
FiveEquations<S> equations_at_first(const P& path, const StartHit<S>* start,
                                    const FiveEquations<S>& all) {
  return start ? join_with_start(path, *start, filter<Errors::all>(path)) : all;
}

/// A track with its equations, and the properties derived from them.
template <Path P>
struct StreamedTrack {
  using S = typename P::Scalar;

  StreamedTrack(const AnyTrack& track, KeptPath<P>& path,
                const StartHit<S>* start, const UndoubtedVariances& undoubted) {
    const P& p = path.path();
    TwoFits<P> fits(path);
    stream_inwards(path, path.begin(), path.end(), fits);
    if (start) fits.measure_start(*start);
    const FiveEquations<S> hits = fits.hits(p.fits_momentum());
    equations = fits.all(p.fits_momentum());
    const auto gains = [&path] { return path.gains(); };
    doubtful = !is_undoubted(equations.v, p.kappa(), undoubted);
    determined = is_determined(p, start, gains, equations, undoubted);
    if (!determined) return;
    at_first = equations_at_first(p, start, equations);
    constexpr bool is_wide = !std::is_same_v<S, double>;
    // A helix can be calculated in twice the precision. The bound leaves out
    // the rounding of the equations, which was up to 350 times as large.
    const double known_to =
        track.helix() && !is_wide ? 1e-3 * determined_to : determined_to;
    const std::size_t n = p.fits_momentum() ? track_dim : track_dim - 1;
    behind_first = rows_behind(track, p, track.first());
    knows_first = change_by_rounding(at_first, behind_first, n,
                                     rounding_of(p)) < known_to;
    determined = knows_first || (track.helix() && !is_wide);
    if (!determined) return;
    line = covariance(equations);
    set_shares(track, path, start);
    if (!p.fits_momentum()) return;
    if constexpr (requires { p.line(); }) set_pt(p, start);
    const auto none = [&p] {  // nothing scatters
      return std::vector<typename P::Gain>(p.size());
    };
    if (is_determined(p, start, none, hits, undoubted))
      hit_only = static_cast<double>(hits.v[4]);
  }

  FiveEquations<S> equations;
  FiveEquations<S> at_first;                   ///< see equations_at_first()
  std::array<Row<S>, track_dim> behind_first;  ///< the state there
  bool knows_first = false;  ///< whether the equations give it
  bool determined = false, doubtful = true;
  Covariance5<S> line;  ///< of its parameters
  HitShares shares;
  /// Variance of kappa; NaN if the limit is not determined.
  double hit_only = std::numeric_limits<double>::quiet_NaN();
  double sigma_pt_rel = std::numeric_limits<double>::quiet_NaN();

 private:
  /// Of the last two equations, on which kappa/sin(theta) depends, and of the
  /// inner material, which changes theta.
  void set_pt(const P& path, const StartHit<S>* start) {
    using std::sqrt, std::abs;
    const S by_theta = path.kappa() * path.line().cot_theta;
    const S by_kappa =
        S(1) +
        by_theta *
            equations.r[FiveEquations<S>::at(Perigee::theta, Perigee::kappa)];
    S theta = equations.v[Perigee::theta];
    for (int k = 0; !start && k <= path.first(); ++k)
      theta = theta + path.kinks(static_cast<std::size_t>(k)).w;
    const S variance = theta * by_theta * by_theta +
                       equations.v[Perigee::kappa] * by_kappa * by_kappa;
    sigma_pt_rel = static_cast<double>(sqrt(variance) / abs(path.kappa()));
  }

  void set_shares(const AnyTrack& track, KeptPath<P>& path,
                  const StartHit<S>* start) {
    constexpr std::size_t kappa = 0, theta = 1;
    std::array<Row<S>, 2> inside{line[Perigee::kappa], line[Perigee::theta]};
    std::array<S, 2> total{inside[kappa][Perigee::kappa],
                           inside[theta][Perigee::theta]};
    if (track.traced()) {
      const auto perigee = rows_of<S>(track.perigee());
      const std::array<Row<S>, 2> functions{perigee[Perigee::kappa],
                                            perigee[Perigee::theta]};
      inside = covariance_with_line(equations, functions);
      for (const std::size_t q : {kappa, theta})
        total[q] = covariance_with(inside, functions[q])[q];
    }
    HitPart<P> part(path, inside);
    if (start) part.on_start(*start);
    stream_outwards(path, path.begin(), path.end(), part);
    const std::array<S, 2> sum = part.variances();
    shares = {.kappa = static_cast<double>(sum[kappa] / total[kappa]),
              .theta = static_cast<double>(sum[theta] / total[theta])};
  }
};

template <Path P, class S = typename P::Scalar>
void set_covariances(const AnyTrack& track, const P& path,
                     const StartHit<S>* start, const StreamedTrack<P>& fit,
                     EngineResult& r) {
  const FiveEquations<S>& e = fit.equations;
  const auto perigee = rows_of<S>(track.perigee());
  const auto plane = rows_of<S>(track.at_start_plane());
  // the line of a helix is its perigee
  const bool is_perigee = track.helix() != nullptr;
  Covariance5<S> line = is_perigee ? fit.line : covariance(e, perigee);
  Covariance5<S> on_plane = covariance(e, plane);
  if (start) {
    FiveEquations<S> bare = filter<Errors::all>(path);
    measure_start(*start, bare);
    r.perigee_without_inner = covariance_of(bare, perigee);
  } else {
    r.perigee_without_inner = matrix_of(line);
    if (is_perigee)
      gttf::add_inner_material(path, line);
    else
      add_inner_material(path, perigee, line);
    add_inner_material(path, plane, on_plane);
  }
  r.first_hit = covariance_of(fit.at_first, fit.behind_first);
  r.perigee = matrix_of(line);
  r.start_plane = matrix_of(on_plane);
}

/// The state of a helix after its first measuring layer, in twice the
/// precision.
Matrix5 wide_first_hit(const AnyTrack& track, const BeamSpot* spot) {
  return track.with_wide_path(spot, [&](const auto& path, const auto* start) {
    const auto e =
        equations_at_first(path, start, filter<Errors::all>(path, start));
    return covariance_of(e, path.on_surface(track.first()));
  });
}

/// The limit of scattering only where doubles do not give it: in twice their
/// precision, if that is certainly sufficient, which is up to 30 times as fast
/// as by triplets.
double precise_limit(const AnyTrack& track, const BeamSpot* spot,
                     bool doubtful) {
  double variance = std::numeric_limits<double>::quiet_NaN();
  if (track.helix() && !doubtful)
    track.with_wide_path(spot, [&](const auto& path, const auto* start) {
      using P = std::remove_cvref_t<decltype(path)>;
      using S = typename P::Scalar;
      constexpr double largest = 1e6 * PivotSpread<S>::largest;
      const PathSource<P> source(path, start);
      PathFit<Errors::scattering_only, P> fit;
      stream_inwards(source, source.begin(), source.end(), fit);
      finish(path, start, fit);
      if (fit.spread.sum <= S(largest))
        variance = static_cast<double>(fit.equations.v[Perigee::kappa]);
    });
  return std::isnan(variance) ? triplet_limit(track, spot, doubtful) : variance;
}

/// Calls f(streamed, path, start, determined, hit_only, scattering_only) with
/// the fit in doubles or, for a helix that they do not determine, in twice
/// their precision. Derivatives of a traced track are doubles: more is not
/// possible. scattering_only() is that limit.
template <class F>
void stream(const AnyTrack& track, const BeamSpot* spot, F&& f) {
  const auto hit = track.start_hit(spot);
  const StartHit<double>* const start = hit ? &*hit : nullptr;
  const UndoubtedVariances undoubted = track.undoubted(start);
  track.with_path([&](const auto& path) {
    KeptPath kept(path, start);
    const auto use = [&](const auto& fit, const auto& its_path,
                         const auto* at_start, Determined yes,
                         Determined limit) {
      // Whether the limit exists is decided in doubles, which do not determine
      // a wide track.
      const auto scattering_only = [&] {
        ScatteringLimit scattering;
        if (yes == Determined::yes) scattering = scattering_limit(kept, start);
        // where kinks differ by orders of magnitude, doubles lose digits
        if (fit.doubtful && track.helix() && widest_kink(kept) > least_unscaled)
          scattering.is_right = false;
        return scattering;
      };
      f(fit, its_path, at_start, fit.determined ? yes : Determined::no,
        std::isnan(fit.hit_only) ? Determined::no : limit, scattering_only);
    };
    const auto wide = [&](auto&& g) {
      track.with_wide_path(
          spot, [&](const auto& wide_path, const auto* at_start) {
            KeptPath wide_kept(wide_path, at_start);
            g(StreamedTrack(track, wide_kept, at_start, undoubted), wide_path,
              at_start);
          });
    };
    StreamedTrack fit(track, kept, start, undoubted);
    if (!fit.determined && track.helix())
      return wide([&](const auto& wide_fit, const auto& wide_path,
                      const auto* at_start) {
        use(wide_fit, wide_path, at_start, Determined::wide, Determined::wide);
      });
    const bool asks_for_limit = fit.determined && path.fits_momentum() &&
                                std::isnan(fit.hit_only) && track.helix();
    if (asks_for_limit)
      wide([&](const auto& wide_fit, const auto&, const auto*) {
        fit.hit_only = wide_fit.hit_only;
      });
    use(fit, path, start, Determined::yes,
        asks_for_limit ? Determined::wide : Determined::yes);
  });
}

/// The same for a track without one of its hits.
template <Path P, class S = typename P::Scalar>
bool is_determined_without(const P& path, const StartHit<S>* start,
                           std::size_t k, const UndoubtedVariances& undoubted) {
  const WithoutHit<P> rest(path, k);
  if (innermost(rest, start) < 0) return false;
  std::vector<typename P::Gain> gains;
  const FiveEquations<S> e = filter<Errors::all>(rest, start, &gains);
  const auto its_gains = [&gains]() -> const auto& { return gains; };
  return is_determined(rest, start, its_gains, e, undoubted);
}

}  // namespace

EngineResult streaming_engine(const AnyTrack& track, const BeamSpot* spot,
                              Limits limits) {
  EngineResult r;
  stream(track, spot,
         [&](const auto& fit, const auto& path, const auto* start,
             Determined determined, Determined, const auto& scattering_only) {
           r.determined = determined;
           if (determined == Determined::no) return;
           set_covariances(track, path, start, fit, r);
           if (!fit.knows_first) r.first_hit = wide_first_hit(track, spot);
           r.shares = fit.shares;
           r.sigma_pt_rel = fit.sigma_pt_rel;
           if (!path.fits_momentum() || limits == Limits::left_out) return;
           r.hit_only = fit.hit_only;
           const ScatteringLimit limit = scattering_only();
           r.scattering_only = limit.is_right || !limit.exists()
                                   ? limit.variance
                                   : precise_limit(track, spot, fit.doubtful);
         });
  return r;
}

Outline outline_of(const AnyTrack& track, const BeamSpot* spot) {
  Outline outline;
  stream(
      track, spot,
      [&](const auto& fit, const auto& path, const auto*, Determined determined,
          Determined hit_only, const auto& scattering_only) {
        outline.determined = determined;
        if (determined == Determined::no) return;
        outline.doubtful = fit.doubtful;
        outline.hit_only = hit_only;
        outline.shares = fit.shares;
        outline.sigma_pt_rel = fit.sigma_pt_rel;
        outline.scattering_only =
            path.fits_momentum() && scattering_only().exists();
      });
  return outline;
}

StateAtLayer state_at_layer(const AnyTrack& track, const BeamSpot* spot,
                            const AtLayer& at, Determined determined) {
  StateAtLayer state;
  state.covariance.fill(Resolution::none);
  state.slopes = state.covariance;
  const auto found = track.crossing_of(at.layer);
  if (!found) return state;
  const std::size_t k = *found;
  state.crossed = true;
  state.crossing = k;
  const auto hit = track.start_hit(spot);
  const StartHit<double>* const start = hit ? &*hit : nullptr;
  const UndoubtedVariances undoubted = track.undoubted(start);
  const auto exists = [&](const auto& path, const auto* at_start) {
    return is_determined_without(path, at_start, k, undoubted);
  };
  if (!at.own_hit)
    determined = track.with_path([&](const auto& path) {
      return exists(path, start) ? Determined::yes : Determined::no;
    });
  if (!at.own_hit && determined == Determined::no && track.helix() &&
      track.with_wide_path(spot, exists))
    determined = Determined::wide;
  state.exists = determined != Determined::no;
  if (determined == Determined::yes)
    track.with_path([&](const auto& path) {
      const auto e = line_before(path, start, k, at.own_hit);
      state.covariance = covariance_of(e, track.on_surface(k));
      state.slopes = covariance_of(e, track.slopes_on_surface(k));
    });
  if (determined == Determined::wide)
    track.with_wide_path(spot, [&](const auto& path, const auto* at_start) {
      const auto e = line_before(path, at_start, k, at.own_hit);
      state.covariance = covariance_of(e, path.on_surface(k));
      const Matrix5 slopes = track.slopes_from(k, Matrix5::Identity());
      state.slopes = propagated(slopes, state.covariance);
    });
  return state;
}

}  // namespace gttf::detail
