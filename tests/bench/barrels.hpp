// SPDX-License-Identifier: Apache-2.0
// Generated barrels of any number of layers, for benchmarks and scaling tests.
#pragma once

#include "gttf/detector/detector.hpp"

namespace gttf::bench {

/// A barrel of `n_layers` equidistant pixel cylinders between 30 mm and 1 m in
/// 2 T, 10 um in both coordinates. The material of all layers together is 10 %
/// X0 for any number of layers, so that a track of 1 GeV and more crosses all
/// of them.
Detector barrel(int n_layers);

/// The same with a ring of `n_modules` planes, which overlap a little, for each
/// cylinder.
Detector barrel_of_rings(int n_layers, int n_modules);

}  // namespace gttf::bench
