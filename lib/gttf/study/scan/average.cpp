// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/average.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "gttf/core/parallel.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

/// Columns with mean and standard deviation.
bool is_averaged(std::string_view name) {
  return name.starts_with("sigma_") || name.starts_with("x_over_x0");
}

/// Columns that identify the track of a row, except the averaged phi.
bool is_of_point(std::string_view name) {
  return name != "phi_deg" &&
         std::ranges::any_of(point_columns<TrackRow>, [&](const auto& column) {
           return column.text.name == name;
         });
}

/// Running mean and sum of squared deviations.
struct Mean {
  double mean = 0, squares = 0;
  std::size_t n = 0;

  void add(double x) {
    if (!std::isfinite(x)) return;
    ++n;
    const double from = x - mean;
    mean += from / static_cast<double>(n);
    squares += from * (x - mean);
  }
  double value() const { return n > 0 ? mean : Resolution::none; }
  double rms() const {
    return n > 0 ? std::sqrt(squares / static_cast<double>(n))
                 : Resolution::none;
  }
};

/// Accumulated results of one point of the grid.
struct PointSums {
  std::vector<Mean> means;
  std::map<std::int64_t, std::size_t> hits;  ///< tracks by number of hits
  std::size_t resolved = 0;
};

/// "11: 0.25, 12: 0.75", the shares of the numbers of hits.
std::string hits_text(const PointSums& sums, std::size_t azimuths) {
  std::string text;
  for (const auto& [hits, tracks] : sums.hits)
    text += fmt::format(
        "{}{}: {:.4g}", text.empty() ? "" : ", ", hits,
        static_cast<double>(tracks) / static_cast<double>(azimuths));
  return text;
}

struct AverageBlock {
  Table table;
  PreparedBlock prepared;
  std::size_t evaluated = 0;
  BatchStatistics statistics;
};

const Column& column_named(const Table& table, std::string_view name) {
  return *std::ranges::find(table.columns, name, &Column::name);
}

/// The rows of the points `begin` to `end` - 1.
AverageBlock average_block(const StudyRequest& request,
                           const Detector& detector,
                           const TrackingGeometry& geometry,
                           const ScanOptions& options, std::size_t azimuths,
                           std::size_t begin, std::size_t end) {
  std::vector<ColumnOf<TrackRow>> columns;
  std::vector<std::string> averaged;
  for (const ColumnOf<TrackRow>& column : scan_columns()) {
    const std::string_view name = column.text.name;
    if (is_averaged(name) && column.is_in(0)) averaged.emplace_back(name);
    if (is_averaged(name) || is_of_point(name) || name == "n_hits")
      columns.push_back(column);
  }
  AverageBlock block;
  std::vector<PointSums> sums(end - begin,
                              {std::vector<Mean>(averaged.size()), {}, 0});
  constexpr double golden = 0.61803398874989484820;
  StudyRequest turned = request;
  for (std::size_t k = 0; k < azimuths; ++k) {
    const double turns = golden * static_cast<double>(k);
    turned.phi = std::remainder(
        request.phi + 2 * unit::pi * (turns - std::floor(turns)), 2 * unit::pi);
    ScanBlock rows =
        scan_block(turned, detector, geometry, columns, options, begin, end);
    block.evaluated += rows.evaluated;
    block.statistics += rows.statistics;
    const auto& hits =
        std::get<Integers>(column_named(rows.table, "n_hits").cells);
    for (std::size_t i = 0; i < sums.size(); ++i) ++sums[i].hits[hits[i]];
    for (std::size_t q = 0; q < averaged.size(); ++q) {
      const auto& cells =
          std::get<Reals>(column_named(rows.table, averaged[q]).cells);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].means[q].add(cells[i]);
        if (averaged[q] == "sigma_d0_um" && std::isfinite(cells[i]))
          ++sums[i].resolved;
      }
    }
    if (k > 0) continue;
    for (Column& column : rows.table.columns)
      if (is_of_point(column.name))
        block.table.columns.push_back(std::move(column));
  }
  const auto add = [&](std::string name, const auto& of_sums) {
    Reals cells;
    for (const PointSums& s : sums) cells.push_back(of_sums(s));
    block.table.add(std::move(name), std::move(cells));
  };
  const auto n = static_cast<double>(azimuths);
  block.table.add("azimuths",
                  Integers(sums.size(), static_cast<std::int64_t>(azimuths)));
  add("resolved",
      [&](const PointSums& s) { return static_cast<double>(s.resolved) / n; });
  add("n_hits_mean", [&](const PointSums& s) {
    double sum = 0;
    for (const auto& [hits, tracks] : s.hits)
      sum += static_cast<double>(hits) * static_cast<double>(tracks);
    return sum / n;
  });
  Texts hits;
  for (const PointSums& s : sums) hits.push_back(hits_text(s, azimuths));
  block.table.add("n_hits_shares", std::move(hits));
  for (std::size_t q = 0; q < averaged.size(); ++q) {
    add(averaged[q], [q](const PointSums& s) { return s.means[q].value(); });
    add(averaged[q] + "_rms",
        [q](const PointSums& s) { return s.means[q].rms(); });
  }
  return block;
}

}  // namespace

std::vector<std::string> average_column_names() {
  std::vector<std::string> names;
  for (const ColumnOf<TrackRow>& column : scan_columns())
    if (is_of_point(column.text.name)) names.emplace_back(column.text.name);
  for (const std::string_view name :
       {"azimuths", "resolved", "n_hits_mean", "n_hits_shares"})
    names.emplace_back(name);
  for (const ColumnOf<TrackRow>& column : scan_columns())
    if (is_averaged(column.text.name) && column.is_in(0)) {
      names.emplace_back(column.text.name);
      names.push_back(names.back() + "_rms");
    }
  return names;
}

std::size_t scan_averages(const StudyRequest& request,
                          std::span<const Detector> detectors,
                          const ScanOptions& options, std::size_t azimuths,
                          TableSink& sink) {
  const std::size_t points = n_grid_points(request);
  const unsigned threads = thread_count(options.threads);
  // the same number of tracks as in a block of a scan
  constexpr std::size_t tracks_of_block = 2048;
  const std::size_t size =
      std::clamp<std::size_t>(tracks_of_block / azimuths, 1,
                              std::max<std::size_t>(1, points / threads));
  std::size_t evaluated = 0, done = 0;
  for (const Detector& detector : detectors) {
    const TrackingGeometry geometry(detector);
    const auto make = [&](std::size_t b) {
      const std::size_t begin = b * size;
      AverageBlock block =
          average_block(request, detector, geometry, options, azimuths, begin,
                        std::min(points, begin + size));
      block.prepared = sink.prepare(block.table);
      return block;
    };
    const auto take = [&](const AverageBlock& block) {
      sink.write_prepared(block.table, block.prepared);
      evaluated += block.evaluated;
      if (options.statistics) *options.statistics += block.statistics;
      done += block.table.rows();
      if (options.progress) options.progress(done, points * detectors.size());
    };
    constexpr std::size_t ahead = 32;  // writing may be slow
    parallel_in_order((points + size - 1) / size, threads, make, take, ahead);
  }
  sink.finish();
  return evaluated;
}

}  // namespace gttf
