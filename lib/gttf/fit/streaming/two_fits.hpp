// SPDX-License-Identifier: Apache-2.0
// Passes of the streaming fit that do the same for two things at once: the fits
// with and without scattering, and two functions of the line.
#pragma once

#include <array>
#include <cstddef>

#include "gttf/core/two.hpp"
#include "gttf/fit/streaming/kept_path.hpp"

namespace gttf {

namespace detail {

template <class S>
Kink<Two<S>> twice(const Kink<S>& b) {
  return {gttf::twice(b.theta), gttf::twice(b.phi)};
}
template <class S>
KinkGain<Two<S>> twice(const KinkGain<S>& gain) {
  return {gttf::twice(gain.theta), gttf::twice(gain.phi)};
}
template <class S>
GeneralGain<Two<S>> twice(const GeneralGain<S>& gain) {
  return {gttf::twice(gain.theta), gttf::twice(gain.phi),
          gttf::twice(gain.loss), gttf::twice(gain.loss_variance)};
}

/// Kinks of the first of two tracks only: the second does not scatter.
template <class S>
HelixKinks<Two<S>> first_only(const HelixKinks<S>& kinks) {
  return {twice(kinks.columns), two(kinks.w, S(0)), two(kinks.w_phi, S(0))};
}
template <class S>
GeneralKinks<Two<S>> first_only(const GeneralKinks<S>& kinks) {
  return {gttf::twice(kinks.theta), gttf::twice(kinks.phi),
          two(kinks.w, S(0)),       two(kinks.w_phi, S(0)),
          gttf::twice(kinks.loss),  two(kinks.w_loss, S(0))};
}

template <class S>
KinkGain<S> first_of(const KinkGain<Two<S>>& gain) {
  return {one_of<S>(gain.theta, 0), one_of<S>(gain.phi, 0)};
}
template <class S>
GeneralGain<S> first_of(const GeneralGain<Two<S>>& gain) {
  return {one_of<S>(gain.theta, 0), one_of<S>(gain.phi, 0),
          one_of<S>(gain.loss, 0), gain.loss_variance.vector[0]};
}

template <class S>
void scatter_first(FiveEquations<Two<S>>& e, const HelixKinks<S>& kinks,
                   KinkGain<Two<S>>& gain) {
  scatter<ZeroVariance::excluded, true>(e, first_only(kinks), &gain);
}
template <class S>
void scatter_first(FiveEquations<Two<S>>& e, const GeneralKinks<S>& kinks,
                   GeneralGain<Two<S>>& gain) {
  constexpr auto zero = ZeroVariance::excluded;
  const GeneralKinks<Two<S>> b = first_only(kinks);
  NoColumn none;
  scatter_angles<zero>(e, b, gain.theta, gain.phi, none);
  if (kinks.w_loss > S(0))
    gain.loss_variance =
        scatter_loss<zero>(e, b.loss, b.w_loss, gain.loss, none);
}

}  // namespace detail

/// The fit with all errors, whose gains the path keeps, and the one with hit
/// errors only. A kink of variance 0 leaves every bit unchanged.
template <Path P>
class TwoFits : public AnyFit {
 public:
  using S = typename P::Scalar;

  explicit TwoFits(KeptPath<P>& path) : path_(path) {}

  template <class Kinks>
  void on_kinks(std::size_t k, const Kinks& kinks) {
    decltype(detail::twice(path_.gain(k))) gain;
    detail::scatter_first(equations_, kinks, gain);
    path_.gain(k) = detail::first_of(gain);
  }
  void on_coordinates(std::size_t, const Coordinates<S>& c) {
    constexpr auto zero = ZeroVariance::excluded;
    if (c.b != nullptr)
      measure_pair<zero>(equations_, twice(*c.a), twice(c.variance_a),
                         twice(*c.b), twice(c.variance_b));
    else
      measure<zero>(equations_, twice(*c.a), twice(c.variance_a));
  }
  void measure_start(const StartHit<S>& start) {
    measure_pair<ZeroVariance::excluded>(
        equations_, twice(start.transverse), twice(start.transverse_variance),
        twice(start.longitudinal), twice(start.longitudinal_variance));
  }

  /// Without field, kappa is not a parameter: its equation has variance 0.
  FiveEquations<S> all(bool has_field) const { return fit(0, has_field); }
  FiveEquations<S> hits(bool has_field) const { return fit(1, has_field); }

 private:
  FiveEquations<S> fit(std::size_t which, bool has_field) const {
    FiveEquations<S> e;
    e.v = one_of<S>(equations_.v, which);
    e.r = one_of<S>(equations_.r, which);
    if (!has_field) e.v[4] = S(0);
    return e;
  }

  KeptPath<P>& path_;
  FiveEquations<Two<S>> equations_;
};

/// The contribution of all hits to the variances of two functions of the line,
/// in a pass outwards.
template <Path P>
class HitPart : public AnyFit {
 public:
  using S = typename P::Scalar;

  /// @param inside  covariances of the functions with the line
  HitPart(const KeptPath<P>& path, const std::array<Row<S>, 2>& inside)
      : path_(path) {
    for (std::size_t j = 0; j < track_dim; ++j)
      with_line_[0][j] = two(inside[0][j], inside[1][j]);
  }

  void on_start(const StartHit<S>& start) {
    add(start.transverse, start.transverse_variance);
    add(start.longitudinal, start.longitudinal_variance);
  }
  void on_coordinates(std::size_t, const Coordinates<S>& c) {
    add(*c.a, c.variance_a);
    if (c.b != nullptr) add(*c.b, c.variance_b);
  }
  template <class Kinks>
  void on_kinks(std::size_t k, const Kinks& kinks) {
    if (!kinks.any()) return;
    KinkStep<Two<S>, 1> step;
    detail::pass_kinks(detail::first_only(kinks), detail::twice(path_.gain(k)),
                       with_line_, step);
  }

  std::array<S, 2> variances() const {
    return {sum_.vector[0], sum_.vector[1]};
  }

 private:
  void add(const Row<S>& row, const S& variance) {
    const Two<S> gain = covariance_with(with_line_, twice(row))[0];
    sum_ = sum_ + gain * gain / twice(variance);
  }

  const KeptPath<P>& path_;
  std::array<Row<Two<S>>, 1> with_line_;
  Two<S> sum_{0};
};

}  // namespace gttf
