// SPDX-License-Identifier: Apache-2.0
// Averages over azimuth, luminous region and patterns of hits: what a detector
// with gaps, overlaps, dead parts and inefficiencies gives on average.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/columns.hpp"
#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// What is said of each number x that is averaged; the name of such a column is
/// that of x with `ending` behind.
struct AverageNumber {
  std::string_view ending;      ///< "" for the mean
  std::string_view definition;  ///< Markdown
};
std::span<const AverageNumber> average_numbers();

/// Columns in front of the averaged numbers.
std::vector<DescribedColumn> described_average_columns();

/// Names of the columns of scan_averages().
std::vector<std::string> average_column_names(const StudyRequest& request);

/// Those that fit a terminal.
std::vector<std::string> average_columns_for_reading(
    const StudyRequest& request, std::span<const Detector> detectors);

/// A table of scan_averages() without rows.
Table empty_average_table(const StudyRequest& request);

/// The name of a column without the ending of an average: sigma_d0_um of
/// sigma_d0_um_q95. The name itself if it has none.
std::string_view averaged_column(std::string_view name);

/// One row for each point of the grid: averages over what request.average says
/// and over the patterns of hits that the efficiencies of the layers make.
///
/// The patterns of a track that has n inefficient hits are 2^n, each with the
/// product of e or 1 - e of its hits as its weight. They are summed up where
/// all that a point needs are at most most_hit_patterns,
/// or, where azimuths or vertices are sampled, no more than the sample has
/// tracks. Azimuths and vertices
/// are those of an AverageSample; one azimuth will do where all look the same.
/// Else patterns are drawn as well. The column `method` says which it was:
/// `exact`; `sample, hits exact`; `sample`.
///
/// Of every number x of scan_columns() and of n_hits: the mean over the tracks
/// that have one, its error x_error, the standard deviation x_rms and the
/// quantiles x_q16, x_q50, x_q84, x_q95. With a_s the sum of weights times x in
/// slice s of the sample, w_s that of the weights, over S slices,
///
///   x = sum a_s/sum w_s,
///   x_error^2 = S/(S - 1) sum (a_s - x w_s)^2/(sum w_s)^2,
///
/// 0 of an exact average. It is that of S independent samples of 1/S of the
/// tracks: one of all tracks does better. `efficiency`: the share of tracks
/// that have a resolution; its error is at least that of half a track.
///
/// Returns the number of points at which some track has a resolution.
std::size_t scan_averages(const StudyRequest& request,
                          std::span<const Detector> detectors,
                          const ScanOptions& options, TableSink& sink);

}  // namespace gttf
