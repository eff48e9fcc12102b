// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/baseline.hpp"

#include <string_view>
#include <utility>

#include "gttf/config/document_checksum.hpp"
#include "gttf/study/request/request_document.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

/// Text last: a row that begins with a number is written in one line.
std::vector<const Column*> numbers_first(const Table& table) {
  std::vector<const Column*> columns;
  for (const bool text : {false, true})
    for (const Column& column : table.columns)
      if (std::holds_alternative<Texts>(column.cells) == text)
        columns.push_back(&column);
  return columns;
}

Document cell(const Column& column, std::size_t row) {
  if (const auto* reals = std::get_if<Reals>(&column.cells))
    return (*reals)[row];
  if (const auto* integers = std::get_if<Integers>(&column.cells))
    return (*integers)[row];
  const std::string& text = std::get<Texts>(column.cells)[row];
  return text.empty() ? Document() : Document(text);
}

Document::List row_lists(const Table& table) {
  const auto columns = numbers_first(table);
  Document::List rows;
  rows.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    Document::List cells;
    cells.reserve(columns.size());
    for (const Column* column : columns) cells.push_back(cell(*column, i));
    rows.emplace_back(std::move(cells));
  }
  return rows;
}

/// One item for each line: a change of the file is then a change of a line.
Document lines_of(std::string_view text) {
  Document::List lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

const BaselineDetector* Baseline::find(const Detector& detector) const {
  for (const BaselineDetector& own : detectors)
    if (own.input.detector.name == detector.name) return &own;
  return detectors.size() == 1 ? &detectors.front() : nullptr;
}

Document baseline_document(const StudyRequest& request,
                           std::span<const BaselineDetector> detectors,
                           Engine engine) {
  Document::List columns, list;
  const Table no_rows = empty_scan_table(request.at.has_value());
  for (const Column* column : numbers_first(no_rows))
    columns.emplace_back(column->name);
  for (const auto& [input, rows] : detectors) {
    const Detector& detector = input.detector;
    Document::List overrides;
    for (const std::string& text : input.overrides)
      overrides.emplace_back(text);
    list.push_back(Document()
                       .set("name", detector.name)
                       .set("file", detector.file)
                       .set("sha256", detector.sha256)
                       .set("overrides", std::move(overrides))
                       .set("description", lines_of(input.text))
                       .set("rows", row_lists(rows)));
  }
  Document study;
  describe_tracks(request, study);
  study.set("engine", to_string(engine));
  return with_checksum(Document()
                           .set("gttf-baseline", baseline_format)
                           .set("study", std::move(study))
                           .set("columns", std::move(columns))
                           .set("detectors", std::move(list)));
}

}  // namespace gttf
