// SPDX-License-Identifier: Apache-2.0
// Sweep: scans of a detector for all combinations of values of some keys.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gttf/config/node.hpp"
#include "gttf/core/table.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/study/request/request.hpp"
#include "gttf/study/scan/scan.hpp"

namespace gttf {

/// Output for the tracks of a detector: a row for each, or one row with the
/// mean, or with the worst, of each column.
enum class Reduction { none, mean, worst };

struct SweepOptions {
  ScanOptions scan;  ///< `rows` is not used
  Reduction reduction = Reduction::none;
  /// Columns of sweep_column_names() to compute; empty: all.
  std::vector<std::string> columns;
  /// Keys whose values follow those of request.vary, and their formulas, as in
  /// optimisations; see read_follow().
  std::optional<Node> follow = {};
};

struct SweepResult {
  std::size_t evaluated = 0;  ///< tracks with at least one resolution
  std::size_t designs = 0;    ///< combinations times detectors
  std::size_t invalid = 0;    ///< designs that are not valid detectors
  std::string first_invalid;  ///< which one, and why
};

/// The columns after the columns of the keys: scan_columns(), or for a
/// reduction detector, particle, tracks, n_hits (the minimum), material,
/// errors, and status: "ok" if all tracks have an error, else the first status
/// that is not.
std::vector<std::string> sweep_column_names(bool at_layer, Reduction reduction);

/// For each combination of values of request.vary, the last key changing
/// fastest, and each detector: the rows of scan(), with the values in front of
/// them. A mean or worst value is taken over all tracks, and missing if one
/// track has none. A combination that is not a valid detector has rows without
/// values; the status gives the reason.
/// @param inputs the unmodified detectors
/// Throws InputError if no combination is a valid detector.
SweepResult sweep(const StudyRequest& request,
                  std::span<const DetectorInput> inputs,
                  const SweepOptions& options, TableSink& sink);

}  // namespace gttf
