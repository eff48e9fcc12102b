// SPDX-License-Identifier: Apache-2.0
// FitStatus: why a fit of data has no result, or ok.
#pragma once

#include <string_view>

namespace gttf {

/// Numbers of a fit are NaN unless its status is ok.
enum class FitStatus {
  ok,
  too_few_hits,     ///< fewer than 3 measured points, start included
  not_finite,       ///< an input is NaN or infinite
  bad_error,        ///< a variance is not positive, or axes are parallel
  coincident_hits,  ///< neighbours at the same transverse position
  wrong_order,      ///< the path does not increase from hit to hit
  beyond_pole,      ///< a segment bends up to the pole of its index, 1/n < 0.05
  singular,         ///< K^-1 not positive definite: some kinks have no error
  not_determined,   ///< the coordinates leave a parameter free
  no_reference,     ///< the fit needs theta0 as a function of the curvature
  no_curvature,     ///< the curvature it must divide by is compatible with 0
  not_converged,    ///< re-linearisation runs away
  outside_map,      ///< the fitted track leaves the field map
  stops,            ///< the fitted track loses all its energy in a layer
};

/// The name as it stands in tables: `too_few_hits`, ...
std::string_view to_string(FitStatus);

}  // namespace gttf
