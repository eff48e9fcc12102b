// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gttf/detector/ring.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/show/layer_names.hpp"
#include "gttf/study/show/track_view.hpp"

namespace gttf {
namespace {

bool is_rotation(Quantity q) {
  return q == Quantity::about_u || q == Quantity::about_v ||
         q == Quantity::about_normal;
}

void name_layer_row(const Detector& detector, const Sensitivity& item,
                    bool by_group, SensitivityRow& row) {
  const Layer& layer = detector.layers[item.layer];
  row.group = layer.group;
  row.name = quantity_name(layer, item.quantity, item.coordinate);
  if (is_rotation(item.quantity)) return;  // no single key rotates a plane
  if (!by_group || layer.group.empty())
    row.key = layer_key(name_in_file(row.layer),
                        quantity_tail(layer, item.quantity, item.coordinate));
}

void name_common_row(const Detector& detector, const Sensitivity& item,
                     SensitivityRow& row) {
  constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
  switch (item.quantity) {
    case Quantity::field:
      row.key = field_key(detector.field);
      row.name = "field";
      break;
    case Quantity::length:
      row.name = "all positions";
      break;
    default:
      row.name = fmt::format("beam spot {}", axes[item.coordinate]);
  }
}

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The parameters of a ring instead of the motions of one of its modules, which
/// follow the `position` of the module in the list: along its normal, about u,
/// v and its normal. There are no rotations of a module that is crossed twice,
/// and so no tilt and turn.
void add_ring_items(const Surface& module, const Ring& ring,
                    std::span<const Sensitivity> motions,
                    std::vector<SensitivityRow>& rows) {
  PerParameter along;
  std::array<PerParameter, 3> about{};
  for (const Sensitivity& item : motions) {
    if (item.quantity == Quantity::position) along = item.slope;
    if (item.quantity == Quantity::about_u) about[0] = item.slope;
    if (item.quantity == Quantity::about_v) about[1] = item.slope;
    if (item.quantity == Quantity::about_normal) about[2] = item.slope;
  }
  const bool rotates = std::ranges::any_of(
      motions, [](const auto& item) { return is_rotation(item.quantity); });
  const auto &n = module.normal_vector, &u = module.u_vector;
  const auto v = module.v_vector();
  for (const RingNumber number : ring_numbers) {
    const RigidMotion motion = motion_of(module, ring, number);
    const bool is_length =
        number == RingNumber::radius || number == RingNumber::z;
    if (!is_length && !rotates) continue;
    const double unit_value = is_length ? unit::mm : unit::deg;
    SensitivityRow row;
    row.quantity = is_length ? Quantity::position : Quantity::about_u;
    row.layer = ring.owner(number) + ring.side;
    row.name = to_string(number);
    row.key = layer_key(ring.entry, ring.key_tail(number));
    row.value = ring.value(number) / unit_value;
    row.unit = is_length ? "mm" : "deg";
    for (const Parameter q : all_parameters) {
      const double slope = dot(motion.translation, n) * along[q] +
                           dot(motion.rotation, u) * about[0][q] +
                           dot(motion.rotation, v) * about[1][q] +
                           dot(motion.rotation, n) * about[2][q];
      row.slope[q] = slope * unit_value;
      row.elasticity[q] = slope * ring.value(number);
    }
    rows.push_back(std::move(row));
  }
}

bool along_an_axis(const Coordinate& c) {
  return c.angle == 0 || std::abs(c.angle - 90 * unit::deg) < 1e-12;
}

void accumulate(PerParameter& sum, const PerParameter& more) {
  for (const Parameter q : all_parameters) sum[q] += more[q];
}

/// Joins `more` with the row of the same name: changed by a common factor.
void join(SensitivityRow& row, const SensitivityRow& more) {
  accumulate(row.elasticity, more.elasticity);
  if (row.value == more.value) {
    accumulate(row.slope, more.slope);
  } else {
    row.value = Resolution::none;
    row.slope.values.fill(Resolution::none);
  }
}

std::string percent_text(double percent) {
  return fmt::format("{:.2g} %", std::abs(percent));
}

/// Whether a row is in tables for the terminal: 1 % of an angle of 0 is zero.
bool is_shown(const SensitivityRow& row) {
  return !(is_rotation(row.quantity) && row.value == 0);
}

/// Rows sorted by their effect on a parameter, largest first.
std::vector<SensitivityRow> sorted_by_effect(std::vector<SensitivityRow> rows,
                                             Parameter q) {
  std::erase_if(rows, [](const SensitivityRow& row) {
    return row.quantity == Quantity::length ||
           row.quantity == Quantity::angle || !is_shown(row);
  });
  std::stable_sort(rows.begin(), rows.end(), [q](const auto& a, const auto& b) {
    return std::abs(a.elasticity[q]) > std::abs(b.elasticity[q]);
  });
  return rows;
}

Table elasticity_table(const std::vector<SensitivityRow>& rows,
                       std::span<const Parameter> parameters, bool at_layer) {
  Texts layer, name, unit;
  Reals value;
  for (const SensitivityRow& row : rows) {
    if (!is_shown(row)) continue;
    layer.push_back(row.layer);
    name.push_back(row.name);
    value.push_back(row.value);
    unit.push_back(row.unit);
  }
  Table table;
  table.add("layer", std::move(layer));
  table.add("quantity", std::move(name));
  table.add("value", std::move(value));
  table.add("unit", std::move(unit));
  for (const Parameter q : parameters) {
    Reals cells;
    for (const SensitivityRow& row : rows) {
      if (!is_shown(row)) continue;
      const double e = row.elasticity[q];
      cells.push_back(std::abs(e) < 1e-9 ? 0 : e);  // zero except for rounding
    }
    table.add(std::string(parameter_name(q, at_layer)), std::move(cells));
  }
  return table;
}

}  // namespace

std::vector<SensitivityRow> sensitivity_rows(const Detector& detector,
                                             const Sensitivities& list,
                                             Grouping grouping) {
  const std::vector<std::string> names = names_by(detector, grouping);
  const Rings rings(detector);
  const auto ring_of = [&](const Sensitivity& item) -> const Ring* {
    const bool of_layer = item.layer != Sensitivity::none;
    return of_layer && grouping != Grouping::surface ? rings.of(item.layer)
                                                     : nullptr;
  };
  std::vector<SensitivityRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> row_of;
  const auto collect = [&](SensitivityRow row) {
    const auto [known, is_new] =
        row_of.try_emplace({row.layer, row.name}, rows.size());
    if (is_new)
      rows.push_back(std::move(row));
    else
      join(rows[known->second], row);
  };
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Sensitivity& item = list.items[i];
    const bool of_layer = item.layer != Sensitivity::none;
    if (item.quantity == Quantity::angle &&
        along_an_axis(detector.layers[item.layer].coordinates[item.coordinate]))
      continue;
    if (const Ring* ring = ring_of(item)) {
      const Layer& module = detector.layers[item.layer];
      if (is_rotation(item.quantity)) continue;
      if (item.quantity == Quantity::position) {
        std::size_t end = i;
        while (end < list.items.size() && list.items[end].layer == item.layer &&
               (end == i || list.items[end].quantity != Quantity::position))
          ++end;
        std::vector<SensitivityRow> of_ring;
        add_ring_items(module.surface, *ring,
                       std::span(list.items).subspan(i, end - i), of_ring);
        for (SensitivityRow& row : of_ring) {
          row.group = module.group;
          if (grouping == Grouping::group && !module.group.empty()) {
            row.layer = module.group;
            row.key.clear();
          }
          collect(std::move(row));
        }
        continue;
      }
    }
    const QuantityUnit unit = unit_of(item.quantity);
    SensitivityRow row;
    row.quantity = item.quantity;
    row.value = item.value / unit.value;
    row.unit = unit.name;
    row.elasticity = item.elasticity();
    for (const Parameter q : all_parameters)
      row.slope[q] = item.slope[q] * unit.value;
    if (of_layer) {
      row.layer = names[item.layer];
      name_layer_row(detector, item, grouping == Grouping::group, row);
    } else {
      name_common_row(detector, item, row);
    }
    collect(std::move(row));
  }
  return rows;
}

std::string advice(const SensitivityRow& row, Parameter q, Grouping grouping,
                   bool at_layer) {
  const std::string place =
      (grouping == Grouping::group ? "" : "layer ") + row.layer;
  const double e = row.elasticity[q];
  const bool less = e > 0;
  std::string change;
  switch (row.quantity) {
    case Quantity::x_over_x0:
      change = fmt::format("{} material in {}", less ? "less" : "more", place);
      break;
    case Quantity::sigma:
      change = fmt::format("smaller {} of {}", row.name, place);
      break;
    case Quantity::position:
      change = fmt::format("{} {} of {}", less ? "smaller" : "larger", row.name,
                           place);
      break;
    default:
      change = fmt::format("{} {}", less ? "smaller" : "larger", row.name);
  }
  return fmt::format("1 % {} reduces {} by {}", change,
                     sigma_symbol(q, at_layer), percent_text(e));
}

void SensitivityTable::add(const Detector& detector,
                           const StudyRequest& request, GridPoint point,
                           const std::vector<SensitivityRow>& rows) {
  at_layer_ = request.at.has_value();
  for (const SensitivityRow& row : rows) {
    point_.add(detector, request, point);
    key_.push_back(row.key);
    layer_.push_back(row.layer);
    group_.push_back(row.group);
    quantity_.push_back(row.name);
    value_.push_back(row.value);
    unit_.push_back(row.unit);
    for (std::size_t q = 0; q < n_parameters; ++q) {
      elasticity_[q].push_back(row.elasticity.values[q]);
      slope_[q].push_back(row.slope.values[q]);
    }
  }
}

Table SensitivityTable::take() && {
  Table table;
  std::move(point_).move_to(table);
  table.add("layer", std::move(layer_));
  table.add("group", std::move(group_));
  table.add("quantity", std::move(quantity_));
  table.add("key", std::move(key_));
  table.add("value", std::move(value_));
  table.add("unit", std::move(unit_));
  for (const Parameter q : parameters_of(at_layer_))
    table.add("elasticity_" + std::string(parameter_name(q, at_layer_)),
              std::move(elasticity_[static_cast<std::size_t>(q)]));
  for (const Parameter q : parameters_of(at_layer_))
    table.add("slope_" + std::string(parameter_name(q, at_layer_)),
              std::move(slope_[static_cast<std::size_t>(q)]));
  return table;
}

std::vector<Section> sensitivity_sections(const Detector& detector,
                                          const StudyRequest& request,
                                          GridPoint point,
                                          const Sensitivities& list,
                                          Grouping grouping,
                                          std::optional<Parameter> parameter) {
  constexpr std::size_t most_advice = 5;
  Section head;
  head.title = detector.name + ": " +
               track_text(request, grid_track(request, point)) +
               at_text(request);
  const bool at_layer = request.at.has_value();
  if (!list.exists()) {
    head.facts.emplace_back("status", missing_text(list.resolution));
    return {head};
  }
  const std::span<const Parameter> shown =
      parameter ? std::span(&*parameter, 1)
                : shown_parameters(request, detector, point);
  const auto rows = sensitivity_rows(detector, list, grouping);
  Section advices{"Most effective changes", {}, {}};
  for (const Parameter q : shown) {
    head.facts.emplace_back(sigma_symbol(q, at_layer),
                            sigma_text(q, list.sigma[q]));
    if (std::isnan(list.sigma[q])) continue;
    const auto best = sorted_by_effect(rows, q);
    const std::size_t n = std::min(best.size(), parameter ? most_advice : 1);
    for (std::size_t i = 0; i < n; ++i)
      advices.facts.emplace_back(i == 0 ? sigma_symbol(q, at_layer) : "",
                                 advice(best[i], q, grouping, at_layer));
  }
  Section table{
      "Change of sigma in % for 1 % more of",
      {},
      elasticity_table(parameter ? sorted_by_effect(rows, *parameter) : rows,
                       shown, at_layer)};
  if (grouping == Grouping::group) table.table.columns.front().name = "group";
  return {head, table, advices};
}

}  // namespace gttf
