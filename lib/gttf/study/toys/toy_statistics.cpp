// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "gttf/core/statistics.hpp"

namespace gttf {

namespace {

/// Fitted minus true, with the sign of the true kappa for kappa.
double difference(double fitted, double truth, ToyParameters parameters,
                  int i) {
  const double d = fitted - truth;
  if (i == Perigee::kappa) return std::copysign(1.0, truth) * d;
  const bool angle = i == Perigee::phi && parameters == ToyParameters::perigee;
  if (!angle || std::abs(d) <= std::numbers::pi) return d;
  return std::remainder(d, 2 * std::numbers::pi);
}

}  // namespace

void FittedToys::resize(std::size_t n) {
  status.resize(n);
  for (auto* columns : {&fitted, &truth, &sigma})
    for (std::vector<double>& column : *columns) column.resize(n);
  chi2.resize(n);
  ndf.resize(n);
  momentum.resize(n);
}

void FittedToys::set(std::size_t i, const GlobalFit& fit, const ToyTrack& toy) {
  const bool plane = parameters == ToyParameters::plane;
  const Vector5& values = plane ? fit.start_plane : fit.perigee;
  const Vector5& true_values = plane ? toy.truth_at_plane : toy.truth;
  const Matrix5& covariance =
      plane ? fit.start_plane_covariance : fit.perigee_covariance;
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    const auto row = static_cast<int>(k);
    fitted[k][i] = values[row];
    truth[k][i] = true_values[row];
    sigma[k][i] = std::sqrt(covariance(row, row));
  }
  fitted[Perigee::kappa][i] = fit.kappa;
  sigma[Perigee::kappa][i] = fit.sigma;
  status[i] = fit.status;
  chi2[i] = fit.chi2;
  ndf[i] = fit.ndf;
  momentum[i] = fit.scattering_momentum
                    ? fit.scattering_momentum->p / toy.hits.momentum
                    : GlobalFit::none;
}

void FittedToys::set(const FitArrays& fits, const ToyTrack& toy,
                     std::span<const double> true_perigee,
                     int degrees_of_freedom) {
  const bool plane = parameters == ToyParameters::plane;
  const auto& values = plane ? fits.start_plane : fits.perigee;
  const auto& covariance =
      plane ? fits.start_plane_covariance : fits.perigee_covariance;
  const std::size_t n = size();
  const auto assign = [n](std::vector<double>& to, std::span<const double> from,
                          std::size_t row = 0) {
    const auto part = from.subspan(row * n, n);
    to.assign(part.begin(), part.end());
  };
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    assign(fitted[k], values, k);
    assign(sigma[k], covariance, k * (k + 1) / 2 + k);
    for (double& x : sigma[k]) x = std::sqrt(x);
    if (plane)
      truth[k].assign(n, toy.truth_at_plane[static_cast<int>(k)]);
    else
      assign(truth[k], true_perigee, k);
  }
  assign(fitted[Perigee::kappa], fits.kappa);
  assign(sigma[Perigee::kappa], fits.sigma);
  assign(chi2, fits.chi2);
  status.assign(fits.status.begin(), fits.status.end());
  for (std::size_t i = 0; i < n; ++i)
    ndf[i] = status[i] == FitStatus::ok ? degrees_of_freedom : 0;
  momentum.assign(n, GlobalFit::none);
  for (std::size_t i = 0; i < fits.scattering_momentum.size(); ++i)
    momentum[i] = fits.scattering_momentum[i] / toy.hits.momentum;
}

FitStatistics::FitStatistics()
    : residuals(n_toy_parameters, ToyQuantity(-range, range, bins)),
      pulls(residuals) {}

void FitStatistics::add(const FittedToys& toys, std::span<const char> missed,
                        const ToyScale& scale) {
  std::vector<std::size_t> good;
  good.reserve(toys.size());
  for (std::size_t i = 0; i < toys.size(); ++i) {
    if (missed[i] != 0) continue;
    if (toys.status[i] == FitStatus::ok) {
      good.push_back(i);
      ndf += toys.ndf[i];
    } else {
      ++failed[static_cast<std::size_t>(toys.status[i])];
    }
  }
  const std::size_t n = good.size();
  fitted += n;
  std::vector<double> change(n), numbers(n);
  const auto add_numbers = [&](ToyQuantity& to, const auto& number) {
    for (std::size_t j = 0; j < n; ++j) numbers[j] = number(j);
    const auto end = std::remove_if(numbers.begin(), numbers.end(),
                                    [](double x) { return std::isnan(x); });
    to.add(std::span(numbers.begin(), end));
  };
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    for (std::size_t j = 0; j < n; ++j)
      change[j] = difference(toys.fitted[k][good[j]], toys.truth[k][good[j]],
                             toys.parameters, static_cast<int>(k));
    if (scale[k] > 0)
      add_numbers(residuals[k],
                  [&](std::size_t j) { return change[j] / scale[k]; });
    add_numbers(pulls[k], [&](std::size_t j) {
      const double error = toys.sigma[k][good[j]];
      return error > 0 ? change[j] / error : GlobalFit::none;
    });
  }
  for (const std::size_t i : good) {
    if (std::isfinite(toys.momentum[i]))
      momentum.add(toys.momentum[i]);
    else if (!std::isnan(toys.momentum[i]))
      ++unbounded;
  }
  std::erase_if(good, [&](std::size_t i) { return toys.ndf[i] <= 0; });
  for (const std::size_t i : good) {
    chi2_per_ndf.add(toys.chi2[i] / toys.ndf[i]);
    probability.add(chi2_probability(toys.chi2[i], toys.ndf[i]));
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
  momentum.add(other.momentum);
  unbounded += other.unbounded;
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
  // probabilities of exactly 1 are above the last bin but belong to it
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
