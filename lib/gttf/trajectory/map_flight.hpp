// SPDX-License-Identifier: Apache-2.0
// Flights of particles through a field map onto surfaces, for any scalar.
#pragma once

#include <span>

#include "gttf/trajectory/map_step.hpp"
#include "gttf/trajectory/map_step_length.hpp"
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

template <class S>
void put(const MaskOf<S>& where, const FieldAt<S>& from, FieldAt<S>& to) {
  put(where, from.field, to.field);
  put(where, from.by_x, to.by_x);
  put(where, from.by_y, to.by_y);
  put(where, from.by_z, to.by_z);
}

template <class S>
void put(const MaskOf<S>& where, const FlightChange<S>& from,
         FlightChange<S>& to) {
  put(where, from.position, to.position);
  put(where, from.direction, to.direction);
}
template <class S>
void put(const MaskOf<S>& where, const ChangeInStep<S>& from,
         ChangeInStep<S>& to) {
  put(where, from.position, to.position);
  put(where, from.direction, to.direction);
  for (std::size_t i = 0; i < LobattoNodes::nodes; ++i) {
    Cartesian<S> bend = to.bends[i];
    put(where, Cartesian<S>(from.bends[i]), bend);
    to.bends[i] = bend;
  }
}

/// Particles in a map, and the field where they are.
template <class S>
struct MapParticles {
  Cartesian<S>& x;
  Cartesian<S>& t;
  FieldAt<S>& here;
  S qop;
  S qop_slope;      ///< of changes that are charged
  MaskOf<S>& good;  ///< cleared for particles that cannot be followed
  MapStepLength<S>& steps;
};

/// Moves particles to a level, by steps as long as their error allows.
/// @param on_path  the level at a point, along a direction
/// @param left     first guess of the path, with sign
/// @param changes  derivatives, moved along
/// @return         the paths
template <class S, class OnPath>
[[gnu::noinline]] S fly_in_map(const FieldMapView& map,
                               const MapParticles<S>& p, const OnPath& on_path,
                               S left, std::span<FlightChange<S>> changes) {
  using std::abs;
  constexpr int most_steps = 1000;
  // mm; nearer than that two terms of the path suffice
  constexpr double near = 1e-4;
  const S zero(0), half(0.5), one(1);
  auto moving = all_true<S>();
  S path = zero;
  MapStep<S> step;
  for (int n = 0;; ++n) {
    // the mean field on the way to a point
    const Cartesian<S> mean =
        p.here.field + (S(1. / 3) * left) * p.here.along(p.t);
    const auto path_of = [&](const S& length) {
      return UniformPath<S>{-(p.qop * mean), length};
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
    const auto back = left < zero;
    const S whole = abs(left);
    const S most = p.steps.next(map, p.x, select(back, -one, one) * p.t,
                                p.here.field, p.qop);
    const S size = select(whole < most, whole, most);
    const S length = select(moving, select(back, -size, size), zero);
    step.begin_with(p.here);
    const auto inside = step.take(map, p.x, p.t, p.qop, length);
    p.good = both(p.good, either(inside, !moving));
    const auto taken = p.steps.accept(step, moving, inside, size);
    if (!changes.empty()) step.linearise();
    for (FlightChange<S>& c : changes) {
      const FlightChange<S> next =
          step.end_of(step.pass(c, c.charged ? p.qop_slope : zero));
      put(taken, next, c);
    }
    put(taken, step.position(), p.x);
    put(taken, step.direction(), p.t);
    put(taken, step.at_end(), p.here);
    path = path + select(taken, length, zero);
    left = left - select(taken, length, zero);
  }
  const S half2 = half * left * left;
  const Cartesian<S> force = cross_of(p.t, p.here.field);
  for (FlightChange<S>& c : changes) {
    Cartesian<S> bend = p.qop * (cross_of(c.direction, p.here.field) +
                                 cross_of(p.t, p.here.along(c.position)));
    if (c.charged) bend = bend + p.qop_slope * force;
    c.position = c.position + left * c.direction + half2 * bend;
    c.direction = c.direction + left * bend;
  }
  const Cartesian<S> bend = p.qop * force;
  p.here.field = p.here.field + left * p.here.along(p.t);
  p.x = p.x + left * p.t + half2 * bend;
  p.t = p.t + left * bend;
  return path + left;
}

}  // namespace gttf::detail
