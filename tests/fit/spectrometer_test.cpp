// SPDX-License-Identifier: Apache-2.0
// The triplet fits around a dipole, with planes on both sides.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "gttf/paper/dipole.hpp"
#include "gttf/paper/local_fit.hpp"
#include "gttf/paper/triplet_equations.hpp"
#include "support/dense.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::array<double, 6> planes = {0, 150, 400, 1400, 1700, 2100};
const Gap gap{1, 0, 500, 1250, 1};
constexpr double kappa = 2e-4, phi = 0.1, theta = 1.5;
constexpr double sigma = 0.02, theta0 = 2e-4;

using Coordinates = Eigen::Matrix<double, 12, 1>;

/// Straight lines between the planes and an arc in the gap, with kinks (theta,
/// phi) after every plane except the last: y and z in the planes.
/// @param start  y, z, phi, theta, kappa, then the kinks
Coordinates hits_of(const Eigen::VectorXd& start) {
  double x = 0, y = start[0], z = start[1], p = start[2], t = start[3];
  const double k = start[4];
  Coordinates c;
  const auto fly = [&](double to) {
    y += (to - x) * std::tan(p);
    z += (to - x) / std::cos(p) / std::tan(t);
    x = to;
  };
  for (Eigen::Index i = 0; i < 6; ++i) {
    const double next = planes[static_cast<std::size_t>(i)];
    if (x < gap.entrance && next > gap.exit) {
      fly(gap.entrance);
      const double c_perp = k / std::sin(t), length = gap.exit - gap.entrance;
      const double after = std::asin(std::sin(p) + c_perp * length);
      y += (std::cos(p) - std::cos(after)) / c_perp;
      z += (after - p) / c_perp / std::tan(t);
      p = after;
      x = gap.exit;
    }
    fly(next);
    c.segment<2>(2 * i) << y, z;
    if (i == 5) break;
    t += start[5 + 2 * i];
    p += start[6 + 2 * i];
  }
  return c;
}

Eigen::VectorXd reference() {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(15);
  start.head<5>() << 3, -20, phi, theta, kappa;
  return start;
}

std::vector<Cartesian<double>> points(const Coordinates& c) {
  std::vector<Cartesian<double>> list;
  for (Eigen::Index i = 0; i < 6; ++i)
    list.push_back(
        {planes[static_cast<std::size_t>(i)], c[2 * i], c[2 * i + 1]});
  return list;
}

/// Field-free triplets on either side, two around the magnet.
std::vector<Triplet<double>> triplets_of(
    const std::vector<Cartesian<double>>& x) {
  return {
      make_triplet(straight_segment(x[0], x[1]), straight_segment(x[1], x[2])),
      make_dipole_triplet(x[1], x[2], x[3], gap, GapPlace::behind_middle),
      make_dipole_triplet(x[2], x[3], x[4], gap, GapPlace::before_middle),
      make_triplet(straight_segment(x[3], x[4]), straight_segment(x[4], x[5]))};
}

const std::vector<Eigen::Matrix3d> errors(
    6, Vector3(0, sigma* sigma, sigma* sigma).asDiagonal());

}  // namespace

TEST_CASE("spectrometer: the global fit is least squares with transport") {
  const auto x = points(hits_of(reference()));
  const TripletSolution fit = solve(make_equations(
      triplets_of(x), errors, std::vector<double>(4, theta0 * theta0)));
  REQUIRE(fit.status == FitStatus::ok);
  CHECK(fit.ndf == 7);
  CHECK(fit.kappa == doctest::Approx(kappa).epsilon(1e-9));
  CHECK(fit.chi2 < 1e-12);
  // the same from derivatives of the coordinates, kinks as part of their errors
  Eigen::MatrixXd slopes(12, 15);
  for (Eigen::Index i = 0; i < 15; ++i) {
    const double h = i < 2 ? 1e-2 : i == 4 ? 1e-8 : 1e-5;
    Eigen::VectorXd a = reference(), b = a;
    a[i] += h;
    b[i] -= h;
    slopes.col(i) = (hits_of(a) - hits_of(b)) / (2 * h);
  }
  // kinks of the first plane belong to the direction there
  Eigen::MatrixXd covariance =
      sigma * sigma * Eigen::MatrixXd::Identity(12, 12);
  const double sine = std::sin(theta);
  for (Eigen::Index i = 7; i < 15; ++i)
    covariance += theta0 * theta0 * (i % 2 == 0 ? 1 / (sine * sine) : 1) *
                  slopes.col(i) * slopes.col(i).transpose();
  const Eigen::MatrixXd design = slopes.leftCols(5);
  const Eigen::MatrixXd track =
      inverse(transformed(design.transpose(), inverse(covariance)));
  // to the accuracy of the differences
  CHECK(fit.sigma == doctest::Approx(std::sqrt(track(4, 4))).epsilon(1e-6));
}

TEST_CASE("spectrometer: the local fit of each triplet around the magnet") {
  const auto x = points(hits_of(reference()));
  const auto triplets = triplets_of(x);
  for (const std::size_t j : {1u, 2u}) {
    const LocalFit f =
        fit_local(triplets[j],
                  {{errors[j], errors[j + 1], errors[j + 2]}, theta0 * theta0});
    REQUIRE(f.status == FitStatus::ok);
    CHECK(f.kappa == doctest::Approx(kappa).epsilon(1e-9));
    // one triplet alone, solved as a system of two equations
    const TripletSolution s = solve(
        make_equations(std::span(&triplets[j], 1), std::span(&errors[j], 3),
                       std::vector<double>{theta0 * theta0}));
    CHECK(f.sigma == doctest::Approx(s.sigma).epsilon(1e-10));
  }
  // on one side of the magnet there is no curvature to fit
  CHECK(solve(make_equations(std::span(&triplets[0], 1),
                             std::span(errors.data(), 3),
                             std::vector<double>{theta0 * theta0}))
            .status == FitStatus::no_curvature);
}

}  // namespace gttf::test::GTTF_TEST_FILE
