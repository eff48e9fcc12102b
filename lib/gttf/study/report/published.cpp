// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "gttf/config/csv_reader.hpp"
#include "gttf/config/diagnostics.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/text.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

enum Cell : std::size_t {
  detector,
  track,
  column,
  value,
  unit,
  source,
  condition,
  n_cells
};
constexpr std::array<std::string_view, n_cells> cell_names{
    "detector", "track", "column", "value", "unit", "source", "condition"};

constexpr std::size_t enough_errors = 20, most_values = 100'000;

// Locates the cells in the file. Throws InputError.
std::array<std::size_t, n_cells> find_cells(const CsvReader& reader) {
  std::array<std::size_t, n_cells> places{};
  Diagnostics errors;
  const CsvLine& header = reader.header();
  for (std::size_t i = 0; i < n_cells; ++i) {
    std::size_t k = 0;
    while (k < header.cells.size() && header.cells[k] != cell_names[i]) ++k;
    places[i] = k;
    if (k < header.cells.size()) continue;
    Diagnostic error = header.at(reader.name(), header.cells.size());
    error.problem = "there is no column " + in_quotes(cell_names[i]);
    errors.add(std::move(error));
  }
  if (errors.has_errors()) throw InputError(std::move(errors));
  return places;
}

std::optional<Parameter> parameter_of(std::string_view name) {
  for (const Parameter q : all_parameters)
    if (sigma_column(q) == name) return q;
  return std::nullopt;
}

class PublishedReader {
 public:
  explicit PublishedReader(const std::string& path)
      : reader_(path, "detector,track,column,value,unit,source,condition",
                false, "published resolutions"),
        places_(find_cells(reader_)) {}

  std::vector<Published> read() {
    CsvBlock block;
    while (reader_.next(block)) {
      CsvLines lines(block, reader_.separator());
      while (const CsvLine* line = lines.next()) add(*line);
      if (errors_.items().size() > enough_errors) break;
      if (all_.size() > most_values)
        throw FileError(fmt::format("{} has more than {} values",
                                    in_quotes(reader_.name()), most_values));
    }
    if (errors_.has_errors()) throw InputError(std::move(errors_));
    return std::move(all_);
  }

 private:
  std::string_view cell(const CsvLine& line, Cell which) const {
    const std::size_t k = places_[which];
    return k < line.cells.size() ? line.cells[k] : std::string_view();
  }

  void error(const CsvLine& line, Cell which, std::string problem,
             std::string suggestion) {
    Diagnostic d = line.at(reader_.name(), places_[which]);
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    errors_.add(std::move(d));
  }

  /// "pt=1", "p=1;eta=1.7"; false if it is not one.
  static bool read_track(std::string_view text, Published& p) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view momentum = text.substr(0, end);
    p.is_pt = momentum.starts_with("pt=");
    if (!p.is_pt && !momentum.starts_with("p=")) return false;
    if (parse_number(momentum.substr(momentum.find('=') + 1), p.momentum) !=
            nullptr ||
        !(p.momentum > 0))
      return false;
    if (end == text.size()) return true;
    constexpr std::string_view angle = ";eta=";
    return text.substr(end).starts_with(angle) &&
           parse_number(text.substr(end + angle.size()), p.eta) == nullptr &&
           std::isfinite(p.eta);
  }

  void add(const CsvLine& line) {
    if (!line.problem.empty()) {
      errors_.add(line.at_problem(reader_.name()));
      return;
    }
    Published p;
    p.detector = cell(line, detector);
    p.source = cell(line, source);
    p.condition = cell(line, condition);
    if (!read_track(cell(line, track), p))
      return error(
          line, track,
          "expected a momentum in GeV, got " + in_quotes(cell(line, track)),
          "write for example pt=1 or pt=1;eta=1.7");
    const auto parameter = parameter_of(cell(line, column));
    // columns of the track at a layer are not in the report
    constexpr bool at_layer = true;
    if (!parameter && empty_scan_table(at_layer).find(cell(line, column)))
      return;
    if (!parameter)
      return error(line, column,
                   "unknown column " + in_quotes(cell(line, column)),
                   "a resolution of scan, for example sigma_d0_um");
    p.parameter = *parameter;
    double number = 0;
    if (const char* why = parse_number(cell(line, value), number))
      return error(line, value, why, "");
    const bool relative =
        p.parameter == Parameter::p || p.parameter == Parameter::pt;
    const bool angle =
        p.parameter == Parameter::phi0 || p.parameter == Parameter::theta;
    const Dimension dimension = relative ? Dimension::fraction
                                : angle  ? Dimension::angle
                                         : Dimension::length;
    const std::string text =
        std::string(cell(line, value)) + " " + std::string(cell(line, unit));
    Parsed<double> sigma = parse_quantity(text, dimension, "");
    if (!sigma && relative) {  // an error of the momentum itself
      const Parsed<double> energy = parse_quantity(text, Dimension::energy);
      if (energy) {
        sigma = energy;
        sigma.value /= p.momentum;
      }
    }
    if (!sigma) return error(line, unit, sigma.problem, sigma.suggestion);
    if (!(sigma.value > 0 && std::isfinite(sigma.value)))
      return error(line, value,
                   "a resolution must be positive and finite, got " +
                       in_quotes(cell(line, value)),
                   "");
    p.sigma = sigma.value;
    all_.push_back(std::move(p));
  }

  CsvReader reader_;
  std::array<std::size_t, n_cells> places_;
  Diagnostics errors_;
  std::vector<Published> all_;
};

}  // namespace

std::vector<Published> read_published(const std::string& path) {
  return PublishedReader(path).read();
}

std::vector<Published> published_of(const std::vector<Published>& all,
                                    const std::string& detector_file) {
  const std::string name = std::filesystem::path(detector_file).stem().string();
  std::vector<Published> own;
  for (const Published& p : all)
    if (p.detector == name) own.push_back(p);
  return own;
}

}  // namespace gttf
