// SPDX-License-Identifier: Apache-2.0
// The momentum of a straight track from its system of kinks.
#pragma once

#include <optional>

#include "gttf/fit/triplet/kink_system.hpp"
#include "gttf/fit/triplet/scattering_momentum.hpp"

namespace gttf::detail {

/// scattering_momentum() of a linearised system without field. Scattering in
/// passive layers correlates the kinks of neighbours: they are turned into as
/// many independent ones, by the Cholesky factor of their covariance.
/// @param system     with the standard deviations of the passive kinks
/// @param with_hits  false: hits are exact
/// @return  nothing if TrackHits::momentum is not known, or if some kinks
///          scatter nowhere
std::optional<ScatteringMomentum> kink_momentum(const TrackHits& track,
                                                const KinkSystem& system,
                                                bool with_hits);

}  // namespace gttf::detail
