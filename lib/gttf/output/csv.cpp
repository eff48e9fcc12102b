// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "gttf/config/opened_files.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/number.hpp"

namespace gttf {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool needs_quotes(std::string_view text) {
  const auto separates = [](char c) { return c == ',' || c == '"'; };
  return !text.empty() && (text.front() == '#' ||  // no comment
                           text.front() == ' ' || text.back() == ' ' ||
                           std::ranges::any_of(text, separates));
}

/// Whether a cell is written unquoted.
bool is_plain(std::string_view text) {
  return !needs_quotes(text) && text.find('\\') == text.npos &&
         !detail::may_be_invisible(text);
}

/// Location of a cell in the text.
struct Cell {
  std::size_t from = 0, length = 0;
};

/// Writes the text of a cell again. Short cells are copied with the following
/// bytes, which is faster than copying the exact length. Source and destination
/// may overlap: everything is read before it is written.
char* repeat(const char* begin, const Cell& cell, char* to) {
  std::array<char, 32> usual;
  static_assert(sizeof usual <= longest_number);
  if (cell.length <= sizeof usual) {
    std::memcpy(&usual, begin + cell.from, sizeof usual);
    std::memcpy(to, &usual, sizeof usual);
  } else {
    std::memcpy(to, begin + cell.from, cell.length);
  }
  return to + cell.length;
}

/// Writes cells of a column; grids repeat most numbers and words, whose text is
/// then copied.
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

  /// Numbers equal to a number in `others`, written before this column, reuse
  /// its text in all rows where they agree.
  void find_twin(std::span<const ColumnWriter> others, std::size_t row) {
    if (!reals_) return;
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i].reals_ && same_bits(others[i].reals_[row], reals_[row])) {
        twin_ = &others[i];
        return;
      }
  }

  bool has_texts() const { return texts_ != nullptr; }
  /// Maximum bytes of a text in excess of a number.
  std::size_t more_room(std::size_t row) const {
    constexpr std::size_t quotes = 2;
    const std::size_t most = 4 * texts_[row].size() + quotes;
    return most - std::min(most, longest_number);
  }

  /// Writes a cell at `to`, in the text from `begin` on; returns its end.
  char* write(const char* begin, char* to, std::size_t row) {
    if (row > 0 && same_as_before(row)) return repeat(begin, cell_, to);
    char* end = to;
    if (twin_ && same_bits(twin_->reals_[row], reals_[row]))
      end = repeat(begin, twin_->cell_, to);
    else if (reals_)
      end = write_number(to, reals_[row]);
    else if (integers_)
      end = write_exact(to, integers_[row]);
    else
      end = write_text(to, texts_[row]);
    cell_ = {static_cast<std::size_t>(to - begin),
             static_cast<std::size_t>(end - to)};
    return end;
  }

 private:
  bool same_as_before(std::size_t row) const {
    if (reals_) return same_bits(reals_[row], reals_[row - 1]);
    if (integers_) return integers_[row] == integers_[row - 1];
    return texts_[row] == texts_[row - 1];
  }

  char* write_number(char* to, double value) {
    if (std::isnan(value)) return to;
    if (precision_ <= 0) return write_exact(to, value);
    other_.clear();
    append_rounded(other_, value, precision_);
    return std::ranges::copy(other_, to).out;
  }

  char* write_text(char* to, const std::string& text) {
    if (is_plain(text)) return std::ranges::copy(text, to).out;
    other_.clear();
    append_csv_cell(other_, text);
    return std::ranges::copy(other_, to).out;
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

void append_csv_cell(std::string& out, std::string_view cell) {
  if (is_plain(cell)) {
    out += cell;
    return;
  }
  const std::string text = backslash_escaped(cell);
  if (!needs_quotes(text)) {
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
  head_at_ = out_.tellp();
  const bool can_return = head_at_ != std::ostream::pos_type(-1) && !checksum_;
  if (style_.provenance)
    head += to_lines(*style_.provenance, "# ", can_return ? &late_ : nullptr);
  head += style_.csv_comment;
  bool first = true;
  for (const std::size_t i : shown_columns(block, style_)) {
    if (!first) head += ',';
    first = false;
    append_csv_cell(head, block.columns[i].name);
  }
  head += '\n';
  write_lines(head);
}

void CsvWriter::write_lines(std::string_view text) {
  if (checksum_) checksum_->add(text);
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
}

PreparedBlock CsvWriter::prepare(const Table& block) const {
  const std::vector<std::size_t> shown = shown_columns(block, style_);
  const std::size_t rows = block.rows();
  std::vector<ColumnWriter> columns;
  std::vector<const ColumnWriter*> texts;
  columns.reserve(shown.size());  // they point to each other
  for (const std::size_t i : shown) {
    ColumnWriter column(block.columns[i], style_.precision);
    if (rows > 0) column.find_twin(columns, rows / 2);
    columns.push_back(std::move(column));
    if (columns.back().has_texts()) texts.push_back(&columns.back());
  }
  // each followed by a comma or the line end
  const std::size_t most_in_row = 1 + columns.size() * (longest_number + 1);
  const auto storage = std::make_shared<fmt::memory_buffer>();
  fmt::memory_buffer& text = *storage;
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t room = most_in_row;
    for (const ColumnWriter* column : texts) room += column->more_room(row);
    text.reserve(text.size() + room);
    char* const begin = text.data();
    char* to = begin + text.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) *to++ = ',';
      to = columns[i].write(begin, to, row);
    }
    *to++ = '\n';
    text.resize(static_cast<std::size_t>(to - begin));
    if (row == 0) text.reserve(text.size() * (rows + rows / 8) + room);
  }
  return {{text.data(), text.size()}, storage, {}};
}

void CsvWriter::write(const Table& block) {
  write_prepared(block, prepare(block));
}

void CsvWriter::write_prepared(const Table& block,
                               const PreparedBlock& prepared) {
  if (!head_written_) write_head(block);
  write_lines(prepared.text);
}

void CsvWriter::finish() {
  for (const LateHash& late : late_) {
    out_.seekp(head_at_ + static_cast<std::streamoff>(late.at));
    out_ << late.text();
  }
  if (!late_.empty()) out_.seekp(0, std::ios::end);
  if (checksum_) out_ << csv_checksum_mark << checksum_->digits() << '\n';
  out_.flush();
}

std::optional<std::string> csv_checksum_error(const std::string& path,
                                              std::string_view role) {
  const FileHandle file = open_input(path, role);
  if (!file) return std::string("it cannot be read: ") + std::strerror(errno);
  constexpr std::size_t digits = 64, block = std::size_t{1} << 16;
  constexpr std::size_t last_line = csv_checksum_mark.size() + digits + 1;
  Sha256 hash;
  std::vector<char> buffer(last_line + block);
  std::size_t held = 0;  // bytes that may belong to the last line
  while (const std::size_t n =
             std::fread(buffer.data() + held, 1, block, file.get())) {
    held += n;
    if (held <= last_line) continue;
    hash.add({buffer.data(), held - last_line});
    std::memmove(buffer.data(), buffer.data() + held - last_line, last_line);
    held = last_line;
  }
  if (std::ferror(file.get()) != 0)
    return std::string("it cannot be read: ") + std::strerror(errno);
  const std::string_view line(buffer.data(), held);
  if (held < last_line || !line.starts_with(csv_checksum_mark) ||
      !line.ends_with('\n'))
    return "it is truncated: the checksum at the end is missing";
  if (line.substr(csv_checksum_mark.size(), digits) != hash.digits())
    return "it was changed or damaged after it was written: the checksum "
           "differs";
  return std::nullopt;
}

}  // namespace gttf
