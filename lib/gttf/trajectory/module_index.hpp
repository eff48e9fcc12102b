// SPDX-License-Identifier: Apache-2.0
// ModuleIndex: a search tree for the planes a helix may cross.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gttf/trajectory/line.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Planes not normal to an axis, grouped in rings of equal extents in z and r.
/// A tree of boxes in z and r contains the rings, each ring the azimuths of its
/// modules: the time to find modules near a helix grows with the logarithm of
/// the number of rings, and does not depend on how many modules a ring has at
/// equal distances.
class ModuleIndex {
 public:
  explicit ModuleIndex(std::span<const SurfaceRecord> surfaces);

  /// Surfaces that are not in the index.
  std::span<const unsigned> others() const { return others_; }
  /// Adds the modules that a helix may cross; not all of them are crossed.
  /// @return  whether it would reach others if it did not turn back
  bool find(const Line<double>& line, std::vector<unsigned>& found) const;
  /// The same if its transverse curvature grows on the way.
  /// @param spare  by how much at most, 1/mm
  /// @return  whether it might reach others if it did not turn back, and if it
  ///          grew by up to bend_bound
  bool find(const Line<double>& line, double spare,
            std::vector<unsigned>& found) const;
  /// Whether a helix meets none up to half a turn: from its start it goes
  /// outwards, and where it ends it is farther from the axis than they; or it
  /// is beyond them along z.
  bool has_passed_all(const Line<double>& line) const;

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
    double first_phi = 0;    ///< of the first of them
    /// 1/(distance in azimuth), if that is the same of all, and the surfaces
    /// follow each other, `first_surface` from the module `shift` places before
    /// the first one; else 0.
    double inverse_step = 0;
    unsigned first_surface = 0, shift = 0;
  };
  /// A box with two parts, or one ring.
  struct Node {
    Box box;
    std::size_t left, right;  ///< nodes
    std::size_t ring;         ///< no_ring: a box with parts
  };
  static constexpr std::size_t no_ring = static_cast<std::size_t>(-1);

  /// Sorts the modules of a ring.
  void sort(Ring& ring);
  /// A node of the rings from `begin` to `end` - 1 of `order`.
  std::size_t add_node(std::span<std::size_t> order);
  /// A search: the modules near a line.
  struct Search {
    const Line<double>& line;
    double start;        ///< distance of its start from the axis, mm
    double phi;          ///< of its direction there
    double inverse_cot;  ///< 1/cot(theta)
    double most;         ///< the largest curvature, 1/mm
    double spare;        ///< as for find()
    std::vector<unsigned>& found;
    bool turned_back = false;
  };
  static Search search_for(const Line<double>& line, double spare,
                           std::vector<unsigned>& found);
  /// Whether a track that bends more on the way may end before modules that it
  /// has approached.
  bool may_turn_back(const Search& search) const;
  void find_in(std::size_t node, Search& search) const;
  void find_in_ring(const Interval& arcs, const Ring& ring,
                    Search& search) const;

  std::vector<unsigned> others_;
  std::vector<Module> modules_;
  std::vector<Ring> rings_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
  /// The largest tangent of the angle between a module and the z axis or the
  /// plane across it, whichever is smaller.
  double most_tilted_ = 0;
};

}  // namespace gttf
