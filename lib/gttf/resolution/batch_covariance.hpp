// SPDX-License-Identifier: Apache-2.0
// The streaming fit of a batch: a pass from the outermost crossing inwards, and
// a backward pass outwards if shares are requested.
#pragma once

#include <limits>

#include "gttf/fit/streaming/determination.hpp"
#include "gttf/fit/streaming/point_chain.hpp"
#include "gttf/fit/streaming/split_equations.hpp"
#include "gttf/resolution/batch_loss_path.hpp"
#include "gttf/resolution/batch_path.hpp"
#include "gttf/resolution/momentum.hpp"
#include "gttf/resolution/surface_slopes.hpp"

namespace gttf::detail {

/// The scattering-only limit of a track through points.
template <class S>
[[gnu::noinline, gnu::flatten]] void start_chain(const Line<S>& line,
                                                 const Crossing<S>& x,
                                                 const HelixKinks<S>& k,
                                                 PointChain<S>& chain) {
  chain.start(exact_point(line, x, k.columns));
}
template <class S>
[[gnu::noinline, gnu::flatten]] void add_to_chain(const Line<S>& line,
                                                  const Crossing<S>& x,
                                                  const HelixKinks<S>& k,
                                                  PointChain<S>& chain) {
  const S weight = S(1) / k.w;
  chain.add(exact_point(line, x, k.columns), weight,
            weight * (line.sin_theta * line.sin_theta));
}

template <class S>
[[gnu::noinline, gnu::flatten]] void add_kinks(const HelixKinks<S>& kinks,
                                               const S& w, const S& w_phi,
                                               Covariance5<S>& covariance) {
  add_kink_variance(kinks.columns, w, w_phi, covariance);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void add_kinks(const GeneralKinks<S>& b,
                                               const S& w, const S& w_phi,
                                               const S& w_loss,
                                               Covariance5<S>& covariance) {
  for (std::size_t i = 0; i < track_dim; ++i) {
    const S theta = w * b.theta[i], phi = w_phi * b.phi[i],
            loss = w_loss * b.loss[i];
    for (std::size_t j = 0; j <= i; ++j)
      covariance[i][j] = covariance[j][i] = covariance[i][j] +
                                            theta * b.theta[j] +
                                            phi * b.phi[j] + loss * b.loss[j];
  }
}

/// Tracks whose variances do not prove that the parameters are determined.
template <class S>
TrackBits tracks_in_doubt(const std::array<S, track_dim>& v, const S& kappa,
                          const UndoubtedVariances& undoubted) {
  return all_in_pack<S> &
         ~PackAccess<S>::bits(is_undoubted(v, kappa, undoubted));
}

/// Gains of the inward pass, for the backward pass. @tparam always otherwise
/// only if there are steps
template <class Step, bool is_always>
struct GainsOfSteps {
  static constexpr bool never = false, always = is_always;
  Step* steps = nullptr;
  auto at(std::size_t k) const {
    return always || steps != nullptr ? &steps[k].gain : nullptr;
  }
};

/// Gains that are calculated, so that all rounds as if they were kept.
template <class Gain>
struct UnusedGains {
  static constexpr bool never = false, always = true;
  mutable Gain gain;
  Gain* at(std::size_t) const { return &gain; }
};

/// Covariances of a group of tracks; with the limits of a fit without
/// scattering and of one with exact hits, which share crossings and rows.
/// @tparam Source  BatchPath, BatchLossPath or BatchRegionPath
/// @tparam limits, backward_pass, mixed  as for BatchPath; if mixed, or not on
/// a helix, BatchTask::extras is checked
template <class S, class Source, bool limits, bool backward_pass, bool mixed>
class BatchCovariance : public AnyFit {
 public:
  explicit BatchCovariance(BatchTask& task) : task_(task), path_(task) {
    if constexpr (backward_pass) {
      if (path_.has_backward_pass()) all_.gains.steps = path_.back().steps();
      set_apart();
    }
    if (task_.beam_spot == nullptr) return;
    if constexpr (has_line)
      start_ = make_start_hit(path_.line(), *task_.beam_spot);
    else
      start_ = path_.start_hit(*task_.beam_spot);
  }

  void run() {
    if constexpr (is_helix) {
      if (task_.guessed && !path_.check().misses_others()) return;
      path_.start();
    } else {
      path_.follow();
      if (task_.loss != nullptr) {
        if (task_.as_listed == 0) return;
        if (task_.follows_only) return store_material();
      }
      doubtful_ = task_.doubtful;
    }
    stream_inwards(path_, 0, task_.n_crossings, *this);
    if constexpr (is_helix)
      if (task_.guessed && !path_.check().confirm()) return;
    if (task_.beam_spot != nullptr) {
      measure_start();
      finish(task_.all);
    }
    store_material();
    if (asked_for(BatchPlane::start_plane))
      store_matrix(path_.on_start_plane(perigee_), BatchPlane::start_plane);
    const Covariance5<S>& perigee = path_.in_user_axes(perigee_);
    store_matrix(perigee, BatchPlane::perigee);
    store_momentum(perigee);
    if constexpr (backward_pass)
      if (path_.has_backward_pass()) {
        const StartHit<S>* const start =
            task_.beam_spot != nullptr ? &start_ : nullptr;
        if constexpr (requires { path_.loss_slopes(); })
          path_.back().run(inside_, start, path_.loss_slopes());
        else
          path_.back().run(inside_, start);
        if constexpr (has_states)
          if (task_.at != BatchTask::nowhere) set_state();
      }
    task_.doubtful = doubtful_;
  }

  void on_outside(std::size_t k) {
    if constexpr (has_states) {
      if (is_apart(k)) {
        if (k + 1 == n_apart_) outside_.equations = all_.equations;
        outside_.on_kinks(k, path_.all_kinks(k));
      } else if (k == task_.at) {
        outside_.equations = all_.equations;
      }
    }
  }

  void on_kinks(std::size_t k, const typename Source::Kinks& kinks) {
    all_.on_kinks(k, kinks);
    if constexpr (has_states)
      if (k == task_.at && !is_apart(k)) outside_.equations = all_.equations;
    if constexpr (limits) {
      if (!has_limits()) return;
      const ListedSurface& c = task_.list[k];
      if (!task_.points) scatter_exactly(c, k, kinks);
      if (task_.surfaces[c.surface].record.measures())
        no_scattering_limit_ |=
            c.kinked & ~L::bits(path_.all_kinks(k).w > S(0));
    }
  }

  void on_coordinates(std::size_t k, const Coordinates<S>& c) {
    all_.on_coordinates(k, c);
    if constexpr (has_states)
      if (is_apart(k) && (k != task_.at || task_.at_own_hit))
        outside_.on_coordinates(k, c);
    if constexpr (limits) {
      if (!has_limits()) return;
      hits_.on_coordinates(k, c);
      if (!task_.points) exact_.on_coordinates(k, c);
    }
  }

  void on_inside(std::size_t k) {
    if constexpr (has_states)
      if (k == task_.at && task_.at_own_hit && !is_apart(k))
        outside_.equations = all_.equations;
    const ListedSurface& c = task_.list[k];
    const BatchSurface& s = task_.surfaces[c.surface];
    const Kinks& kinks = path_.all_kinks(k);
    if constexpr (limits && is_helix)
      if (has_limits() && task_.points && s.record.measures())
        add_point(c, path_.crossing(k), kinks);
    if (c.first != 0 && task_.beam_spot == nullptr) {
      finish(c.first);
      if (asked_for(BatchPlane::first_hit))
        finish_first_hit(c.first, path_.rows_behind(k));
    }
    if constexpr (limits)
      if (c.first != 0 && task_.beam_spot != nullptr)
        doubtful_ |= c.first & ~L::bits(lever_of(kinks) > S(least_lever));
    if (c.inner == 0) return;
    const S w = masked(c.inner, kinks.w), w_phi = masked(c.inner, kinks.w_phi);
    if constexpr (loses_energy)
      add_kinks(kinks, w, w_phi, masked(c.inner, kinks.w_loss), perigee_);
    else
      add_kinks(kinks, w, w_phi, perigee_);
  }

 private:
  using L = PackAccess<S>;
  static constexpr bool loses_energy = Source::loses_energy,
                        is_helix = Source::is_helix,
                        has_line = Source::has_line;
  static constexpr bool has_states = backward_pass;
  using Kinks = typename Source::Kinks;
  using Gain = decltype(Source::Step::gain);
  using Equations = SplitEquations<S>;
  using Gains = std::conditional_t<
      backward_pass, GainsOfSteps<typename Source::Step, !mixed && is_helix>,
      NoGains<Gain>>;
  template <int>
  struct Nothing {};
  template <class T, int i>
  using OfLimits = std::conditional_t<limits, T, Nothing<i>>;
  template <class T, int i>
  using OfBackwardPass = std::conditional_t<backward_pass, T, Nothing<i>>;
  template <Errors errors>
  using Limit = LineFit<errors, Equations, NoGains<Gain>>;
  static constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

  bool has_limits() const {
    return (is_helix && !mixed) || task_.extras.limits;
  }
  /// In the limit of exact hits, any kink leaves a trace in a variance of 0.
  void scatter_exactly([[maybe_unused]] const ListedSurface& c, std::size_t k,
                       const Kinks& kinks) {
    if constexpr (mixed && loses_energy) {
      if (c.kinked != task_.all) {
        const auto before = variances_of(exact_.equations);
        exact_.on_kinks(k, kinks);
        const auto kinked = L::mask(c.kinked);
        const auto after = variances_of(exact_.equations);
        for (std::size_t j = 0; j < track_dim; ++j) {
          const S v = select(kinked, after[j], before[j]);
          for (std::size_t i = 0; i < Parts<S>::count; ++i)
            exact_.equations.part[i].v[j] = Parts<S>::get(v, i);
        }
        return;
      }
    }
    exact_.on_kinks(k, kinks);
  }

  static S masked([[maybe_unused]] TrackBits elements, const S& x) {
    if constexpr (mixed) return select(L::mask(elements), x, S(0));
    return x;
  }

  /// By how much a kink moves the start, mm.
  static S lever_of(const Kinks& kinks) {
    using std::abs;
    const auto lever = [](const auto& theta, const auto& phi) {
      if constexpr (has_line) return abs(phi[0]);
      // which parameter a kink moves depends on the axes at the start
      return abs(theta[0]) + abs(theta[1]) + abs(phi[0]) + abs(phi[1]);
    };
    if constexpr (loses_energy)
      return lever(kinks.theta, kinks.phi);
    else
      return lever(kinks.columns.theta, kinks.columns.phi);
  }

  void add_point(const ListedSurface& c, const Crossing<S>& x,
                 const HelixKinks<S>& kinks) {
    const TrackBits starting = c.fitted & ~c.kinked & ~c.first;
    const auto start = [&](PointChain<S>& chain) {
      start_chain(path_.line(), x, kinks, chain);
    };
    const auto add = [&](PointChain<S>& chain) {
      add_to_chain(path_.line(), x, kinks, chain);
    };
    if constexpr (mixed) {
      const auto in = [&](TrackBits elements, const auto& step) {
        PointChain<S> next = chain_;
        step(next);
        chain_.merge(next,
                     [mask = L::mask(elements)](const S& old, const S& now) {
                       return select(mask, now, old);
                     });
      };
      in(c.fitted & ~starting, add);
      in(starting, start);
    } else if (starting != 0) {
      start(chain_);
    } else {
      add(chain_);
    }
  }

  /// The state at a layer includes all material from there on, the covariance
  /// at the start only material between hits: if there is inner material, the
  /// two differ.
  void set_apart() {
    if (task_.at == BatchTask::nowhere) return;
    for (std::size_t k = task_.at; k < task_.n_crossings; ++k)
      if (task_.list[k].inner != 0) n_apart_ = k + 1;
  }
  bool is_apart(std::size_t k) const { return k >= task_.at && k < n_apart_; }

  /// The line before the requested layer, from the hits on both sides:
  /// line_before() for a group.
  [[gnu::noinline, gnu::flatten]] void set_state() {
    const std::size_t at = task_.at;
    const ListedSurface& c = task_.list[at];
    const BatchSurface& s = task_.surfaces[c.surface];
    Limit<Errors::all> inside;
    if (task_.beam_spot != nullptr)
      inside.on_coordinates(start_index, coordinates_of(start_));
    BatchStretch<S, typename Source::Step> stretch = path_.back().stretch();
    for (std::size_t k = 0; k < at; ++k) {
      stretch.coordinates(k, [&](const FittedRows<S>& rows) {
        measure_rows(rows, inside.equations);
      });
      inside.on_kinks(k, path_.all_kinks(k));
    }
    join(outside_.equations, inside.equations);
    doubtful_ |= c.crossed & tracks_in_doubt(variances(outside_.equations),
                                             path_.kappa(), task_.undoubted);
    FiveEquations<S> e = outside_.equations.whole();
    if (task_.bz == 0) e.v[4] = S(0);
    if constexpr (is_helix) {
      const Line<S>& l = path_.line();
      const Crossing<S> x = cross(l, s.record);
      const auto rows = surface_jacobian(l, s.record, x);
      store_state(e, rows, slopes_on_surface(l, s.record, x, rows));
    } else {
      store_state(e, path_.state(), path_.slopes());
    }
  }

  void store_state(const FiveEquations<S>& e,
                   const std::array<Row<S>, track_dim>& state,
                   const std::array<Row<S>, track_dim>& slopes) {
    using std::abs, std::sqrt;
    const Covariance5<S> c = covariance(e, state);
    store_matrix(c, BatchPlane::at_state);
    store_matrix(covariance(e, slopes), BatchPlane::at_slopes);
    const S start = L::load(task_.tracks->p), p = path_.momentum_at();
    store(task_.bz == 0 ? S(no_value)
                        : S(sqrt(c[4][4]) / abs(path_.kappa()) * (p / start)),
          BatchPlane::at_sigma_p);
    store(p, BatchPlane::at_p);
  }

  static void measure_rows(const FittedRows<S>& c, Equations& e) {
    constexpr auto zero = ZeroVariance::excluded;
    for (std::size_t q = 0; q < c.n; q += 2) {
      const S variance = S(1) / c.weight(q);
      if (q + 1 < c.n)
        measure_pair<zero>(e, c.rows[q], variance, c.rows[q + 1],
                           S(1) / c.weight(q + 1));
      else
        measure<zero>(e, c.rows[q], variance);
    }
  }

  /// The beam spot is the last hit of the inward pass.
  void measure_start() {
    // a single track that is traced needs the state at its first hit, too
    if constexpr (!is_helix)
      doubtful_ |= tracks_in_doubt(variances(all_.equations), path_.kappa(),
                                   task_.undoubted);
    const Coordinates<S> start = coordinates_of(start_);
    all_.on_coordinates(start_index, start);
    if constexpr (limits) {
      if (!has_limits()) return;
      hits_.on_coordinates(start_index, start);
      exact_.on_coordinates(start_index, start);
    }
  }

  /// Stores the results of the tracks whose innermost hit was the last one.
  [[gnu::noinline, gnu::flatten]] void finish(TrackBits active) {
    const bool has_field = task_.bz != 0;
    doubtful_ |= active & tracks_in_doubt(variances(all_.equations),
                                          path_.kappa(), task_.undoubted);
    Covariance5<S> c;
    set_covariance(all_.equations, has_field, c);
    const auto put = [&](const S& from, S& to) {
      to = mixed ? select(L::mask(active), from, to) : from;
    };
    for (std::size_t i = 0; i < track_dim; ++i)
      for (std::size_t j = 0; j < track_dim; ++j) {
        put(c[i][j], perigee_[i][j]);
        if constexpr (backward_pass) put(c[i][j], inside_[i][j]);
      }
    if constexpr (limits) {
      if (has_limits()) {
        const auto hits = variances(hits_.equations);
        auto exact = variances(exact_.equations);
        if (task_.points)
          exact = {S(0), S(0), S(0), S(0),
                   has_field ? S(1) / chain_.information : S(0)};
        doubtful_ |=
            active & tracks_in_doubt(hits, path_.kappa(), task_.undoubted);
        TrackBits inexact =
            tracks_in_doubt(exact, path_.kappa(), task_.undoubted);
        if (has_field && !task_.points)
          inexact |= task_.all & ~L::bits(exact_.spread.is_small());
        doubtful_ |= active & inexact & ~no_scattering_limit_;
        put(hits[4], hit_only_);
        put(exact[4], scattering_only_);
      }
    }
    if (asked_for(BatchPlane::without_inner))
      store_some(path_.in_user_axes(c), BatchPlane::without_inner, active);
  }

  void finish_first_hit(TrackBits active,
                        const std::array<Row<S>, track_dim>& rows) {
    FiveEquations<S> e = all_.equations.whole();
    if (task_.bz == 0) e.v[4] = S(0);
    store_some(covariance(e, rows), BatchPlane::first_hit, active);
  }

  static std::array<S, track_dim> variances_of(const Equations& e) {
    std::array<S, track_dim> v;
    for (std::size_t i = 0; i < Parts<S>::count; ++i)
      put_part<S>(e.part[i].v, i, v);
    return v;
  }

  /// Without field p is known.
  std::array<S, track_dim> variances(const Equations& e) const {
    std::array<S, track_dim> v;
    for (std::size_t i = 0; i < Parts<S>::count; ++i)
      put_part<S>(e.part[i].v, i, v);
    if (task_.bz == 0) v[4] = S(0);
    return v;
  }

  /// The user's parameters: kappa -> q/p = -kappa/B.
  S in_user_parameters(const S& element, std::size_t i, std::size_t j) const {
    const S factor(task_.bz == 0 ? no_value : -1 / task_.bz);
    if (i < 4) return element;
    return j < 4 ? element * factor : element * factor * factor;
  }

  bool asked_for(std::size_t plane) const {
    return task_.out[plane] != nullptr;
  }

  void store(const S& x, std::size_t plane) {
    if (asked_for(plane)) write_elements(x, task_.out[plane]);
  }

  void store_material() {
    store(path_.material().all, BatchPlane::x_over_x0);
    store(path_.material().to_last_hit, BatchPlane::x_over_x0_tracker);
  }

  void store_matrix(const Covariance5<S>& c, std::size_t plane) {
    if (!asked_for(plane)) return;
    for (std::size_t i = 0; i < track_dim; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        write_elements(in_user_parameters(c[i][j], i, j), task_.out[plane++]);
  }

  void store_some(const Covariance5<S>& c, std::size_t plane,
                  TrackBits active) {
    if (active == task_.all) return store_matrix(c, plane);
    const auto mask = L::mask(active);
    for (std::size_t i = 0; i < track_dim; ++i)
      for (std::size_t j = 0; j <= i; ++j, ++plane)
        L::store(select(mask, in_user_parameters(c[i][j], i, j),
                        L::load(task_.out[plane])),
                 task_.out[plane]);
  }

  void store_momentum(const Covariance5<S>& perigee) {
    using std::abs, std::sqrt;
    const MomentumVariances<S> variances =
        momentum_variances(perigee[4][4], perigee[4][3], perigee[3][3],
                           path_.kappa(), path_.cot_theta());
    doubtful_ |= task_.all & L::bits(variances.pt_is_lost);
    if (asked_for(BatchPlane::sigma_p) || asked_for(BatchPlane::sigma_pt) ||
        asked_for(BatchPlane::xi)) {
      const S inverse = S(1) / abs(path_.kappa());
      const S p = sqrt(variances.p) * inverse;
      store(p, BatchPlane::sigma_p);
      store(sqrt(variances.pt) * inverse, BatchPlane::sigma_pt);
      store(S(1) / p, BatchPlane::xi);
    }
    if constexpr (limits) {
      if (!has_limits()) return;
      const S k = abs(path_.kappa());
      store(sqrt(hit_only_) / k, BatchPlane::hit_only);
      store(select(L::mask(no_scattering_limit_), S(no_value),
                   sqrt(scattering_only_) / k),
            BatchPlane::ms_only);
    }
  }

  BatchTask& task_;
  Source path_;
  StartHit<S> start_;  ///< the beam spot, if there is one
  LineFit<Errors::all, Equations, Gains> all_;
  // without limits there is only one state
  [[no_unique_address]] OfLimits<Limit<Errors::hits_only>, 0> hits_;
  [[no_unique_address]] OfLimits<Limit<Errors::scattering_only>, 1> exact_;
  [[no_unique_address]] OfLimits<PointChain<S>, 4> chain_{};  ///< in its place
  Covariance5<S> perigee_;
  [[no_unique_address]] OfBackwardPass<Covariance5<S>, 2> inside_;
  /// The information of the hits from the requested layer outwards.
  [[no_unique_address]] OfBackwardPass<
      LineFit<Errors::all, Equations, UnusedGains<Gain>>, 3>
      outside_;
  std::size_t n_apart_ = 0;  ///< crossings
  S hit_only_, scattering_only_;
  TrackBits doubtful_ = 0, no_scattering_limit_ = 0;
};

template <class S, bool limits, bool backward_pass, bool mixed>
[[gnu::noinline, gnu::flatten]] void fit_group(BatchTask& task) {
  using Source = BatchPath<S, backward_pass, mixed>;
  BatchCovariance<S, Source, limits, backward_pass, mixed>(task).run();
}

/// With energy loss, the limits are always computed, and there is one variant
/// for mixed groups and others.
template <class S>
[[gnu::noinline, gnu::flatten]] void fit_slowing_group(BatchTask& task) {
  BatchCovariance<S, BatchLossPath<S>, true, true, true>(task).run();
}

/// One variant for mixed groups, and one for each request for the others.
template <class S>
void fit_covariance(BatchTask& task) {
  const auto [limits, backward_pass] = task.extras;
  if (task.loss != nullptr)
    fit_slowing_group<S>(task);
  else if (task.mixed) [[unlikely]]
    fit_group<S, true, true, true>(task);
  else if (limits)
    backward_pass ? fit_group<S, true, true, false>(task)
                  : fit_group<S, true, false, false>(task);
  else
    backward_pass ? fit_group<S, false, true, false>(task)
                  : fit_group<S, false, false, false>(task);
}

/// What BatchTask::workspace has to hold.
template <class S>
std::size_t batch_workspace(const BatchTask& task) {
  return task.loss != nullptr ? loss_workspace<S>(task)
                              : backward_pass_workspace<S, BatchStep<S>>(task);
}

template <class S>
constexpr CovarianceKernel make_covariance_kernel() {
  return {PackAccess<S>::width, search_batch<S>, fit_covariance<S>,
          batch_workspace<S>};
}

}  // namespace gttf::detail
