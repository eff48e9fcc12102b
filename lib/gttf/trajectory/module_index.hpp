// SPDX-License-Identifier: Apache-2.0
// ModuleIndex: which of many planes a helix may cross, without a look at each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gttf/trajectory/line.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Planes that lie along no axis in rings of equal extents in z and r. A tree
/// of boxes in z and r holds the rings, the azimuths of its modules each ring:
/// the time to find those near a helix grows with the logarithm of the number
/// of rings, and not with that of modules in a ring.
class ModuleIndex {
 public:
  explicit ModuleIndex(std::span<const SurfaceRecord> surfaces);

  /// Surfaces that are not in the index.
  std::span<const unsigned> others() const { return others_; }
  std::size_t n_modules() const { return modules_.size(); }
  /// Adds the modules that a helix may cross; some it does not.
  /// @return  whether it would reach others if it did not bend back
  bool find(const Line<double>& line, std::vector<unsigned>& found) const;

 private:
  struct Box {
    Interval z, r;
  };
  struct Module {
    double phi;  ///< of the middle, from -pi to pi
    unsigned surface;
  };
  struct Ring {
    Box box;
    double half_width;       ///< in azimuth, of the widest module
    std::size_t begin, end;  ///< of its modules, by azimuth
  };
  /// A box with two parts, or one ring.
  struct Node {
    Box box;
    std::size_t left, right;  ///< nodes
    std::size_t ring;         ///< no_ring: a box with parts
  };
  static constexpr std::size_t no_ring = static_cast<std::size_t>(-1);

  /// A node of the rings from `begin` to `end` - 1 of `order`.
  std::size_t add_node(std::span<std::size_t> order);
  /// What is looked for: the modules near a line.
  struct Search {
    const Line<double>& line;
    double start;  ///< distance of its start from the axis, mm
    double phi;    ///< of its direction there
    bool turned_back = false;
    std::vector<unsigned>& found;
  };
  void find_in(std::size_t node, Search& search) const;
  void find_in_ring(const Interval& arcs, const Ring& ring,
                    Search& search) const;

  std::vector<unsigned> others_;
  std::vector<Module> modules_;
  std::vector<Ring> rings_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace gttf
