// SPDX-License-Identifier: Apache-2.0
// Subsystems of a detector by name and colour.
#pragma once

#include <string>
#include <vector>

#include "gttf/core/figure.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf::detail {

/// A subsystem: a group of the description, or layers that stand next to each
/// other where there are too many names to tell apart by colour.
struct Subsystem {
  std::string name;
  Paint fill, edge;
  bool measures = false;
  double inner = 0;  ///< distance from the axis, mm
};

struct GroupPaints {
  std::vector<Subsystem> systems;     ///< inside out
  std::vector<std::size_t> of_layer;  ///< index in systems
  /// A legend of boxes, for figures whose fills are subsystems.
  std::vector<LegendEntry> legend() const;
};

/// Groups get colours in order; passive ones named after another ("vertex
/// support" after "vertex") a pale one of that.
GroupPaints make_group_paints(const Detector& detector);

/// Least distance of a layer from the axis, mm.
double inner_radius(const Layer& layer);

}  // namespace gttf::detail
