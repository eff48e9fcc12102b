// SPDX-License-Identifier: Apache-2.0
// Errors: which errors a fit believes in.
#pragma once

namespace gttf {

/// All of them, or one of the limits: no scattering, or exact coordinates.
enum class Errors { all, hits_only, scattering_only };

}  // namespace gttf
