// SPDX-License-Identifier: Apache-2.0
// Reads maps of material from CSV.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/csv_reader.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/material_map.hpp"

namespace gttf {
namespace {

constexpr std::array<std::string_view, n_map_coordinates> column_names = {
    "z_mm", "r_mm", "phi_deg", "u_mm", "v_mm"};
constexpr std::string_view thickness_name = "x_over_x0";
constexpr std::string_view example_header = "z_mm,phi_deg,x_over_x0";
constexpr std::size_t most_bins = 100'000;
constexpr std::size_t enough_errors = 50;

class MaterialTable {
 public:
  MaterialTable(const std::string& path, Diagnostics& diagnostics)
      : path_(path),
        errors_(diagnostics),
        reader_(path, example_header, false, "material map") {}

  std::optional<MaterialMap> read() {
    if (!read_header()) return std::nullopt;
    CsvBlock block;
    while (reader_.next(block)) {
      CsvLines lines(block, reader_.separator());
      while (const CsvLine* line = lines.next()) add(*line);
      if (n_errors_ > enough_errors) return std::nullopt;
      if (rows_.size() > most_bins) {
        whole(fmt::format("the map has more than {} bins", most_bins), "");
        return std::nullopt;
      }
    }
    if (n_errors_ > 0) return std::nullopt;
    if (rows_.empty()) {
      whole("no bins below the names of the columns",
            "write one row for each bin");
      return std::nullopt;
    }
    return grid();
  }

 private:
  struct Row {
    std::array<double, 2> at{};
    double x_over_x0 = 0;
    Diagnostic place;
  };

  void add_error(Diagnostic d, std::string problem, std::string suggestion) {
    d.problem = std::move(problem);
    d.suggestion = std::move(suggestion);
    errors_.add(std::move(d));
    ++n_errors_;
  }
  void whole(std::string problem, std::string suggestion) {
    add_error(reader_.header().at(reader_.name(), 0), std::move(problem),
              std::move(suggestion));
  }

  bool read_header() {
    const CsvLine& header = reader_.header();
    const auto error = [&](std::size_t cell, std::string problem,
                           std::string suggestion) {
      add_error(header.at(reader_.name(), cell), std::move(problem),
                std::move(suggestion));
    };
    std::array<std::size_t, n_map_coordinates> cell{};
    cell.fill(none);
    for (std::size_t k = 0; k < header.cells.size(); ++k) {
      const std::string_view name = header.cells[k];
      const auto known = std::ranges::find(column_names, name);
      std::size_t& place =
          name == thickness_name ? thickness_
          : known != column_names.end()
              ? cell[static_cast<std::size_t>(known - column_names.begin())]
              : ignored_;
      if (&place == &ignored_) {
        std::vector<std::string> names(column_names.begin(),
                                       column_names.end());
        names.emplace_back(thickness_name);
        const auto near = nearest(name, names);
        error(k, fmt::format("unknown column {}", in_quotes(name)),
              near ? fmt::format("did you mean {}?", in_quotes(*near))
                   : fmt::format("the columns are {}", joined(names)));
        continue;
      }
      if (place != none)
        error(k, fmt::format("the column {} is given twice", in_quotes(name)),
              "remove one of the two");
      place = k;
    }
    if (thickness_ == none)
      error(header.cells.size(),
            fmt::format("there is no column {}", in_quotes(thickness_name)),
            "x/X0 at normal incidence of each bin");
    const auto has = [&](MapCoordinate c) {
      return cell[static_cast<std::size_t>(c)] != none;
    };
    using C = MapCoordinate;
    const bool local = has(C::u) || has(C::v);
    const bool around = has(C::z) || has(C::r) || has(C::phi);
    if (local && around)
      error(0, "bins along u or v cannot be combined with bins in z, r or phi",
            "keep one of the two kinds");
    else if (has(C::z) && has(C::r))
      error(cell[static_cast<std::size_t>(C::r)],
            "\"z_mm\" and \"r_mm\" cannot be used together",
            "remove one of the two");
    else if (!local && !has(C::z) && !has(C::r))
      error(header.cells.size(), "there is no column \"z_mm\" or \"r_mm\"",
            "the centres of the bins along the surface; on planes \"u_mm\" and "
            "\"v_mm\" are also allowed");
    for (const C c : {C::z, C::r, C::u, C::v, C::phi})
      if (has(c)) {
        columns_.push_back(cell[static_cast<std::size_t>(c)]);
        coordinates_.push_back(c);
      }
    return n_errors_ == 0;
  }

  bool number(const CsvLine& line, std::size_t cell, double& value) {
    const char* why = cell < line.cells.size()
                          ? parse_number(line.cells[cell], value)
                          : "a cell is missing";
    if (why == nullptr && !std::isfinite(value))
      why = "the number must be finite";
    if (why == nullptr) return true;
    add_error(line.at(reader_.name(), cell), why,
              cell < line.cells.size() && line.cells[cell].ends_with('%')
                  ? "write x/X0 as a number: 0.012 for 1.2 %"
                  : "");
    return false;
  }

  void add(const CsvLine& line) {
    if (!line.problem.empty()) {
      errors_.add(line.at_problem(reader_.name()));
      ++n_errors_;
      return;
    }
    if (line.cells.size() > reader_.header().cells.size())
      return add_error(
          line.at(reader_.name(), reader_.header().cells.size()),
          fmt::format("the row has {} cells, the header {}", line.cells.size(),
                      reader_.header().cells.size()),
          "");
    Row row;
    bool good = number(line, thickness_, row.x_over_x0);
    if (good && row.x_over_x0 < 0) {
      add_error(line.at(reader_.name(), thickness_),
                fmt::format("x/X0 must not be negative, got {}",
                            line.cells[thickness_]),
                "");
      good = false;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!number(line, columns_[i], row.at[i])) {
        good = false;
        continue;
      }
      const MapCoordinate c = coordinates_[i];
      if (c == MapCoordinate::r && row.at[i] < 0) {
        add_error(line.at(reader_.name(), columns_[i]),
                  fmt::format("a radius must not be negative, got {}",
                              line.cells[columns_[i]]),
                  "");
        good = false;
      }
      if (c == MapCoordinate::phi) row.at[i] *= unit::deg;
    }
    if (!good) return;
    row.place = line.at(reader_.name(), columns_.front());
    rows_.push_back(std::move(row));
  }

  /// Assigns the rows to the grid of their centres.
  std::optional<MaterialMap> grid() {
    const std::size_t n_axes = columns_.size();
    std::vector<MaterialMap::Bins> axes(n_axes);
    for (std::size_t i = 0; i < n_axes; ++i) {
      axes[i].coordinate = coordinates_[i];
      auto& centres = axes[i].centres;
      for (const Row& row : rows_) centres.push_back(row.at[i]);
      std::ranges::sort(centres);
      centres.erase(std::unique(centres.begin(), centres.end()), centres.end());
      if (coordinates_[i] == MapCoordinate::phi &&
          !(centres.back() - centres.front() < 2 * unit::pi * (1 - 1e-9)))
        whole("the azimuths cover more than a full turn",
              "give each bin once: 0 and 360 deg are the same");
    }
    const std::size_t inner = axes.back().centres.size();
    std::size_t n = inner;
    if (n_axes > 1) n *= axes.front().centres.size();
    // a table with holes has far more bins than rows
    if (n > most_bins) {
      whole(fmt::format("the centres of the rows make a grid of more than {} "
                        "bins",
                        most_bins),
            "write one row for each combination of the coordinates");
      return std::nullopt;
    }
    std::vector<double> values(n, -1);
    std::vector<const Row*> of(n, nullptr);
    for (const Row& row : rows_) {
      std::size_t index = 0;
      for (std::size_t i = 0; i < n_axes; ++i) {
        const auto& centres = axes[i].centres;
        index =
            index * centres.size() +
            static_cast<std::size_t>(
                std::ranges::lower_bound(centres, row.at[i]) - centres.begin());
      }
      if (of[index] != nullptr)
        add_error(row.place,
                  fmt::format("this bin is given twice, first in line {}",
                              of[index]->place.line),
                  "remove one of the two");
      of[index] = &row;
      values[index] = row.x_over_x0;
      if (n_errors_ > enough_errors) return std::nullopt;
    }
    report_holes(axes, values);
    if (n_errors_ > 0) return std::nullopt;
    return MaterialMap(std::move(axes), std::move(values), path_);
  }

  void report_holes(const std::vector<MaterialMap::Bins>& axes,
                    const std::vector<double>& values) {
    const auto missing =
        static_cast<std::size_t>(std::ranges::count(values, -1.0));
    if (missing == 0) return;
    const auto first = static_cast<std::size_t>(
        std::ranges::find(values, -1.0) - values.begin());
    const std::size_t inner = axes.back().centres.size();
    std::string where;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t bin =
          i + 1 == axes.size() ? first % inner : first / inner;
      const double scale =
          axes[i].coordinate == MapCoordinate::phi ? unit::deg : 1;
      where += fmt::format("{}{} = {:.6g}", i > 0 ? ", " : "",
                           column_name(axes[i].coordinate),
                           axes[i].centres[bin] / scale);
    }
    whole(fmt::format("{} bin{} missing: the first at {}", missing,
                      missing == 1 ? " is" : "s are", where),
          "write one row for each combination of the coordinates");
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const std::string& path_;
  Diagnostics& errors_;
  CsvReader reader_;
  std::size_t n_errors_ = 0;
  std::size_t thickness_ = none, ignored_ = none;
  std::vector<std::size_t> columns_;        ///< cells of the coordinates
  std::vector<MapCoordinate> coordinates_;  ///< of the axes in their order
  std::vector<Row> rows_;
};

}  // namespace

std::string_view column_name(MapCoordinate coordinate) {
  return column_names[static_cast<std::size_t>(coordinate)];
}

std::optional<MaterialMap> read_material_map(const std::string& path,
                                             Diagnostics& diagnostics) {
  try {
    return MaterialTable(path, diagnostics).read();
  } catch (const InputError& e) {
    diagnostics.add(e.diagnostics());
    return std::nullopt;
  }
}

}  // namespace gttf
