// SPDX-License-Identifier: Apache-2.0
// Hits on exact helices, for tests of triplets and fits.
#pragma once

#include <cmath>
#include <utility>

#include "gttf/fit/triplet/segment.hpp"

namespace gttf::test {

/// A helix state: position, azimuth and polar angle of the direction.
template <class S>
struct HelixState {
  Cartesian<S> position;
  S phi, theta;
};

/// The state after the 3D path `length` at curvature `kappa`.
template <class S>
HelixState<S> propagate(const HelixState<S>& from, const S& kappa,
                        const S& length) {
  using std::cos, std::sin;
  const S x = S(0.5) * kappa * length;
  const bool straight = x * x < S(1e-8);
  const S x2 = x * x;
  const S sinc = straight ? S(1) - x2 / S(6) * (S(1) - x2 / S(20)) : sin(x) / x;
  const S chord = length * sin(from.theta) * sinc;
  const Cartesian<S> step{chord * cos(from.phi + x), chord * sin(from.phi + x),
                          length * cos(from.theta)};
  return {from.position + step, from.phi + S(2) * x, from.theta};
}

/// The three hits of a triplet as arguments of `function`.
template <class S, class Function>
auto at_hits(const Cartesian<double> (&hits)[3], Function&& function) {
  const auto convert = [](const Cartesian<double>& x) {
    return Cartesian<S>{S(x.x), S(x.y), S(x.z)};
  };
  return std::forward<Function>(function)(convert(hits[0]), convert(hits[1]),
                                          convert(hits[2]));
}

}  // namespace gttf::test
