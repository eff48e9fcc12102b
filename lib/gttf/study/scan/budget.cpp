// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

void add_to(PerParameter& sum, const PerParameter& more) {
  for (const Parameter q : all_parameters) sum[q] += more[q];
}

BudgetRow row_of_part(const Detector& detector, const Budget& budget,
                      const BudgetPart& part, Grouping grouping) {
  BudgetRow row;
  row.cause = to_string(part.cause);
  row.variance = part.variance;
  row.share = budget.share(part);
  if (part.cause == Cause::beam_spot) return row;
  const Layer& layer = detector.layers[part.layer];
  row.group = layer.group;
  if (part.cause == Cause::scattering)
    row.x_over_x0 = budget.resolution.crossings[part.crossing].x_over_x0;
  else if (part.cause == Cause::hit && grouping != Grouping::group)
    row.coordinate =
        coordinate_name(layer.surface, layer.coordinates[part.coordinate]);
  return row;
}

PerParameter sigma_of(const PerParameter& variance) {
  PerParameter sigma;
  for (const Parameter q : all_parameters)
    sigma[q] = std::sqrt(variance[q]) / sigma_unit(q);
  return sigma;
}

constexpr double in_percent = 1 / unit::percent;

/// Suppresses rounding errors of shares that are zero.
double readable_percent(double share) {
  return std::abs(share) < 1e-12 ? 0 : share * in_percent;
}

Table share_table(const std::vector<BudgetRow>& rows,
                  std::span<const Parameter> parameters, bool at_layer) {
  Texts layer, source;
  std::array<Reals, n_parameters> shares;
  for (const BudgetRow& row : rows) {
    const bool total = row.cause == "total";
    layer.push_back(total ? "total" : row.layer);
    source.push_back(total ? ""
                           : row.cause + (row.coordinate.empty() ? "" : " ") +
                                 row.coordinate);
    for (std::size_t q = 0; q < n_parameters; ++q)
      shares[q].push_back(readable_percent(row.share.values[q]));
  }
  Table table;
  table.add("layer", std::move(layer));
  table.add("error", std::move(source));
  for (const Parameter q : parameters)
    table.add(std::string(parameter_name(q, at_layer)) + "_percent",
              std::move(shares[static_cast<std::size_t>(q)]));
  return table;
}

/// Combines the rows of a layer in one line.
Table parameter_table(const std::vector<BudgetRow>& rows, Parameter q) {
  struct Line {
    std::string layer;
    double x_over_x0 = Resolution::none;
    double scattering = 0, straggling = 0, hits = 0;
  };
  std::vector<Line> lines;
  std::unordered_map<std::string, std::size_t> line_of;
  bool straggles = false;
  for (const BudgetRow& row : rows) {
    if (row.cause == "total") continue;
    const std::string& name = row.layer.empty() ? row.cause : row.layer;
    const auto [known, is_new] = line_of.emplace(name, lines.size());
    if (is_new) lines.push_back(Line{name});
    Line& line = lines[known->second];
    if (!std::isnan(row.x_over_x0)) line.x_over_x0 = row.x_over_x0;
    (row.cause == "scattering"   ? line.scattering
     : row.cause == "straggling" ? line.straggling
                                 : line.hits) += row.share[q];
    straggles = straggles || row.cause == "straggling";
  }
  Line total{"total", 0};
  for (const Line& line : lines) {
    if (!std::isnan(line.x_over_x0)) total.x_over_x0 += line.x_over_x0;
    total.scattering += line.scattering;
    total.straggling += line.straggling;
    total.hits += line.hits;
  }
  lines.push_back(total);

  Texts layer;
  Reals x_over_x0, scattering, straggling, hits, sum;
  for (const Line& line : lines) {
    layer.push_back(line.layer);
    x_over_x0.push_back(line.x_over_x0);
    scattering.push_back(readable_percent(line.scattering));
    straggling.push_back(readable_percent(line.straggling));
    hits.push_back(readable_percent(line.hits));
    sum.push_back(
        readable_percent(line.scattering + line.straggling + line.hits));
  }
  Table table;
  table.add("layer", std::move(layer));
  table.add("x_over_x0", std::move(x_over_x0));
  table.add("scattering_percent", std::move(scattering));
  if (straggles) table.add("straggling_percent", std::move(straggling));
  table.add("hits_percent", std::move(hits));
  table.add("sum_percent", std::move(sum));
  return table;
}

}  // namespace

std::size_t crossings_to_last_hit(const Resolution& r) {
  std::size_t n = r.crossings.size();
  while (n > 0 && !r.crossings[n - 1].measured) --n;
  return n;
}

std::vector<BudgetRow> budget_rows(const Detector& detector,
                                   const Budget& budget, Grouping grouping) {
  std::vector<BudgetRow> rows;
  std::map<std::array<std::string, 3>, std::size_t> row_of;
  if (!budget.exists()) return rows;
  const std::vector<std::string> names = names_by(detector, grouping);
  BudgetRow total;
  total.cause = "total";
  total.x_over_x0 = budget.resolution.x_over_x0_tracker;
  const std::size_t seen = crossings_to_last_hit(budget.resolution);
  total.variance = budget.total;
  for (const BudgetPart& part : budget.parts) {
    if (part.cause != Cause::beam_spot && part.crossing >= seen) continue;
    BudgetRow row = row_of_part(detector, budget, part, grouping);
    add_to(total.share, row.share);
    if (part.layer != BudgetPart::none) row.layer = names[part.layer];
    const auto [known, is_new] =
        row_of.try_emplace({row.layer, row.cause, row.coordinate}, rows.size());
    if (is_new) {
      rows.push_back(std::move(row));
      continue;
    }
    BudgetRow& same = rows[known->second];
    same.x_over_x0 += row.x_over_x0;
    add_to(same.variance, row.variance);
    add_to(same.share, row.share);
  }
  rows.push_back(std::move(total));
  return rows;
}

void BudgetTable::add(const Detector& detector, const StudyRequest& request,
                      GridPoint point, const Budget& budget,
                      Grouping grouping) {
  at_layer_ = request.at.has_value();
  for (const BudgetRow& row : budget_rows(detector, budget, grouping)) {
    point_.add(detector, request, point);
    layer_.push_back(row.layer);
    group_.push_back(row.group);
    cause_.push_back(row.cause);
    coordinate_.push_back(row.coordinate);
    x_over_x0_.push_back(row.x_over_x0);
    const PerParameter sigma = sigma_of(row.variance);
    for (std::size_t q = 0; q < n_parameters; ++q) {
      share_[q].push_back(row.share.values[q]);
      sigma_[q].push_back(sigma.values[q]);
    }
  }
}

Table BudgetTable::take() && {
  Table table;
  std::move(point_).move_to(table);
  table.add("layer", std::move(layer_));
  table.add("group", std::move(group_));
  table.add("cause", std::move(cause_));
  table.add("coordinate", std::move(coordinate_));
  table.add("x_over_x0", std::move(x_over_x0_));
  for (const Parameter q : parameters_of(at_layer_))
    table.add("share_" + std::string(parameter_name(q, at_layer_)),
              std::move(share_[static_cast<std::size_t>(q)]));
  for (const Parameter q : parameters_of(at_layer_))
    table.add(std::string(sigma_column(q, at_layer_)),
              std::move(sigma_[static_cast<std::size_t>(q)]));
  return table;
}

Document budget_document(const Detector& detector, const StudyRequest& request,
                         GridPoint point, const Budget& budget,
                         Grouping grouping) {
  const Document track =
      track_document(detector, request, point, budget.resolution);
  Document sums;
  const bool at_layer = request.at.has_value();
  for (const Parameter q : parameters_of(at_layer))
    sums.set(std::string(parameter_name(q, at_layer)),
             budget.exists() ? budget.sum_of_shares()[q] : Resolution::none);
  BudgetTable own;
  own.add(detector, request, point, budget, grouping);
  Table table = std::move(own).take();
  // the track is described once, in "resolution" and "input"
  const auto first =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [](const Column& c) { return c.name == "layer"; });
  table.columns.erase(table.columns.begin(), first);
  // separate from the rows, so that their sum equals it
  auto rows = std::get<Document::List>(rows_of(table).value());
  Document total;
  if (!rows.empty()) {
    total = std::move(rows.back());
    rows.pop_back();
  }
  return Document()
      .set("input", *track.find("input"))
      .set("resolution", *track.find("resolution"))
      .set("sum_of_shares", std::move(sums))
      .set("total", std::move(total))
      .set("budget", std::move(rows));
}

Section budget_section(const Detector& detector, const StudyRequest& request,
                       GridPoint point, const Budget& budget, Grouping grouping,
                       std::optional<Parameter> parameter) {
  Section section;
  section.title = detector.name + ": " +
                  track_text(request, grid_track(request, point)) +
                  at_text(request);
  if (!budget.exists()) {
    section.facts.emplace_back("status", missing_text(budget.resolution));
    return section;
  }
  const std::span<const Parameter> shown =
      parameter ? std::span(&*parameter, 1)
                : shown_parameters(request, detector, point);
  const bool at_layer = request.at.has_value();
  for (const Parameter q : shown)
    section.facts.emplace_back(sigma_symbol(q, at_layer),
                               sigma_text(q, std::sqrt(budget.total[q])));
  const auto rows = budget_rows(detector, budget, grouping);
  section.table = parameter ? parameter_table(rows, *parameter)
                            : share_table(rows, shown, at_layer);
  if (grouping == Grouping::group) section.table.columns.front().name = "group";
  return section;
}

}  // namespace gttf
