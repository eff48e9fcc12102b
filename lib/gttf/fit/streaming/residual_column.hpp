// SPDX-License-Identifier: Apache-2.0
// ResidualColumn: the right-hand sides of the five equations, for a fit of
// data.
#pragma once

#include <cmath>

#include "gttf/fit/streaming/five_equations.hpp"
#include "gttf/fit/track/fit_status.hpp"

namespace gttf {

/// Equation i says s_i + sum_{j>i} r_ij s_j = z_i +- sqrt(v_i). The column z
/// takes part in every operation like one more column of r.
template <class S>
struct ResidualColumn {
  std::array<S, 5> z{};
  S y{};                       ///< right-hand side of the measured equation
  S kink_theta{}, kink_phi{};  ///< kinks = these - G s, after scatter()
  S chi2{};

  void rotate(std::size_t i, const S& x, const S& c, const S& s) {
    const S old = z[i];
    z[i] = c * old + s * y;
    y = y - x * old;
  }
  /// What is left of y contradicts the equations; v is its variance.
  void finish(const S& v) { chi2 = chi2 + y * y / v; }
  void start_kinks(const S& k) {
    kink_theta = k * z[3];
    kink_phi = S(0);
  }
  void scatter(std::size_t i, const S& f_theta, const S& e_phi, const S& kt,
               const S& kp) {
    z[i] = z[i] - f_theta * kink_theta - e_phi * kink_phi;
    kink_theta = kink_theta + kt * z[i];
    kink_phi = kink_phi + kp * z[i];
  }
};

/// Adds the equation x . s = y +- sqrt(v) with its right-hand side; what
/// contradicts the others goes into chi2.
template <class S>
void measure(FiveEquations<S>& e, ResidualColumn<S>& column, const Row<S>& x,
             const S& y, const S& v) {
  column.y = y;
  measure<ZeroVariance::excluded>(e, x, v, column);
}

/// Lets the kinks of the coming scatter() have a mean other than zero.
template <class S>
void shift_kinks(const FiveEquations<S>& e, ResidualColumn<S>& column,
                 const Kink<S>& b, const S& mean_theta, const S& mean_phi) {
  const Row<S> step = {b.theta[0] * mean_theta + b.phi[0] * mean_phi,
                       b.theta[1] * mean_theta + b.phi[1] * mean_phi,
                       b.theta[2] * mean_theta + b.phi[2] * mean_phi,
                       mean_theta, S(0)};
  for (std::size_t i = 0; i < 5; ++i) {
    S sum = step[i];
    for (std::size_t j = i + 1; j < 5; ++j)
      sum = sum + e.r[FiveEquations<S>::at(i, j)] * step[j];
    column.z[i] = column.z[i] - sum;
  }
}

/// Turns equations for the line outside of a layer into equations for the line
/// inside, s_outside = s_inside + b k with k = mean +- sqrt(w): one random
/// change of any components.
/// @param gain, offset  k = offset - gain s_inside +- sqrt(remaining)
/// @return              remaining
/// Source: docs/theory/streaming.md, kinks in any field
template <class S>
S scatter_one(FiveEquations<S>& e, ResidualColumn<S>& column, const Row<S>& b,
              const S& mean, S w, Row<S>& gain, S& offset) {
  for (std::size_t i = 5; i-- > 0;) {
    S f = b[i];
    for (std::size_t j = i + 1; j < 5; ++j)
      f = f + e.r[FiveEquations<S>::at(i, j)] * b[j];
    const S v = e.v[i], t = w * f, a = v + t * f, k = t / a;
    if (i == 4) offset = mean;
    // the mean comes first, as a change that is known
    const S here = column.z[i] - f * offset;
    e.v[i] = a;
    w = w * (v / a);
    for (std::size_t j = i + 1; j < 5; ++j) {
      S& r = e.r[FiveEquations<S>::at(i, j)];
      r = r - f * gain[j];
      gain[j] = gain[j] + k * r;
    }
    gain[i] = k;
    column.z[i] = here;
    offset = offset + k * here;
  }
  return w;
}

/// Solution s of the five equations, from the last one upwards.
template <class S>
Row<S> solve(const FiveEquations<S>& e, const ResidualColumn<S>& column) {
  Row<S> s;
  for (std::size_t i = 5; i-- > 0;) {
    s[i] = column.z[i];
    for (std::size_t j = i + 1; j < 5; ++j)
      s[i] = s[i] - e.r[FiveEquations<S>::at(i, j)] * s[j];
  }
  return s;
}

/// Without field kappa is 0: what the last equation says about it, if anything,
/// contradicts that and goes into chi2.
template <class S>
void forbid_curvature(FiveEquations<S>& e, ResidualColumn<S>& column) {
  column.chi2 = column.chi2 + column.z[4] * column.z[4] / e.v[4];
  e.v[4] = S(0);
  column.z[4] = S(0);
}

/// Do the equations leave no parameter free?
template <class S>
auto is_determined(const FiveEquations<S>& e) {
  constexpr double undetermined = 1e30;
  auto known = e.v[0] < S(undetermined);
  for (std::size_t i = 1; i < 5; ++i)
    known = both(known, e.v[i] < S(undetermined));
  return known;
}

/// The line of a track.
/// @param line  set if ok
inline FitStatus solve_line(bool has_field, FiveEquations<double>& e,
                            ResidualColumn<double>& column, Row<double>& line) {
  if (!has_field) forbid_curvature(e, column);
  if (!is_determined(e)) return FitStatus::not_determined;
  line = solve(e, column);
  return std::isfinite(column.chi2 + line[0]) ? FitStatus::ok
                                              : FitStatus::not_converged;
}

}  // namespace gttf
