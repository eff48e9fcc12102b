// SPDX-License-Identifier: Apache-2.0
// Linearised: a number with its derivatives by all variables of a search.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace gttf {

/// Value and derivatives; without derivatives it is a constant. As Dual, but
/// the number of variables is that of the problem at hand.
struct Linearised {
  double value = 0;
  Eigen::VectorXd slope;  ///< empty: a constant

  Linearised() = default;
  explicit Linearised(double v) : value(v) {}
  Linearised(double v, Eigen::VectorXd s) : value(v), slope(std::move(s)) {}

  bool is_constant() const { return slope.size() == 0; }

  /// f(x) with f' given.
  Linearised apply(double f, double derivative) const {
    return {f, derivative * slope};
  }

  friend Linearised operator+(const Linearised& a, const Linearised& b) {
    return combined(a.value + b.value, a, 1, b, 1);
  }
  friend Linearised operator-(const Linearised& a, const Linearised& b) {
    return combined(a.value - b.value, a, 1, b, -1);
  }
  friend Linearised operator-(const Linearised& a) {
    return a.apply(-a.value, -1);
  }
  friend Linearised operator*(const Linearised& a, const Linearised& b) {
    return combined(a.value * b.value, a, b.value, b, a.value);
  }
  friend Linearised operator/(const Linearised& a, const Linearised& b) {
    const double f = a.value / b.value;
    return combined(f, a, 1 / b.value, b, -f / b.value);
  }
  Linearised& operator+=(const Linearised& b) { return *this = *this + b; }

  friend Linearised sqrt(const Linearised& x) {
    const double r = std::sqrt(x.value);
    return x.apply(r, 0.5 / r);
  }
  friend Linearised exp(const Linearised& x) {
    const double f = std::exp(x.value);
    return x.apply(f, f);
  }
  friend Linearised log(const Linearised& x) {
    return x.apply(std::log(x.value), 1 / x.value);
  }
  friend Linearised abs(const Linearised& x) { return x.value < 0 ? -x : x; }
  friend Linearised sin(const Linearised& x) {
    return x.apply(std::sin(x.value), std::cos(x.value));
  }
  friend Linearised cos(const Linearised& x) {
    return x.apply(std::cos(x.value), -std::sin(x.value));
  }
  friend Linearised tan(const Linearised& x) {
    const double f = std::tan(x.value);
    return x.apply(f, 1 + f * f);
  }
  friend Linearised hypot(const Linearised& a, const Linearised& b) {
    const double f = std::hypot(a.value, b.value);
    return combined(f, a, a.value / f, b, b.value / f);
  }
  friend Linearised pow(const Linearised& a, const Linearised& b) {
    const double f = std::pow(a.value, b.value);
    const double by_base = b.value * std::pow(a.value, b.value - 1);
    if (b.is_constant()) return a.apply(f, by_base);
    return combined(f, a, by_base, b, f * std::log(a.value));
  }
  friend Linearised min(const Linearised& a, const Linearised& b) {
    return b.value < a.value ? b : a;
  }
  friend Linearised max(const Linearised& a, const Linearised& b) {
    return b.value > a.value ? b : a;
  }

 private:
  static Linearised combined(double f, const Linearised& a, double by_a,
                             const Linearised& b, double by_b) {
    if (b.is_constant()) return a.apply(f, by_a);
    if (a.is_constant()) return b.apply(f, by_b);
    return {f, by_a * a.slope + by_b * b.slope};
  }
};

/// The value of a plain number, or of one with derivatives.
inline double value_of(double x) { return x; }
inline double value_of(const Linearised& x) { return x.value; }

}  // namespace gttf
