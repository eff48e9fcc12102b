// SPDX-License-Identifier: Apache-2.0
// AngleWeights: the momentum whose scattering angles a fit takes.
#pragma once

#include <algorithm>
#include <cmath>

namespace gttf::detail {

/// Angles are those of the fitted momentum. If a track seems to be faster than
/// it is, they are larger than expected of it, which chi2 shows: then they are
/// those of the momentum of the greatest likelihood, given both. With the
/// fitted curvature kappa, those of kappa e^x have
///
///   chi2 + (ndf + 1) g x + (e^x - 1)^2/sigma^2 = min,
///   chi2, 1/sigma^2 ~ e^(-g x),  g = power chi2_angles/chi2,  x >= 0
///
/// at most three standard deviations from the fitted curvature.
class AngleWeights {
 public:
  /// Results of a fit.
  struct Fit {
    double chi2 = 0, ndf = 0;
    double chi2_angles = 0;  ///< the part of the scattering angles
    double sigma = 0;        ///< sigma(kappa)/kappa
  };

  /// @param power  of the curvature, in the variances of angles
  explicit AngleWeights(double power) : power_(power) {}

  /// kappa of the angles over that of the fit.
  double ratio() const { return std::exp(x_); }
  /// Factor of their variances.
  double widening() const { return std::exp(power_ * x_); }

  /// @param fit  with these weights
  /// @return     whether they change by more than 5 %
  bool improve(const Fit& fit) {
    if (!(fit.chi2_angles > 0)) return false;
    constexpr double farthest = 3;  // standard deviations
    const double most = std::log1p(farthest * fit.sigma);
    const double step = small / power_;
    const double low = std::max(0.0, x_ - step), high = x_ + step;
    const bool falls = slope(fit, high) < 0 && high < most;
    const bool rises = slope(fit, low) > 0 && low > 0;
    if (!falls && !rises) return false;
    x_ = falls ? least(fit, high, most) : least(fit, 0, low);
    return true;
  }

 private:
  static constexpr double small = 0.05;

  /// d/dx of half of the sum above, as predicted from a fit at x_.
  double slope(const Fit& fit, double x) const {
    const double g = power_ * fit.chi2_angles / fit.chi2;
    const double wider = std::exp(g * (x - x_));
    const double moved = std::expm1(x) / fit.sigma;
    return 0.5 * g * (fit.ndf + 1 - (fit.chi2 + moved * moved) / wider) +
           moved * std::exp(x) / (fit.sigma * wider);
  }

  /// The minimum between two points, by bisection.
  double least(const Fit& fit, double from, double to) const {
    constexpr int steps = 30;
    for (int i = 0; i < steps; ++i) {
      const double middle = 0.5 * (from + to);
      (slope(fit, middle) < 0 ? from : to) = middle;
    }
    return 0.5 * (from + to);
  }

  double power_;
  double x_ = 0;
};

}  // namespace gttf::detail
