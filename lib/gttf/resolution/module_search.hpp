// SPDX-License-Identifier: Apache-2.0
// ModuleSearch: finds the modules that a track crosses that loses energy.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gttf/resolution/batch_loss.hpp"
#include "gttf/resolution/batch_slabs.hpp"
#include "gttf/trajectory/crossings.hpp"

namespace gttf::detail {

/// Follows tracks from one layer to the next, with the formulas of
/// BatchLossPath, until they have passed all modules. Modules are looked for
/// around the helix at the start first, with a margin for a curvature that
/// grows on the way.
class ModuleSearch {
 public:
  /// @param loss  of the geometry
  ModuleSearch(const TrackingGeometry& geometry, const BatchLoss& loss)
      : geometry_(geometry), loss_(loss), media_(loss.n_media) {}

  /// A surface on the way.
  struct Passed {
    unsigned surface;
    double arc;  ///< transverse, since the surface before
    double x_over_x0;
  };

  /// @param others  surfaces that are not modules and that the track crosses
  ///                without loss, in order, with their arcs from the start
  /// @return  false if it stops, bends too much, or may turn back before a
  ///          module; else passed() and n_others() are set
  bool follow(const Track& track, const std::vector<ModuleAhead>& others);

  /// Up to where it has passed all modules, in order.
  const std::vector<Passed>& passed() const { return passed_; }
  /// The number of `others` up to there: the first ones.
  std::size_t n_others() const { return n_others_; }

 private:
  enum class End { found, bends_more, lost };

  /// @param spare  by how much the transverse curvature may grow, 1/mm
  End follow(const Track& track, const Line<double>& start,
             const std::vector<ModuleAhead>& others, double spare);
  /// The crossing of a helix with a surface, if there is one.
  std::optional<Crossing<double>> cross(const Line<double>& at,
                                        unsigned surface) const;

  const TrackingGeometry& geometry_;
  const BatchLoss& loss_;
  std::vector<ElementPower<double>> media_;
  std::vector<unsigned> near_;
  std::vector<ModuleAhead> ahead_;
  std::vector<Passed> passed_;
  std::size_t n_others_ = 0;
};

}  // namespace gttf::detail
