// SPDX-License-Identifier: Apache-2.0
// ScatterStrength: what all scattering angles of a track have in common.
#pragma once

#include <cmath>

#include "gttf/core/units.hpp"

namespace gttf {

/// With the charge q in e and beta = p/sqrt(p^2 + m^2).
template <class S>
struct ScatterStrength {
  S scale;            ///< (13.6 MeV q/(beta p))^2, rad^2
  S log_charge_beta;  ///< ln(q^2/beta^2)
};

/// @param inv_p   1/p, 1/GeV
/// @param mass    GeV
/// @param charge  e
template <class S>
ScatterStrength<S> scatter_strength(const S& inv_p, const S& mass,
                                    const S& charge) {
  using std::log;
  const S m_over_p = mass * inv_p;
  const S inv_beta2 = S(1) + m_over_p * m_over_p;
  const S k = S(13.6 * unit::MeV) * (charge * inv_p);
  return {k * k * inv_beta2, log(charge * charge * inv_beta2)};
}

}  // namespace gttf
