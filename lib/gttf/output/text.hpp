// SPDX-License-Identifier: Apache-2.0
// Text: tables and summaries for the terminal.
#pragma once

#include "gttf/core/summary.hpp"
#include "gttf/output/aligned.hpp"

namespace gttf {

/// Writes aligned columns under a heading of several lines: words, then the
/// unit. A dash stands for no value, provenance in lines that begin with "# ".
class TextWriter : public AlignedWriter {
 public:
  using AlignedWriter::AlignedWriter;

 private:
  std::size_t heading_width(const ColumnLayout& column) const override;
  void append_head(std::string& out) const override;
  void append_row(std::string& out, const Row& row) const override;
};

/// Writes a summary: headings, facts in two columns, tables.
void write_text(std::ostream& out, const Summary& summary,
                const TableStyle& style);

}  // namespace gttf
