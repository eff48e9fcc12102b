// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include "gttf/core/parallel.hpp"
#include "gttf/study/check/check_values.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/scan_table.hpp"
#include "gttf/study/show/layer_names.hpp"

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

const Table& ScanCache::rows(const StudyRequest& grid, std::size_t detector) {
  const auto same = [&](const std::unique_ptr<Entry>& e) {
    return e->detector == detector &&
           e->momentum.variable == grid.momentum.variable &&
           e->momentum.values == grid.momentum.values &&
           e->angle.variable == grid.angle.variable &&
           e->angle.values == grid.angle.values;
  };
  const auto it = std::find_if(entries_.begin(), entries_.end(), same);
  if (it != entries_.end()) return (*it)->rows;
  ScanTable scanned =
      scan_table(grid, detectors_[detector], {engine_, threads_, {}});
  entries_.push_back(std::make_unique<Entry>(
      Entry{grid.momentum, grid.angle, detector, std::move(scanned.rows)}));
  return entries_.back()->rows;
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
                                   const CheckedQuantity& share) {
  std::vector<std::size_t> layers;
  const std::vector<std::string> entries = entry_names(detector);
  for (std::size_t i = 0; i < detector.layers.size(); ++i) {
    const Layer& layer = detector.layers[i];
    const bool chosen =
        share.layer.empty() || (share.is_group ? layer.group == share.layer
                                               : entries[i] == share.layer ||
                                                     layer.name == share.layer);
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
  const Model model = model_of(grid, detector);
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

}  // namespace gttf::detail
