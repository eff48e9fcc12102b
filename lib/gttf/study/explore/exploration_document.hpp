// SPDX-License-Identifier: Apache-2.0
// The data of the explorer's page as a document.
#pragma once

#include <optional>

#include "gttf/core/document.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/check/requirement_file.hpp"
#include "gttf/study/request/request.hpp"

namespace gttf {

/// The detector of `input` for the explorer: its numbers, the handles that
/// change them, its file in pieces, the axes of figures, colours, requirements.
/// Requirements that need a baseline are listed as not evaluated.
/// @param threads  0: all cores
/// @pre can_be_listed()
Document exploration_document(
    const DetectorInput& input, const StudyRequest& request,
    const std::optional<RequirementFile>& requirements, unsigned threads);

}  // namespace gttf
