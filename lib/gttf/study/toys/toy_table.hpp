// SPDX-License-Identifier: Apache-2.0
// What toys told, as table, document and summary.
#pragma once

#include <vector>

#include "gttf/core/columns.hpp"
#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/fit/triplet/bias.hpp"
#include "gttf/study/toys/toy_state.hpp"
#include "gttf/study/toys/toy_statistics.hpp"

// The biases that theory expects of the fits of a study of toys.
namespace gttf {

/// Where scattering dominates; NaN: nothing is known.
struct BiasColumns {
  Bias expected;
  Bias paper;  ///< as printed in [GTTF]
};

/// @param n         number of triplets
/// @param relative  sigma_kappa/|kappa| of all of them together, by scattering
/// Source: docs/theory/bias-study.md
BiasColumns bias_columns(const ToyFit& fit, int n, double relative);

/// The columns; those that each parameter P has are told once, without the
/// name of one.
std::vector<DescribedColumn> described_toy_columns();
/// The same with the columns of every parameter.
std::vector<DescribedColumn> all_toy_columns();

/// A row per point and fit; columns as in docs/reference/toys.md.
Table toy_table(const ToyState& state);

/// The same rows, each with its histograms and the reasons of failed fits, and
/// what the study was.
Document toy_results(const ToyState& state);

/// The columns that fit a page.
Summary toy_summary(const ToyState& state);

/// Toys that were fitted, over all points and fits.
std::uint64_t fitted_toys(const ToyState& state);

}  // namespace gttf
