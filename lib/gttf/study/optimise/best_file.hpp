// SPDX-License-Identifier: Apache-2.0
// The user's own description with the numbers that a search has found.
#pragma once

#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// The text of the detector file in which only what varies is replaced:
/// comments, anchors and order stay. `header`: lines of a comment at its top.
/// Layers that were not chosen are taken out.
/// Throws InputError if the file cannot say it.
std::string best_file(const DesignProgram& program,
                      const std::vector<double>& x,
                      const std::vector<std::string>& header);

}  // namespace gttf
