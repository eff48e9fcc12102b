// SPDX-License-Identifier: Apache-2.0
// Parts of the detector reader: one entry of `layers`, and checks among them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/reader.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf::detail {

/// Maximum number of surfaces of a detector, `repeat` and `mirror` expanded.
inline constexpr std::size_t max_layers = 50000;

/// An entry of `layers` and its surfaces.
struct LayerEntry {
  Value name_value;  ///< location of its name
  Value shape;       ///< value of its shape
  std::string name;
  int line = 0;
  std::vector<Layer> layers;  ///< empty if the geometry is unknown
  std::size_t modules = 1;    ///< for a ring: number of consecutive layers
};

/// Shape and positions of an entry before `mirror` and `repeat`.
struct ShapeSpec {
  Surface surface;
  double first = 0;  ///< position, mm
  double last = 0;   ///< the same unless it is a range for `repeat`
  bool is_range = false;
  bool has_axes = false;  ///< whether the names of the local axes are known
  bool is_good = false;   ///< whether all of it could be read
  /// The modules of each ring of a `ring`; empty for any other shape.
  std::vector<std::vector<Surface>> rings;
};

/// Whether a coordinate at this angle is u (`axis` 0) or v (1).
inline bool is_along(double angle, std::size_t axis) {
  return axis == 0 ? angle == 0 : std::abs(angle - 90 * unit::deg) < 1e-12;
}

/// "B[2]": the third surface of the repeated layer B.
std::string name_of_copy(const std::string& name, std::size_t index);

/// Position of one of `n` equally spaced surfaces, both ends included.
double position_of_copy(double first, double last, std::size_t index,
                        std::size_t n);

/// Reads the shape; there must be exactly one. `place` is set to its value.
/// Errors are reported; see ShapeSpec for the result in that case.
ShapeSpec read_shape(MapReader& layer, bool repeats, Value& place);

/// What is known where a layer is read.
struct LayerContext {
  const std::vector<Material>& materials;  ///< of the file
  const std::string& file;  ///< of the detector; maps are relative to it
};

/// Reads `material`; empty if there is none.
/// @param surface  of the layer, or of one of its copies; null if not known
std::vector<Slab> read_material(const Value& value, const LayerContext& context,
                                const Surface* surface);

/// Reads `measures`, `pitch` and `drift` of a layer; empty if there are none.
std::vector<Coordinate> read_coordinates(MapReader& layer,
                                         const Surface& surface);

/// A region of `dead`, and which modules of a ring it is for.
struct DeadEntry {
  DeadRegion region;
  std::vector<std::size_t> rings, modules;  ///< empty: all
  bool is_good = false;

  bool covers(std::size_t ring, std::size_t module) const;
};

/// Reads `dead`: a region, or a list of them.
std::vector<DeadEntry> read_dead(const Value& value, const ShapeSpec& spec);

/// Reads an entry of `layers`.
LayerEntry read_layer(const Value& value, const LayerContext& context);

/// A length that must be positive; `what` completes "the ... must be".
std::optional<double> read_positive(const Value& value, std::string_view what,
                                    std::string_view example_unit = "mm");

/// A range [from, to] of lengths with from < to.
std::optional<Interval> read_range(const Value& value);
/// The same of any dimension.
/// @param what         "a range of ...", for errors
/// @param if_inverted  added to the suggestion to swap the values
std::optional<Interval> read_ends(const Value& value, std::string_view what,
                                  Dimension dimension,
                                  std::string_view example_unit = {},
                                  std::string_view if_inverted = {});

/// Reports coincident surfaces and repeated names; warns of disks that cut
/// through barrels.
void check_geometry(const std::vector<LayerEntry>& entries);

}  // namespace gttf::detail
