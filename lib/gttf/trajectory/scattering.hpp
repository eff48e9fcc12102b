// SPDX-License-Identifier: Apache-2.0
// Variance of the multiple-scattering angle of a thin layer.
#pragma once

#include <cmath>

#include "gttf/trajectory/crossing.hpp"

namespace gttf {

/// Squared projected scattering angle of one crossing.
///
///   theta0^2 = (13.6 MeV q/(beta p))^2 t (1 + 0.038 L)^2
///
/// highland: L = ln(t q^2/beta^2) [PDG24] Eq. (34.16); highland_total: the same
/// with the sum of t up to the last hit in the logarithm; highland_1991: L = ln
/// t; rossi: L = 0. The bracket is bounded below by 0.
///
/// @param t      x/X0 of this crossing, > 0; the formula was fitted for 1e-3 <
///               t < 100
/// @param log_t  function that gives ln(t)
/// @param total  sum of t, see scatter_in_order() (highland_total)
/// @return       theta0^2, rad^2
template <class S, class Log>
S theta0_squared(const ScatterStrength<S>& strength, Scattering model,
                 const S& t, const Log& log_t, const S& total) {
  using std::log;
  const S square = strength.scale * t;
  S logarithm(0);
  switch (model) {
    case Scattering::off:
      return S(0);
    case Scattering::rossi:
      return square;
    case Scattering::highland:
      logarithm = log_t() + strength.log_charge_beta;
      break;
    case Scattering::highland_total:
      logarithm = log(total) + strength.log_charge_beta;
      break;
    case Scattering::highland_1991:
      logarithm = log_t();
      break;
  }
  S bracket = S(1) + S(0.038) * logarithm;
  bracket = select(bracket > S(0), bracket, S(0));
  return square * bracket * bracket;
}

template <class S>
S theta0_squared(const ScatterStrength<S>& strength, Scattering model,
                 const S& t, const S& total) {
  using std::log;
  return theta0_squared(
      strength, model, t, [&t] { return S(log(t)); }, total);
}

/// The same for the momentum of a line.
template <class S>
S theta0_squared(const Line<S>& l, Scattering model, const S& t,
                 const S& total) {
  return theta0_squared(l.strength, model, t, total);
}

namespace detail {

/// ln(1/cos(psi)): up to psi = 45 deg without a logarithm, from
/// tan^2(psi/2) = (1 - cos(psi))/(1 + cos(psi)).
/// @param inv_cos_psi  function that gives 1/cos(psi)
template <class S, class Inverse>
S log_secant(const S& tan2_half, const Inverse& inv_cos_psi) {
  using std::log;
  S result = twice_atanh_small(tan2_half);
  const auto steep = tan2_half > S(0.171);
  if (any(steep)) [[unlikely]]
    result = select(steep, S(log(inv_cos_psi())), result);
  return result;
}

}  // namespace detail

/// ln(1/|cos(psi)|) of a crossing with a surface parallel to z.
template <class S>
S log_secant(const Crossing<S>& x) {
  using std::abs;
  return detail::log_secant(x.tan2_half,
                            [&x] { return S(abs(x.inv_cos_psi)); });
}

}  // namespace gttf
