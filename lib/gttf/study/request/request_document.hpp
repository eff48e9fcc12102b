// SPDX-License-Identifier: Apache-2.0
// The tracks of a request as a document, for files that continue a study.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gttf/core/document.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// Adds what the tracks depend on: particle, mass_GeV, charge, p_GeV or pt_GeV,
/// theta_rad or eta, phi_rad, vertex_mm, scattering, beam_spot_mm (if any).
void describe_tracks(const StudyRequest& request, Document& study);

/// Reads it back into `request`. Returns the first member that is missing or
/// wrong, or nothing.
std::optional<std::string> read_tracks(const Document& study,
                                       StudyRequest& request);

/// "highland", "highland-total", ... as in a study file.
std::string_view to_string(Scattering);

}  // namespace gttf
