// SPDX-License-Identifier: Apache-2.0
#include "support/plane_least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace gttf::test {

PlaneLeastSquares::PlaneLeastSquares(const State& start, double z,
                                     std::vector<Plane> planes, Field field,
                                     std::vector<double> breaks, bool fit_kappa,
                                     int omit)
    : field_(std::move(field)), breaks_(std::move(breaks)) {
  const auto n = static_cast<Eigen::Index>(planes.size());
  const Eigen::Index unknowns = 5 + 3 * n;
  Matrix information = Matrix::Zero(unknowns, unknowns);
  Matrix line = Matrix::Zero(5, unknowns);
  line.leftCols(5).setIdentity();
  State s = start;
  for (Eigen::Index k = 0; k < n; ++k) {
    const Plane& plane = planes[static_cast<std::size_t>(k)];
    line = transport(s, z, plane.z) * line;
    s = integrate(s, z, plane.z);
    z = plane.z;
    lines.push_back(line);
    reference.push_back(s);
    if (k != omit)
      for (const Eigen::Vector3d& c : plane.coordinates) {
        const Matrix row = Real(c[0]) * line.row(0) + Real(c[1]) * line.row(1);
        information += row.transpose() * row / Real(c[2]);
      }
    const Matrix arriving = line;
    add_kinks(plane, k, s, line, information);
    s[4] += plane.loss;
    // the loss depends on the direction before the layer scatters
    line.row(4) = plane.loss_slope * line.row(4) +
                  Real(plane.loss_by_slopes[0]) * arriving.row(2) +
                  Real(plane.loss_by_slopes[1]) * arriving.row(3);
    line.row(4) +=
        Real(plane.loss_by_kinks[0]) * (line.row(2) - arriving.row(2)) +
        Real(plane.loss_by_kinks[1]) * (line.row(3) - arriving.row(3));
    line(4, 7 + 3 * k) += 1;
  }
  if (!fit_kappa) information(4, 4) += Real(1e60);
  // unknowns differ by many orders of magnitude
  const Eigen::Matrix<Real, Eigen::Dynamic, 1> scale =
      information.diagonal().array().sqrt().inverse();
  const Matrix scaled = scale.asDiagonal() * information * scale.asDiagonal();
  covariance = scale.asDiagonal() *
               scaled.ldlt().solve(Matrix::Identity(unknowns, unknowns)) *
               scale.asDiagonal();
}

Matrix5 PlaneLeastSquares::at_start() const {
  return covariance.topLeftCorner(5, 5).cast<double>();
}

Matrix5 PlaneLeastSquares::before(std::size_t k) const {
  return (lines[k] * covariance * lines[k].transpose()).cast<double>();
}

PlaneLeastSquares::State PlaneLeastSquares::integrate(State s, Real from,
                                                      Real to) const {
  std::vector<Real> stops{from};
  for (const double b : breaks_)
    if ((from < b && b < to)) stops.push_back(b);
  stops.push_back(to);
  for (std::size_t i = 0; i + 1 < stops.size(); ++i)
    s = piece(s, stops[i], stops[i + 1]);
  return s;
}

void PlaneLeastSquares::add_kinks(const Plane& plane, Eigen::Index k,
                                  const State& s, Matrix& line,
                                  Matrix& information) {
  Eigen::Matrix<Real, 2, 2> c;
  c << 1 + s[2] * s[2], s[2] * s[3], s[2] * s[3], 1 + s[3] * s[3];
  c *= Real(plane.theta0_2) * (1 + s[2] * s[2] + s[3] * s[3]);
  const bool scatters = plane.theta0_2 > 0, straggles = plane.loss_variance > 0;
  if (scatters) {
    const Eigen::Matrix<Real, 2, 2> root = c.llt().matrixL();
    line.block(2, 5 + 3 * k, 2, 2) = root;
  }
  information(5 + 3 * k, 5 + 3 * k) += 1;
  information(6 + 3 * k, 6 + 3 * k) += 1;
  information(7 + 3 * k, 7 + 3 * k) +=
      straggles ? 1 / Real(plane.loss_variance) : Real(1e40);
}

PlaneLeastSquares::State PlaneLeastSquares::slope(const State& s,
                                                  Real z) const {
  const Eigen::Vector3d b =
      field_({static_cast<double>(s[0]), static_cast<double>(s[1]),
              static_cast<double>(z)});
  const Real tx = s[2], ty = s[3];
  const Real factor = s[4] * std::sqrt(1 + tx * tx + ty * ty);
  State d;
  d << tx, ty, factor * (tx * ty * b[0] - (1 + tx * tx) * b[1] + ty * b[2]),
      factor * ((1 + ty * ty) * b[0] - tx * ty * b[1] - tx * b[2]), 0;
  return d;
}

PlaneLeastSquares::State PlaneLeastSquares::piece(State s, Real from,
                                                  Real to) const {
  constexpr Real longest = 2;  // mm
  const auto n = static_cast<int>(std::ceil(std::abs(to - from) / longest));
  // the field of a piece is that of its inside, at its edges as well
  const Real h = (to - from) / n, edge = (to - from) * 1e-12L;
  const auto inside = [&](Real z) {
    return std::min(std::max(z, std::min(from, to) + std::abs(edge)),
                    std::max(from, to) - std::abs(edge));
  };
  for (int i = 0; i < n; ++i) {
    const Real z = from + i * h;
    const State a = slope(s, inside(z));
    const State b = slope(s + h / 2 * a, inside(z + h / 2));
    const State c = slope(s + h / 2 * b, inside(z + h / 2));
    const State d = slope(s + h * c, inside(z + h));
    s += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return s;
}

PlaneLeastSquares::Transport PlaneLeastSquares::transport(const State& s,
                                                          Real from,
                                                          Real to) const {
  Transport t;
  const State step{1, 1, 1e-3L, 1e-3L, 1e-2L * std::abs(s[4])};
  for (int i = 0; i < 5; ++i) {
    const auto at = [&](int k) {
      State moved = s;
      moved[i] += k * step[i];
      return integrate(moved, from, to);
    };
    t.col(i) = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step[i]);
  }
  return t;
}

}  // namespace gttf::test
