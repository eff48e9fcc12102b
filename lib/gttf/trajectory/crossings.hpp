// SPDX-License-Identifier: Apache-2.0
// Crossings: the ordered list of layers crossed by a track.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "gttf/trajectory/crossing.hpp"
#include "gttf/trajectory/scattering.hpp"
#include "gttf/trajectory/track_material.hpp"

namespace gttf {

/// One crossing: surface, position and scattering.
template <class S>
struct TrackCrossing {
  unsigned surface = 0;  ///< index in TrackingGeometry::surfaces()
  Crossing<S> at;
  S theta0_2 = S(0);  ///< theta0^2, rad^2
};

/// All crossings of one track in order of flight.
template <class S>
struct Crossings {
  Line<S> line;
  std::vector<TrackCrossing<S>> list;
  int n_measuring = 0;
  int first = -1;  ///< index of the first measuring crossing, -1: none
  int last = -1;   ///< of the last measuring crossing
  TrackMaterial<S> material;
  TrackEnd end = TrackEnd::leaves;
};

/// Sets theta0^2 of every crossing and the sums of x/X0.
template <class S>
void scatter_all(const TrackingGeometry& geometry, Scattering model,
                 Crossings<S>& c) {
  c.material = scatter_in_order<S>(
      c.list.size(), c.last,
      [&c](std::size_t k) { return c.list[k].at.x_over_x0; },
      [&](std::size_t k, const S& total) {
        TrackCrossing<S>& x = c.list[k];
        // no material in gaps of a map
        x.theta0_2 = geometry.surfaces()[x.surface].x_over_x0 > 0 &&
                             x.at.x_over_x0 > S(0)
                         ? theta0_squared(c.line, model, x.at.x_over_x0, total)
                         : S(0);
      });
}

namespace detail {

/// Crossing of a line with a module of a ModuleIndex.
struct ModuleCrossing {
  unsigned surface;
  double arc;  ///< as in RectangleCrossing
  double x_over_x0;
};

/// Adds the modules that a line crosses, in any order.
/// @param near  buffer
/// @return  whether it would cross others if it did not turn back
bool find_modules(const TrackingGeometry& geometry, const Line<double>& line,
                  std::vector<unsigned>& near,
                  std::vector<ModuleCrossing>& crossed);

/// A module that a line crosses, if it bends more on the way than at the start,
/// or may cross.
struct ModuleAhead {
  unsigned surface;
  double earliest, latest;  ///< transverse arcs at which it may be met
  bool is_sure;             ///< that it is crossed
};

/// Adds the modules that a line crosses or may cross, in any order.
/// @param spare  by how much its transverse curvature may grow on the way, 1/mm
/// @param near   buffer
/// @return  whether it might cross others if it did not turn back
bool find_modules_ahead(const TrackingGeometry& geometry,
                        const Line<double>& line, double spare,
                        std::vector<unsigned>& near,
                        std::vector<ModuleAhead>& ahead);

}  // namespace detail

/// Every surface that `track` crosses (see find_crossing in reach.hpp), in
/// order of flight; surfaces at equal path in the order of the detector.
Crossings<double> find_crossings(const TrackingGeometry& geometry,
                                 const Track& track, Scattering model);

/// Measuring surfaces that a helix or straight line crosses again within half a
/// turn, where the second crossing is not counted: planes that it returns to,
/// cylinders that it enters from outside after leaving them. Indices in
/// TrackingGeometry::surfaces().
std::vector<unsigned> surfaces_met_again(const TrackingGeometry& geometry,
                                         const Track& track);

/// The crossings found for another scalar type, e.g. with derivatives.
template <class S>
Crossings<S> with_scalar(const TrackingGeometry& geometry,
                         const Crossings<double>& found, const Line<S>& line,
                         Scattering model) {
  Crossings<S> c{.line = line,
                 .list = {},
                 .n_measuring = found.n_measuring,
                 .first = found.first,
                 .last = found.last,
                 .material = {},
                 .end = found.end};
  for (const auto& x : found.list)
    c.list.push_back({x.surface, cross(line, geometry.surfaces()[x.surface])});
  scatter_all(geometry, model, c);
  return c;
}

}  // namespace gttf
