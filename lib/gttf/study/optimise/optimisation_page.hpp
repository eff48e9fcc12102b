// SPDX-License-Identifier: Apache-2.0
// The result of a search as a page: before and after, prices, front,
// tolerances.
#pragma once

#include "gttf/core/page.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"

namespace gttf {

/// @pre a design was found or is the best so far
Page optimisation_page(const OptimisationResults& results, unsigned threads);

}  // namespace gttf
