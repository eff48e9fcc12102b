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

/// Writes CSV according to RFC 4180, with lines ending in '\n': numbers that
/// read back exactly, empty cells for NaN, quotes where needed. Provenance
/// comes first, in lines that begin with "# "; a hash that is not yet known is
/// filled in by finish() if the stream is seekable (not if the style requests a
/// checksum).
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

/// The last line of a CSV file with checksum: this text and the SHA-256 of all
/// preceding bytes.
inline constexpr std::string_view csv_checksum_mark = "# checksum: ";

/// The reason why the CSV file at `path` differs from what was written with a
/// checksum; nothing if it is unchanged. `role`: as in open_input().
std::optional<std::string> csv_checksum_error(const std::string& path,
                                              std::string_view role);

/// Appends a cell of text, quoted if necessary. A row is one line without
/// control characters: these, direction marks and bytes that are not UTF-8 are
/// written as `\n`, `\x1b`, ... and backslashes are doubled; see
/// backslash_unescaped().
void append_csv_cell(std::string& out, std::string_view text);

}  // namespace gttf
