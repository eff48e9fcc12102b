// SPDX-License-Identifier: Apache-2.0
// JSON: documents and tables; numbers read back exactly, null for no value.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/core/document.hpp"
#include "gttf/output/table_style.hpp"

namespace gttf {

/// Appends `document` as JSON without a line end, indented by two spaces; lists
/// and members that fit into one line are written in one. `precision`: see
/// TableStyle. `indent`: indentation of the line it starts in.
void append_json(std::string& out, const Document& document, int precision = 0,
                 int indent = 0);

/// Appends `document` as JSON in one line.
void append_compact_json(std::string& out, const Document& document);

/// Writes `document`, with "provenance" as first member if there is one.
void write_json(std::ostream& out, const Document& document,
                const TableStyle& style);

/// Writes {"provenance": {...}, "rows": [...]} item by item.
class JsonRows {
 public:
  JsonRows(std::ostream& out, TableStyle style)
      : out_(out), style_(std::move(style)) {}

  void write(const Document& row);
  void finish();

 private:
  friend class JsonWriter;
  void begin_row();

  std::ostream& out_;
  TableStyle style_;
  bool any_ = false;
  std::string buffer_;
};

/// Writes a table as JsonRows, each row an object of its columns in one line.
class JsonWriter : public TableSink {
 public:
  JsonWriter(std::ostream& out, TableStyle style)
      : rows_(out, std::move(style)) {}

  void write(const Table& block) override;
  void finish() override { rows_.finish(); }

 private:
  JsonRows rows_;
  std::vector<std::size_t> shown_;
  std::vector<std::string> keys_;  // quoted, with the colon
};

// Reads documents written by the JSON writer.

/// The document of a JSON text; numbers exact, whole ones as integers.
/// @param name  of the text, for messages
/// Errors: FileError if it is not JSON, is nested deeper than 64 levels, has a
/// whole number beyond 64 bits, a text above 4 MiB or more than 16 million
/// values.
Document read_json(std::string_view text, const std::string& name);

/// Maximum size of a file: 256 MiB.
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 28;

/// The text of a file, up to max_file_bytes; `role` and `rewritten` as in
/// open_input(). Errors: FileError.
std::string read_file(const std::string& path, std::string_view role = {},
                      const OutputClaim* rewritten = nullptr);

}  // namespace gttf
