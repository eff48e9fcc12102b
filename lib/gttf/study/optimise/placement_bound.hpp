// SPDX-License-Identifier: Apache-2.0
// PlacementBound: how good equal hits without material can be placed at best.
#pragma once

#include <optional>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// What no placement can beat, and a placement that comes near.
struct PlacementBound {
  double sigma = 0;       ///< of the objective's parameter, native units
  std::vector<double> x;  ///< the variables, in their order
};

/// For problems in which equal layers move within one range, tracks do not
/// scatter, and the error of one track is minimised: the variance is convex in
/// the weights with which hits stand on a lattice. Weights between 0 and 1 are
/// a relaxation, whose derivatives bound every placement. Other limits are left
/// out; the bound holds all the more. Nothing for other problems.
/// Source: docs/theory/optimisation.md
std::optional<PlacementBound> bound_placement(const DesignProgram& program,
                                              const std::vector<double>& start);

}  // namespace gttf
