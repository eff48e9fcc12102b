// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/foreign_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gttf/config/text.hpp"

namespace gttf::detail {
namespace {

std::vector<ForeignWord> cells_of(const ForeignWord& line) {
  std::vector<ForeignWord> cells;
  for (std::size_t begin = 0; begin <= line.text.size();) {
    const std::size_t comma =
        std::min(line.text.find(',', begin), line.text.size());
    cells.push_back(
        trim({line.text.substr(begin, comma - begin), line.offset + begin}));
    begin = comma + 1;
  }
  return cells;
}

}  // namespace

ForeignTable::ForeignTable(const ForeignFile& file,
                           std::span<const std::string_view> names,
                           std::string_view advice)
    : file_(file) {
  for (const ForeignWord& line : lines_of({file.source.text(), 0}))
    if (const ForeignWord content = trim(line);
        !content.text.empty() && content.text.front() != '#')
      lines_.push_back(content);
  if (lines_.empty()) {
    file.error({file.source.text(), 0}, "the table is empty",
               std::string(advice));
    return;
  }
  header_ = cells_of(lines_.front());
  for (const std::string_view name : names) {
    index_.push_back(find(name));
    if (index_.back() == none)
      file.error(lines_.front(),
                 fmt::format("there is no column {}", in_quotes(name)),
                 std::string(advice));
  }
  good_ = std::ranges::find(index_, none) == index_.end();
}

std::size_t ForeignTable::find(std::string_view name) const {
  for (std::size_t i = 0; i < header_.size(); ++i)
    if (const std::string_view text = header_[i].text;
        text == name || (text.starts_with(name) &&
                         text.find_first_of("/(", name.size()) == name.size()))
      return i;
  return none;
}

std::vector<ForeignWord> ForeignTable::cells_of_row(std::size_t row) const {
  std::vector<ForeignWord> cells = cells_of(lines_[row]);
  if (cells.size() != header_.size()) {
    file_.error(lines_[row], fmt::format("the row has {} cells, the header {}",
                                         cells.size(), header_.size()));
    cells.clear();
  }
  return cells;
}

}  // namespace gttf::detail
