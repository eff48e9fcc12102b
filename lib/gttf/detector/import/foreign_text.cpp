// SPDX-License-Identifier: Apache-2.0
// Words, numbers and messages for files of other programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/config/csv_reader.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {
namespace {

constexpr std::string_view spaces = " \t\r\n\f\v";

Diagnostic diagnostic_at(const Source& source, const ForeignWord& word,
                         Severity severity, std::string problem,
                         std::string suggestion) {
  Diagnostic d = source.at(word.offset, word.text.size());
  d.severity = severity;
  d.problem = std::move(problem);
  d.suggestion = std::move(suggestion);
  return d;
}

}  // namespace

void ForeignFile::error(const ForeignWord& word, std::string problem,
                        std::string suggestion) const {
  diagnostics.add(diagnostic_at(source, word, Severity::error,
                                std::move(problem), std::move(suggestion)));
}

void ForeignFile::warning(const ForeignWord& word, std::string problem,
                          std::string suggestion) const {
  diagnostics.add(diagnostic_at(source, word, Severity::warning,
                                std::move(problem), std::move(suggestion)));
}

std::optional<double> ForeignFile::number(const ForeignWord& word,
                                          std::string_view what) const {
  double value = 0;
  if (parse_number(word.text, value) == nullptr && std::isfinite(value))
    return value;
  error(word,
        fmt::format("the {} is not a number: {}", what, in_quotes(word.text)));
  return std::nullopt;
}

bool ForeignFile::too_many(std::size_t count, const ForeignWord& word) const {
  if (count <= max_foreign_layers) return false;
  error(word, fmt::format("more than {} layers", max_foreign_layers),
        "import a part of the file");
  return true;
}

FilePosition ForeignFile::place(const ForeignWord& word) const {
  const Diagnostic d = source.at(word.offset);
  return {d.line, d.column};
}

ForeignWord trim(ForeignWord word) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin =
      std::min(word.text.find_first_not_of(blanks), word.text.size());
  const std::size_t end = word.text.find_last_not_of(blanks) + 1;
  if (begin >= end) return {word.text.substr(0, 0), word.offset};
  return {word.text.substr(begin, end - begin), word.offset + begin};
}

std::vector<ForeignWord> words_of(const ForeignWord& line) {
  std::vector<ForeignWord> words;
  for (std::size_t at = 0;;) {
    const std::size_t begin = line.text.find_first_not_of(spaces, at);
    if (begin == line.text.npos || line.text[begin] == '#') return words;
    at = std::min(line.text.find_first_of(spaces, begin), line.text.size());
    const std::string_view word = line.text.substr(begin, at - begin);
    if (word != "\\") words.push_back({word, line.offset + begin});
  }
}

std::vector<ForeignWord> lines_of(const ForeignWord& text, bool continued) {
  const std::string_view all = text.text;
  const auto goes_on = [&](std::size_t end) {
    if (end > 0 && all[end - 1] == '\r') --end;
    return end > 0 && all[end - 1] == '\\';
  };
  std::vector<ForeignWord> lines;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = std::min(all.find('\n', begin), all.size());
    while (continued && end < all.size() && goes_on(end))
      end = std::min(all.find('\n', end + 1), all.size());
    lines.push_back({all.substr(begin, end - begin), text.offset + begin});
    begin = end + 1;
  }
  return lines;
}

}  // namespace gttf::detail
