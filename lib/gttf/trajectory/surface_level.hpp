// SPDX-License-Identifier: Apache-2.0
// The geometry of surfaces: level functions, axes, edges and nearby points.
//
// Whatever crosses a surface asks the functions here; a new shape needs a case
// in each of them.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gttf/core/cartesian.hpp"
#include "gttf/core/matrix.hpp"
#include "gttf/core/scalar.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {

/// Radius of a cone at a height, mm; negative beyond its apex.
template <class S>
S radius_at(const SurfaceRecord& cone, const S& z) {
  return S(cone.position) + S(cone.slope) * (z - S(cone.middle()));
}

/// Components of a vector in the frame of an inclined plane: along the
/// transverse part of its normal, along the horizontal u', and along z.
template <class S>
Cartesian<S> in_frame_of(const SurfaceRecord& plane, const Cartesian<S>& x) {
  const S c(plane.normal_cos), s(plane.normal_sin);
  return {c * x.x + s * x.y, c * x.y - s * x.x, x.z};
}

/// A function of the point x that is zero on a surface, positive outside or
/// ahead of it, and its derivative along t: (r^2 - R^2)/2 of a cylinder, mm^2,
/// r - R(z) of a cone, the distance of a plane or disk, mm.
template <class S>
struct LevelOnPath {
  S value, slope;
};

template <class S>
LevelOnPath<S> level_on_path(const SurfaceRecord& s, const Cartesian<S>& x,
                             const Cartesian<S>& t) {
  using Kind = SurfaceRecord::Kind;
  switch (s.kind) {
    case Kind::cylinder:
      return {S(0.5) * (transverse_dot(x, x) - S(s.position * s.position)),
              transverse_dot(x, t)};
    case Kind::plane: {
      const S nx(s.normal_cos), ny(s.normal_sin);
      return {nx * x.x + ny * x.y - S(s.position), nx * t.x + ny * t.y};
    }
    case Kind::cone: {
      using std::sqrt;
      const S r = sqrt(transverse_dot(x, x));
      return {r - radius_at(s, x.z),
              transverse_dot(x, t) / r - S(s.slope) * t.z};
    }
    case Kind::inclined: {
      const S nr(s.normal_r), nz(s.normal_z);
      const Cartesian<S> at = in_frame_of(s, x), along = in_frame_of(s, t);
      return {nr * at.x + nz * at.z - S(s.position),
              nr * along.x + nz * along.z};
    }
    case Kind::disk:
    case Kind::disk_plane:
      break;
  }
  return {x.z - S(s.position), t.z};
}

/// A surface without its edges as the zero of a function of the point, which is
/// the distance near the surface, mm.
class SurfaceLevel {
 public:
  /// The cylinder around z with this radius.
  static SurfaceLevel cylinder(double radius) {
    return {Kind::cylinder, Axis::x, radius, {radius, 0, 0}, Vector3::Zero()};
  }
  /// The cone around z with this radius at z = 0, negative beyond the apex, and
  /// dr/dz; only where the radius is positive.
  static SurfaceLevel cone(double radius, double slope) {
    SurfaceLevel level = cylinder(radius);
    level.kind_ = Kind::cone;
    level.slope_ = slope;
    level.inverse_slant_ = 1 / std::sqrt(1 + slope * slope);
    return level;
  }
  /// The plane through `point` with this unit normal.
  static SurfaceLevel plane(const Vector3& point, const Vector3& normal) {
    return {Kind::plane, Axis::x, 0, point, normal};
  }
  /// The plane normal to an axis.
  SurfaceLevel(Axis normal, double at)
      : SurfaceLevel(Kind::axis_plane, normal, at, at * unit_vector(normal),
                     unit_vector(normal)) {}
  explicit SurfaceLevel(const SurfaceRecord& s) : SurfaceLevel(level_of(s)) {}

  /// A surface that tracks cross from inside to outside only.
  bool only_outwards() const { return kind_ == Kind::cylinder; }
  /// May a path cross it beyond its edges first, and then within them?
  bool is_met_twice() const {
    return kind_ == Kind::cone || kind_ == Kind::plane;
  }
  /// Moves the surface outwards until `point` is not outside of it, rounding
  /// included.
  void enclose(const Vector3& point);

  /// Zero on the surface, positive outside or ahead of it.
  double at(const Vector3& x) const {
    if (kind_ == Kind::axis_plane) return x[axis_] - position_;
    if (kind_ == Kind::plane) return normal_.dot(x - point_);
    if (kind_ == Kind::cone)
      return (radius(x) - position_ - slope_ * x.z()) * inverse_slant_;
    return (x.x() * x.x() + x.y() * x.y() - position_ * position_) /
           (2 * position_);
  }
  /// Its gradient, on the surface the unit normal.
  Vector3 gradient(const Vector3& x) const {
    if (kind_ == Kind::cylinder)
      return {x.x() / position_, x.y() / position_, 0};
    if (kind_ == Kind::cone) {
      const double scale = inverse_slant_ / radius(x);
      return {x.x() * scale, x.y() * scale, -slope_ * inverse_slant_};
    }
    return normal_;
  }
  /// Its derivative along `t`.
  double slope(const Vector3& x, const Vector3& t) const {
    if (kind_ == Kind::axis_plane) return t[axis_];
    if (kind_ == Kind::plane) return normal_.dot(t);
    const double radial = x.x() * t.x() + x.y() * t.y();
    if (kind_ == Kind::cylinder) return radial / position_;
    // from the axis, any path leads away from it
    const double r = radius(x);
    return ((r > 0 ? radial / r : std::hypot(t.x(), t.y())) - slope_ * t.z()) *
           inverse_slant_;
  }
  /// Its second derivative along `t`.
  double curvature(const Vector3& x, const Vector3& t) const {
    if (kind_ == Kind::cylinder)
      return (t.x() * t.x() + t.y() * t.y()) / position_;
    if (kind_ != Kind::cone) return 0;
    const double around = azimuthal(x).dot(t);
    return around * around * inverse_slant_ / radius(x);
  }
  /// By how much the component of `t` along the unit normal changes when the
  /// point `x` of the surface moves along it by `change`, one in each column.
  template <int N>
  Eigen::Matrix<double, 1, N> normal_turn(
      const Vector3& x, const Vector3& t,
      const Eigen::Matrix<double, 3, N>& change) const {
    if (kind_ == Kind::cylinder)
      return t.head<2>().transpose() * change.template topRows<2>() / position_;
    if (kind_ != Kind::cone) return Eigen::Matrix<double, 1, N>::Zero();
    const Vector3 around = azimuthal(x);
    return around.dot(t) * inverse_slant_ / radius(x) *
           (around.transpose() * change);
  }
  /// A point of a plane; of another surface one at the distance of its size.
  const Vector3& point() const { return point_; }

 private:
  enum class Kind { axis_plane, plane, cylinder, cone };

  SurfaceLevel(Kind kind, Axis axis, double position, const Vector3& point,
               const Vector3& normal)
      : kind_(kind),
        axis_(static_cast<int>(axis)),
        position_(position),
        point_(point),
        normal_(normal) {}
  static Vector3 unit_vector(Axis axis) {
    return Vector3::Unit(static_cast<int>(axis));
  }
  static SurfaceLevel level_of(const SurfaceRecord& s) {
    using RecordKind = SurfaceRecord::Kind;
    if (s.kind == RecordKind::cylinder) return cylinder(s.position);
    if (s.kind == RecordKind::cone) return cone(radius_at(s, 0.0), s.slope);
    if (s.kind == RecordKind::inclined) {
      const Vector3 normal(s.normal_vector[0], s.normal_vector[1],
                           s.normal_vector[2]);
      return plane(s.position * normal, normal);
    }
    return {s.kind == RecordKind::plane ? s.normal : Axis::z, s.position};
  }
  static double radius(const Vector3& x) {
    return std::sqrt(x.x() * x.x() + x.y() * x.y());
  }
  /// Unit vector of the azimuth at a point.
  static Vector3 azimuthal(const Vector3& x) {
    return Vector3(-x.y(), x.x(), 0) / radius(x);
  }

  Kind kind_;
  int axis_;         ///< normal of an axis_plane
  double position_;  ///< radius, of a cone at z = 0; or place on the axis; mm
  double slope_ = 0, inverse_slant_ = 1;  ///< dr/dz; 1/sqrt(1 + slope^2)
  Vector3 point_;
  Vector3 normal_;  ///< of a plane
};

inline void SurfaceLevel::enclose(const Vector3& point) {
  constexpr double more = 1 + 4 * std::numeric_limits<double>::epsilon();
  if (kind_ == Kind::cylinder)
    position_ = std::max(position_, more * point.head<2>().norm());
}

/// Components of the unit vectors u', v' of SurfaceRecord at a point.
template <class S>
struct AxisComponents {
  S u[3], v[3];
};

/// @param x, y  of the point on the surface; one, or one in each element of a
///              vector. In the centre of a disk, r is along the x axis.
template <class S>
AxisComponents<S> axis_components(const SurfaceRecord& s, const S& x,
                                  const S& y) {
  using std::sqrt;
  using Kind = SurfaceRecord::Kind;
  const S zero(0), one(1);
  switch (s.kind) {
    case Kind::cylinder: {
      const S inv_r(1 / s.position);
      return {{-(y * inv_r), x * inv_r, zero}, {zero, zero, one}};
    }
    case Kind::disk: {
      const S r2 = x * x + y * y;
      const auto centre = r2 <= zero;
      const S inv_r = select(centre, zero, S(one / sqrt(r2)));
      const S cosine = select(centre, one, S(x * inv_r)), sine = y * inv_r;
      return {{-sine, cosine, zero}, {cosine, sine, zero}};
    }
    case Kind::cone: {
      const S inv_r = one / sqrt(x * x + y * y);
      const S cosine = x * inv_r, sine = y * inv_r;
      const S along_z(s.normal_r), along_r(-s.normal_z);
      return {{-sine, cosine, zero},
              {along_r * cosine, along_r * sine, along_z}};
    }
    case Kind::inclined:
      return {{S(-s.normal_sin), S(s.normal_cos), zero},
              {S(-s.normal_z * s.normal_cos), S(-s.normal_z * s.normal_sin),
               S(s.normal_r)}};
    case Kind::plane:
      return {{S(-s.normal_sin), S(s.normal_cos), zero}, {zero, zero, one}};
    case Kind::disk_plane:
      break;
  }
  return {{zero, one, zero}, {one, zero, zero}};
}

/// Unit vectors u', v' of SurfaceRecord at the point `at` of the surface.
inline std::pair<Vector3, Vector3> surface_axes(const SurfaceRecord& s,
                                                const Vector3& at) {
  const AxisComponents<double> a = axis_components(s, at.x(), at.y());
  return {Vector3(a.u[0], a.u[1], a.u[2]), Vector3(a.v[0], a.v[1], a.v[2])};
}

/// u' x v', at a point of the surface.
inline Vector3 surface_normal(const SurfaceRecord& s, const Vector3& at) {
  const auto [u, v] = surface_axes(s, at);
  return u.cross(v);
}

namespace detail {

template <class S>
MaskOf<S> within(const Interval& interval, const S& x) {
  return both(x >= S(interval.lower), x <= S(interval.upper));
}

/// Coordinates along the user's u and v of a plane, mm.
template <class S>
std::pair<S, S> plane_coordinates(const SurfaceRecord& s,
                                  const Cartesian<S>& at) {
  using Kind = SurfaceRecord::Kind;
  if (s.kind == Kind::inclined) {
    const Cartesian<S> p = in_frame_of(s, at);
    const S v = S(s.normal_r) * p.z - S(s.normal_z) * p.x;
    const S turn_cos(s.turn_cos), turn_sin(s.turn_sin);
    return {turn_cos * p.y + turn_sin * v, turn_cos * v - turn_sin * p.y};
  }
  if (s.kind == Kind::disk_plane) return {at.x, at.y};
  if (s.normal == Axis::x) return {at.y, at.z};
  return {at.z, at.x};
}

/// Is a point of the surface within its edges?
/// @param radius  called for its distance from the axis
/// @param at      called for its position
template <class S, class Radius, class Position>
MaskOf<S> inside(const SurfaceRecord& s, const S& z, const Radius& radius,
                 const Position& at) {
  using Kind = SurfaceRecord::Kind;
  if (s.kind == Kind::cylinder) return within(s.v, z);
  if (s.kind == Kind::disk) return within(s.v, radius());
  if (s.kind == Kind::cone) return within(s.v, z);
  const auto [x, y] = at();
  const auto [u, v] = plane_coordinates(s, Cartesian<S>{x, y, z});
  return both(within(s.u, u), within(s.v, v));
}

/// 1/radius of a curved surface at the height of `at`, 1/mm.
template <class S>
S inverse_radius_at(const SurfaceRecord& s, const Cartesian<S>& at) {
  if (s.kind == SurfaceRecord::Kind::cone) return S(1) / radius_at(s, at.z);
  return S(1 / s.position);
}

/// A point of the surface near `at`: on the same radius, or straight above; mm.
template <class S>
Cartesian<S> foot_on(const SurfaceRecord& s, const Cartesian<S>& at) {
  using std::sqrt;
  using Kind = SurfaceRecord::Kind;
  switch (s.kind) {
    case Kind::cylinder:
      return S(s.position) / sqrt(transverse_dot(at, at)) * at;
    case Kind::plane: {
      const Cartesian<S> normal = {S(s.normal_cos), S(s.normal_sin), S(0)};
      return at + (S(s.position) - transverse_dot(normal, at)) * normal;
    }
    case Kind::cone: {
      const S scale = radius_at(s, at.z) / sqrt(transverse_dot(at, at));
      return {scale * at.x, scale * at.y, at.z};
    }
    case Kind::inclined: {
      const auto& n = s.normal_vector;
      return at - level_on_path(s, at, Cartesian<S>{}).value *
                      Cartesian<S>{S(n[0]), S(n[1]), S(n[2])};
    }
    case Kind::disk:
    case Kind::disk_plane:
      break;
  }
  return {at.x, at.y, S(s.position)};
}

/// Zero on a surface, of different signs on its two sides.
template <class S>
S side_of(const SurfaceRecord& s, const Cartesian<S>& at) {
  return level_on_path(s, at, Cartesian<S>{}).value;
}

/// Do two points lie on both sides of a surface?
template <class S>
auto is_between(const SurfaceRecord& s, const Cartesian<S>& a,
                const Cartesian<S>& b) {
  return side_of(s, a) * side_of(s, b) <= S(0);
}

/// A point of a passive surface near a track, mm, from the hits on either side:
/// where side_of() would be 0 if it were linear between them. If both lie on
/// one side, the foot of the first.
template <class S>
Cartesian<S> passive_point(const SurfaceRecord& s, const Cartesian<S>& before,
                           const Cartesian<S>& after) {
  const S zero(0), one(1);
  const S from = side_of(s, before), to = side_of(s, after);
  const auto between =
      both(from * to <= zero, (from - to) * (from - to) > zero);
  const S share = select(between, from / select(between, from - to, one), zero);
  return foot_on(s, before + share * (after - before));
}

/// Cosine of the incidence as a fraction, for a direction at the point (x, y)
/// of the surface.
template <class S>
struct Incidence {
  S part, whole;
};

/// @param azimuth  called for the direction's cosine and sine of phi
template <class S, class Azimuth>
Incidence<S> incidence_on(const SurfaceRecord& s, const S& x, const S& y,
                          const S& sin_theta, const S& cos_theta,
                          const Azimuth& azimuth) {
  using std::abs, std::sqrt;
  using Kind = SurfaceRecord::Kind;
  if (s.kind == Kind::disk || s.kind == Kind::disk_plane)
    return {abs(cos_theta), S(1)};
  const auto [cos_phi, sin_phi] = azimuth();
  if (s.kind == Kind::cone) {
    const S r = sqrt(x * x + y * y);
    return {abs(sin_theta * (cos_phi * x + sin_phi * y) -
                S(s.slope) * cos_theta * r),
            S(std::sqrt(1 + s.slope * s.slope)) * r};
  }
  if (s.kind == Kind::inclined)
    return {abs(S(s.normal_r) * sin_theta *
                    (cos_phi * S(s.normal_cos) + sin_phi * S(s.normal_sin)) +
                S(s.normal_z) * cos_theta),
            S(1)};
  if (s.kind == Kind::cylinder)
    return {sin_theta * abs(cos_phi * x + sin_phi * y), sqrt(x * x + y * y)};
  return {
      sin_theta * abs(cos_phi * S(s.normal_cos) + sin_phi * S(s.normal_sin)),
      S(1)};
}

}  // namespace detail

/// Is `x`, a point on the surface but for its edges, within them?
inline bool inside(const SurfaceRecord& s, const Vector3& x) {
  return detail::inside(
      s, x.z(), [&x] { return std::hypot(x.x(), x.y()); },
      [&x] { return std::pair(x.x(), x.y()); });
}

}  // namespace gttf
