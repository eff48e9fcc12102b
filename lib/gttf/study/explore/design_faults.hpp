// SPDX-License-Identifier: Apache-2.0
// Why numbers set in the explorer are not a valid detector.
#pragma once

#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf {

// Errors as reported by the reader of files, for numbers not read from a file.

/// "L0: the radius is not positive": errors of single layers and of the field.
std::vector<std::string> design_faults(const Detector& detector);

/// "VTX1 and VTX2 are at the same place". Slower, because it compares layers.
/// @pre no design_faults()
std::vector<std::string> layers_at_one_place(const Detector& detector);

}  // namespace gttf
