// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <cmath>

#include "gttf/core/units.hpp"
#include "gttf/fit/detail/prefit.hpp"

namespace gttf::detail {

namespace {

/// A helix by its slopes: d0 and z0 are the position.
struct SlopeHelix {
  Vector3 position;
  double phi = 0, cot = 0, c = 0;  ///< c: transverse curvature

  Helix helix() const {
    const double theta = std::atan2(1, cot);
    return {position, phi, theta, c * std::sin(theta)};
  }
};

/// Circle through all points with equal weights, explicit.
/// Source: [Karimaki91]
SlopeHelix fit_circle(const TrackHits& track,
                      std::span<const std::size_t> measured) {
  const Vector3 first = track.points[measured[0]].position;
  double n = 0, x = 0, y = 0, r2 = 0;
  double xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, rr = 0;
  for (const std::size_t i : measured) {
    const Vector3 p = track.points[i].position - first;
    const double q = p[0] * p[0] + p[1] * p[1];
    n += 1;
    x += p[0];
    y += p[1];
    r2 += q;
    xx += p[0] * p[0];
    xy += p[0] * p[1];
    yy += p[1] * p[1];
    xr += p[0] * q;
    yr += p[1] * q;
    rr += q * q;
  }
  x /= n, y /= n, r2 /= n;
  xx = xx / n - x * x, xy = xy / n - x * y, yy = yy / n - y * y;
  xr = xr / n - x * r2, yr = yr / n - y * r2, rr = rr / n - r2 * r2;
  const double q1 = rr * xy - xr * yr;
  const double q2 = rr * (xx - yy) - xr * xr + yr * yr;
  const double phi = 0.5 * std::atan2(2 * q1, q2);
  const double sine = std::sin(phi), cosine = std::cos(phi);
  const double bend = (sine * xr - cosine * yr) / rr;
  const double offset = -bend * r2 + sine * x - cosine * y;
  const double root = std::sqrt(1 - 4 * offset * bend);
  const double d0 = -2 * offset / (1 + root);
  SlopeHelix h;
  h.c = -2 * bend / root;
  h.phi = phi;
  h.position = first + Vector3(-d0 * sine, d0 * cosine, 0);
  const Vector3 step = track.points[measured[1]].position - first;
  if (cosine * step[0] + sine * step[1] < 0) {
    h.phi += unit::pi;
    h.c = -h.c;
  }
  return h;
}

/// Signed arc from the start of the helix to the point of it nearest to x.
double arc_near(const SlopeHelix& h, const Vector3& x, double not_before) {
  const double cosine = std::cos(h.phi), sine = std::sin(h.phi);
  const Vector3 u = x - h.position;
  const double ut = u[0] * cosine + u[1] * sine;
  const double un = u[1] * cosine - u[0] * sine;
  const double m = 1 - h.c * un, t = h.c * ut;
  if (std::abs(t) < 1e-4 && m > 0) return ut / m * (1 - t * t / (3 * m * m));
  double s = std::atan2(t, m) / h.c;
  const double round = 2 * unit::pi / std::abs(h.c);
  // past half a turn; otherwise a smaller arc means a wrong order
  while (s < not_before && not_before * std::abs(h.c) > 0.5 * unit::pi)
    s += round;
  return s;
}

/// z = z0 + s cot(theta) through the points that know their z.
void fit_line(const TrackHits& track, std::span<const std::size_t> measured,
              SlopeHelix& h) {
  double n = 0, sum_s = 0, sum_z = 0, ss = 0, sz = 0, last = -1e300;
  const double span = (track.points[measured.back()].position -
                       track.points[measured.front()].position)
                          .norm();
  const double floor = 1e-3 * span;
  const double z_first = track.points[measured.front()].position[2];
  for (const std::size_t i : measured) {
    const TrackHit& p = track.points[i];
    const double s = arc_near(h, p.position, last);
    last = s;
    double variance = floor * floor;
    for (const CoordinateAxis& a : p.axes()) {
      const double rise = a.cosine * p.u[2] + a.sine * p.v[2];
      variance += rise * rise * a.variance;
    }
    const double unmeasured_rise =
        p.n_coordinates == 2
            ? 0
            : p.coordinates[0].cosine * p.v[2] - p.coordinates[0].sine * p.u[2];
    variance += unmeasured_rise * unmeasured_rise * span * span * 100;
    const double w = 1 / variance, z = p.position[2] - z_first;
    n += w;
    sum_s += w * s;
    sum_z += w * z;
    ss += w * s * s;
    sz += w * s * z;
  }
  const double det = n * ss - sum_s * sum_s;
  h.cot = (n * sz - sum_s * sum_z) / det;
  h.position[2] = z_first + (sum_z - h.cot * sum_s) / n;
}

/// Derivatives of a point at the transverse arc s, at fixed s, with respect to
/// (d0, z0, phi, cot, c).
Eigen::Matrix<double, 3, 5> free_derivatives(const SlopeHelix& h, double s,
                                             const Vector3& x) {
  const double cosine = std::cos(h.phi), sine = std::sin(h.phi);
  const Vector3 step = x - h.position;
  const double turn = h.c * s;
  double forward, sideward;
  if (std::abs(turn) < 1e-2) {
    const double t2 = turn * turn;
    forward = -s * s * turn / 3 * (1 - t2 / 10);
    sideward = s * s * (0.5 - t2 / 8);
  } else {
    forward = s * (std::cos(turn) - std::sin(turn) / turn) / h.c;
    sideward = s * (std::sin(turn) - (1 - std::cos(turn)) / turn) / h.c;
  }
  Eigen::Matrix<double, 3, 5> d;
  d.col(0) << -sine, cosine, 0;
  d.col(1) << 0, 0, 1;
  d.col(2) << -step[1], step[0], 0;
  d.col(3) << 0, 0, s;
  d.col(4) << cosine * forward - sine * sideward,
      sine * forward + cosine * sideward, 0;
  return d;
}

/// Gauss-Newton on all coordinates; scattering enters as an error of its own
/// at every point.
FitStatus refine(const TrackHits& track, std::span<const std::size_t> measured,
                 SlopeHelix& h) {
  constexpr int max_steps = 30;
  for (int step = 0; step < max_steps; ++step) {
    Matrix5 information = Matrix5::Zero();
    Vector5 right = Vector5::Zero();
    double guess = -1e300, angle2 = 0, moment = 0, moment2 = 0;
    const double sine2 = 1 / (1 + h.cot * h.cot);
    for (const std::size_t i : measured) {
      const TrackHit& p = track.points[i];
      const double s = arc_to(h.helix(), p, arc_near(h, p.position, guess));
      if (!std::isfinite(s)) return FitStatus::not_converged;
      guess = s;
      const double path2 = 1 / sine2;
      const double wander = (angle2 * s * s - 2 * moment * s + moment2) * path2;
      const Helix at = h.helix().advanced(s);
      const SurfaceAxes axes = axes_at(p, at.position);
      const Vector3 normal = axes.u.cross(axes.v), slope = at.slope();
      const auto free = free_derivatives(h, s, at.position);
      const Eigen::Matrix<double, 3, 5> d =
          free - slope * (normal.transpose() * free) / normal.dot(slope);
      const auto residual = coordinate_residuals(p, at.position);
      for (int q = 0; q < p.n_coordinates; ++q) {
        const CoordinateAxis& a = p.coordinates[static_cast<std::size_t>(q)];
        const Vector5 row =
            d.transpose() * (a.cosine * axes.u + a.sine * axes.v);
        const double w = 1 / (a.variance + wander);
        information += w * row * row.transpose();
        right += w * residual[q] * row;
      }
      angle2 += p.theta0_2;
      moment += p.theta0_2 * s;
      moment2 += p.theta0_2 * s * s;
    }
    if (!track.field) {
      information.row(4).setZero();
      information.col(4).setZero();
      information(4, 4) = 1;
      right[4] = 0;
    }
    // columns of size one, whatever their units
    const Vector5 scale = information.diagonal().cwiseSqrt();
    if (!(scale.minCoeff() > 0)) return FitStatus::not_determined;
    const Matrix5 scaled = scale.cwiseInverse().asDiagonal() * information *
                           scale.cwiseInverse().asDiagonal();
    const Eigen::LDLT<Matrix5> solver(scaled);
    if (!(solver.vectorD().minCoeff() > 1e-14))
      return FitStatus::not_determined;
    const Vector5 move =
        solver.solve(right.cwiseQuotient(scale)).cwiseQuotient(scale);
    if (!move.allFinite()) return FitStatus::not_converged;
    h.position +=
        Vector3(-std::sin(h.phi) * move[0], std::cos(h.phi) * move[0], move[1]);
    h.phi += move[2];
    h.cot += move[3];
    h.c += move[4];
    if (move.dot(information * move) < 1e-4) return FitStatus::ok;
  }
  return FitStatus::not_converged;
}

}  // namespace

Eigen::Vector2d coordinate_residuals(const TrackHit& hit, const Vector3& x) {
  Eigen::Vector2d in_plane;  // measured minus x along u and v
  if (hit.cylinder) {
    const auto& m = hit.position;
    const double r = std::hypot(m[0], m[1]);
    const double turn =
        std::atan2(x[0] * m[1] - x[1] * m[0], x[0] * m[0] + x[1] * m[1]);
    // u along r-phi and v along z, either way round
    const double r_phi = r * turn, z = m[2] - x[2];
    const Vector3 along(-m[1] / r, m[0] / r, 0);
    in_plane = {hit.u.dot(along) * r_phi + hit.u[2] * z,
                hit.v.dot(along) * r_phi + hit.v[2] * z};
  } else {
    const Vector3 step = hit.position - x;
    in_plane = {hit.u.dot(step), hit.v.dot(step)};
  }
  Eigen::Vector2d residual = Eigen::Vector2d::Zero();
  for (int q = 0; q < hit.n_coordinates; ++q) {
    const CoordinateAxis& a = hit.coordinates[static_cast<std::size_t>(q)];
    residual[q] = a.cosine * in_plane[0] + a.sine * in_plane[1];
  }
  return residual;
}

Prefit prefit(const TrackHits& track, std::span<const std::size_t> measured,
              bool coarse) {
  Prefit result;
  SlopeHelix h = fit_circle(track, measured);
  if (!track.field) h.c = 0;
  fit_line(track, measured, h);
  if (!h.position.allFinite() || !std::isfinite(h.phi + h.cot + h.c)) {
    result.status = FitStatus::coincident_hits;
    return result;
  }
  if (coarse) result.status = refine(track, measured, h);
  if (result.status != FitStatus::ok) return result;
  const TrackHit& first = track.points[measured.front()];
  const Helix helix = h.helix();
  const double s = arc_to(helix, first, arc_near(h, first.position, -1e300));
  if (!std::isfinite(s)) result.status = FitStatus::not_converged;
  result.start = helix.advanced(s);
  return result;
}

}  // namespace gttf::detail
