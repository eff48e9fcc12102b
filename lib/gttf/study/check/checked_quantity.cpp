// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/checked_quantity.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "gttf/core/parallel.hpp"
#include "gttf/core/readable.hpp"
#include "gttf/core/units.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/budget.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/layer_names.hpp"
#include "gttf/trajectory/crossing.hpp"

namespace gttf {
namespace {

/// The unit according to the suffix of a column name.
struct Ending {
  std::string_view text, symbol;
  double unit = 1, shown_unit = 1;
  Powers powers;
};

const std::array<Ending, 6> endings{{
    {"_per_GeV", "/GeV", 1, 1, {.energy = -1}},
    {"_GeV", "GeV", unit::GeV, unit::GeV, {.energy = 1}},
    {"_um", "um", unit::um, unit::um, {.length = 1}},
    {"_mrad", "mrad", unit::mrad, unit::mrad, {.angle = 1}},
    {"_deg", "deg", unit::deg, unit::deg, {.angle = 1}},
    {"_rel", "%", 1, unit::percent, {}},
}};

CheckedQuantity quantity_of(const Column& column) {
  CheckedQuantity q;
  q.name = column.name;
  if (std::holds_alternative<Texts>(column.cells))
    q.kind = CheckedQuantity::Kind::text;
  const std::string_view name = averaged_column(q.name);
  if (q.is_material() || name.find("_rel_") != name.npos ||
      name == "efficiency") {
    q.symbol = "%";
    q.shown_unit = unit::percent;
  }
  for (const Ending& ending : endings) {
    if (!name.ends_with(ending.text)) continue;
    q.symbol = ending.symbol;
    q.unit = ending.unit;
    q.shown_unit = ending.shown_unit;
    q.powers = ending.powers;
    break;
  }
  return q;
}

std::vector<CheckedQuantity> quantities_of(const Table& table) {
  std::vector<CheckedQuantity> list;
  for (const Column& column : table.columns)
    list.push_back(quantity_of(column));
  return list;
}

/// @param average  those of averages
const std::vector<CheckedQuantity>& columns(bool average) {
  static const std::vector<CheckedQuantity> scanned =
      quantities_of(empty_scan_table(true));
  static const std::vector<CheckedQuantity> averaged = [] {
    StudyRequest request;
    request.average.emplace();
    request.at.emplace();
    return quantities_of(empty_average_table(request));
  }();
  return average ? averaged : scanned;
}

/// "sigma_d0" of "sigma_d0_um", "sigma_d0_q95" of "sigma_d0_um_q95".
std::string without_unit(std::string_view full) {
  const std::string_view name = averaged_column(full);
  const std::string_view behind = full.substr(name.size());
  for (const Ending& ending : endings)
    if (name.ends_with(ending.text))
      return std::string(name.substr(0, name.size() - ending.text.size())) +
             std::string(behind);
  return std::string(full);
}

CheckedQuantity fraction(CheckedQuantity::Kind kind, std::string name) {
  CheckedQuantity q;
  q.kind = kind;
  q.name = std::move(name);
  q.symbol = "%";
  q.shown_unit = unit::percent;
  return q;
}

}  // namespace

std::optional<CheckedQuantity> find_column(const std::string& name,
                                           bool average) {
  for (const CheckedQuantity& q : columns(average))
    if (q.name == name || without_unit(q.name) == name) return q;
  return std::nullopt;
}

std::vector<std::string> column_names(bool average) {
  std::vector<std::string> names;
  for (const CheckedQuantity& q : columns(average)) names.push_back(q.name);
  return names;
}

std::vector<std::string> short_column_names(bool average) {
  std::vector<std::string> names;
  for (const CheckedQuantity& q : columns(average))
    names.emplace_back(without_unit(q.name));
  return names;
}

CheckedQuantity coverage_quantity(int hits) {
  CheckedQuantity q = fraction(CheckedQuantity::Kind::coverage, "coverage");
  q.hits = hits;
  return q;
}

CheckedQuantity share_quantity(Parameter parameter, std::string layer,
                               bool is_group, std::optional<Cause> cause) {
  CheckedQuantity q = fraction(CheckedQuantity::Kind::share, "share");
  q.parameter = parameter;
  q.layer = std::move(layer);
  q.is_group = is_group;
  q.cause = cause;
  return q;
}

CheckedQuantity material_quantity(MaterialEnd end) {
  CheckedQuantity q = fraction(CheckedQuantity::Kind::material, "x_over_x0");
  q.layer = end.layer;
  q.is_group = end.is_group;
  q.end = std::move(end);
  return q;
}

std::string describe(const CheckedQuantity& q) {
  switch (q.kind) {
    case CheckedQuantity::Kind::material: {
      std::string text = q.name + " up to";
      if (!q.layer.empty()) return text + ' ' + q.layer;
      if (std::isfinite(q.end.r))
        text += fmt::format(" r = {:.6g} mm", q.end.r);
      if (std::isfinite(q.end.z))
        text += fmt::format("{} |z| = {:.6g} mm",
                            std::isfinite(q.end.r) ? "," : "", q.end.z);
      return text;
    }
    case CheckedQuantity::Kind::coverage:
      return q.hits > 0 ? fmt::format("coverage with {} hits", q.hits)
                        : "coverage";
    case CheckedQuantity::Kind::share: {
      std::string text = "share of";
      if (!q.layer.empty()) text += ' ' + q.layer;
      if (q.cause)
        text += *q.cause == Cause::hit ? " hit errors"
                                       : ' ' + std::string(to_string(*q.cause));
      return text + " in " + sigma_symbol(q.parameter);
    }
    case CheckedQuantity::Kind::number:
    case CheckedQuantity::Kind::text:
      break;
  }
  return q.name;
}

std::string shown(const CheckedQuantity& q, double value, int digits) {
  if (std::isnan(value)) return "none";
  const double number = value / q.shown_unit;
  // whole numbers below 1e6 are not rounded
  const bool whole = number == std::round(number) && std::abs(number) < 1e6;
  std::string text =
      whole ? fmt::format("{:.0f}", number) : readable(number, digits);
  if (q.symbol.empty()) return text;
  return text + (q.symbol[0] == '/' ? "" : " ") + q.symbol;
}

int distinct_digits(double a, double b) {
  constexpr int fewest = 4, most = 12;
  int digits = fewest;
  while (digits < most && !std::isnan(a) && !std::isnan(b) && a != b &&
         readable(a, digits) == readable(b, digits))
    ++digits;
  return digits;
}

}  // namespace gttf

namespace gttf::detail {
namespace {

double share_of(const Budget& budget, const CheckedQuantity& share,
                const std::vector<bool>& chosen) {
  double sum = 0;
  for (const BudgetPart& part : budget.parts) {
    if (share.cause && part.cause != *share.cause) continue;
    const bool layered = part.layer != BudgetPart::none;
    if (layered ? chosen[part.layer] : share.layer.empty())
      sum += budget.share(part)[share.parameter];
  }
  return sum;
}

}  // namespace

std::shared_ptr<const Table> ScanCache::rows(const StudyRequest& grid,
                                             std::size_t detector) {
  const auto same = [&](const Entry& e) {
    return e.detector == detector &&
           e.momentum.variable == grid.momentum.variable &&
           e.momentum.values == grid.momentum.values &&
           e.angle.variable == grid.angle.variable &&
           e.angle.values == grid.angle.values;
  };
  // usually the latest
  const auto it = std::find_if(entries_.rbegin(), entries_.rend(), same);
  if (it != entries_.rend()) return it->rows;
  ScanTable scanned =
      scan_table(grid, detectors_[detector], {engine_, threads_, {}});
  auto rows = std::make_shared<const Table>(std::move(scanned.rows));
  n_rows_ += rows->rows();
  entries_.push_back({grid.momentum, grid.angle, detector, rows});
  while (entries_.size() > 1 && n_rows_ > most_rows) {
    n_rows_ -= entries_.front().rows->rows();
    entries_.pop_front();
  }
  return rows;
}

double number_at(const Table& table, std::string_view column, std::size_t row) {
  const Column* found = table.find(column);
  if (found != nullptr) {
    if (const auto* reals = std::get_if<Reals>(&found->cells))
      return (*reals)[row];
    if (const auto* whole = std::get_if<Integers>(&found->cells))
      return static_cast<double>((*whole)[row]);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::string text_at(const Table& table, std::string_view column,
                    std::size_t row) {
  const Column* found = table.find(column);
  const auto* texts =
      found != nullptr ? std::get_if<Texts>(&found->cells) : nullptr;
  return texts != nullptr ? (*texts)[row] : std::string();
}

std::vector<std::string> layer_names(const Detector& detector, bool groups) {
  std::vector<std::string> names;
  const std::vector<std::string> entries = entry_names(detector);
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const std::string& name = groups ? detector.layers[i].group : entries[i];
    if (!name.empty() && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  return names;
}

std::vector<std::size_t> layers_of(const Detector& detector,
                                   const CheckedQuantity& quantity) {
  std::vector<std::size_t> layers;
  const std::vector<std::string> entries = entry_names(detector);
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Layer& layer = detector.layers[i];
    const bool chosen = quantity.layer.empty() ||
                        (quantity.is_group ? layer.group == quantity.layer
                                           : entries[i] == quantity.layer ||
                                                 layer.name == quantity.layer);
    if (chosen) layers.push_back(i);
  }
  return layers;
}

std::vector<double> shares_at(const Detector& detector,
                              const StudyRequest& grid,
                              std::span<const GridPoint> points,
                              const CheckedQuantity& share, unsigned threads) {
  std::vector<bool> chosen(detector.layers.size(), false);
  for (const std::size_t i : layers_of(detector, share)) chosen[i] = true;
  const TrackingGeometry geometry(detector);
  Model model = model_of(grid, detector);
  model.at.reset();  // budgets are those of the perigee
  std::vector<double> shares(points.size(),
                             std::numeric_limits<double>::quiet_NaN());
  parallel_workers(points.size(), thread_count(threads), [&](const auto& next) {
    while (const auto i = next()) {
      const Budget budget =
          make_budget(geometry, grid_track(grid, points[*i]), model);
      if (budget.exists()) shares[*i] = share_of(budget, share, chosen);
    }
  });
  return shares;
}

std::optional<std::vector<std::size_t>> counted_crossings(
    const Detector& detector, const CheckedQuantity& quantity,
    const Resolution& resolution) {
  const std::vector<CrossingInfo>& crossings = resolution.crossings;
  const MaterialEnd& end = quantity.end;
  std::size_t n = crossings.size();
  if (!end.layer.empty()) {
    const std::vector<std::size_t> layers = layers_of(detector, quantity);
    const auto is_end = [&](const CrossingInfo& c) {
      return std::ranges::find(layers, c.layer) != layers.end();
    };
    while (n > 0 && !is_end(crossings[n - 1])) --n;
    if (n == 0) return std::nullopt;
  } else if (quantity.name == "x_over_x0_tracker") {
    n = crossings_to_last_hit(resolution);
    if (n == 0) return std::nullopt;
  }
  std::vector<std::size_t> counted;
  for (std::size_t k = 0; k < n; ++k) {
    const Vector3& at = crossings[k].position;
    // a layer at exactly that radius is included
    if (std::hypot(at.x(), at.y()) <= end.r + detail::same_place &&
        std::abs(at.z()) <= end.z + detail::same_place)
      counted.push_back(k);
  }
  return counted;
}

double material_of(const Detector& detector, const CheckedQuantity& quantity,
                   const Resolution& resolution) {
  const auto counted = counted_crossings(detector, quantity, resolution);
  if (!counted) return Resolution::none;
  double sum = 0;
  for (const std::size_t k : *counted) sum += resolution.crossings[k].x_over_x0;
  return sum;
}

std::vector<double> material_at(const Detector& detector,
                                const StudyRequest& grid,
                                std::span<const GridPoint> points,
                                const CheckedQuantity& quantity) {
  const TrackingGeometry geometry(detector);
  const Model model = model_of(grid, detector);
  std::vector<double> sums;
  for (const GridPoint point : points)
    sums.push_back(material_of(
        detector, quantity, resolve(geometry, grid_track(grid, point), model)));
  return sums;
}

}  // namespace gttf::detail
