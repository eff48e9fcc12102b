// SPDX-License-Identifier: Apache-2.0
// The least value of a quantity.
#pragma once

#include <cstddef>
#include <vector>

#include "gttf/study/optimise/problem.hpp"

namespace gttf {

/// Whether the numbers of a design are within gaps, and within envelopes that
/// hold for all choices.
bool keeps_order(const OptimisationProblem& problem,
                 const std::vector<double>& numbers);

/// The least value of a quantity of all designs within gaps and envelopes, with
/// any options and layers; infinity if there are none, -infinity if one has no
/// value. The best value of one variable or choice after the other.
double least_quantity(const OptimisationProblem& problem, std::size_t quantity);

}  // namespace gttf
