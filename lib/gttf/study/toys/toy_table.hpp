// SPDX-License-Identifier: Apache-2.0
// What toys told, as table, document and summary.
#pragma once

#include "gttf/core/document.hpp"
#include "gttf/core/summary.hpp"
#include "gttf/core/table.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf {

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
