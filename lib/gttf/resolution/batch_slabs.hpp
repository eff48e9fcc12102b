// SPDX-License-Identifier: Apache-2.0
// The energy loss of a batch in the slabs of a layer.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "gttf/core/dual.hpp"
#include "gttf/core/pack_functions.hpp"
#include "gttf/resolution/batch_loss.hpp"
#include "gttf/trajectory/line.hpp"

namespace gttf::detail {

/// The polynomials of the pieces for the energies of the tracks of a group, for
/// one medium.
template <class S>
struct ElementPower {
  S from, to, lowest, centre, per_width;
  S power[StoppingPiece::n_powers];

  /// @tparam T  S, or dual numbers of it
  template <class T>
  [[gnu::always_inline]] T at(const T& kinetic) const {
    // in pairs: the chain of operations is half as long as one after the other
    static_assert(StoppingPiece::n_powers == 9);
    const T y = (kinetic - centre) * per_width, y2 = y * y, y4 = y2 * y2;
    const T low = (power[1] * y + power[0]) + (power[3] * y + power[2]) * y2;
    const T high = (power[5] * y + power[4]) + (power[7] * y + power[6]) * y2;
    return low + (high + power[8] * y4) * y4;
  }
};

/// Selects the pieces for the kinetic energies of the tracks.
template <class S>
[[gnu::noinline]] void set_power(const BatchLoss& loss, std::size_t medium,
                                 const S& kinetic, ElementPower<S>& power) {
  using L = PackAccess<S>;
  constexpr std::size_t n = StoppingPiece::n_powers;
  PackValues at, from, to, lowest, centre, per_width, powers[n];
  L::store(kinetic, at);
  for (std::size_t element = 0; element < L::width; ++element) {
    const StoppingPiece& p = loss.find(loss.tables, medium, at.value[element]);
    from.value[element] = p.from;
    to.value[element] = p.to;
    lowest.value[element] = p.lowest;
    centre.value[element] = p.centre;
    per_width.value[element] = p.per_width;
    for (std::size_t i = 0; i < n; ++i) powers[i].value[element] = p.power[i];
  }
  power.from = L::load(from);
  power.to = L::load(to);
  power.lowest = L::load(lowest);
  power.centre = L::load(centre);
  power.per_width = L::load(per_width);
  for (std::size_t i = 0; i < n; ++i) power.power[i] = L::load(powers[i]);
}

/// LayerLoss of tracks; NaN where a track stops.
template <class S>
struct ElementLoss {
  S kinetic;                       ///< after it
  S transmission{1}, per_path{0};  ///< as in LayerLoss
  S inverse_p_beta2;               ///< 1/(p_scatter beta)^2
  S ahead{0}, ahead_variance{0};   ///< per_path_behind_kink, and its variance
};

/// p beta of a kinetic energy T is T (T + 2 m)/(T + m).
template <class S>
struct MomentumBeta {
  S above, below;

  [[gnu::always_inline]] MomentumBeta(const S& kinetic, const S& rest)
      : above(kinetic * (kinetic + ValueOf<S>(2) * rest)),
        below(kinetic + rest) {}

  /// 1/(p beta)^2
  /// @param inverse  1/above
  [[gnu::always_inline]] S inverse_square(const S& inverse) const {
    const S ratio = below * inverse;
    return ratio * ratio;
  }
  [[gnu::always_inline]] S inverse_square() const {
    return inverse_square(S(1) / above);
  }
};

/// scatter_strength() at the momentum with this average of 1/(p beta)^2.
template <class S>
ScatterStrength<S> strength_of_average(const S& average, const S& rest,
                                       const S& charge) {
  using std::log, std::sqrt;
  const S q2 = charge * charge;
  const S inv_beta2 =
      S(0.5) * (S(1) + sqrt(S(1) + S(4) * rest * rest * average));
  return {S(scatter_energy * scatter_energy) * q2 * average,
          log(q2 * inv_beta2)};
}

/// A step of the integration through a slab.
/// @tparam S  numbers of the tracks, or dual numbers of them
template <class S>
struct SlabStep {
  const MaskOf<ValueOf<S>>& open;  ///< tracks that take it
  const S &left, &length;  ///< g/cm2: to the end of the slab, and of the step
  const S &kinetic, &middle, &behind;  ///< energies
  const S &power, &power_behind;       ///< stopping powers at both ends
};

/// Tracks on their way through slabs: the steps of energy_loss(), with the
/// stopping power from a table.
template <class S>
class SlabPath {
  using V = ValueOf<S>;

 public:
  SlabPath(const BatchLoss& loss, ElementPower<V>* media, const V& charge2,
           const S& paths, const S& kinetic)
      : loss_(loss),
        media_(media),
        charge2_(charge2),
        paths_(paths),
        kinetic_(kinetic) {}

  const S& kinetic() const { return kinetic_; }

  /// @param visit  of every SlabStep, before the next one; may return the
  ///               energies behind it
  /// @return  the stopping power behind the slab
  template <class Visit>
  [[gnu::always_inline]] S pass(const BatchSlab& slab, const Visit& visit) {
    S left = V(slab.mass_thickness) * paths_, kinetic = kinetic_,
      behind = kinetic;
    const V charge2 = charge2_in(slab);
    S last = charge2 * power_of(slab.medium, value_of(kinetic)).at(kinetic);
    // one step except for thick layers
    for (auto open = left > S(0); any(open); open = left > S(0)) {
      const ElementPower<V>& medium = power_of(slab.medium, value_of(kinetic));
      const auto power = [&](const S& at) { return charge2 * medium.at(at); };
      const S k1 = last, longest = V(loss_.largest_part) * kinetic;
      S h = left;
      const auto thin = left * k1 <= longest;
      if (any(!thin)) [[unlikely]]
        h = select(thin, left, longest / k1);
      const S k2 = power(kinetic - V(0.5) * h * k1);
      const S k3 = power(kinetic - V(0.5) * h * k2);
      const S k4 = power(kinetic - h * k3);
      behind = kinetic - h * V(1. / 6) * (k1 + V(2) * (k2 + k3) + k4);
      last = power(behind);
      const auto leaves = !(value_of(behind) >= medium.lowest);
      if (any(leaves)) [[unlikely]] {
        const Step own =
            step_in_pieces(loss_, slab.medium, charge2, h, kinetic, k1);
        behind = select(leaves, own.behind, behind);
        last = select(leaves, own.power, last);
      }
      // behind the slab nothing changes while other tracks are in it
      last = select(open, last, k1);
      const S middle = V(0.5) * (kinetic + behind) + V(0.125) * h * (last - k1);
      const SlabStep<S> step{open, left, h, kinetic, middle, behind, k1, last};
      if constexpr (std::is_void_v<decltype(visit(step))>) {
        visit(step);
        left = left - h;
      } else {
        behind = visit(step);
        left = left - h;
        if (any(left > S(0))) [[unlikely]]
          last = power_at(slab, behind);
      }
      kinetic = behind;
    }
    kinetic_ = behind;
    return last;
  }

  /// The stopping power at any energy.
  [[gnu::always_inline]] S power_at(const BatchSlab& slab,
                                    const S& kinetic) const {
    const ElementPower<V>& medium = media_[slab.medium];
    S power = charge2_in(slab) * medium.at(kinetic);
    const V& value = value_of(kinetic);
    const auto right = both(medium.lowest <= value, value < medium.to);
    if (any(!right)) [[unlikely]]
      power =
          select(right, power,
                 power_in_piece(loss_, slab.medium, charge2_in(slab), kinetic));
    return power;
  }

 private:
  /// Kinetic energy and stopping power behind a step.
  struct Step {
    S behind, power;
  };

  V charge2_in(const BatchSlab& slab) const {
    return slab.has_given_loss ? V(1) : charge2_;
  }

  /// A step that leaves the piece of the table in which it begins: every
  /// stopping power is that of the piece for its own energy. NaN where a track
  /// stops.
  [[gnu::noinline]] static Step step_in_pieces(const BatchLoss& loss,
                                               std::size_t medium,
                                               const V& charge2, const S& h,
                                               const S& kinetic, const S& k1) {
    const auto power = [&](const S& at) {
      return power_in_piece(loss, medium, charge2, at);
    };
    const S k2 = power(kinetic - V(0.5) * h * k1);
    const S k3 = power(kinetic - V(0.5) * h * k2);
    const S k4 = power(kinetic - h * k3);
    const S behind = kinetic - h * V(1. / 6) * (k1 + V(2) * (k2 + k3) + k4);
    return {behind, power(behind)};
  }

  static S power_in_piece(const BatchLoss& loss, std::size_t medium,
                          const V& charge2, const S& at) {
    ElementPower<V> own;
    set_power(loss, medium, value_of(at), own);
    return charge2 * own.at(at);
  }

  const ElementPower<V>& power_of(std::size_t i, const V& kinetic) {
    ElementPower<V>& medium = media_[i];
    const auto right = both(medium.from <= kinetic, kinetic < medium.to);
    if (any(!right)) [[unlikely]]
      set_power(loss_, i, kinetic, medium);
    return medium;
  }

  const BatchLoss& loss_;
  ElementPower<V>* media_;
  const V charge2_;
  const S paths_;
  S kinetic_;
};

/// energy_loss() of several tracks: the same steps and integrals.
/// @tparam S  numbers of the tracks, or dual numbers of them
template <class S>
class SlabCrossing {
  using V = ValueOf<S>;

 public:
  /// @param incidence  1/paths
  SlabCrossing(const BatchLoss& loss, ElementPower<V>* media, const V& charge2,
               const S& paths, const S& incidence, const S& kinetic)
      : path_(loss, media, charge2, paths, kinetic),
        rest_(loss.rest_energy),
        paths_(paths),
        incidence_(incidence) {}

  void pass(const BatchSlab& slab) {
    const S inverse = V(1 / slab.mass_thickness) * incidence_;
    const S t = V(slab.x_over_x0) * paths_;
    S own0(0), own1(0), own2(0), transmission(1);
    const S last = path_.pass(slab, [&](const SlabStep<S>& step) {
      // Simpson's rule for what scatters, and what of the slab is ahead
      const MomentumBeta<S> at1(step.kinetic, rest_), at2(step.middle, rest_),
          at3(step.behind, rest_);
      // one division for all
      const S first_two = at1.above * at2.above,
              last_two = at3.above * step.power;
      const S all = S(1) / (first_two * last_two);
      const S of_first = last_two * all, of_last = first_two * all;
      transmission = select(
          step.open, transmission * step.power_behind * (of_last * at3.above),
          transmission);
      const S part = step.length * inverse, weight = t * part;
      const S first = V(1. / 6) * at1.inverse_square(S(of_first * at2.above)),
              second = V(4. / 6) * at2.inverse_square(S(of_first * at1.above)),
              third = V(1. / 6) * at3.inverse_square(S(of_last * step.power));
      const S a1 = step.left * inverse, a2 = a1 - V(0.5) * part, a3 = a1 - part;
      own0 = own0 + weight * (first + second + third);
      own1 = own1 + weight * (a1 * first + a2 * second + a3 * third);
      own2 = own2 +
             weight * (a1 * a1 * first + a2 * a2 * second + a3 * a3 * third);
    });
    const S per_path = last * V(slab.mass_thickness);
    sum2_ = transmission * transmission * sum2_ +
            per_path * (V(2) * transmission * sum1_ + per_path * sum0_) +
            per_path * per_path * own2;
    sum1_ = transmission * sum1_ + per_path * (sum0_ + own1);
    sum0_ = sum0_ + own0;
    depth_ += slab.x_over_x0;
    result_.transmission = result_.transmission * transmission;
    result_.per_path = result_.per_path * transmission + per_path;
  }

  ElementLoss<S> result() {
    const S inverse = S(1) / sum0_;
    result_.kinetic = path_.kinetic();
    result_.inverse_p_beta2 = sum0_ * (V(1 / depth_) * incidence_);
    result_.ahead = sum1_ * inverse;
    const S variance = sum2_ * inverse - result_.ahead * result_.ahead;
    result_.ahead_variance = select(variance > S(0), variance, S(0));
    return result_;
  }

 private:
  SlabPath<S> path_;
  const S rest_, paths_, incidence_;
  double depth_ = 0;  ///< at normal incidence
  S sum0_{0}, sum1_{0}, sum2_{0};
  ElementLoss<S> result_;
};

/// What tracks lose in a surface.
/// @param incidence  1/paths
template <class S>
[[gnu::always_inline]] inline ElementLoss<S> loss_in_layer(
    const BatchLoss& all, std::size_t surface, ElementPower<ValueOf<S>>* media,
    const ValueOf<S>& charge2, const S& paths, const S& incidence,
    const S& kinetic) {
  SlabCrossing<S> slabs(all, media, charge2, paths, incidence, kinetic);
  const std::size_t begin = all.first[surface], end = all.first[surface + 1];
  if (begin == end) {
    ElementLoss<S> none;
    none.kinetic = kinetic;
    none.inverse_p_beta2 =
        MomentumBeta<S>(kinetic, S(all.rest_energy)).inverse_square();
    return none;
  }
  for (std::size_t i = begin; i < end; ++i) slabs.pass(all.slabs[i]);
  return slabs.result();
}

}  // namespace gttf::detail
