// SPDX-License-Identifier: Apache-2.0
// What the numbers of a study do not show: assumptions, hits that do not count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// Which materials the energy loss has to guess, behind the detector's name;
/// nothing if there is none or no energy loss.
std::optional<std::string> assumed_materials_note(const StudyRequest& request,
                                                  const Detector& detector);

/// Hits that are not counted, in layers that tracks cross a second time, behind
/// the detector's name.
std::vector<std::string> start_warnings(const StudyRequest& request,
                                        const Detector& detector);

}  // namespace gttf
