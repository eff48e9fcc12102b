// SPDX-License-Identifier: Apache-2.0
// Cartesian: a vector for formulas that are templates over the scalar.
#pragma once

namespace gttf {

/// Cartesian components of a point or of a gradient.
template <class S>
struct Cartesian {
  S x{}, y{}, z{};

  friend Cartesian operator+(const Cartesian& a, const Cartesian& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Cartesian operator-(const Cartesian& a, const Cartesian& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Cartesian operator-(const Cartesian& a) { return {-a.x, -a.y, -a.z}; }
  friend Cartesian operator*(const S& factor, const Cartesian& a) {
    return {factor * a.x, factor * a.y, factor * a.z};
  }
};

/// Sines and cosines of the polar angle and the azimuth of a direction.
template <class S>
struct Direction {
  S sin_theta, cos_theta, sin_phi, cos_phi;
};

/// Components along the two axes of a surface.
template <class S>
struct InPlane {
  S u, v;
};

/// z component of a x b.
template <class S>
S transverse_cross(const Cartesian<S>& a, const Cartesian<S>& b) {
  return a.x * b.y - a.y * b.x;
}

/// Scalar product of the x-y parts.
template <class S>
S transverse_dot(const Cartesian<S>& a, const Cartesian<S>& b) {
  return a.x * b.x + a.y * b.y;
}

}  // namespace gttf
