// SPDX-License-Identifier: Apache-2.0
// Finds the surfaces that a track crosses.
#include "gttf/trajectory/crossings.hpp"

#include <algorithm>

#include "gttf/trajectory/reach.hpp"

namespace gttf {

Crossings<double> find_crossings(const TrackingGeometry& geometry,
                                 const Track& track, Scattering model) {
  Crossings<double> c;
  c.line = make_line<double>(track, geometry.bz());
  const auto surfaces = geometry.surfaces();
  c.list.reserve(surfaces.size());
  for (unsigned i = 0; i < surfaces.size(); ++i) {
    Crossing<double> x;
    const Reached<double> reached = find_crossing(c.line, surfaces[i], x);
    if (reached.turned_back) c.end = TrackEnd::curls_up;
    if (reached.crossed) c.list.push_back({i, x});
  }
  std::stable_sort(
      c.list.begin(), c.list.end(),
      [](const auto& a, const auto& b) { return a.at.arc < b.at.arc; });
  for (std::size_t k = 0; k < c.list.size(); ++k) {
    if (!surfaces[c.list[k].surface].measures()) continue;
    if (c.first < 0) c.first = static_cast<int>(k);
    c.last = static_cast<int>(k);
    ++c.n_measuring;
  }
  scatter_all(geometry, model, c);
  return c;
}

}  // namespace gttf
