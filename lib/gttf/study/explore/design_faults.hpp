// SPDX-License-Identifier: Apache-2.0
// Why numbers that a page has set are no detector.
#pragma once

#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf {

/// "VTX1 and VTX2 are at the same place", "L0: the radius is not positive":
/// what the reader of detector files refuses, for numbers that it has not seen.
std::vector<std::string> design_faults(const Detector& detector);

}  // namespace gttf
