// SPDX-License-Identifier: Apache-2.0
// FlightThroughRegions: particles through regions of a uniform field, or a
// field map, with energy loss and derivatives, for any scalar.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "gttf/core/pack_functions.hpp"
#include "gttf/fit/track/hit_loss.hpp"
#include "gttf/fit/track/hits.hpp"
#include "gttf/trajectory/field_regions.hpp"
#include "gttf/trajectory/kinetic_energy.hpp"
#include "gttf/trajectory/map_flight.hpp"

namespace gttf::detail {

/// The FlightModel of tracks that cross the same surfaces, one track per vector
/// element.
struct BatchFlight {
  FieldRegions regions;
  std::span<const std::size_t> region;  ///< of every surface
  std::size_t start_region = 0;         ///< of TrackHits::origin
  std::span<const SlowingDown> loss;    ///< of every surface
  std::span<const LossSpread> spread;   ///< of every surface, or empty
  Frame frame;
  bool field = true;  ///< TrackHits::field
  double b_ref = 0;   ///< Field::reference
  double mass = 0;    ///< GeV
  double charge = 1;  ///< e, > 0
  /// TrackHits::momentum, GeV; 0: unknown.
  double momentum = 0;

  bool loses(std::size_t surface) const {
    return field && loss[surface].after < loss[surface].before;
  }
  /// Whether the loss fluctuates.
  bool straggles(std::size_t surface) const {
    return field && !spread.empty() && spread[surface].sigma > 0;
  }
  /// Of tracks that bend in a map; else null.
  const FieldMapView* map() const { return field ? regions.map : nullptr; }
};

/// Frame::into() and out_of().
template <class S>
Cartesian<S> into_frame(const Frame& frame, const Cartesian<S>& v) {
  if (frame.polar == Axis::x) return {v.y, v.z, v.x};
  if (frame.polar == Axis::y) return {v.z, v.x, v.y};
  return v;
}
template <class S>
Cartesian<S> out_of_frame(const Frame& frame, const Cartesian<S>& v) {
  if (frame.polar == Axis::x) return {v.z, v.x, v.y};
  if (frame.polar == Axis::y) return {v.y, v.z, v.x};
  return v;
}

/// A direction in a frame, with its unit vectors in the user's axes: the
/// FrameAngles of one track per vector element, without the angles.
template <class S>
struct FrameDirection {
  Cartesian<S> inside;  ///< in the frame
  S sine, inverse;      ///< sin(theta), and its inverse
  Cartesian<S> along_theta, along_phi;

  FrameDirection(const Frame& frame, const Cartesian<S>& direction) {
    using std::sqrt;
    inside = into_frame(frame, direction);
    sine = sqrt(transverse_dot(inside, inside));
    inverse = S(1) / sine;
    const S c = inside.x * inverse, s = inside.y * inverse;
    along_theta =
        out_of_frame(frame, Cartesian<S>{inside.z * c, inside.z * s, -sine});
    along_phi = out_of_frame(frame, Cartesian<S>{-s, c, S(0)});
  }
  S theta() const {
    using std::atan2;
    return atan2(sine, inside.z);
  }
  S phi() const {
    using std::atan2;
    return atan2(inside.y, inside.x);
  }
};

template <class S>
Cartesian<S> direction_in_frame(const Frame& frame, const S& theta,
                                const S& phi) {
  using std::cos, std::sin;
  const S sine = sin(theta);
  return out_of_frame(
      frame, Cartesian<S>{sine * cos(phi), sine * sin(phi), cos(theta)});
}

/// x^a for a x near 1.
/// @param known  cleared where |a ln x| > 1/2
template <class S>
S power_near_one(const S& x, double a, MaskOf<S>& known) {
  using std::abs, std::log;
  const S y = S(a) * log(x);
  known = both(known, abs(y) <= S(0.5));
  return exp_small(y);
}

/// The momentum after a mean loss, and its derivative.
template <class S>
struct SlowedMomentum {
  S after, slope;
};

/// @param good  cleared where the particle stops, or for a momentum too far
///              from that of the loss
template <class S>
SlowedMomentum<S> momentum_after(const SlowingDown& law, double mass,
                                 const S& p, MaskOf<S>& good) {
  const S m(mass), one(1);
  const S kinetic = kinetic_energy(p, m), energy = kinetic + m;
  const S power = power_near_one(S(kinetic * S(1 / law.before)), law.n, good);
  const S change = S(law.growth) * (power - one);
  good = both(good, both(change > S(-1), S(law.after) > S(0)));
  const S after =
      S(law.after) * power_near_one(S(one + change), 1 / law.n, good);
  const S behind = momentum_of_kinetic(after, m);
  return {behind, (after + m) / behind * (p / energy) * (after / kinetic) *
                      S(law.growth) * power / (one + change)};
}

/// The inverse.
template <class S>
SlowedMomentum<S> momentum_in_front(const SlowingDown& law, double mass,
                                    const S& behind, MaskOf<S>& good) {
  const S m(mass), one(1);
  const S after = kinetic_energy(behind, m);
  const S change =
      power_near_one(S(after * S(1 / law.after)), law.n, good) - one;
  const S kinetic =
      S(law.before) *
      power_near_one(S(one + change * S(1 / law.growth)), 1 / law.n, good);
  const S p = momentum_of_kinetic(kinetic, m);
  return {p, momentum_after(law, mass, p, good).slope};
}

/// q/p and its derivative with the curvature at the origin.
template <class S>
struct BatchCharge {
  S qop{0}, slope{0};

  static BatchCharge at_origin(const BatchFlight& model, const S& kappa) {
    if (!model.field) return {};
    const S inverse(1 / model.b_ref);
    return {-(kappa * inverse), -inverse};
  }
  S momentum(const BatchFlight& model) const {
    using std::abs;
    return S(model.charge) / abs(qop);
  }
  /// Through a layer.
  void pass(const BatchFlight& model, std::size_t surface, MaskOf<S>& good) {
    if (!model.loses(surface)) return;
    const S p = momentum(model);
    const SlowedMomentum<S> slowed =
        momentum_after(model.loss[surface], model.mass, p, good);
    change(p / slowed.after, slowed.slope);
  }
  /// Back through it.
  void pass_back(const BatchFlight& model, std::size_t surface,
                 MaskOf<S>& good) {
    if (!model.loses(surface)) return;
    const S p = momentum(model);
    const SlowedMomentum<S> before =
        momentum_in_front(model.loss[surface], model.mass, p, good);
    change(p / before.after, S(S(1) / before.slope));
  }
  /// By a change of the curvature.
  void change_curvature(const BatchFlight& model, const S& by) {
    qop = qop - by * S(1 / model.b_ref);
  }
  /// d(curvature)/d(curvature at the origin).
  S curvature_slope(const BatchFlight& model) const {
    return S(-model.b_ref) * slope;
  }

 private:
  void change(const S& ratio, const S& by_momentum) {
    qop = qop * ratio;
    slope = slope * (ratio * ratio * by_momentum);
  }
};

/// Variance of kappa behind a layer that straggles: straggling_variance().
/// @param weight  factor of theta0_2
template <class S>
S straggling_variance(const BatchFlight& model, std::size_t surface,
                      const S& weight, MaskOf<S>& good) {
  using std::sqrt;
  const LossSpread& spread = model.spread[surface];
  const auto scatters = weight > S(0);
  const S p = S(spread.momentum) / sqrt(select(scatters, weight, S(1)));
  const S behind =
      momentum_after(model.loss[surface], model.mass, p, good).after;
  return select(scatters,
                curvature_variance(spread.sigma, behind, model.mass,
                                   model.charge * model.b_ref),
                S(0));
}

/// A plane as level function, with the interface of level_on_path().
template <class S>
struct PlaneLevel {
  Cartesian<S> point, normal;

  LevelOnPath<S> on_path(const Cartesian<S>& x, const Cartesian<S>& t) const {
    return {inner(normal, x - point), inner(normal, t)};
  }
};

struct SurfaceOfLayer {
  const SurfaceRecord& record;

  template <class S>
  LevelOnPath<S> on_path(const Cartesian<S>& x, const Cartesian<S>& t) const {
    return level_on_path(record, x, t);
  }
};

struct FaceLevel {
  Axis normal;
  double at;

  template <class S>
  LevelOnPath<S> on_path(const Cartesian<S>& x, const Cartesian<S>& t) const {
    return {component(x, normal) - S(at), component(t, normal)};
  }
};

/// Particles on their paths, each of which turns by less than 1 rad between two
/// surfaces; in either direction along their paths.
template <class S>
class FlightThroughRegions {
 public:
  using Changes = std::span<FlightChange<S>>;

  /// @param here  the field at the start in a map, with its derivatives; null:
  ///              it is looked up
  FlightThroughRegions(const BatchFlight& model, const Cartesian<S>& position,
                       const Cartesian<S>& direction,
                       const BatchCharge<S>& start, std::size_t region,
                       const FieldAt<S>* here = nullptr)
      : x(position),
        t(direction),
        charge(start),
        model_(model),
        region_(region) {
    enter();
    if (here == nullptr) return;
    here_ = *here;
    knows_field_ = true;
  }

  Cartesian<S> x, t;
  BatchCharge<S> charge;
  /// Tracks that could be followed so far.
  MaskOf<S> good = all_true<S>();

  /// d(direction)/d(path), 1/mm.
  Cartesian<S> bend() const {
    if (straight_) return {S(0), S(0), S(0)};
    return charge.qop * cross_of(t, here_.field);
  }
  bool is_straight() const { return straight_; }

  /// Moves to a surface in `region`.
  /// @param way      1: forwards, -1: backwards, 0: either, to one nearby
  /// @param length   first guess of the path, mm, positive
  /// @param changes  derivatives, at the surface afterwards
  template <class Level>
  void fly_onto(const Level& level, std::size_t region, int way,
                const S& length, Changes changes) {
    S left = way < 0 ? S(-length) : length;
    while (region_ != region) left = left - fly_to_next(region, way, changes);
    fly_to(level, way, left, changes);
    stay_in_region();
  }
  /// Moves to a face of a region, unless there.
  void enter_region(std::size_t region, Changes changes) {
    while (region_ != region) fly_to_next(region, 0, changes);
  }

  /// Moves to the closest approach to a line along z, in the current region.
  void fly_to_perigee(const Cartesian<S>& origin, Changes changes) {
    if (model_.map() != nullptr) look_here();
    const auto value_and_slope = [&](const Cartesian<S>& at,
                                     const Cartesian<S>& along) {
      const Cartesian<S> from = at - origin;
      Cartesian<S> bent{S(0), S(0), S(0)};
      if (!straight_) bent = charge.qop * cross_of(along, here_.field);
      return LevelOnPath<S>{
          transverse_dot(from, along),
          transverse_dot(along, along) + transverse_dot(from, bent)};
    };
    const LevelOnPath<S> begin = value_and_slope(x, t);
    move_to(value_and_slope, S(-(begin.value / begin.slope)), changes);
    const Cartesian<S> from = x - origin, bent = bend();
    const S inverse = S(1) / value_and_slope(x, t).slope;
    for (FlightChange<S>& c : changes) {
      const S slip = inverse * (transverse_dot(t, c.position) +
                                transverse_dot(from, c.direction));
      slide(c, slip, bent);
    }
    stay_in_region();
  }

  /// Derivatives for the crossing with a surface at the current point.
  template <class Level>
  void project(const Level& level, Changes changes) const {
    const Cartesian<S> bent = bend();
    const S inverse = S(1) / level.on_path(x, t).slope;
    for (FlightChange<S>& c : changes)
      slide(c, S(inverse * level.on_path(x, c.position).slope), bent);
  }

 private:
  void enter() {
    const auto& b = model_.regions.fields[region_];
    here_.field = {S(b[0]), S(b[1]), S(b[2])};
    straight_ = !model_.field || (b[0] == 0 && b[1] == 0 && b[2] == 0);
    if (model_.map() != nullptr) straight_ = false;
  }

  /// Looks up the field of a map, unless it is known.
  void look_here() {
    if (!knows_field_)
      good = both(good, look_up<true>(*model_.map(), x, here_));
    knows_field_ = true;
  }

  UniformPath<S> path_of(const S& length) const {
    return {-(charge.qop * here_.field), length};
  }

  void slide(FlightChange<S>& c, const S& slip,
             const Cartesian<S>& bent) const {
    c.position = c.position - slip * t;
    if (!straight_) c.direction = c.direction - slip * bent;
  }

  /// Moves to the zero of a level.
  /// @param guess  of the path, with sign
  /// @return       the path, with sign
  template <class OnPath>
  S move_to(const OnPath& on_path, const S& guess, Changes changes) {
    if (const FieldMapView* map = model_.map()) {
      look_here();
      if (!steps_) steps_.emplace(*map);
      const MapParticles<S> particles{
          x, t, here_, charge.qop, charge.slope, good, *steps_};
      return fly_in_map(*map, particles, on_path, guess, changes);
    }
    const S length = uniform_length(
        x, t, straight_, [this](const S& l) { return path_of(l); }, on_path,
        guess, good);
    move_by(length, changes);
    return length;
  }

  void move_by(const S& length, Changes changes) {
    if (straight_) {
      x = x + length * t;
      for (FlightChange<S>& c : changes)
        c.position = c.position + length * c.direction;
      return;
    }
    const UniformPath<S> path = path_of(length);
    good = both(good, path.turn2() <= S(1));
    for (FlightChange<S>& c : changes) {
      c.position = c.position + path.displacement(c.direction);
      c.direction = path.direction(c.direction);
      if (!c.charged) continue;
      c.position =
          c.position + charge.slope * path.displacement_per_qop(t, here_.field);
      c.direction =
          c.direction + charge.slope * path.direction_per_qop(t, here_.field);
    }
    x = x + path.displacement(t);
    t = path.direction(t);
  }

  /// To the face towards a region, and through it.
  S fly_to_next(std::size_t region, int way, Changes changes) {
    const bool up = region > region_;
    const FaceLevel face{model_.regions.normal,
                         model_.regions.faces[up ? region_ : region_ - 1]};
    const LevelOnPath<S> from = face.on_path(x, t);
    const S path = fly_to(face, way, S(-(from.value / from.slope)), changes);
    region_ = up ? region_ + 1 : region_ - 1;
    enter();
    return path;
  }

  /// @param guess  of the path, with sign
  /// @return       the path, with sign
  template <class Level>
  S fly_to(const Level& level, int way, const S& guess, Changes changes) {
    const S length = move_to(
        [&level](const Cartesian<S>& at, const Cartesian<S>& along) {
          return level.on_path(at, along);
        },
        guess, changes);
    if (way != 0)
      good = both(good, (way > 0 ? length : -length) > S(-same_place));
    project(level, changes);
    return length;
  }

  /// A surface must lie in the region of the track.
  void stay_in_region() {
    const S at = component(x, model_.regions.normal);
    if (region_ > 0)
      good =
          both(good, at >= S(model_.regions.faces[region_ - 1] - same_place));
    if (region_ + 1 < model_.regions.n)
      good = both(good, at <= S(model_.regions.faces[region_] + same_place));
  }

  const BatchFlight& model_;
  std::size_t region_;
  FieldAt<S> here_;  ///< the field; of a map with its derivatives
  bool straight_ = true;
  bool knows_field_ = false;  ///< of a map
  std::optional<MapStepLength<S>> steps_;
};

}  // namespace gttf::detail
