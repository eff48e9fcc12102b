// SPDX-License-Identifier: Apache-2.0
// Reads baselines and requirements for the verbs that compare with them.
#pragma once

#include <optional>
#include <string>

#include "gttf/config/reader.hpp"
#include "gttf/study/check/baseline.hpp"
#include "gttf/study/check/requirement_file.hpp"

namespace gttf::app {

/// The baseline in the file `path`, which `value` names; `hash` becomes the
/// SHA-256 of the file. Nothing after a fault was reported.
std::optional<Baseline> load_baseline(const std::string& path,
                                      const Value& value, std::string& hash);

/// The requirements of `file`, to be looked at with the detectors of a study.
/// Throws InputError with everything that is wrong.
RequirementFile requirements_for(const std::string& file,
                                 const StudyRequest& study);

}  // namespace gttf::app
