// SPDX-License-Identifier: Apache-2.0
// Scans of one grid for many similar detectors.
#pragma once

#include <cstddef>
#include <span>

#include "gttf/resolution/known_lists.hpp"
#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// scan_block() of the same points as for the detectors before, with the
/// surfaces that their tracks crossed as guesses.
ScanBlock scan_block(const StudyRequest& request, const Detector& detector,
                     const TrackingGeometry& geometry,
                     std::span<const ColumnOf<TrackRow>> columns,
                     const ScanOptions& options, std::size_t begin,
                     std::size_t end, KnownLists& known);

}  // namespace gttf
