// SPDX-License-Identifier: Apache-2.0
// Why numbers that a page has set are no detector.
#pragma once

#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf {

// What the reader of detector files refuses, for numbers that it has not seen.

/// "L0: the radius is not positive": errors of single layers and of the field.
std::vector<std::string> design_faults(const Detector& detector);

/// "VTX1 and VTX2 are at the same place". Takes longer: compares layers.
/// @pre no design_faults()
std::vector<std::string> layers_at_one_place(const Detector& detector);

}  // namespace gttf
