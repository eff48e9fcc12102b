// SPDX-License-Identifier: Apache-2.0
// CSV: one header line, then one line per row.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/sha256.hpp"
#include "gttf/output/table_style.hpp"

namespace gttf {

/// Writes CSV as RFC 4180 has it, with lines ending in '\n': numbers that read
/// back exactly, nothing for NaN, quotes where a cell needs them. Provenance
/// comes first, in lines that begin with "# "; a hash that is not known by then
/// is filled in by finish(), where the stream can go back (not if the style
/// asks for a checksum).
class CsvWriter : public TableSink {
 public:
  CsvWriter(std::ostream& out, TableStyle style)
      : out_(out), style_(std::move(style)) {
    if (style_.csv_checksum) checksum_.emplace();
  }

  void write(const Table& block) override;
  /// The rows as text.
  PreparedBlock prepare(const Table& block) const override;
  void write_prepared(const Table& block,
                      const PreparedBlock& prepared) override;
  void finish() override;

 private:
  void write_head(const Table& block);
  void write_lines(std::string_view text);

  std::ostream& out_;
  TableStyle style_;
  bool head_written_ = false;
  std::ostream::pos_type head_at_ = 0;
  std::vector<LateHash> late_;  ///< of the head
  std::optional<Sha256> checksum_;
};

/// The last line of a CSV file with checksum: this and the SHA-256 of the bytes
/// above it.
inline constexpr std::string_view csv_checksum_mark = "# checksum: ";

/// Why the CSV file at `path` is not what was written with a checksum; nothing
/// if it is. `role`: as of open_input().
std::optional<std::string> csv_checksum_fault(const std::string& path,
                                              std::string_view role);

/// Appends a cell of text, quoted if it must be. A row is one line without
/// control characters: they, marks of direction and bytes that are not UTF-8
/// are written as `\n`, `\x1b`, ... and a backslash twice; see
/// backslash_unescaped().
void append_csv_cell(std::string& out, std::string_view text);

}  // namespace gttf
