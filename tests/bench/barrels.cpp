// SPDX-License-Identifier: Apache-2.0
// Generated barrels of any number of layers.
#include "bench/barrels.hpp"

#include <cmath>

#include "gttf/core/units.hpp"

namespace gttf::bench {

Detector barrel(int n_layers) {
  constexpr double inner = 30 * unit::mm, outer = 1 * unit::m;
  constexpr double half_length = 3 * unit::m;
  constexpr double total_x_over_x0 = 10 * unit::percent;
  constexpr double sigma = 10 * unit::um;

  Detector detector;
  detector.name = "barrel of " + std::to_string(n_layers);
  detector.field = {FieldKind::solenoid, 2 * unit::T};
  for (int i = 0; i < n_layers; ++i) {
    Layer layer;
    layer.name = "L" + std::to_string(i);
    layer.surface.position = inner + (outer - inner) * i / (n_layers - 1);
    layer.surface.v = {-half_length, half_length};
    layer.material = {{"", 0, total_x_over_x0 / n_layers}};
    layer.coordinates = {{0, sigma}, {90 * unit::deg, sigma}};
    detector.layers.push_back(layer);
  }
  return detector;
}

Detector barrel_of_rings(int n_layers, int n_modules) {
  const Detector cylinders = barrel(n_layers);
  Detector detector = cylinders;
  detector.layers.clear();
  const double step = 2 * unit::pi / n_modules;
  for (const Layer& cylinder : cylinders.layers) {
    const double r = cylinder.surface.position;
    const double width = 2.02 * r * std::tan(0.5 * step);
    for (int i = 0; i < n_modules; ++i) {
      const double c = std::cos(i * step), s = std::sin(i * step);
      Layer& module = detector.layers.emplace_back(cylinder);
      module.name += "[" + std::to_string(i) + "]";
      module.surface =
          make_inclined_plane({r * c, r * s, 0}, {c, s, 0}, {-s, c, 0},
                              {width, cylinder.surface.v.length()});
    }
  }
  return detector;
}

}  // namespace gttf::bench
