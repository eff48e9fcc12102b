// SPDX-License-Identifier: Apache-2.0
// The streaming fit in lanes: one pass from the outermost crossing inwards, and
// one back outwards if shares are asked for.
#pragma once

#include <limits>

#include "gttf/fit/kink_steps.hpp"
#include "gttf/resolution/detail/lane_search.hpp"
#include "gttf/resolution/detail/momentum.hpp"
#include "gttf/resolution/detail/start_plane.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::detail {

/// What the way back needs of a crossing; rows of coordinates stand apart.
template <class S>
struct LaneStep {
  KinkGain<S> gain;
  Kink<S> kink;
  S w;
};

template <class S>
std::size_t lane_workspace(std::size_t n_crossings, std::size_t n_coordinates) {
  return n_crossings * sizeof(LaneStep<S>) + n_coordinates * sizeof(Row<S>);
}

/// Sets the lanes that a step was not for back to what they were. All lanes
/// take every step, so that no lane's result depends on its neighbours.
template <class S, class Numbers>
[[gnu::always_inline]] inline void restore(Numbers& numbers,
                                           const Numbers& before,
                                           LaneBits active) {
  const auto mask = Lane<S>::mask(active);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = select(mask, numbers[i], before[i]);
}

template <class S, LaneExtras extras>
class LaneFitter {
 public:
  explicit LaneFitter(const LaneFit& task)
      : task_(task),
        line_(line_of<S>(*task.tracks, task.bz)),
        inv_sin2_(line_.inv_sin_theta * line_.inv_sin_theta),
        x_over_x0_(L::load(task.tracks->x_over_x0)) {
    if constexpr (way_back) {
      steps_ = reinterpret_cast<LaneStep<S>*>(task.workspace);
      rows_ = reinterpret_cast<Row<S>*>(task.workspace +
                                        task.n_crossings * sizeof(LaneStep<S>));
    }
  }

  LaneBits run() {
    for (std::size_t k = task_.n_crossings; k-- > 0;) {
      const LaneCrossing& c = task_.list[k];
      if ((c.fitted | c.inner) != 0) take(k, c);
    }
    store_matrix(perigee_, LanePlane::perigee);
    if (task_.start_plane)
      store_matrix(at_start_plane(line_, perigee_), LanePlane::start_plane);
    store_momentum();
    if constexpr (way_back) walk_back();
    return doubtful_;
  }

 private:
  using L = Lane<S>;
  using Equations = FiveEquations<S>;
  static constexpr bool limits = extras != LaneExtras::none;
  static constexpr bool budget = extras == LaneExtras::budget;
  static constexpr bool way_back =
      extras == LaneExtras::limits_and_shares || budget;
  static constexpr auto nonzero = ZeroVariance::excluded;
  static constexpr auto zero = ZeroVariance::allowed;
  /// Functions of the line whose errors are traced back: all five, or theta and
  /// kappa, the last two.
  static constexpr std::size_t n_functions = budget ? 5 : 2;
  static constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

  void take(std::size_t k, const LaneCrossing& c) {
    const LaneSurface& s = task_.surfaces[c.surface];
    const Crossing<S> x = cross(line_, s.record);
    const Kink<S> b = kink(line_, x);
    const S w = s.record.x_over_x0 > 0 ? theta0_squared(line_, task_.scattering,
                                                        x.x_over_x0, x_over_x0_)
                                       : S(0);
    const S w_phi = w * inv_sin2_;
    if constexpr (way_back) {
      steps_[k].kink = b;
      steps_[k].w = w;
    }
    if (c.kinked != 0) {
      scatter_state<nonzero, way_back>(all_, c.kinked, b, w, w_phi,
                                       way_back ? &steps_[k].gain : nullptr);
      if constexpr (limits) {
        scatter_state<zero, false>(exact_, c.kinked, b, w, w_phi, nullptr);
        if (s.record.n_axes > 0)
          no_scattering_limit_ |= c.kinked & ~L::bits(w > S(0));
      }
    }
    if (c.fitted != 0) measure_all(s, x, c.fitted);
    if (c.first != 0) finish(s, x, c.first);
    if (c.inner != 0) add_inner(b, w, w_phi, c.inner);
  }

  template <ZeroVariance z, bool keep_gain>
  [[gnu::always_inline]] void scatter_state(Equations& e, LaneBits active,
                                            const Kink<S>& b, const S& w,
                                            const S& w_phi, KinkGain<S>* gain) {
    on_lanes(e, active, [&](Equations& own) {
      scatter<z, keep_gain>(own, b, w, w_phi, gain);
    });
  }

  /// Does `step` with the equations of the active lanes.
  template <class Step>
  [[gnu::always_inline]] void on_lanes(Equations& e, LaneBits active,
                                       const Step& step) {
    Equations own = e;
    step(own);
    if (active != task_.all) [[unlikely]] {
      restore<S>(own.v, e.v, active);
      restore<S>(own.r, e.r, active);
    }
    e = own;
  }

  void measure_all(const LaneSurface& s, const Crossing<S>& x,
                   LaneBits active) {
    const unsigned n = s.record.n_axes;
    const auto row = [&](unsigned q) {
      return coordinate_row(line_, s.record, x, s.axes[q].cosine,
                            s.axes[q].sine);
    };
    Row<S> a, b;
    for (unsigned q = 0; q < n; q += 2) {
      a = row(q);
      const S va(s.axes[q].variance);
      if constexpr (way_back) rows_[n_rows_++] = a;
      if (q + 1 < n) {
        b = row(q + 1);
        const S vb(s.axes[q + 1].variance);
        if constexpr (way_back) rows_[n_rows_++] = b;
        on_lanes(all_, active,
                 [&](Equations& e) { measure_pair<nonzero>(e, a, va, b, vb); });
        if constexpr (limits)
          on_lanes(hits_, active, [&](Equations& e) {
            measure_pair<nonzero>(e, a, va, b, vb);
          });
      } else {
        on_lanes(all_, active,
                 [&](Equations& e) { measure<nonzero>(e, a, va); });
        if constexpr (limits)
          on_lanes(hits_, active,
                   [&](Equations& e) { measure<nonzero>(e, a, va); });
      }
    }
    if constexpr (limits) {
      if (n == 0) return;
      if (n > 2) a = row(0);
      if (s.independent_axis > 0) {
        if (n > 2) b = row(s.independent_axis);
        on_lanes(exact_, active, [&](Equations& e) {
          measure_pair<zero>(e, a, S(0), b, S(0));
        });
      } else {
        on_lanes(exact_, active,
                 [&](Equations& e) { measure<zero>(e, a, S(0)); });
      }
    }
  }

  /// Takes the results of the lanes whose innermost hit this is.
  void finish(const LaneSurface& s, const Crossing<S>& x, LaneBits active) {
    Equations e = all_;
    if (task_.bz == 0) e.v[4] = S(0);
    doubtful_ |= active & doubtful(e);
    const Covariance5<S> c = covariance(e);
    const auto mask = L::mask(active);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j)
        perigee_[i][j] = select(mask, c[i][j], perigee_[i][j]);
    if constexpr (way_back)
      for (std::size_t q = 0; q < n_functions; ++q)
        for (std::size_t j = 0; j < 5; ++j)
          inside_[q][j] =
              select(mask, c[q + 5 - n_functions][j], inside_[q][j]);
    if constexpr (limits) {
      if (task_.bz == 0) hits_.v[4] = exact_.v[4] = S(0);
      doubtful_ |= active & doubtful(hits_);
      doubtful_ |= active & doubtful(exact_) & ~no_scattering_limit_;
      hit_only_ = select(mask, hits_.v[4], hit_only_);
      scattering_only_ = select(mask, exact_.v[4], scattering_only_);
    }
    store_some(c, LanePlane::without_inner, active);
    store_some(covariance(e, surface_jacobian(line_, s.record, x)),
               LanePlane::first_hit, active);
  }

  /// Lanes in which a variance is so large that the parameter may be free.
  LaneBits doubtful(const Equations& e) const {
    const S k2 = line_.kappa * line_.kappa;
    const auto fine =
        both(both(e.v[0] <= S(1e6), e.v[1] <= S(1e6)),
             both(both(e.v[2] <= S(1), e.v[3] <= S(1)), e.v[4] <= S(1e6) * k2));
    return task_.all & ~L::bits(fine);
  }

  void add_inner(const Kink<S>& b, const S& w, const S& w_phi,
                 LaneBits active) {
    Covariance5<S> own = perigee_;
    add_kink_variance(b, w, w_phi, own);
    if (active != task_.all) [[unlikely]]
      for (std::size_t i = 0; i < 5; ++i)
        restore<S>(own[i], perigee_[i], active);
    perigee_ = own;
  }

  /// The user's parameters: kappa -> q/p = -kappa/B.
  S in_user_parameters(const S& element, std::size_t i, std::size_t j) const {
    const S factor(task_.bz == 0 ? no_value : -1 / task_.bz);
    if (i < 4) return element;
    return j < 4 ? element * factor : element * factor * factor;
  }

  void store_matrix(const Covariance5<S>& c, std::size_t plane) {
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        L::store(in_user_parameters(c[i][j], i, j), task_.out[plane++]);
  }

  void store_some(const Covariance5<S>& c, std::size_t plane, LaneBits active) {
    if (active == task_.all) return store_matrix(c, plane);
    const auto mask = L::mask(active);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j <= i; ++j, ++plane)
        L::store(select(mask, in_user_parameters(c[i][j], i, j),
                        L::load(task_.out[plane])),
                 task_.out[plane]);
  }

  void store_momentum() {
    using std::abs, std::sqrt;
    const S qop = -line_.kappa / S(task_.bz);
    const MomentumErrors<S> errors =
        momentum_errors(in_user_parameters(perigee_[4][4], 4, 4),
                        in_user_parameters(perigee_[4][3], 4, 3),
                        perigee_[3][3], qop, line_.cot_theta);
    L::store(errors.p, task_.out[LanePlane::sigma_p]);
    L::store(errors.pt, task_.out[LanePlane::sigma_pt]);
    L::store(S(1) / errors.p, task_.out[LanePlane::xi]);
    if constexpr (limits) {
      const S k = abs(line_.kappa);
      L::store(sqrt(hit_only_) / k, task_.out[LanePlane::hit_only]);
      L::store(select(L::mask(no_scattering_limit_), S(no_value),
                      sqrt(scattering_only_) / k),
               task_.out[LanePlane::ms_only]);
    }
  }

  void walk_back() {
    const std::array<Row<S>, n_functions> start = inside_;
    std::array<S, n_functions> hit_sum;
    hit_sum.fill(S(0));
    for (std::size_t k = 0; k < task_.n_crossings; ++k) {
      const LaneCrossing& c = task_.list[k];
      LaneValues* const parts =
          budget ? task_.budget + k * budget_planes : nullptr;
      if constexpr (budget)
        for (std::size_t i = 0; i < budget_planes; ++i)
          L::store(S(0), parts[i]);
      if (c.inner != 0) store_inner(steps_[k], c.inner, parts);
      if (c.fitted != 0) take_hits(c, hit_sum, parts);
      if (c.kinked != 0) take_kinks(steps_[k], c.kinked, parts);
    }
    store_share(hit_sum[n_functions - 1], start[n_functions - 1][4],
                LanePlane::mu_phi);
    store_share(hit_sum[n_functions - 2], start[n_functions - 2][3],
                LanePlane::mu_theta);
  }

  void store_share(const S& part, const S& whole, std::size_t plane) {
    using std::sqrt;
    L::store(sqrt(part / whole), task_.out[plane]);
  }

  /// Hits of a crossing, whose rows were kept last of those still there.
  void take_hits(const LaneCrossing& c, std::array<S, n_functions>& hit_sum,
                 LaneValues* parts) {
    const LaneSurface& s = task_.surfaces[c.surface];
    n_rows_ -= s.record.n_axes;
    for (unsigned q = 0; q < s.record.n_axes; ++q) {
      const S weight(1 / s.axes[q].variance);
      const std::array<S, n_functions> gain =
          covariance_with(inside_, rows_[n_rows_ + q]);
      std::array<S, n_functions> sum = hit_sum;
      for (std::size_t i = 0; i < n_functions; ++i)
        sum[i] = sum[i] + gain[i] * gain[i] * weight;
      if (c.fitted != task_.all) [[unlikely]]
        restore<S>(sum, hit_sum, c.fitted);
      hit_sum = sum;
      if constexpr (budget)
        add_parts(gain, weight, c.fitted, parts + n_parameters);
    }
  }

  void take_kinks(const LaneStep<S>& step, LaneBits active, LaneValues* parts) {
    std::array<Row<S>, n_functions> own = inside_;
    const KinkCovariance<S, n_functions> with =
        pass_outwards(step.kink, step.gain, own);
    if (active != task_.all) [[unlikely]]
      for (std::size_t i = 0; i < n_functions; ++i)
        restore<S>(own[i], inside_[i], active);
    inside_ = own;
    if constexpr (budget) {
      const LaneBits scattering = active & L::bits(step.w > S(0));
      const S weight = S(1) / step.w;
      add_parts(with.theta, weight, scattering, parts);
      add_parts(with.phi, weight * line_.sin_theta * line_.sin_theta,
                scattering, parts);
    }
  }

  void store_inner(const LaneStep<S>& step, LaneBits active,
                   LaneValues* parts) {
    if constexpr (budget) {
      const Kink<S>& b = step.kink;
      add_parts({b.theta[0], b.theta[1], b.theta[2], S(1), S(0)}, step.w,
                active, parts);
      add_parts({b.phi[0], b.phi[1], b.phi[2], S(0), S(0)}, step.w * inv_sin2_,
                active, parts);
    }
  }

  /// Adds change^2 * weight of every Parameter, the change of the line's being
  /// given.
  void add_parts(const std::array<S, n_functions>& change, const S& weight,
                 LaneBits active, LaneValues* parts) {
    const S p = -change[4] / line_.kappa;
    const auto [x, y, tx, ty] = at_start_plane(line_, change);
    const S changes[n_parameters] = {p,         p + line_.cot_theta * change[3],
                                     change[0], change[1],
                                     change[2], change[3],
                                     x,         y,
                                     tx,        ty};
    const auto mask = L::mask(active);
    for (std::size_t i = 0; i < n_parameters; ++i) {
      const S before = L::load(parts[i]);
      L::store(select(mask, before + changes[i] * changes[i] * weight, before),
               parts[i]);
    }
  }

  const LaneFit& task_;
  const Line<S> line_;
  const S inv_sin2_, x_over_x0_;
  Equations all_, hits_, exact_;
  Covariance5<S> perigee_{};
  std::array<Row<S>, n_functions> inside_{};
  S hit_only_{}, scattering_only_{};
  LaneBits doubtful_ = 0, no_scattering_limit_ = 0;
  LaneStep<S>* steps_ = nullptr;
  Row<S>* rows_ = nullptr;
  std::size_t n_rows_ = 0;
};

template <class S, LaneExtras extras>
LaneBits fit_lanes(const LaneFit& task) {
  return LaneFitter<S, extras>(task).run();
}

template <class S>
constexpr LaneKernel make_lane_kernel() {
  return {Lane<S>::width,
          search_lanes<S>,
          {fit_lanes<S, LaneExtras::none>, fit_lanes<S, LaneExtras::limits>,
           fit_lanes<S, LaneExtras::limits_and_shares>,
           fit_lanes<S, LaneExtras::budget>},
          lane_workspace<S>};
}

}  // namespace gttf::detail
