// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toy_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gttf/core/chi2_probability.hpp"

namespace gttf {

namespace {

/// Fitted minus true, with the sign of the true kappa for kappa.
double difference(const GlobalFit& fit, const Vector5& truth, int i) {
  if (i == Perigee::kappa)
    return std::copysign(1.0, truth[i]) * (fit.kappa - truth[i]);
  const double d = fit.perigee[i] - truth[i];
  return i == Perigee::phi ? std::remainder(d, 2 * std::numbers::pi) : d;
}

double error_of(const GlobalFit& fit, int i) {
  return i == Perigee::kappa ? fit.sigma
                             : std::sqrt(fit.perigee_covariance(i, i));
}

}  // namespace

FitStatistics::FitStatistics()
    : residuals(n_toy_parameters, ToyQuantity(-range, range, bins)),
      pulls(residuals) {}

void FitStatistics::add(const GlobalFit& fit, const Vector5& truth,
                        const ToyScale& scale) {
  if (fit.status != FitStatus::ok) {
    ++failed[static_cast<std::size_t>(fit.status)];
    return;
  }
  ++fitted;
  ndf += fit.ndf;
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    const int i = static_cast<int>(k);
    const double d = difference(fit, truth, i);
    if (!std::isnan(d) && scale[k] > 0) residuals[k].add(d / scale[k]);
    const double error = error_of(fit, i);
    if (!std::isnan(d) && error > 0) pulls[k].add(d / error);
  }
  if (fit.ndf > 0) {
    chi2_per_ndf.add(fit.chi2 / fit.ndf);
    probability.add(chi2_probability(fit.chi2, fit.ndf));
  }
}

void FitStatistics::add(const FitStatistics& other) {
  fitted += other.fitted;
  ndf += other.ndf;
  for (std::size_t i = 0; i < failed.size(); ++i) failed[i] += other.failed[i];
  for (std::size_t i = 0; i < n_toy_parameters; ++i) {
    residuals[i].add(other.residuals[i]);
    pulls[i].add(other.pulls[i]);
  }
  chi2_per_ndf.add(other.chi2_per_ndf);
  probability.add(other.probability);
}

std::uint64_t FitStatistics::failures() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : failed) sum += n;
  return sum;
}

void ToyStatistics::add(const ToyStatistics& other) {
  simulated += other.simulated;
  missed += other.missed;
  for (std::size_t i = 0; i < fits.size(); ++i) fits[i].add(other.fits[i]);
}

double flatness(const Histogram& h) {
  const double n = static_cast<double>(h.total());
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  // probabilities of exactly 1 are above the last bin, where they belong
  double sum = static_cast<double>(h.below), largest = sum / n;
  for (std::size_t i = 0; i + 1 < h.bins.size(); ++i) {
    sum += static_cast<double>(h.bins[i]);
    const double flat =
        static_cast<double>(i + 1) / static_cast<double>(h.bins.size());
    largest = std::max(largest, std::abs(sum / n - flat));
  }
  return largest;
}

double flatness_probability(double distance, std::uint64_t n) {
  if (n == 0 || std::isnan(distance))
    return std::numeric_limits<double>::quiet_NaN();
  const double root = std::sqrt(static_cast<double>(n));
  const double l = (root + 0.12 + 0.11 / root) * distance;
  if (l < 0.2) return 1;  // 1 - 1e-12; the series converges slowly there
  double sum = 0, sign = 1;
  for (int k = 1; k <= 100; ++k, sign = -sign)
    sum += sign * 2 * std::exp(-2 * k * k * l * l);
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace gttf
