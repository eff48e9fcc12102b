// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/field_map.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

// Cubic splines on regular grids: coefficients, and weights within a cell.
namespace gttf::detail {

/// The four B-splines that are not zero in a cell, and their slopes per cell.
struct CellWeights {
  int cell = 0;
  std::array<double, 4> value{}, slope{};

  /// Sets the weights for a position in units of the spacing from the first
  /// node. Returns false beyond the end nodes, except for rounding.
  bool find(double place, int nodes) {
    constexpr double rounding = 1e-9;
    if (!(place >= -rounding && place <= nodes - 1 + rounding)) return false;
    cell = static_cast<int>(place);
    if (cell > nodes - 2) cell = nodes - 2;
    const double f = place - cell, g = 1 - f, f2 = f * f, g2 = g * g;
    value = {g * g2 / 6, (4 - 3 * f2 * (2 - f)) / 6, (4 - 3 * g2 * (2 - g)) / 6,
             f * f2 / 6};
    slope = {-0.5 * g2, f * (1.5 * f - 2), g * (2 - 1.5 * g), 0.5 * f2};
    return true;
  }
};

/// Values at the nodes of a grid; components are adjacent and the last axis
/// varies fastest.
struct SplineGrid {
  std::size_t components = 1;
  std::vector<std::size_t> nodes;  ///< per axis, each >= 2
  /// per axis and component: +1 if the spline is even about the first node, -1
  /// if it is odd, 0 if neither
  std::vector<std::vector<int>> parity;
};

/// Coefficients of the interpolating spline, with one more at each end of each
/// axis: node k of an axis is c[k]/6 + 4 c[k+1]/6 + c[k+2]/6. An end that is
/// not mirrored has no knot at the second to last node (four nodes or more;
/// with fewer a parabola or a straight line).
std::vector<double> spline_coefficients(std::vector<double> values,
                                        const SplineGrid& grid);

namespace {

/// Processes many lines of n nodes, stored in rows: row k holds the values f_k
/// of node k of all lines. Solves for a_k with a_{k-1} + 4 a_k + a_{k+1} = 6
/// f_k for k = 0..n-1, from a_{-1} to a_n, in place: the rows of f_0 to f_{n-1}
/// become those of a_0 to a_{n-1}.
class Lines {
 public:
  Lines(std::size_t nodes, std::size_t length, const std::vector<int>& parity)
      : n_(nodes), length_(length), slope_(nodes), ends_(4 * length) {
    for (const int one : parity) mirrored_ = mirrored_ || one != 0;
    // without a mirror all components are alike: one loop over a row
    if (mirrored_)
      parity_.assign(parity.begin(), parity.end());
    else
      parity_ = {0};
    components_ = parity_.size();
    // a_k = (6 f_k - a_{k-1}) s_k - s_k a_{k+1} with s_k = 1/(4 - s_{k-1})
    const std::size_t first = mirrored_ ? 0 : 1;
    for (std::size_t k = first; k < n_; ++k) {
      slope_[k].resize(components_);
      for (std::size_t c = 0; c < components_; ++c)
        slope_[k][c] = k > first ? 1 / (4 - slope_[k - 1][c])
                       : mirrored_ && parity_[c] > 0 ? 0.5
                                                     : 0;
    }
  }

  /// @param rows  that of a_{-1}, those of the nodes, and that of a_n
  void solve(double* rows) {
    a_ = rows + length_;  // a_0; a_{-1} comes before it
    // these are used after they have been replaced
    for (std::size_t i = 0; i < 4; ++i)
      std::copy_n(a(end_row(i)), length_, ends_.data() + i * length_);
    if (n_ == 2 || (n_ == 3 && !mirrored_)) return solve_short();
    const std::size_t end = n_ - 2;
    no_knot(end);
    const std::size_t first = mirrored_ ? 0 : 1;
    if (mirrored_)  // even: 4 a_0 + 2 a_1 = 6 f_0, odd: a_0 = 0
      each([&](std::size_t i, std::size_t c) {
        a(0)[i] = parity_[c] > 0 ? 1.5 * f(0)[i] : 0;
      });
    else
      no_knot(1);
    for (std::size_t k = first + 1; k < end; ++k) {
      double* const to = a(k);
      const double *const before = a(k - 1), *const value = f(k);
      const double* const slope = slope_[k].data();
      each([=](std::size_t i, std::size_t c) {
        to[i] = (6 * value[i] - before[i]) * slope[c];
      });
    }
    for (std::size_t k = end; k-- > first;) {
      double* const to = a(k);
      const double* const behind = a(k + 1);
      const double* const slope = slope_[k].data();
      each(
          [=](std::size_t i, std::size_t c) { to[i] -= slope[c] * behind[i]; });
    }
    finish(end);
  }

 private:
  /// The first, second, last but one and last node.
  std::size_t end_row(std::size_t i) const { return i < 2 ? i : n_ - 4 + i; }
  /// The values of a node that is one of these, or has not been replaced.
  const double* f(std::size_t k) const {
    for (std::size_t i = 0; i < 4; ++i)
      if (k == end_row(i)) return ends_.data() + i * length_;
    return a(k);
  }
  double* a(std::size_t k) const { return a_ + k * length_; }

  template <class Body>
  void each(const Body& body) const {
    if (components_ == 1) {  // vectorised
#ifndef __clang__
#pragma GCC ivdep
#endif
      for (std::size_t i = 0; i < length_; ++i) body(i, 0);
      return;
    }
    for (std::size_t i = 0; i < length_; i += components_)
      for (std::size_t c = 0; c < components_; ++c) body(i + c, c);
  }

  /// The same cubic on both sides of node k: the second differences of a and f
  /// are equal there.
  void no_knot(std::size_t k) const {
    each([&](std::size_t i, std::size_t) {
      a(k)[i] = f(k)[i] - (f(k - 1)[i] - 2 * f(k)[i] + f(k + 1)[i]) / 6;
    });
  }

  /// Both ends, outwards, from the remaining equations.
  void finish(std::size_t end) const {
    double* before = a_ - length_;
    each([&](std::size_t i, std::size_t c) {
      if (mirrored_) {
        before[i] = parity_[c] * a(1)[i];
      } else {
        a(0)[i] = 6 * f(1)[i] - 4 * a(1)[i] - a(2)[i];
        before[i] = 6 * f(0)[i] - 4 * a(0)[i] - a(1)[i];
      }
      const double previous = end > 0 ? a(end - 1)[i] : before[i];
      a(end + 1)[i] = 6 * f(end)[i] - 4 * a(end)[i] - previous;
      a(end + 2)[i] = 6 * f(end + 1)[i] - 4 * a(end + 1)[i] - a(end)[i];
    });
  }

  /// Two or three nodes: the parabola f + d x + b x^2/2 around node 1, whose
  /// coefficients are a_k = f - b/6 + d x + b x^2/2.
  void solve_short() const {
    each([&](std::size_t i, std::size_t c) {
      const double middle = f(1)[i];
      double bend = 0, step = middle - f(0)[i];
      if (n_ == 3) {
        bend = f(0)[i] - 2 * middle + f(2)[i];
        step = 0.5 * (f(2)[i] - f(0)[i]);
      } else if (parity_[c] > 0) {
        bend = 2 * step;
        step = bend;
      } else if (parity_[c] < 0) {
        step = middle;
      }
      for (std::size_t k = 0; k < n_ + 2; ++k) {
        const double x = static_cast<double>(k) - 2;
        (a_ - length_)[k * length_ + i] =
            middle - bend / 6 + x * step + 0.5 * x * x * bend;
      }
    });
  }

  std::size_t n_, length_, components_ = 1;
  bool mirrored_ = false;
  std::vector<double> parity_;
  std::vector<std::vector<double>> slope_;  ///< s_k, per component
  std::vector<double> ends_;                ///< values of four nodes
  double* a_ = nullptr;
};

}  // namespace

std::vector<double> spline_coefficients(std::vector<double> values,
                                        const SplineGrid& grid) {
  const std::size_t axes = grid.nodes.size();
  std::size_t size = grid.components;
  for (const std::size_t n : grid.nodes) size *= n + 2;
  std::vector<double> coefficients(size);
  // the nodes, with space at both ends of each axis
  const std::size_t row = grid.components * grid.nodes.back();
  std::vector<std::size_t> index(axes);
  for (std::size_t from = 0; from < values.size(); from += row) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < axes; ++i)
      to = to * (grid.nodes[i] + 2) + index[i] + 1;
    std::copy_n(values.data() + from, row,
                coefficients.data() + to * grid.components);
    for (std::size_t i = axes - 1; i-- > 0;) {
      if (++index[i] < grid.nodes[i]) break;
      index[i] = 0;
    }
  }
  values = std::vector<double>();  // returns its memory
  std::size_t outer = 1, inner = size;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::size_t rows = grid.nodes[axis] + 2;
    inner /= rows;
    Lines lines(grid.nodes[axis], inner, grid.parity[axis]);
    for (std::size_t o = 0; o < outer; ++o)
      lines.solve(coefficients.data() + o * rows * inner);
    outer *= rows;
  }
  return coefficients;
}

}  // namespace gttf::detail

namespace gttf {

namespace {

using detail::CellWeights;

/// A face this close to 0, in spacings, lies in the symmetry plane.
constexpr double in_mirror = 1e-6;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// The nodes of `grid` along `axis` in reverse order, for the mirror image.
void reverse(FieldGrid& grid, std::size_t axis, const MirrorSymmetry& symmetry,
             std::size_t components) {
  std::size_t inner = components, outer = 1;
  for (std::size_t i = 0; i < grid.axes.size(); ++i)
    (i < axis   ? outer
     : i > axis ? inner
                : components) *= i == axis ? 1 : size(grid.axes[i].nodes);
  const std::size_t n = size(grid.axes[axis].nodes);
  std::vector<double> reversed(grid.values.size());
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < inner; ++i) {
        const int component = static_cast<int>(i % components);
        const int of = components == 2 ? 2 * component : component;
        const int along = static_cast<int>(components == 2 ? 2 * axis : axis);
        reversed[(o * n + k) * inner + i] =
            symmetry.parity(of, along) *
            grid.values[(o * n + (n - 1 - k)) * inner + i];
      }
  grid.values = std::move(reversed);
  grid.axes[axis].first = -grid.axes[axis].last();
}

/// The errors of splines along one axis through every `step`-th node, halfway
/// between these; the end cells are excluded. Takes many lines at once.
class CoarseSplines {
 public:
  CoarseSplines(std::size_t nodes, std::size_t lines, std::size_t step)
      : nodes_((nodes + step - 1) / step),
        lines_(lines),
        step_(step),
        splines_(nodes_, lines, {0}),
        coefficients_((nodes_ + 2) * lines) {}

  /// The largest error of lines that begin at `values`, next to each other.
  /// @param stride  from a node to the next
  double largest(const double* values, std::size_t stride) {
    for (std::size_t k = 0; k < nodes_; ++k)
      std::copy_n(values + k * step_ * stride, lines_,
                  coefficients_.data() + (k + 1) * lines_);
    splines_.solve(coefficients_.data());
    double error = 0;
    for (std::size_t cell = 1; cell + 2 < nodes_; ++cell) {
      const double* const c = coefficients_.data() + cell * lines_;
      const double* const left_out =
          values + (cell * step_ + step_ / 2) * stride;
      for (std::size_t i = 0; i < lines_; ++i) {
        // halfway between nodes the four B-splines are 1, 23, 23 and 1 over 48
        const double between = (c[i] + c[i + 3 * lines_] +
                                23 * (c[i + lines_] + c[i + 2 * lines_])) /
                               48;
        error = std::max(error, std::abs(between - left_out[i]));
      }
    }
    return error;
  }

 private:
  std::size_t nodes_, lines_, step_;
  detail::Lines splines_;
  std::vector<double> coefficients_;
};

}  // namespace

InterpolationError interpolation_error(const FieldGrid& grid) {
  constexpr std::size_t fewest = 9;     // three cells of every second node
  constexpr std::size_t at_once = 256;  // lines; their nodes fit into a cache
  double largest = 0;
  for (const double b : grid.values) largest = std::max(largest, std::abs(b));
  InterpolationError worst;
  if (!(largest > 0)) return worst;
  std::size_t inner = grid.values.size(), outer = 1;
  for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
    const std::size_t n = size(grid.axes[axis].nodes);
    inner /= n;
    const std::size_t stride = inner;
    double e2 = 0, e4 = 0;
    const auto look = [&](std::size_t first, std::size_t lines) {
      CoarseSplines every_second(n, lines, 2), every_fourth(n, lines, 4);
      for (std::size_t o = 0; o < outer; ++o) {
        const double* const values =
            grid.values.data() + o * n * stride + first;
        e2 = std::max(e2, every_second.largest(values, stride));
        e4 = std::max(e4, every_fourth.largest(values, stride));
      }
    };
    if (n >= fewest)
      for (std::size_t first = 0; first < stride; first += at_once)
        look(first, std::min(at_once, stride - first));
    const double ratio = e4 > 0 ? std::min(1.0, e2 / e4) : 1;
    if (e2 * ratio > worst.largest * largest)
      worst = {axis, e2 * ratio / largest};
    outer *= n;
  }
  return worst;
}

FieldMap::FieldMap(FieldGrid grid, const Placement& placement, std::string path)
    : around_z_(grid.around_z),
      grid_(grid.axes),
      symmetry_(placement.symmetry),
      scale_(placement.scale),
      offset_(placement.offset),
      path_(std::move(path)) {
  const std::size_t components = around_z_ ? 2 : 3;
  assert(grid.axes.size() == components);
  for (std::size_t i = 0; i < components; ++i) {
    GridAxis& axis = grid.axes[i];
    const double near = in_mirror * axis.spacing;
    bool mirrored = around_z_ && i == 0 && std::abs(axis.first) < near;
    if (symmetry_ && !(around_z_ && i == 0)) {
      if (std::abs(axis.last()) < near)
        reverse(grid, i, *symmetry_, components);
      mirrored = std::abs(axis.first) < near;
    }
    if (mirrored) axis.first = 0;
    axes_.push_back({axis.first, 1 / axis.spacing, axis.nodes, mirrored});
  }

  std::array<double, 3> sums{};
  for (std::size_t k = 0; k < grid.values.size(); k += components) {
    double square = 0;
    for (std::size_t c = 0; c < components; ++c) {
      const double b = grid.values[k + c];
      sums[around_z_ ? 2 * c : c] += std::abs(b);
      square += b * b;
    }
    largest_ = std::max(largest_, square);
  }
  largest_ = std::sqrt(largest_);
  main_axis_ = static_cast<Axis>(std::ranges::max_element(sums) - sums.begin());

  detail::SplineGrid spline;
  spline.components = components;
  for (std::size_t i = 0; i < components; ++i) {
    spline.nodes.push_back(size(axes_[i].nodes));
    std::vector<int> parity(components, 0);
    if (axes_[i].mirrored)
      for (std::size_t c = 0; c < components; ++c)
        parity[c] = around_z_ && i == 0
                        ? (c == 0 ? -1 : 1)
                        : static_cast<int>(symmetry_->parity(
                              static_cast<int>(around_z_ ? 2 * c : c),
                              static_cast<int>(around_z_ ? 2 * i : i)));
    spline.parity.push_back(std::move(parity));
  }
  coefficients_ = std::make_shared<const std::vector<double>>(
      detail::spline_coefficients(std::move(grid.values), spline));
}

bool FieldMap::look(const Vector3& x, Vector3& field,
                    Eigen::Matrix3d* gradient) const {
  const Vector3 p = x - offset_;
  const bool inside = around_z_ ? look_around_z(p, field, gradient)
                                : look_cartesian(p, field, gradient);
  if (inside) {
    field *= scale_;
    if (gradient) *gradient *= scale_;
  }
  return inside;
}

bool FieldMap::look_cartesian(const Vector3& x, Vector3& field,
                              Eigen::Matrix3d* gradient) const {
  std::array<CellWeights, 3> w;
  std::array<bool, 3> flipped;
  for (int j = 0; j < 3; ++j) {
    const MapAxis& axis = axes_[size(j)];
    flipped[size(j)] = axis.mirrored && x[j] < 0;
    if (!w[size(j)].find(
            ((flipped[size(j)] ? -x[j] : x[j]) - axis.first) * axis.inv_spacing,
            axis.nodes))
      return false;
  }
  const std::size_t row = 3 * size(axes_[2].nodes + 2);
  const std::size_t plane = row * size(axes_[1].nodes + 2);
  const double* corner = coefficients_->data() + size(w[0].cell) * plane +
                         size(w[1].cell) * row + 3 * size(w[2].cell);
  // per component and node along z: value, d/dx, d/dy
  constexpr std::size_t n = 12;
  std::array<double, n> value{}, by_x{}, by_y{};
  for (std::size_t j = 0; j < 4; ++j) {
    std::array<double, n> v{}, dx{};
    for (std::size_t i = 0; i < 4; ++i) {
      const double* c = corner + i * plane + j * row;
      const double weight = w[0].value[i], slope = w[0].slope[i];
      for (std::size_t k = 0; k < n; ++k) v[k] += weight * c[k];
      if (gradient)
        for (std::size_t k = 0; k < n; ++k) dx[k] += slope * c[k];
    }
    const double weight = w[1].value[j], slope = w[1].slope[j];
    for (std::size_t k = 0; k < n; ++k) value[k] += weight * v[k];
    if (gradient)
      for (std::size_t k = 0; k < n; ++k) {
        by_x[k] += weight * dx[k];
        by_y[k] += slope * v[k];
      }
  }
  const auto along_z = [&](const std::array<double, n>& of,
                           const std::array<double, 4>& weights, int c) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += weights[k] * of[3 * k + size(c)];
    return sum;
  };
  for (int c = 0; c < 3; ++c) {
    field[c] = along_z(value, w[2].value, c);
    if (!gradient) continue;
    (*gradient)(c, 0) = along_z(by_x, w[2].value, c) * axes_[0].inv_spacing;
    (*gradient)(c, 1) = along_z(by_y, w[2].value, c) * axes_[1].inv_spacing;
    (*gradient)(c, 2) = along_z(value, w[2].slope, c) * axes_[2].inv_spacing;
  }
  for (int j = 0; j < 3; ++j) {
    if (!flipped[size(j)]) continue;
    for (int c = 0; c < 3; ++c) {
      const double parity = symmetry_->parity(c, j);
      field[c] *= parity;
      if (gradient) gradient->row(c) *= parity;
    }
    if (gradient) gradient->col(j) *= -1;
  }
  return true;
}

bool FieldMap::look_around_z(const Vector3& x, Vector3& field,
                             Eigen::Matrix3d* gradient) const {
  const double r = std::hypot(x.x(), x.y());
  const bool flipped = axes_[1].mirrored && x.z() < 0;
  CellWeights wr, wz;
  if (!wr.find((r - axes_[0].first) * axes_[0].inv_spacing, axes_[0].nodes) ||
      !wz.find(
          ((flipped ? -x.z() : x.z()) - axes_[1].first) * axes_[1].inv_spacing,
          axes_[1].nodes))
    return false;
  const std::size_t row = 2 * size(axes_[1].nodes + 2);
  const double* corner =
      coefficients_->data() + size(wr.cell) * row + 2 * size(wz.cell);
  std::array<double, 2> b{}, b_r{}, b_z{};  // components (r, z)
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t c = 0; c < 2; ++c) {
        const double value = corner[i * row + 2 * k + c];
        b[c] += wr.value[i] * wz.value[k] * value;
        b_r[c] += wr.slope[i] * wz.value[k] * value * axes_[0].inv_spacing;
        b_z[c] += wr.value[i] * wz.slope[k] * value * axes_[1].inv_spacing;
      }
  if (flipped) {
    const double pr = symmetry_->parity(0, 2), pz = symmetry_->parity(2, 2);
    b[0] *= pr, b_r[0] *= pr, b_z[0] *= -pr;
    b[1] *= pz, b_r[1] *= pz, b_z[1] *= -pz;
  }
  // the radial component is odd in r, so Br/r is also a slope
  const bool on_axis = r < 1e-9 / axes_[0].inv_spacing;
  const double per_r = on_axis ? b_r[0] : b[0] / r;
  const double ex = on_axis ? 1 : x.x() / r, ey = on_axis ? 0 : x.y() / r;
  field = {per_r * x.x(), per_r * x.y(), b[1]};
  if (gradient) {
    const double excess = b_r[0] - per_r;
    *gradient << per_r + excess * ex * ex, excess * ex * ey, b_z[0] * ex,
        excess * ex * ey, per_r + excess * ey * ey, b_z[0] * ey, b_r[1] * ex,
        b_r[1] * ey, b_z[1];
    if (on_axis) gradient->row(2).head<2>().setZero();
  }
  return true;
}

bool FieldMap::covers(const Vector3& x) const {
  Vector3 unused;
  return look(x, unused, nullptr);
}

double FieldMap::distance_to_edge(const Vector3& x,
                                  const Vector3& direction) const {
  if (!covers(x)) return 0;
  const Vector3 p = x - offset_;
  double path = std::numeric_limits<double>::infinity();
  const auto face = [&](int j, double lower, double upper) {
    if (direction[j] > 0)
      path = std::min(path, (upper - p[j]) / direction[j]);
    else if (direction[j] < 0)
      path = std::min(path, (lower - p[j]) / direction[j]);
  };
  const auto ends = [&](std::size_t i) {
    const MapAxis& axis = axes_[i];
    const double last = axis.first + (axis.nodes - 1) / axis.inv_spacing;
    return std::pair(axis.mirrored ? -last : axis.first, last);
  };
  if (!around_z_) {
    for (int j = 0; j < 3; ++j)
      face(j, ends(size(j)).first, ends(size(j)).second);
    return std::max(0.0, path);
  }
  face(2, ends(1).first, ends(1).second);
  const double a =
      direction.x() * direction.x() + direction.y() * direction.y();
  const double b = p.x() * direction.x() + p.y() * direction.y();
  const double r2 = p.x() * p.x() + p.y() * p.y();
  const auto [inner, outer] = ends(0);
  if (a > 0) {
    path = std::min(
        path,
        (std::sqrt(std::max(0.0, b * b + a * (outer * outer - r2))) - b) / a);
    const double square = b * b - a * (r2 - inner * inner);
    if (!axes_[0].mirrored && b < 0 && square > 0)
      path = std::min(path, (-b - std::sqrt(square)) / a);
  }
  return std::max(0.0, path);
}

FieldMap FieldMap::scaled(double factor) const {
  FieldMap map = *this;
  map.scale_ *= factor;
  return map;
}

FieldMap FieldMap::placed(double scale, const Vector3& offset) const {
  FieldMap map = *this;
  map.scale_ = scale;
  map.offset_ = offset;
  return map;
}

FieldMap::Divergence FieldMap::divergence() const {
  // enough cells for an rms, evenly spread over the grid
  constexpr int most = 24;
  std::array<int, 3> cells{1, 1, 1};
  for (std::size_t i = 0; i < axes_.size(); ++i)
    cells[i] = std::min(most, axes_[i].nodes - 1);
  const auto centre = [&](std::size_t i, int k) {
    const MapAxis& axis = axes_[i];
    const int cell = static_cast<int>((k + 0.5) * (axis.nodes - 1) / cells[i]);
    return axis.first + (cell + 0.5) / axis.inv_spacing;
  };
  double div2 = 0, gradient2 = 0, field2 = 0;
  for (int i = 0; i < cells[0]; ++i)
    for (int j = 0; j < cells[1]; ++j)
      for (int k = 0; k < cells[2]; ++k) {
        const Vector3 x =
            around_z_ ? Vector3(centre(0, i), 0, centre(1, j))
                      : Vector3(centre(0, i), centre(1, j), centre(2, k));
        Vector3 b;
        Eigen::Matrix3d g;
        if (!at(x + offset_, b, g)) continue;
        div2 += g.trace() * g.trace();
        gradient2 += g.squaredNorm();
        field2 += b.squaredNorm();
      }
  if (!(gradient2 > 0)) return {};
  return {std::sqrt(div2 / gradient2),
          std::sqrt(div2 / field2) * coarsest_spacing()};
}

bool FieldMap::same_nodes(const FieldMap& other) const {
  const auto same_axis = [](const GridAxis& a, const GridAxis& b) {
    return a.first == b.first && a.spacing == b.spacing && a.nodes == b.nodes;
  };
  return around_z_ == other.around_z_ &&
         std::ranges::equal(grid_, other.grid_, same_axis) &&
         (coefficients_ == other.coefficients_ ||
          *coefficients_ == *other.coefficients_);
}

double FieldMap::coarsest_spacing() const {
  double spacing = 0;
  for (const GridAxis& axis : grid_) spacing = std::max(spacing, axis.spacing);
  return spacing;
}

}  // namespace gttf
