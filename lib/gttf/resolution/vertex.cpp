// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/vertex.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/core/matrix.hpp"

namespace gttf {
namespace {

using Matrix32 = Eigen::Matrix<double, 3, 2>;
using Matrix43 = Eigen::Matrix<double, 4, 3>;

/// Unit vector of the first two of m, and its derivatives in columns.
struct Direction {
  Vector3 along;
  Eigen::Matrix<double, 3, 2> change;
};

Direction direction_of(const Vector3& m, int plane) {
  Direction d;
  if (plane != 0) {
    // (tx, ty, 1) cos(theta), cos(theta) = +-1/sqrt(1 + tx^2 + ty^2)
    const double cosine = plane / std::sqrt(1 + m[0] * m[0] + m[1] * m[1]);
    d.along = cosine * Vector3(m[0], m[1], 1);
    for (int i = 0; i < 2; ++i)
      d.change.col(i) = cosine * (Vector3::Unit(i) - m[i] * cosine * d.along);
    return d;
  }
  const double sin_phi = std::sin(m[0]), cos_phi = std::cos(m[0]);
  const double sin_theta = std::sin(m[1]), cos_theta = std::cos(m[1]);
  d.along = {sin_theta * cos_phi, sin_theta * sin_phi, cos_theta};
  d.change.col(0) = sin_theta * Vector3(-sin_phi, cos_phi, 0);
  d.change.col(1) =
      Vector3(cos_theta * cos_phi, cos_theta * sin_phi, -sin_theta);
  return d;
}

VertexTrack start_of(const Track& track, int plane) {
  VertexTrack t;
  const double tangent = std::tan(track.theta);
  t.m = plane != 0 ? Vector3(tangent * std::cos(track.phi),
                             tangent * std::sin(track.phi), 0)
                   : Vector3(track.phi, track.theta, 0);
  t.m[2] = track.charge / track.p;
  t.plane = plane;
  t.mass = track.mass;
  t.charge = track.charge;
  // p along the direction: d(p)/d(q/p) = -p^2/q
  const Direction d = direction_of(t.m, plane);
  t.momentum_by_m.leftCols<2>() = track.p * d.change;
  t.momentum_by_m.col(2) = -track.p * track.p / track.charge * d.along;
  t.by_vertex.setZero();
  return t;
}

VertexTrack at_perigee(const Track& track, double bz) {
  VertexTrack t = start_of(track, 0);
  const Vector3 along(std::cos(track.phi), std::sin(track.phi), 0);
  const double sin_theta = std::sin(track.theta);
  t.by_vertex.row(Perigee::d0) << -along[1], along[0], 0;
  t.by_vertex.row(Perigee::z0) =
      (Vector3::UnitZ() - std::cos(track.theta) / sin_theta * along)
          .transpose();
  // the direction turns by kappa per length, and the perigee lies before a
  // vertex that moves along the track
  const double kappa = -track.charge * bz / track.p;
  t.by_vertex.row(Perigee::phi) = -kappa / sin_theta * along.transpose();
  return t;
}

/// On the plane z = const. through the vertex. The field turns the direction on
/// the way to a displaced vertex by far less than its error: left out.
VertexTrack at_plane(const Track& track) {
  VertexTrack t = start_of(track, track.theta < unit::pi / 2 ? 1 : -1);
  t.by_vertex.row(OnPlane::x) << 1, 0, -t.m[0];
  t.by_vertex.row(OnPlane::y) << 0, 1, -t.m[1];
  return t;
}

/// The information of the position of a track about its m: m changes by gain
/// times the deviation of the position.
/// @param place  its information, place_of()
Matrix32 gain_of(const VertexTrack& t, const Eigen::Matrix2d& place) {
  const Matrix32 with_place = t.covariance.bottomLeftCorner<3, 2>();
  return product(with_place, place);
}

/// The information about the position; not finite if it has no error.
Eigen::Matrix2d place_of(const VertexTrack& t) {
  const Eigen::Matrix2d errors = t.covariance.topLeftCorner<2, 2>();
  return inverse(errors);
}

Vector4 four_momentum(const Vector3& momentum, double mass) {
  Vector4 four;
  four << momentum, std::sqrt(momentum.squaredNorm() + mass * mass);
  return four;
}

double root(double variance) { return std::sqrt(std::max(0.0, variance)); }

}  // namespace

std::optional<VertexTrack> vertex_track(const Track& track,
                                        const Matrix5& perigee,
                                        const Matrix5& start_plane, double bz) {
  if (perigee.allFinite()) {
    VertexTrack t = at_perigee(track, bz);
    t.covariance = perigee;
    return t;
  }
  if (!start_plane.allFinite()) return std::nullopt;
  VertexTrack t = at_plane(track);
  t.covariance = start_plane;
  return t;
}

std::optional<VertexErrors> fit_vertex(std::span<const VertexTrack> tracks) {
  if (tracks.size() < 2) return std::nullopt;
  VertexErrors r;
  r.momentum.setZero();
  r.separate.setZero();
  r.constrained.setZero();
  Matrix3 information = Matrix3::Zero();
  Matrix43 by_vertex = Matrix43::Zero();  // d(fitted momentum)/d(vertex)
  for (const VertexTrack& t : tracks) {
    const Eigen::Matrix2d place = place_of(t);
    // positive definite
    if (!(place(0, 0) > 0 &&
          place(0, 0) * place(1, 1) > place(0, 1) * place(1, 0)))
      return std::nullopt;
    const Eigen::Matrix<double, 2, 3> a = t.by_vertex.topRows<2>();
    const Matrix32 to = a.transpose();
    information += product(to, product(place, a));
    const Matrix32 gain = gain_of(t, place);
    const Vector4 momentum = four_momentum(t.momentum_of(t.m), t.mass);
    Matrix43 four;  // d(four-momentum)/dm
    four.topRows<3>() = t.momentum_by_m;
    four.row(3) =
        momentum.head<3>().transpose() * t.momentum_by_m / momentum[3];
    const Matrix3 m = t.covariance.bottomRightCorner<3, 3>();
    const Matrix32 with_place = t.covariance.bottomLeftCorner<3, 2>();
    const Matrix3 rest = m - symmetric_product(gain, with_place);
    r.momentum += momentum;
    r.separate += propagated(four, m);
    r.constrained += propagated(four, rest);
    by_vertex += four * (gain * a - t.by_vertex.bottomRows<3>());
  }
  // in units in which a vertex that is hardly determined shows
  const Vector3 scale = information.diagonal().cwiseSqrt().cwiseInverse();
  if (!scale.allFinite()) return std::nullopt;
  const Matrix3 scaled = scale.asDiagonal() * information * scale.asDiagonal();
  const Eigenvectors axes = eigenvectors(scaled);
  constexpr double least = 1e-12;  // parallel tracks, except for rounding
  if (!(axes.values[0] > least)) return std::nullopt;
  Matrix3 root = scale.asDiagonal() * axes.vectors;
  for (int i = 0; i < 3; ++i) root.col(i) /= std::sqrt(axes.values[i]);
  r.vertex = square(root);
  r.constrained += propagated(by_vertex, r.vertex);
  return r;
}

Vector3 VertexTrack::momentum_of(const Vector3& other) const {
  return std::abs(charge / other[2]) * direction_of(other, plane).along;
}

FittedVertex fit_vertex(std::span<const VertexTrack> tracks,
                        const VertexErrors& errors,
                        std::span<const Vector5> measured) {
  FittedVertex r;
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < tracks.size(); ++i)
    sum += tracks[i].by_vertex.topRows<2>().transpose() *
           (place_of(tracks[i]) * measured[i].head<2>());
  r.vertex = errors.vertex * sum;
  r.separate.setZero();
  r.constrained.setZero();
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const VertexTrack& t = tracks[i];
    const Vector5 rest = measured[i] - t.by_vertex * r.vertex;
    const auto add = [&t](const Vector3& dm, Vector4& to) {
      to += four_momentum(t.momentum_of(t.m + dm), t.mass);
    };
    add(measured[i].tail<3>(), r.separate);
    add(rest.tail<3>() - gain_of(t, place_of(t)) * rest.head<2>(),
        r.constrained);
  }
  return r;
}

double mass_of(const Vector4& momentum) {
  return root(momentum[3] * momentum[3] - momentum.head<3>().squaredNorm());
}

double sigma_of_mass(const Vector4& momentum, const Matrix4& covariance) {
  Vector4 gradient = -momentum;
  gradient[3] = momentum[3];
  return root(gradient.dot(covariance * gradient)) / mass_of(momentum);
}

double recoil_mass(const Vector4& momentum, double sqrt_s) {
  const double energy = sqrt_s - momentum[3];
  return std::sqrt(energy * energy - momentum.head<3>().squaredNorm());
}

double sigma_of_recoil_mass(const Vector4& momentum, const Matrix4& covariance,
                            double sqrt_s, double sigma_sqrt_s) {
  const double energy = sqrt_s - momentum[3];
  Vector4 gradient = -momentum;
  gradient[3] = -energy;
  const double by_beam = energy * sigma_sqrt_s;
  return root(gradient.dot(covariance * gradient) + by_beam * by_beam) /
         recoil_mass(momentum, sqrt_s);
}

}  // namespace gttf
