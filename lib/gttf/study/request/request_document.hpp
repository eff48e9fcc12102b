// SPDX-License-Identifier: Apache-2.0
// The tracks of a request as a document, for files that continue a study.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/reader.hpp"
#include "gttf/core/document.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// Adds the settings of tracks: particle, mass_GeV, charge, p_GeV or pt_GeV,
/// theta_rad or eta, phi_rad, vertex_mm, scattering, beam_spot_mm (if any).
void describe_tracks(const StudyRequest& request, Document& study);

/// Reads it back into `request`. Returns the first member that is missing or
/// wrong, or nothing.
std::optional<std::string> read_tracks(const Document& study,
                                       StudyRequest& request);

}  // namespace gttf

// Files named in other files: paths are relative to the naming file.
namespace gttf::detail {

/// The file named by `value` in `file`: relative to it, or an installed one of
/// `folders`. Nothing if `value` is not text; a file that does not exist is
/// reported, and its path returned.
/// @param what  for messages: "the path of a detector file"
std::optional<std::string> named_file(
    const Value& value, const std::string& file, std::string_view what,
    const std::vector<std::string_view>& folders);

}  // namespace gttf::detail
