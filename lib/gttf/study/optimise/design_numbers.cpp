// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/design_numbers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gttf {

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
  using Kind = DesignNumber::Kind;
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
  constexpr std::size_t none = DesignNumber::none;
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

bool DesignNumbers::is_alike(const DesignNumbers& other) const {
  const Field &mine = detector_.field, &theirs = other.detector_.field;
  return first_ == other.first_ && !mine.map == !theirs.map &&
         (!mine.map || mine.map->same_nodes(*theirs.map)) &&
         std::ranges::equal(detector_.layers, other.detector_.layers,
                            [](const Layer& a, const Layer& b) {
                              // directions, maps and dead regions are not
                              // numbers of the list
                              return same_maps(a, b) && a.dead == b.dead &&
                                     a.surface.normal_vector ==
                                         b.surface.normal_vector &&
                                     a.surface.u_vector == b.surface.u_vector;
                            }) &&
         std::ranges::equal(kinds_, other.kinds_,
                            [](const DesignNumber& a, const DesignNumber& b) {
                              return a.kind == b.kind && a.layer == b.layer &&
                                     a.part == b.part;
                            });
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
      return (std::abs(c.angle) < 45 * unit::deg) == along_u;
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
