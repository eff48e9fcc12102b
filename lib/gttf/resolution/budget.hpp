// SPDX-License-Identifier: Apache-2.0
// Budget: shares of each layer's scattering and hit errors in a resolution.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf {

/// Origin of an error.
enum class Cause { scattering, straggling, hit, beam_spot };

std::string_view to_string(Cause);

/// One independent error of a track, and its contribution to the variance of
/// each parameter: d0, z0 in mm^2, phi0, theta in rad^2, p, pt relative.
struct BudgetPart {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  Cause cause = Cause::scattering;
  std::size_t crossing = none;    ///< index in Resolution::crossings
  std::size_t layer = none;       ///< index in Detector::layers
  std::size_t coordinate = none;  ///< index in Layer::coordinates, for hits
  PerParameter variance;
};

/// Exact decomposition of the variance of every parameter at the perigee:
/// errors are independent and the fit is linear. Numbers of parameters that are
/// not measured are NaN.
struct Budget {
  Resolution resolution;
  PerParameter total;             ///< variance, from the fit itself
  std::vector<BudgetPart> parts;  ///< order of flight; empty: no resolution

  bool exists() const { return !parts.empty(); }
  /// variance/total of each parameter: also d ln(total)/d ln(that variance).
  PerParameter share(const BudgetPart& part) const;
  /// Sum of all shares: 1 except for rounding.
  PerParameter sum_of_shares() const;
};

/// The budget of `track`: one part for the scattering of every layer crossed (0
/// after the last hit), with Model::loss straggling one for the fluctuation of
/// its energy loss, one for each measured coordinate, one for a beam spot. The
/// parts are computed by the streaming fit for any engine of `model`. With
/// Model::at all results refer to the track at that layer, see is_at_layer();
/// material on either side of it counts.
/// Errors: none; see Resolution::status. Source: docs/theory/budget.md
Budget make_budget(const TrackingGeometry& geometry, const Track& track,
                   const Model& model = {});

}  // namespace gttf
