// SPDX-License-Identifier: Apache-2.0
// Results of toys as table, document and summary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gttf/core/columns.hpp"
#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/fit/triplet/bias.hpp"
#include "gttf/study/toys/toy_state.hpp"
#include "gttf/study/toys/toy_statistics.hpp"

// The biases predicted by theory for the fits of a study of toys.
namespace gttf {

/// Where scattering dominates; NaN: unknown.
struct BiasColumns {
  Bias expected;
  Bias paper;  ///< as printed in [GTTF]
};

/// @param n         number of triplets
/// @param relative  sigma_kappa/|kappa| combined, from scattering
/// Source: docs/theory/bias-study.md
BiasColumns bias_columns(const FitChoice& fit, int n, double relative);

/// The columns; columns that exist for each parameter P are listed
/// once.
std::vector<DescribedColumn> described_toy_columns();
/// The same with the columns of every parameter.
std::vector<DescribedColumn> all_toy_columns();

/// A row per point and fit; columns as in docs/reference/toys.md.
Table toy_table(const ToyState& state);

/// The same rows, each with its histograms and the reasons of failed fits, and
/// the settings of the study.
Document toy_results(const ToyState& state);

/// The columns that fit a page.
Summary toy_summary(const ToyState& state);

/// Toys that were fitted, over all points and fits.
std::uint64_t fitted_toys(const ToyState& state);

/// Toys of one point; columns as in docs/reference/toys.md.
class ToyRows {
 public:
  /// @param at_plane  with columns for tracks along the beam, see ToyParameters
  ToyRows(const ToyPoint& point, bool at_plane);

  void add(std::uint64_t toy_number, const std::string& fit_name,
           const FittedToys& toys, std::size_t i);
  /// A toy that missed a layer of the reference track; nothing was fitted.
  void add_missed(std::uint64_t toy_number);

  Table take() &&;

 private:
  /// chi2; true, fitted and sigma of five parameters of the perigee and of four
  /// of the plane.
  static constexpr std::size_t n_numbers = 28;

  std::string detector_;
  double p_ = 0, theta_deg_ = 0;
  ToyParameters parameters_;
  bool at_plane_;
  Texts fit_, status_;
  Integers toy_, ndf_;
  std::array<Reals, n_numbers> numbers_;
};

}  // namespace gttf
