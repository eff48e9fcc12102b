// SPDX-License-Identifier: Apache-2.0
// Magnets with a known field, and maps and map files made from them.
#pragma once

#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gttf/core/units.hpp"
#include "gttf/detector/field.hpp"
#include "gttf/detector/field_map.hpp"

namespace gttf::test {

using FieldFunction = std::function<Vector3(const Vector3&)>;

/// A coil of finite length: current loops around the z axis, exact up to the
/// distance between loops. Source: field of a loop by complete elliptic
/// integrals, textbook.
class LoopSolenoid {
 public:
  LoopSolenoid(double radius, double length, double field, int loops = 200)
      : radius_(radius), length_(length), loops_(loops) {
    strength_ = field / along(Vector3::Zero()).z();
  }

  Vector3 operator()(const Vector3& x) const { return strength_ * along(x); }

 private:
  Vector3 along(const Vector3& x) const {
    const double r = std::hypot(x.x(), x.y());
    double br = 0, bz = 0;
    for (int i = 0; i < loops_; ++i) {
      const double z = x.z() - length_ * ((i + 0.5) / loops_ - 0.5);
      const double near2 = (radius_ - r) * (radius_ - r) + z * z;
      const double far2 = (radius_ + r) * (radius_ + r) + z * z;
      const double k = std::sqrt(4 * radius_ * r / far2);
      const double first = std::comp_ellint_1(k),
                   second = std::comp_ellint_2(k);
      const double scale = 1 / std::sqrt(far2);
      const double a2 = radius_ * radius_, d2 = r * r + z * z;
      bz += scale * (first + second * (a2 - d2) / near2);
      if (r > 1e-9) br += scale * z / r * (-first + second * (a2 + d2) / near2);
    }
    const double per_r = r > 1e-9 ? br / r : 0;
    return {per_r * x.x(), per_r * x.y(), bz};
  }

  double radius_, length_;
  int loops_;
  double strength_ = 1;
};

/// Field along y between z = -half and z = half that falls off within `scale`,
/// uniform along x: By + i Bz is a function of z + i y, so that div B and
/// curl B are 0. Good for |y| < pi/2 `scale`.
struct FringeDipole {
  double field = 1 * unit::T;
  double half = 500;
  double scale = 400;

  Vector3 operator()(const Vector3& x) const {
    const std::complex<double> w(x.z(), x.y());
    const auto b =
        0.5 * field *
        (std::tanh((w + half) / scale) - std::tanh((w - half) / scale));
    return {0, b.real(), b.imag()};
  }
};

/// `nodes` from `first` to `last`.
inline GridAxis axis_from(double first, double last, int nodes) {
  return {first, (last - first) / (nodes - 1), nodes};
}

/// The nodes of a Cartesian grid from `first` on.
inline FieldGrid sample(const FieldFunction& field,
                        const std::vector<GridAxis>& axes) {
  FieldGrid grid;
  grid.axes = axes;
  for (int i = 0; i < axes[0].nodes; ++i)
    for (int j = 0; j < axes[1].nodes; ++j)
      for (int k = 0; k < axes[2].nodes; ++k) {
        const Vector3 b = field({axes[0].first + i * axes[0].spacing,
                                 axes[1].first + j * axes[1].spacing,
                                 axes[2].first + k * axes[2].spacing});
        grid.values.insert(grid.values.end(), {b.x(), b.y(), b.z()});
      }
  return grid;
}

/// The nodes of a grid in r and z of a field around the z axis.
inline FieldGrid sample_around_z(const FieldFunction& field, const GridAxis& r,
                                 const GridAxis& z) {
  FieldGrid grid;
  grid.around_z = true;
  grid.axes = {r, z};
  for (int i = 0; i < r.nodes; ++i)
    for (int k = 0; k < z.nodes; ++k) {
      const Vector3 b =
          field({r.first + i * r.spacing, 0, z.first + k * z.spacing});
      grid.values.insert(grid.values.end(), {b.x(), b.z()});
    }
  return grid;
}

/// A grid whose values have only so many digits, in T: its splines are smooth
/// between the nodes, but not across them.
inline FieldGrid rounded(FieldGrid grid, int digits) {
  for (double& b : grid.values) {
    char number[40];
    std::snprintf(number, sizeof number, "%.*e", digits - 1, b / unit::T);
    b = std::stod(number) * unit::T;
  }
  return grid;
}

/// A grid as a file has it, in mm and T.
inline std::string text_of(const FieldGrid& grid) {
  std::string text = grid.around_z ? "r[mm] z[mm] Br[T] Bz[T]\n"
                                   : "x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]\n";
  const std::size_t n = grid.axes.size();
  std::vector<int> index(n);
  for (std::size_t node = 0; node * n < grid.values.size(); ++node) {
    char number[40];
    for (std::size_t j = 0; j < n; ++j) {
      std::snprintf(number, sizeof number, "%.10g ",
                    grid.axes[j].first + index[j] * grid.axes[j].spacing);
      text += number;
    }
    for (std::size_t c = 0; c < n; ++c) {
      std::snprintf(number, sizeof number, "%.8e%c",
                    grid.values[node * n + c] / unit::T,
                    c + 1 < n ? ' ' : '\n');
      text += number;
    }
    for (std::size_t j = n; j-- > 0;) {
      if (++index[j] < grid.axes[j].nodes) break;
      index[j] = 0;
    }
  }
  return text;
}

/// A field of kind map, with its reference.
inline Field map_field(FieldGrid grid,
                       const FieldMap::Placement& placement = {}) {
  Field field;
  field.kind = FieldKind::map;
  field.map = std::make_shared<const FieldMap>(std::move(grid), placement);
  set_reference(field);
  return field;
}

/// A coil around a tracker of 0.6 m, sampled in r and z or in x, y and z.
inline FieldGrid coil_grid(bool around_z, int nodes_across = 31,
                           int nodes_along_z = 51) {
  const LoopSolenoid coil(2000, 8000, 0.5 * unit::T);
  const GridAxis along_z = axis_from(-1000, 1000, nodes_along_z);
  if (around_z)
    return sample_around_z(coil, axis_from(0, 600, nodes_across), along_z);
  const GridAxis side = axis_from(-600, 600, nodes_across);
  return sample(coil, {side, side, along_z});
}
inline Field coil_map(bool around_z, int nodes_across = 31,
                      int nodes_along_z = 51) {
  return map_field(coil_grid(around_z, nodes_across, nodes_along_z));
}

}  // namespace gttf::test
