// SPDX-License-Identifier: Apache-2.0
#include "support/exact_chi2.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "gttf/core/dual.hpp"
#include "support/triplets.hpp"

namespace gttf::test {

ExactChi2::ExactChi2(const TrackHits& track, double phi, double theta,
                     double kappa0) {
  constexpr int max_points = 24;
  using D = Dual<5 + 2 * max_points>;
  const int n = static_cast<int>(track.points.size());
  const Eigen::Index columns = 5 + 2 * n;
  Eigen::VectorXd p = Eigen::VectorXd::Zero(columns);
  const Vector3 origin = track.points[0].position;
  const double phi_start = phi;
  // d0 along the normal of the first guess, z0, phi, theta, kappa, kinks
  p[2] = phi;
  p[3] = theta;
  p[4] = kappa0;
  for (int step = 0; step < 40; ++step) {
    points.clear();
    std::vector<Eigen::RowVectorXd> rows;
    std::vector<double> values;
    const auto var = [&](int i) { return D::variable(p[i], i); };
    const auto row = [&](const D& x) {
      Eigen::RowVectorXd r(columns);
      for (Eigen::Index i = 0; i < columns; ++i)
        r[i] = x.derivative[static_cast<std::size_t>(i)];
      return r;
    };
    const D k = var(4);
    HelixState<D> s{
        {D(origin[0]) - var(0) * D(std::sin(phi_start)),
         D(origin[1]) + var(0) * D(std::cos(phi_start)), D(origin[2]) + var(1)},
        var(2),
        var(3)};
    for (int i = 0; i < n; ++i) {
      const TrackHit& h = track.points[static_cast<std::size_t>(i)];
      const Vector3 normal = h.u.cross(h.v);
      const auto dot = [](const Vector3& a, const Cartesian<D>& x) {
        return D(a[0]) * x.x + D(a[1]) * x.y + D(a[2]) * x.z;
      };
      const D at_plane(normal.dot(h.position));
      D length(i == 0 ? 0
                      : (h.position -
                         track.points[static_cast<std::size_t>(i - 1)].position)
                            .norm());
      for (int newton = 0; newton < 6; ++newton) {
        const auto next = propagate(s, k, length);
        const Cartesian<D> direction{sin(next.theta) * cos(next.phi),
                                     sin(next.theta) * sin(next.phi),
                                     cos(next.theta)};
        length -=
            (dot(normal, next.position) - at_plane) / dot(normal, direction);
      }
      s = propagate(s, k, length);
      for (const CoordinateAxis& a : h.axes()) {
        const Vector3 axis = a.cosine * h.u + a.sine * h.v;
        const D residual = (D(axis.dot(h.position)) - dot(axis, s.position)) *
                           D(1 / std::sqrt(a.variance));
        rows.push_back(row(residual));
        values.push_back(residual.value);
      }
      Point point;
      point.position = {s.position.x.value, s.position.y.value,
                        s.position.z.value};
      point.theta_before = s.theta.value;
      point.phi_before = s.phi.value;
      const D theta_kink = var(5 + 2 * i), phi_kink = var(6 + 2 * i);
      const bool kinks = i > 0 && i + 1 < n && h.theta0_2 > 0;
      const double sine = std::sin(s.theta.value + 0.5 * theta_kink.value);
      const double weight = kinks ? 1 / std::sqrt(h.theta0_2) : 1e12;
      for (const D& kink :
           {theta_kink * D(weight), phi_kink * D(weight * sine)}) {
        rows.push_back(row(kink));
        values.push_back(kink.value);
      }
      s.theta += theta_kink;
      s.phi += phi_kink;
      point.theta_after = s.theta.value;
      point.phi_after = s.phi.value;
      point.gradient.resize(5, columns);
      point.gradient << row(s.position.x), row(s.position.y), row(s.position.z),
          row(s.theta), row(s.phi);
      points.push_back(point);
    }
    const auto m = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd a(m, columns);
    Eigen::VectorXd r(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      a.row(i) = rows[static_cast<std::size_t>(i)];
      r[i] = values[static_cast<std::size_t>(i)];
    }
    chi2 = r.squaredNorm();
    const Eigen::VectorXd scale = a.colwise().norm().cwiseInverse();
    const Eigen::MatrixXd scaled = a * scale.asDiagonal();
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
    const Eigen::VectorXd move = scale.cwiseProduct(qr.solve(-r).eval());
    const Eigen::MatrixXd inverse =
        scale.asDiagonal() *
        (scaled.transpose() * scaled)
            .ldlt()
            .solve(Eigen::MatrixXd::Identity(columns, columns)) *
        scale.asDiagonal();
    covariance = inverse;
    sigma = std::sqrt(inverse(4, 4));
    kappa = p[4];
    if (step > 3 && (a * move).squaredNorm() < 1e-24 * (1 + chi2)) break;
    p += move;
  }
}

}  // namespace gttf::test
