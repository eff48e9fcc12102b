// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/aligned.hpp"

#include <algorithm>

#include "gttf/output/flush_above.hpp"

namespace gttf {
namespace {

constexpr std::size_t rows_for_widths = 1000;
constexpr int usual_digits = 3;

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string aligned(std::string_view text, std::size_t width, bool left) {
  const std::size_t own = text_width(text);
  const std::string fill(width > own ? width - own : 0, ' ');
  return left ? std::string(text) + fill : fill + std::string(text);
}

void AlignedWriter::lay_out(const Table& block) {
  shown_ = shown_columns(block, style_);
  for (const std::size_t i : shown_) {
    const Column& column = block.columns[i];
    ColumnLayout layout;
    layout.heading = heading_of(column.name);
    layout.text = std::holds_alternative<Texts>(column.cells);
    layout.width = heading_width(layout);
    columns_.push_back(std::move(layout));
  }
}

void AlignedWriter::write(const Table& block) {
  if (columns_.empty()) lay_out(block);
  const int digits = style_.precision > 0 ? style_.precision : usual_digits;
  const std::size_t rows = block.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    Row cells(shown_.size());
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const auto& values = block.columns[shown_[i]].cells;
      const Heading& heading = columns_[i].heading;
      if (const auto* reals = std::get_if<Reals>(&values)) {
        const double value = (*reals)[row] * heading.factor;
        constexpr int longest = 17;
        // as many decimals above 1 as below
        const bool more = heading.ratio && digits < longest && value >= 0.9995;
        cells[i] = readable(value, digits + (more ? 1 : 0), heading.zeros);
      } else if (const auto* integers = std::get_if<Integers>(&values)) {
        cells[i] = std::to_string((*integers)[row]);
      } else {
        const std::string& text = std::get<Texts>(values)[row];
        cells[i] = text.empty() ? "-" : cell_text(text);
      }
    }
    if (released_) {
      append_row(buffer_, cells);
    } else {
      for (std::size_t i = 0; i < cells.size(); ++i)
        columns_[i].width = std::max(columns_[i].width, text_width(cells[i]));
      waiting_.push_back(std::move(cells));
      if (waiting_.size() == rows_for_widths) release();
    }
    if (buffer_.size() > detail::flush_above) {
      out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      buffer_.clear();
    }
  }
}

void AlignedWriter::release() {
  released_ = true;
  append_head(buffer_);
  for (const Row& row : waiting_) append_row(buffer_, row);
  waiting_ = {};
}

void AlignedWriter::finish() {
  if (!released_) release();
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  out_.flush();
}

}  // namespace gttf
