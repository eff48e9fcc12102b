// SPDX-License-Identifier: Apache-2.0
// Notes on a study: assumptions, hits that are not used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// Materials assumed for the energy loss, after the name of the detector;
/// nothing if there are none or no energy loss.
std::optional<std::string> assumed_materials_note(const StudyRequest& request,
                                                  const Detector& detector);

/// Hits that are not counted, in layers that tracks cross a second time, after
/// the name of the detector.
std::vector<std::string> start_warnings(const StudyRequest& request,
                                        const Detector& detector);

}  // namespace gttf
