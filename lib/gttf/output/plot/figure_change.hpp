// SPDX-License-Identifier: Apache-2.0
// FigureChange: axes and size of a figure as requested by the user.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gttf/core/figure.hpp"

namespace gttf {

/// A change that the figure does not allow; the text gives the reason.
class FigureError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Ends of an axis, in its own unit.
using AxisEnds = std::pair<double, double>;

struct FigureChange {
  std::optional<AxisEnds> x, y;  ///< y: of the first panel
  std::optional<AxisScale> x_scale, y_scale;
  double width = 0, height = 0;  ///< px; 0: as it is
};

/// Changes the figure. Throws FigureError if it has no such axes, or a
/// logarithmic one would begin at 0 or below.
void apply(const FigureChange& change, Figure& figure);

/// "1:50", "500MeV:50GeV": ends in the unit of `axis`. Throws FigureError.
AxisEnds parse_ends(const std::string& text, const FigureAxis& axis);

}  // namespace gttf
