// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/design_numbers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "gttf/detector/material_map.hpp"

namespace gttf {
namespace {

constexpr std::size_t none = DesignNumber::none;
constexpr double not_measured = std::numeric_limits<double>::infinity();

bool is_unmeasured(const Coordinate& c) { return c.sigma == not_measured; }

/// Whether a coordinate is that along u in formulas, not that along v.
bool is_along_u(const Coordinate& c) {
  return std::abs(c.angle) < 45 * unit::deg;
}

/// Whether slabs differ only in numbers.
bool are_alike(const Slab& a, const Slab& b) {
  return a.material == b.material &&
         a.mean_loss.has_value() == b.mean_loss.has_value() &&
         (a.map == b.map || (a.map && b.map && *a.map == *b.map));
}

/// The place of each item of a list: the first one that fits and is free.
template <class T, class Fits>
std::vector<std::size_t> places_in(const std::vector<T>& all,
                                   const std::vector<T>& items,
                                   const Fits& fits) {
  std::vector<std::size_t> places;
  for (const T& item : items) {
    std::size_t k = 0;
    while (k < all.size() &&
           (!fits(all[k], item) || std::ranges::count(places, k) > 0))
      ++k;
    places.push_back(k < all.size() ? k : none);
  }
  return places;
}

}  // namespace

bool has_exact_slopes(DesignNumber::Kind kind) {
  using Kind = DesignNumber::Kind;
  switch (kind) {
    case Kind::slope:
    case Kind::density:
    case Kind::mean_loss:
    case Kind::dipole:
    case Kind::map:
      return false;
    default:
      return true;
  }
}

DesignNumbers::DesignNumbers(Detector detector)
    : detector_(std::move(detector)) {
  for (const Layer& layer : detector_.layers)
    own_.push_back({layer.coordinates.size(), layer.material.size()});
  list_numbers();
}

void DesignNumbers::list_numbers() {
  using Kind = DesignNumber::Kind;
  numbers_.clear();
  kinds_.clear();
  first_.clear();
  for (std::size_t l = 0; l < detector_.layers.size(); ++l) {
    Layer& layer = detector_.layers[l];
    Surface& s = layer.surface;
    first_.push_back(numbers_.size());
    add(s.position, {Kind::position, l, 0});
    add(s.u.lower, {Kind::extent, l, 0});
    add(s.u.upper, {Kind::extent, l, 1});
    add(s.v.lower, {Kind::extent, l, 2});
    add(s.v.upper, {Kind::extent, l, 3});
    if (s.shape == Shape::cone) add(s.slope, {Kind::slope, l, 0});
    for (std::size_t i = 0; i < layer.material.size(); ++i) {
      add(layer.material[i].thickness, {Kind::thickness, l, i});
      add(layer.material[i].x_over_x0, {Kind::x_over_x0, l, i});
      add(layer.material[i].density, {Kind::density, l, i});
      if (layer.material[i].mean_loss)
        add(*layer.material[i].mean_loss, {Kind::mean_loss, l, i});
    }
    for (std::size_t i = 0; i < layer.coordinates.size(); ++i) {
      add(layer.coordinates[i].sigma, {Kind::sigma, l, i});
      add(layer.coordinates[i].angle, {Kind::angle, l, i});
    }
    add(layer.efficiency, {Kind::efficiency, l, 0});
  }
  first_.push_back(numbers_.size());
  add(detector_.field.bz, {Kind::field, none, 0});
  for (std::size_t i = 0; i < detector_.field.dipoles.size(); ++i) {
    DipoleGap& gap = detector_.field.dipoles[i];
    for (double* number : {&gap.extent.lower, &gap.extent.upper, &gap.field})
      add(*number, {Kind::dipole, none, i});
  }
  if (detector_.field.map) {
    map_.scale = detector_.field.map->scale();
    map_.offset = detector_.field.map->offset();
    add(map_.scale, {Kind::map, none, 0});
    for (int i = 0; i < 3; ++i) add(map_.offset[i], {Kind::map, none, 1});
  }
}

void DesignNumbers::add(double& number, DesignNumber what) {
  numbers_.push_back(&number);
  kinds_.push_back(what);
}

std::vector<double> DesignNumbers::values() const {
  std::vector<double> list;
  for (const double* number : numbers_) list.push_back(*number);
  return list;
}

void DesignNumbers::set(std::span<const double> values) {
  assert(values.size() == numbers_.size());
  for (std::size_t i = 0; i < values.size(); ++i) *numbers_[i] = values[i];
  std::shared_ptr<const FieldMap>& map = detector_.field.map;
  if (map && (map->scale() != map_.scale || map->offset() != map_.offset))
    map =
        std::make_shared<const FieldMap>(map->placed(map_.scale, map_.offset));
  set_reference(detector_.field);
}

bool DesignNumbers::is_complete() const {
  for (std::size_t l = 0; l < own_.size(); ++l) {
    const Layer& layer = detector_.layers[l];
    if (layer.material.size() > own_[l].slabs ||
        std::ranges::any_of(layer.coordinates, is_unmeasured))
      return false;
  }
  return true;
}

Detector DesignNumbers::present_detector() const {
  Detector detector = detector_;
  for (std::size_t l = 0; l < own_.size(); ++l) {
    Layer& layer = detector.layers[l];
    std::erase_if(layer.coordinates, is_unmeasured);
    if (layer.material.size() > own_[l].slabs)
      std::erase_if(layer.material, [](const Slab& slab) {
        return slab.thickness == 0 && slab.x_over_x0 == 0;
      });
  }
  return detector;
}

std::optional<std::size_t> DesignNumbers::axis_of(
    std::size_t layer, std::size_t coordinate) const {
  const std::vector<Coordinate>& list = detector_.layers[layer].coordinates;
  if (is_unmeasured(list[coordinate])) return std::nullopt;
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(coordinate);
  return coordinate - static_cast<std::size_t>(
                          std::count_if(list.begin(), end, is_unmeasured));
}

DesignNumbers::Places DesignNumbers::places_of(const Layer& other,
                                               std::size_t l) const {
  const Layer& layer = detector_.layers[l];
  Places places;
  // angles are numbers, too: the same coordinates may be measured at others
  bool same_axes = other.coordinates.size() == own_[l].coordinates;
  for (std::size_t i = 0; same_axes && i < other.coordinates.size(); ++i)
    same_axes =
        is_along_u(other.coordinates[i]) == is_along_u(layer.coordinates[i]);
  if (same_axes)
    for (std::size_t i = 0; i < other.coordinates.size(); ++i)
      places.coordinates.push_back(i);
  else
    places.coordinates =
        places_in(layer.coordinates, other.coordinates,
                  [](const Coordinate& a, const Coordinate& b) {
                    return a.angle == b.angle;
                  });
  places.slabs = places_in(layer.material, other.material, are_alike);
  return places;
}

void DesignNumbers::include(const Detector& other) {
  if (other.layers.size() != detector_.layers.size()) return;
  for (std::size_t l = 0; l < other.layers.size(); ++l) {
    Layer& layer = detector_.layers[l];
    const Places places = places_of(other.layers[l], l);
    for (std::size_t i = 0; i < places.coordinates.size(); ++i)
      if (places.coordinates[i] == none) {
        layer.coordinates.push_back(other.layers[l].coordinates[i]);
        layer.coordinates.back().sigma = not_measured;
      }
    for (std::size_t i = 0; i < places.slabs.size(); ++i)
      if (places.slabs[i] == none) {
        layer.material.push_back(other.layers[l].material[i]);
        layer.material.back().thickness = layer.material.back().x_over_x0 = 0;
      }
  }
  list_numbers();
}

std::optional<std::vector<double>> DesignNumbers::values_of(
    const Detector& other) const {
  const Field &mine = detector_.field, &theirs = other.field;
  // directions, maps and dead regions are not numbers of the list
  if (!mine.map != !theirs.map ||
      (mine.map && !mine.map->same_nodes(*theirs.map)) ||
      mine.dipoles.size() != theirs.dipoles.size() ||
      !std::ranges::equal(detector_.layers, other.layers,
                          [](const Layer& a, const Layer& b) {
                            const Surface &s = a.surface, &t = b.surface;
                            return s.shape == t.shape && a.dead == b.dead &&
                                   s.normal_vector == t.normal_vector &&
                                   s.u_vector == t.u_vector;
                          }))
    return std::nullopt;
  DesignNumbers changed = *this;
  for (std::size_t l = 0; l < other.layers.size(); ++l) {
    const Layer& there = other.layers[l];
    Layer& layer = changed.detector_.layers[l];
    layer.surface = there.surface;
    layer.efficiency = there.efficiency;
    const Places places = places_of(there, l);
    for (Coordinate& c : layer.coordinates) c.sigma = not_measured;
    for (Slab& slab : layer.material) slab.thickness = slab.x_over_x0 = 0;
    for (std::size_t i = 0; i < there.coordinates.size(); ++i) {
      if (places.coordinates[i] == none) return std::nullopt;
      layer.coordinates[places.coordinates[i]] = there.coordinates[i];
    }
    for (std::size_t i = 0; i < there.material.size(); ++i) {
      if (places.slabs[i] == none) return std::nullopt;
      layer.material[places.slabs[i]] = there.material[i];
    }
  }
  changed.detector_.field = theirs;
  changed.list_numbers();
  return changed.values();
}

std::span<const LayerName> layer_names_in_formulas() {
  using Q = LayerQuantity;
  static constexpr std::array<LayerName, 23> names{{
      {"radius", Q::radius},
      {"z", Q::z},
      {"half_length", Q::half_length},
      {"length", Q::length},
      {"z_min", Q::z_min},
      {"z_max", Q::z_max},
      {"inner", Q::inner},
      {"outer", Q::outer},
      {"position", Q::position},
      {"area", Q::area},
      {"x_over_x0", Q::x_over_x0},
      {"material", Q::x_over_x0},
      {"sigma_rphi", Q::sigma_u},
      {"sigma_u", Q::sigma_u},
      {"sigma_z", Q::sigma_v},
      {"sigma_r", Q::sigma_v},
      {"sigma_v", Q::sigma_v},
      {"pitch_rphi", Q::pitch_u},
      {"pitch_u", Q::pitch_u},
      {"pitch_z", Q::pitch_v},
      {"pitch_r", Q::pitch_v},
      {"pitch_v", Q::pitch_v},
      {"price", Q::price},
  }};
  return names;
}

Powers powers_of(LayerQuantity quantity) {
  switch (quantity) {
    case LayerQuantity::area:
      return {.length = 2};
    case LayerQuantity::x_over_x0:
    case LayerQuantity::price:
      return {};
    default:
      return {.length = 1};
  }
}

bool has_quantity(const Layer& layer, LayerQuantity quantity) {
  using Q = LayerQuantity;
  const Shape shape = layer.surface.shape;
  const auto measures = [&](bool along_u) {
    return std::ranges::any_of(layer.coordinates, [&](const Coordinate& c) {
      return is_along_u(c) == along_u;
    });
  };
  switch (quantity) {
    case Q::radius:
    case Q::half_length:
    case Q::length:
    case Q::z_min:
    case Q::z_max:
      return shape == Shape::cylinder;
    case Q::z:
      return shape == Shape::disk ||
             (shape == Shape::plane && layer.surface.normal == Axis::z);
    case Q::inner:
    case Q::outer:
      return shape == Shape::disk;
    case Q::position:
    case Q::area:
    case Q::x_over_x0:
    case Q::price:
      return true;
    case Q::sigma_u:
    case Q::pitch_u:
      return measures(true);
    case Q::sigma_v:
    case Q::pitch_v:
      return measures(false);
  }
  return false;
}

}  // namespace gttf
