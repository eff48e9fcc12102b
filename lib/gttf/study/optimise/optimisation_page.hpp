// SPDX-License-Identifier: Apache-2.0
// An optimisation as a page, or as sections of a report: drawings before and
// after, prices, front.
#pragma once

#include <string>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/core/page.hpp"
#include "gttf/study/optimise/optimise.hpp"

namespace gttf {

/// Sections about a result as optimisation_document() has it. Detectors before
/// and after are drawn to the same scale, with tracks at the angles of
/// `tracks`. Throws FileError, with `name` in the message, if the document is
/// not such a result.
std::vector<PageSection> optimisation_sections(const Document& result,
                                               const std::string& name,
                                               const StudyRequest& tracks,
                                               unsigned threads);

/// The tracks needed by drawings: those of the objective and the limits.
StudyRequest tracks_for_drawings(const OptimisationProblem& problem);

/// The page of a result. `name` appears in messages.
Page optimisation_page(const Document& result, const std::string& name,
                       const StudyRequest& tracks, unsigned threads);

}  // namespace gttf
