// SPDX-License-Identifier: Apache-2.0
// BatchLossPath: the crossings of a group of tracks with energy loss, as a
// source for the streaming fit.
#pragma once

#include "gttf/fit/streaming/general_kinks.hpp"
#include "gttf/resolution/batch_loss_slopes.hpp"
#include "gttf/resolution/batch_path.hpp"
#include "gttf/resolution/batch_straggling.hpp"
#include "gttf/resolution/slowing_helix.hpp"
#include "gttf/resolution/surface_slopes.hpp"
#include "gttf/trajectory/kinetic_energy.hpp"
#include "gttf/trajectory/turn.hpp"

namespace gttf::detail {

/// Bytes that a BatchLossPath needs.
template <class S>
std::size_t loss_workspace(const BatchTask& task) {
  return backward_pass_workspace<S, LossStep<S>>(task) +
         task.loss->n_media * sizeof(ElementPower<S>) +
         BatchLossSlopes<S>::bytes(task) + straggling_workspace<S>(task) +
         task.n_surfaces * sizeof(unsigned);
}

/// A group of tracks that share a list of crossings, followed outwards from one
/// layer to the next, since every layer changes the helix. The quantities
/// needed by the inward fit are stored.
template <class S>
class BatchLossPath {
 public:
  static constexpr bool loses_energy = true, is_helix = false, has_line = true;
  using Kinks = GeneralKinks<S>;
  using Step = LossStep<S>;

  explicit BatchLossPath(BatchTask& task)
      : task_(task),
        line_(line_of<S>(*task.tracks, task.bz)),
        scattering_(scattering_of_group(task, line_)),
        back_(task, line_),
        media_(reinterpret_cast<ElementPower<S>*>(back_.rest())),
        loss_slopes_(task, line_, back_.steps(), media_,
                     reinterpret_cast<std::byte*>(media_ + task.loss->n_media)),
        passages_(reinterpret_cast<LossPassage<S>*>(loss_slopes_.rest())),
        near_(reinterpret_cast<unsigned*>(loss_slopes_.rest() +
                                          straggling_workspace<S>(task))) {}

  /// Passes through all crossings, and determines which tracks cross the
  /// surfaces of the list and no others.
  void follow() {
    Helix at;
    at.line = line_;
    const S rest(task_.loss->rest_energy), p = L::load(task_.tracks->p);
    at.kinetic = kinetic_energy(p, rest);
    at.p = p;
    for (std::size_t i = 0; i < task_.loss->n_media; ++i)
      media_[i].from = media_[i].to = S(0);
    find_near();
    next_row_ = back_.rows() + task_.n_coordinates;
    for (std::size_t k = 0; k < task_.n_crossings; ++k) pass(k, at);
    leave(at);
    if (needs_total()) scatter_by_total();
    if (straggles(task_.loss->model))
      add_straggling(task_, media_, passages_, back_.steps());
    const auto tame = both(abs_of(at.line.c) <= S(bend_bound) * abs_of(line_.c),
                           abs_of(turn_) < S(half_a_turn));
    task_.as_listed = L::bits(both(as_listed_, tame));
    task_.confirmed = task_.as_listed == all_in_pack<S>;
    task_.turned_back = turned_back_;
    task_.doubtful = doubtful_;
  }

  const Line<S>& line() const { return line_; }
  const S& kappa() const { return line_.kappa; }
  const S& cot_theta() const { return line_.cot_theta; }
  const TrackMaterial<S>& material() const { return material_; }
  const Covariance5<S>& in_user_axes(const Covariance5<S>& c) const {
    return c;
  }
  Covariance5<S> on_start_plane(const Covariance5<S>& c) const {
    return StartPlane<S>(line_).covariance(c);
  }
  /// d(u, v, phi, theta, kappa)/ds behind the first measuring layer.
  const std::array<Row<S>, track_dim>& rows_behind(std::size_t) const {
    return first_;
  }

  /// d(u, v, phi, theta, kappa)/ds before the requested layer; the same with
  /// slopes along u and v instead of the angles; and the momentum there.
  const std::array<Row<S>, track_dim>& state() const { return state_; }
  const std::array<Row<S>, track_dim>& slopes() const { return slopes_; }
  const S& momentum_at() const { return momentum_at_; }

  BatchBackwardPass<S, LossStep<S>>& back() { return back_; }
  /// For back().
  BatchLossSlopes<S>& loss_slopes() { return loss_slopes_; }
  bool has_backward_pass() const { return task_.extras.backward_pass; }
  bool scatters(std::size_t k) const { return task_.list[k].kinked != 0; }
  const Kinks& kinks(std::size_t k) const { return back_.steps()[k].kinks; }
  const Kinks& all_kinks(std::size_t k) const { return back_.steps()[k].kinks; }
  void look_ahead(std::size_t) const {}

  template <class F>
  void coordinates(std::size_t k, F&& f) {
    next_row_ += for_kept_coordinates(task_, k, next_row_, f);
  }

 private:
  using L = PackAccess<S>;

  /// The largest ratio of the bending after all layers to that at the start.
  static constexpr double bend_bound = 1.5;

  /// Where the tracks have got to.
  struct Helix {
    Line<S> line;  ///< about the latest crossing
    S p, kinetic;
    HelixRows<S> rows, inverse;
  };

  /// Point and direction of a line at a crossing. A Line is large: it is not
  /// copied but changed.
  struct Place {
    S cos_phi, sin_phi;
    Cartesian<S> point;
    S r2, along;

    Place(const Line<S>& l, const Crossing<S>& x)
        : cos_phi(l.cos_phi * x.cos_turn - l.sin_phi * x.sin_turn),
          sin_phi(l.sin_phi * x.cos_turn + l.cos_phi * x.sin_turn),
          point(position_at(l, x)),
          r2(point.x * point.x + point.y * point.y),
          along(point.x * cos_phi + point.y * sin_phi) {}

    void put_into(Line<S>& l) const {
      l.cos_phi = cos_phi;
      l.sin_phi = sin_phi;
      set_start(point.x, point.y, point.z, l);
      l.on_axis = false;
    }
  };

  /// A number of every track that changes from one value to another.
  struct Between {
    S from, to;
    double least, most;

    Between(const S& a, const S& b)
        : from(a),
          to(b),
          least(-largest(S(select(a < b, -a, -b)))),
          most(largest(S(select(a < b, b, a)))) {}

    /// Whether it may take this value in any track; first for all of them.
    bool may_reach(double value) const {
      if (value < least || value > most) return false;
      return any((S(value) - from) * (S(value) - to) <= S(0));
    }
  };

  static S sqrt_of(const S& x) {
    using std::sqrt;
    return sqrt(x);
  }
  static S abs_of(const S& x) {
    using std::abs;
    return abs(x);
  }

  [[gnu::noinline, gnu::flatten]] void pass(std::size_t k, Helix& at) {
    const ListedSurface& c = task_.list[k];
    const BatchSurface& s = task_.surfaces[c.surface];
    const Crossing<S> x = cross(at.line, s.record);
    as_listed_ = both(as_listed_, is_crossed(at.line, s.record, x));
    material_.all = material_.all + x.x_over_x0;
    if ((c.fitted | c.inner) != 0)
      material_.to_last_hit = material_.to_last_hit + x.x_over_x0;
    const HelixStep<S> step(at.line, x);
    step.pass(at.rows);
    const Place there(at.line, x);
    look_for_others(at.line, there, x);
    look_for_later(k, at.line, x);
    if (s.record.kind == SurfaceRecord::Kind::plane)
      as_listed_ = both(as_listed_, is_first_crossing(s.record, x));
    turn_ = turn_ + at.line.c * x.arc;
    there.put_into(at.line);
    if (auto* const states = loss_slopes_.states(); states != nullptr)
      states[k] = {x.arc,     at.line.kappa, at.p,    at.kinetic,
                   x.cos_psi, x.sin_psi,     there.r2};
    Crossing<S> here;
    set_at_its_point(x, here);
    if (c.fitted != 0) {
      next_row_ -= s.record.n_axes;
      for (unsigned q = 0; q < s.record.n_axes; ++q)
        next_row_[q] = row(at.line, s.record, here, s.axes[q], at.rows);
    }
    if (k == task_.at) set_state(s.record, here, at);
    lose(k, s, here, step, at);
  }

  /// Before the layer.
  [[gnu::noinline, gnu::flatten]] void set_state(const SurfaceRecord& s,
                                                 const Crossing<S>& there,
                                                 const Helix& at) {
    const auto own = surface_jacobian(at.line, s, there);
    const HelixRows<S>& f = at.rows;
    const auto from_start = [&f](const Row<S>& here) {
      Row<S> r;
      for (std::size_t i = 0; i < track_dim; ++i)
        r[i] = here[0] * f.d0[i] + here[1] * f.z0[i] + here[2] * f.phi[i] +
               here[4] * f.kappa[i];
      r[3] = r[3] + here[3];
      return r;
    };
    const auto slopes = slopes_on_surface(at.line, s, there, own);
    for (std::size_t j = 0; j < track_dim; ++j) {
      state_[j] = from_start(own[j]);
      slopes_[j] = from_start(slopes[j]);
    }
    momentum_at_ = at.p;
  }

  /// A coordinate of a point depends on d0 and z0 of the helix about it only.
  static Row<S> row(const Line<S>& here, const SurfaceRecord& s,
                    const Crossing<S>& there, const CoordinateAxis& axis,
                    const HelixRows<S>& f) {
    const Row<S> own = coordinate_row(here, s, there, axis.cosine, axis.sine);
    Row<S> r;
    for (std::size_t i = 0; i < track_dim; ++i)
      r[i] = own[0] * f.d0[i] + own[1] * f.z0[i];
    return r;
  }

  /// After the energy loss in the layer a new helix begins.
  void lose(std::size_t k, const BatchSurface& s, const Crossing<S>& there,
            const HelixStep<S>& step, Helix& at) {
    const Line<S>& here = at.line;
    const ListedSurface& c = task_.list[k];
    const BatchLoss& all = *task_.loss;
    const S rest(all.rest_energy), charge = L::load(task_.tracks->charge);
    const LayerIncidence<S> incidence(s.record, there.cos_psi, there.sin_psi,
                                      here.sin_theta, here.cos_theta);
    const ElementLoss<S> loss =
        loss_in_layer(all, c.surface, media_, charge * charge, incidence.paths,
                      abs_of(incidence.cosine), at.kinetic);
    const S inv_r =
        s.record.is_curved()
            ? inverse_radius_at(s.record, Cartesian<S>{S(0), S(0), here.z})
            : S(0);
    const SlowingLayer<S> slowed(incidence, s.record.is_curved(), inv_r,
                                 {here.kappa, at.p, at.kinetic}, rest, loss);
    const LayerStep<S>& layer = slowed.step;

    take_back(step, at.inverse);
    take_back(layer, at.inverse);
    HelixRows<S>& f = at.rows;
    if (c.first != 0 && task_.out[BatchPlane::first_hit] != nullptr)
      set_first(s.record, here, there, layer, f);
    layer.pass(f);

    at.line.kappa = slowed.kappa;
    at.line.c = slowed.kappa * at.line.inv_sin_theta;
    at.line.strength = strength_of_average(loss.inverse_p_beta2, rest, charge);
    set_kinks(k, s, there, slowed, at);
    if (straggles(all.model)) [[unlikely]]
      set_passage(
          all, c.surface, media_, S(charge * charge), at.kinetic,
          incidence.paths, there.x_over_x0,
          S(slowed.kappa * (loss.kinetic + rest) / (slowed.p * slowed.p)),
          passages_[k]);
    at.p = slowed.p;
    at.kinetic = loss.kinetic;
  }

  void set_kinks(std::size_t k, const BatchSurface& s, const Crossing<S>& there,
                 const SlowingLayer<S>& slowed, const Helix& at) {
    GeneralKinks<S>& kinks = back_.steps()[k].kinks;
    const HelixRows<S>& g = at.inverse;
    const Line<S>& l = at.line;
    const auto column = [&g](std::size_t i) {
      return Row<S>{g.d0[i], g.z0[i], g.phi[i], S(i == 3 ? 1 : 0), g.kappa[i]};
    };
    kinks.theta = column(3);
    kinks.phi = column(2);
    kinks.loss = column(4);
    const ListedSurface& c = task_.list[k];
    // at a layer, all material between it and the hits counts
    const TrackBits outer = task_.at == BatchTask::nowhere ? 0 : c.outer;
    const bool scatters =
        (c.kinked | c.inner | outer) != 0 && s.record.x_over_x0 > 0;
    if (!scatters) {
      kinks.w = S(0);
    } else if (needs_total()) {
      // its factor and its logarithm, until the sum is known
      kinks.w = l.strength.scale * there.x_over_x0;
      kinks.w_phi = l.strength.log_charge_beta;
    } else {
      kinks.w = kink_variance(l, s, scattering_, there);
    }
    if (!scatters || !needs_total())
      kinks.w_phi = kinks.w * scattering_.inv_sin2;
    // the effect of the angles on the loss in the rest of the layer
    GTTF_UNROLL
    for (std::size_t i = 0; i < track_dim; ++i) {
      kinks.theta[i] = kinks.theta[i] + slowed.by_theta * kinks.loss[i];
      kinks.phi[i] = kinks.phi[i] + slowed.by_phi * kinks.loss[i];
    }
    kinks.w_loss = needs_total() ? slowed.relative_variance
                                 : kinks.w * slowed.relative_variance;
  }

  bool needs_total() const {
    return scattering_.model == Scattering::highland_total;
  }

  /// The variances of all kinks once the sum of all x/X0 is known. Until then
  /// w is that of Scattering::rossi, w_phi the logarithm of (charge/beta)^2 and
  /// w_loss relative to w.
  void scatter_by_total() {
    for (std::size_t k = 0; k < task_.n_crossings; ++k) {
      const ListedSurface& c = task_.list[k];
      const SurfaceRecord& s = task_.surfaces[c.surface].record;
      GeneralKinks<S>& kinks = back_.steps()[k].kinks;
      if ((c.kinked | c.inner) != 0 && s.x_over_x0 > 0)
        kinks.w = theta0_squared(
            ScatterStrength<S>{kinks.w, kinks.w_phi}, scattering_.model, S(1),
            [] { return S(0); }, material_.to_last_hit);
      kinks.w_phi = kinks.w * scattering_.inv_sin2;
      kinks.w_loss = kinks.w * kinks.w_loss;
    }
  }

  void set_first(const SurfaceRecord& s, const Line<S>& here,
                 const Crossing<S>& there, const LayerStep<S>& layer,
                 const HelixRows<S>& f) {
    const auto own = surface_jacobian(here, s, there);
    for (std::size_t i = 0; i < track_dim; ++i) {
      for (const std::size_t j : {0u, 1u, 2u})
        first_[j][i] =
            own[j][0] * f.d0[i] + own[j][1] * f.z0[i] + own[j][2] * f.phi[i];
      first_[3][i] = S(i == 3 ? 1 : 0);
      first_[4][i] = layer.kappa * f.kappa[i] + layer.d0 * f.d0[i] +
                     layer.z0 * f.z0[i] + layer.phi * f.phi[i];
    }
    first_[4][3] = first_[4][3] + layer.theta;
  }

  /// The surfaces that are not on the list, except for those that are far from
  /// all tracks even if these bend more than at the start.
  void find_near() {
    LineBounds b = bounds_of_group(line_);
    b.c *= bend_bound;
    n_near_ = 0;
    for_near_surfaces<S>(task_, b, [this](unsigned surface) {
      // the last one of a kind represents up to a vector of them
      if (n_near_ == 0 || near_[n_near_ - 1] != surface)
        near_[n_near_++] = surface;
      return true;
    });
  }

  /// Whether a track crosses one of them on its way to `x`.
  void look_for_others(const Line<S>& from, const Place& to,
                       const Crossing<S>& x) {
    using Kind = SurfaceRecord::Kind;
    const S zero(0);
    // a track that turns inwards might return to earlier surfaces
    as_listed_ = both(as_listed_, either(to.along >= zero, from.along < zero));
    if (n_near_ == 0) return;
    const Between r2(from.r2, to.r2), z(from.z, to.point.z);
    for (std::size_t i = 0; i < n_near_; ++i) {
      const SurfaceRecord& s = task_.surfaces[near_[i]].record;
      if (s.kind == Kind::cylinder) {
        if (!r2.may_reach(s.position * s.position)) continue;
      } else if (s.kind == Kind::disk || s.kind == Kind::disk_plane) {
        if (!z.may_reach(s.position)) continue;
      }
      forbid_before(x, from, s);
    }
  }

  /// Whether a track crosses a cone or an inclined plane that comes later on
  /// the list on its way to `x`; it might find another crossing in its place.
  void look_for_later(std::size_t k, const Line<S>& from,
                      const Crossing<S>& x) {
    const auto surface = [this](std::size_t i) -> const SurfaceRecord& {
      return task_.surfaces[task_.list[i].surface].record;
    };
    if (k == 0)
      for (std::size_t i = 0; i < task_.n_crossings; ++i)
        if (surface(i).leans()) ++n_leaning_;
    if (n_leaning_ == 0) return;
    if (surface(k).leans()) --n_leaning_;
    std::size_t left = n_leaning_;
    for (std::size_t i = k + 1; left > 0; ++i) {
      if (!surface(i).leans()) continue;
      --left;
      forbid_before(x, from, surface(i));
    }
  }

  /// A track that turns by less than half a circle crosses an upright plane at
  /// most twice, in opposite directions.
  MaskOf<S> is_first_crossing(const SurfaceRecord& plane,
                              const Crossing<S>& x) const {
    const BatchTracks& start = *task_.tracks;
    const Cartesian<S> at{L::load(start.x), L::load(start.y), L::load(start.z)};
    return side_of(plane, at) * x.cos_psi <= S(same_place);
  }

  void forbid_before(const Crossing<S>& x, const Line<S>& from,
                     const SurfaceRecord& s) {
    Crossing<S> other;
    other.arc = S(0);
    const Reached<S> reached = find_crossing(from, s, other);
    as_listed_ = both(as_listed_, !both(reached.crossed, other.arc <= x.arc));
  }

  /// The last crossing has no successor. A track turns back if, after half a
  /// turn, it is within the edges of a surface that it has not crossed.
  void leave(const Helix& at) {
    const Line<S>& l = at.line;
    const S zero(0);
    const S last_arc = (S(half_a_turn) - abs_of(turn_)) / abs_of(l.c);
    Crossing<S> end;
    set_from_arc(l, last_arc, end);
    const Place place(l, end);
    const auto bends = abs_of(l.c) > zero;
    // largest distance from the axis: there, or before if it has turned back
    const S radius = S(1) / l.c, centre = l.across + radius;
    const S farthest =
        sqrt_of(l.along * l.along + centre * centre) + abs_of(radius);
    const S reach2 = select(place.along < zero, farthest * farthest, place.r2);
    for (std::size_t i = 0; i < n_near_; ++i) {
      const SurfaceRecord& s = task_.surfaces[near_[i]].record;
      Crossing<S> other;
      other.arc = zero;
      const Reached<S> reached = find_crossing(l, s, other);
      const auto later = both(bends, other.arc > last_arc);
      as_listed_ = both(as_listed_, either(!reached.crossed, later));
      const auto within =
          both(bends, inside(l, s, end.forward, end.sideward, end.arc));
      const S position(s.position);
      switch (s.kind) {
        case SurfaceRecord::Kind::cylinder: {
          const S r2 = position * position;
          const auto ahead = both(line_.r2 < r2, reach2 < r2);
          const auto steep = line_.sin_theta >= S(min_cos_incidence);
          turned_back_ |= L::bits(both(within, both(ahead, steep)));
          break;
        }
        case SurfaceRecord::Kind::disk:
        case SurfaceRecord::Kind::disk_plane:
          turned_back_ |= L::bits(both(
              within, (position - place.point.z) * line_.cos_theta > zero));
          break;
        default:
          doubtful_ |= L::bits(within);
      }
    }
  }

  BatchTask& task_;
  const Line<S> line_;
  const PackScattering<S> scattering_;
  BatchBackwardPass<S, LossStep<S>> back_;
  ElementPower<S>* media_;
  BatchLossSlopes<S> loss_slopes_;
  LossPassage<S>* passages_;  ///< of all crossings, if losses fluctuate
  unsigned* near_;
  std::size_t n_near_ = 0;
  /// Of the present crossing, in both passes; the outermost one has the first.
  Row<S>* next_row_ = nullptr;
  std::size_t n_leaning_ = 0;  ///< later on the list
  S turn_{0};                  ///< of the direction
  MaskOf<S> as_listed_ = S(0) < S(1);
  TrackBits turned_back_ = 0;
  TrackBits doubtful_ = 0;  ///< tracks that may have turned back
  /// Of the first hit and of the state; only if they are requested.
  std::array<Row<S>, track_dim> first_, state_, slopes_;
  S momentum_at_{0};
  TrackMaterial<S> material_;
};

}  // namespace gttf::detail
