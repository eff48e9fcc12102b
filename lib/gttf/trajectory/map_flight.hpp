// SPDX-License-Identifier: Apache-2.0
// Flights of particles through a field map onto surfaces, for any scalar.
#pragma once

#include <span>

#include "gttf/trajectory/map_step.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf::detail {

/// The path at which a level is zero if the field is uniform, by Newton's
/// method; quadratic: after a step of 1e-9 only rounding remains.
/// @param path_of  called with a length: the path in the field, or null where
///                 it is straight
/// @param good     cleared where it does not converge
template <class S, class PathOf, class OnPath>
S uniform_length(const Cartesian<S>& x, const Cartesian<S>& t, bool straight,
                 const PathOf& path_of, const OnPath& on_path, S length,
                 MaskOf<S>& good) {
  using std::abs;
  constexpr int most_steps = 15;
  constexpr double last = 1e-9;  // mm
  auto moving = all_true<S>();
  for (int step = 0; step < most_steps && any(moving); ++step) {
    LevelOnPath<S> there;
    if (straight) {
      there = on_path(x + length * t, t);
    } else {
      const UniformPath<S> path = path_of(length);
      there = on_path(x + path.displacement(t), path.direction(t));
    }
    const S move = there.value / there.slope;
    length = select(moving, length - move, length);
    moving = both(moving, !(abs(move) <= S(last)));
  }
  good = both(good, !moving);
  return length;
}

/// Replaces elements of a vector.
template <class S>
void put(const MaskOf<S>& where, const Cartesian<S>& from, Cartesian<S>& to) {
  to = {select(where, from.x, to.x), select(where, from.y, to.y),
        select(where, from.z, to.z)};
}

/// The length of steps through a map, so long as their errors allow.
template <class S>
struct MapStepLength {
  S limit;

  /// @param field  at the start
  MapStepLength(const FieldMapView& map, const Cartesian<S>& field,
                const S& qop) {
    using std::sqrt;
    const S longest(most_cells * map.coarsest_spacing);
    const S rate2 = qop * qop * inner(field, field);
    const auto bent = longest * longest * rate2 > S(most_turn * most_turn);
    limit = longest_ =
        select(bent, S(most_turn) / sqrt(select(bent, rate2, S(1))), longest);
  }

  /// After a step.
  /// @param tried  those that took it; their steps were this long
  /// @return       those of which the error is not too large
  MaskOf<S> accept(const MapStep<S>& step, const MaskOf<S>& tried,
                   const S& size) {
    const S error2 = step.error2(), twice = S(2) * limit;
    const auto taken = both(both(tried, error2 <= S(1)),
                            step.turn_cosine() >= S(least_cosine));
    // an error of order 5
    constexpr double small = 1. / 64;
    const auto longer = both(error2 <= S(small * small), twice <= longest_);
    limit = select(taken, select(longer, twice, limit),
                   select(tried, S(0.5) * size, limit));
    return taken;
  }

 private:
  static constexpr double most_cells = 4, most_turn = turn_in_step;
  static constexpr double least_cosine = 0.95;  ///< of a turn of 0.32 rad

  S longest_;
};

/// Particles in a map, and the field where they are.
template <class S>
struct MapParticles {
  Cartesian<S>& x;
  Cartesian<S>& t;
  FieldAt<S>& here;
  S qop;
  S qop_slope;      ///< of changes that are charged
  MaskOf<S>& good;  ///< cleared for particles that cannot be followed
};

/// Moves particles to a level, by steps as long as their error allows.
/// @param on_path  the level at a point, along a direction
/// @param left     first guess of the path, with sign
/// @param moves    those that are moved
/// @param changes  derivatives, moved along
/// @return         the paths
template <bool gradient, class S, class OnPath>
[[gnu::noinline]] S fly_in_map(const FieldMapView& map,
                               const MapParticles<S>& p, const OnPath& on_path,
                               S left, const MaskOf<S>& moves,
                               std::span<FlightChange<S>> changes) {
  using std::abs, std::sqrt;
  constexpr int most_steps = 1000;
  // mm; nearer than that two terms of the path suffice, and the field is that
  // of the end of a step
  constexpr double near = 1e-4, at_end = 1e-5;
  const S zero(0), half(0.5);
  const auto put_field = [](const MaskOf<S>& mask, const FieldAt<S>& from,
                            FieldAt<S>& to) {
    put(mask, from.field, to.field);
    if constexpr (!gradient) return;
    put(mask, from.by_x, to.by_x);
    put(mask, from.by_y, to.by_y);
    put(mask, from.by_z, to.by_z);
  };
  MapStepLength<S> steps(map, p.here.field, p.qop);
  auto moving = moves;
  S path = zero;
  MapStep<S> step;
  for (int n = 0;; ++n) {
    const auto path_of = [&p](const S& length) {
      return UniformPath<S>{-(p.qop * p.here.field), length};
    };
    auto found = all_true<S>();
    const S guess =
        uniform_length(p.x, p.t, false, path_of, on_path, left, found);
    left = select(moving, guess, left);
    p.good = both(p.good, either(found, !moving));
    moving = both(both(moving, p.good), !(abs(left) <= S(near)));
    if (!any(moving)) break;
    if (n == most_steps) {
      p.good = both(p.good, !moving);
      break;
    }
    const S whole = abs(left),
            size = select(whole < steps.limit, whole, steps.limit);
    const S length = select(moving, select(left < zero, -size, size), zero);
    step.begin_with(p.here);
    const auto inside =
        step.template take<gradient>(map, p.x, p.t, p.qop, length);
    p.good = both(p.good, either(inside, !moving));
    const auto taken = steps.accept(step, moving, size);
    for (FlightChange<S>& c : changes) {
      FlightChange<S> next = c;
      Cartesian<S> bend;
      step.pass(next, c.charged ? p.qop_slope : zero, bend);
      put(taken, next.position, c.position);
      put(taken, next.direction, c.direction);
    }
    put(taken, step.position(), p.x);
    put(taken, step.direction(), p.t);
    put_field(taken, step.at_end(), p.here);
    path = path + select(taken, length, zero);
    left = left - select(taken, length, zero);
  }
  left = select(moves, left, zero);
  const S half2 = half * left * left;
  const Cartesian<S> force = cross_of(p.t, p.here.field);
  for (FlightChange<S>& c : changes) {
    const Cartesian<S> by_place = c.position.x * p.here.by_x +
                                  c.position.y * p.here.by_y +
                                  c.position.z * p.here.by_z;
    Cartesian<S> bend =
        p.qop * (cross_of(c.direction, p.here.field) + cross_of(p.t, by_place));
    if (c.charged) bend = bend + p.qop_slope * force;
    c.position = c.position + left * c.direction + half2 * bend;
    c.direction = c.direction + left * bend;
  }
  const Cartesian<S> bend = p.qop * force;
  p.x = p.x + left * p.t + half2 * bend;
  p.t = p.t + left * bend;
  const auto elsewhere = abs(left) > S(at_end);
  if (any(elsewhere)) {
    FieldAt<S> there;
    p.good = both(p.good, look_up<gradient>(map, p.x, there));
    put_field(elsewhere, there, p.here);
  }
  return path + left;
}

}  // namespace gttf::detail
