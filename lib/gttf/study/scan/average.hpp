// SPDX-License-Identifier: Apache-2.0
// Averages of a scan over azimuth: the mean performance of a detector with
// modules, including gaps and overlaps.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// Default and maximum number of azimuths of an average.
inline constexpr std::size_t usual_azimuths = 64, most_azimuths = 1'000'000;

std::vector<std::string> average_column_names();

/// One row for each point of the grid, over `azimuths` tracks with phi_k =
/// request.phi + 2 pi frac(k g), g the golden ratio: these fill the circle
/// evenly and are not commensurate with any number of modules.
///
/// For every resolution x and for x/X0: the mean over the tracks that have one
/// and, as `x_rms`, their standard deviation. The standard error of the mean is
/// at most x_rms/sqrt(azimuths). Also the share of tracks with a resolution,
/// and with each number of hits. Returns the number of tracks that have at
/// least one resolution.
std::size_t scan_averages(const StudyRequest& request,
                          std::span<const Detector> detectors,
                          const ScanOptions& options, std::size_t azimuths,
                          TableSink& sink);

}  // namespace gttf
