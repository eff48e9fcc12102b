// SPDX-License-Identifier: Apache-2.0
// Errors: the errors taken into account by a fit.
#pragma once

namespace gttf {

/// All errors, or one of the limits: no scattering, or exact coordinates.
enum class Errors { all, hits_only, scattering_only };

}  // namespace gttf
