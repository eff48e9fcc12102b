// SPDX-License-Identifier: Apache-2.0
// Local fits of triplets of helices: finds the three hits of each, and the
// scattering layers between them.
#pragma once

#include <limits>

#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/batch_search.hpp"
#include "gttf/resolution/batch_triplets.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::detail {

template <class S>
class BatchTripletFit {
 public:
  explicit BatchTripletFit(BatchTriplets& task)
      : task_(task),
        line_(line_of<S>(*task.tracks, task.bz)),
        crossed_(reinterpret_cast<CrossedHit*>(task.workspace)) {}

  void run() {
    for (std::size_t i = 0; i < task_.n_candidates; ++i)
      cross_surface(task_.candidates[i]);
    total_ = sum_to_last();
    LocalTriplet<S> local = helix_triplet(hit_);
    local.variance = scattering();
    store(local, fit_locally(local, line_.kappa));
  }

 private:
  using L = PackAccess<S>;

  /// Sort key of a crossing; at equal path, surfaces are crossed in the order
  /// of the detector.
  struct Order {
    S arc, index;
  };
  struct CrossedHit {
    Order order;
    Cartesian<S> at;
    S x_over_x0;
    MaskOf<S> mask;
  };

  static void take(const MaskOf<S>& mask, const S& from, S& to) {
    to = select(mask, from, to);
  }
  static void take(const MaskOf<S>& mask, const S (&from)[3], S (&to)[3]) {
    for (int i = 0; i < 3; ++i) take(mask, from[i], to[i]);
  }

  void cross_surface(std::size_t i) {
    const SurfaceRecord& s = task_.surfaces[i].record;
    Crossing<S> x;
    x.forward = x.sideward = x.arc = x.x_over_x0 = S(0);
    const Reached<S> reached = find_crossing(line_, s, x);
    if (!any(reached.crossed)) return;
    CrossedHit& c = crossed_[n_crossed_];
    c.order = {x.arc, S(static_cast<double>(i))};
    c.at = position_at(line_, x);
    c.x_over_x0 = x.x_over_x0;
    c.mask = reached.crossed;
    if (s.measures()) {
      const auto behind = both(c.mask, before(last_, c.order));
      take(behind, c.order.arc, last_.arc);
      take(behind, c.order.index, last_.index);
    }
    if (s.x_over_x0 > 0) ++n_crossed_;
    for (std::size_t k = 0; k < 3; ++k)
      if (const TrackBits elements = task_.hits[i][k]; elements != 0)
        take_hit(both(L::mask(elements), reached.crossed), c, s,
                 task_.errors[i], k);
  }

  void take_hit(const MaskOf<S>& mask, const CrossedHit& c,
                const SurfaceRecord& s, const HitCovariance<double>& errors,
                std::size_t k) {
    LocalHit<S>& hit = hit_[k];
    take(mask, c.order.arc, order_[k].arc);
    take(mask, c.order.index, order_[k].index);
    take(mask, c.at.x, hit.at.x);
    take(mask, c.at.y, hit.at.y);
    take(mask, c.at.z, hit.at.z);
    const AxisComponents<S> axes = axis_components(s, c.at.x, c.at.y);
    take(mask, axes.u, hit.axes.u);
    take(mask, axes.v, hit.axes.v);
    take(mask, S(errors.uu), hit.errors.uu);
    take(mask, S(errors.uv), hit.errors.uv);
    take(mask, S(errors.vv), hit.errors.vv);
  }

  static MaskOf<S> before(const Order& a, const Order& b) {
    return either(a.arc < b.arc, both(a.arc <= b.arc, a.index < b.index));
  }

  /// x/X0 up to the last measuring layer, see TrackMaterial.
  S sum_to_last() const {
    S sum(0);
    for (std::size_t i = 0; i < n_crossed_; ++i) {
      const CrossedHit& c = crossed_[i];
      const auto counts = both(c.mask, !before(last_, c.order));
      sum = sum + select(counts, c.x_over_x0, S(0));
    }
    return sum;
  }

  /// Variance of the scattering angle in a plane, from the middle layer and,
  /// with their lever arms, from layers between the hits.
  S scattering() const {
    const Cartesian<S>&first = hit_[0].at, &middle = hit_[1].at,
          &last = hit_[2].at;
    const S inverse_first = S(1) / distance2(middle, first);
    const S inverse_last = S(1) / distance2(middle, last);
    S sum(0);
    for (std::size_t i = 0; i < n_crossed_; ++i) {
      const CrossedHit& c = crossed_[i];
      const auto between = both(
          c.mask, both(before(order_[0], c.order), before(c.order, order_[2])));
      if (!any(between)) continue;
      const S lever2 = select(before(order_[1], c.order),
                              distance2(c.at, last) * inverse_last,
                              distance2(c.at, first) * inverse_first);
      const S variance =
          theta0_squared(line_, task_.scattering, c.x_over_x0, total_);
      sum = sum + select(between, lever2 * variance, S(0));
    }
    return sum;
  }

  void store(const LocalTriplet<S>& t, const LocalResult<S>& r) {
    // where surfaces overlap, another momentum may cross them in another order
    const auto in_order =
        both(before(order_[0], order_[1]), before(order_[1], order_[2]));
    L::store(select(in_order, r.xi, none()), task_.xi);
    if (task_.out == nullptr) return;
    put(t.hits.phi, TripletPlane::gamma_phi);
    put(t.hits.theta, TripletPlane::gamma_theta);
    put(t.hits.theta_phi, TripletPlane::gamma_phi_theta);
    put(r.sigma_ms, TripletPlane::sigma_ms);
    put(r.b_ms, TripletPlane::b_ms);
    put(t.arms[0], TripletPlane::first_arm);
    put(t.arms[1], TripletPlane::second_arm);
    put(r.mu_phi, TripletPlane::mu_phi);
    put(r.mu_theta, TripletPlane::mu_theta);
    put(r.xi_ms, TripletPlane::xi_ms);
    put(r.xi_ms_limit, TripletPlane::xi_ms_limit);
  }
  void put(const S& x, TripletPlane plane) {
    L::store(x, task_.out[static_cast<std::size_t>(plane)]);
  }

  static S none() { return S(std::numeric_limits<double>::quiet_NaN()); }
  static LocalHit<S> no_hit() {
    return {{none(), none(), none()},
            {{none(), none(), none()}, {none(), none(), none()}},
            {none(), none(), none()}};
  }

  BatchTriplets& task_;
  const Line<S> line_;
  std::array<LocalHit<S>, 3> hit_{no_hit(), no_hit(), no_hit()};
  std::array<Order, 3> order_{Order{none(), none()}, Order{none(), none()},
                              Order{none(), none()}};
  /// The last measuring layer; x/X0 up to it.
  Order last_{S(-std::numeric_limits<double>::infinity()), S(0)};
  S total_{0};
  CrossedHit* crossed_;
  std::size_t n_crossed_ = 0;

 public:
  static std::size_t workspace(std::size_t n_surfaces) {
    return n_surfaces * sizeof(CrossedHit);
  }
};

template <class S>
[[gnu::flatten]] void fit_batch_triplets(BatchTriplets& task) {
  BatchTripletFit<S>(task).run();
}

template <class S>
constexpr TripletKernel make_triplet_kernel() {
  return {PackAccess<S>::width, fit_batch_triplets<S>,
          BatchTripletFit<S>::workspace};
}

}  // namespace gttf::detail
