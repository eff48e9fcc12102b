// SPDX-License-Identifier: Apache-2.0
// BatchRegionPath: the crossings of a group of tracks in regions of a uniform
// field, as a source for the streaming fit.
#pragma once

#include <type_traits>

#include "gttf/core/two_by_two.hpp"
#include "gttf/resolution/batch_covariance.hpp"
#include "gttf/resolution/batch_straggling.hpp"
#include "gttf/resolution/region_flight.hpp"

namespace gttf::detail {

/// Effect of changes of a line in regions on each Parameter, and on the perigee
/// in the user's axes: user_parameters() and AnyTrack::at_start_plane(). NaN
/// for what does not exist along the z axis, or in the plane z = const.
template <class S>
class RegionChanges {
 public:
  using Origin = RegionStart<S>;
  using Values = std::array<S, n_parameters>;
  static constexpr bool is_helix = false;

  explicit RegionChanges(const RegionStart<S>& start)
      : inverse_kappa_(S(1) / start.kappa) {
    using std::abs, std::sqrt;
    const Cartesian<S>&t = start.direction, &bend = start.bend;
    const S zero(0), nan(std::numeric_limits<double>::quiet_NaN());
    const S sine = sqrt(transverse_dot(t, t));
    const auto along_z = sine <= S(1e-6);
    const auto no_sine = sine <= zero;
    const S inverse = S(1) / select(no_sine, S(1), sine);
    const S c = select(no_sine, S(1), t.x * inverse),
            s = select(no_sine, zero, t.y * inverse);
    const Cartesian<S> radial = {c, s, zero}, along_phi = {-s, c, zero},
                       along_theta = {t.z * c, t.z * s, -sine};
    cot_theta_ = select(along_z, nan, t.z * inverse);
    const S steep = select(abs(t.z) < S(0.01), nan, t.z);
    const S inv_z = S(1) / steep;
    const S tx = t.x * inv_z, ty = t.y * inv_z;
    const auto slopes = [&](const Cartesian<S>& change) {
      return std::array<S, 2>{(change.x - tx * change.z) * inv_z,
                              (change.y - ty * change.z) * inv_z};
    };
    const Cartesian<S>* const axes[] = {&start.axes.first, &start.axes.second};
    for (std::size_t i = 0; i < 2; ++i) {
      const Cartesian<S>& a = *axes[i];
      // back to the plane of the perigee across the transverse direction
      const S slip = select(along_z, zero, inner(radial, a) * inverse);
      d0_[i] = inner(along_phi, a);
      z0_[i] = select(along_z, nan, a.z - t.z * slip);
      phi_[i] =
          select(along_z, nan, -(inner(along_phi, bend) * slip * inverse));
      phi_[i + 2] = select(along_z, nan, inner(along_phi, a) * inverse);
      theta_[i] = -(inner(along_theta, bend) * slip);
      theta_[i + 2] = inner(along_theta, a);
      // along the track into the plane z = const.
      const S path = -(a.z * inv_z);
      x_[i] = a.x + t.x * path;
      y_[i] = a.y + t.y * path;
      const auto by_place = slopes(path * bend), by_turn = slopes(a);
      tx_[i] = by_place[0];
      ty_[i] = by_place[1];
      tx_[i + 2] = by_turn[0];
      ty_[i + 2] = by_turn[1];
    }
  }

  const S& cot_theta() const { return cot_theta_; }

  Values of(const Row<S>& s) const {
    const S p = -(s[4] * inverse_kappa_);
    const Row<S> user = perigee(s), plane = on_plane(s);
    return {p,        p + cot_theta_ * user[3],
            user[0],  user[1],
            user[2],  user[3],
            plane[0], plane[1],
            plane[2], plane[3]};
  }
  /// Variances are the same along all axes.
  template <class Kinks>
  static S phi_weight(const S&, const Kinks& kinks) {
    return select(kinks.w_phi > S(0), S(1) / kinks.w_phi, S(0));
  }

  Covariance5<S> perigee(const Covariance5<S>& c) const {
    return transformed(c, [this](const Row<S>& s) { return perigee(s); });
  }
  Covariance5<S> on_plane(const Covariance5<S>& c) const {
    return transformed(c, [this](const Row<S>& s) { return on_plane(s); });
  }

 private:
  static S of_place(const std::array<S, 2>& a, const Row<S>& s) {
    return a[0] * s[0] + a[1] * s[1];
  }
  static S of_all(const std::array<S, 4>& a, const Row<S>& s) {
    return a[0] * s[0] + a[1] * s[1] + a[2] * s[2] + a[3] * s[3];
  }
  Row<S> perigee(const Row<S>& s) const {
    return {of_place(d0_, s), of_place(z0_, s), of_all(phi_, s),
            of_all(theta_, s), s[4]};
  }
  Row<S> on_plane(const Row<S>& s) const {
    return {of_place(x_, s), of_place(y_, s), of_all(tx_, s), of_all(ty_, s),
            s[4]};
  }
  template <class F>
  static Covariance5<S> transformed(const Covariance5<S>& c, const F& f) {
    Covariance5<S> half, whole;
    for (std::size_t j = 0; j < track_dim; ++j) {
      const Row<S> column =
          f(Row<S>{c[0][j], c[1][j], c[2][j], c[3][j], c[4][j]});
      for (std::size_t i = 0; i < track_dim; ++i) half[i][j] = column[i];
    }
    for (std::size_t i = 0; i < track_dim; ++i) whole[i] = f(half[i]);
    return whole;
  }

  S inverse_kappa_, cot_theta_;
  std::array<S, 2> d0_, z0_, x_, y_;
  std::array<S, 4> phi_, theta_, tx_, ty_;
};

/// How the line at the start changes that at a point: d(q1, q2)/ds, and in a
/// region without field also d(t1, t2)/ds.
template <class S>
struct RegionRows {
  Row<S> q1, q2, t1, t2;
};

/// The changes of the start by which lines in regions are described.
/// @param change  of (index, displacement, change of direction)
template <class S, class Change>
void for_each_change(const RegionStart<S>& start, const Change& change) {
  const Cartesian<S> nothing = {S(0), S(0), S(0)};
  change(0, start.axes.first, nothing);
  change(1, start.axes.second, nothing);
  change(2, nothing, start.axes.first);
  change(3, nothing, start.axes.second);
  change(4, nothing, nothing);
}

/// d(q/p)/d(kappa); without a field momentum is not fitted.
inline double qop_per_kappa(const BatchRegions& regions) {
  return regions.b_ref == 0 ? 0 : -1 / regions.b_ref;
}

/// d(q/p)/ds at the start.
template <class S>
Row<S> row_of_qop(const BatchRegions& regions) {
  return {S(0), S(0), S(0), S(0), S(qop_per_kappa(regions))};
}

/// Rows of the displacement along axes across the track.
/// @param change  called with an index: the derivatives at a fixed path
template <class S, class Change>
void set_displacements(const Transverse<S>& axes, const Change& change,
                       RegionRows<S>& rows) {
  for (std::size_t i = 0; i < track_dim; ++i) {
    const Cartesian<S>& d_point = change(i).first;
    rows.q1[i] = inner(axes.first, d_point);
    rows.q2[i] = inner(axes.second, d_point);
  }
}

/// Rows of the direction on the surface.
/// @param bend  d(direction)/d(path)
template <class S, class Change>
void set_directions(const RegionPlace<S>& x, const Cartesian<S>& bend,
                    const Transverse<S>& axes, const Change& change,
                    RegionRows<S>& rows) {
  const S inverse = S(1) / x.cosine;
  for (std::size_t i = 0; i < track_dim; ++i) {
    const auto& [d_point, d_direction] = change(i);
    const Cartesian<S> on_surface =
        d_direction - (inner(x.normal, d_point) * inverse) * bend;
    rows.t1[i] = inner(axes.first, on_surface);
    rows.t2[i] = inner(axes.second, on_surface);
  }
}

/// Tracks through a map with their derivatives, in steps that do not depend on
/// the surfaces; crossings are found within them.
template <class S>
class MapTransport {
 public:
  MapTransport(const BatchRegions& regions, const RegionStart<S>& start)
      : map_(*regions.map),
        qop_(start.qop),
        d_qop_(row_of_qop<S>(regions)),
        steps_(map_),
        here_(start.here),
        good_(start.in_map) {
    path_.position = end_.position = start.point;
    path_.direction = end_.direction = start.direction;
    for (StoredVector<S>& bend : path_.bends) bend = none_;
    for_each_change(start, [&](std::size_t i, const Cartesian<S>& point,
                               const Cartesian<S>& direction) {
      changes_[i] = path_;
      changes_[i].position = change_ends_[i].position = point;
      changes_[i].direction = change_ends_[i].direction = direction;
    });
  }

  /// Tracks that could be followed.
  const MaskOf<S>& good() const { return good_; }

  /// Moves tracks to their crossing with a surface.
  /// @param crossed  those that cross it
  [[gnu::noinline, gnu::flatten]] void cross(const SurfaceRecord& s,
                                             TrackBits crossed,
                                             RegionCrossing<S>& x,
                                             RegionRows<S>& rows,
                                             Transverse<S>& axes) {
    x.exists = PackAccess<S>::mask(crossed);
    find(s, x.exists);
    const PointInStep<S> at(at_, length_);
    x.point = at.position(path_.position, path_.direction, path_.bends);
    x.direction = at.direction(path_.direction, path_.bends);
    x.normal = normal_of<S>(s, x.point);
    x.cosine = inner(x.normal, x.direction);
    FlightChange<S> changes[track_dim];
    for (std::size_t i = 0; i < track_dim; ++i)
      changes_[i].look(at, changes[i]);
    const auto change = [&changes](std::size_t i) {
      return std::pair(changes[i].position, changes[i].direction);
    };
    axes = Transverse<S>(x.direction);
    set_displacements(axes, change, rows);
    set_directions(x, at.bend(path_.bends), axes, change, rows);
  }

  const Row<S>& d_qop() const { return d_qop_; }

  /// New steps begin at a crossing, behind which q/p is another one.
  [[gnu::noinline, gnu::flatten]] void change_qop(const RegionPlace<S>& x,
                                                  const S& qop,
                                                  const Row<S>& d_qop) {
    const PointInStep<S> at(at_, length_);
    const Cartesian<S> before = at.bend(path_.bends);
    const Cartesian<S> bend = (qop / qop_) * before, change = before - bend;
    const S inverse = S(1) / x.cosine;
    for (std::size_t i = 0; i < track_dim; ++i) {
      FlightChange<S>& end = change_ends_[i];
      changes_[i].look(at, end);
      // a path that reaches the layer later by dl keeps its bend over dl
      const S slip = inner(x.normal, end.position) * inverse;
      end.direction = end.direction - slip * change;
      changes_[i] = {end.position, end.direction, {}};
      for (StoredVector<S>& its : changes_[i].bends) its = none_;
    }
    path_.position = end_.position = x.point;
    path_.direction = end_.direction = x.direction;
    for (StoredVector<S>& its : path_.bends) its = bend;
    good_ = both(good_, look_up<true>(map_, x.point, here_));
    at_ = S(0);
    length_ = S(1);
    qop_ = qop;
    d_qop_ = d_qop;
  }

 private:
  /// Takes steps up to that in which a surface is crossed, and finds it there.
  void find(const SurfaceRecord& s, const MaskOf<S>& moves) {
    using std::abs;
    const S zero(0);
    const auto level_at = [&](const S& l) {
      const PointInStep<S> at(l, length_);
      return level_on_path(
          s, at.position(path_.position, path_.direction, path_.bends),
          at.direction(path_.direction, path_.bends));
    };
    const S from = level_at(at_).value;
    // a surface at the place of the last
    const auto on_it = abs(from) <= S(same_place);
    S to;
    for (;;) {
      to = side_of(s, end_.position);
      const auto passed =
          either(both(from < zero, to >= zero), both(from >= zero, to < zero));
      const auto ahead = both(both(moves, good_), !either(on_it, passed));
      if (!any(ahead)) break;
      take_step(ahead);
    }
    constexpr int most_steps = 20;
    constexpr double last = 1e-9;  // mm
    auto open = both(moves, good_);
    const auto between = both(open, !on_it);
    const S share = from / select(between, from - to, S(1));
    at_ = select(between, at_ + share * (length_ - at_), at_);
    for (int n = 0; n < most_steps && any(open); ++n) {
      const LevelOnPath<S> there = level_at(at_);
      const S move = there.value / there.slope;
      at_ = select(open, at_ - move, at_);
      open = both(open, !(abs(move) <= S(last)));
    }
    good_ = both(good_, !open);
  }

  [[gnu::noinline]] void take_step(const MaskOf<S>& wanted) {
    const S next =
        steps_.next(map_, end_.position, end_.direction, here_.field, qop_);
    const S size = select(wanted, next, S(0));
    step_.begin_with(here_);
    const auto inside =
        step_.take(map_, end_.position, end_.direction, qop_, size);
    const auto taken = steps_.accept(step_, wanted, inside, size);
    good_ = both(good_, !both(wanted, steps_.is_stuck()));
    if (!any(taken)) return;
    step_.linearise();
    for (std::size_t i = 0; i < track_dim; ++i) {
      const ChangeInStep<S> change = step_.pass(change_ends_[i], d_qop_[i]);
      put(taken, change, changes_[i]);
      put(taken, step_.end_of(change), change_ends_[i]);
    }
    put(taken, step_.path(), path_);
    put(taken, step_.end_of(step_.path()), end_);
    put(taken, step_.at_end(), here_);
    length_ = select(taken, size, length_);
    at_ = select(taken, S(0), at_);
  }

  const FieldMapView& map_;
  const Cartesian<S> none_{S(0), S(0), S(0)};
  S qop_;
  Row<S> d_qop_;  ///< d(q/p)/ds
  MapStepLength<S> steps_;
  MapStep<S> step_;
  // the present step of every track, and its end
  S length_{1}, at_{0};  ///< of the last crossing in it
  ChangeInStep<S> path_, changes_[track_dim];
  FlightChange<S> end_, change_ends_[track_dim];
  FieldAt<S> here_;
  MaskOf<S> good_;
};

/// A RegionFlight with the derivatives of point and direction: of the
/// components across the track where it is straight, else of all three at a
/// fixed path.
template <class S>
class RegionTransport {
 public:
  RegionTransport(const BatchRegions& regions, const RegionStart<S>& start)
      : flight_(regions, start), d_qop_(row_of_qop<S>(regions)) {
    for_each_change(start, [this](std::size_t i, const Cartesian<S>& point,
                                  const Cartesian<S>& direction) {
      d_point_[i] = point;
      d_direction_[i] = direction;
    });
    if (flight_.is_straight()) project();
  }

  RegionFlight<S>& flight() { return flight_; }

  [[gnu::noinline, gnu::flatten]] void enter_next() {
    const auto waiting = !flight_.under_way();
    if (flight_.is_straight())
      unproject();
    else
      turn_all(flight_.path_of(flight_.leg()), d_point_, d_direction_);
    flight_.go_to_end();
    const Cartesian<S>& t = flight_.direction();
    const Cartesian<S> before = flight_.bend(t);
    flight_.enter_next();
    // a path that reaches the face later by dl keeps its bend over dl
    const Cartesian<S> change = before - flight_.bend(t);
    const S inverse =
        select(waiting, S(0), S(1) / component(t, flight_.normal()));
    for (std::size_t i = 0; i < track_dim; ++i) {
      const S slip = component(d_point_[i], flight_.normal()) * inverse;
      d_direction_[i] = d_direction_[i] - slip * change;
    }
    if (flight_.is_straight()) project();
  }

  const Row<S>& d_qop() const { return d_qop_; }

  /// A new path begins at a crossing, behind which q/p is another one.
  [[gnu::noinline, gnu::flatten]] void change_qop(const RegionCrossing<S>& x,
                                                  const S& qop,
                                                  const Row<S>& d_qop) {
    const auto all = all_true<S>();
    if (flight_.is_straight()) {
      flight_.change_qop(x, all, qop);
    } else {
      turn_all(flight_.path_of(x.path), d_point_, d_direction_);
      const Cartesian<S> before = flight_.bend(x.direction);
      flight_.change_qop(x, all, qop);
      // a path that reaches the layer later by dl keeps its bend over dl
      const Cartesian<S> change = before - flight_.bend(x.direction);
      const S inverse = S(1) / x.cosine;
      for (std::size_t i = 0; i < track_dim; ++i) {
        const S slip = inner(x.normal, d_point_[i]) * inverse;
        d_direction_[i] = d_direction_[i] - slip * change;
      }
    }
    d_qop_ = d_qop;
    first_charged_ = 0;
  }

  /// Rows of the displacement at a crossing in the region.
  /// @param axes  set to those of q1 and q2
  void set_displacements_at(const RegionPlace<S>& x, RegionRows<S>& rows,
                            Transverse<S>& axes) const {
    if (flight_.is_straight()) {
      axes = axes_;
      for (std::size_t i = 0; i < track_dim; ++i) {
        rows.q1[i] = rows_.q1[i] + x.path * rows_.t1[i];
        rows.q2[i] = rows_.q2[i] + x.path * rows_.t2[i];
      }
      return;
    }
    axes = Transverse<S>(x.direction);
    set_displacements(axes, changes_at(x), rows);
  }
  /// Rows of the direction there.
  [[gnu::noinline, gnu::flatten]] void set_directions_at(
      const RegionPlace<S>& x, const Transverse<S>& axes,
      RegionRows<S>& rows) const {
    if (flight_.is_straight()) {
      rows.t1 = rows_.t1;
      rows.t2 = rows_.t2;
      return;
    }
    set_directions(x, flight_.bend(x.direction), axes, changes_at(x), rows);
  }

 private:
  /// Takes all derivatives along a curved path from the begin of the region.
  void turn_all(const UniformPath<S>& path,
                std::array<Cartesian<S>, track_dim>& d_point,
                std::array<Cartesian<S>, track_dim>& d_direction) const {
    for (std::size_t i = 0; i < track_dim; ++i) {
      d_point[i] = d_point[i] + path.displacement(d_direction[i]);
      d_direction[i] = path.direction(d_direction[i]);
    }
    const Cartesian<S>& t = flight_.direction();
    const Cartesian<S> moved = path.displacement_per_qop(t, flight_.field()),
                       turned = path.direction_per_qop(t, flight_.field());
    for (std::size_t i = first_charged_; i < track_dim; ++i) {
      d_point[i] = d_point[i] + d_qop_[i] * moved;
      d_direction[i] = d_direction[i] + d_qop_[i] * turned;
    }
  }
  /// The derivatives at a crossing, by index.
  auto changes_at(const RegionPlace<S>& x) const {
    std::array<Cartesian<S>, track_dim> d_point = d_point_,
                                        d_direction = d_direction_;
    turn_all(flight_.path_of(x.path), d_point, d_direction);
    return [d_point, d_direction](std::size_t i) {
      return std::pair(d_point[i], d_direction[i]);
    };
  }
  /// What a track moves along itself changes nothing where it is straight.
  void project() {
    axes_ = Transverse<S>(flight_.direction());
    for (std::size_t i = 0; i < track_dim; ++i) {
      rows_.q1[i] = inner(axes_.first, d_point_[i]);
      rows_.q2[i] = inner(axes_.second, d_point_[i]);
      rows_.t1[i] = inner(axes_.first, d_direction_[i]);
      rows_.t2[i] = inner(axes_.second, d_direction_[i]);
    }
  }
  void unproject() {
    const S& leg = flight_.leg();
    for (std::size_t i = 0; i < track_dim; ++i) {
      d_direction_[i] = rows_.t1[i] * axes_.first + rows_.t2[i] * axes_.second;
      d_point_[i] = rows_.q1[i] * axes_.first + rows_.q2[i] * axes_.second +
                    leg * d_direction_[i];
    }
  }

  RegionFlight<S> flight_;
  Row<S> d_qop_;                   ///< d(q/p)/ds
  std::size_t first_charged_ = 4;  ///< changes of the start that change q/p
  Transverse<S> axes_;
  RegionRows<S> rows_;  ///< at the begin of a region without field
  std::array<Cartesian<S>, track_dim> d_point_, d_direction_;
};

/// Kinks along two axes at a crossing, which may be any: one is taken along
/// which the second direction at the start does not change.
/// @param one, two  changes of the start that are a change of direction along
///                  each axis
template <class S>
[[gnu::always_inline]] inline void set_kinks(const std::array<S, 4>& one,
                                             const std::array<S, 4>& two,
                                             const S& w, HelixKinks<S>& kinks) {
  const S norm = one[3] * one[3] + two[3] * two[3], inverse = S(1) / norm;
  const S first = one[3] * inverse, second = two[3] * inverse;
  GTTF_UNROLL
  for (std::size_t i = 0; i < 3; ++i) {
    kinks.columns.theta[i] = first * one[i] + second * two[i];
    kinks.columns.phi[i] = two[3] * one[i] - one[3] * two[i];
  }
  kinks.w = w * norm;
  kinks.w_phi = w * inverse;
}

/// The kinks of a crossing from d(q1, q2)/ds there. Displacements and
/// directions of two neighbouring tracks keep the product t . q' - t' . q +
/// twist q x q', so that the change of the start that is a change of direction
/// along an axis follows from the row of the displacement along it. Source:
/// docs/theory/any-field.md, kinks without energy loss
template <class S>
[[gnu::always_inline]] inline void set_kinks(const RegionRows<S>& rows,
                                             const S& twist, const S& w,
                                             HelixKinks<S>& kinks) {
  const auto start_of = [&twist](const Row<S>& q) {
    return std::array<S, 4>{-q[2], -q[3], q[0] - twist * q[3],
                            q[1] + twist * q[2]};
  };
  set_kinks(start_of(rows.q1), start_of(rows.q2), w, kinks);
}

/// The same by the inverse of d(q1, q2, t1, t2)/ds: an interpolated map is not
/// free of sources, and does not keep that product.
template <class S>
[[gnu::always_inline]] inline void set_kinks_in_map(const RegionRows<S>& rows,
                                                    const S& w,
                                                    HelixKinks<S>& kinks) {
  const auto block = [](const Row<S>& a, const Row<S>& b, std::size_t j) {
    return TwoByTwo<S>{{{a[j], a[j + 1]}, {b[j], b[j + 1]}}};
  };
  const LowerColumns<S> columns(
      block(rows.q1, rows.q2, 0), block(rows.q1, rows.q2, 2),
      block(rows.t1, rows.t2, 0), block(rows.t1, rows.t2, 2));
  const auto start_of = [&columns](int axis) {
    const auto &near = columns.upper.m, &turn = columns.lower.m;
    return std::array<S, 4>{near[0][axis], near[1][axis], turn[0][axis],
                            turn[1][axis]};
  };
  set_kinks(start_of(0), start_of(1), w, kinks);
}

/// The kinks of a crossing, and the change of kappa behind it, by the inverse
/// of d(q1, q2, t1, t2, kappa behind)/ds.
template <class S>
[[gnu::always_inline]] inline void set_kinks_with_loss(const RegionRows<S>& r,
                                                       const Row<S>& kappa,
                                                       GeneralKinks<S>& kinks) {
  const auto block = [](const Row<S>& a, const Row<S>& b, std::size_t j) {
    return TwoByTwo<S>{{{a[j], a[j + 1]}, {b[j], b[j + 1]}}};
  };
  const LowerColumns<S> columns(block(r.q1, r.q2, 0), block(r.q1, r.q2, 2),
                                block(r.t1, r.t2, 0), block(r.t1, r.t2, 2));
  const auto [near, turn] =
      columns.applied({r.q1[4], r.q2[4]}, {r.t1[4], r.t2[4]});
  const auto change = [&kappa](const std::array<S, 4>& s) {
    const S place = kappa[0] * s[0] + kappa[1] * s[1];
    return place + kappa[2] * s[2] + kappa[3] * s[3];
  };
  // lines that differ by kappa at the start, and are the same here but for it
  const std::array<S, 4> other = {near.u, near.v, turn.u, turn.v};
  const S inverse = S(1) / (kappa[4] - change(other));
  const auto column = [&](const std::array<S, 4>& s, const S& by) {
    return Row<S>{s[0] - by * other[0], s[1] - by * other[1],
                  s[2] - by * other[2], s[3] - by * other[3], by};
  };
  const auto start_of = [&](int axis) {
    const auto &above = columns.upper.m, &below = columns.lower.m;
    const std::array<S, 4> s = {above[0][axis], above[1][axis], below[0][axis],
                                below[1][axis]};
    return column(s, S(-(inverse * change(s))));
  };
  kinks.theta = start_of(0);
  kinks.phi = start_of(1);
  kinks.loss = column({S(0), S(0), S(0), S(0)}, inverse);
}

/// A group of tracks that share a list of crossings, followed outwards. What
/// the fit takes up on its way inwards is kept.
/// @tparam slowing  whether momentum is lost in a field: kinks change kappa,
///                  too, and groups are not mixed
template <class S, bool slowing>
class BatchRegionPath {
 public:
  static constexpr bool loses_energy = slowing, is_helix = false,
                        has_line = false;
  using Kinks = std::conditional_t<slowing, GeneralKinks<S>, HelixKinks<S>>;
  using Step = std::conditional_t<slowing, LossStep<S>, BatchStep<S>>;

  explicit BatchRegionPath(BatchTask& task)
      : task_(task),
        start_(*task.regions, *task.tracks),
        strength_(scatter_strength(S(S(1) / L::load(task.tracks->p)),
                                   L::load(task.tracks->mass),
                                   L::load(task.tracks->charge))),
        total_(L::load(task.tracks->x_over_x0)),
        back_(task, start_) {
    if (task.loss == nullptr) return;
    auto* const media = reinterpret_cast<ElementPower<S>*>(back_.rest());
    momenta_.emplace(*task.loss, *task.tracks, media);
    passages_ = reinterpret_cast<LossPassage<S>*>(media + task.loss->n_media);
  }

  /// Goes through all crossings.
  void follow() {
    next_row_ = back_.rows() + task_.n_coordinates;
    if (task_.out[BatchPlane::first_hit] != nullptr) first_ = {};
    if (task_.regions->map != nullptr)
      follow_in_map();
    else
      follow_regions();
    if (task_.loss == nullptr) return;
    if constexpr (slowing)
      if (straggles(task_.loss->model))
        add_straggling(task_, momenta_->media(), passages_, back_.steps());
    task_.as_listed = L::bits(momenta_->kinetic() > S(0));
    task_.turned_back = 0;
  }

  const S& kappa() const { return start_.kappa; }
  const S& cot_theta() const { return back_.changes().cot_theta(); }
  const TrackMaterial<S>& material() const { return material_; }
  Covariance5<S> in_user_axes(const Covariance5<S>& c) const {
    return back_.changes().perigee(c);
  }
  Covariance5<S> on_start_plane(const Covariance5<S>& c) const {
    return back_.changes().on_plane(c);
  }
  /// d(u, v, phi, theta, kappa)/ds behind the first measuring layer.
  const std::array<Row<S>, track_dim>& rows_behind(std::size_t) const {
    return first_;
  }

  /// d(u, v, phi, theta, kappa)/ds at the requested layer; the same with slopes
  /// along u and v instead of the angles.
  const std::array<Row<S>, track_dim>& state() const { return state_; }
  const std::array<Row<S>, track_dim>& slopes() const { return slopes_; }
  /// Before it.
  S momentum_at() const {
    return task_.loss != nullptr ? momentum_at_ : L::load(task_.tracks->p);
  }

  /// Two independent measurements of the displacement across the track of its
  /// true start from the nominal one.
  StartHit<S> start_hit(const BeamSpot& spot) const {
    const Cartesian<S>&a = start_.axes.first, &b = start_.axes.second,
          &t = start_.direction;
    const S x2(spot.x * spot.x), y2(spot.y * spot.y), z2(spot.z * spot.z);
    const S variance = x2 * a.x * a.x + y2 * a.y * a.y + z2 * a.z * a.z;
    const S covariance = x2 * a.x * b.x + y2 * a.y * b.y + z2 * a.z * b.z;
    // Cauchy and Binet: minors of two axes are components of the third
    const S determinant =
        x2 * y2 * t.z * t.z + y2 * z2 * t.x * t.x + z2 * x2 * t.y * t.y;
    const S zero(0), one(1), inverse = one / variance;
    return {.transverse = {one, zero, zero, zero, zero},
            .longitudinal = {-(covariance * inverse), one, zero, zero, zero},
            .transverse_variance = variance,
            .longitudinal_variance = determinant * inverse};
  }

  auto& back() { return back_; }
  bool has_backward_pass() const { return task_.extras.backward_pass; }
  bool scatters(std::size_t k) const { return task_.list[k].kinked != 0; }
  const Kinks& kinks(std::size_t k) {
    const Kinks& all = all_kinks(k);
    if constexpr (!slowing)
      if (task_.mixed) {
        const TrackBits kinked = task_.list[k].kinked;
        kinked_ = {all.columns, masked(kinked, all.w),
                   masked(kinked, all.w_phi)};
        return kinked_;
      }
    return all;
  }
  const Kinks& all_kinks(std::size_t k) const { return back_.steps()[k].kinks; }
  void look_ahead(std::size_t) const {}

  template <class F>
  void coordinates(std::size_t k, F&& f) {
    next_row_ += for_kept_coordinates(task_, k, next_row_, f);
  }

 private:
  using L = PackAccess<S>;

  /// As in BatchPath. Not a template for each kind of group: products and sums
  /// may be fused in another way in each, and a track would depend on others.
  [[gnu::always_inline]] S masked(TrackBits elements, const S& x,
                                  const S& other = S(0)) const {
    return task_.mixed ? select(L::mask(elements), x, other) : x;
  }

  /// Components of a unit vector along a surface, for a displacement of the
  /// track that slides along it onto the surface.
  struct OnSurfaceAxis {
    S first, second;
    Row<S> row(const RegionRows<S>& rows) const {
      Row<S> r;
      GTTF_UNROLL
      for (std::size_t i = 0; i < track_dim; ++i)
        r[i] = first * rows.q1[i] + second * rows.q2[i];
      return r;
    }
  };
  /// Axes along a surface where tracks cross it.
  struct AxesOnSurface {
    AxisComponents<S> components;
    S slide1, slide2;

    AxesOnSurface(const SurfaceRecord& s, const RegionPlace<S>& x,
                  const Transverse<S>& axes, const S& inverse_cosine)
        : components(axis_components(s, x.point.x, x.point.y)),
          slide1(inner(x.normal, axes.first) * inverse_cosine),
          slide2(inner(x.normal, axes.second) * inverse_cosine) {}

    Cartesian<S> vector(const CoordinateAxis& axis) const {
      const S cosine(axis.cosine), sine(axis.sine);
      const auto& [u, v] = components;
      return {cosine * u[0] + sine * v[0], cosine * u[1] + sine * v[1],
              cosine * u[2] + sine * v[2]};
    }
    OnSurfaceAxis along(const CoordinateAxis& axis, const RegionPlace<S>& x,
                        const Transverse<S>& axes) const {
      const Cartesian<S> e = vector(axis);
      const S forward = inner(e, x.direction);
      return {inner(e, axes.first) - slide1 * forward,
              inner(e, axes.second) - slide2 * forward};
    }
  };

  void follow_regions() {
    RegionTransport<S> transport(*task_.regions, start_);
    for (std::size_t k = 0; k < task_.n_crossings; ++k)
      pass_in_region(k, transport);
    task_.doubtful = L::bits(transport.flight().lost());
  }

  [[gnu::noinline, gnu::flatten]] void pass_in_region(
      std::size_t k, RegionTransport<S>& transport) {
    const unsigned surface = task_.list[k].surface;
    while (transport.flight().region() != task_.regions->region[surface])
      transport.enter_next();
    const RegionCrossing<S> x =
        transport.flight().cross(task_.surfaces[surface].record);
    RegionRows<S> rows;
    Transverse<S> axes;
    transport.set_displacements_at(x, rows, axes);
    pass<false>(k, x, rows, axes, transport,
                [&transport](const RegionPlace<S>& here,
                             const Transverse<S>& across, RegionRows<S>& all) {
                  transport.set_directions_at(here, across, all);
                });
  }

  void follow_in_map() {
    MapTransport<S> transport(*task_.regions, start_);
    for (std::size_t k = 0; k < task_.n_crossings; ++k)
      pass_in_map(k, transport);
    task_.doubtful = L::bits(!transport.good());
  }

  [[gnu::noinline, gnu::flatten]] void pass_in_map(std::size_t k,
                                                   MapTransport<S>& transport) {
    const ListedSurface& c = task_.list[k];
    RegionCrossing<S> x;
    RegionRows<S> rows;
    Transverse<S> axes;
    transport.cross(task_.surfaces[c.surface].record, c.crossed, x, rows, axes);
    pass<true>(k, x, rows, axes, transport,
               [&rows](const RegionPlace<S>&, const Transverse<S>&,
                       RegionRows<S>& all) {
                 all.t1 = rows.t1;
                 all.t2 = rows.t2;
               });
  }

  /// Inlined, so that what is not needed of a crossing is not computed.
  /// @param rows      of the displacement
  /// @param complete  (place, axes, rows) sets those of the direction, too
  template <bool in_map, class Transport, class Complete>
  [[gnu::always_inline]] void pass(std::size_t k, const RegionCrossing<S>& x,
                                   const RegionRows<S>& rows,
                                   const Transverse<S>& axes,
                                   [[maybe_unused]] Transport& transport,
                                   const Complete& complete) {
    using std::abs, std::log;
    const ListedSurface& c = task_.list[k];
    const BatchSurface& s = task_.surfaces[c.surface];
    const S inverse = S(1) / x.cosine;
    const S t = S(s.record.x_over_x0) * abs(inverse);
    material_.all = material_.all + masked(c.crossed, t);
    const TrackBits before_last = c.fitted | c.inner;
    if (before_last != 0)
      material_.to_last_hit = material_.to_last_hit + masked(before_last, t);
    const TrackBits scattering =
        c.kinked | c.inner |
        (task_.at == BatchTask::nowhere ? TrackBits{0} : c.outer);
    const bool scatters = scattering != 0 && s.record.x_over_x0 > 0;
    Kinks& kinks = back_.steps()[k].kinks;
    const auto variance = [&](const ScatterStrength<S>& strength) {
      return scatters ? theta0_squared(
                            strength, task_.scattering, t,
                            [&t] { return S(log(t)); }, total_)
                      : S(0);
    };
    [[maybe_unused]] RegionRows<S> all;
    if constexpr (slowing) {
      all.q1 = rows.q1;
      all.q2 = rows.q2;
      complete(x, axes, all);
      kinks.w = kinks.w_phi = variance(slow(k, x, axes, all, transport, kinks));
      kinks.w_loss = kinks.w_loss * kinks.w;
    } else {
      const S w = variance(task_.loss == nullptr ? strength_
                                                 : lose(k, x.cosine, inverse));
      if constexpr (in_map)
        set_kinks_in_map(rows, w, kinks);
      else
        set_kinks(rows, start_.twist, w, kinks);
      if (task_.mixed) {
        const TrackBits needed = scattering | c.fitted;
        for (std::size_t i = 0; i < 3; ++i) {
          kinks.columns.theta[i] = masked(needed, kinks.columns.theta[i]);
          kinks.columns.phi[i] = masked(needed, kinks.columns.phi[i]);
        }
        kinks.w = masked(scattering, kinks.w);
        kinks.w_phi = masked(scattering, kinks.w_phi);
      }
    }
    const bool is_state = k == task_.at,
               is_first =
                   c.first != 0 && task_.out[BatchPlane::first_hit] != nullptr;
    if (c.fitted == 0 && !is_state) return;
    const AxesOnSurface on_surface(s.record, x, axes, inverse);
    if (c.fitted != 0) {
      next_row_ -= s.record.n_axes;
      for (unsigned q = 0; q < s.record.n_axes; ++q) {
        next_row_[q] = on_surface.along(s.axes[q], x, axes).row(rows);
        if (task_.mixed)
          for (S& element : next_row_[q]) element = masked(c.fitted, element);
      }
    }
    if (is_first || is_state) {
      // copies: what a function is given would be in memory in every step
      const RegionPlace<S> here = x;
      const Transverse<S> across = axes;
      if constexpr (!slowing) {
        all.q1 = rows.q1;
        all.q2 = rows.q2;
        complete(here, across, all);
      }
      set_user_rows(k, here, across, all);
    }
  }

  /// The scattering in a layer with energy loss, behind which the tracks are
  /// slower. They fly on as they would without loss: it is straight.
  [[gnu::noinline, gnu::flatten]] ScatterStrength<S> lose(std::size_t k,
                                                          const S& cosine,
                                                          const S& inverse) {
    const ListedSurface& c = task_.list[k];
    if (k == task_.at) momentum_at_ = momenta_->p();
    const ElementLoss<S> loss = momenta_->loss_in(c.surface, cosine, inverse);
    momenta_->pass(L::mask(c.crossed), loss);
    return momenta_->strength(loss);
  }

  /// The same where it bends: kappa behind the layer depends on the line
  /// through the momentum before it, and through the incidence. Sets the
  /// columns of the kinks, and the variance of kappa in units of that of the
  /// angles. As pass_layer().
  template <class Transport>
  [[gnu::noinline, gnu::flatten]] ScatterStrength<S> slow(
      std::size_t k, const RegionCrossing<S>& x, const Transverse<S>& axes,
      const RegionRows<S>& rows, Transport& transport, GeneralKinks<S>& kinks) {
    using std::abs;
    const ListedSurface& c = task_.list[k];
    if (k == task_.at) momentum_at_ = momenta_->p();
    const SurfaceRecord& s = task_.surfaces[c.surface].record;
    const S inverse = S(1) / x.cosine, size = abs(inverse),
            x_over_x0 = S(s.x_over_x0) * size;
    const ElementLoss<S> loss = momenta_->loss_in(c.surface, x.cosine, inverse);
    const S b(-task_.regions->b_ref);  // d(kappa)/d(q/p)
    for (std::size_t i = 0; i < track_dim; ++i)
      kappa_before_[i] = b * transport.d_qop()[i];
    if (!momenta_->lose_in(c.surface)) {
      kappa_behind_ = kappa_before_;
      set_kinks_with_loss(rows, kappa_behind_, kinks);
      kinks.w_loss = S(0);
      keep_passage(k, x_over_x0, momenta_->kinetic(), size, S(0));
      return momenta_->strength(loss);
    }
    const S p = momenta_->p(), energy = momenta_->energy(),
            kinetic = momenta_->kinetic();
    momenta_->pass(all_true<S>(), loss);
    const S ratio = p / momenta_->p(), qop = momenta_->qop();
    const S slope = ratio * ratio * ratio * (momenta_->energy() / energy) *
                    loss.transmission;  // d(q/p behind)/d(q/p)
    const S per_energy =
        -(qop * momenta_->energy() / (momenta_->p() * momenta_->p()));
    // d(n.t) of the crossing; the normal of a cylinder depends on the point
    const S n1 = inner(x.normal, axes.first), n2 = inner(x.normal, axes.second);
    S around1(0), around2(0);
    if (s.kind == SurfaceRecord::Kind::cylinder) {
      const S inv_r(1 / s.position),
          slide = transverse_dot(x.direction, x.direction) * inverse;
      around1 = inv_r * (transverse_dot(axes.first, x.direction) - n1 * slide);
      around2 = inv_r * (transverse_dot(axes.second, x.direction) - n2 * slide);
    }
    keep_passage(k, x_over_x0, kinetic, size, S(b * per_energy));
    const S by_cosine = per_energy * loss.per_path * inverse * size;
    Row<S> d_qop = transport.d_qop();
    for (std::size_t i = 0; i < track_dim; ++i) {
      const S turned = n1 * rows.t1[i] + n2 * rows.t2[i];
      const S cosine = turned + around1 * rows.q1[i] + around2 * rows.q2[i];
      d_qop[i] = slope * d_qop[i] + by_cosine * cosine;
      kappa_behind_[i] = b * d_qop[i];
    }
    set_kinks_with_loss(rows, kappa_behind_, kinks);
    // the effect of the angles on the loss in the rest of the layer
    const S per_angle = b * per_energy * (inverse * size);
    const S by1 = per_angle * n1, by2 = per_angle * n2;
    for (std::size_t i = 0; i < track_dim; ++i) {
      const S change = loss.ahead * kinks.loss[i];
      kinks.theta[i] = kinks.theta[i] + by1 * change;
      kinks.phi[i] = kinks.phi[i] + by2 * change;
    }
    kinks.w_loss = loss.ahead_variance * (by1 * by1 + by2 * by2);
    transport.change_qop(x, qop, d_qop);
    return momenta_->strength(loss);
  }

  /// For the fluctuations of the losses.
  /// @param per_energy  d(kappa)/d(energy) behind the layer
  [[gnu::always_inline]] void keep_passage(std::size_t k, const S& x_over_x0,
                                           const S& kinetic, const S& paths,
                                           const S& per_energy) {
    if (straggles(task_.loss->model)) [[unlikely]]
      set_passage(*task_.loss, task_.list[k].surface, momenta_->media(),
                  momenta_->charge2(), kinetic, paths, x_over_x0, per_energy,
                  passages_[k]);
  }

  /// Of the state at the requested layer and behind the first measuring one:
  /// a separate function, because most steps do not need it.
  [[gnu::noinline, gnu::flatten]] void set_user_rows(
      std::size_t k, const RegionPlace<S>& x, const Transverse<S>& axes,
      const RegionRows<S>& rows) {
    const ListedSurface& c = task_.list[k];
    const SurfaceRecord& s = task_.surfaces[c.surface].record;
    const AxesOnSurface on_surface(s, x, axes, S(1) / x.cosine);
    const auto [u, v] = s.user_axes();
    std::array<Row<S>, track_dim> here;
    here[0] = on_surface.along(u, x, axes).row(rows);
    here[1] = on_surface.along(v, x, axes).row(rows);
    set_angles(x.direction, axes, rows, here);
    if constexpr (slowing)
      here[4] = kappa_before_;
    else
      here[4] = {S(0), S(0), S(0), S(0), S(1)};
    if (k == task_.at)
      set_state(here, on_surface.vector(u), on_surface.vector(v), x.direction,
                axes, rows);
    if (c.first == 0 || task_.out[BatchPlane::first_hit] == nullptr) return;
    if constexpr (slowing) here[4] = kappa_behind_;
    const auto first = L::mask(c.first);
    for (std::size_t i = 0; i < track_dim; ++i)
      for (std::size_t j = 0; j < track_dim; ++j)
        first_[i][j] = select(first, here[i][j], first_[i][j]);
  }

  /// Sets the state at a surface with the unit vectors u and v.
  void set_state(const std::array<Row<S>, track_dim>& here,
                 const Cartesian<S>& u, const Cartesian<S>& v,
                 const Cartesian<S>& t, const Transverse<S>& axes,
                 const RegionRows<S>& rows) {
    using std::abs;
    state_ = slopes_ = here;
    const Cartesian<S> n = cross_of(u, v);
    const S inverse = S(1) / inner(t, n), size = abs(inverse);
    // per depth below the surface, as slopes_on_surface()
    const auto slope = [&](const Cartesian<S>& axis) {
      const S ratio = inner(axis, t) * inverse;
      const auto of = [&](const Cartesian<S>& a) {
        return (inner(axis, a) - ratio * inner(n, a)) * size;
      };
      const S first = of(axes.first), second = of(axes.second);
      Row<S> row;
      for (std::size_t i = 0; i < track_dim; ++i)
        row[i] = first * rows.t1[i] + second * rows.t2[i];
      return row;
    };
    slopes_[2] = slope(u);
    slopes_[3] = slope(v);
  }

  /// Azimuth and polar angle in the user's axes; NaN along z.
  static void set_angles(const Cartesian<S>& t, const Transverse<S>& axes,
                         const RegionRows<S>& rows,
                         std::array<Row<S>, track_dim>& first) {
    using std::sqrt;
    const S sine = sqrt(transverse_dot(t, t));
    const S inverse =
        select(sine < S(1e-6), S(std::numeric_limits<double>::quiet_NaN()),
               S(S(1) / sine));
    const S c = t.x * inverse, s = t.y * inverse;
    const auto phi = [&](const Cartesian<S>& a) {
      return (c * a.y - s * a.x) * inverse;
    };
    const auto theta = [&](const Cartesian<S>& a) {
      return t.z * (c * a.x + s * a.y) - sine * a.z;
    };
    const S phi1 = phi(axes.first), phi2 = phi(axes.second);
    const S theta1 = theta(axes.first), theta2 = theta(axes.second);
    for (std::size_t i = 0; i < track_dim; ++i) {
      first[2][i] = phi1 * rows.t1[i] + phi2 * rows.t2[i];
      first[3][i] = theta1 * rows.t1[i] + theta2 * rows.t2[i];
    }
  }

  BatchTask& task_;
  const RegionStart<S> start_;
  const ScatterStrength<S> strength_;
  const S total_;  ///< x/X0 up to the last hit; for Scattering::highland_total
  std::optional<SlowingTracks<S>> momenta_;  ///< if energy is lost on the way
  LossPassage<S>* passages_ = nullptr;  ///< of all crossings, if it fluctuates
  /// Of kappa at the latest layer; if slowing.
  Row<S> kappa_before_, kappa_behind_;
  BatchBackwardPass<S, Step, RegionChanges<S>> back_;
  /// Of the present crossing, in both passes; the outermost one has the first.
  Row<S>* next_row_ = nullptr;
  /// Of the first hit and of the state; only if they are requested.
  std::array<Row<S>, track_dim> first_, state_, slopes_;
  S momentum_at_{0};
  Kinks kinked_;  ///< temporary
  TrackMaterial<S> material_;
};

/// Whether tracks lose energy where that bends them.
inline bool are_slowing(const BatchTask& task) {
  return task.loss != nullptr && task.regions->b_ref != 0;
}

template <class S, bool slowing>
[[gnu::noinline, gnu::flatten]] void fit_through_regions(BatchTask& task) {
  BatchCovariance<S, BatchRegionPath<S, slowing>, true, true, true>(task).run();
}

template <class S>
void fit_in_regions(BatchTask& task) {
  if (are_slowing(task))
    fit_through_regions<S, true>(task);
  else
    fit_through_regions<S, false>(task);
}

template <class S>
std::size_t region_workspace(const BatchTask& task) {
  std::size_t bytes = are_slowing(task)
                          ? backward_pass_workspace<S, LossStep<S>>(task)
                          : backward_pass_workspace<S, BatchStep<S>>(task);
  if (task.loss != nullptr)
    bytes += task.loss->n_media * sizeof(ElementPower<S>) +
             straggling_workspace<S>(task);
  return bytes;
}

template <class S>
constexpr CovarianceKernel make_region_kernel() {
  return {PackAccess<S>::width, search_regions<S>, fit_in_regions<S>,
          region_workspace<S>};
}

}  // namespace gttf::detail
