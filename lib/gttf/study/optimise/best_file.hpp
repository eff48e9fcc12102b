// SPDX-License-Identifier: Apache-2.0
// The description of the user with the numbers found by a search.
#pragma once

#include <string>
#include <vector>

#include "gttf/study/optimise/design_program.hpp"

namespace gttf {

/// The text of the detector file with only the varied values replaced:
/// comments, anchors and order are kept. `header`: comment lines at its top.
/// Layers that were not chosen are removed. Where the notation of the file
/// prevents that, the description is written without comments and anchors.
/// @param lost  gets a warning with what is lost then
std::string best_file(const DesignProgram& program,
                      const std::vector<double>& x,
                      const std::vector<std::string>& header,
                      Diagnostics* lost = nullptr);

}  // namespace gttf
