// SPDX-License-Identifier: Apache-2.0
// Reads an optimisation: variables, objective, constraints.
#pragma once

#include <span>
#include <string>

#include "gttf/study/optimise/problem.hpp"

namespace gttf {

/// Reads `path` ("-": standard input). `overrides`: changes of the detector
/// before anything else. `warnings` are added to. Throws InputError with all
/// errors.
OptimisationProblem read_problem(const std::string& path,
                                 std::span<const std::string> overrides,
                                 const BaselineLoader& load,
                                 Diagnostics& warnings);

}  // namespace gttf
