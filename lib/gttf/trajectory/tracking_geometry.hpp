// SPDX-License-Identifier: Apache-2.0
// TrackingGeometry: a detector as the track finder and the fits see it.
#pragma once

#include <span>
#include <vector>

#include "gttf/detector/detector.hpp"

namespace gttf {

/// Direction of a measured coordinate in the axes of its surface record, and
/// its variance in mm^2: m = cosine * u + sine * v.
struct Axis2 {
  double cosine = 1;
  double sine = 0;
  double variance = 1;
};

/// Surface of one layer, flat and small. Planes are described by their normal;
/// a plane normal to z has shape disk_plane.
struct SurfaceRecord {
  enum class Kind : unsigned char { cylinder, disk, plane, disk_plane };

  Kind kind = Kind::cylinder;
  double position = 0;    ///< radius | z | distance along the normal
  Interval u, v;          ///< extent; see Surface
  double normal_cos = 1;  ///< azimuth of a plane's normal
  double normal_sin = 0;
  double x_over_x0 = 0;     ///< normal incidence
  unsigned first_axis = 0;  ///< into TrackingGeometry::axes()
  unsigned n_axes = 0;      ///< 0: passive
};

/// Flat arrays made once from a detector; index = index in Detector::layers.
class TrackingGeometry {
 public:
  explicit TrackingGeometry(const Detector& detector);

  double bz() const { return bz_; }
  std::span<const SurfaceRecord> surfaces() const { return surfaces_; }
  std::span<const Axis2> axes(const SurfaceRecord& s) const {
    return std::span(axes_).subspan(s.first_axis, s.n_axes);
  }

 private:
  double bz_ = 0;
  std::vector<SurfaceRecord> surfaces_;
  std::vector<Axis2> axes_;
};

}  // namespace gttf
