// SPDX-License-Identifier: Apache-2.0
// Cubic splines on regular grids: coefficients, and weights within a cell.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gttf::detail {

/// The four B-splines that are not zero in a cell, and their slopes per cell.
struct CellWeights {
  int cell = 0;
  std::array<double, 4> value{}, slope{};

  /// Sets all for a place in units of the spacing from the first node. False
  /// beyond the end nodes by more than rounding.
  bool find(double place, int nodes) {
    constexpr double rounding = 1e-9;
    if (!(place >= -rounding && place <= nodes - 1 + rounding)) return false;
    cell = static_cast<int>(place);
    if (cell > nodes - 2) cell = nodes - 2;
    const double f = place - cell, g = 1 - f, f2 = f * f, g2 = g * g;
    value = {g * g2 / 6, (4 - 3 * f2 * (2 - f)) / 6, (4 - 3 * g2 * (2 - g)) / 6,
             f * f2 / 6};
    slope = {-0.5 * g2, f * (1.5 * f - 2), g * (2 - 1.5 * g), 0.5 * f2};
    return true;
  }
};

/// Values at the nodes of a grid, the components together and the last axis
/// fastest.
struct SplineGrid {
  std::size_t components = 1;
  std::vector<std::size_t> nodes;  ///< per axis, each >= 2
  /// per axis and component: +1 if the spline is even about the first node, -1
  /// if it is odd, 0 if neither
  std::vector<std::vector<int>> parity;
};

/// Coefficients of the interpolating spline, with one more at both ends of
/// each axis: node k of an axis is c[k]/6 + 4 c[k+1]/6 + c[k+2]/6. An end that
/// is not mirrored has no knot at the last node but one (four nodes or more;
/// with fewer a parabola or a straight line).
std::vector<double> spline_coefficients(std::vector<double> values,
                                        const SplineGrid& grid);

}  // namespace gttf::detail
