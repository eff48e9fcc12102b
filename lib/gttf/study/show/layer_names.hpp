// SPDX-License-Identifier: Apache-2.0
// How tables call layers and the coordinates they measure.
#pragma once

#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf {

/// "rphi", "z", "r", "u", "v" as a description file writes it; a coordinate
/// between the axes by its angle: "40 mrad", "45 deg".
std::string coordinate_name(const Surface& surface,
                            const Coordinate& coordinate);

/// What is summed over: nothing, the surfaces of one entry of the file
/// (`repeat`), or the layers of a group.
enum class Grouping { surface, layer, group };

/// For each layer the name of its entry in the file: surfaces of a repeated
/// layer, "TPC[0]", "TPC[1]", share the name "TPC". Others have their own.
std::vector<std::string> entry_names(const Detector& detector);

/// For each layer the name under which it is summed; a layer without a group
/// stands for itself.
std::vector<std::string> names_by(const Detector& detector, Grouping grouping);

}  // namespace gttf
