// SPDX-License-Identifier: Apache-2.0
// CSV: one header line, then one line per row.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/output/table_style.hpp"

namespace gttf {

/// Writes CSV as RFC 4180 has it, with lines ending in '\n': numbers that read
/// back exactly, nothing for NaN, quotes where a cell needs them. Provenance
/// comes first, in lines that begin with "# "; a hash that is not known by then
/// is filled in by finish(), where the stream can go back.
class CsvWriter : public TableSink {
 public:
  CsvWriter(std::ostream& out, TableStyle style)
      : out_(out), style_(std::move(style)) {}

  void write(const Table& block) override;
  /// The rows as text.
  PreparedBlock prepare(const Table& block) const override;
  void write_prepared(const Table& block,
                      const PreparedBlock& prepared) override;
  void finish() override;

 private:
  void write_head(const Table& block);

  std::ostream& out_;
  TableStyle style_;
  bool head_written_ = false;
  std::ostream::pos_type head_at_ = 0;
  std::vector<LateHash> late_;  ///< of the head
};

/// Appends a cell of text, quoted if it must be.
void append_csv_cell(std::string& out, std::string_view text);

}  // namespace gttf
