// SPDX-License-Identifier: Apache-2.0
// FieldMap: a magnetic field interpolated on a regular grid.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gttf/core/track_parameters.hpp"
#include "gttf/detector/surface.hpp"

namespace gttf {

namespace detail {
struct FieldMapView;  // field_lookup.hpp
}

/// Evenly spaced nodes along one axis, mm.
struct GridAxis {
  double first = 0;
  double spacing = 1;  ///< > 0
  int nodes = 2;       ///< >= 2

  double last() const { return first + (nodes - 1) * spacing; }
};

/// The field at the nodes of a grid, as in the file: Cartesian (x, y, z) with
/// (Bx, By, Bz), or around the z axis (r, z) with (Br, Bz).
struct FieldGrid {
  bool around_z = false;
  std::vector<GridAxis> axes;  ///< 3, or 2
  /// GeV/(e mm); the components of a node are adjacent, the last axis varies
  /// fastest.
  std::vector<double> values;
};

/// Symmetry of a grid of a half, quarter or octant of the field: axes along
/// which it begins or ends at 0 are mirrored there.
///
/// The magnet is symmetric under reflection along every axis. Along the main
/// axis of the field, reflection keeps the sign of the component along it and
/// changes the others; along another axis it changes only the component along
/// that axis: the potential is odd along the main axis, else even.
struct MirrorSymmetry {
  Axis main = Axis::z;

  /// Sign of component i at the mirror image along axis j.
  double parity(int i, int j) const {
    const double potential = j == static_cast<int>(main) ? -1 : 1;
    return i == j ? -potential : potential;
  }
};

/// Estimated accuracy of the spline interpolation between the nodes.
struct InterpolationError {
  std::size_t axis = 0;  ///< along which the error is largest
  double largest = 0;    ///< estimated, over the largest |B| of the nodes
};

/// Estimated without the true field, from splines along each axis through every
/// second node (error e2 at the nodes left out) and through every fourth (e4):
/// e2 min(1, e2/e4), which is e2/16 where the field is resolved and e2 where it
/// is not. Axes with fewer than 9 nodes, and the two cells at each end, are not
/// used.
InterpolationError interpolation_error(const FieldGrid& grid);

/// The field of a grid, scaled and shifted, with continuous second derivatives:
/// cubic splines along each axis through the values at the nodes. At a mirror
/// (and at r = 0) a spline continues as its mirror image; at the other ends it
/// is a single cubic over the last two cells.
class FieldMap {
 public:
  /// The scale factor of the values in a file, and the position of its origin.
  struct Placement {
    double scale = 1;
    Vector3 offset = Vector3::Zero();  ///< mm
    std::optional<MirrorSymmetry> symmetry;
  };

  FieldMap(FieldGrid grid, const Placement& placement, std::string path = "");

  /// The field at a point in the user's axes, GeV/(e mm), and optionally its
  /// derivatives gradient(i, j) = dB_i/dx_j. Returns false outside the map.
  bool at(const Vector3& x, Vector3& field) const;
  bool at(const Vector3& x, Vector3& field, Eigen::Matrix3d& gradient) const;
  bool covers(const Vector3& x) const;

  /// Straight distance along `direction` to the edge of the map, mm; 0
  /// outside.
  double distance_to_edge(const Vector3& x, const Vector3& direction) const;

  /// The same map with the field multiplied by `factor`; shares the nodes.
  FieldMap scaled(double factor) const;
  /// The same map with another scale and offset; shares the nodes.
  FieldMap placed(double scale, const Vector3& offset) const;

  /// Largest |B| of the nodes, GeV/(e mm), > 0 unless there is no field.
  double largest() const;
  /// The axis along which the field is largest, summed over the nodes.
  Axis main_axis() const { return main_axis_; }

  /// Violation of div B = 0 by the interpolated field, as rms over cells:
  /// |div B| over the size of all derivatives, and |div B| times the spacing
  /// over |B|.
  struct Divergence {
    double of_derivatives = 0;
    double of_field = 0;
  };
  Divergence divergence() const;

  bool around_z() const;
  bool mirrored(std::size_t axis) const;
  /// Grid as given except for the offset: (x, y, z) or (r, z).
  const std::vector<GridAxis>& grid() const { return grid_; }
  double coarsest_spacing() const;
  /// Whether both have the same values at the same nodes, disregarding scale
  /// and offset.
  bool same_nodes(const FieldMap& other) const;
  Vector3 offset() const;
  double scale() const;
  /// The file it came from; may be empty.
  const std::string& path() const { return path_; }

  /// The numbers needed to look up the field; valid as long as the map.
  const detail::FieldMapView& view() const { return *view_; }

 private:
  FieldMap placed_in(detail::FieldMapView view, double scale,
                     const Vector3& offset) const;

  std::vector<GridAxis> grid_;
  /// Spline coefficients, see FieldMapView.
  std::shared_ptr<const std::vector<double>> coefficients_;
  std::shared_ptr<const detail::FieldMapView> view_;
  Axis main_axis_ = Axis::z;
  std::string path_;
};

}  // namespace gttf
