// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/csv.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "gttf/output/number.hpp"

namespace gttf {
namespace {

void append_number(std::string& out, double value, int precision) {
  if (std::isnan(value)) return;
  if (precision > 0)
    append_rounded(out, value, precision);
  else
    append_exact(out, value);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Writes cells of a column; grids repeat most numbers and words, whose text is
// then the one before.
class ColumnWriter {
 public:
  ColumnWriter(const Column& column, int precision)
      : cells_(column.cells), precision_(precision) {}

  void append(std::string& out, std::size_t row) {
    if (const auto* reals = std::get_if<Reals>(&cells_)) {
      const double value = (*reals)[row];
      if (row == 0 || !same_bits(value, (*reals)[row - 1])) {
        text_.clear();
        append_number(text_, value, precision_);
      }
      out += text_;
    } else if (const auto* integers = std::get_if<Integers>(&cells_)) {
      append_exact(out, (*integers)[row]);
    } else {
      const Texts& texts = std::get<Texts>(cells_);
      if (row == 0 || texts[row] != texts[row - 1]) {
        text_.clear();
        append_csv_cell(text_, texts[row]);
      }
      out += text_;
    }
  }

 private:
  const decltype(Column::cells)& cells_;
  int precision_;
  std::string text_;
};

}  // namespace

void append_csv_cell(std::string& out, std::string_view text) {
  const bool quote =
      text.find_first_of(",\"\r\n") != text.npos ||
      (!text.empty() && (text.front() == '#' ||  // no comment
                         text.front() == ' ' || text.back() == ' '));
  if (!quote) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void CsvWriter::write_head(const Table& block) {
  head_written_ = true;
  std::string head;
  if (style_.provenance) head += to_lines(*style_.provenance, "# ");
  head += style_.csv_comment;
  bool first = true;
  for (const std::size_t i : shown_columns(block, style_)) {
    if (!first) head += ',';
    first = false;
    append_csv_cell(head, block.columns[i].name);
  }
  head += '\n';
  out_.write(head.data(), static_cast<std::streamsize>(head.size()));
}

PreparedBlock CsvWriter::prepare(const Table& block) const {
  std::vector<ColumnWriter> columns;
  for (const std::size_t i : shown_columns(block, style_))
    columns.emplace_back(block.columns[i], style_.precision);
  PreparedBlock prepared;
  std::string& out = prepared.text;
  const std::size_t rows = block.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out += ',';
      columns[i].append(out, row);
    }
    out += '\n';
    // the first rows tell how long all will be
    if (row == 15) out.reserve(out.size() / 16 * (rows + 16));
  }
  return prepared;
}

void CsvWriter::write(const Table& block) {
  write_prepared(block, prepare(block));
}

void CsvWriter::write_prepared(const Table& block,
                               const PreparedBlock& prepared) {
  if (!head_written_) write_head(block);
  out_.write(prepared.text.data(),
             static_cast<std::streamsize>(prepared.text.size()));
}

void CsvWriter::finish() { out_.flush(); }

}  // namespace gttf
