// SPDX-License-Identifier: Apache-2.0
// Scan: resolutions over a grid of momentum and angle.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "gttf/core/document.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {

/// The rows `from` to `to`, the last one excluded, of a whole scan.
struct RowRange {
  std::size_t from = 0;
  std::size_t to = static_cast<std::size_t>(-1);
};

struct ScanOptions {
  Engine engine = Engine::streaming;
  unsigned threads = 0;  ///< 0: all cores; the result does not depend on it
  /// Called from one thread with the number of finished points; may be empty.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
  RowRange rows = {};  ///< a row is independent of the others
  BatchStatistics* statistics = nullptr;  ///< added to if not null
  CodePath path = CodePath::best;
};

/// Every point of the grid, for each detector in turn: angle outer, momentum
/// inner. Returns the number of tracks that have at least one resolution. If
/// the request is for averages, scan_averages().
std::size_t scan(const StudyRequest& request,
                 std::span<const Detector> detectors,
                 const ScanOptions& options, TableSink& sink);

/// The same with covariance_columns(): a lookup table.
std::size_t scan_covariances(const StudyRequest& request,
                             std::span<const Detector> detectors,
                             const ScanOptions& options, TableSink& sink);

// A scan of other studies, block by block.

/// Consecutive rows of a scan of one detector.
struct ScanBlock {
  Table table;
  std::size_t evaluated = 0;  ///< tracks with at least one resolution
  BatchStatistics statistics;
};

/// The points `begin` to `end`, the last one excluded, computed in this
/// thread, with these columns of scan_columns(). Uses engine and path of
/// `options`.
/// @param geometry  of the detector
ScanBlock scan_block(const StudyRequest& request, const Detector& detector,
                     const TrackingGeometry& geometry,
                     std::span<const ColumnOf<TrackRow>> columns,
                     const ScanOptions& options, std::size_t begin,
                     std::size_t end);

/// Calls take(track, resolution) for each of some tracks, in order, with what
/// these columns of scan_columns() are made from.
BatchStatistics for_each_resolution(
    const TrackingGeometry& geometry, const Model& model, CodePath path,
    const TrackArrays& tracks, std::span<const ColumnOf<TrackRow>> columns,
    const std::function<void(std::size_t, const Resolution&)>& take);

// A scan kept as one table, for studies that go on with its rows.

/// Appends the rows of `more`, which has the same columns; an empty `table`
/// becomes `more`.
void append_rows(Table& table, Table more);

/// Receives a table and stores it.
class KeptRows : public TableSink {
 public:
  void write(const Table& block) override { append_rows(rows, block); }
  void finish() override {}

  Table rows;
};

struct ScanTable {
  Table rows;                 ///< scan_columns(), in the order of grid_points()
  std::size_t evaluated = 0;  ///< tracks with at least one resolution
};

/// scan() of one detector.
ScanTable scan_table(const StudyRequest& request, const Detector& detector,
                     const ScanOptions& options);

/// The same for tracks that do not form a grid: a row of these columns of
/// scan_columns() for each, in order. Uses particle name, models, beam spot and
/// layer of `request`, and all `options` except the rows.
ScanTable scan_tracks(const StudyRequest& request, const Detector& detector,
                      const TrackArrays& tracks,
                      std::span<const ColumnOf<TrackRow>> columns,
                      const ScanOptions& options);

// A scan with the complete result of each track.

/// Emits track_document() of every point of the grid, in the order of scan().
/// Returns the number of tracks that have at least one resolution.
std::size_t scan_documents(const StudyRequest& request,
                           std::span<const Detector> detectors,
                           const ScanOptions& options,
                           const std::function<void(const Document&)>& sink);

}  // namespace gttf
