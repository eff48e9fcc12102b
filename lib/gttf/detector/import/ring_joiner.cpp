// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/ring_joiner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gttf::detail {
namespace {

/// Lengths (mm) and angles (rad) that differ by less are equal: lists are
/// written with six decimals or in single precision.
constexpr double same_length = 1e-4, same_turn = 2e-6;

bool agree(double a, double b, double within) {
  return std::abs(a - b) <= within;
}

bool same_direction(double a, double b) {
  return std::abs(std::remainder(a - b, 2 * unit::pi)) <= same_turn;
}

bool equal_but_place(const DescribedLayer& a, const DescribedLayer& b) {
  const auto same_slab = [](const Slab& x, const Slab& y) {
    return x.material == y.material && x.thickness == y.thickness &&
           x.x_over_x0 == y.x_over_x0;
  };
  const auto same_coordinate = [](const Coordinate& x, const Coordinate& y) {
    return x.angle == y.angle && x.sigma == y.sigma;
  };
  const Layer &x = a.layer, &y = b.layer;
  return x.group == y.group && x.efficiency == y.efficiency &&
         a.pitch == b.pitch &&
         agree(x.surface.u.length(), y.surface.u.length(), same_length) &&
         agree(x.surface.v.length(), y.surface.v.length(), same_length) &&
         std::ranges::equal(x.material, y.material, same_slab) &&
         std::ranges::equal(x.coordinates, y.coordinates, same_coordinate);
}

}  // namespace

bool stand_around(std::vector<double>& phi) {
  for (double& angle : phi) angle -= 360 * std::floor(angle / 360);
  std::ranges::sort(phi);
  const double step = 360.0 / static_cast<double>(phi.size());
  for (std::size_t k = 1; k < phi.size(); ++k)
    if (std::abs(phi[k] - phi[0] - step * static_cast<double>(k)) >
        same_turn / unit::deg)
      return false;
  return true;
}

bool RingJoiner::belongs_to(const Candidate& ring, const RingPlace& place,
                            const DescribedLayer& layer) const {
  const RingPlace& first = ring.place;
  return agree(first.radius, place.radius, same_length) &&
         agree(first.z, place.z, same_length) &&
         same_direction(first.tilt, place.tilt) &&
         same_direction(first.turn, place.turn) &&
         equal_but_place(layers_[ring.layers.front()], layer);
}

void RingJoiner::add(DescribedLayer layer, std::string series) {
  if (!series.empty() && layer.layer.surface.is_inclined())
    if (const auto place = ring_place(layer.layer.surface)) {
      std::vector<Candidate>& rings = rings_[series];
      const auto found = std::ranges::find_if(rings, [&](const Candidate& r) {
        return belongs_to(r, *place, layer);
      });
      Candidate& ring = found != rings.end()
                            ? *found
                            : rings.emplace_back(Candidate{*place, {}, {}});
      ring.layers.push_back(layers_.size());
      ring.phi.push_back(place->phi / unit::deg);
    }
  layers_.push_back(std::move(layer));
  series_.push_back(std::move(series));
}

std::vector<DescribedLayer> RingJoiner::take() {
  std::vector<bool> is_in_ring(layers_.size());
  for (auto& [name, rings] : rings_)
    for (Candidate& ring : rings) {
      if (ring.layers.size() < 2 || !stand_around(ring.phi)) continue;
      DescribedLayer& first = layers_[ring.layers.front()];
      const auto degrees = [](double angle) {
        constexpr double noise = 1e-12;
        return std::abs(angle) < noise ? 0 : angle / unit::deg;
      };
      const Surface& s = first.layer.surface;
      first.ring = DescribedRing{.radius = ring.place.radius,
                                 .z = ring.place.z,
                                 .tilt = degrees(ring.place.tilt),
                                 .phi = degrees(ring.place.phi),
                                 .turn = degrees(ring.place.turn),
                                 .count = static_cast<int>(ring.layers.size()),
                                 .size = {s.u.length(), s.v.length()}};
      first.layer.name = name;
      for (std::size_t k = 1; k < ring.layers.size(); ++k)
        is_in_ring[ring.layers[k]] = true;
    }
  std::vector<DescribedLayer> joined;
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (!is_in_ring[i]) joined.push_back(std::move(layers_[i]));
  return joined;
}

}  // namespace gttf::detail
