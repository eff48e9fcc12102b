// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/csv.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "gttf/output/number.hpp"

namespace gttf {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

using Text = fmt::memory_buffer;

void put(Text& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

template <class Number>
void put_exact(Text& out, Number value) {
  out.reserve(out.size() + longest_number);
  const char* end = write_exact(out.data() + out.size(), value);
  out.resize(static_cast<std::size_t>(end - out.data()));
}

/// Where a cell stands in the text.
struct Cell {
  std::size_t from = 0, length = 0;
};

/// Appends the text of a cell once more.
void repeat(Text& out, const Cell& cell) {
  constexpr std::size_t usual = 32;  // copied as a whole: faster than counted
  if (cell.length > usual || cell.from + usual > out.size()) {
    out.reserve(out.size() + cell.length);
    return put(out, {out.data() + cell.from, cell.length});
  }
  out.reserve(out.size() + usual);
  std::memcpy(out.data() + out.size(), out.data() + cell.from, usual);
  out.resize(out.size() + cell.length);
}

/// Writes cells of a column; grids repeat most numbers and words, whose text is
/// then the one before.
class ColumnWriter {
 public:
  ColumnWriter(const Column& column, int precision) : precision_(precision) {
    if (const auto* reals = std::get_if<Reals>(&column.cells))
      reals_ = reals->data();
    else if (const auto* integers = std::get_if<Integers>(&column.cells))
      integers_ = integers->data();
    else
      texts_ = std::get<Texts>(column.cells).data();
  }

  /// Numbers equal to those that `others`, written before this column, have in
  /// a row shall have their text in all rows where they agree.
  void find_twin(std::span<const ColumnWriter> others, std::size_t row) {
    if (!reals_) return;
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i].reals_ && same_bits(others[i].reals_[row], reals_[row])) {
        twin_ = &others[i];
        return;
      }
  }

  void append(Text& out, std::size_t row) {
    if (row > 0 && same_as_before(row)) return repeat(out, cell_);
    const std::size_t from = out.size();
    if (twin_ && same_bits(twin_->reals_[row], reals_[row]))
      repeat(out, twin_->cell_);
    else if (reals_)
      append_number(out, reals_[row]);
    else if (integers_)
      put_exact(out, integers_[row]);
    else
      append_text(out, texts_[row]);
    cell_ = {from, out.size() - from};
  }

 private:
  bool same_as_before(std::size_t row) const {
    if (reals_) return same_bits(reals_[row], reals_[row - 1]);
    if (integers_) return integers_[row] == integers_[row - 1];
    return texts_[row] == texts_[row - 1];
  }

  void append_number(Text& out, double value) {
    if (std::isnan(value)) return;
    if (precision_ <= 0) return put_exact(out, value);
    other_.clear();
    append_rounded(other_, value, precision_);
    put(out, other_);
  }

  void append_text(Text& out, const std::string& text) {
    other_.clear();
    append_csv_cell(other_, text);
    put(out, other_);
  }

  const double* reals_ = nullptr;
  const std::int64_t* integers_ = nullptr;
  const std::string* texts_ = nullptr;
  const ColumnWriter* twin_ = nullptr;
  int precision_;
  Cell cell_;  ///< the last one
  std::string other_;
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
  const std::vector<std::size_t> shown = shown_columns(block, style_);
  const std::size_t rows = block.rows();
  std::vector<ColumnWriter> columns;
  columns.reserve(shown.size());  // they point to each other
  for (const std::size_t i : shown) {
    ColumnWriter column(block.columns[i], style_.precision);
    if (rows > 0) column.find_twin(columns, rows / 2);
    columns.push_back(std::move(column));
  }
  Text text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text.push_back(',');
      columns[i].append(text, row);
    }
    text.push_back('\n');
    if (row == 0) text.reserve(text.size() * (rows + rows / 8));
  }
  return {fmt::to_string(text), {}};
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
