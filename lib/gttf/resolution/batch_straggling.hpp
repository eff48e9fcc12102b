// SPDX-License-Identifier: Apache-2.0
// The fluctuations of the energy loss of a batch: of each layer once the
// material of all of them is known.
#pragma once

#include <cstddef>

#include "gttf/resolution/batch_slabs.hpp"
#include "gttf/resolution/batch_task.hpp"

namespace gttf::detail {

/// A layer in which tracks have lost energy.
template <class S>
struct LossPassage {
  S kinetic;  ///< before the layer, GeV
  S paths;    ///< as in LayerLoss
  S x_over_x0;
  S xi;          ///< of the layer, GeV
  S per_energy;  ///< d(kappa)/d(energy) behind it, 1/(mm GeV)
};

/// Sets a passage, with the integral xi of LayerLoss.
/// @param per_energy  d(kappa)/d(energy) behind the layer
template <class S>
[[gnu::noinline, gnu::flatten]] void set_passage(
    const BatchLoss& loss, std::size_t surface, ElementPower<S>* media,
    const S& charge2, const S& kinetic, const S& paths, const S& x_over_x0,
    const S& per_energy, LossPassage<S>& passage) {
  const S rest(loss.rest_energy);
  SlabPath<S> path(loss, media, charge2, paths, kinetic);
  S xi(0);
  for (std::size_t i = loss.first[surface]; i < loss.first[surface + 1]; ++i) {
    const S at_rest = S(loss.slabs[i].xi_at_rest) * charge2;
    path.pass(loss.slabs[i], [&](const SlabStep<S>& step) {
      const S sum = S(1. / 6) / beta_squared(step.kinetic, rest) +
                    S(4. / 6) / beta_squared(step.middle, rest) +
                    S(1. / 6) / beta_squared(step.behind, rest);
      xi = xi + at_rest * step.length * sum;
    });
  }
  passage = {kinetic, paths, x_over_x0, xi, per_energy};
}

/// straggling() of several tracks, squared.
/// @param xi, depth  of the LossStretch
template <class S>
[[gnu::noinline, gnu::flatten]] void set_straggling(
    const BatchLoss& loss, std::size_t surface, ElementPower<S>* media,
    const S& charge2, const LossPassage<S>& at, const S& xi, S depth,
    S& variance) {
  const S rest(loss.rest_energy);
  SlabPath<S> path(loss, media, charge2, at.paths, at.kinetic);
  variance = S(0);
  for (std::size_t i = loss.first[surface]; i < loss.first[surface + 1]; ++i) {
    const BatchSlab& slab = loss.slabs[i];
    const S at_rest = S(slab.xi_at_rest) * charge2;
    const S t = S(slab.x_over_x0) * at.paths,
            inverse = S(1) / (S(slab.mass_thickness) * at.paths);
    S sum(0), before(0);
    bool begins = true;
    const S behind = path.pass(slab, [&](const SlabStep<S>& step) {
      if (begins) before = step.power;
      begins = false;
      // Simpson's rule; an energy spread grows with the stopping power
      const auto add = [&](const S& kinetic, const S& power, double place,
                           double weight) {
        const S length = S(weight) * step.length;
        S added = collision_variance(loss.particle, loss.model, xi,
                                     S(at_rest * length), kinetic);
        if (loss.particle.is_electron()) {
          const S left = step.left - S(place) * step.length;
          added = added + radiation_variance(
                              S(kinetic + rest), S(t * (length * inverse)),
                              S(depth + t - t * (left * inverse)));
        }
        sum = sum + added / (power * power);
      };
      add(step.kinetic, step.power, 0, 1. / 6);
      add(step.middle, path.power_at(slab, step.middle), 0.5, 4. / 6);
      add(step.behind, step.power_behind, 1, 1. / 6);
    });
    const S growth = behind / before;
    variance = variance * (growth * growth) + sum * (behind * behind);
    depth = depth + t;
  }
}

/// Adds the fluctuations of the losses to the kinks: the variance of kappa
/// behind each layer, as loss_variance().
/// @param passages, steps  of all crossings
template <class S, class Step>
[[gnu::noinline, gnu::flatten]] void add_straggling(
    const BatchTask& task, ElementPower<S>* media,
    const LossPassage<S>* passages, Step* steps) {
  using L = PackAccess<S>;
  const S charge = L::load(task.tracks->charge);
  const auto masked = [&task](TrackBits elements, const S& x) {
    return task.mixed ? S(select(L::mask(elements), x, S(0))) : x;
  };
  const auto before_last = [&task](std::size_t k) {
    return task.list[k].kinked | task.list[k].inner;
  };
  // that of the material up to the last hit; behind it, up to the layer's end
  S to_last(0), so_far(0), depth(0);
  for (std::size_t k = 0; k < task.n_crossings; ++k)
    if (const TrackBits elements = before_last(k); elements != 0)
      to_last = to_last + masked(elements, passages[k].xi);
  const bool is_at_layer = task.at != BatchTask::nowhere;
  for (std::size_t k = 0; k < task.n_crossings; ++k) {
    const ListedSurface& c = task.list[k];
    const LossPassage<S>& at = passages[k];
    so_far = so_far + masked(c.crossed, at.xi);
    const TrackBits inside = before_last(k),
                    behind = is_at_layer ? c.outer & ~inside : 0;
    if ((inside | behind) != 0) {
      const S xi = inside == 0   ? so_far
                   : behind == 0 ? to_last
                                 : S(select(L::mask(behind), so_far, to_last));
      S variance;
      set_straggling(*task.loss, c.slabs_of, media, S(charge * charge), at, xi,
                     depth, variance);
      Step& step = steps[k];
      step.straggling =
          masked(inside | behind, at.per_energy * at.per_energy * variance);
      step.kinks.w_loss = step.kinks.w_loss + step.straggling;
    }
    depth = depth + masked(c.crossed, at.x_over_x0);
  }
}

/// Bytes for the passages.
template <class S>
std::size_t straggling_workspace(const BatchTask& task) {
  return straggles(task.loss->model) ? task.n_crossings * sizeof(LossPassage<S>)
                                     : 0;
}

}  // namespace gttf::detail
