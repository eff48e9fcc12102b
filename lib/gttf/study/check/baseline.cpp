// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/baseline.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/study/request/request_document.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/row.hpp"
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

/// One item per line, so that diffs are line by line.
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

Document baseline_document(const StudyRequest& request,
                           std::span<const BaselineDetector> detectors,
                           Engine engine) {
  Document::List columns, list;
  const Table no_rows = request.average
                            ? empty_average_table(request)
                            : empty_scan_table(request.at.has_value());
  for (const Column* column : numbers_first(no_rows))
    columns.emplace_back(column->name);
  for (const auto& [input, rows] : detectors) {
    const Detector& detector = input.detector;
    Document::List overrides;
    for (const std::string& text : input.overrides)
      overrides.emplace_back(text);
    Document entry = Document()
                         .set("name", detector.name)
                         .set("file", detector.file)
                         .set("sha256", detector.sha256);
    // the study has those of detectors without models
    if (const Scattering own = scattering_of(request, detector);
        own != request.scattering)
      entry.set("scattering", to_string(own));
    if (const EnergyLoss own = energy_loss_of(request, detector);
        own != request.energy_loss)
      entry.set("energy_loss", to_string(own));
    list.push_back(entry.set("overrides", std::move(overrides))
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

namespace {

class BaselineReader {
 public:
  BaselineReader(const Document& document, const SourcePtr& source)
      : document_(document), source_(source) {}

  Baseline read() {
    check_format();
    Baseline baseline;
    const Document& provenance = member(document_, "provenance", "");
    baseline.version = text_of(provenance, "version");
    baseline.command_line = text_of(provenance, "command_line");
    const Document& study = member(document_, "study", "");
    if (const auto wrong = read_tracks(study, baseline.request))
      missing(*wrong, "study.");
    const std::string engine = text_of(study, "engine");
    if (engine == to_string(Engine::triplet))
      baseline.engine = Engine::triplet;
    else if (engine != to_string(Engine::streaming))
      missing("engine", "study.");
    columns_ = texts(document_, "columns", "");
    const Document::List& detectors = list(document_, "detectors", "");
    if (detectors.empty())
      refuse("detectors", "the baseline has no detector", write_again);
    for (std::size_t i = 0; i < detectors.size(); ++i) {
      const std::string path = fmt::format("detectors[{}].", i);
      BaselineDetector own{read_description(detectors[i], path),
                           read_rows(detectors[i], baseline.request, path)};
      const std::size_t points = baseline.request.momentum.values.size() *
                                 baseline.request.angle.values.size();
      if (own.rows.rows() != points)
        refuse("rows",
               fmt::format("{}rows: {} rows for {} points of the study", path,
                           own.rows.rows(), points),
               write_again);
      baseline.request.detectors.push_back(own.input.detector.file);
      baseline.detectors.push_back(std::move(own));
    }
    // not written by earlier versions
    const bool has_checksum = document_.find(checksum_member) != nullptr;
    if (const auto error = checksum_error(document_); error && has_checksum)
      refuse(checksum_member, "the baseline is damaged: " + *error,
             "a baseline must not be edited: regenerate it");
    return baseline;
  }

 private:
  static constexpr auto write_again = "regenerate it with the verb baseline";

  /// Throws, with the location of the first member `name` in the text.
  [[noreturn]] void refuse(std::string_view name, std::string problem,
                           std::string suggestion) const {
    const std::string quoted = fmt::format("\"{}\":", name);
    const std::size_t found = source_->text().find(quoted);
    const bool exists = !name.empty() && found != std::string::npos;
    Diagnostic d =
        source_->at(exists ? found : 0, exists ? quoted.size() - 1 : 1);
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    Diagnostics diagnostics;
    diagnostics.add(std::move(d));
    throw InputError(std::move(diagnostics));
  }
  [[noreturn]] void missing(std::string_view name,
                            std::string_view path) const {
    refuse(name, fmt::format("{}{} is missing or wrong", path, name),
           write_again);
  }

  void check_format() const {
    const Document* format = document_.find("gttf-baseline");
    if (format == nullptr)
      refuse("", "not a baseline: it lacks \"gttf-baseline\"",
             "write one with gttf-design baseline STUDY -o FILE.json");
    if (number_of(*format) == baseline_format) return;
    refuse("gttf-baseline",
           fmt::format("version {} of the format is not known",
                       number_of(*format)),
           fmt::format("this program reads version {}", baseline_format));
  }

  const Document& member(const Document& parent, std::string_view name,
                         std::string_view path) const {
    const Document* found = parent.find(name);
    if (found == nullptr) missing(name, path);
    return *found;
  }
  const Document::List& list(const Document& parent, std::string_view name,
                             std::string_view path) const {
    const Document& found = member(parent, name, path);
    const auto* items = std::get_if<Document::List>(&found.value());
    if (items == nullptr) missing(name, path);
    return *items;
  }
  std::string text(const Document& parent, std::string_view name,
                   std::string_view path) const {
    const Document& found = member(parent, name, path);
    const auto* value = std::get_if<std::string>(&found.value());
    if (value == nullptr) missing(name, path);
    return *value;
  }
  std::vector<std::string> texts(const Document& parent, std::string_view name,
                                 std::string_view path) const {
    std::vector<std::string> result;
    for (const Document& item : list(parent, name, path)) {
      const auto* value = std::get_if<std::string>(&item.value());
      if (value == nullptr) missing(name, path);
      result.push_back(*value);
    }
    return result;
  }

  DetectorInput read_description(const Document& detector,
                                 const std::string& path) const {
    std::string description;
    for (const std::string& line : texts(detector, "description", path))
      description += line + '\n';
    if (!description.empty()) description.pop_back();
    const std::string file = text(detector, "file", path);
    // errors are reported with their line in the description
    DetectorInput input = parse_detector(
        description, fmt::format("{} in {}", file, source_->name()),
        texts(detector, "overrides", path));
    if (input.detector.sha256 != text(detector, "sha256", path))
      refuse("sha256",
             fmt::format("{}description has changed since the baseline was "
                         "written: the sha256 differs",
                         path),
             "a baseline must not be edited: regenerate it");
    input.detector.file = file;
    return input;
  }

  /// Unknown columns are ignored.
  Table read_rows(const Document& detector, const StudyRequest& request,
                  const std::string& path) const {
    const Document::List& rows = list(detector, "rows", path);
    Table table;
    constexpr bool at_layer = true;  // columns are left out if not in the file
    const Table all = request.average ? empty_average_table(request)
                                      : empty_scan_table(at_layer);
    for (Column column : all.columns) {
      const auto found = std::ranges::find(columns_, column.name);
      if (found == columns_.end()) continue;
      const auto at = static_cast<std::size_t>(found - columns_.begin());
      for (const Document& row : rows) {
        const auto* cells = std::get_if<Document::List>(&row.value());
        if (cells == nullptr || cells->size() != columns_.size())
          refuse("rows", path + "rows: a row has not one cell for each column",
                 write_again);
        append((*cells)[at], column, path);
      }
      table.columns.push_back(std::move(column));
    }
    return table;
  }

  void append(const Document& cell, Column& column,
              const std::string& path) const {
    const bool empty = std::holds_alternative<std::monostate>(cell.value());
    const double number = number_of(cell);
    if (auto* reals = std::get_if<Reals>(&column.cells)) {
      if (!empty && std::isnan(number)) wrong_cell(column, path);
      reals->push_back(number);
    } else if (auto* integers = std::get_if<Integers>(&column.cells)) {
      const auto* whole = std::get_if<std::int64_t>(&cell.value());
      if (whole == nullptr) wrong_cell(column, path);
      integers->push_back(*whole);
    } else {
      const auto* value = std::get_if<std::string>(&cell.value());
      if (!empty && value == nullptr) wrong_cell(column, path);
      std::get<Texts>(column.cells).push_back(value ? *value : "");
    }
  }
  [[noreturn]] void wrong_cell(const Column& column,
                               const std::string& path) const {
    refuse("rows",
           fmt::format("{}rows: a cell of column {} is of the wrong kind", path,
                       column.name),
           write_again);
  }

  const Document& document_;
  SourcePtr source_;
  std::vector<std::string> columns_;
};

}  // namespace

Baseline read_baseline(const Document& document, const SourcePtr& source) {
  return BaselineReader(document, source).read();
}

}  // namespace gttf
