// SPDX-License-Identifier: Apache-2.0
// What can be proven about all designs of a problem.
#pragma once

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// Whether limits are missed even with the best hits and the thinnest layers:
/// then no design meets them.
bool is_beyond_best_corner(DesignProgram program);

/// Whether the problem is convex in the information 1/sigma^2 of the hits, so
/// that there is one optimum.
/// Source: docs/theory/optimisation.md
bool is_convex(const DesignProgram& program);

/// A lower bound of the objective for all designs, from the limits and
/// multipliers at a point, which need not be an optimum; -infinity if
/// there is none. Like f, a logarithm. With F = exp(f) and G = exp(limit)
/// - 1, which are convex in the information u = 1/sigma^2, and multipliers
/// mu >= 0, L = F + sum mu G is convex and not above F where limits are
/// met. It is not below its tangent, whose minimum is at a corner of the
/// ranges. This holds for any multipliers: those of the point are used, or
/// others if their bound is higher.
/// @pre is_convex(program)
/// Source: [BoydVandenberghe04] section 5.1
double lower_bound(DesignProgram& program, const ProgramResult& point);

}  // namespace gttf
