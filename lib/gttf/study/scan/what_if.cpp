// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/resolution/layer_errors.hpp"
#include "gttf/resolution/missing_hits.hpp"
#include "gttf/study/scan/scan_columns.hpp"

namespace gttf {
namespace {

/// A requirement as written: the beginning of its parts.
struct Parts {
  std::string_view name, value;
  std::size_t value_offset = 0;
};

std::optional<Parts> split(std::string_view text) {
  for (const std::string_view sign : {"<=", "<", "="}) {
    const std::size_t i = text.find(sign);
    if (i == text.npos) continue;
    const std::size_t begin = i + sign.size();
    const std::string_view value = trimmed(text.substr(begin));
    const std::size_t lead =
        value.empty() ? 0 : text.substr(begin).find(value[0]);
    return Parts{trimmed(text.substr(0, i)), value, begin + lead};
  }
  return std::nullopt;
}

/// "sigma_d0", "sigma(d0)", "sigma_d0_um" or "d0"; "sigma_p_rel" or "p".
std::optional<Parameter> parameter_of_limit(std::string_view name,
                                            bool at_layer) {
  for (const Parameter q : parameters_of(at_layer)) {
    const std::string plain(parameter_name(q, at_layer));
    if (name == plain || name == sigma_column(q, at_layer) ||
        name == "sigma_" + plain || name == "sigma_" + plain + "_rel" ||
        name == "sigma_" + plain + "_at" || name == sigma_symbol(q, at_layer))
      return q;
  }
  return std::nullopt;
}

/// "sigma_p_rel, sigma_d0, ...": the quantities that can be limited.
std::string known_limits(bool at_layer) {
  std::string list;
  for (const Parameter q : parameters_of(at_layer)) {
    const bool relative = q == Parameter::p || q == Parameter::pt;
    list += (list.empty() ? "sigma_" : ", sigma_") +
            std::string(parameter_name(q, at_layer)) + (relative ? "_rel" : "");
  }
  return list;
}

Dimension dimension_of(Parameter q) {
  switch (q) {
    case Parameter::p:
    case Parameter::pt:
      return Dimension::fraction;
    case Parameter::d0:
    case Parameter::z0:
    case Parameter::x:
    case Parameter::y:
      return Dimension::length;
    case Parameter::phi0:
    case Parameter::theta:
    case Parameter::tx:
    case Parameter::ty:
      break;
  }
  return Dimension::angle;
}

[[noreturn]] void refuse(const Source& source, std::size_t offset,
                         std::size_t length, std::string problem,
                         std::string suggestion) {
  Diagnostic d = source.at(offset, std::max<std::size_t>(1, length));
  d.problem = std::move(problem);
  d.suggestion = std::move(suggestion);
  Diagnostics diagnostics;
  diagnostics.add(std::move(d));
  throw InputError(std::move(diagnostics));
}

std::string status_of(const Headroom& h) {
  if (std::isnan(h.limit)) return "cannot meet it";
  const bool field = h.quantity == Quantity::field;
  if (field ? h.limit == 0 : std::isinf(h.limit)) return "no limit";
  return h.met ? "ok" : "violated";
}

bool has_limit(const Headroom& h) {
  const std::string status = status_of(h);
  return status == "ok" || status == "violated";
}

/// The required change of a number, as a factor or its inverse; numbers without
/// a limit come after, those that cannot meet it last.
double effort(const Headroom& h) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(h.limit)) return infinite;
  constexpr double largest = std::numeric_limits<double>::max();
  if (!has_limit(h)) return largest;
  const double factor = h.limit / h.value;
  return factor > 0 ? std::min(std::abs(std::log(factor)), largest / 2)
                    : largest / 2;
}

/// Whether all layers of a set, and so a common key, have the same value.
bool is_common(const Detector& detector, const LayerSet& set,
               const Headroom& h) {
  return std::all_of(set.begin(), set.end(), [&](std::size_t k) {
    const Layer& layer = detector.layers[k];
    if (h.quantity == Quantity::position)
      return layer.surface.position == h.value;
    if (h.quantity == Quantity::x_over_x0) return layer.x_over_x0() == h.value;
    return h.coordinate < layer.coordinates.size() &&
           layer.coordinates[h.coordinate].sigma == h.value;
  });
}

/// "L0 ... L2": the range in which a position can be moved.
std::string range_of_move(const Detector& detector, const Headroom& h) {
  if (h.quantity != Quantity::position) return "";
  const auto text = [&detector](const MoveEnd& end) -> std::string {
    if (end.layer == Sensitivity::none) return "";
    return (end.passed ? "" : "edge of ") + detector.layers[end.layer].name;
  };
  const std::string range = text(h.inner) + " ... " + text(h.outer);
  return std::string(trimmed(range));
}

/// The rows of lost_layer_table().
class LostLayers {
 public:
  explicit LostLayers(const WhatIf& what) : what_(what) {}

  void add(std::string name, std::string layer, const Resolution& r) {
    if (case_.empty()) all_ = errors_of(r);
    add(std::move(name), std::move(layer), r.n_hits, Resolution::none,
        errors_of(r), std::string(missing_text(r)));
  }
  void add(std::string name, std::string layer, int n_hits, double probability,
           const PerParameter& sigma, std::string status) {
    point_.add(what_.detector, what_.request, what_.point);
    case_.push_back(std::move(name));
    layer_.push_back(std::move(layer));
    n_hits_.push_back(n_hits);
    probability_.push_back(probability);
    for (const Parameter q : all_parameters) {
      const auto i = static_cast<std::size_t>(q);
      sigma_[i].push_back(sigma[q] / sigma_unit(q));
      ratio_[i].push_back(sigma[q] / all_[q]);
    }
    status_.push_back(std::move(status));
  }
  Table take() && {
    Table table;
    std::move(point_).move_to(table);
    table.add("case", std::move(case_));
    table.add("layer", std::move(layer_));
    table.add("n_hits", std::move(n_hits_));
    table.add("probability", std::move(probability_));
    const bool at_layer = what_.request.at.has_value();
    for (const Parameter q : parameters_of(at_layer))
      table.add(std::string(sigma_column(q, at_layer)),
                std::move(sigma_[static_cast<std::size_t>(q)]));
    for (const Parameter q : parameters_of(at_layer))
      table.add("ratio_" + std::string(parameter_name(q, at_layer)),
                std::move(ratio_[static_cast<std::size_t>(q)]));
    table.add("status", std::move(status_));
    return table;
  }

 private:
  const WhatIf& what_;
  PointColumns point_;
  Texts case_, layer_, status_;
  Integers n_hits_;
  Reals probability_;
  std::array<Reals, n_parameters> sigma_, ratio_;
  PerParameter all_;
};

}  // namespace

NamedSets crossed_sets(const Detector& detector, const Resolution& resolution,
                       Grouping grouping) {
  const std::vector<std::string> names = names_by(detector, grouping);
  NamedSets named;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const CrossingInfo& c : resolution.crossings) {
    const std::string& name = names[c.layer];
    const auto [place, is_new] = places.try_emplace(name, named.names.size());
    if (is_new) {
      named.names.push_back(name);
      named.sets.emplace_back();
    }
    // once each, also if the track crosses it again
    LayerSet& set = named.sets[place->second];
    if (std::ranges::find(set, c.layer) == set.end()) set.push_back(c.layer);
  }
  return named;
}

Requirement parse_requirement(const std::string& option,
                              const std::string& text, bool at_layer) {
  const Source source(option, text, Source::Kind::option);
  const auto parts = split(text);
  if (!parts)
    refuse(source, 0, text.size(), "there is no \"=\"",
           "write for example \"sigma_d0=30 um\"");
  const auto parameter = parameter_of_limit(parts->name, at_layer);
  if (!parameter)
    refuse(source, text.find(parts->name), parts->name.size(),
           fmt::format("unknown parameter {}", in_quotes(parts->name)),
           "known: " + known_limits(at_layer));
  const Dimension dimension = dimension_of(*parameter);
  const Parsed<double> value =
      parse_quantity(parts->value, dimension,
                     dimension == Dimension::length  ? "um"
                     : dimension == Dimension::angle ? "mrad"
                                                     : "");
  if (!value)
    refuse(source, parts->value_offset + value.offset, value.length,
           value.problem, value.suggestion);
  if (!(value.value > 0))
    refuse(source, parts->value_offset, parts->value.size(),
           "a limit must be positive", "");
  return {*parameter, value.value};
}

std::string requirement_text(const Requirement& r, bool at_layer) {
  return sigma_symbol(r.parameter, at_layer) +
         " <= " + sigma_text(r.parameter, r.limit);
}

Table headroom_table(const WhatIf& what,
                     std::span<const Requirement> requirements) {
  const Track track = what.track();
  const Model model = what.model();
  const Resolution r = resolve(TrackingGeometry(what.detector), track, model);
  const NamedSets named = crossed_sets(what.detector, r, what.grouping);
  const Rings rings(what.detector);
  PointColumns point;
  Texts requirement, layer, quantity, key, unit, range, status;
  Reals value, limit, factor;
  for (const Requirement& wanted : requirements) {
    std::vector<Headroom> list =
        find_headroom(what.detector, track, model, wanted, named.sets);
    std::stable_sort(list.begin(), list.end(),
                     [](const Headroom& a, const Headroom& b) {
                       return effort(a) < effort(b);
                     });
    for (const Headroom& h : list) {
      const bool of_layer = h.layer != Sensitivity::none;
      const QuantityUnit in = unit_of(h.quantity);
      point.add(what.detector, what.request, what.point);
      requirement.push_back(
          requirement_text(wanted, what.request.at.has_value()));
      layer.push_back(of_layer ? named.names[h.set] : "");
      if (h.ring_number) {
        const Ring& ring = *rings.of(h.layer);
        layer.back() = ring.owner(*h.ring_number) + ring.side;
        quantity.push_back(to_string(*h.ring_number));
        key.push_back(layer_key(ring.entry, ring.key_tail(*h.ring_number)));
      } else if (of_layer) {
        const Layer& own = what.detector.layers[h.layer];
        quantity.push_back(quantity_name(own, h.quantity, h.coordinate));
        const bool settable =
            what.grouping != Grouping::group || own.group.empty();
        key.push_back(
            settable && is_common(what.detector, named.sets[h.set], h)
                ? layer_key(name_in_file(layer.back()),
                            quantity_tail(own, h.quantity, h.coordinate))
                : "");
      } else {
        quantity.emplace_back("field");
        key.push_back(field_key(what.detector.field));
      }
      value.push_back(h.value / in.value);
      limit.push_back(has_limit(h) ? h.limit / in.value : Resolution::none);
      factor.push_back(has_limit(h) && h.value != 0 ? h.limit / h.value
                                                    : Resolution::none);
      unit.emplace_back(in.name);
      range.push_back(range_of_move(what.detector, h));
      status.push_back(status_of(h));
    }
  }
  Table table;
  std::move(point).move_to(table);
  table.add("requirement", std::move(requirement));
  table.add("layer", std::move(layer));
  table.add("quantity", std::move(quantity));
  table.add("key", std::move(key));
  table.add("value", std::move(value));
  table.add("limit", std::move(limit));
  table.add("unit", std::move(unit));
  table.add("factor", std::move(factor));
  table.add("between", std::move(range));
  table.add("status", std::move(status));
  return table;
}

std::vector<Section> headroom_sections(const Table& table) {
  const auto texts = [&table](const char* name) -> const Texts& {
    return std::get<Texts>(table.find(name)->cells);
  };
  const Texts &requirement = texts("requirement"), &status = texts("status"),
              &layer = texts("layer"), &quantity = texts("quantity");
  std::vector<Section> sections;
  for (std::size_t begin = 0; begin < requirement.size();) {
    std::size_t end = begin, n_limits = begin;
    std::vector<std::string> unlimited, without;
    for (; end < requirement.size() && requirement[end] == requirement[begin];
         ++end) {
      const std::string name =
          quantity[end] + (layer[end].empty() ? "" : " of " + layer[end]);
      if (status[end] == "no limit")
        unlimited.push_back(name);
      else if (status[end] == "cannot meet it")
        without.push_back(name);
      else
        n_limits = end + 1;
    }
    Section section{"Headroom: " + requirement[begin], {}, {}};
    if (!unlimited.empty())
      section.facts.emplace_back("no limit", joined(unlimited));
    if (!without.empty())
      section.facts.emplace_back("cannot meet it", joined(without));
    for (const char* name : {"layer", "quantity", "value", "limit", "unit",
                             "factor", "between", "status"}) {
      if (n_limits == begin) break;  // no rows
      Column column = *table.find(name);
      std::visit(
          [&](auto& cells) {
            const auto first = cells.begin();
            cells = {first + static_cast<std::ptrdiff_t>(begin),
                     first + static_cast<std::ptrdiff_t>(n_limits)};
          },
          column.cells);
      section.table.columns.push_back(std::move(column));
    }
    sections.push_back(std::move(section));
    begin = end;
  }
  return sections;
}

Table lost_layer_table(const WhatIf& what) {
  const Track track = what.track();
  const Model model = what.model();
  const TrackingGeometry geometry(what.detector);
  const Resolution all = resolve(geometry, track, model);
  const LayerLosses losses(geometry, track, model);
  LostLayers rows(what);
  rows.add("all layers", "", all);
  const NamedSets named = crossed_sets(what.detector, all, what.grouping);
  for (std::size_t i = 0; i < named.sets.size(); ++i) {
    const LayerSet& set = named.sets[i];
    const auto without = [&](const char* name, DroppedMaterial material) {
      if (const auto rest = losses.without(set, material))
        rows.add(name, named.names[i], rest->n_hits, Resolution::none,
                 rest->sigma, std::string(missing_text(all)));
      else
        rows.add(name, named.names[i],
                 resolve_without(what.detector, track, model, set, material));
    };
    const bool measures = std::any_of(
        set.begin(), set.end(),
        [&](std::size_t k) { return what.detector.layers[k].measures(); });
    if (measures) without("without hit", DroppedMaterial::kept);
    without("without layer", DroppedMaterial::removed);
  }
  const EfficiencyAverage average =
      average_over_efficiencies(what.detector, track, model);
  if (average.n_inefficient > 0) {
    const std::string status =
        average.n_drawn > 0
            ? fmt::format("{} patterns of hits, drawn at random",
                          average.n_drawn)
        : average.covered > 1 - 1e-12
            ? "ok"
            : fmt::format("up to {} missing hits, {:.3g} % of tracks",
                          average.most_missing, average.covered * 100);
    rows.add("mean", "", all.n_hits, average.measured, average.mean, status);
    rows.add("rms", "", all.n_hits, average.measured, average.rms, status);
  }
  return std::move(rows).take();
}

}  // namespace gttf
