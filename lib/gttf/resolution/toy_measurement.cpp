// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <tuple>

#include "gttf/resolution/toy_flight.hpp"
#include "gttf/resolution/toy_measurement.hpp"
#include "gttf/trajectory/surface_axes.hpp"

namespace gttf::detail {

ToyMeasurement::ToyMeasurement(const TrackingGeometry& geometry,
                               const SurfaceRecord& surface,
                               const Vector3& nominal, TrackHit& hit)
    : surface_(surface), nominal_(nominal) {
  hit.position = nominal_;
  std::tie(hit.u, hit.v) = surface_axes(surface_, nominal_);
  hit.cylinder = surface_.kind == SurfaceRecord::Kind::cylinder;
  const auto axes = geometry.axes(surface_);
  if (!axes.empty()) set_coordinates(hit, axes);
  measures_ = hit.measures();
  const auto sigma = [&hit](std::size_t q) {
    return std::sqrt(hit.coordinates[q].variance);
  };
  const CoordinateAxis& a = hit.coordinates[0];
  if (hit.n_coordinates == 1) {
    first_error_ = Eigen::Vector2d(a.cosine, a.sine) * sigma(0);
    free_ = true;
    free_direction_ = {-a.sine, a.cosine};
  } else if (hit.n_coordinates == 2) {
    // a . shift = sigma_a n_a, b . shift = sigma_b n_b
    const CoordinateAxis& b = hit.coordinates[1];
    const double det = a.cosine * b.sine - a.sine * b.cosine;
    first_error_ = Eigen::Vector2d(b.sine, -b.cosine) * (sigma(0) / det);
    second_error_ = Eigen::Vector2d(-a.sine, a.cosine) * (sigma(1) / det);
  }
}

const double* ToyMeasurement::measure(const Vector3& at, const double* normal,
                                      TrackHit& hit) const {
  const auto [u, v] = surface_axes(surface_, at);
  Eigen::Vector2d shift = first_error_ * *normal++;
  if (free_) {
    const Vector3 along = u * free_direction_[0] + v * free_direction_[1];
    shift += free_direction_ * along.dot(nominal_ - at);
  } else {
    shift += second_error_ * *normal++;
  }
  const Cartesian<double> point =
      shifted_point(surface_, {at.x(), at.y(), at.z()}, shift[0], shift[1]);
  hit.position = {point.x, point.y, point.z};
  std::tie(hit.u, hit.v) = surface_axes(surface_, hit.position);
  return normal;
}

}  // namespace gttf::detail
