// SPDX-License-Identifier: Apache-2.0
// ToyMeasurement: what is measured of a simulated track at one surface.
#pragma once

#include "gttf/fit/track/hits.hpp"

namespace gttf::detail {

/// Measured coordinates get normal errors along their own axes; along a
/// direction that is not measured the hit is put where the reference track
/// crosses.
class ToyMeasurement {
 public:
  /// @param nominal  where the reference track crosses the surface
  /// @param hit      its place, axes and coordinates are set
  ToyMeasurement(const TrackingGeometry& geometry, const SurfaceRecord& surface,
                 const Vector3& nominal, TrackHit& hit);

  bool measures() const { return measures_; }
  const SurfaceRecord& surface() const { return surface_; }
  /// Does it measure a point, and not just one coordinate?
  bool measures_point() const { return measures_ && !free_; }
  /// Shift along u' and v' per random number `i` of a point.
  const Eigen::Vector2d& error(int i) const {
    return i == 0 ? first_error_ : second_error_;
  }
  /// Along u', v': what is not measured, if that is no point.
  const Eigen::Vector2d& free_direction() const { return free_direction_; }
  const Vector3& nominal() const { return nominal_; }
  /// Sets place and axes of a hit of a track that crosses at `at`.
  /// @param normal  random numbers, as many as there are coordinates
  /// @return        behind the last one used
  const double* measure(const Vector3& at, const double* normal,
                        TrackHit& hit) const;

 private:
  SurfaceRecord surface_;
  bool measures_ = false;
  /// Along u', v', of the measured coordinates, per random number.
  Eigen::Vector2d first_error_{0, 0}, second_error_{0, 0};
  bool free_ = false;  ///< one direction is unmeasured
  Eigen::Vector2d free_direction_{0, 0};
  Vector3 nominal_{0, 0, 0};
};

}  // namespace gttf::detail
