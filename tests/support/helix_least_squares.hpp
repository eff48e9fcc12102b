// SPDX-License-Identifier: Apache-2.0
// A dense helix fit, written without triplets, filters or closed derivatives:
// the independent opinion on covariances.
#pragma once

#include <Eigen/Dense>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <cmath>
#include <vector>

#include "gttf/core/dual.hpp"
#include "gttf/fit/track/errors.hpp"
#include "gttf/fit/triplet/triplet_track.hpp"
#include "support/triplets.hpp"

namespace gttf::test {

/// Perigee covariances (d0, z0, phi, theta, kappa) by generalised least
/// squares: derivatives of the coordinates with respect to five parameters and
/// two kinks per crossing by automatic differentiation of exact propagation to
/// the tangent planes, and dense algebra in 113 bits.
struct HelixLeastSquares {
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  using Matrix = Eigen::Matrix<Quad, Eigen::Dynamic, Eigen::Dynamic>;
  static constexpr int max_crossings = 24;
  using D = Dual<5 + 2 * max_crossings>;

  Matrix with_inner;     ///< all material
  Matrix without_inner;  ///< without the first hit's and inner scattering
  std::vector<Eigen::Matrix2d> fitted;  ///< position covariance at every hit

  HelixLeastSquares(const TripletTrack& track, Errors errors) {
    const auto n = static_cast<Eigen::Index>(track.crossings.size());
    const Eigen::Index columns = 5 + 2 * n;
    std::vector<Eigen::RowVectorXd> rows, surface_rows;
    std::vector<double> variances;
    Eigen::VectorXd kinks(2 * n);
    const D kappa = D::variable(track.kappa, 4);
    HelixState<D> state;
    state.theta = D::variable(track.theta, 3);
    state.phi = D::variable(track.phi, 2);
    // d0 along the left normal of the reference direction
    const D d0 = D::variable(0, 0);
    state.position = {D(track.start[0]) - d0 * D(std::sin(track.phi)),
                      D(track.start[1]) + d0 * D(std::cos(track.phi)),
                      D::variable(track.start[2], 1)};
    bool seen_hit = false;
    Eigen::Index inner = 0;
    double path = 0;
    const double sine = std::sin(track.theta);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& c = track.crossings[static_cast<std::size_t>(i)];
      const Vector3 normal = c.u.cross(c.v);
      const auto along = [&c](const Vector3& axis, const Cartesian<D>& x) {
        return D(axis[0]) * (x.x - D(c.position[0])) +
               D(axis[1]) * (x.y - D(c.position[1])) +
               D(axis[2]) * (x.z - D(c.position[2]));
      };
      // Newton on the path to the plane; the last steps carry the derivatives
      const double guess = track.kappa == 0 ? (c.position - track.start).norm()
                                            : c.turn / track.kappa;
      D length(guess - path);
      for (int step = 0; step < 4; ++step) {
        const auto next = propagate(state, kappa, length);
        const D slope = D(normal[0]) * sin(next.theta) * cos(next.phi) +
                        D(normal[1]) * sin(next.theta) * sin(next.phi) +
                        D(normal[2]) * cos(next.theta);
        length -= along(normal, next.position) / slope;
      }
      state = propagate(state, kappa, length);
      path += length.value;
      const auto row = [&](const D& value) {
        Eigen::RowVectorXd r(columns);
        for (Eigen::Index k = 0; k < columns; ++k)
          r[k] = value.derivative[static_cast<std::size_t>(k)];
        return r;
      };
      const auto u = row(along(c.u, state.position));
      const auto v = row(along(c.v, state.position));
      for (const TripletCoordinate& axis : c.coordinates) {
        rows.push_back(static_cast<double>(axis.cosine) * u +
                       static_cast<double>(axis.sine) * v);
        variances.push_back(axis.variance);
      }
      if (c.measures()) {
        surface_rows.push_back(u);
        surface_rows.push_back(v);
      }
      if (!seen_hit) inner = i + 1;
      seen_hit = seen_hit || c.measures();
      const bool scatters = errors != Errors::hits_only;
      kinks[2 * i] = scatters ? c.kink_variance : 0;
      kinks[2 * i + 1] = scatters ? c.kink_variance / (sine * sine) : 0;
      state.theta += D::variable(0, static_cast<int>(5 + 2 * i));
      state.phi += D::variable(0, static_cast<int>(6 + 2 * i));
    }
    // "exact": 1e-10 mm is nothing against kinks, but more than the rounding
    // of the derivatives, which makes coordinates of one surface disagree
    if (errors == Errors::scattering_only)
      for (double& variance : variances) variance = 1e-20;
    const int parameters = track.fit_kappa ? 5 : 4;
    const auto quad = [](const auto& list, Eigen::Index width) {
      Matrix m(static_cast<Eigen::Index>(list.size()), width);
      for (Eigen::Index i = 0; i < m.rows(); ++i)
        m.row(i) = list[static_cast<std::size_t>(i)].template cast<Quad>();
      return m;
    };
    const Matrix all = quad(rows, columns);
    const Matrix design = all.leftCols(parameters);
    const Matrix kink_rows = all.rightCols(2 * n);
    const auto invert = [&](const Eigen::VectorXd& noise) {
      Matrix w =
          kink_rows * noise.cast<Quad>().asDiagonal() * kink_rows.transpose();
      for (Eigen::Index i = 0; i < w.rows(); ++i)
        w(i, i) += Quad(variances[static_cast<std::size_t>(i)]);
      return w;
    };
    const auto covariance = [&](const Eigen::VectorXd& noise) {
      const Matrix w = invert(noise);
      const Matrix information = design.transpose() * w.llt().solve(design);
      Matrix c = Matrix::Zero(5, 5);
      c.topLeftCorner(parameters, parameters) =
          information.llt().solve(Matrix::Identity(parameters, parameters));
      return c;
    };
    with_inner = covariance(kinks);
    Eigen::VectorXd outer = kinks;
    outer.head(2 * inner).setZero();
    without_inner = covariance(outer);
    // Best linear prediction of the true position at every hit.
    const Matrix w = invert(kinks);
    const auto solver = w.llt();
    const Matrix noise = kinks.cast<Quad>().asDiagonal();
    const Matrix all_surface = quad(surface_rows, columns);
    const Matrix x = all_surface.leftCols(parameters);
    const Matrix z = all_surface.rightCols(2 * n);
    const Matrix cross = z * noise * kink_rows.transpose();
    const Matrix gain = solver.solve(cross.transpose());
    const Matrix d = x - gain.transpose() * design;
    const Matrix total =
        z * noise * z.transpose() - cross * gain +
        d * with_inner.topLeftCorner(parameters, parameters) * d.transpose();
    for (Eigen::Index k = 0; k < total.rows(); k += 2)
      fitted.push_back(total.block(k, k, 2, 2).template cast<double>());
  }
};

}  // namespace gttf::test
