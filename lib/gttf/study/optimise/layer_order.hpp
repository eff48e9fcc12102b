// SPDX-License-Identifier: Apache-2.0
// Checks that all designs of a search can be described: surfaces that coincide
// cannot, nor those without extent, nor magnets that overlap.
#pragma once

#include "gttf/study/optimise/problem.hpp"

namespace gttf {

/// Reports surfaces of different layers that may coincide in a design: they
/// need a gap. Adds gaps between the ends of a surface, and between images and
/// copies of a layer, where ranges do not keep them apart.
void check_order(OptimisationProblem& problem, Diagnostics& diagnostics);

/// Reports magnets that may have no length or overlap in a design.
void check_dipoles(const OptimisationProblem& problem,
                   Diagnostics& diagnostics);

}  // namespace gttf
