// SPDX-License-Identifier: Apache-2.0
// Runs batches of a grid in parallel and emits them in a fixed order.
#include "gttf/study/scan/scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gttf/core/parallel.hpp"
#include "gttf/core/run_batch.hpp"
#include "gttf/resolution/batch_states.hpp"
#include "gttf/resolution/batch_targets.hpp"
#include "gttf/resolution/known_lists.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/alike_scans.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/track_view.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

namespace {

/// Points per block: enough to fill vectors, few enough for all threads.
std::size_t block_size(std::size_t points, unsigned threads) {
  constexpr std::size_t least = 64, most = 2048, blocks_per_thread = 4;
  return detail::whole_vectors(
      std::clamp(points / (blocks_per_thread * threads), least, most));
}

struct Block : ScanBlock {
  PreparedBlock prepared;
};

/// Columns to fill.
struct Columns {
  std::span<const ColumnOf<TrackRow>> list;
  unsigned parts = 0;

  bool has(std::string_view name) const {
    return std::ranges::any_of(
        list, [&](const auto& column) { return column.text.name == name; });
  }

  /// Whether one of them depends on this number. Others are not computed: the
  /// limits and the backward pass take as long as the rest.
  bool need(double Resolution::*member) const {
    using R = Resolution;
    struct Needed {
      double R::*member;
      std::string_view column;
    };
    static constexpr std::array needed{
        Needed{&R::sigma_p_rel, "sigma_p_rel"},
        Needed{&R::sigma_pt_rel, "sigma_pt_rel"},
        Needed{&R::xi, "xi"},
        Needed{&R::xi, "regime"},
        Needed{&R::x_over_x0, "x_over_x0"},
        Needed{&R::x_over_x0_tracker, "x_over_x0_tracker"},
        Needed{&R::sigma_p_rel_hit_only, "sigma_p_rel_hit_only"},
        Needed{&R::sigma_p_rel_ms_only, "sigma_p_rel_ms_only"},
        Needed{&R::mu_phi, "mu_phi"},
        Needed{&R::mu_phi, "regime"},
        Needed{&R::mu_theta, "mu_theta"}};
    return std::ranges::any_of(needed, [&](const Needed& n) {
      return n.member == member && has(n.column);
    });
  }
  /// sigma_x_um, sigma_y_um, sigma_tx_mrad, sigma_ty_mrad
  bool need_start_plane() const {
    return has("sigma_x_um") || has("sigma_y_um") || has("sigma_tx_mrad") ||
           has("sigma_ty_mrad");
  }
};

/// Results of a batch, accessed track by track.
class BatchResults {
 public:
  /// @param at     with states at a layer
  /// @param whole  with all of the tracks that the scalar path handles
  BatchResults(std::size_t tracks, const Columns& columns, bool at, bool whole)
      : n_(tracks),
        n_hits_(tracks),
        status_(tracks),
        end_(tracks),
        state_(at ? track_triangle * n_ : 0),
        slopes_(state_.size()),
        sigma_p_at_(at ? n_ : 0),
        p_at_(sigma_p_at_.size()),
        crossed_(sigma_p_at_.size()),
        whole_(whole ? n_ : 0) {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (columns.need(detail::plane_targets[i].member)) numbers_[i].resize(n_);
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const auto member = detail::matrix_targets[i].member;
      if (member == &Resolution::perigee ||
          (columns.need_start_plane() && member == &Resolution::start_plane))
        matrices_[i].resize(track_triangle * n_);
    }
  }

  ResolutionArrays views() {
    ResolutionArrays r;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      r.*detail::plane_targets[i].target = numbers_[i];
    for (std::size_t i = 0; i < matrices_.size(); ++i)
      r.*detail::matrix_targets[i].target = matrices_[i];
    r.n_hits = n_hits_;
    r.status = status_;
    r.end = end_;
    r.scalar = whole_;
    return r;
  }

  StateArrays states() {
    return {state_, slopes_, sigma_p_at_, p_at_, crossed_};
  }

  void read(std::size_t track, Resolution& r) const {
    if (!whole_.empty() && whole_[track]) {
      r = *whole_[track];
      return;
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (!numbers_[i].empty())
        r.*detail::plane_targets[i].member = numbers_[i][track];
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      if (matrices_[i].empty()) continue;
      read(matrices_[i], track, r.*detail::matrix_targets[i].member);
    }
    r.n_hits = n_hits_[track];
    r.status = status_[track];
    r.end = end_[track];
    r.regime = classify(r.mu_phi, r.xi);
    r.at.reset();
    r.left_map.reset();
    r.stopped = false;
    if (crossed_.empty() ||
        (r.status != Status::ok && r.status != Status::no_field))
      return;
    StateAtLayer& at = r.at.emplace();
    at.crossed = at.exists = crossed_[track] != 0;
    r.crossings.resize(1);  // of all, that one's momentum
    r.crossings[at.crossing].p = p_at_[track];
    at.sigma_p_rel = sigma_p_at_[track];
    read(state_, track, at.covariance);
    read(slopes_, track, at.slopes);
  }

 private:
  void read(const Reals& triangles, std::size_t track, Matrix5& m) const {
    const double* element = triangles.data() + track;
    for (int row = 0; row < track_dim; ++row)
      for (int column = 0; column <= row; ++column, element += n_)
        m(row, column) = m(column, row) = *element;
  }

  std::size_t n_;
  std::array<Reals, detail::plane_targets.size()> numbers_;
  std::array<Reals, detail::matrix_targets.size()> matrices_;
  std::vector<int> n_hits_;
  std::vector<Status> status_;
  std::vector<TrackEnd> end_;
  Reals state_, slopes_, sigma_p_at_, p_at_;
  std::vector<char> crossed_;
  std::vector<std::optional<Resolution>> whole_;
};

/// @param known  may be null
BatchStatistics for_each_resolution(
    const TrackingGeometry& geometry, const Model& model, CodePath path,
    const TrackArrays& tracks, std::span<const ColumnOf<TrackRow>> columns,
    const std::function<void(std::size_t, const Resolution&)>& take,
    KnownLists* known) {
  const Columns asked{columns};
  // the scalar path handles tracks that stop or leave a field map
  const bool other_ends =
      asked.has("track_end") && (model.loss != EnergyLoss::off ||
                                 geometry.field().kind == FieldKind::map);
  const bool at = model.at.has_value();
  BatchResults results(tracks.size, asked, at, at || other_ends);
  const BatchStatistics statistics =
      known != nullptr ? resolve(geometry, tracks, model, results.views(),
                                 results.states(), *known, path)
                       : resolve(geometry, tracks, model, results.views(),
                                 results.states(), 1, path);
  Resolution r;
  for (std::size_t t = 0; t < tracks.size; ++t) {
    results.read(t, r);
    take(t, r);
  }
  return statistics;
}

/// Creates the rows of a block of tracks.
class BlockMaker {
 public:
  BlockMaker(const Columns& columns, const Detector& detector,
             const StudyRequest& request)
      : columns_(columns),
        detector_(detector),
        request_(request),
        table_(columns.list, columns.parts) {}

  /// @param point_of  (index, track) -> PointRow
  template <class PointOf>
  void add(const TrackingGeometry& geometry, const Model& model, CodePath path,
           const TrackArrays& tracks, PointOf point_of,
           KnownLists* known = nullptr) {
    table_.reserve(tracks.size);
    block_.statistics = for_each_resolution(
        geometry, model, path, tracks, columns_.list,
        [&](std::size_t t, const Resolution& r) {
          table_.add({point_of(t, tracks.track(t)), detector_, request_, r});
          if (is_evaluated(r)) ++block_.evaluated;
        },
        known);
  }

  /// The points `begin` to `end` of the grid.
  void add_points(const TrackingGeometry& geometry, const Model& model,
                  CodePath path, std::size_t begin, std::size_t end,
                  KnownLists* known = nullptr) {
    const detail::GridTracks grid(request_, begin, end - begin);
    PointRows points(detector_, request_);
    add(
        geometry, model, path, grid.views(),
        [&](std::size_t t, const Track& track) {
          return points.at(grid_point(request_, begin + t), track.p,
                           track.theta);
        },
        known);
  }

  Block take() && {
    block_.table = std::move(table_).take();
    return std::move(block_);
  }

 private:
  const Columns& columns_;
  const Detector& detector_;
  const StudyRequest& request_;
  RowTable<TrackRow> table_;
  Block block_;
};

/// scan_block() with known lists, which may be null.
ScanBlock block_of(const StudyRequest& request, const Detector& detector,
                   const TrackingGeometry& geometry,
                   std::span<const ColumnOf<TrackRow>> columns,
                   const ScanOptions& options, std::size_t begin,
                   std::size_t end, KnownLists* known) {
  const Columns list{columns, request.at ? at_layer_columns : 0};
  BlockMaker rows(list, detector, request);
  rows.add_points(geometry, model_of(request, detector, options.engine),
                  options.path, begin, end, known);
  return std::move(rows).take();
}

/// scan() with any columns.
std::size_t scan_rows(const StudyRequest& request,
                      std::span<const Detector> detectors,
                      const ScanOptions& options, TableSink& sink,
                      const Columns& columns) {
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
    const auto make = [&](std::size_t b) {
      const std::size_t begin = first + b * size;
      const std::size_t end = begin + std::min(size, n - b * size);
      BlockMaker rows(columns, detectors[d], request);
      rows.add_points(geometry, model, options.path, begin, end);
      Block block = std::move(rows).take();
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
    constexpr std::size_t ahead = 32;  // writing may be slow
    parallel_in_order((n + size - 1) / size, threads, make, take, ahead);
  }
  sink.finish();
  return evaluated;
}

}  // namespace

BatchStatistics for_each_resolution(
    const TrackingGeometry& geometry, const Model& model, CodePath path,
    const TrackArrays& tracks, std::span<const ColumnOf<TrackRow>> columns,
    const std::function<void(std::size_t, const Resolution&)>& take) {
  return for_each_resolution(geometry, model, path, tracks, columns, take,
                             nullptr);
}

ScanBlock scan_block(const StudyRequest& request, const Detector& detector,
                     const TrackingGeometry& geometry,
                     std::span<const ColumnOf<TrackRow>> columns,
                     const ScanOptions& options, std::size_t begin,
                     std::size_t end) {
  return block_of(request, detector, geometry, columns, options, begin, end,
                  nullptr);
}

ScanBlock scan_block(const StudyRequest& request, const Detector& detector,
                     const TrackingGeometry& geometry,
                     std::span<const ColumnOf<TrackRow>> columns,
                     const ScanOptions& options, std::size_t begin,
                     std::size_t end, KnownLists& known) {
  return block_of(request, detector, geometry, columns, options, begin, end,
                  &known);
}

std::size_t scan(const StudyRequest& request,
                 std::span<const Detector> detectors,
                 const ScanOptions& options, TableSink& sink) {
  if (request.average) return scan_averages(request, detectors, options, sink);
  return scan_rows(request, detectors, options, sink,
                   {scan_columns(), request.at ? at_layer_columns : 0});
}

std::size_t scan_covariances(const StudyRequest& request,
                             std::span<const Detector> detectors,
                             const ScanOptions& options, TableSink& sink) {
  return scan_rows(request, detectors, options, sink,
                   {covariance_columns(), request.at ? at_layer_columns : 0});
}

void append_rows(Table& table, Table more) {
  if (table.columns.empty()) {
    table = std::move(more);
    return;
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    std::visit(
        [&](auto& cells) {
          auto& others =
              std::get<std::decay_t<decltype(cells)>>(more.columns[i].cells);
          cells.insert(cells.end(), std::make_move_iterator(others.begin()),
                       std::make_move_iterator(others.end()));
        },
        table.columns[i].cells);
}

ScanTable scan_table(const StudyRequest& request, const Detector& detector,
                     const ScanOptions& options) {
  KeptRows collector;
  const std::size_t evaluated =
      scan(request, {&detector, 1}, options, collector);
  return {std::move(collector.rows), evaluated};
}

namespace {

/// The tracks `begin` to `end`.
TrackArrays part_of(const TrackArrays& tracks, std::size_t begin,
                    std::size_t end) {
  TrackArrays part = tracks;
  part.size = end - begin;
  for (auto member : {&TrackArrays::p, &TrackArrays::theta, &TrackArrays::phi,
                      &TrackArrays::mass, &TrackArrays::charge, &TrackArrays::x,
                      &TrackArrays::y, &TrackArrays::z})
    if ((tracks.*member).size() != 1)
      part.*member = (tracks.*member).subspan(begin, part.size);
  return part;
}

}  // namespace

ScanTable scan_tracks(const StudyRequest& request, const Detector& detector,
                      const TrackArrays& tracks,
                      std::span<const ColumnOf<TrackRow>> columns,
                      const ScanOptions& options) {
  const Columns list{columns, request.at ? at_layer_columns : 0};
  const TrackingGeometry geometry(detector);
  const Model model = model_of(request, detector, options.engine);
  const unsigned threads = thread_count(options.threads);
  const std::size_t size = block_size(tracks.size, threads);
  ScanTable result;
  const auto make = [&](std::size_t b) {
    const std::size_t begin = b * size;
    const std::size_t end = std::min(begin + size, tracks.size);
    BlockMaker rows(list, detector, request);
    rows.add(geometry, model, options.path, part_of(tracks, begin, end),
             [&](std::size_t, const Track& track) {
               return point_of(detector, request, track);
             });
    return std::move(rows).take();
  };
  const auto take = [&](Block block) {
    append_rows(result.rows, std::move(block.table));
    result.evaluated += block.evaluated;
    if (options.statistics) *options.statistics += block.statistics;
    if (options.progress) options.progress(result.rows.rows(), tracks.size);
  };
  parallel_in_order((tracks.size + size - 1) / size, threads, make, take);
  if (tracks.size == 0)
    result.rows = RowTable<TrackRow>(columns, list.parts).take();
  return result;
}

std::size_t scan_documents(const StudyRequest& request,
                           std::span<const Detector> detectors,
                           const ScanOptions& options,
                           const std::function<void(const Document&)>& sink) {
  const std::size_t n_momenta = request.momentum.values.size();
  const std::size_t points = n_momenta * request.angle.values.size();
  std::size_t evaluated = 0, done = 0;
  for (const Detector& detector : detectors) {
    const TrackingGeometry geometry(detector);
    const Model model = model_of(request, detector, options.engine);
    for (std::size_t i = 0; i < points; ++i) {
      const GridPoint point{i % n_momenta, i / n_momenta};
      const Resolution r = resolve(geometry, grid_track(request, point), model);
      sink(track_document(detector, request, point, r));
      if (std::isfinite(r.perigee(Perigee::d0, Perigee::d0))) ++evaluated;
      ++done;
      if (options.progress) options.progress(done, points * detectors.size());
    }
  }
  return evaluated;
}

}  // namespace gttf
