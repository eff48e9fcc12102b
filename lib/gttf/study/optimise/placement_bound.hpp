// SPDX-License-Identifier: Apache-2.0
// PlacementBound: a bound for placements of equal hits without material.
#pragma once

#include <optional>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// A lower bound for all placements, and a placement close to it.
struct PlacementBound {
  double sigma = 0;       ///< of the objective's parameter, native units
  std::vector<double> x;  ///< the variables, in their order
};

/// For problems in which equal layers move within one range, tracks do not
/// scatter, and the error of one track is minimised: the variance is convex in
/// the weights of hits on a lattice. Weights between 0 and 1 are a relaxation,
/// whose derivatives bound every placement. Other limits are ignored, which
/// keeps the bound valid. Nothing for other problems.
/// Source: docs/theory/optimisation.md
std::optional<PlacementBound> bound_placement(const DesignProgram& program,
                                              const std::vector<double>& start);

}  // namespace gttf
