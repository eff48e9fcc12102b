// SPDX-License-Identifier: Apache-2.0
// A telescope for tests of tracks along z.
#pragma once

#include <string>

#include "support/layouts.hpp"

namespace gttf::test {

/// Six planes 50 mm apart, and a passive one, "DUT", in their middle.
inline Detector make_telescope() {
  Detector d;
  d.name = "telescope";
  for (int i = 0; i < 6; ++i)
    d.layers.push_back(
        make_layer("P" + std::to_string(i),
                   make_plane(Axis::z, 50. * i, {-10, 10}, {-5, 5}), 5.3e-4,
                   pixel(3 * unit::um, 3 * unit::um)));
  d.layers.push_back(
      make_layer("DUT", make_plane(Axis::z, 125, {-10, 10}, {-5, 5}), 5e-3));
  return d;
}

}  // namespace gttf::test
