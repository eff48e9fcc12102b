// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/scan_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "gttf/config/csv_reader.hpp"
#include "gttf/config/diagnostics.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/version.hpp"
#include "gttf/study/request/request_document.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf {

namespace {

constexpr std::string_view part_role = "part of a scan";

/// Maximum number of rows, exactly representable in doubles.
constexpr double most_rows = 9007199254740992;  // 2^53

constexpr const char* for_reading = "columns_for_reading";

/// floor(n k/N) without overflow.
std::uint64_t share(std::uint64_t n, std::uint64_t k, std::uint64_t count) {
  return n / count * k + n % count * k / count;
}

Document list_of(std::span<const std::string> texts) {
  Document::List list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

std::uint64_t count(const Document& document, const char* key,
                    const std::string& name) {
  const double number = number_of(document, key);
  if (!(number >= 0 && number <= most_rows && number == std::floor(number)))
    throw FileError(fmt::format("{} is damaged: {} is not a number of rows",
                                name, in_quotes(key)));
  return static_cast<std::uint64_t>(number);
}

/// Empty columns with the names of `header`, with the types of scans.
Table table_for(const CsvLine& header, const std::string& name) {
  const Table all = empty_scan_table(true);
  Table table;
  for (const std::string_view cell : header.cells) {
    const Column* column = all.find(cell);
    if (column == nullptr)
      throw FileError(fmt::format("{} is damaged: unknown column {}",
                                  in_quotes(name), in_quotes(cell)));
    table.columns.push_back(*column);
  }
  return table;
}

class RowReader {
 public:
  explicit RowReader(const std::string& name) : name_(in_quotes(name)) {}

  void append(const CsvLine& line, Table& table) const {
    if (!line.problem.empty() || line.cells.size() != table.columns.size())
      damaged(line);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string_view cell = line.cells[i];
      auto& cells = table.columns[i].cells;
      if (auto* reals = std::get_if<Reals>(&cells)) {
        reals->push_back(cell.empty() ? std::numeric_limits<double>::quiet_NaN()
                                      : number<double>(cell, line));
      } else if (auto* integers = std::get_if<Integers>(&cells)) {
        integers->push_back(number<std::int64_t>(cell, line));
      } else {
        std::get<Texts>(cells).push_back(backslash_unescaped(cell));
      }
    }
  }

 private:
  template <class T>
  T number(std::string_view cell, const CsvLine& line) const {
    T value{};
    const char* last = cell.data() + cell.size();
    const auto [end, error] = std::from_chars(cell.data(), last, value);
    if (error != std::errc() || end != last) damaged(line);
    return value;
  }
  [[noreturn]] void damaged(const CsvLine& line) const {
    throw FileError(
        fmt::format("{} is damaged: line {} is not a row", name_, line.number));
  }

  std::string name_;
};

/// Emits the rows of one part; returns their number.
std::uint64_t pass_on(const std::string& path, TableSink& sink) {
  CsvReader reader(path, "", false, part_role);
  const Table empty = table_for(reader.header(), path);
  const RowReader rows(path);
  std::uint64_t n = 0;
  for (CsvBlock block; reader.next(block);) {
    Table table = empty;
    CsvLines lines(block, reader.separator());
    while (const CsvLine* line = lines.next()) rows.append(*line, table);
    n += table.rows();
    if (table.rows() > 0) sink.write(table);
  }
  return n;
}

}  // namespace

ScanPart plan_scan_part(const StudyRequest& request,
                        std::span<const Detector> detectors,
                        std::span<const std::string> overrides,
                        std::span<const std::string> columns, Engine engine,
                        const Shard& shard) {
  ScanPart part;
  part.study.set("version", version());
  // last digits depend on it
  part.study.set("simd", to_string(simd_level()));
  part.study.set("engine", to_string(engine));
  Document::List list;
  for (const Detector& d : detectors)
    list.push_back(Document().set("name", d.name).set("sha256", d.sha256));
  part.study.set("detectors", std::move(list));
  part.study.set("set", list_of(overrides));
  describe_tracks(request, part.study);
  part.study.set("columns", list_of(columns));
  part.study.set(
      for_reading,
      list_of(columns.empty() ? columns_for_reading(request, detectors)
                              : std::vector(columns.begin(), columns.end())));
  part.total = n_grid_points(request) * detectors.size();
  part.from = share(part.total, shard.index - 1, shard.count);
  part.to = share(part.total, shard.index, shard.count);
  return part;
}

std::vector<std::string> columns_for_reading(const ScanPart& part) {
  std::vector<std::string> columns;
  const Document* const found = part.study.find(for_reading);
  const auto* const list =
      found != nullptr ? std::get_if<Document::List>(&found->value()) : nullptr;
  if (list == nullptr) return columns;  // of an earlier version
  for (const Document& name : *list)
    if (const auto* const text = std::get_if<std::string>(&name.value()))
      columns.push_back(*text);
  return columns;
}

Document to_document(const ScanPart& part) {
  const auto number = [](std::uint64_t n) {
    return static_cast<std::int64_t>(n);
  };
  return Document()
      .set("gttf-scan-part", 1)
      .set("from", number(part.from))
      .set("to", number(part.to))
      .set("total", number(part.total))
      .set("study", part.study);
}

ScanPart scan_part_of(const Document& document, const std::string& path) {
  const std::string name = in_quotes(path);
  const Document* study = document.find("study");
  if (number_of(document, "gttf-scan-part") != 1 || study == nullptr)
    throw FileError(name + " is not part of a scan that this version can read");
  return {path, *study, count(document, "from", name),
          count(document, "to", name), count(document, "total", name)};
}

std::string part_lines(const std::string& path) {
  const FileHandle file = open_input(path, part_role);
  if (!file) throw FileError("cannot read " + in_quotes(path));
  const auto next = [&file](std::string& line) {
    line.clear();
    int c = 0;
    while ((c = std::getc(file.get())) != EOF && c != '\n' &&
           line.size() <= CsvReader::max_line_bytes)
      line += static_cast<char>(c);
    return c != EOF || !line.empty();
  };
  std::string text;
  for (std::string line;
       next(line) && line.starts_with('#') && text.size() <= max_text_bytes;)
    if (line.starts_with(part_line))
      text += line.substr(std::string_view(part_line).size()) + '\n';
  if (text.empty())
    throw FileError(in_quotes(path) +
                    " is not part of a scan: it was not made with --shard");
  return text;
}

std::vector<ScanPart> ordered_parts(std::vector<ScanPart> parts) {
  for (const ScanPart& part : parts)
    if (const auto where = first_difference(parts[0].study, part.study))
      throw FileError(
          fmt::format("{} and {} are not of the same study: their {} differs",
                      in_quotes(parts[0].name), in_quotes(part.name), *where));
  std::ranges::stable_sort(parts, {}, &ScanPart::from);
  std::uint64_t next = 0;
  const ScanPart* before = nullptr;
  const auto missing = [](std::uint64_t from, std::uint64_t to) {
    return FileError(fmt::format(
        "the rows {} to {} are missing: give all parts", from + 1, to));
  };
  for (const ScanPart& part : parts) {
    if (part.to < part.from || part.to > part.total)
      throw FileError(fmt::format("{} is damaged: its range of rows is empty",
                                  in_quotes(part.name)));
    if (part.from < next)
      throw FileError(fmt::format("{} and {} overlap: both have row {}",
                                  in_quotes(before->name), in_quotes(part.name),
                                  part.from + 1));
    if (part.from > next) throw missing(next, part.from);
    next = part.to;
    before = &part;
  }
  if (!parts.empty() && next != parts[0].total)
    throw missing(next, parts[0].total);
  return parts;
}

void join_parts(std::span<const ScanPart> parts, TableSink& sink) {
  for (const ScanPart& part : parts) {
    const std::uint64_t rows = pass_on(part.name, sink);
    if (rows != part.to - part.from)
      throw FileError(fmt::format("{} is damaged: it has {} of {} rows",
                                  in_quotes(part.name), rows,
                                  part.to - part.from));
  }
  sink.finish();
}

}  // namespace gttf
