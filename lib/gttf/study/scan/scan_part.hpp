// SPDX-License-Identifier: Apache-2.0
// Parts of a scan: metadata of a part file, and merging of
// parts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf {

/// A part contains the rows `from` to `to` (exclusive) of `total`.
struct ScanPart {
  std::string name;  ///< of the file
  Document study;    ///< all settings that determine the rows
  std::uint64_t from = 0, to = 0, total = 0;
};

/// The part `shard` of a scan. `overrides`: the changes of the detectors;
/// `columns`: those written, empty for all.
ScanPart plan_scan_part(const StudyRequest& request,
                        std::span<const Detector> detectors,
                        std::span<const std::string> overrides,
                        std::span<const std::string> columns, Engine engine,
                        const Shard& shard);

/// The columns of the merged table in formats for reading; empty for all.
std::vector<std::string> columns_for_reading(const ScanPart& part);

/// A part file is CSV with comment lines at its top; lines with this prefix
/// contain the JSON of to_document().
inline constexpr const char* part_line = "#> ";

Document to_document(const ScanPart& part);
/// Errors: FileError, with `path` in the message.
ScanPart scan_part_of(const Document& document, const std::string& path);
/// The JSON in a part file. Throws FileError if there is none.
std::string part_lines(const std::string& path);

/// The parts in order. Throws FileError if they are incomplete, overlap, or
/// belong to different studies.
std::vector<ScanPart> ordered_parts(std::vector<ScanPart> parts);

/// Writes the rows of the parts. Numbers are read and written exactly. Throws
/// FileError if a part does not have its rows.
void join_parts(std::span<const ScanPart> parts, TableSink& sink);

}  // namespace gttf
