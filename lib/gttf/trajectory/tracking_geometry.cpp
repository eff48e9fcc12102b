// SPDX-License-Identifier: Apache-2.0
// Builds the flat arrays of a TrackingGeometry from a Detector.
#include "gttf/trajectory/tracking_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/detector/hit_error.hpp"
#include "gttf/detector/material_map.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/module_index.hpp"
#include "gttf/trajectory/surface_level.hpp"

namespace gttf {

namespace {

/// 0 instead of the rounding error of cos(90 deg): a coordinate along an axis
/// must not contain the other one, however large its error is.
double snapped(double x) { return std::abs(x) < 1e-15 ? 0 : x; }

/// Distance from the middle of an extent, or from 0 where it has none.
double from_middle(const Interval& extent, double x) {
  const double middle = 0.5 * (extent.lower + extent.upper);
  return std::isfinite(middle) ? x - middle : x;
}

MapPlace map_place(const SurfaceRecord& s, const Vector3& x) {
  MapPlace place{};
  const auto set = [&place](MapCoordinate c, double value) {
    place[static_cast<std::size_t>(c)] = value;
  };
  set(MapCoordinate::z, x.z());
  set(MapCoordinate::r, std::hypot(x.x(), x.y()));
  set(MapCoordinate::phi, std::atan2(x.y(), x.x()));
  if (s.shape != Shape::plane) return place;
  const auto [u, v] = detail::plane_coordinates(s, cartesian(x));
  set(MapCoordinate::u, from_middle(s.u, u));
  set(MapCoordinate::v, from_middle(s.v, v));
  return place;
}

}  // namespace

void SurfaceRecord::set_inclination() {
  if (kind == Kind::cone) {
    normal_r = 1 / std::sqrt(1 + slope * slope);
    normal_z = -slope * normal_r;
    return;
  }
  const auto &n = normal_vector, &e = u_vector;
  normal_z = n[2];
  normal_r = std::hypot(n[0], n[1]);
  // a normal along z except for rounding has no azimuth
  if (normal_r > 1e-15) {
    normal_cos = n[0] / normal_r;
    normal_sin = n[1] / normal_r;
  } else {
    normal_r = 0;
  }
  // u' = (-sin, cos, 0), v' = normal x u'
  turn_cos = snapped(-e[0] * normal_sin + e[1] * normal_cos);
  turn_sin = snapped(-normal_z * (e[0] * normal_cos + e[1] * normal_sin) +
                     normal_r * e[2]);
}

std::pair<CoordinateAxis, CoordinateAxis> SurfaceRecord::user_axes() const {
  if (kind == Kind::inclined)
    return {{.cosine = turn_cos, .sine = turn_sin},
            {.cosine = -turn_sin, .sine = turn_cos}};
  // normal to y: (u, v) = (z, x) = (v', -u'); normal to z: (x, y) = (v', u')
  if (kind == Kind::plane && normal == Axis::y)
    return {{.cosine = 0, .sine = 1}, {.cosine = -1, .sine = 0}};
  if (kind == Kind::disk_plane)
    return {{.cosine = 0, .sine = 1}, {.cosine = 1, .sine = 0}};
  return {{.cosine = 1, .sine = 0}, {.cosine = 0, .sine = 1}};
}

TrackingGeometry::TrackingGeometry(const Detector& detector)
    : field_(detector.field) {
  set_reference(field_);
  surfaces_.reserve(detector.layers.size());
  std::vector<DeadPart> dead;
  for (const Layer& layer : detector.layers) {
    SurfaceRecord r(layer.surface);
    r.x_over_x0 = layer.x_over_x0();
    r.first_axis = static_cast<unsigned>(axes_.size());
    r.n_axes = static_cast<unsigned>(layer.coordinates.size());
    const auto [u, v] = r.user_axes();
    for (const Coordinate& c : layer.coordinates) {
      const double ca = snapped(std::cos(c.angle));
      const double sa = snapped(std::sin(c.angle));
      axes_.push_back({.cosine = snapped(ca * u.cosine + sa * v.cosine),
                       .sine = snapped(ca * u.sine + sa * v.sine),
                       .variance = c.sigma * c.sigma});
      least_variance_ = std::min(least_variance_, axes_.back().variance);
      if (c.error)
        errors_.push_back(
            {static_cast<unsigned>(axes_.size() - 1), c.sigma, c.error});
    }
    if (layer.is_dead())
      r.n_axes = 0;
    else if (layer.measures())
      for (const DeadRegion& region : layer.dead)
        dead.push_back({surfaces_.size(), region});
    surfaces_.push_back(r);
    first_slab_.push_back(slabs_.size());
    for (LossSlab& slab : make_loss_slabs(layer, detector.materials))
      slabs_.push_back(std::move(slab));
    for (std::size_t k = 0; k < layer.material.size(); ++k)
      if (layer.material[k].map)
        maps_.push_back({surfaces_.size() - 1, k, layer.material[k].map});
  }
  first_slab_.push_back(slabs_.size());
  if (!dead.empty())
    dead_ = std::make_shared<const std::vector<DeadPart>>(std::move(dead));
  // a few planes are tried faster than they are found
  constexpr std::ptrdiff_t few = 16;
  if (std::ranges::count(surfaces_, SurfaceRecord::Kind::inclined,
                         &SurfaceRecord::kind) > few)
    modules_ = std::make_shared<ModuleIndex>(surfaces_);
}

TrackingGeometry::~TrackingGeometry() = default;
TrackingGeometry::TrackingGeometry(const TrackingGeometry&) = default;
TrackingGeometry& TrackingGeometry::operator=(const TrackingGeometry&) =
    default;
TrackingGeometry::TrackingGeometry(TrackingGeometry&&) noexcept = default;
TrackingGeometry& TrackingGeometry::operator=(TrackingGeometry&&) noexcept =
    default;

std::span<const LossSlab> TrackingGeometry::slabs(std::size_t i) const {
  return std::span(slabs_).subspan(first_slab_[i],
                                   first_slab_[i + 1] - first_slab_[i]);
}

std::span<const TrackingGeometry::SlabMap> TrackingGeometry::maps_of(
    std::size_t surface) const {
  return {std::ranges::lower_bound(maps_, surface, {}, &SlabMap::surface),
          std::ranges::upper_bound(maps_, surface, {}, &SlabMap::surface)};
}

bool TrackingGeometry::is_mapped(std::size_t i) const {
  return !maps_.empty() && !maps_of(i).empty();
}

std::vector<LossSlab> TrackingGeometry::slabs_at(std::size_t i,
                                                 const Vector3& x) const {
  const auto average = slabs(i);
  std::vector<LossSlab> local(average.begin(), average.end());
  const MapPlace place = map_place(surfaces_[i], x);
  for (const SlabMap& m : maps_of(i)) {
    const double factor = m.map->relative(place);
    local[m.slab].mass_thickness *= factor;
    local[m.slab].x_over_x0 *= factor;
  }
  return local;
}

double TrackingGeometry::x_over_x0_at(std::size_t i, const Vector3& x) const {
  const auto average = slabs(i);
  const auto maps = maps_of(i);
  const MapPlace place = map_place(surfaces_[i], x);
  double sum = 0;
  for (std::size_t k = 0; k < average.size(); ++k) {
    const auto own = std::ranges::find(maps, k, &SlabMap::slab);
    sum += average[k].x_over_x0 *
           (own == maps.end() ? 1 : own->map->relative(place));
  }
  return sum;
}

bool TrackingGeometry::set_errors(std::size_t i, const HitErrorInput& track) {
  const SurfaceRecord& s = surfaces_[i];
  bool good = true;
  auto error =
      std::ranges::lower_bound(errors_, s.first_axis, {}, &AxisError::axis);
  for (; error != errors_.end() && error->axis < s.first_axis + s.n_axes;
       ++error) {
    const double sigma = error->sigma * error->error->relative(track);
    good = good && sigma > 0 && std::isfinite(sigma);
    axes_[error->axis].variance = sigma * sigma;
    if (good) least_variance_ = std::min(least_variance_, sigma * sigma);
  }
  return good;
}

bool TrackingGeometry::is_dead(std::size_t i, double x, double y,
                               double z) const {
  if (!dead_) return false;
  return std::any_of(
      std::ranges::lower_bound(*dead_, i, {}, &DeadPart::surface),
      std::ranges::upper_bound(*dead_, i, {}, &DeadPart::surface),
      [&](const DeadPart& part) { return part.region.contains(x, y, z); });
}

void TrackingGeometry::replace(std::size_t i, const Surface& surface) {
  SurfaceRecord& s = surfaces_[i];
  SurfaceRecord other(surface);
  other.x_over_x0 = s.x_over_x0;
  other.first_axis = s.first_axis;
  other.n_axes = s.n_axes;
  const auto [old_u, old_v] = s.user_axes();
  const auto [u, v] = other.user_axes();
  for (CoordinateAxis& axis :
       std::span(axes_).subspan(s.first_axis, s.n_axes)) {
    const double by_u = axis.cosine * old_u.cosine + axis.sine * old_u.sine;
    const double by_v = axis.cosine * old_v.cosine + axis.sine * old_v.sine;
    axis.cosine = snapped(by_u * u.cosine + by_v * v.cosine);
    axis.sine = snapped(by_u * u.sine + by_v * v.sine);
  }
  s = other;
  modules_.reset();  // the surface may have moved
}

void TrackingGeometry::scale_material(std::size_t i, double factor) {
  surfaces_[i].x_over_x0 *= factor;
  for (std::size_t k = first_slab_[i]; k < first_slab_[i + 1]; ++k) {
    LossSlab& slab = slabs_[k];
    slab.mass_thickness *= factor;
    slab.x_over_x0 *= factor;
    if (slab.mean_loss) *slab.mean_loss *= factor;
  }
}

}  // namespace gttf
