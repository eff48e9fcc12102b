// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/import.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "gttf/config/csv_reader.hpp"
#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/foreign_text.hpp"
#include "gttf/detector/read.hpp"

namespace gttf {
namespace {

using detail::Description;
using detail::DescriptionText;
using detail::ForeignDetector;
using detail::ForeignFile;
using detail::ForeignWord;

bool is_number(std::string_view text) {
  double ignored = 0;
  return parse_number(text, ignored) == nullptr;
}

/// Whether it begins like a map or a list of maps in JSON.
bool is_json(std::string_view text) {
  const std::string_view content = trimmed(text);
  if (content.starts_with('{')) return true;
  return content.starts_with('[') &&
         trimmed(content.substr(1)).starts_with('{');
}

/// The format detected from the first line with content.
std::optional<ForeignFormat> format_of(const std::string& text) {
  if (text.find("DetectorGeometry") != text.npos ||
      text.find("module ") != text.npos)
    return ForeignFormat::delphes;
  if (text.find("tiltAngle_deg") < text.find('\n'))
    return ForeignFormat::tklayout;
  if (text.find("normal_x,normal_y") != text.npos)
    return ForeignFormat::modules;
  if (is_json(text)) return ForeignFormat::acts;
  for (const ForeignWord& line : detail::lines_of({text, 0})) {
    const std::vector<ForeignWord> words = detail::words_of(line);
    if (words.empty()) continue;
    const std::string_view first = words[0].text;
    if (first.front() == '[') return ForeignFormat::corryvreckan;
    const std::size_t dot = first.find('.');
    if (!is_number(first) && dot != first.npos &&
        line.text.find(':') != line.text.npos)
      return ForeignFormat::fasttracker;
    if (first == "set") return ForeignFormat::delphes;
    if (!is_number(first)) return std::nullopt;
    // a row of Delphes has a label in its second column
    const bool labelled = words.size() > 1 && !is_number(words[1].text);
    return labelled ? ForeignFormat::delphes : ForeignFormat::slac;
  }
  return std::nullopt;
}

/// "delphes_card_CLD.tcl" gives CLD.
std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  constexpr std::string_view prefix = "delphes_card_";
  if (name.starts_with(prefix) && name.size() > prefix.size())
    name.erase(0, prefix.size());
  const bool unknown = name.empty() || name == "-" || name.front() == '<';
  return unknown ? "imported" : name;
}

ForeignDetector read_foreign(ForeignFormat format, const ForeignFile& file,
                             const ForeignFile* table) {
  switch (format) {
    case ForeignFormat::fasttracker:
      return read_fasttracker(file);
    case ForeignFormat::slac:
      return read_slac(file);
    case ForeignFormat::corryvreckan:
      return read_corryvreckan(file);
    case ForeignFormat::tklayout:
      return read_tklayout(file, table);
    case ForeignFormat::acts:
      return read_acts(file, table);
    case ForeignFormat::modules:
      return read_module_list(file);
    case ForeignFormat::delphes:
      break;
  }
  return read_delphes(file);
}

/// "delphes, fasttracker, ... or modules".
std::string known_formats() {
  std::string text;
  for (const auto& [name, format] : foreign_formats)
    text += fmt::format("{}{}",
                        text.empty()                           ? ""
                        : name == foreign_formats.back().first ? " or "
                                                               : ", ",
                        name);
  return text;
}

void check_field(const ForeignDetector& foreign, const ImportOptions& options,
                 const std::string& name, Diagnostics& diagnostics) {
  if (!foreign.tesla && !options.tesla && !diagnostics.has_errors()) {
    Diagnostic d;
    d.file = name;
    d.line = d.column = 1;
    d.problem = "the file does not specify the magnetic field";
    d.suggestion = "specify it with --field 2T (0T: none)";
    diagnostics.add(std::move(d));
  }
}

std::string_view program_of(ForeignFormat format) {
  switch (format) {
    case ForeignFormat::fasttracker:
      return "the ALICE FastTracker";
    case ForeignFormat::slac:
      return "slaclab/TrackingResolution";
    case ForeignFormat::corryvreckan:
      return "Corryvreckan or Allpix Squared";
    case ForeignFormat::tklayout:
      return "tkLayout (list of modules)";
    case ForeignFormat::acts:
      return "ACTS (surfaces in JSON)";
    case ForeignFormat::modules:
      return "lists of modules";
    case ForeignFormat::delphes:
      break;
  }
  return "Delphes (module TrackCovariance)";
}

/// The problem with line numbers of the detector file replaced by those of the
/// original file: "coincides with "A" (line 12)".
std::string in_lines_of(const std::string& problem,
                        const DescriptionText& written,
                        const Description& description) {
  constexpr std::string_view mark = "(line ";
  const std::size_t at = problem.rfind(mark);
  if (at == problem.npos) return problem;
  const std::size_t begin = at + mark.size();
  const std::size_t end = problem.find(')', begin);
  const auto line =
      static_cast<std::size_t>(std::stoi(problem.substr(begin, end - begin)));
  const int layer = written.layer_of_line.at(line - 1);
  if (layer < 0) return problem;
  const FilePosition& place =
      description.layers[static_cast<std::size_t>(layer)].layer.place;
  return problem.substr(0, begin) + std::to_string(place.line) +
         problem.substr(end);
}

/// The suggestion for a file that is not a detector file.
std::string suggestion_for(const std::string& problem) {
  if (problem.find("coincides") != problem.npos)
    return "move one of the two, or make them one layer";
  if (problem.find("cuts through") != problem.npos)
    return "check the positions of the two";
  return "";
}

/// Messages of the reader of detector files about the new file, with locations
/// in the original file.
void check_written(const DescriptionText& written,
                   const Description& description, const Source& source,
                   Diagnostics& diagnostics) {
  Diagnostics found;
  try {
    found = parse_detector(written.text, "imported").warnings;
  } catch (const InputError& error) {
    found = error.diagnostics();
  }
  std::vector<std::size_t> lines = {0};  // where they begin
  for (std::size_t i = 0; i < source.text().size(); ++i)
    if (source.text()[i] == '\n') lines.push_back(i + 1);
  for (const Diagnostic& d : found.items()) {
    Diagnostic moved = d;
    const int layer =
        d.line > 0
            ? written.layer_of_line.at(static_cast<std::size_t>(d.line - 1))
            : -1;
    moved.file = source.name();
    moved.path.clear();
    moved.source_line.clear();
    moved.line = moved.column = moved.cut = 0;
    if (layer >= 0) {
      const FilePosition place =
          description.layers[static_cast<std::size_t>(layer)].layer.place;
      const Diagnostic there =
          source.at(lines.at(static_cast<std::size_t>(place.line - 1)));
      moved.line = place.line;
      moved.column = place.column;
      moved.length = 1;
      moved.source_line = there.source_line;
      moved.cut = there.cut;
    }
    moved.problem = in_lines_of(d.problem, written, description);
    moved.suggestion = suggestion_for(moved.problem);
    diagnostics.add(std::move(moved));
  }
}

Imported import_source(const Source& source, const ImportOptions& options) {
  Imported result;
  Diagnostics& diagnostics = result.notes;
  const ForeignFile file{source, diagnostics};
  const auto format =
      options.format ? options.format : format_of(source.text());
  if (!format) {
    file.error({source.text(), 0}, "the format is not recognised",
               fmt::format("specify it with --from {}", known_formats()));
    throw InputError(diagnostics);
  }
  result.format = *format;
  SourcePtr table_source;
  if (!options.table.empty()) {
    table_source = read_source(options.table, diagnostics, "table");
    if (!table_source) throw InputError(diagnostics);
  }
  std::optional<ForeignFile> table;
  if (table_source) table.emplace(ForeignFile{*table_source, diagnostics});
  ForeignDetector foreign =
      read_foreign(*format, file, table ? &*table : nullptr);
  Description& description = foreign.description;
  result.rows = foreign.rows > 0 ? foreign.rows : description.layers.size();
  if (result.rows == 0 && !diagnostics.has_errors())
    file.error({source.text(), 0}, "it contains no layers");
  check_field(foreign, options, source.name(), diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics);

  description.tesla =
      options.tesla ? *options.tesla : foreign.tesla.value_or(0);
  description.name =
      options.name.empty() ? name_of_file(source.name()) : options.name;
  description.source = {
      std::filesystem::path(source.name()).filename().string()};
  const std::vector<std::string> notes = std::move(description.comments);
  description.comments = {
      fmt::format("{}, imported from a description for {}.", description.name,
                  program_of(*format)),
      fmt::format("SHA-256 of that file: {}", sha256(source.text()))};
  for (const std::string& note : notes) description.comments.push_back(note);
  pair_mirror_images(description.layers);
  name_layers(description.layers);
  result.layers = description.layers.size();

  const DescriptionText written = to_yaml(description);
  check_written(written, description, source, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  result.text = written.text;
  return result;
}

}  // namespace

std::string_view to_string(ForeignFormat format) {
  for (const auto& [name, known] : foreign_formats)
    if (known == format) return name;
  return "";
}

Imported import_detector(const std::string& path,
                         const ImportOptions& options) {
  Diagnostics diagnostics;
  const SourcePtr source =
      read_source(path, diagnostics, "file to import", max_list_bytes);
  if (!source) throw InputError(std::move(diagnostics));
  return import_source(*source, options);
}

Imported import_text(const std::string& text, const std::string& name,
                     const ImportOptions& options) {
  const Source source(name, text);
  Diagnostics diagnostics;
  if (!check_text(source, diagnostics, max_list_bytes))
    throw InputError(diagnostics);
  return import_source(source, options);
}

}  // namespace gttf
