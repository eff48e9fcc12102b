// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/csv.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "gttf/output/number.hpp"

namespace gttf {
namespace {

constexpr std::size_t flush_above = 1 << 16;  // bytes

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
  shown_ = shown_columns(block, style_);
  last_.resize(shown_.size());
  if (style_.provenance) buffer_ += to_lines(*style_.provenance, "# ");
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (i > 0) buffer_ += ',';
    append_csv_cell(buffer_, block.columns[shown_[i]].name);
  }
  buffer_ += '\n';
}

void CsvWriter::write(const Table& block) {
  if (!head_written_) write_head(block);
  const std::size_t rows = block.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      if (i > 0) buffer_ += ',';
      const auto& cells = block.columns[shown_[i]].cells;
      if (const auto* reals = std::get_if<Reals>(&cells)) {
        const double value = (*reals)[row];
        Last& last = last_[i];
        if (!last.known || !same_bits(last.value, value)) {
          last.known = true;
          last.value = value;
          last.text.clear();
          append_number(last.text, value, style_.precision);
        }
        buffer_ += last.text;
      } else if (const auto* integers = std::get_if<Integers>(&cells)) {
        append_exact(buffer_, (*integers)[row]);
      } else {
        append_csv_cell(buffer_, std::get<Texts>(cells)[row]);
      }
    }
    buffer_ += '\n';
    if (buffer_.size() > flush_above) {
      out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      buffer_.clear();
    }
  }
}

void CsvWriter::finish() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  out_.flush();
}

}  // namespace gttf
