// SPDX-License-Identifier: Apache-2.0
// UniformFlight: the exact path of a charge in a uniform field of any
// direction.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "gttf/core/matrix.hpp"

namespace gttf {

/// The path from a point, with t' = w x t and w = -(q/p) B: a helix around w,
/// or a straight line. After the path l, with a = l w, psi = |a|,
///
///   t(l) = t + s a x t + c a x (a x t),      s = sin(psi)/psi
///   x(l) = x + l (t + c a x t + e a x (a x t))
///   c = (1 - cos psi)/psi^2,  e = (1 - s)/psi^2,  f = (1/2 - c)/psi^2
///
/// All coefficients are even in psi and finite for straight paths; there is
/// no axis to find. Source: docs/theory/any-field.md.
class UniformFlight {
 public:
  /// @param rotation  w, 1/mm
  /// @param path      l, mm
  UniformFlight(const Vector3& rotation, double path)
      : a_(path * rotation), path_(path) {
    const double psi2 = a_.squaredNorm();
    if (psi2 < 1) {
      f_ = series(psi2, 4);
      e_ = series(psi2, 3);
      c_ = 0.5 - psi2 * f_;
      s_ = 1 - psi2 * e_;
      return;
    }
    const double psi = std::sqrt(psi2), half = std::sin(0.5 * psi);
    s_ = std::sin(psi) / psi;
    c_ = 2 * half * half / psi2;
    e_ = (1 - s_) / psi2;
    f_ = (0.5 - c_) / psi2;
  }

  /// x(l) - x.
  Vector3 displacement(const Vector3& t) const {
    const Vector3 at = a_.cross(t);
    return path_ * (t + c_ * at + e_ * a_.cross(at));
  }
  /// t(l).
  Vector3 direction(const Vector3& t) const {
    const Vector3 at = a_.cross(t);
    return t + s_ * at + c_ * a_.cross(at);
  }
  /// The matrix M of x(l) - x = M t.
  Eigen::Matrix3d displacement_matrix() const {
    return path_ * polynomial(c_, e_);
  }
  /// The matrix R of t(l) = R t.
  Eigen::Matrix3d direction_matrix() const { return polynomial(s_, c_); }

  /// dx(l)/d(q/p): the turn is a function of l q/p, hence dt/d(q/p) =
  /// l t(l) x B, to be integrated by parts along the path.
  Vector3 displacement_per_qop(const Vector3& t, const Vector3& field) const {
    const Vector3 at = a_.cross(t);
    const Vector3 sum = 0.5 * t + (c_ - e_) * at + (e_ - f_) * a_.cross(at);
    return path_ * path_ * sum.cross(field);
  }
  /// dt(l)/d(q/p).
  Vector3 direction_per_qop(const Vector3& t, const Vector3& field) const {
    return path_ * direction(t).cross(field);
  }

 private:
  /// sum_k (-x)^k/(2k + m)!, to rounding for x <= 1; m = 3 or 4.
  static double series(double x, int m) {
    double sum = 1;
    for (int k = 8; k > 0; --k)
      sum = 1 - x * sum / ((m + 2 * k - 1) * (m + 2 * k));
    return sum / (m == 3 ? 6 : 24);
  }
  Eigen::Matrix3d polynomial(double first, double second) const {
    Eigen::Matrix3d cross;
    cross << 0, -a_.z(), a_.y(), a_.z(), 0, -a_.x(), -a_.y(), a_.x(), 0;
    return Eigen::Matrix3d::Identity() + first * cross +
           second * (cross * cross);
  }

  Vector3 a_;
  double path_;
  double s_ = 1, c_ = 0.5, e_ = 1.0 / 6, f_ = 1.0 / 24;
};

}  // namespace gttf
