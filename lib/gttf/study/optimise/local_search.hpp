// SPDX-License-Identifier: Apache-2.0
// One solution of an optimisation problem from one design.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// A design at which the solver evaluated derivatives.
struct LookedAt {
  std::vector<double> x;  ///< native units
  double f = 0;
  double violation = 0;  ///< of the limits known to the solver
};

/// Where the solver ended from one start.
struct LocalOptimum {
  bool feasible = false;
  double f = 0;
  double violation = 0;
  std::vector<double> x;  ///< native units
  /// Samples whose limits were tested, and hit edges.
  std::vector<std::size_t> working;
  ProgramResult result;
};

/// Optional inputs of a solution besides its start.
struct SolveOptions {
  /// Samples and hit edges whose limits are seen first; empty: samples nearest
  /// to their limits.
  std::vector<std::size_t> working = {};
  /// Receives the designs at which derivatives were evaluated; may be null.
  std::vector<LookedAt>* history = nullptr;
  /// Called at every step; false ends the solution at the current point.
  std::function<bool()> keep_on = {};
};

/// One solution of the program from x, with constraint exchange.
LocalOptimum solve(DesignProgram& program, const std::vector<double>& x,
                   const SolveOptions& options = {});

/// The same, and what the solver finds if it begins where it ended, since its
/// steps may have ended early.
LocalOptimum solve_on(DesignProgram& program, const std::vector<double>& x,
                      const SolveOptions& options = {});

/// Whether limits are met and the conditions of an optimum hold.
bool is_solved(const LocalOptimum& o);

/// Whether `a` meets limits and `b` does not, or is better than it.
bool is_better(const LocalOptimum& a, const LocalOptimum& b);

}  // namespace gttf
