// SPDX-License-Identifier: Apache-2.0
// The streaming fit in lanes: one pass from the outermost crossing inwards, and
// one back outwards if shares are asked for.
#pragma once

#include <limits>

#include "gttf/fit/streaming/kink_steps.hpp"
#include "gttf/resolution/lane_list_check.hpp"
#include "gttf/resolution/lane_way_back.hpp"
#include "gttf/resolution/momentum.hpp"

namespace gttf::detail {

/// @tparam mixed  as LaneFit::mixed: most groups are not, and need no masks
template <class S, bool limits, bool way_back, bool mixed>
class LaneFitter {
 public:
  explicit LaneFitter(LaneFit& task)
      : task_(task),
        line_(line_of<S>(*task.tracks, task.bz)),
        scattering_(scattering_of_lanes(task, line_)),
        check_(task, line_),
        back_(task, line_) {}

  void run() {
    if (task_.guessed && !check_.misses_others()) return;
    const std::size_t n = task_.n_crossings;
    prepare(n - 1);
    if (n > 1) prepare(n - 2);
    for (std::size_t k = n; k-- > 0;) take(k);
    if (task_.guessed && !check_.confirm()) return;
    store(sum_, LanePlane::x_over_x0);
    store_matrix(perigee_, LanePlane::perigee);
    if (asked_for(LanePlane::start_plane))
      store_matrix(StartPlane<S>(line_).covariance(perigee_),
                   LanePlane::start_plane);
    store_momentum();
    if constexpr (way_back) back_.run(inside_);
    task_.doubtful = doubtful_;
  }

 private:
  using L = Lane<S>;
  using Equations = LaneEquations<S>;
  static constexpr auto nonzero = ZeroVariance::excluded;
  static constexpr auto zero = ZeroVariance::allowed;
  template <int>
  struct Nothing {
    template <class... Arguments>
    explicit Nothing(const Arguments&...) {}
  };
  template <class T, int i>
  using OfLimits = std::conditional_t<limits, T, Nothing<i>>;
  template <class T, int i>
  using OfWayBack = std::conditional_t<way_back, T, Nothing<i>>;
  static constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

  LaneKink<S>& kink(std::size_t k) {
    if constexpr (way_back)
      return back_.step(k).kink;
    else
      return kinks_[k % 4];
  }

  /// Where a row is written: on the way back it is read again.
  Row<S>& new_row([[maybe_unused]] std::size_t i) {
    if constexpr (way_back)
      return back_.next_row();
    else
      return rows_of_hit_[i];
  }

  /// Where the track crosses and how it is scattered there.
  void prepare(std::size_t k) {
    const LaneCrossing& c = task_.list[k];
    const LaneSurface& s = task_.surfaces[c.surface];
    Crossing<S>& x = x_[k % 4];
    LaneKink<S>& kink = this->kink(k);
    LaneListCheck<S>* const check = task_.guessed ? &check_ : nullptr;
    const LaneBits scattering = c.kinked | c.inner;
    if (s.record.measures())
      cross_in_lanes<true>(line_, s, scattering_, check, k, scattering != 0, x,
                           kink);
    else
      cross_in_lanes<false>(line_, s, scattering_, check, k, scattering != 0, x,
                            kink);
    if (asked_for(LanePlane::x_over_x0))
      sum_ = sum_ + in_lanes(c.crossed, x.x_over_x0, 0);
    if constexpr (mixed) {
      const LaneBits needed = scattering | c.fitted;
      for (std::size_t i = 0; i < 3; ++i) {
        kink.b.theta[i] = in_lanes(needed, kink.b.theta[i], 0);
        kink.b.phi[i] = in_lanes(needed, kink.b.phi[i], 0);
      }
      kink.w = in_lanes(scattering, kink.w, 0);
      kink.w_phi = in_lanes(scattering, kink.w_phi, 0);
    }
  }

  /// The crossing after the next one is prepared in the middle: the processor
  /// does so while it waits for the divisions of the steps.
  void take(std::size_t k) {
    const LaneCrossing& c = task_.list[k];
    const LaneSurface& s = task_.surfaces[c.surface];
    const Crossing<S>& x = x_[k % 4];
    const LaneKink<S>& kink = this->kink(k);
    if (c.kinked != 0) scatter_all(s, kink, c, k);
    if (k > 1) prepare(k - 2);
    if (c.fitted != 0) measure_all(s, x, kink.b, c.fitted);
    if constexpr (limits)
      if (task_.points && s.record.measures()) add_point(c, x, kink);
    if (c.first != 0) finish(s, x, c.first);
    if (c.inner != 0)
      add_kink_in_lanes(kink.b, in_lanes(c.inner, kink.w, 0),
                        in_lanes(c.inner, kink.w_phi, 0), perigee_);
  }

  /// In lanes that a step is not for there stands what makes it change nothing,
  /// not by a bit: no row and no kink of variance 0. Other numbers of that lane
  /// may be NaN.
  [[gnu::always_inline]] static S in_lanes([[maybe_unused]] LaneBits lanes,
                                           const S& x,
                                           [[maybe_unused]] double otherwise) {
    if constexpr (mixed) return select(L::mask(lanes), x, S(otherwise));
    return x;
  }

  void scatter_all(const LaneSurface& s, const LaneKink<S>& kink,
                   const LaneCrossing& c, std::size_t k) {
    if constexpr (mixed)
      scatter_states(kink.b, in_lanes(c.kinked, kink.w, 0),
                     in_lanes(c.kinked, kink.w_phi, 0), k);
    else
      scatter_states(kink.b, kink.w, kink.w_phi, k);
    if constexpr (limits)
      if (s.record.n_axes > 0)
        no_scattering_limit_ |= c.kinked & ~L::bits(kink.w > S(0));
  }

  void scatter_states(const Kink<S>& b, const S& w, const S& w_phi,
                      [[maybe_unused]] std::size_t k) {
    KinkGain<S>* gain = nullptr;
    if constexpr (way_back) gain = &back_.step(k).gain;
    scatter_in_lanes<nonzero, way_back>(all_, b, w, w_phi, gain);
    if constexpr (limits)
      if (!task_.points)
        scatter_in_lanes<zero, false>(exact_, b, w, w_phi,
                                      static_cast<KinkGain<S>*>(nullptr));
  }

  void measure_all(const LaneSurface& s, const Crossing<S>& x,
                   const Kink<S>& bent, LaneBits active) {
    const unsigned n = s.record.n_axes;
    const auto mask = [&](Row<S>& row) {
      if constexpr (mixed)
        for (S& element : row) element = in_lanes(active, element, 0);
    };
    const auto make_row = [&](unsigned q, Row<S>& row) {
      row_in_lanes(line_, s.record, x, bent, s.axes[q], row);
      mask(row);
    };
    // where the row is 0, any power of two
    const auto variance = [&](unsigned q) {
      return in_lanes(active, S(s.axes[q].variance), 1);
    };
    Row<S>*a = nullptr, *b = nullptr;
    for (unsigned q = 0; q < n; q += 2) {
      const S va = variance(q);
      a = &new_row(0);
      if (q + 1 < n) {
        b = &new_row(1);
        row_in_lanes(line_, s.record, x, bent, s.axes[q], *a, s.axes[q + 1],
                     *b);
        mask(*a);
        mask(*b);
        const S vb = variance(q + 1);
        measure_in_lanes<nonzero>(all_, *a, va, *b, vb);
        if constexpr (limits) measure_in_lanes<nonzero>(hits_, *a, va, *b, vb);
      } else {
        make_row(q, *a);
        measure_in_lanes<nonzero>(all_, *a, va);
        if constexpr (limits) measure_in_lanes<nonzero>(hits_, *a, va);
      }
    }
    if constexpr (limits) {
      if (n == 0 || task_.points) return;
      const S none = in_lanes(active, S(0), 1);
      if (n > 2) make_row(0, *(a = &rows_of_hit_[0]));
      if (s.independent_axis > 0) {
        if (n > 2) make_row(s.independent_axis, *(b = &rows_of_hit_[1]));
        measure_in_lanes<zero>(exact_, *a, none, *b, none);
      } else {
        measure_in_lanes<zero>(exact_, *a, none);
      }
    }
  }

  void add_point(const LaneCrossing& c, const Crossing<S>& x,
                 const LaneKink<S>& kink) {
    const LaneBits starting = c.fitted & ~c.kinked & ~c.first;
    const auto start = [&](PointChain<S>& chain) {
      start_in_lanes(line_, x, kink, chain);
    };
    const auto add = [&](PointChain<S>& chain) {
      add_point_in_lanes(line_, x, kink, chain);
    };
    if constexpr (mixed) {
      const auto in = [&](LaneBits lanes, const auto& step) {
        PointChain<S> next = chain_;
        step(next);
        chain_.merge(next, [mask = L::mask(lanes)](const S& old, const S& now) {
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

  /// Takes the results of the lanes whose innermost hit this is.
  void finish(const LaneSurface& s, const Crossing<S>& x, LaneBits active) {
    const bool has_field = task_.bz != 0;
    doubtful_ |= active & lanes_in_doubt(variances(all_), line_.kappa);
    Covariance5<S> c;
    covariance_in_lanes(all_, has_field, c);
    const auto put = [&](const S& from, S& to) {
      to = mixed ? select(L::mask(active), from, to) : from;
    };
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        put(c[i][j], perigee_[i][j]);
        if constexpr (way_back) put(c[i][j], inside_[i][j]);
      }
    if constexpr (limits) {
      const auto hits = variances(hits_);
      auto exact = variances(exact_);
      if (task_.points)
        exact = {S(0), S(0), S(0), S(0),
                 has_field ? S(1) / chain_.information : S(0)};
      doubtful_ |= active & lanes_in_doubt(hits, line_.kappa);
      doubtful_ |=
          active & lanes_in_doubt(exact, line_.kappa) & ~no_scattering_limit_;
      put(hits[4], hit_only_);
      put(exact[4], scattering_only_);
    }
    if (asked_for(LanePlane::without_inner))
      store_some(c, LanePlane::without_inner, active);
    if (asked_for(LanePlane::first_hit)) {
      FiveEquations<S> e = all_.whole();
      if (!has_field) e.v[4] = S(0);
      store_some(covariance(e, surface_jacobian(line_, s.record, x)),
                 LanePlane::first_hit, active);
    }
  }

  /// Without field p is known.
  std::array<S, 5> variances(const Equations& e) const {
    std::array<S, 5> v;
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
    if (asked_for(plane)) write_lanes(x, task_.out[plane]);
  }

  void store_matrix(const Covariance5<S>& c, std::size_t plane) {
    if (!asked_for(plane)) return;
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        write_lanes(in_user_parameters(c[i][j], i, j), task_.out[plane++]);
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
    if (asked_for(LanePlane::sigma_p) || asked_for(LanePlane::sigma_pt) ||
        asked_for(LanePlane::xi)) {
      const S qop = -line_.kappa / S(task_.bz);
      const MomentumErrors<S> errors =
          momentum_errors(in_user_parameters(perigee_[4][4], 4, 4),
                          in_user_parameters(perigee_[4][3], 4, 3),
                          perigee_[3][3], qop, line_.cot_theta);
      store(errors.p, LanePlane::sigma_p);
      store(errors.pt, LanePlane::sigma_pt);
      store(S(1) / errors.p, LanePlane::xi);
    }
    if constexpr (limits) {
      const S k = abs(line_.kappa);
      store(sqrt(hit_only_) / k, LanePlane::hit_only);
      store(select(L::mask(no_scattering_limit_), S(no_value),
                   sqrt(scattering_only_) / k),
            LanePlane::ms_only);
    }
  }

  LaneFit& task_;
  const Line<S> line_;
  const LaneScattering<S> scattering_;
  LaneListCheck<S> check_;
  Crossing<S> x_[4];  ///< of crossing k at k % 4
  LaneKink<S> kinks_[4];
  Row<S> rows_of_hit_[2];
  // without limits there is one state only
  Equations all_;
  [[no_unique_address]] OfLimits<Equations, 0> hits_;
  [[no_unique_address]] OfLimits<Equations, 1> exact_;
  [[no_unique_address]] OfLimits<PointChain<S>, 4> chain_{};  ///< in its place
  Covariance5<S> perigee_;
  [[no_unique_address]] OfWayBack<Covariance5<S>, 2> inside_;
  [[no_unique_address]] OfWayBack<LaneWayBack<S>, 3> back_;
  S hit_only_, scattering_only_;
  S sum_{0};  ///< of x/X0
  LaneBits doubtful_ = 0, no_scattering_limit_ = 0;
};

template <class S, bool limits, bool way_back>
[[gnu::flatten]] void fit_lanes(LaneFit& task) {
  if (task.mixed) [[unlikely]]
    LaneFitter<S, limits, way_back, true>(task).run();
  else
    LaneFitter<S, limits, way_back, false>(task).run();
}

template <class S>
constexpr CovarianceKernel make_covariance_kernel() {
  return {Lane<S>::width,
          search_lanes<S>,
          {{fit_lanes<S, false, false>, fit_lanes<S, false, true>},
           {fit_lanes<S, true, false>, fit_lanes<S, true, true>}},
          lane_workspace<S>};
}

}  // namespace gttf::detail
