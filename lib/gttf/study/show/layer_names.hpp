// SPDX-License-Identifier: Apache-2.0
// How tables call layers and the coordinates they measure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/resolution/sensitivity.hpp"

namespace gttf {

/// "rphi", "z", "r", "u", "v" as a description file writes it; a coordinate
/// between the axes by its angle: "40 mrad", "45 deg".
std::string coordinate_name(const Surface& surface,
                            const Coordinate& coordinate);

/// What is summed over: nothing, the surfaces of one entry of the file
/// (`repeat`, `ring`), or the layers of a group; `large`: the surfaces of
/// entries with more than most_listed_singly of them, the rows of a gas
/// detector, and the modules of rings.
enum class Grouping { surface, layer, group, large };
inline constexpr std::size_t most_listed_singly = 16;
/// By name: "surface", "layer" or "group".
std::optional<Grouping> find_grouping(std::string_view name);

/// For each layer the name of its entry in the file: surfaces of a repeated
/// layer, "TPC[0]", "TPC[1]", share the name "TPC". Others have their own.
std::vector<std::string> entry_names(const Detector& detector);

/// For each layer the name under which it is summed; a layer without a group
/// stands for itself.
std::vector<std::string> names_by(const Detector& detector, Grouping grouping);

// How --set calls the numbers of a layer: layers[L0].cylinder.radius.

/// Name of a mirrored layer in the file: without " (+z)" or " (-z)".
std::string name_in_file(const std::string& name);

/// "layers[L0].material" for the entry L0 of the file and what comes behind the
/// dot, if anything.
std::string layer_key(const std::string& entry, std::string_view tail = {});

/// "cylinder.radius".
std::string position_tail(const Surface& surface);

/// "cylinder.half_length" of an interval around 0, else "cylinder.z";
/// "disk.radius"; "plane.y". `axis`: 0 for u, 1 for v.
std::string extent_tail(const Surface& surface, std::size_t axis,
                        const Interval& extent);

/// "measures.rphi"; between the axes "measures[1].sigma", counted as in
/// Layer::coordinates.
std::string sigma_tail(const Layer& layer, std::size_t coordinate);

/// "measures[1].angle".
std::string angle_tail(std::size_t coordinate);

/// A number of a layer as tables call it: "radius", "material", "sigma rphi",
/// "angle 40 mrad".
std::string quantity_name(const Layer& layer, Quantity quantity,
                          std::size_t coordinate);

/// What comes behind the dot in its key.
std::string quantity_tail(const Layer& layer, Quantity quantity,
                          std::size_t coordinate);

/// The unit in which tables tell a number of the design.
struct QuantityUnit {
  std::string_view name;
  double value;
};
QuantityUnit unit_of(Quantity quantity);

/// The key of the one number that scales a field; empty if there are several.
std::string field_key(const Field& field);

}  // namespace gttf
