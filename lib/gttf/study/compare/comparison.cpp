// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/compare/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gttf/resolution/resolution.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

constexpr const auto& of_point = point_columns<TrackRow>;

bool is_of_point(std::string_view name) {
  return std::ranges::any_of(
      of_point, [name](const auto& c) { return c.text.name == name; });
}

std::string name_in(std::size_t design, std::string_view column) {
  return design_label(design) + '_' + std::string(column);
}

Reals ratios(const Reals& values, const Reals& first) {
  Reals result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    result[i] = first[i] == 0 ? Resolution::none : values[i] / first[i];
  return result;
}

bool exists(const Table& table, const std::string& name) {
  return table.find(name) != nullptr;
}

}  // namespace

std::string design_label(std::size_t design) {
  return {static_cast<char>('A' + design)};
}

std::string ratio_name(std::string_view column) {
  std::string name(column);
  if (name.starts_with("sigma_")) {
    name.erase(0, 6);
    for (const std::string_view part : {"_rel", "_um", "_mrad", "_per_GeV"})
      if (const std::size_t i = name.find(part); i != name.npos)
        name.erase(i, part.size());
  }
  return "ratio_" + name;
}

const Reals& Comparison::values(std::size_t design,
                                std::string_view column) const {
  return std::get<Reals>(table.find(name_in(design, column))->cells);
}

bool Comparison::all_ok() const {
  for (std::size_t d = 0; d < designs; ++d)
    for (const std::string& status :
         std::get<Texts>(table.find(name_in(d, "status"))->cells))
      if (status != to_string(Status::ok)) return false;
  return true;
}

Comparison compare(const StudyRequest& request,
                   std::span<const Detector> designs,
                   const ScanOptions& options) {
  Comparison result;
  result.designs = designs.size();
  ScanOptions computation = options;
  // differences of equal designs are zero for any vector instructions
  computation.path = CodePath::scalar;
  std::vector<Table> scans;
  for (const Detector& detector : designs) {
    ScanTable scanned = scan_table(request, detector, computation);
    scans.push_back(std::move(scanned.rows));
    result.evaluated.push_back(scanned.evaluated);
  }
  for (std::size_t c = 0; c < scans.front().columns.size(); ++c) {
    const std::string name = scans.front().columns[c].name;
    if (is_of_point(name)) {
      if (name != "detector")
        result.table.columns.push_back(std::move(scans.front().columns[c]));
      continue;
    }
    for (std::size_t d = 0; d < designs.size(); ++d)
      result.table.columns.push_back(
          {name_in(d, name), std::move(scans[d].columns[c].cells)});
    if (!std::holds_alternative<Reals>(result.table.columns.back().cells))
      continue;
    for (std::size_t d = 1; d < designs.size(); ++d)
      result.table.add(name_in(d, ratio_name(name)),
                       ratios(result.values(d, name), result.values(0, name)));
  }
  return result;
}

std::optional<WorstPoint> worst_point(const Comparison& comparison,
                                      const StudyRequest& request,
                                      std::size_t design,
                                      std::span<const Parameter> parameters) {
  // beyond rounding, so that the choice does not depend on it
  constexpr double rounding = 1e-12;
  const std::vector<GridPoint> points = grid_points(request);
  std::optional<WorstPoint> worst, best;
  for (const Parameter q : parameters) {
    const std::string_view column = sigma_column(q, request.at.has_value());
    const Reals& first = comparison.values(0, column);
    const Reals& own = comparison.values(design, column);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double ratio = own[i] / first[i];
      if (std::isnan(ratio)) continue;
      if (!worst || ratio > worst->ratio * (1 + rounding))
        worst = WorstPoint{points[i], q, ratio};
      if (!best || ratio < best->ratio * (1 - rounding))
        best = WorstPoint{points[i], q, ratio};
    }
  }
  if (!worst) return worst;
  // a loss that is negligible compared with the gain does not hide it
  constexpr double negligible = 0.01;
  const double loss = std::log(worst->ratio), gain = -std::log(best->ratio);
  return loss <= std::max(rounding, negligible * gain) ? best : worst;
}

std::span<const Parameter> compared_parameters(bool along_beam, bool at_layer) {
  using P = Parameter;
  static constexpr std::array perigee{P::pt, P::d0,   P::z0,
                                      P::p,  P::phi0, P::theta};
  return along_beam || at_layer ? shown_parameters(true) : std::span(perigee);
}

std::vector<std::string> columns_for_reading(
    const Comparison& comparison, const StudyRequest& request,
    std::span<const std::string> columns) {
  const bool by_pt = request.momentum.variable == MomentumAxis::Variable::pt;
  const bool by_eta = request.angle.variable == AngleAxis::Variable::eta;
  std::vector<std::string> names{by_pt ? "pt_GeV" : "p_GeV",
                                 by_eta ? "eta" : "theta_deg"};
  for (const std::string& column : columns) {
    if (is_of_point(column)) {  // the same for all designs, so computed once
      if (exists(comparison.table, column) &&
          std::ranges::find(names, column) == names.end())
        names.push_back(column);
      continue;
    }
    const bool has_ratio =
        exists(comparison.table, name_in(1, ratio_name(column)));
    const std::size_t shown =
        comparison.designs == 2 || !has_ratio ? comparison.designs : 1;
    for (std::size_t d = 0; d < shown; ++d) names.push_back(name_in(d, column));
    for (std::size_t d = 1; has_ratio && d < comparison.designs; ++d)
      names.push_back(name_in(d, ratio_name(column)));
  }
  return names;
}

std::vector<std::string> columns_of(const Comparison& comparison,
                                    std::span<const std::string> columns) {
  std::vector<std::string> names = names_of(of_point, 0);
  // the designs have their own names, averages have no azimuth
  std::erase_if(names, [&](const std::string& name) {
    return !exists(comparison.table, name);
  });
  for (const std::string& column : columns) {
    if (is_of_point(column)) continue;
    for (std::size_t d = 0; d < comparison.designs; ++d)
      names.push_back(name_in(d, column));
    for (std::size_t d = 1; d < comparison.designs; ++d)
      if (exists(comparison.table, name_in(d, ratio_name(column))))
        names.push_back(name_in(d, ratio_name(column)));
  }
  return names;
}

}  // namespace gttf
