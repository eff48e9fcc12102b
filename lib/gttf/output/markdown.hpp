// SPDX-License-Identifier: Apache-2.0
// Markdown: tables (of GitHub's and GitLab's kind) and summaries.
#pragma once

#include "gttf/core/summary.hpp"
#include "gttf/output/text.hpp"

namespace gttf {

/// Writes a pipe table, numbers to the right, aligned for reading as it is.
/// Provenance stands in an HTML comment before it.
class MarkdownWriter : public AlignedWriter {
 public:
  using AlignedWriter::AlignedWriter;

 private:
  std::size_t heading_width(const ColumnLayout& column) const override;
  void append_head(std::string& out) const override;
  void append_row(std::string& out, const Row& row) const override;
  std::string cell_text(const std::string& text) const override;
};

/// Writes a summary: headings, facts as a list, tables.
void write_markdown(std::ostream& out, const Summary& summary,
                    const TableStyle& style);

}  // namespace gttf
