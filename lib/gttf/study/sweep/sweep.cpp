// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "gttf/core/parallel.hpp"
#include "gttf/study/scan/alike_scans.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/sweep/swept_designs.hpp"

namespace gttf {
namespace {

constexpr std::string_view status_column = "status";

/// Approximate number of rows per block, enough work for a thread between two
/// synchronisations; designs with more tracks are divided.
constexpr std::size_t rows_of_block = 2048;

/// Designs of a block whose tracks are reduced to one row: enough that the
/// surfaces found for the first one save time in the others.
constexpr std::size_t alike_designs_of_block = 16;

/// A column that can be reduced numerically.
bool is_reducible(std::string_view name) {
  return name.starts_with("sigma_") || name.starts_with("x_over_x0");
}

/// Columns computed for each track to obtain the requested columns.
std::vector<ColumnOf<TrackRow>> calculated_columns(
    const SweepOptions& options) {
  const bool reduced = options.reduction != Reduction::none;
  std::vector<ColumnOf<TrackRow>> list;
  for (const ColumnOf<TrackRow>& column : scan_columns()) {
    const std::string_view name = column.text.name;
    const bool wanted = options.columns.empty() ||
                        std::ranges::count(options.columns, name) > 0;
    const bool exists = !reduced || is_reducible(name) || name == "n_hits";
    if ((wanted && exists) || name == status_column) list.push_back(column);
  }
  return list;
}

/// Inserts the values of the keys in front of the rows.
Table with_values(std::span<const VariedKey> keys, std::size_t combination,
                  Table rows) {
  const std::vector<std::size_t> values =
      values_of_combination(keys, combination);
  const std::size_t n = rows.rows();
  Table table;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].numbers.empty())
      table.add(keys[i].column, Texts(n, keys[i].values[values[i]]));
    else
      table.add(keys[i].column, Reals(n, keys[i].numbers[values[i]]));
  for (Column& column : rows.columns)
    table.columns.push_back(std::move(column));
  return table;
}

double reduced(const Reals& cells, Reduction reduction) {
  // NaN, for a missing value, must not be hidden by a sum or by std::max
  double sum = 0, largest = 0;
  for (const double cell : cells) {
    sum += cell;
    if (std::isnan(cell) || cell > largest) largest = cell;
    if (std::isnan(largest)) break;
  }
  if (reduction == Reduction::mean)
    return std::isnan(largest) ? largest
                               : sum / static_cast<double>(cells.size());
  return largest;
}

/// Reduces the rows of all tracks of a design to one row.
Table one_row(const Table& rows, const Detector& detector,
              const StudyRequest& request, Reduction reduction) {
  Table table;
  table.add("detector", Texts{detector.name});
  table.add("particle", Texts{request.particle.name});
  table.add("tracks", Integers{static_cast<std::int64_t>(rows.rows())});
  for (const Column& column : rows.columns) {
    if (const auto* reals = std::get_if<Reals>(&column.cells)) {
      table.add(column.name, Reals{reduced(*reals, reduction)});
    } else if (const auto* counts = std::get_if<Integers>(&column.cells)) {
      table.add(column.name, Integers{*std::ranges::min_element(*counts)});
    } else {
      const auto& texts = std::get<Texts>(column.cells);
      const auto other = std::ranges::find_if(
          texts, [](const std::string& t) { return t != "ok"; });
      table.add(column.name, Texts{other == texts.end() ? "ok" : *other});
    }
  }
  return table;
}

/// Keeps the requested columns in the order of `all`.
void select(const std::vector<std::string>& wanted, Table& table) {
  if (wanted.empty()) return;
  std::erase_if(table.columns, [&](const Column& column) {
    return std::ranges::count(wanted, column.name) == 0;
  });
}

/// The reason why a combination is not a valid detector, in one line.
std::string reason(const InputError& error) {
  for (const Diagnostic& d : error.diagnostics().items())
    if (d.severity == Severity::error) return d.problem;
  return error.what();
}

class Sweep {
 public:
  Sweep(const StudyRequest& request, std::span<const DetectorInput> inputs,
        const SweepOptions& options, const TableSink& sink)
      : request_(request),
        inputs_(inputs),
        options_(options),
        sink_(sink),
        columns_(calculated_columns(options)),
        points_(n_grid_points(request)),
        combinations_(n_combinations(request.vary)) {
    designs_.reserve(inputs.size());
    for (const DetectorInput& input : inputs)
      designs_.emplace_back(request, options.follow, input);
    pieces_ = options.reduction == Reduction::none
                  ? (points_ + rows_of_block - 1) / rows_of_block
                  : 1;
    designs_of_block_ =
        std::max(options.reduction == Reduction::none ? std::size_t{1}
                                                      : alike_designs_of_block,
                 rows_of_block / points_ / 2);
  }

  std::size_t designs() const { return combinations_ * inputs_.size(); }
  std::size_t rows() const { return designs() * points_; }
  std::size_t blocks() const {
    return pieces_ > 1
               ? designs() * pieces_
               : (designs() + designs_of_block_ - 1) / designs_of_block_;
  }

  struct Block : ScanBlock {
    PreparedBlock prepared;
    std::size_t tracks = 0, designs = 0, invalid = 0;
    std::string first_invalid;
  };

  Block make(std::size_t index) const {
    Block block;
    if (pieces_ > 1) {
      const std::size_t begin = index % pieces_ * rows_of_block;
      KnownLists unknown;
      add(index / pieces_, begin, std::min(points_, begin + rows_of_block),
          unknown, block);
    } else {
      const std::size_t first = index * designs_of_block_;
      const std::size_t last = std::min(designs(), first + designs_of_block_);
      std::vector<KnownLists> known(inputs_.size());
      for (std::size_t design = first; design < last; ++design)
        add(design, 0, points_, known[design % inputs_.size()], block);
    }
    block.prepared = sink_.prepare(block.table);
    return block;
  }

  /// Throws the errors of the first combination if none is valid.
  void check() const {
    std::optional<InputError> first;
    for (std::size_t design = 0; design < designs(); ++design) try {
        read(design);
        return;
      } catch (const InputError& error) {
        if (!first) first = error;
      }
    if (first) throw InputError(of_option(*first));
  }

 private:
  Detector read(std::size_t design) const {
    return designs_[design % inputs_.size()].detector(design / inputs_.size());
  }

  /// Location of the user input: --vary, or a study.
  Diagnostics of_option(const InputError& error) const {
    Diagnostics diagnostics;
    for (Diagnostic d : error.diagnostics().items()) {
      if (d.file == "--set") d.file = "--vary";
      diagnostics.add(std::move(d));
    }
    return diagnostics;
  }

  void add(std::size_t design, std::size_t begin, std::size_t end,
           KnownLists& known, Block& block) const {
    const DetectorInput& input = inputs_[design % inputs_.size()];
    ScanBlock rows;
    std::optional<Detector> detector;
    try {
      detector = read(design);
    } catch (const InputError& error) {
      const std::string why = reason(error);
      rows.table = empty_rows(input.detector, begin, end, why);
      if (begin == 0) {
        if (block.invalid++ == 0)
          block.first_invalid = name_of(design) + ": " + why;
      }
    }
    if (detector)
      rows = scan_block(request_, *detector, TrackingGeometry(*detector),
                        columns_, options_.scan, begin, end, known);
    block.designs += begin == 0;
    block.tracks += end - begin;
    block.evaluated += rows.evaluated;
    block.statistics += rows.statistics;
    if (options_.reduction != Reduction::none)
      rows.table =
          one_row(rows.table, input.detector, request_, options_.reduction);
    select(options_.columns, rows.table);
    append_rows(block.table, with_values(request_.vary, design / inputs_.size(),
                                         std::move(rows.table)));
  }

  /// Rows of a combination that is not a valid detector.
  Table empty_rows(const Detector& base, std::size_t begin, std::size_t end,
                   const std::string& why) const {
    Resolution nothing;
    for (Matrix5* m : {&nothing.perigee, &nothing.perigee_without_inner,
                       &nothing.first_hit, &nothing.start_plane})
      m->setConstant(Resolution::none);
    nothing.x_over_x0 = Resolution::none;
    PointRows points(base, request_);
    RowTable<TrackRow> rows(columns_, request_.at ? at_layer_columns : 0);
    for (std::size_t i = begin; i < end; ++i)
      rows.add({points.at(grid_point(request_, i)), base, request_, nothing});
    Table table = std::move(rows).take();
    for (Column& column : table.columns)
      if (auto* texts = std::get_if<Texts>(&column.cells)) {
        if (column.name == status_column)
          std::ranges::fill(*texts, "invalid: " + why);
        else if (column.name == "track_end" || column.name == "regime")
          std::ranges::fill(*texts, "");
      }
    return table;
  }

  /// "layers[L0].cylinder.radius=20 mm, field.solenoid=1 T"
  std::string name_of(std::size_t design) const {
    const std::size_t input = design % inputs_.size();
    const std::vector<std::string> all =
        designs_[input].overrides_of(design / inputs_.size());
    const auto own = all.begin() + static_cast<std::ptrdiff_t>(
                                       inputs_[input].overrides.size());
    return fmt::format("{}", fmt::join(own, all.end(), ", "));
  }

  const StudyRequest& request_;
  std::span<const DetectorInput> inputs_;
  const SweepOptions& options_;
  const TableSink& sink_;
  std::vector<ColumnOf<TrackRow>> columns_;
  std::vector<SweptDesigns> designs_;
  std::size_t points_, combinations_;
  std::size_t pieces_ = 1, designs_of_block_ = 1;
};

}  // namespace

std::vector<std::string> sweep_column_names(bool at_layer,
                                            Reduction reduction) {
  std::vector<std::string> names = scan_column_names(at_layer);
  if (reduction == Reduction::none) return names;
  std::erase_if(names, [](const std::string& name) {
    return !is_reducible(name) && name != "n_hits" && name != status_column;
  });
  const std::array front{"detector", "particle", "tracks"};
  names.insert(names.begin(), front.begin(), front.end());
  return names;
}

SweepResult sweep(const StudyRequest& request,
                  std::span<const DetectorInput> inputs,
                  const SweepOptions& options, TableSink& sink) {
  const Sweep work(request, inputs, options, sink);
  work.check();
  SweepResult result;
  std::size_t done = 0;
  const auto make = [&work](std::size_t b) { return work.make(b); };
  const auto take = [&](const Sweep::Block& block) {
    sink.write_prepared(block.table, block.prepared);
    result.evaluated += block.evaluated;
    result.designs += block.designs;
    if (result.invalid == 0) result.first_invalid = block.first_invalid;
    result.invalid += block.invalid;
    if (options.scan.statistics) *options.scan.statistics += block.statistics;
    done += block.tracks;
    if (options.scan.progress) options.scan.progress(done, work.rows());
  };
  constexpr std::size_t ahead = 32;  // writing may be slow
  parallel_in_order(work.blocks(), thread_count(options.scan.threads), make,
                    take, ahead);
  sink.finish();
  return result;
}

}  // namespace gttf
