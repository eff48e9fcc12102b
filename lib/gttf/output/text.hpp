// SPDX-License-Identifier: Apache-2.0
// Text: tables and summaries for the terminal.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "gttf/core/summary.hpp"
#include "gttf/output/table_style.hpp"

// AlignedWriter: what the formats for readers, text and markdown, share.
namespace gttf {

/// Rounds cells and gives columns a width. Widths come from the first 1000
/// rows, which are kept until then; later rows are passed on at once, and a
/// later cell that is wider is written whole.
class AlignedWriter : public TableSink {
 public:
  AlignedWriter(std::ostream& out, TableStyle style)
      : out_(out), style_(std::move(style)) {}

  void write(const Table& block) override;
  void finish() override;

 protected:
  struct ColumnLayout {
    Heading heading;
    bool text = false;  ///< left-aligned
    std::size_t width = 0;
  };
  using Row = std::vector<std::string>;

  /// The width that the heading of `column` needs.
  virtual std::size_t heading_width(const ColumnLayout& column) const = 0;
  /// Appends all that comes before the first row.
  virtual void append_head(std::string& out) const = 0;
  virtual void append_row(std::string& out, const Row& row) const = 0;
  virtual std::string cell_text(const std::string& text) const { return text; }

  /// Leaves out columns that do not fit into a line, if the format has lines.
  virtual std::size_t gap_width() const { return 0; }
  const TableStyle& style() const { return style_; }
  const std::vector<ColumnLayout>& columns() const { return columns_; }

 private:
  void lay_out(const Table& block);
  void leave_out_columns();
  void release();

  std::ostream& out_;
  TableStyle style_;
  std::vector<std::size_t> shown_;
  std::vector<ColumnLayout> columns_;
  std::vector<Row> waiting_;
  std::vector<std::string> left_out_;  ///< columns, as they are headed
  bool released_ = false;
  std::string buffer_;
};

/// Characters of UTF-8 text, which is its width but for rare scripts.
std::size_t text_width(std::string_view text);

/// `text` filled up with spaces to `width`.
std::string aligned(std::string_view text, std::size_t width, bool left);

/// Writes aligned columns under a heading of several lines: words, then the
/// unit. A dash stands for no value, provenance in lines that begin with "# ".
class TextWriter : public AlignedWriter {
 public:
  using AlignedWriter::AlignedWriter;

 private:
  std::size_t heading_width(const ColumnLayout& column) const override;
  void append_head(std::string& out) const override;
  void append_row(std::string& out, const Row& row) const override;
  std::string cell_text(const std::string& text) const override;
  std::size_t gap_width() const override;
};

/// Writes a summary: headings, facts in two columns, tables.
void write_text(std::ostream& out, const Summary& summary,
                const TableStyle& style);

// Markdown: tables (of GitHub's and GitLab's kind) and summaries.

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
