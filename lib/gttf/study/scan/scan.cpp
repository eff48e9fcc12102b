// SPDX-License-Identifier: Apache-2.0
// Runs batches of a grid in parallel and passes them on in a fixed order.
#include "gttf/study/scan/scan.hpp"

#include <algorithm>
#include <vector>

#include "gttf/core/parallel.hpp"
#include "gttf/study/request/grid_tracks.hpp"
#include "gttf/study/scan/covariance_table.hpp"
#include "gttf/study/scan/resolution_table.hpp"

namespace gttf {

namespace {

/// Points of a block: enough for the lanes to fill, and blocks for all threads.
std::size_t block_size(std::size_t points, unsigned threads) {
  constexpr std::size_t least = 64, most = 2048, blocks_per_thread = 4;
  return std::clamp(points / (blocks_per_thread * threads), least, most);
}

struct Block {
  Table table;
  PreparedBlock prepared;
  std::size_t evaluated = 0;
  BatchStatistics statistics;
};

/// Adds the points `begin` to `end` of a detector's grid, many at once.
template <class Rows>
BatchStatistics add_batch(const Detector& detector,
                          const TrackingGeometry& geometry,
                          const StudyRequest& request, const Model& model,
                          std::size_t begin, std::size_t end, Rows& rows) {
  const detail::GridTracks grid(request, begin, end - begin);
  const TrackArrays tracks = grid.views();
  typename Rows::Columns columns(tracks.size);
  const BatchStatistics statistics =
      resolve(geometry, tracks, model, columns.views());
  rows.add(detector, request, begin, tracks, columns);
  return statistics;
}

/// The same with any rows, for what is not for lanes.
template <class Rows>
BatchStatistics add_one_by_one(const Detector& detector,
                               const TrackingGeometry& geometry,
                               const StudyRequest& request, const Model& model,
                               std::size_t begin, std::size_t end, Rows& rows) {
  rows.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const GridPoint point = grid_point(request, i);
    rows.add(detector, request, point,
             resolve(geometry, grid_track(request, point), model));
  }
  BatchStatistics statistics;
  statistics.tracks = statistics.unsupported = end - begin;
  return statistics;
}

/// scan() with rows of any kind.
/// @param empty  what each block of rows begins with
template <class Rows>
std::size_t scan_rows(const StudyRequest& request,
                      std::span<const Detector> detectors,
                      const ScanOptions& options, TableSink& sink,
                      const Rows& empty) {
  const std::size_t points = n_grid_points(request);
  const std::size_t from = options.rows.from;
  const std::size_t to = std::min(options.rows.to, points * detectors.size());
  const unsigned threads = thread_count(options.threads);
  std::size_t evaluated = 0, done = 0;

  for (std::size_t d = 0; d < detectors.size(); ++d) {
    const std::size_t first = std::clamp(d * points, from, to) - d * points;
    const std::size_t last = std::clamp((d + 1) * points, from, to);
    if (last <= d * points + first) continue;
    const std::size_t n = last - d * points - first;
    const std::size_t size = block_size(n, threads);
    const TrackingGeometry geometry(detectors[d]);
    const Model model = model_of(request, detectors[d], options.engine);
    const bool in_lanes = options.in_lanes && is_vectorised(geometry, model);
    const auto make = [&](std::size_t b) {
      const std::size_t begin = first + b * size;
      const std::size_t end = begin + std::min(size, n - b * size);
      Rows rows = empty;
      Block block;
      block.statistics = in_lanes
                             ? add_batch(detectors[d], geometry, request, model,
                                         begin, end, rows)
                             : add_one_by_one(detectors[d], geometry, request,
                                              model, begin, end, rows);
      block.evaluated = rows.evaluated();
      block.table = std::move(rows).take();
      block.prepared = sink.prepare(block.table);
      return block;
    };
    const auto take = [&](const Block& block) {
      sink.write_prepared(block.table, block.prepared);
      evaluated += block.evaluated;
      if (options.statistics) *options.statistics += block.statistics;
      done += block.table.rows();
      if (options.progress) options.progress(done, to - from);
    };
    constexpr std::size_t ahead = 32;  // the disk may take its time
    parallel_in_order((n + size - 1) / size, threads, make, take, ahead);
  }
  sink.finish();
  return evaluated;
}

}  // namespace

std::size_t scan(const StudyRequest& request,
                 std::span<const Detector> detectors,
                 const ScanOptions& options, TableSink& sink) {
  return scan_rows(request, detectors, options, sink,
                   ResolutionTable(request.at.has_value()));
}

std::size_t scan_covariances(const StudyRequest& request,
                             std::span<const Detector> detectors,
                             const ScanOptions& options, TableSink& sink) {
  return scan_rows(request, detectors, options, sink, CovarianceTable());
}

}  // namespace gttf
