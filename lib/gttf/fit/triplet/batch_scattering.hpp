// SPDX-License-Identifier: Apache-2.0
// Path and scattering angles of tracks given by their hits.
#pragma once

#include "gttf/core/pack_functions.hpp"
#include "gttf/fit/track/hit_path.hpp"
#include "gttf/fit/track/hit_surface.hpp"
#include "gttf/fit/triplet/batch_rows.hpp"
#include "gttf/trajectory/crossing.hpp"

namespace gttf::detail {

/// Finds the crossings of all tracks; a separate function because it is long.
template <class S>
[[gnu::noinline, gnu::flatten]] MaskOf<S> cross_passive(const Line<S>& line,
                                                        const SurfaceRecord& s,
                                                        Crossing<S>& x) {
  x.arc = x.x_over_x0 = S(0);
  return find_crossing(line, s, x).crossed;
}

template <class S>
class BatchScattering {
 public:
  explicit BatchScattering(ScatterGroup& task)
      : task_(task),
        arcs_(reinterpret_cast<ChordArc<S>*>(task.workspace)),
        origin_{S(task.origin[0]), S(task.origin[1]), S(task.origin[2])} {}

  static std::size_t workspace(std::size_t n_hits) {
    return n_hits * sizeof(ChordArc<S>);
  }

  void run() {
    find_path();
    const HitScattering& m = task_.model;
    const S kappa = kappa_of_path(path_, task_.bz, m.charge);
    using std::abs;
    const S p = S(std::abs(m.charge * task_.bz)) / abs(kappa);
    // or scattering for another momentum along the same path
    const bool other = m.model != Scattering::off && m.momentum > 0;
    strength_ = scatter_strength(S(S(1) / (other ? S(m.momentum) : p)),
                                 S(m.mass), S(m.charge));
    L::store(other ? S(kappa * p / S(m.momentum)) : kappa, *task_.kappa_ref);
    scatter_hits();
    if (task_.n_points > task_.n_hits || task_.n_others > 0)
      cross_passives(
          line_of_path(path_, perigee_ = perigee_of_path(path_.first, origin_),
                       kappa, strength_));
    good_ = both(good_, abs(kappa) < S(std::numeric_limits<double>::max()));
    task_.known = L::bits(good_);
  }

 private:
  using L = PackAccess<S>;

  Cartesian<S> hit(std::size_t h) const {
    const double* const* at = task_.hits + 3 * h;
    return {L::load(at[0]), L::load(at[1]), L::load(at[2])};
  }

  [[gnu::flatten]] void find_path() {
    using std::sqrt;
    const std::size_t n = task_.n_hits;
    first_ = hit(0);
    const Cartesian<S> last = hit(n - 1);
    const S curvature = circle_curvature(first_, hit(n / 2), last);
    ArcLine<S> line;
    S most(0);
    std::size_t h = 0;
    for (std::size_t i = 0; i < task_.n_points; ++i) {
      if (!task_.points[i].measures) continue;
      const Cartesian<S> at = hit(h), d = at - first_;
      arcs_[h] = arc_above<true>(S(sqrt(transverse_dot(d, d))), curvature);
      const S sine2 = arcs_[h].sine * arcs_[h].sine;
      most = select(sine2 > most, sine2, most);
      if (task_.points[i].on_line) line.add(arcs_[h].length, at.z);
      ++h;
    }
    good_ = both(most <= S(largest_small_sine2), line.determinant() > S(0));
    path_ = make_path(first_, last, curvature, arcs_[n - 1], line);
  }

  [[gnu::flatten]] void scatter_hits() {
    std::size_t h = 0;
    for (std::size_t i = 0; i < task_.n_points; ++i) {
      const ScatterPoint& p = task_.points[i];
      if (!p.measures) continue;
      const Cartesian<S> at = hit(h);
      const S theta0_2 =
          p.surface.x_over_x0 > 0
              ? theta0_squared(path_, arcs_[h], p.surface, p.log_x_over_x0,
                               at.x, at.y, strength_, task_.model.model, S(0))
              : S(0);
      L::store(theta0_2, task_.theta0_2[i]);
      ++h;
    }
  }

  /// Whether exactly the passive surfaces are crossed, in list order.
  void cross_passives(const Line<S>& line) {
    Crossing<S> x;
    // of the points before; hits may be in any order of arc
    S most(0);
    bool behind_passive = false;
    std::size_t h = 0;
    for (std::size_t i = 0; i < task_.n_points; ++i) {
      const ScatterPoint& p = task_.points[i];
      if (p.measures) {
        const S arc = perigee_.offset + arcs_[h++].length;
        if (behind_passive) good_ = both(good_, most < arc);
        most = select(arc > most, arc, most);
        behind_passive = false;
        continue;
      }
      const auto crossed = cross_passive(line, p.surface, x);
      good_ = both(both(good_, crossed), x.arc >= most);
      // the fit searches for it there
      if (h > 0) good_ = both(good_, is_between(p.surface, hit(h - 1), hit(h)));
      most = x.arc;
      behind_passive = true;
      L::store(theta0_squared(line, task_.model.model, x.x_over_x0, S(0)),
               task_.theta0_2[i]);
    }
    const S last = perigee_.offset + arcs_[task_.n_hits - 1].length;
    for (std::size_t i = 0; i < task_.n_others; ++i) {
      const auto crossed = cross_passive(line, task_.others[i], x);
      if (any(crossed)) good_ = both(good_, !both(crossed, x.arc < last));
    }
  }

  ScatterGroup& task_;
  ChordArc<S>* arcs_;  ///< from the first hit to each
  Cartesian<S> origin_, first_;
  HitPath<S> path_;
  PathPerigee<S> perigee_;
  ScatterStrength<S> strength_;
  MaskOf<S> good_;
};

template <class S>
void find_batch_scattering(ScatterGroup& task) {
  BatchScattering<S>(task).run();
}

}  // namespace gttf::detail
