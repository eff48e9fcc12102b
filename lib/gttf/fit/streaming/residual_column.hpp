// SPDX-License-Identifier: Apache-2.0
// ResidualColumn: the right-hand sides of the five equations, for a fit of
// data.
#pragma once

#include "gttf/fit/streaming/general_kinks.hpp"
#include "gttf/fit/streaming/undoubted_variances.hpp"

namespace gttf {

/// Equation i is s_i + sum_{j>i} r_ij s_j = z_i +- sqrt(v_i). The column z is
/// transformed in every operation like an additional column of r.
template <class S>
struct ResidualColumn {
  std::array<S, track_dim> z{};
  S y{};                       ///< right-hand side of the measured equation
  S kink_theta{}, kink_phi{};  ///< kinks = these - G s, after scatter()
  S loss{};                    ///< the same for a change of curvature
  S chi2{};

  void rotate(std::size_t i, const S& x, const S& c, const S& s) {
    const S old = z[i];
    z[i] = c * old + s * y;
    y = y - x * old;
  }
  /// The remainder of y contradicts the equations; v is its variance.
  void finish(const S& v) { chi2 = chi2 + y * y / v; }
  /// The kinks expected before the equations are taken into account.
  void expect_kinks(const S& theta, const S& phi) {
    kink_theta = theta;
    kink_phi = phi;
  }
  /// Eliminates the kink theta from the equation of theta, on which only it
  /// depends. @param k  its gain
  void start_kinks(const S& k) {
    z[3] = z[3] - kink_theta;
    kink_theta = kink_theta + k * z[3];
  }
  void scatter(std::size_t i, const S& f_theta, const S& e_phi, const S& kt,
               const S& kp) {
    z[i] = z[i] - f_theta * kink_theta - e_phi * kink_phi;
    kink_theta = kink_theta + kt * z[i];
    kink_phi = kink_phi + kp * z[i];
  }
  void expect_loss(const S& change) { loss = change; }
  void scatter_loss(std::size_t i, const S& f, const S& k) {
    z[i] = z[i] - f * loss;
    loss = loss + k * z[i];
  }
};

/// Adds the equation x . s = y +- sqrt(v) with its right-hand side; the
/// contradiction to the others is added to chi2.
template <class S>
void measure(FiveEquations<S>& e, ResidualColumn<S>& column, const Row<S>& x,
             const S& y, const S& v) {
  column.y = y;
  measure<ZeroVariance::excluded>(e, x, v, column);
}

// The random changes of a layer are theta, phi and, in any field, that of the
// curvature. For a reference that already includes changes `so_far`, only the
// remainder is fitted.

/// scatter() of a helix with right-hand sides.
/// @param gain, offset  the remainder = offset - gain s, s of the line inside
template <class S>
void scatter(FiveEquations<S>& e, ResidualColumn<S>& column,
             const HelixKinks<S>& kinks, const std::array<S, 2>& so_far,
             KinkGain<S>& gain, std::array<S, 2>& offset) {
  column.expect_kinks(-so_far[0], -so_far[1]);
  scatter<ZeroVariance::excluded, true>(e, kinks.columns, kinks.w, kinks.w_phi,
                                        &gain, column);
  offset = {column.kink_theta, column.kink_phi};
}

/// The same in any field. theta and phi follow from the line between them and
/// the change of curvature, which follows from the line inside.
/// @param loses  whether the curvature changes at random
template <class S>
void scatter(FiveEquations<S>& e, ResidualColumn<S>& column,
             const GeneralKinks<S>& kinks, bool loses,
             const std::array<S, 3>& so_far, GeneralGain<S>& gain,
             std::array<S, 3>& offset) {
  constexpr auto nonzero = ZeroVariance::excluded;
  gain = {};
  column.expect_kinks(-so_far[0], -so_far[1]);
  detail::scatter_angles<nonzero>(e, kinks, gain.theta, gain.phi, column);
  offset = {column.kink_theta, column.kink_phi, S(0)};
  if (!loses) return;
  column.expect_loss(-so_far[2]);
  gain.loss_variance = detail::scatter_loss<nonzero>(
      e, kinks.loss, kinks.w_loss, gain.loss, column);
  offset[2] = column.loss;
}

/// The fitted remainder of the changes.
/// @param line  inside of the layer; then outside of it
template <class S>
std::array<S, 2> pass_kinks(const HelixKinks<S>& kinks, const KinkGain<S>& gain,
                            const std::array<S, 2>& offset, Row<S>& line) {
  std::array<S, 2> rest = offset;
  for (std::size_t i = 0; i < track_dim; ++i) {
    rest[0] = rest[0] - gain.theta[i] * line[i];
    rest[1] = rest[1] - gain.phi[i] * line[i];
  }
  const Kink<S>& b = kinks.columns;
  for (std::size_t i = 0; i < 3; ++i)
    line[i] = line[i] + b.theta[i] * rest[0] + b.phi[i] * rest[1];
  line[3] = line[3] + rest[0];
  return rest;
}
template <class S>
std::array<S, 3> pass_kinks(const GeneralKinks<S>& kinks,
                            const GeneralGain<S>& gain,
                            const std::array<S, 3>& offset, Row<S>& line) {
  std::array<S, 3> rest = offset;
  for (std::size_t i = 0; i < track_dim; ++i)
    rest[2] = rest[2] - gain.loss[i] * line[i];
  for (std::size_t i = 0; i < track_dim; ++i)
    line[i] = line[i] + kinks.loss[i] * rest[2];
  for (std::size_t i = 0; i < track_dim; ++i) {
    rest[0] = rest[0] - gain.theta[i] * line[i];
    rest[1] = rest[1] - gain.phi[i] * line[i];
  }
  for (std::size_t i = 0; i < track_dim; ++i)
    line[i] = line[i] + kinks.theta[i] * rest[0] + kinks.phi[i] * rest[1];
  return rest;
}

/// Solution s of the five equations, from the last one upwards.
template <class S>
Row<S> solve(const FiveEquations<S>& e, const ResidualColumn<S>& column) {
  Row<S> s;
  for (std::size_t i = track_dim; i-- > 0;) {
    s[i] = column.z[i];
    for (std::size_t j = i + 1; j < track_dim; ++j)
      s[i] = s[i] - e.r[FiveEquations<S>::at(i, j)] * s[j];
  }
  return s;
}

/// Without field kappa is 0: a deviation in the last equation, if it exists, is
/// added to chi2.
template <class S>
void forbid_curvature(FiveEquations<S>& e, ResidualColumn<S>& column) {
  column.chi2 = column.chi2 + column.z[4] * column.z[4] / e.v[4];
  e.v[4] = S(0);
  column.z[4] = S(0);
}

/// Whether the equations of a fit of data determine all parameters. Errors
/// beyond UndoubtedVariances would not be valid for a linear fit, so no further
/// check is made. The curvature of a straight track is 0; a radius of 1 mm is
/// its unit here.
template <class S>
MaskOf<S> is_determined(const FiveEquations<S>& e) {
  return is_undoubted(e.v, S(1), data_variances);
}

}  // namespace gttf
