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

// The operations on the equations stay functions of their own: in one piece
// with the rest the compiler would keep 15 packs of a state in registers that
// it does not have, and copy them to and fro.

/// Adds one coordinate; two coordinates. One after the other: the second
/// follows one row behind the first, while a rotation of both at once would
/// wait for the division of each row.
template <ZeroVariance z, class S>
[[gnu::noinline]] void measure_in_lanes(FiveEquations<S>& e, const Row<S>& a,
                                        const S& va) {
  measure<z>(e, a, va);
}
template <ZeroVariance z, class S>
[[gnu::noinline]] void measure_in_lanes(FiveEquations<S>& e, const Row<S>& a,
                                        const S& va, const Row<S>& b,
                                        const S& vb) {
  measure<z>(e, a, va);
  measure<z>(e, b, vb);
}

template <ZeroVariance z, bool keep_gain, class S>
[[gnu::noinline]] void scatter_in_lanes(FiveEquations<S>& e, const Kink<S>& b,
                                        const S& w, const S& w_phi,
                                        KinkGain<S>* gain) {
  scatter<z, keep_gain>(e, b, w, w_phi, gain);
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
  using Parts = std::array<S, n_parameters>;
  static constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

  void take(std::size_t k, const LaneCrossing& c) {
    const LaneSurface& s = task_.surfaces[c.surface];
    const Crossing<S> x = cross(line_, s.record);
    Kink<S> b = kink(line_, x);
    S w = s.record.x_over_x0 > 0
              ? theta0_squared(line_, task_.scattering, x.x_over_x0, x_over_x0_)
              : S(0);
    if (task_.mixed) [[unlikely]] {
      for (std::size_t i = 0; i < 3; ++i) {
        b.theta[i] = in_lanes(c.kinked | c.inner, b.theta[i], 0);
        b.phi[i] = in_lanes(c.kinked | c.inner, b.phi[i], 0);
      }
      w = in_lanes(c.kinked | c.inner, w, 0);
    }
    if constexpr (way_back) {
      steps_[k].kink = b;
      steps_[k].w = w;
    }
    if (c.kinked != 0) scatter_all(s, b, in_lanes(c.kinked, w, 0), c, k);
    if (c.fitted != 0) measure_all(s, x, c.fitted);
    if (c.first != 0) finish(s, x, c.first);
    if (c.inner != 0) {
      const S inner = in_lanes(c.inner, w, 0);
      add_kink_variance(b, inner, inner * inv_sin2_, perigee_);
    }
  }

  /// In lanes that a step is not for there stands what makes it change nothing,
  /// not by a bit: no row and no kink of variance 0. Other numbers of that lane
  /// may be NaN.
  [[gnu::always_inline]] S in_lanes(LaneBits lanes, const S& x,
                                    double otherwise) const {
    return task_.mixed ? select(L::mask(lanes), x, S(otherwise)) : x;
  }

  void scatter_all(const LaneSurface& s, const Kink<S>& b, const S& w,
                   const LaneCrossing& c, std::size_t k) {
    const S w_phi = w * inv_sin2_;
    scatter_in_lanes<nonzero, way_back>(all_, b, w, w_phi,
                                        way_back ? &steps_[k].gain : nullptr);
    if constexpr (limits) {
      scatter_in_lanes<zero, false>(exact_, b, w, w_phi,
                                    static_cast<KinkGain<S>*>(nullptr));
      if (s.record.n_axes > 0)
        no_scattering_limit_ |= c.kinked & ~L::bits(w > S(0));
    }
  }

  void measure_all(const LaneSurface& s, const Crossing<S>& x,
                   LaneBits active) {
    const unsigned n = s.record.n_axes;
    const auto row = [&](unsigned q) {
      Row<S> r =
          coordinate_row(line_, s.record, x, s.axes[q].cosine, s.axes[q].sine);
      if (task_.mixed) [[unlikely]]
        for (S& element : r) element = in_lanes(active, element, 0);
      return r;
    };
    // where the row is 0, any power of two
    const auto variance = [&](unsigned q) {
      return in_lanes(active, S(s.axes[q].variance), 1);
    };
    Row<S> a, b;
    for (unsigned q = 0; q < n; q += 2) {
      a = row(q);
      const S va = variance(q);
      if constexpr (way_back) rows_[n_rows_++] = a;
      if (q + 1 < n) {
        b = row(q + 1);
        const S vb = variance(q + 1);
        if constexpr (way_back) rows_[n_rows_++] = b;
        measure_in_lanes<nonzero>(all_, a, va, b, vb);
        if constexpr (limits) measure_in_lanes<nonzero>(hits_, a, va, b, vb);
      } else {
        measure_in_lanes<nonzero>(all_, a, va);
        if constexpr (limits) measure_in_lanes<nonzero>(hits_, a, va);
      }
    }
    if constexpr (limits) {
      if (n == 0) return;
      const S none = in_lanes(active, S(0), 1);
      if (n > 2) a = row(0);
      if (s.independent_axis > 0) {
        if (n > 2) b = row(s.independent_axis);
        measure_in_lanes<zero>(exact_, a, none, b, none);
      } else {
        measure_in_lanes<zero>(exact_, a, none);
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
      Parts scattering{}, hits{};
      if (c.inner != 0) add_inner(steps_[k], c.inner, scattering);
      if (c.fitted != 0) take_hits(c, hit_sum, hits);
      if (c.kinked != 0) take_kinks(steps_[k], scattering);
      if constexpr (budget)
        for (std::size_t i = 0; i < n_parameters; ++i) {
          LaneValues* const parts = task_.budget + k * budget_planes;
          L::store(scattering[i], parts[i]);
          L::store(hits[i], parts[n_parameters + i]);
        }
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
                 Parts& parts) {
    const LaneSurface& s = task_.surfaces[c.surface];
    n_rows_ -= s.record.n_axes;
    for (unsigned q = 0; q < s.record.n_axes; ++q) {
      const S weight(1 / s.axes[q].variance);
      const std::array<S, n_functions> gain =
          covariance_with(inside_, rows_[n_rows_ + q]);
      for (std::size_t i = 0; i < n_functions; ++i)
        hit_sum[i] = hit_sum[i] + gain[i] * gain[i] * weight;
      if constexpr (budget) add_parts(gain, weight, parts);
    }
  }

  void take_kinks(const LaneStep<S>& step, Parts& parts) {
    const KinkCovariance<S, n_functions> with =
        pass_outwards(step.kink, step.gain, inside_);
    if constexpr (budget) {
      const S weight = select(step.w > S(0), S(1) / step.w, S(0));
      add_parts(with.theta, weight, parts);
      add_parts(with.phi, weight * line_.sin_theta * line_.sin_theta, parts);
    }
  }

  void add_inner(const LaneStep<S>& step, LaneBits active, Parts& parts) {
    if constexpr (budget) {
      const Kink<S>& b = step.kink;
      const S w = in_lanes(active, step.w, 0);
      add_parts({b.theta[0], b.theta[1], b.theta[2], S(1), S(0)}, w, parts);
      add_parts({b.phi[0], b.phi[1], b.phi[2], S(0), S(0)}, w * inv_sin2_,
                parts);
    }
  }

  /// Adds change^2 * weight of every Parameter, the change of the line's being
  /// given.
  void add_parts(const std::array<S, n_functions>& change, const S& weight,
                 Parts& parts) {
    const S p = -change[4] / line_.kappa;
    const auto [x, y, tx, ty] = at_start_plane(line_, change);
    const S changes[n_parameters] = {p,         p + line_.cot_theta * change[3],
                                     change[0], change[1],
                                     change[2], change[3],
                                     x,         y,
                                     tx,        ty};
    for (std::size_t i = 0; i < n_parameters; ++i)
      parts[i] = parts[i] + changes[i] * changes[i] * weight;
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
[[gnu::flatten]] LaneBits fit_lanes(const LaneFit& task) {
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
