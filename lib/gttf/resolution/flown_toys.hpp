// SPDX-License-Identifier: Apache-2.0
// Toys through regions of uniform fields, with energy loss, for any scalar.
#pragma once

#include "gttf/fit/track/batch_flight.hpp"
#include "gttf/resolution/batch_simulated_loss.hpp"
#include "gttf/resolution/toy_flight.hpp"

namespace gttf::detail {

/// A unit vector normal to one: Eigen's unitOrthogonal().
template <class S>
Cartesian<S> unit_normal_to(const Cartesian<S>& t) {
  using std::abs, std::sqrt;
  constexpr double small = 1e-12;
  const S limit = S(small) * abs(t.z);
  const auto along_z = both(abs(t.x) <= limit, abs(t.y) <= limit);
  const S zero(0), first = select(along_z, t.y, t.x),
                   second = select(along_z, t.z, t.y);
  const S inverse = S(1) / sqrt(first * first + second * second);
  const S a = -(second * inverse), b = first * inverse;
  return {select(along_z, zero, a), select(along_z, a, b),
          select(along_z, b, zero)};
}

/// The flight of one toy per vector element: TracedFlight in regions.
template <class S>
class FlownToyPath {
 public:
  static constexpr bool loses_energy = true;

  explicit FlownToyPath(const ToyTask& task)
      : task_(task),
        flight_(*task.flight, same(task.first.position),
                same(task.first.direction), {S(task.qop), S(0)},
                task.flight->start_region) {}

  MaskOf<S> fly(std::size_t k, const SurfaceRecord& surface) {
    using std::sqrt;
    flight_.fly_onto(SurfaceOfLayer{surface}, task_.flight->region[k], 1,
                     S(task_.lengths[k]), {});
    const Cartesian<S>& x = flight_.x;
    const auto within = inside(
        surface, x.z, [&x] { return S(sqrt(transverse_dot(x, x))); },
        [&x] { return std::pair(x.x, x.y); });
    missed_ = either(missed_, both(flight_.good, !within));
    return both(flight_.good, within);
  }
  void stay() {}
  const Cartesian<S>& position() const { return flight_.x; }

  void scatter(const S& first, const S& second) {
    using std::sqrt;
    const Cartesian<S>& t = flight_.t;
    const Cartesian<S> across = unit_normal_to(t);
    const Cartesian<S> turned =
        t + first * across + second * cross_of(t, across);
    flight_.t = (S(1) / sqrt(inner(turned, turned))) * turned;
  }

  MaskOf<S> lose_energy(std::size_t k) {
    if (task_.loss.layers != nullptr)
      lose_simulated_energy(k);
    else
      flight_.charge.pass(*task_.flight, k, flight_.good);
    return flight_.good;
  }

  /// Toys that could be followed, or have certainly missed a surface.
  MaskOf<S> followed() const { return either(flight_.good, missed_); }

 private:
  static Cartesian<S> same(const Cartesian<double>& c) {
    return {S(c.x), S(c.y), S(c.z)};
  }

  void lose_simulated_energy(std::size_t k) {
    const BatchFlight& model = *task_.flight;
    if (!(model.loss[k].after < model.loss[k].before)) return;
    const BatchLoss& layers = *task_.loss.layers;
    const S p = flight_.charge.momentum(model), m(model.mass);
    const S before = kinetic_energy(p, S(layers.rest_energy));
    S kinetic = before;
    RandomBranches<S> random(task_.first_place, branch_of_step(k));
    simulate_layer(
        layers, k, reinterpret_cast<ElementPower<S>*>(task_.loss.media),
        model.charge, task_.loss.paths[k], random, kinetic, flight_.good);
    const S left = kinetic_energy(p, m) - (before - kinetic);
    flight_.good = both(flight_.good, left > S(0));
    flight_.charge.qop =
        flight_.charge.qop * (p / momentum_of_kinetic(left, m));
  }

  const ToyTask& task_;
  FlightThroughRegions<S> flight_;
  MaskOf<S> missed_ = !all_true<S>();
};

template <class S>
[[gnu::flatten]] void simulate_flown_toys(ToyTask& task) {
  make_words<S>(task.first_place, task.n_blocks, task.words);
  ToyNormals<S> normals{task.words};
  FlownToyPath<S> path(task);
  store_hits(task, path, normals);
  task.doubtful = PackAccess<S>::bits(!path.followed());
}

template <class S>
constexpr ToyKernel make_flown_toy_kernel() {
  return {PackAccess<S>::width, simulate_flown_toys<S>};
}

}  // namespace gttf::detail
