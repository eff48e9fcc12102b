// SPDX-License-Identifier: Apache-2.0
// Kinetic energies and momenta, for any scalar, GeV.
#pragma once

#include <cmath>

namespace gttf::detail {

/// T = p^2/(E + m) of a momentum, without the cancellation of E - m.
template <class S>
S kinetic_energy(const S& p, const S& rest_energy) {
  using std::sqrt;
  return p * p / (sqrt(p * p + rest_energy * rest_energy) + rest_energy);
}

/// p^2 = T (T + 2 m)
template <class S>
S momentum_of_kinetic(const S& kinetic, const S& rest_energy) {
  using std::sqrt;
  return sqrt(kinetic * (kinetic + S(2) * rest_energy));
}

}  // namespace gttf::detail
