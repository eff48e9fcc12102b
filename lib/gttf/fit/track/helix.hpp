// SPDX-License-Identifier: Apache-2.0
// Helix: position, direction and curvature of a track in a field along z.
#pragma once

#include <cmath>

#include "gttf/core/cartesian.hpp"

namespace gttf {

/// A helix around z by its parameters at one of its points: mm, rad, 1/mm
/// (3D curvature), in the order of StateIndex.
template <class S>
struct Helix {
  Cartesian<S> position;
  S theta, phi, kappa;
};

template <class S>
Direction<S> direction_of(const Helix<S>& h) {
  using std::cos, std::sin;
  return {sin(h.theta), cos(h.theta), sin(h.phi), cos(h.phi)};
}

/// The same with the components of the direction, for steps along the helix
/// without computing angles.
template <class S>
struct HelixPoint {
  Cartesian<S> position;
  S cos_phi, sin_phi;
  S cot, c;  ///< cot(theta), kappa/sin(theta): constant along the helix

  /// Direction per transverse arc length.
  Cartesian<S> slope() const { return {cos_phi, sin_phi, cot}; }
  /// Horizontal unit vector to its left.
  Cartesian<S> left() const { return {-sin_phi, cos_phi, S(0)}; }
};

template <class S>
HelixPoint<S> point_of(const Helix<S>& h, const Direction<S>& d) {
  const S inverse = S(1) / d.sin_theta;
  return {h.position, d.cos_phi, d.sin_phi, d.cos_theta * inverse,
          h.kappa * inverse};
}

}  // namespace gttf
