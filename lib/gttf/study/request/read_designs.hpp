// SPDX-License-Identifier: Apache-2.0
// The detectors of a study, each followed by its variants.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// Reads all detectors of the request and, after each of them, its variants:
/// the same file with more keys set, named "CLD, thin". `request.detectors`
/// then has the file of each. With variants, a model given by the study or an
/// option becomes that of every detector, which a variant may change. Throws
/// InputError with all errors in all of them; errors in a key of a variant are
/// located in the study.
std::vector<DetectorInput> read_designs(StudyRequest& request,
                                        std::span<const std::string> overrides);

}  // namespace gttf
