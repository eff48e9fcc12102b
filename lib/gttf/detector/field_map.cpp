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

#include "gttf/core/matrix.hpp"
#include "gttf/detector/field_lookup.hpp"

// Cubic splines on regular grids: their coefficients.
namespace gttf::detail {

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
    : grid_(grid.axes), path_(std::move(path)) {
  detail::FieldMapView view;
  view.around_z = grid.around_z;
  const std::optional<MirrorSymmetry>& symmetry = placement.symmetry;
  const std::size_t components = grid.around_z ? 2 : 3;
  assert(grid.axes.size() == components);
  // component or axis of the user, which is (r, z) of a grid around z
  const auto in_user_axes = [&grid](std::size_t i) {
    return static_cast<int>(grid.around_z ? 2 * i : i);
  };
  for (std::size_t i = 0; i < components; ++i) {
    GridAxis& axis = grid.axes[i];
    const double near = in_mirror * axis.spacing;
    const bool is_radius = grid.around_z && i == 0;
    bool mirrored = is_radius && std::abs(axis.first) < near;
    if (symmetry && !is_radius) {
      if (std::abs(axis.last()) < near) reverse(grid, i, *symmetry, components);
      mirrored = std::abs(axis.first) < near;
    }
    if (mirrored) axis.first = 0;
    view.axes[i] = {axis.first, 1 / axis.spacing, axis.nodes, mirrored};
    view.coarsest_spacing = std::max(view.coarsest_spacing, axis.spacing);
    for (std::size_t c = 0; mirrored && c < components; ++c)
      view.parity[i][c] =
          is_radius ? (c == 0 ? -1 : 1)
                    : symmetry->parity(in_user_axes(c), in_user_axes(i));
  }

  double largest = 0;
  std::array<double, 3> sums{};
  for (std::size_t k = 0; k < grid.values.size(); k += components) {
    double square = 0;
    for (std::size_t c = 0; c < components; ++c) {
      const double b = grid.values[k + c];
      sums[size(in_user_axes(c))] += std::abs(b);
      square += b * b;
    }
    largest = std::max(largest, square);
  }
  view.largest = std::sqrt(largest);
  main_axis_ = static_cast<Axis>(std::ranges::max_element(sums) - sums.begin());

  detail::SplineGrid spline;
  spline.components = components;
  for (std::size_t i = 0; i < components; ++i) {
    spline.nodes.push_back(size(view.axes[i].nodes));
    std::vector<int>& parity = spline.parity.emplace_back();
    for (std::size_t c = 0; c < components; ++c)
      parity.push_back(static_cast<int>(view.parity[i][c]));
  }
  coefficients_ = std::make_shared<const std::vector<double>>(
      detail::spline_coefficients(std::move(grid.values), spline));
  view.coefficients = coefficients_->data();
  *this = placed_in(view, placement.scale, placement.offset);
}

FieldMap FieldMap::placed_in(detail::FieldMapView view, double scale,
                             const Vector3& offset) const {
  view.scale = scale;
  for (int i = 0; i < 3; ++i) view.offset[i] = offset[i];
  FieldMap map = *this;
  map.view_ = std::make_shared<const detail::FieldMapView>(view);
  return map;
}

bool FieldMap::at(const Vector3& x, Vector3& field) const {
  detail::FieldAt<double> there;
  const bool inside = detail::look_up<false>(*view_, cartesian(x), there);
  field = vector_of(there.field);
  return inside;
}

bool FieldMap::at(const Vector3& x, Vector3& field,
                  Eigen::Matrix3d& gradient) const {
  detail::FieldAt<double> there;
  const bool inside = detail::look_up<true>(*view_, cartesian(x), there);
  field = vector_of(there.field);
  gradient << vector_of(there.by_x), vector_of(there.by_y),
      vector_of(there.by_z);
  return inside;
}

bool FieldMap::around_z() const { return view_->around_z; }
bool FieldMap::mirrored(std::size_t axis) const {
  return view_->axes[axis].mirrored;
}
double FieldMap::largest() const {
  return std::abs(view_->scale) * view_->largest;
}
double FieldMap::scale() const { return view_->scale; }
Vector3 FieldMap::offset() const {
  return Vector3(view_->offset[0], view_->offset[1], view_->offset[2]);
}

bool FieldMap::covers(const Vector3& x) const {
  const Vector3 p = x - offset();
  const auto is_within = [this](std::size_t axis, double along) {
    const detail::FieldMapView::Axis& a = view_->axes[axis];
    return detail::MapCell().find(a.mirrored ? std::abs(along) : along, a);
  };
  if (around_z())
    return is_within(0, std::hypot(p.x(), p.y())) && is_within(1, p.z());
  return is_within(0, p.x()) && is_within(1, p.y()) && is_within(2, p.z());
}

double FieldMap::distance_to_edge(const Vector3& x,
                                  const Vector3& direction) const {
  if (!covers(x)) return 0;
  const Vector3 p = x - offset();
  double path = std::numeric_limits<double>::infinity();
  const auto face = [&](int j, double lower, double upper) {
    if (direction[j] > 0)
      path = std::min(path, (upper - p[j]) / direction[j]);
    else if (direction[j] < 0)
      path = std::min(path, (lower - p[j]) / direction[j]);
  };
  const auto ends = [&](std::size_t i) {
    const detail::FieldMapView::Axis& axis = view_->axes[i];
    const double last = axis.first + (axis.nodes - 1) / axis.inv_spacing;
    return std::pair(axis.mirrored ? -last : axis.first, last);
  };
  if (!around_z()) {
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
    if (!view_->axes[0].mirrored && b < 0 && square > 0)
      path = std::min(path, (-b - std::sqrt(square)) / a);
  }
  return std::max(0.0, path);
}

FieldMap FieldMap::scaled(double factor) const {
  return placed(factor * scale(), offset());
}

FieldMap FieldMap::placed(double scale, const Vector3& offset) const {
  return placed_in(*view_, scale, offset);
}

FieldMap::Divergence FieldMap::divergence() const {
  // enough cells for an rms, evenly spread over the grid
  constexpr int most = 24;
  std::array<int, 3> cells{1, 1, 1};
  for (std::size_t i = 0; i < grid_.size(); ++i)
    cells[i] = std::min(most, grid_[i].nodes - 1);
  const auto centre = [&](std::size_t i, int k) {
    const detail::FieldMapView::Axis& axis = view_->axes[i];
    const int cell = static_cast<int>((k + 0.5) * (axis.nodes - 1) / cells[i]);
    return axis.first + (cell + 0.5) / axis.inv_spacing;
  };
  double div2 = 0, gradient2 = 0, field2 = 0;
  for (int i = 0; i < cells[0]; ++i)
    for (int j = 0; j < cells[1]; ++j)
      for (int k = 0; k < cells[2]; ++k) {
        const Vector3 x =
            around_z() ? Vector3(centre(0, i), 0, centre(1, j))
                       : Vector3(centre(0, i), centre(1, j), centre(2, k));
        Vector3 b;
        Eigen::Matrix3d g;
        if (!at(x + offset(), b, g)) continue;
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
  return around_z() == other.around_z() &&
         std::ranges::equal(grid_, other.grid_, same_axis) &&
         (coefficients_ == other.coefficients_ ||
          *coefficients_ == *other.coefficients_);
}

double FieldMap::coarsest_spacing() const { return view_->coarsest_spacing; }

}  // namespace gttf
