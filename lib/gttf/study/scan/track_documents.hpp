// SPDX-License-Identifier: Apache-2.0
// A scan that tells everything of each track.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "gttf/core/document.hpp"
#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// Passes track_document() of every point of the grid on, in the order of
/// scan(). Returns the number of tracks that have at least one resolution.
std::size_t scan_documents(const StudyRequest& request,
                           std::span<const Detector> detectors,
                           const ScanOptions& options,
                           const std::function<void(const Document&)>& sink);

}  // namespace gttf
