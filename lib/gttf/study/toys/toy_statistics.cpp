// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "gttf/core/chi2_probability.hpp"
#include "gttf/fit/triplet/fit_kinds.hpp"

namespace gttf {

namespace {

/// Every kind of fit with the weights that it can take, by name.
std::vector<std::pair<std::string, ToyFit>> make_fits() {
  std::vector<std::pair<std::string, ToyFit>> all;
  for (const detail::DescribedFit& fit : detail::described_fits()) {
    const auto add = [&](std::string_view source, WeightSource weights) {
      all.emplace_back(std::string(fit.name).append(source),
                       ToyFit{fit.kind, weights});
    };
    add("", WeightSource::estimate);
    if (fit.scattering) {
      add("-local", WeightSource::local);
      add("-updated", WeightSource::update);
    }
    if (fit.shareable) add("-shared", WeightSource::shared);
  }
  return all;
}

const std::vector<std::pair<std::string, ToyFit>>& all_fits() {
  static const auto fits = make_fits();
  return fits;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> aliases{{
    {"ms", "scattering"},
    {"ms-local", "scattering-local"},
    {"ms-updated", "scattering-updated"},
    {"ms-shared", "scattering-shared"},
    {"hit", "hits"},
    {"regularized", "regularised"},
    {"common_curvature", "common-curvature"},
    {"common", "common-curvature"},
}};

}  // namespace

std::string name_of(const ToyFit& fit) {
  for (const auto& [name, known] : all_fits())
    if (known == fit) return name;
  return "unknown";
}

std::optional<ToyFit> find_toy_fit(std::string_view name) {
  for (const auto& [alias, full] : aliases)
    if (name == alias) return find_toy_fit(full);
  for (const auto& [known, fit] : all_fits())
    if (name == known) return fit;
  return std::nullopt;
}

std::vector<std::string> toy_fit_names() {
  std::vector<std::string> names;
  for (const auto& [name, fit] : all_fits()) names.push_back(name);
  return names;
}

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

FittedToy fitted_toy(const GlobalFit& fit, const ToyTrack& toy,
                     ToyParameters parameters) {
  const bool plane = parameters == ToyParameters::plane;
  const Matrix5& v =
      plane ? fit.start_plane_covariance : fit.perigee_covariance;
  FittedToy f{plane ? fit.start_plane : fit.perigee,
              plane ? toy.truth_at_plane : toy.truth, v.diagonal().cwiseSqrt()};
  f.fitted[Perigee::kappa] = fit.kappa;
  f.sigma[Perigee::kappa] = fit.sigma;
  return f;
}

FittedToy FittedToys::toy(std::size_t i) const {
  FittedToy t;
  t.truth = truth;
  const std::size_t n = size();
  for (std::size_t q = 0; q < n_toy_parameters; ++q) {
    const auto row = static_cast<int>(q);
    const std::size_t diagonal = q * (q + 1) / 2 + q;
    t.fitted[row] = fits.perigee[q * n + i];
    t.sigma[row] = std::sqrt(fits.perigee_covariance[diagonal * n + i]);
  }
  t.fitted[Perigee::kappa] = fits.kappa[i];
  t.sigma[Perigee::kappa] = fits.sigma[i];
  return t;
}

FitStatistics::FitStatistics()
    : residuals(n_toy_parameters, ToyQuantity(-range, range, bins)),
      pulls(residuals) {}

void FitStatistics::add(const GlobalFit& fit, const ToyTrack& toy,
                        ToyParameters parameters, const ToyScale& scale) {
  if (fit.status != FitStatus::ok) {
    ++failed[static_cast<std::size_t>(fit.status)];
    return;
  }
  ++fitted;
  ndf += fit.ndf;
  const FittedToy fitted_parameters = fitted_toy(fit, toy, parameters);
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    const int i = static_cast<int>(k);
    const double d = difference(fitted_parameters.fitted[i],
                                fitted_parameters.truth[i], parameters, i);
    if (!std::isnan(d) && scale[k] > 0) residuals[k].add(d / scale[k]);
    const double error = fitted_parameters.sigma[i];
    if (!std::isnan(d) && error > 0) pulls[k].add(d / error);
  }
  if (const auto& m = fit.scattering_momentum) {
    if (m->finite)
      momentum.add(m->p / toy.hits.momentum);
    else
      ++unbounded;
  }
  if (fit.ndf > 0) {
    chi2_per_ndf.add(fit.chi2 / fit.ndf);
    probability.add(chi2_probability(fit.chi2, fit.ndf));
  }
}

void FitStatistics::add(const FittedToys& toys, const ToyScale& scale) {
  std::vector<std::size_t> good;
  good.reserve(toys.size());
  for (std::size_t i = 0; i < toys.size(); ++i) {
    if (toys.missed[i] != 0) continue;
    if (toys.status(i) == FitStatus::ok)
      good.push_back(i);
    else
      ++failed[static_cast<std::size_t>(toys.status(i))];
  }
  const std::size_t n = good.size();
  fitted += n;
  ndf += static_cast<std::int64_t>(n) * toys.ndf;
  std::vector<double> gathered(n), change(n), scaled(n);
  // numbers of the good ones, which mostly are all
  const auto column = [&](const double* from) {
    if (n == toys.size()) return from;
    for (std::size_t i = 0; i < n; ++i) gathered[i] = from[good[i]];
    return static_cast<const double*>(gathered.data());
  };
  const auto add_scaled = [&](ToyQuantity& to) {
    const auto end = std::remove_if(scaled.begin(), scaled.end(),
                                    [](double x) { return std::isnan(x); });
    to.add(std::span(scaled.begin(), end));
  };
  for (std::size_t k = 0; k < n_toy_parameters; ++k) {
    const bool kappa = k == Perigee::kappa;
    const int row = static_cast<int>(k);
    const double truth = toys.truth[row];
    const double* fit =
        column(kappa ? toys.fits.kappa.data()
                     : toys.fits.perigee.data() + k * toys.size());
    for (std::size_t i = 0; i < n; ++i)
      change[i] = difference(fit[i], truth, ToyParameters::perigee, row);
    if (scale[k] > 0) {
      for (std::size_t i = 0; i < n; ++i) scaled[i] = change[i] / scale[k];
      add_scaled(residuals[k]);
    }
    const double* error =
        column(kappa ? toys.fits.sigma.data()
                     : toys.fits.perigee_covariance.data() +
                           (k * (k + 1) / 2 + k) * toys.size());
    for (std::size_t i = 0; i < n; ++i) {
      const double sigma = kappa ? error[i] : std::sqrt(error[i]);
      scaled[i] = sigma > 0 ? change[i] / sigma
                            : std::numeric_limits<double>::quiet_NaN();
    }
    add_scaled(pulls[k]);
  }
  if (toys.ndf <= 0) return;
  const double* chi2 = column(toys.fits.chi2.data());
  for (std::size_t i = 0; i < n; ++i) scaled[i] = chi2[i] / toys.ndf;
  add_scaled(chi2_per_ndf);
  for (std::size_t i = 0; i < n; ++i)
    probability.add(chi2_probability(chi2[i], toys.ndf));
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
