// SPDX-License-Identifier: Apache-2.0
// StoppingPiece: a stopping power over a range of energies, as plain numbers.
#pragma once

#include <cstddef>

namespace gttf::detail {

/// A stopping power between two kinetic energies: a polynomial in
/// y = (T - centre) per_width, |y| <= 1, in GeV cm2/g. It holds for steps that
/// begin in the range and end at `lowest` or above: not beyond a point where
/// the formula changes.
struct StoppingPiece {
  static constexpr std::size_t n_powers = 9;
  double from, to, lowest;
  double centre, per_width;
  double power[n_powers];
};

}  // namespace gttf::detail
