// SPDX-License-Identifier: Apache-2.0
// Averages over azimuth, luminous region and patterns of hits, for detectors
// with gaps, overlaps, dead regions and inefficiencies.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/columns.hpp"
#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// A statistic of each averaged number x; the name of its column is the name of
/// x followed by `ending`.
struct AverageNumber {
  std::string_view ending;      ///< "" for the mean
  std::string_view definition;  ///< Markdown
};
std::span<const AverageNumber> average_numbers();

/// Columns before the averaged numbers.
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

/// One row for each point of the grid: averages over request.average and over
/// the patterns of hits given by the efficiencies of the layers.
///
/// A track with n inefficient hits has 2^n patterns, each weighted with the
/// product of e or 1 - e of its hits. They are summed if a point needs at most
/// most_hit_patterns of them, or, if azimuths or vertices are sampled, at most
/// as many as the sample has tracks. Azimuths and vertices are those of an
/// AverageSample; a single azimuth is sufficient if all are equivalent.
/// Otherwise patterns are also sampled. The column `method` gives the method:
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
/// 0 for an exact average. It is the error for S independent samples of 1/S of
/// the tracks: the error of one sample of all tracks is smaller. `efficiency`:
/// the fraction of tracks that have a resolution; its error is at least that of
/// half a track.
///
/// Returns the number of points at which some track has a resolution.
std::size_t scan_averages(const StudyRequest& request,
                          std::span<const Detector> detectors,
                          const ScanOptions& options, TableSink& sink);

/// Tracks of averages at several points that lose the hits of the same layers.
struct AveragedTracks {
  std::vector<std::size_t> lost;  ///< layers
  std::vector<Track> tracks;
  std::vector<std::size_t> point;  ///< of each track
  std::vector<double> weight;      ///< of each; those of a point add up to 1
};

/// The tracks of which scan_averages() takes the average at each of some
/// points, which are given as tracks of the reference azimuth and vertex.
std::vector<AveragedTracks> tracks_of_averages(const StudyRequest& request,
                                               const Detector& detector,
                                               std::span<const Track> points);

}  // namespace gttf
