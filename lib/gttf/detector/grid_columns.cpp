// SPDX-License-Identifier: Apache-2.0
// Reads the line of a field map that names its columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/grid_columns.hpp"

namespace gttf::detail {
namespace {

constexpr std::array<std::string_view, 6> cartesian = {"x",  "y",  "z",
                                                       "Bx", "By", "Bz"};
constexpr std::array<std::string_view, 4> around_z = {"r", "z", "Br", "Bz"};
constexpr std::size_t most_columns = 64;

/// Words of a header; a unit in brackets belongs to the word before it.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_grid_separator(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && !is_grid_separator(line[i])) ++i;
    if (i == begin) break;
    const std::string_view word = line.substr(begin, i - begin);
    if (!words.empty() && (word[0] == '[' || word[0] == '(')) {
      const char* from = words.back().data();
      words.back() = {
          from, static_cast<std::size_t>(word.data() + word.size() - from)};
    } else {
      words.push_back(word);
    }
  }
  return words;
}

std::string name_of(std::string_view word) {
  return lower_case(trimmed(word.substr(0, word.find_first_of("[("))));
}

/// Index of the word's name, whatever its case; the size if it is none.
template <class Names>
std::size_t index_of(std::string_view word, const Names& names) {
  const std::string name = name_of(word);
  return static_cast<std::size_t>(
      std::ranges::find_if(
          names, [&](std::string_view n) { return lower_case(n) == name; }) -
      names.begin());
}

double unit_of(std::string_view word, bool is_length) {
  const std::size_t open = word.find_first_of("[(");
  if (open == word.npos)
    throw GridFault{
        word, fmt::format("missing unit of the column {}", in_quotes(word)),
        fmt::format("write the unit in brackets: {}[{}]", word,
                    is_length ? "mm" : "T")};
  const std::size_t end = word.find(word[open] == '[' ? ']' : ')', open);
  const std::string_view unit =
      word.substr(open + 1, end == word.npos ? word.npos : end - open - 1);
  const auto parsed =
      parse_quantity(fmt::format("1 {}", unit),
                     is_length ? Dimension::length : Dimension::field);
  if (end == word.npos || !parsed)
    throw GridFault{word,
                    fmt::format("{} is no unit of a {}", in_quotes(unit),
                                is_length ? "length" : "magnetic field"),
                    is_length ? "use nm, um, mm, cm or m" : "use T, kG or mT"};
  return parsed.value;
}

}  // namespace

bool names_grid_columns(std::string_view line) {
  const auto words = words_of(line);
  return std::ranges::count_if(words, [](std::string_view word) {
           return index_of(word, cartesian) < cartesian.size() ||
                  index_of(word, around_z) < around_z.size();
         }) >= 4;
}

GridColumns read_grid_columns(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() > most_columns)
    throw GridFault{line, fmt::format("more than {} columns", most_columns),
                    ""};
  GridColumns grid;
  grid.around_z = std::ranges::any_of(words, [](std::string_view word) {
    return name_of(word) == "r" || name_of(word) == "br";
  });
  if (grid.around_z)
    grid.names.assign(around_z.begin(), around_z.end());
  else
    grid.names.assign(cartesian.begin(), cartesian.end());
  std::vector<bool> seen(grid.names.size());
  for (const std::string_view word : words) {
    const std::size_t i = index_of(word, grid.names);
    GridColumns::Column& column = grid.columns.emplace_back();
    if (i == grid.names.size()) continue;
    if (seen[i])
      throw GridFault{
          word, fmt::format("the column {} is given twice", in_quotes(word)),
          ""};
    seen[i] = true;
    column.target = static_cast<int>(i);
    column.unit = unit_of(word, i < grid.coordinates());
  }
  for (std::size_t i = 0; i < grid.names.size(); ++i)
    if (!seen[i])
      throw GridFault{
          line,
          fmt::format("the column {} is missing", in_quotes(grid.names[i])),
          grid.around_z ? "a map has the columns r z Br Bz"
                        : "a map has the columns x y z Bx By Bz"};
  return grid;
}

}  // namespace gttf::detail
