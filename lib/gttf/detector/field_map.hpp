// SPDX-License-Identifier: Apache-2.0
// FieldMap: a magnetic field between the nodes of a regular grid.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gttf/core/track_parameters.hpp"
#include "gttf/detector/surface.hpp"

namespace gttf {

/// Evenly spaced nodes along one axis, mm.
struct GridAxis {
  double first = 0;
  double spacing = 1;  ///< > 0
  int nodes = 2;       ///< >= 2

  double last() const { return first + (nodes - 1) * spacing; }
};

/// The field at the nodes of a grid as a file has it: Cartesian (x, y, z) with
/// (Bx, By, Bz), or around the z axis (r, z) with (Br, Bz).
struct FieldGrid {
  bool around_z = false;
  std::vector<GridAxis> axes;  ///< 3, or 2
  /// GeV/(e mm); the components of a node together, the last axis running
  /// fastest.
  std::vector<double> values;
};

/// Which half, quarter or octant of the field a grid leaves to symmetry: the
/// axes along which it begins or ends at 0 are mirrored there.
///
/// The magnet looks the same in a mirror across any axis. In that across the
/// main axis of its field the component along it keeps its sign and the others
/// change it; in that across another axis only the component along that axis
/// changes its sign: the potential is odd along the main axis, else even.
struct MirrorSymmetry {
  Axis main = Axis::z;

  /// Sign of component i at the mirror image along axis j.
  double parity(int i, int j) const {
    const double potential = j == static_cast<int>(main) ? -1 : 1;
    return i == j ? -potential : potential;
  }
};

/// How well splines through the nodes of a grid know the field between them.
struct InterpolationError {
  std::size_t axis = 0;  ///< along which it is largest
  double largest = 0;    ///< estimated, over the largest |B| of the nodes
};

/// Estimated without the true field, from splines along each axis through every
/// second node (error e2 at the nodes left out) and through every fourth (e4):
/// e2 min(1, e2/e4), which is e2/16 where the field is resolved and e2 where it
/// is not. Axes of fewer than 9 nodes, and the two cells at each end, do not
/// count.
InterpolationError interpolation_error(const FieldGrid& grid);

/// The field of a grid, scaled and moved, with continuous second derivatives:
/// cubic splines along each axis through the values at the nodes. At a mirror
/// (and at r = 0) a spline continues as its mirror image; at the other ends it
/// is a single cubic over the last two cells.
class FieldMap {
 public:
  /// What a file's values are multiplied with, and where its origin lies.
  struct Placement {
    double scale = 1;
    Vector3 offset = Vector3::Zero();  ///< mm
    std::optional<MirrorSymmetry> symmetry;
  };

  FieldMap(FieldGrid grid, const Placement& placement, std::string path = "");

  /// The field at a point of the user's axes, GeV/(e mm), and if wanted its
  /// derivatives gradient(i, j) = dB_i/dx_j. False outside of the map.
  bool at(const Vector3& x, Vector3& field) const {
    return look(x, field, nullptr);
  }
  bool at(const Vector3& x, Vector3& field, Eigen::Matrix3d& gradient) const {
    return look(x, field, &gradient);
  }
  bool covers(const Vector3& x) const;

  /// Path along `direction` until the map's edge on a straight line, mm; 0
  /// outside.
  double distance_to_edge(const Vector3& x, const Vector3& direction) const;

  /// The same map with a field `factor` times as strong; shares its nodes.
  FieldMap scaled(double factor) const;

  /// Largest |B| of the nodes, GeV/(e mm), > 0 unless there is no field.
  double largest() const { return std::abs(scale_) * largest_; }
  /// The axis along which the field is largest, summed over the nodes.
  Axis main_axis() const { return main_axis_; }

  /// How far the interpolated field is from div B = 0, both in rms over cells:
  /// |div B| over the size of all derivatives, and |div B| times the spacing
  /// over |B|.
  struct Divergence {
    double of_derivatives = 0;
    double of_field = 0;
  };
  Divergence divergence() const;

  bool around_z() const { return around_z_; }
  bool mirrored(std::size_t axis) const { return axes_[axis].mirrored; }
  /// Grid as given but for the offset: (x, y, z) or (r, z).
  const std::vector<GridAxis>& grid() const { return grid_; }
  double coarsest_spacing() const;
  /// Whether both hold the same numbers at the same nodes, scale and offset
  /// aside.
  bool same_nodes(const FieldMap& other) const;
  const Vector3& offset() const { return offset_; }
  double scale() const { return scale_; }
  /// The file it came from; may be empty.
  const std::string& path() const { return path_; }

 private:
  struct MapAxis {
    double first = 0, inv_spacing = 1;
    int nodes = 2;
    bool mirrored = false;  ///< at 0, where it begins
  };
  bool look(const Vector3& x, Vector3& field, Eigen::Matrix3d* gradient) const;
  bool look_cartesian(const Vector3& x, Vector3& field,
                      Eigen::Matrix3d* gradient) const;
  bool look_around_z(const Vector3& x, Vector3& field,
                     Eigen::Matrix3d* gradient) const;

  bool around_z_;
  std::vector<GridAxis> grid_;
  std::vector<MapAxis> axes_;
  std::optional<MirrorSymmetry> symmetry_;
  /// Spline coefficients, one more than nodes at both ends of each axis; the
  /// components together, the last axis fastest.
  std::shared_ptr<const std::vector<double>> coefficients_;
  double scale_ = 1;
  Vector3 offset_;
  double largest_ = 0;
  Axis main_axis_ = Axis::z;
  std::string path_;
};

}  // namespace gttf
