// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64-v3 where there is such a thing, as its competitor is.
#include "bench/least_squares.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "gttf/fit/streaming/kink_elimination.hpp"
#include "gttf/trajectory/scattering.hpp"

namespace gttf::bench {

Matrix5 dense_covariance(const TrackingGeometry& geometry, const Track& track) {
  constexpr int layers = 10, rows = 2 * layers;
  const Line<double> line = make_line<double>(track, geometry.bz());
  Eigen::Matrix<double, rows, 5> a;
  Eigen::Matrix<double, 5, rows> kinks;
  Eigen::Matrix<double, rows, 1> variance, weight;
  Covariance5<double> first{};
  for (int i = 0; i < layers; ++i) {
    const SurfaceRecord& s = geometry.surfaces()[static_cast<std::size_t>(i)];
    const Crossing<double> x = cross(line, s);
    const auto axes = geometry.axes(s);
    for (int q = 0; q < 2; ++q) {
      const CoordinateAxis& axis = axes[static_cast<std::size_t>(q)];
      const Row<double> row =
          coordinate_row(line, s, x, axis.cosine, axis.sine);
      for (int j = 0; j < 5; ++j)
        a(2 * i + q, j) = row[static_cast<std::size_t>(j)];
      variance[2 * i + q] = axis.variance;
    }
    const Kink<double> b = kink(line, x);
    kinks.col(2 * i) << b.theta[0], b.theta[1], b.theta[2], 1, 0;
    kinks.col(2 * i + 1) << b.phi[0], b.phi[1], b.phi[2], 0, 0;
    const double w =
        theta0_squared(line, Scattering::highland, x.x_over_x0, 0.);
    weight[2 * i] = w;
    weight[2 * i + 1] = w * line.inv_sin_theta * line.inv_sin_theta;
    if (i == 0) add_kink_variance(b, weight[0], weight[1], first);
  }
  // how the kinks of a layer move the hits outside of it
  Eigen::Matrix<double, rows, rows> moved = a * kinks;
  for (int i = 0; i < layers; ++i) moved.block<2, 2>(2 * i, 2 * i).setZero();
  moved.leftCols<2>().setZero();
  Eigen::Matrix<double, rows, rows> v =
      moved.triangularView<Eigen::StrictlyLower>().toDenseMatrix();
  moved = v * weight.asDiagonal();
  v = moved * v.transpose();
  v.diagonal() += variance;
  const Eigen::LLT<Eigen::Matrix<double, rows, rows>> factor(v);
  const Eigen::Matrix<double, rows, 5> half = factor.matrixL().solve(a);
  Matrix5 c = (half.transpose() * half).inverse();
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      c(i, j) +=
          first[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return c;
}

}  // namespace gttf::bench
