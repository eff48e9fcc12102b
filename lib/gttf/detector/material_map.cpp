// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/material_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gttf/core/units.hpp"
#include "gttf/detector/detector.hpp"

namespace gttf {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;

/// An azimuth within the turn that begins at `from`.
double within_turn(double phi, double from) {
  double x = std::fmod(phi - from, full_turn);
  if (x < 0) x += full_turn;
  return from + x;
}

}  // namespace

double MaterialMap::Bins::lower(std::size_t bin) const {
  const std::size_t n = centres.size();
  if (bin > 0) return 0.5 * (centres[bin - 1] + centres[bin]);
  if (coordinate == MapCoordinate::phi)
    return 0.5 * (centres[n - 1] - full_turn + centres[0]);
  if (n == 1) return -std::numeric_limits<double>::infinity();
  const double edge = centres[0] - 0.5 * (centres[1] - centres[0]);
  // the centre is the point closest to the axis
  return coordinate == MapCoordinate::r ? std::max(0.0, edge) : edge;
}

double MaterialMap::Bins::upper(std::size_t bin) const {
  const std::size_t n = centres.size();
  if (bin + 1 < n) return lower(bin + 1);
  if (coordinate == MapCoordinate::phi) return lower(0) + full_turn;
  if (n == 1) return std::numeric_limits<double>::infinity();
  return centres[n - 1] + 0.5 * (centres[n - 1] - centres[n - 2]);
}

std::size_t MaterialMap::Bins::find(double value) const {
  if (coordinate == MapCoordinate::phi) value = within_turn(value, lower(0));
  std::size_t begin = 0, end = centres.size();
  while (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    (value < lower(middle) ? end : begin) = middle;
  }
  return begin;
}

MaterialMap::MaterialMap(std::vector<Bins> axes, std::vector<double> values,
                         std::string path)
    : axes_(std::move(axes)),
      values_(std::move(values)),
      path_(std::move(path)) {
  const auto weight_of = [](const Bins& axis, std::size_t bin) {
    const double from = axis.lower(bin), to = axis.upper(bin);
    if (!std::isfinite(to - from)) return 1.0;
    return axis.coordinate == MapCoordinate::r ? to * to - from * from
                                               : to - from;
  };
  const std::size_t n = axes_.back().centres.size();
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    double weight = weight_of(axes_.back(), i % n);
    if (axes_.size() > 1) weight *= weight_of(axes_.front(), i / n);
    sum += weight * values_[i];
    weights += weight;
  }
  mean_ = sum / weights;
}

double MaterialMap::relative(const MapPlace& place) const {
  if (!(mean_ > 0)) return 1;
  std::size_t index = 0;
  for (const Bins& axis : axes_)
    index = index * axis.centres.size() +
            axis.find(place[static_cast<std::size_t>(axis.coordinate)]);
  return values_[index] / mean_;
}

double MaterialMap::smallest() const {
  return *std::ranges::min_element(values_);
}
double MaterialMap::largest() const {
  return *std::ranges::max_element(values_);
}

const MaterialMap::Bins* MaterialMap::axis(MapCoordinate coordinate) const {
  const auto found = std::ranges::find(axes_, coordinate, &Bins::coordinate);
  return found == axes_.end() ? nullptr : &*found;
}

bool MaterialMap::uses(MapCoordinate coordinate) const {
  return axis(coordinate) != nullptr;
}

MaterialMap MaterialMap::mirrored(
    std::initializer_list<MapCoordinate> changed) const {
  std::vector<Bins> axes = axes_;
  std::vector<bool> turned;
  for (Bins& axis : axes) {
    turned.push_back(std::ranges::find(changed, axis.coordinate) !=
                     changed.end());
    if (!turned.back()) continue;
    std::ranges::reverse(axis.centres);
    for (double& centre : axis.centres) centre = -centre;
  }
  std::vector<double> values;
  values.reserve(values_.size());
  const std::size_t n = axes_.back().centres.size();
  const std::size_t outer = values_.size() / n;
  for (std::size_t i = 0; i < outer; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t from_j = turned.back() ? n - 1 - j : j;
      const std::size_t from_i =
          axes_.size() > 1 && turned.front() ? outer - 1 - i : i;
      values.push_back(values_[from_i * n + from_j]);
    }
  return {std::move(axes), std::move(values), path_};
}

bool MaterialMap::operator==(const MaterialMap& other) const {
  return values_ == other.values_ &&
         std::ranges::equal(
             axes_, other.axes_, [](const Bins& a, const Bins& b) {
               return a.coordinate == b.coordinate && a.centres == b.centres;
             });
}

bool same_maps(const Layer& a, const Layer& b) {
  if (!a.has_map() && !b.has_map()) return true;
  return std::ranges::equal(
      a.material, b.material, [](const Slab& one, const Slab& other) {
        return one.map == other.map ||
               (one.map && other.map && *one.map == *other.map);
      });
}

}  // namespace gttf
