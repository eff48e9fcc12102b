// SPDX-License-Identifier: Apache-2.0
// FieldMapView: the numbers of a FieldMap, and the field at points of tracks,
// for any scalar.
#pragma once

#include <cmath>
#include <cstddef>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/pack_functions.hpp"
#include "gttf/core/scalar.hpp"
#include "gttf/core/unroll.hpp"

namespace gttf::detail {

/// The field at a point, and its derivatives along the axes.
template <class S>
struct FieldAt {
  Cartesian<S> field, by_x, by_y, by_z;

  /// The derivative of the field along a vector.
  Cartesian<S> along(const Cartesian<S>& v) const {
    return v.x * by_x + v.y * by_y + v.z * by_z;
  }
};

/// What a lookup needs of a FieldMap, which owns the coefficients.
struct FieldMapView {
  struct Axis {
    double first = 0, inv_spacing = 1;
    int nodes = 2;
    bool mirrored = false;  ///< mirror at 0, the lower end
  };
  bool around_z = false;
  Axis axes[3];  ///< (x, y, z), or (r, z)
  /// Sign of the component (x, y, z), or (r, z), at the mirror image along an
  /// axis.
  double parity[3][3]{};
  /// Of splines, one more than nodes at each end of each axis; the components
  /// are adjacent, the last axis varies fastest.
  const double* coefficients = nullptr;
  double scale = 1;
  double largest = 0;           ///< |B| at the nodes, without `scale`
  double offset[3]{};           ///< mm
  double coarsest_spacing = 0;  ///< of the nodes, mm
};

/// The cell of a coordinate, and the position in it from 0 to 1.
struct MapCell {
  std::size_t cell = 0;
  double part = 0;

  /// @return  false beyond the end nodes, except for rounding
  [[gnu::always_inline]] bool find(double x, const FieldMapView::Axis& axis) {
    constexpr double rounding = 1e-9;
    const double place = (x - axis.first) * axis.inv_spacing;
    if (!(place >= -rounding && place <= axis.nodes - 1 + rounding))
      return false;
    int index = static_cast<int>(place);
    if (index > axis.nodes - 2) index = axis.nodes - 2;
    cell = static_cast<std::size_t>(index);
    part = place - index;
    return true;
  }
};

/// The four B-splines that are not zero in a cell, and their slopes per length,
/// one track per element.
template <class S>
struct CellWeights {
  static constexpr std::size_t width = PackAccess<S>::width;
  double value[4][width], slope[4][width];

  [[gnu::always_inline]] void set(const S& f, double inv_spacing) {
    using L = PackAccess<S>;
    const S one(1), two(2), sixth(1. / 6), per_length(inv_spacing);
    const S g = one - f, f2 = f * f, g2 = g * g;
    const S half = S(0.5) * per_length;
    L::store(sixth * (g * g2), value[0]);
    L::store(sixth * (S(4) - S(3) * f2 * (two - f)), value[1]);
    L::store(sixth * (S(4) - S(3) * g2 * (two - g)), value[2]);
    L::store(sixth * (f * f2), value[3]);
    L::store(-(half * g2), slope[0]);
    L::store(per_length * (f * (S(1.5) * f - two)), slope[1]);
    L::store(per_length * (g * (two - S(1.5) * g)), slope[2]);
    L::store(half * f2, slope[3]);
  }
};

/// Numbers that are summed at once.
/// @tparam S  of one instruction set, see pack.hpp
template <class S>
struct NumbersInStep {
  using Vector [[gnu::vector_size(32)]] = double;
};
template <>
struct NumbersInStep<double> {
  using Vector [[gnu::vector_size(16)]] = double;
};

/// The sums over the four nodes along x and y of a cell of a Cartesian map, for
/// three components at four nodes along z; with a gradient also of the
/// derivatives.
template <class S, bool gradient>
struct NodesAlongZ {
  static constexpr std::size_t n = 12;
  double value[n], by_x[n], by_y[n];

  [[gnu::always_inline]] NodesAlongZ(const double* corner, std::size_t plane,
                                     std::size_t row, const CellWeights<S>& x,
                                     const CellWeights<S>& y,
                                     std::size_t element) {
    using Vector = typename NumbersInStep<S>::Vector;
    constexpr std::size_t step = sizeof(Vector) / sizeof(double);
    for (std::size_t k = 0; k < n; k += step) {
      Vector sum{}, sum_x{}, sum_y{};
      GTTF_UNROLL
      for (std::size_t j = 0; j < 4; ++j) {
        Vector v{}, slope{};
        GTTF_UNROLL
        for (std::size_t i = 0; i < 4; ++i) {
          Vector c;
          __builtin_memcpy(&c, corner + i * plane + j * row + k, sizeof c);
          v += x.value[i][element] * c;
          if (gradient) slope += x.slope[i][element] * c;
        }
        sum += y.value[j][element] * v;
        if (!gradient) continue;
        sum_x += y.value[j][element] * slope;
        sum_y += y.slope[j][element] * v;
      }
      __builtin_memcpy(value + k, &sum, sizeof sum);
      if (!gradient) continue;
      __builtin_memcpy(by_x + k, &sum_x, sizeof sum_x);
      __builtin_memcpy(by_y + k, &sum_y, sizeof sum_y);
    }
  }
};

/// Sums over four nodes along z.
template <std::size_t components, std::size_t width>
[[gnu::always_inline]] inline void sum_along_z(const double* of,
                                               const double (&weight)[4][width],
                                               std::size_t element,
                                               double (*to)[width]) {
  const double w0 = weight[0][element], w1 = weight[1][element],
               w2 = weight[2][element], w3 = weight[3][element];
  for (std::size_t c = 0; c < components; ++c)
    to[c][element] =
        (w0 * of[c] + w1 * of[components + c]) +
        (w2 * of[2 * components + c] + w3 * of[3 * components + c]);
}

/// A lookup of a group of points, one per element.
template <class S, bool gradient>
class FieldLookup {
 public:
  explicit FieldLookup(const FieldMapView& map) : map_(map) {}

  /// @return  points in the map
  MaskOf<S> look(const Cartesian<S>& at, FieldAt<S>& field) {
    const Cartesian<S> x = {at.x - S(map_.offset[0]), at.y - S(map_.offset[1]),
                            at.z - S(map_.offset[2])};
    const auto inside =
        map_.around_z ? look_around_z(x, field) : look_cartesian(x, field);
    const S scale(map_.scale);
    field.field = scale * field.field;
    if constexpr (gradient) {
      field.by_x = scale * field.by_x;
      field.by_y = scale * field.by_y;
      field.by_z = scale * field.by_z;
    }
    return inside;
  }

 private:
  using L = PackAccess<S>;
  static constexpr std::size_t width = L::width;

  /// Sets cells and weights along an axis.
  void find(std::size_t axis, const S& x) {
    const FieldMapView::Axis& a = map_.axes[axis];
    double place[width], part[width];
    L::store(x, place);
    for (std::size_t element = 0; element < width; ++element) {
      MapCell cell;
      if (!cell.find(place[element], a)) inside_ &= ~(TrackBits{1} << element);
      cell_[axis][element] = cell.cell;
      part[element] = cell.part;
    }
    weights_[axis].set(L::load(part), a.inv_spacing);
  }

  Cartesian<S> vector_at(std::size_t i) const {
    return {L::load(sums_[i]), L::load(sums_[i + 1]), L::load(sums_[i + 2])};
  }

  MaskOf<S> look_cartesian(const Cartesian<S>& x, FieldAt<S>& at) {
    using std::abs;
    const S place[] = {x.x, x.y, x.z};
    for (std::size_t j = 0; j < 3; ++j)
      find(j, map_.axes[j].mirrored ? S(abs(place[j])) : place[j]);
    const auto row = 3 * static_cast<std::size_t>(map_.axes[2].nodes + 2);
    const auto plane = row * static_cast<std::size_t>(map_.axes[1].nodes + 2);
    for (std::size_t element = 0; element < width; ++element) {
      const double* corner = map_.coefficients + cell_[0][element] * plane +
                             cell_[1][element] * row + 3 * cell_[2][element];
      const NodesAlongZ<S, gradient> nodes(corner, plane, row, weights_[0],
                                           weights_[1], element);
      const CellWeights<S>& z = weights_[2];
      sum_along_z<3>(nodes.value, z.value, element, sums_);
      if constexpr (!gradient) continue;
      sum_along_z<3>(nodes.by_x, z.value, element, sums_ + 3);
      sum_along_z<3>(nodes.by_y, z.value, element, sums_ + 6);
      sum_along_z<3>(nodes.value, z.slope, element, sums_ + 9);
    }
    at.field = vector_at(0);
    if constexpr (gradient) {
      at.by_x = vector_at(3);
      at.by_y = vector_at(6);
      at.by_z = vector_at(9);
    }
    for (std::size_t j = 0; j < 3; ++j)
      if (map_.axes[j].mirrored) mirror(j, place[j] < S(0), at);
    return L::mask(inside_);
  }

  void mirror(std::size_t axis, const MaskOf<S>& flipped,
              FieldAt<S>& at) const {
    const double* parity = map_.parity[axis];
    const S one(1);
    const Cartesian<S> sign = {select(flipped, S(parity[0]), one),
                               select(flipped, S(parity[1]), one),
                               select(flipped, S(parity[2]), one)};
    const auto turn = [&sign](Cartesian<S>& v) {
      v = {sign.x * v.x, sign.y * v.y, sign.z * v.z};
    };
    turn(at.field);
    if constexpr (gradient) {
      turn(at.by_x);
      turn(at.by_y);
      turn(at.by_z);
      Cartesian<S>& along = axis == 0 ? at.by_x : axis == 1 ? at.by_y : at.by_z;
      along = select(flipped, S(-1), one) * along;
    }
  }

  MaskOf<S> look_around_z(const Cartesian<S>& x, FieldAt<S>& at) {
    using std::abs, std::sqrt;
    const FieldMapView::Axis &along_r = map_.axes[0], &along_z = map_.axes[1];
    const S r = sqrt(x.x * x.x + x.y * x.y), one(1), zero(0);
    find(0, r);
    find(1, along_z.mirrored ? S(abs(x.z)) : x.z);
    const auto row = 2 * static_cast<std::size_t>(along_z.nodes + 2);
    for (std::size_t element = 0; element < width; ++element)
      sum_around_z(
          map_.coefficients + cell_[0][element] * row + 2 * cell_[1][element],
          row, element);
    constexpr std::size_t n = gradient ? 6 : 4;
    S b[n];  // (r, z) of B, dB/dr and dB/dz
    for (std::size_t i = 0; i < n; ++i) b[i] = L::load(sums_[i]);
    if (along_z.mirrored) {
      const auto flipped = x.z < zero;
      for (std::size_t i = 0; i < n; ++i) {
        const double parity = map_.parity[1][i % 2];
        b[i] = select(flipped, S(i < 4 ? parity : -parity), one) * b[i];
      }
    }
    // the radial component is odd in r, so Br/r is also a slope
    const auto on_axis = r < S(1e-9 / along_r.inv_spacing);
    const S inv_r = one / select(on_axis, one, r);
    const S per_r = select(on_axis, b[2], b[0] * inv_r);
    at.field = {per_r * x.x, per_r * x.y, b[1]};
    if constexpr (gradient) {
      const S ex = select(on_axis, one, x.x * inv_r),
              ey = select(on_axis, zero, x.y * inv_r);
      const S excess = b[2] - per_r, along = select(on_axis, zero, b[3]);
      at.by_x = {per_r + excess * ex * ex, excess * ex * ey, along * ex};
      at.by_y = {excess * ex * ey, per_r + excess * ey * ey, along * ey};
      at.by_z = {b[4] * ex, b[4] * ey, b[5]};
    }
    return L::mask(inside_);
  }

  /// The components r and z of B, dB/dr and dB/dz.
  void sum_around_z(const double* corner, std::size_t row,
                    std::size_t element) {
    using Vector = typename NumbersInStep<S>::Vector;
    constexpr std::size_t step = sizeof(Vector) / sizeof(double), n = 8;
    double value[n], by_r[n];
    for (std::size_t k = 0; k < n; k += step) {
      Vector sum{}, slope{};
      GTTF_UNROLL
      for (std::size_t i = 0; i < 4; ++i) {
        Vector c;
        __builtin_memcpy(&c, corner + i * row + k, sizeof c);
        sum += weights_[0].value[i][element] * c;
        slope += weights_[0].slope[i][element] * c;
      }
      __builtin_memcpy(value + k, &sum, sizeof sum);
      __builtin_memcpy(by_r + k, &slope, sizeof slope);
    }
    sum_along_z<2>(value, weights_[1].value, element, sums_);
    // dBr/dr is also Br/r on the axis
    sum_along_z<2>(by_r, weights_[1].value, element, sums_ + 2);
    if constexpr (gradient)
      sum_along_z<2>(value, weights_[1].slope, element, sums_ + 4);
  }

  const FieldMapView& map_;
  TrackBits inside_ = all_in_pack<S>;
  std::size_t cell_[3][width];
  CellWeights<S> weights_[3];
  double sums_[12][width];
};

/// The field at points, one per element; with a gradient also its derivatives.
/// @return  points in the map; elsewhere the field is unspecified
template <bool gradient, class S>
[[gnu::noinline, gnu::flatten]] MaskOf<S> look_up(const FieldMapView& map,
                                                  const Cartesian<S>& x,
                                                  FieldAt<S>& at) {
  return FieldLookup<S, gradient>(map).look(x, at);
}

}  // namespace gttf::detail
