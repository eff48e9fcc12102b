// SPDX-License-Identifier: Apache-2.0
// ToyStatistics: accumulated statistics of the fits of many toys. Its size is
// independent of their number, and merging parts is exact.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/statistics.hpp"
#include "gttf/fit/batch_fit.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/resolution/toys.hpp"

namespace gttf {

/// Number of track parameters.
inline constexpr std::size_t n_toy_parameters = track_dim;

/// Parameters that describe a track: d0, z0, phi, theta, kappa of the perigee,
/// or, for tracks along the beam of a spectrometer or telescope, x, y, dx/dz,
/// dy/dz, kappa on the plane z = const. through the start.
enum class ToyParameters { perigee, plane };

/// Fits of many toys of one point as columns, one entry per toy. Entries of
/// missed toys, and the numbers of failed fits, are meaningless.
struct FittedToys {
  ToyParameters parameters = ToyParameters::perigee;
  std::vector<FitStatus> status;
  std::array<std::vector<double>, n_toy_parameters> fitted, truth, sigma;
  std::vector<double> chi2;
  std::vector<int> ndf;
  /// Without field: momentum from scattering over the true one; infinite if the
  /// scattering does not bound it, NaN if it was not requested.
  std::vector<double> momentum;

  void resize(std::size_t n);
  std::size_t size() const { return status.size(); }
  void set(std::size_t i, const GlobalFit& fit, const ToyTrack& toy);
  /// All toys.
  /// @param toy           one of them
  /// @param true_perigee  ToyArrays::truth
  void set(const FitArrays& fits, const ToyTrack& toy,
           std::span<const double> true_perigee, int degrees_of_freedom);
};

/// Capacity for the values of FitStatus.
inline constexpr std::size_t n_fit_status = 16;

/// Expected errors of the parameters in fit units; NaN or 0: there is none, and
/// the parameter is omitted.
using ToyScale = std::array<double, n_toy_parameters>;

/// Moments and histogram of one quantity.
struct ToyQuantity {
  ExactMoments moments;
  Histogram histogram;

  ToyQuantity(double from, double to, std::size_t bins)
      : histogram(from, to, bins) {}

  void add(double x) {
    moments.add(x);
    histogram.add(x);
  }
  void add(std::span<const double> numbers) {
    moments.add(numbers);
    histogram.add(numbers);
  }
  void add(const ToyQuantity& other) {
    moments.add(other.moments);
    histogram.add(other.histogram);
  }
};

/// Statistics of one fit at one point.
struct FitStatistics {
  static constexpr double range = 6;          ///< of pulls and residuals
  static constexpr std::size_t bins = 120;    ///< of pulls and residuals
  static constexpr std::size_t p_bins = 100;  ///< of the chi2 probability

  std::uint64_t fitted = 0;
  std::array<std::uint64_t, n_fit_status> failed{};  ///< by status
  std::int64_t ndf = 0;  ///< sum over the fitted ones
  /// (fit - truth)/expected error and (fit - truth)/error of the fit. Values of
  /// kappa have its sign: positive means too much curvature.
  std::vector<ToyQuantity> residuals, pulls;
  ToyQuantity chi2_per_ndf{0, 5, 100};
  /// Without field: momentum from scattering over the true one, where finite.
  ToyQuantity momentum{0, 5, 100};
  std::uint64_t unbounded = 0;  ///< toys without a momentum from scattering
  Histogram probability{0, 1, p_bins};

  FitStatistics();
  void add(const FittedToys& toys, std::span<const char> missed,
           const ToyScale& scale);
  void add(const FitStatistics& other);

  std::uint64_t failures() const;
};

/// Statistics of one point.
struct ToyStatistics {
  std::uint64_t simulated = 0;
  std::uint64_t missed = 0;  ///< missed a layer of the reference track
  std::vector<FitStatistics> fits;

  explicit ToyStatistics(std::size_t n_fits) : fits(n_fits) {}
  void add(const ToyStatistics& other);
};

/// Largest distance between the distribution of `h` and a flat one, at the
/// edges of its bins: the Kolmogorov-Smirnov statistic, in [0, 1]. NaN if
/// empty.
double flatness(const Histogram& h);

/// Probability that n uniform random numbers have at least this distance.
/// Asymptotic form sum_k 2 (-1)^(k-1) exp(-2 k^2 l^2) with l = (sqrt(n) + 0.12
/// + 0.11/sqrt(n)) distance.
/// Source: [Stephens70]
double flatness_probability(double distance, std::uint64_t n);

}  // namespace gttf
