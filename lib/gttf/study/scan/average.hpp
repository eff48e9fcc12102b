// SPDX-License-Identifier: Apache-2.0
// Averages of a scan over azimuth: what a detector of modules gives on average,
// with its gaps and overlaps.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// Azimuths over which a scan averages unless told otherwise, and the most.
inline constexpr std::size_t usual_azimuths = 64, most_azimuths = 1'000'000;

std::vector<std::string> average_column_names();

/// One row for each point of the grid, over `azimuths` tracks with
/// phi_k = request.phi + 2 pi frac(k g), g the golden ratio: these fill the
/// circle evenly and are in step with no number of modules.
///
/// Of every resolution x and of x/X0: the mean over the tracks that have one,
/// and, as `x_rms`, the standard deviation among them. The standard error of
/// the mean is at most x_rms/sqrt(azimuths). Further, the share of tracks with
/// a resolution, and of those with each number of hits. Returns the number of
/// tracks that have at least one resolution.
std::size_t scan_averages(const StudyRequest& request,
                          std::span<const Detector> detectors,
                          const ScanOptions& options, std::size_t azimuths,
                          TableSink& sink);

}  // namespace gttf
