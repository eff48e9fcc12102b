// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/vertex.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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

/// The covariance of a track as L L^T, by blocks of position and m.
struct Factor {
  Eigen::Matrix2d place;
  Matrix32 with_place;
  Matrix3 rest;  ///< of the errors of m for a given position

  /// Columns of the position in units of its independent errors.
  void divide(Eigen::Ref<Eigen::MatrixXd> columns) const {
    solve_lower(place, columns);
  }
  /// m changes by this times the deviation of the position.
  Matrix32 gain() const { return with_place * inverse(place); }
};

std::optional<Factor> factor_of(const VertexTrack& t) {
  const auto l = cholesky(t.covariance);
  if (!l) return std::nullopt;
  return Factor{l->topLeftCorner<2, 2>(), l->bottomLeftCorner<3, 2>(),
                l->bottomRightCorner<3, 3>()};
}

Vector4 four_momentum(const Vector3& momentum, double mass) {
  Vector4 four;
  four << momentum, std::sqrt(momentum.squaredNorm() + mass * mass);
  return four;
}

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
  const auto n = static_cast<Eigen::Index>(tracks.size());
  VertexErrors r;
  r.momentum.setZero();
  r.separate.resize(4, track_dim * n);
  r.constrained.resize(4, 3 * n + 3);
  Eigen::MatrixXd places(2 * n, 3);       // d(position)/d(vertex), divided
  Matrix43 by_vertex = Matrix43::Zero();  // d(fitted momentum)/d(vertex)
  for (Eigen::Index i = 0; i < n; ++i) {
    const VertexTrack& t = tracks[static_cast<std::size_t>(i)];
    const auto factor = factor_of(t);
    if (!factor) return std::nullopt;
    const Eigen::Matrix<double, 2, 3> a = t.by_vertex.topRows<2>();
    places.middleRows<2>(2 * i) = a;
    factor->divide(places.middleRows(2 * i, 2));
    const Vector4 momentum = four_momentum(t.momentum_of(t.m), t.mass);
    Matrix43 four;  // d(four-momentum)/dm
    four.topRows<3>() = t.momentum_by_m;
    four.row(3) =
        momentum.head<3>().transpose() * t.momentum_by_m / momentum[3];
    r.momentum += momentum;
    r.separate.middleCols<2>(track_dim * i) = four * factor->with_place;
    r.separate.middleCols<3>(track_dim * i + 2) = four * factor->rest;
    r.constrained.middleCols<3>(3 * i) = four * factor->rest;
    by_vertex += four * (factor->gain() * a - t.by_vertex.bottomRows<3>());
  }
  // in units in which a vertex that is hardly determined shows
  const Vector3 scale = places.colwise().norm().cwiseInverse();
  if (!scale.allFinite()) return std::nullopt;
  const Eigen::MatrixXd root = triangular_root(places * scale.asDiagonal());
  constexpr double least = 1e-6;  // parallel tracks, except for rounding
  if (!(root.diagonal().cwiseAbs().minCoeff() > least)) return std::nullopt;
  Eigen::MatrixXd inverted = Matrix3::Identity();
  solve_lower(root.transpose(), inverted);
  const Matrix3 vertex = scale.asDiagonal() * inverted.transpose();
  r.vertex = square(vertex);
  r.constrained.rightCols<3>() = by_vertex * vertex;
  return r;
}

Vector3 VertexTrack::momentum_of(const Vector3& other) const {
  return std::abs(charge / other[2]) * direction_of(other, plane).along;
}

FittedVertex fit_vertex(std::span<const VertexTrack> tracks,
                        const VertexErrors& errors,
                        std::span<const Vector5> measured) {
  FittedVertex r;
  std::vector<Factor> factors;
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    factors.push_back(factor_of(tracks[i]).value());
    Eigen::MatrixXd both(2, 4);
    both << tracks[i].by_vertex.topRows<2>(), measured[i].head<2>();
    factors.back().divide(both);
    sum += both.leftCols<3>().transpose() * both.col(3);
  }
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
    add(rest.tail<3>() - factors[i].gain() * rest.head<2>(), r.constrained);
  }
  return r;
}

double mass_of(const Vector4& momentum) {
  return std::sqrt(std::max(
      0.0, momentum[3] * momentum[3] - momentum.head<3>().squaredNorm()));
}

double sigma_of_mass(const Vector4& momentum, const MomentumErrors& errors) {
  Vector4 gradient = -momentum;
  gradient[3] = momentum[3];
  return (gradient.transpose() * errors).norm() / mass_of(momentum);
}

double recoil_mass(const Vector4& momentum, double sqrt_s) {
  const double energy = sqrt_s - momentum[3];
  return std::sqrt(energy * energy - momentum.head<3>().squaredNorm());
}

double sigma_of_recoil_mass(const Vector4& momentum,
                            const MomentumErrors& errors, double sqrt_s,
                            double sigma_sqrt_s) {
  const double energy = sqrt_s - momentum[3];
  Vector4 gradient = -momentum;
  gradient[3] = -energy;
  const double by_beam = energy * sigma_sqrt_s;
  return std::hypot((gradient.transpose() * errors).norm(), by_beam) /
         recoil_mass(momentum, sqrt_s);
}

}  // namespace gttf
