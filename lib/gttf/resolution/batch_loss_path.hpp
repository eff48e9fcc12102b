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

/// A surface that tracks may meet, except for those on whose list it is.
struct NearSurface {
  unsigned surface;
  TrackBits listed;
};

/// Bytes that a BatchLossPath needs.
template <class S>
std::size_t loss_workspace(const BatchTask& task) {
  return backward_pass_workspace<S, LossStep<S>>(task) +
         task.loss->n_media * sizeof(ElementPower<S>) +
         BatchLossSlopes<S>::bytes(task) + straggling_workspace<S>(task) +
         task.n_surfaces * sizeof(NearSurface);
}

/// A group of tracks that share a list of crossings, followed outwards from one
/// layer to the next, since every layer changes the helix. The quantities
/// needed by the inward fit are stored. The tracks of a mixed group keep their
/// helices where others cross a surface; the masks are a test at run time, as
/// in BatchRegionPath. Crossings from the axis have formulas of their own: if
/// the tracks start there, they all cross the first surface.
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
        near_(reinterpret_cast<NearSurface*>(loss_slopes_.rest() +
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
    if (task_.out[BatchPlane::first_hit] != nullptr) first_ = {};
    for (std::size_t k = 0; k < task_.n_crossings; ++k) pass(k, at);
    leave(at);
    if (needs_total()) scatter_by_total();
    if (straggles(task_.loss->model))
      add_straggling(task_, media_, passages_, back_.steps());
    const auto tame = both(abs_of(at.line.c) <= S(bend_bound) * abs_of(line_.c),
                           abs_of(at.turn) < S(half_a_turn));
    task_.as_listed = L::bits(both(at.as_listed, tame));
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
  const Kinks& kinks(std::size_t k) {
    if (!task_.mixed) return all_kinks(k);
    const TrackBits kinked = task_.list[k].kinked;
    kinked_ = all_kinks(k);
    kinked_.w = masked(kinked, kinked_.w);
    kinked_.w_phi = masked(kinked, kinked_.w_phi);
    kinked_.w_loss = masked(kinked, kinked_.w_loss);
    return kinked_;
  }
  const Kinks& all_kinks(std::size_t k) const { return back_.steps()[k].kinks; }
  void look_ahead(std::size_t) const {}

  template <class F>
  void coordinates(std::size_t k, F&& f) {
    next_row_ += for_kept_coordinates(task_, k, next_row_, f);
  }

 private:
  using L = PackAccess<S>;

  using Place = HelixPlace<S>;

  /// Where the tracks have got to.
  struct Helix {
    Line<S> line;  ///< about the latest crossing
    S p, kinetic;
    HelixRows<S> rows, inverse;
    S turn{0};  ///< of the direction
    MaskOf<S> as_listed = S(0) < S(1);

    /// Takes the tracks of `mask` from `other`.
    void take(const MaskOf<S>& mask, const Helix& other) {
      const auto put = [&mask](S& to, const S& from) {
        to = select(mask, from, to);
      };
      const Line<S>& l = other.line;
      // those that change on the way
      put(line.kappa, l.kappa);
      put(line.c, l.c);
      put(line.along, l.along);
      put(line.across, l.across);
      put(line.z, l.z);
      put(line.r2, l.r2);
      put(line.cos_phi, l.cos_phi);
      put(line.sin_phi, l.sin_phi);
      put(line.strength.scale, l.strength.scale);
      put(line.strength.log_charge_beta, l.strength.log_charge_beta);
      line.on_axis = false;
      put(p, other.p);
      put(kinetic, other.kinetic);
      const auto put_rows = [&put](HelixRows<S>& to, const HelixRows<S>& from) {
        for (std::size_t i = 0; i < track_dim; ++i) {
          put(to.d0[i], from.d0[i]);
          put(to.z0[i], from.z0[i]);
          put(to.phi[i], from.phi[i]);
          put(to.kappa[i], from.kappa[i]);
        }
      };
      put_rows(rows, other.rows);
      put_rows(inverse, other.inverse);
      put(turn, other.turn);
      as_listed = either(both(mask, other.as_listed), both(!mask, as_listed));
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

  /// As in BatchRegionPath.
  [[gnu::always_inline]] S masked(TrackBits elements, const S& x) const {
    return task_.mixed ? select(L::mask(elements), x, S(0)) : x;
  }

  void pass(std::size_t k, Helix& at) {
    const ListedSurface& c = task_.list[k];
    if (c.crossed == task_.all) return pass_listed(k, at);
    Helix next = at;
    pass_listed(k, next);
    at.take(L::mask(c.crossed), next);
  }

  void pass_listed(std::size_t k, Helix& at) {
    if (task_.list[k].planes != nullptr)
      pass_plane(k, at);
    else
      pass_surface(k, at);
  }

  [[gnu::noinline, gnu::flatten]] void pass_surface(std::size_t k, Helix& at) {
    const SurfaceRecord& s = task_.surfaces[task_.list[k].surface].record;
    const Crossing<S> x = cross(at.line, s);
    at.as_listed = both(at.as_listed, is_crossed(at.line, s, x));
    if (s.kind == SurfaceRecord::Kind::plane)
      at.as_listed = both(at.as_listed, is_first_crossing(s, x));
    fly(k, s, x, at);
  }

  /// Which planes are crossed is known from a search with the same loss.
  [[gnu::noinline, gnu::flatten]] void pass_plane(std::size_t k, Helix& at) {
    const ElementPlane& planes = *task_.list[k].planes;
    const PackPlane<S> plane(planes);
    const Crossing<S> x = cross_near(at.line, plane, plane.position,
                                     plane.x_over_x0, L::load(planes.arc));
    at.as_listed = both(at.as_listed, x.arc >= S(-longest_arc_at_start));
    fly(k, plane, x, at);
  }

  /// To a crossing, and through its layer.
  /// @param shape  of the surface: a SurfaceRecord or a PackPlane
  template <class Shape>
  [[gnu::always_inline]] void fly(std::size_t k, const Shape& shape,
                                  const Crossing<S>& x, Helix& at) {
    const ListedSurface& c = task_.list[k];
    material_.all = material_.all + masked(c.crossed, x.x_over_x0);
    if (const TrackBits before_last = c.fitted | c.inner; before_last != 0)
      material_.to_last_hit =
          material_.to_last_hit + masked(before_last, x.x_over_x0);
    const HelixStep<S> step(at.line, x);
    step.pass(at.rows);
    const Place there(at.line, x);
    look_for_others(at, there, x);
    look_for_later(k, at, x);
    at.turn = at.turn + at.line.c * x.arc;
    there.put_into(at.line);
    if (auto* const states = loss_slopes_.states(); states != nullptr)
      states[k] = {x.arc,     at.line.kappa, at.p,    at.kinetic,
                   x.cos_psi, x.sin_psi,     there.r2};
    Crossing<S> here;
    set_at_its_point(x, here);
    if (c.fitted != 0) set_rows(k, shape, here, at);
    if constexpr (is_record<Shape>)
      if (k == task_.at) set_state(shape, here, at);
    lose(k, shape, here, step, at);
  }

  template <class Shape>
  static constexpr bool is_record = std::is_same_v<Shape, SurfaceRecord>;

  /// Of the coordinates.
  template <class Shape>
  void set_rows(std::size_t k, const Shape& shape, const Crossing<S>& here,
                const Helix& at) {
    const ListedSurface& c = task_.list[k];
    const BatchSurface& s = task_.surfaces[c.surface];
    next_row_ -= s.record.n_axes;
    for (unsigned q = 0; q < s.record.n_axes; ++q) {
      Row<S> own;
      if constexpr (is_record<Shape>) {
        own = coordinate_row(at.line, shape, here, s.axes[q].cosine,
                             s.axes[q].sine);
      } else {
        const PackAxis<S> axis(c.axes[q]);
        own = leaning_row(at.line, shape, here, kink(at.line, here),
                          axis.cosine, axis.sine);
      }
      // it depends on d0 and z0 of the helix about the crossing only
      for (std::size_t i = 0; i < track_dim; ++i)
        next_row_[q][i] =
            masked(c.fitted, own[0] * at.rows.d0[i] + own[1] * at.rows.z0[i]);
    }
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

  /// After the energy loss in the layer a new helix begins.
  template <class Shape>
  void lose(std::size_t k, const Shape& shape, const Crossing<S>& there,
            const HelixStep<S>& step, Helix& at) {
    const Line<S>& here = at.line;
    const ListedSurface& c = task_.list[k];
    const BatchLoss& all = *task_.loss;
    const S rest(all.rest_energy), charge = L::load(task_.tracks->charge);
    const LayerIncidence<S> incidence(shape, there.cos_psi, there.sin_psi,
                                      here.sin_theta, here.cos_theta);
    // not along an arbitrary path where a track does not cross it
    const S one(1);
    const auto crossing = [&](const S& x) {
      return task_.mixed ? select(L::mask(c.crossed), x, one) : x;
    };
    const ElementLoss<S> loss = loss_in_layer(
        all, c.slabs_of, media_, charge * charge, crossing(incidence.paths),
        crossing(abs_of(incidence.cosine)), at.kinetic);
    S inv_r(0);
    if constexpr (is_record<Shape>)
      if (shape.is_curved())
        inv_r = inverse_radius_at(shape, Cartesian<S>{S(0), S(0), here.z});
    const SlowingLayer<S> slowed(incidence, shape.is_curved(), inv_r,
                                 {here.kappa, at.p, at.kinetic}, rest, loss);
    const LayerStep<S>& layer = slowed.step;

    take_back(step, at.inverse);
    take_back(layer, at.inverse);
    HelixRows<S>& f = at.rows;
    if (c.first != 0 && task_.out[BatchPlane::first_hit] != nullptr)
      set_first(c, here, there, layer, f);
    layer.pass(f);

    at.line.kappa = slowed.kappa;
    at.line.c = slowed.kappa * at.line.inv_sin_theta;
    at.line.strength = strength_of_average(loss.inverse_p_beta2, rest, charge);
    set_kinks(k, there, slowed, at);
    if (straggles(all.model)) [[unlikely]]
      set_passage(
          all, c.slabs_of, media_, S(charge * charge), at.kinetic,
          crossing(incidence.paths), there.x_over_x0,
          S(slowed.kappa * (loss.kinetic + rest) / (slowed.p * slowed.p)),
          passages_[k]);
    at.p = slowed.p;
    at.kinetic = loss.kinetic;
  }

  void set_kinks(std::size_t k, const Crossing<S>& there,
                 const SlowingLayer<S>& slowed, const Helix& at) {
    const BatchSurface& s = task_.surfaces[task_.list[k].surface];
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
    const TrackBits scattering = c.kinked | c.inner | outer;
    const bool scatters = scattering != 0 && s.record.x_over_x0 > 0;
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
    if (!task_.mixed) return;
    for (std::size_t i = 0; i < track_dim; ++i) {
      kinks.theta[i] = masked(c.crossed, kinks.theta[i]);
      kinks.phi[i] = masked(c.crossed, kinks.phi[i]);
      kinks.loss[i] = masked(c.crossed, kinks.loss[i]);
    }
    kinks.w = masked(scattering, kinks.w);
    kinks.w_phi = masked(scattering, kinks.w_phi);
    kinks.w_loss = masked(scattering, kinks.w_loss);
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
      if (const TrackBits counted = c.kinked | c.inner;
          counted != 0 && s.x_over_x0 > 0) {
        const S w = theta0_squared(
            ScatterStrength<S>{kinks.w, kinks.w_phi}, scattering_.model, S(1),
            [] { return S(0); }, material_.to_last_hit);
        kinks.w = task_.mixed ? select(L::mask(counted), w, kinks.w) : w;
      }
      kinks.w_phi = kinks.w * scattering_.inv_sin2;
      kinks.w_loss = kinks.w * kinks.w_loss;
    }
  }

  void set_first(const ListedSurface& c, const Line<S>& here,
                 const Crossing<S>& there, const LayerStep<S>& layer,
                 const HelixRows<S>& f) {
    const auto own =
        c.planes != nullptr
            ? plane_jacobian(here, *c.planes, there)
            : surface_jacobian(here, task_.surfaces[c.surface].record, there);
    const auto put = [&](const S& x, S& to) {
      to = task_.mixed ? select(L::mask(c.first), x, to) : x;
    };
    for (std::size_t i = 0; i < track_dim; ++i) {
      for (const std::size_t j : {0u, 1u, 2u})
        put(own[j][0] * f.d0[i] + own[j][1] * f.z0[i] + own[j][2] * f.phi[i],
            first_[j][i]);
      put(S(i == 3 ? 1 : 0), first_[3][i]);
      S kappa = layer.kappa * f.kappa[i] + layer.d0 * f.d0[i] +
                layer.z0 * f.z0[i] + layer.phi * f.phi[i];
      if (i == 3) kappa = kappa + layer.theta;
      put(kappa, first_[4][i]);
    }
  }

  /// The surfaces that are not on the list of all tracks, except for those that
  /// are far from all tracks even if these bend more than at the start.
  void find_near() {
    LineBounds b = bounds_of_group(line_);
    b.c *= bend_bound;
    n_near_ = 0;
    for_near_surfaces<S>(task_, b, [this](unsigned surface) {
      // the last one of a kind represents up to a vector of them
      if (n_near_ == 0 || near_[n_near_ - 1].surface != surface)
        near_[n_near_++] = {surface, 0};
      return true;
    });
    for (std::size_t k = 0; k < task_.n_crossings; ++k)
      if (const ListedSurface& c = task_.list[k];
          c.crossed != task_.all && c.planes == nullptr)
        near_[n_near_++] = {c.surface, c.crossed};
  }

  /// Whether a track crosses one of them on its way to `x`.
  void look_for_others(Helix& at, const Place& to, const Crossing<S>& x) {
    using Kind = SurfaceRecord::Kind;
    const Line<S>& from = at.line;
    const S zero(0);
    // a track that turns inwards might return to earlier surfaces
    at.as_listed =
        both(at.as_listed, either(to.along >= zero, from.along < zero));
    if (n_near_ == 0) return;
    const Between r2(from.r2, to.r2), z(from.z, to.point.z);
    for (std::size_t i = 0; i < n_near_; ++i) {
      const auto& [surface, listed] = near_[i];
      const SurfaceRecord& s = task_.surfaces[surface].record;
      if (s.kind == Kind::cylinder) {
        if (!r2.may_reach(s.position * s.position)) continue;
      } else if (s.kind == Kind::disk || s.kind == Kind::disk_plane) {
        if (!z.may_reach(s.position)) continue;
      }
      forbid_before(x, s, listed, at);
    }
  }

  /// Whether a track crosses a cone or an inclined plane that comes later on
  /// the list on its way to `x`; it might find another crossing in its place.
  void look_for_later(std::size_t k, Helix& at, const Crossing<S>& x) {
    const auto surface = [this](std::size_t i) -> const SurfaceRecord& {
      return task_.surfaces[task_.list[i].surface].record;
    };
    const auto leans = [&](std::size_t i) {
      return task_.list[i].planes == nullptr && surface(i).leans();
    };
    if (k == 0)
      for (std::size_t i = 0; i < task_.n_crossings; ++i)
        if (leans(i)) ++n_leaning_;
    if (n_leaning_ == 0) return;
    if (leans(k)) --n_leaning_;
    std::size_t left = n_leaning_;
    for (std::size_t i = k + 1; left > 0; ++i) {
      if (!leans(i)) continue;
      --left;
      forbid_before(x, surface(i), 0, at);
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

  /// @param listed  tracks that may cross it
  void forbid_before(const Crossing<S>& x, const SurfaceRecord& s,
                     TrackBits listed, Helix& at) {
    Crossing<S> other;
    other.arc = S(0);
    const Reached<S> reached = find_crossing(at.line, s, other);
    forbid(both(reached.crossed, other.arc <= x.arc), listed, at);
  }

  void forbid(const MaskOf<S>& wrong, TrackBits listed, Helix& at) {
    at.as_listed = both(at.as_listed,
                        listed == 0 ? !wrong : either(L::mask(listed), !wrong));
  }

  /// The last crossing has no successor. A track turns back if, after half a
  /// turn, it is within the edges of a surface that it has not crossed.
  void leave(Helix& at) {
    const Line<S>& l = at.line;
    const S zero(0);
    const S last_arc = (S(half_a_turn) - abs_of(at.turn)) / abs_of(l.c);
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
      const auto& [surface, listed] = near_[i];
      const SurfaceRecord& s = task_.surfaces[surface].record;
      Crossing<S> other;
      other.arc = zero;
      const Reached<S> reached = find_crossing(l, s, other);
      const auto later = both(bends, other.arc > last_arc);
      forbid(both(reached.crossed, !later), listed, at);
      const auto within =
          both(bends, inside(l, s, end.forward, end.sideward, end.arc));
      const S position(s.position);
      switch (s.kind) {
        case SurfaceRecord::Kind::cylinder: {
          const S r2 = position * position;
          const auto ahead = both(line_.r2 < r2, reach2 < r2);
          const auto steep = line_.sin_theta >= S(min_cos_incidence);
          turned_back_ |= ~listed & L::bits(both(within, both(ahead, steep)));
          break;
        }
        case SurfaceRecord::Kind::disk:
        case SurfaceRecord::Kind::disk_plane:
          turned_back_ |=
              ~listed &
              L::bits(both(
                  within, (position - place.point.z) * line_.cos_theta > zero));
          break;
        default:
          doubtful_ |= ~listed & L::bits(within);
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
  NearSurface* near_;
  std::size_t n_near_ = 0;
  /// Of the present crossing, in both passes; the outermost one has the first.
  Row<S>* next_row_ = nullptr;
  std::size_t n_leaning_ = 0;  ///< later on the list
  TrackBits turned_back_ = 0;
  TrackBits doubtful_ = 0;  ///< tracks that may have turned back
  /// Of the first hit and of the state; only if they are requested.
  std::array<Row<S>, track_dim> first_, state_, slopes_;
  S momentum_at_{0};
  TrackMaterial<S> material_;
  GeneralKinks<S> kinked_;  ///< of a mixed group
};

}  // namespace gttf::detail
