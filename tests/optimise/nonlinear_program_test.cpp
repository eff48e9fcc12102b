// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/optimise/nonlinear_program.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace gttf::test::GTTF_TEST_FILE {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd vector(std::initializer_list<double> list) {
  VectorXd v(static_cast<Eigen::Index>(list.size()));
  Eigen::Index i = 0;
  for (const double x : list) v[i++] = x;
  return v;
}

}  // namespace

TEST_CASE("non-negative least squares excludes negative values") {
  MatrixXd a(3, 2);
  a << 1, 0, 0, 1, 0, 0;
  const VectorXd u = nonnegative_least_squares(a, vector({2, -3, 1}));
  CHECK(u[0] == doctest::Approx(2).epsilon(1e-14));
  CHECK(u[1] == 0);
}

TEST_CASE("a quadratic step ends at its limits, with their multipliers") {
  // the point of x + y <= 1, x >= 0 next to (2, 1)
  MatrixXd rows(2, 2);
  rows << 1, 1, -1, 0;
  const auto step = quadratic_step(MatrixXd::Identity(2, 2), vector({-2, -1}),
                                   rows, vector({-1, 0}));
  REQUIRE(step);
  CHECK(step->d[0] == doctest::Approx(1).epsilon(1e-13));
  CHECK(step->d[1] == doctest::Approx(0).epsilon(1e-13));
  CHECK(step->multipliers[0] == doctest::Approx(1).epsilon(1e-13));
  CHECK(step->multipliers[1] == doctest::Approx(0).epsilon(1e-13));
  // x <= -1 and x >= 1
  MatrixXd against(2, 1);
  against << 1, -1;
  CHECK_FALSE(quadratic_step(MatrixXd::Identity(1, 1), vector({0}), against,
                             vector({1, 1})));
}

TEST_CASE("the solver finds published optima from infeasible starts") {
  // Rosen and Suzuki: f = -44 at (0, 1, 2, -1); [HockSchittkowski81] no. 43
  NonlinearProgram p;
  p.lower = VectorXd::Constant(4, -10);
  p.upper = VectorXd::Constant(4, 10);
  p.evaluate = [](const VectorXd& x, bool) -> std::optional<ProgramValues> {
    ProgramValues v;
    v.f = x[0] * x[0] + x[1] * x[1] + 2 * x[2] * x[2] + x[3] * x[3] - 5 * x[0] -
          5 * x[1] - 21 * x[2] + 7 * x[3];
    v.gradient =
        vector({2 * x[0] - 5, 2 * x[1] - 5, 4 * x[2] - 21, 2 * x[3] + 7});
    v.limits = vector({x.squaredNorm() + x[0] - x[1] + x[2] - x[3] - 8,
                       x[0] * x[0] + 2 * x[1] * x[1] + x[2] * x[2] +
                           2 * x[3] * x[3] - x[0] - x[3] - 10,
                       2 * x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 2 * x[0] -
                           x[1] - x[3] - 5});
    v.jacobian.resize(3, 4);
    v.jacobian << 2 * x[0] + 1, 2 * x[1] - 1, 2 * x[2] + 1, 2 * x[3] - 1,
        2 * x[0] - 1, 4 * x[1], 2 * x[2], 4 * x[3] - 1, 4 * x[0] + 2,
        2 * x[1] - 1, 2 * x[2], -1;
    return v;
  };
  for (const double start : {0.0, 4.0, -3.0}) {
    const ProgramResult r = minimise(p, VectorXd::Constant(4, start));
    INFO(start);
    CHECK(r.values.f == doctest::Approx(-44).epsilon(1e-9));
    CHECK(r.violation < 1e-9);
    CHECK(r.residual < program_stationary);
    CHECK(r.multipliers[0] == doctest::Approx(1).epsilon(1e-5));
    CHECK(r.multipliers[1] == doctest::Approx(0).epsilon(1e-5));
    CHECK(r.multipliers[2] == doctest::Approx(2).epsilon(1e-5));
  }
}

TEST_CASE("an optimum that no limit holds has no residual") {
  NonlinearProgram p;
  p.lower = VectorXd::Zero(2);
  p.upper = VectorXd::Ones(2);
  p.evaluate = [](const VectorXd& x, bool) -> std::optional<ProgramValues> {
    ProgramValues v;
    const double a = x[0] - 0.3, b = x[1] - 0.6 * x[0];
    v.f = a * a + 0.1 * b * b + 0.05 * a * a * a;
    v.gradient = vector({2 * a - 0.12 * b + 0.15 * a * a, 0.2 * b});
    v.jacobian = Eigen::MatrixXd(0, 2);
    return v;
  };
  const ProgramResult r = minimise(p, vector({0.9, 0.1}));
  CHECK(r.x[0] == doctest::Approx(0.3).epsilon(1e-7));
  CHECK(r.x[1] == doctest::Approx(0.18).epsilon(1e-6));
  CHECK(r.residual < program_stationary);
}

TEST_CASE("a point without values is not stepped on") {
  // ln x has no value below 0; the first full step would go there
  NonlinearProgram p;
  p.lower = VectorXd::Constant(1, -100);
  p.upper = VectorXd::Constant(1, 100);
  p.evaluate = [](const VectorXd& x, bool) -> std::optional<ProgramValues> {
    if (x[0] <= 0) return std::nullopt;
    ProgramValues v;
    v.f = x[0] - std::log(x[0]);
    v.gradient = vector({1 - 1 / x[0]});
    v.limits = VectorXd(0);
    v.jacobian = MatrixXd(0, 1);
    return v;
  };
  const ProgramResult r = minimise(p, VectorXd::Constant(1, 20));
  CHECK(r.x[0] == doctest::Approx(1).epsilon(1e-6));
  CHECK_FALSE(minimise(p, VectorXd::Constant(1, -1)).exists);
}

TEST_CASE("the conditions of an optimum reject other points") {
  NonlinearProgram p;
  p.lower = vector({0});
  p.upper = vector({1});
  p.evaluate = [](const VectorXd&, bool) { return std::nullopt; };
  ProgramResult r;
  r.x = vector({0});
  r.values.gradient = vector({-1});  // inwards
  r.values.limits = VectorXd(0);
  r.values.jacobian = MatrixXd(0, 1);
  judge(p, r);
  CHECK(r.residual == doctest::Approx(1));
  r.values.gradient = vector({3});
  judge(p, r);
  CHECK(r.residual < 1e-14);
  CHECK(r.at_lower[0] == doctest::Approx(3));
}

TEST_CASE("of dependent limits each has the least of its multipliers") {
  // (2, 1) is u (1, 0) + v (0, 1) + w (1, 1) with w from 0 to 1: u is at least
  // 1, v and w may be 0
  NonlinearProgram p;
  p.lower = vector({-1, -1});
  p.upper = vector({1, 0});
  p.evaluate = [](const VectorXd&, bool) { return std::nullopt; };
  ProgramResult r;
  r.x = vector({0, 0});
  r.values.gradient = vector({-2, -1});
  r.values.limits = vector({0, 0, -1});
  r.values.jacobian = MatrixXd(3, 2);
  r.values.jacobian << 1, 0, 1, 1, 5, 7;  // the last one is not active
  judge(p, r);
  CHECK(r.residual < 1e-14);
  take_least_multipliers(p, r);
  CHECK(r.multipliers[0] == doctest::Approx(1).epsilon(1e-6));
  CHECK(r.multipliers[1] == 0);
  CHECK(r.multipliers[2] == 0);
  CHECK(r.at_upper[1] == 0);
  CHECK(r.at_lower.norm() == 0);
  // points of one limit are relaxed together
  r.values.jacobian << 1, 0, 1, 0, 5, 7;
  judge(p, r);
  take_least_multipliers(p, r);
  CHECK(r.multipliers.norm() == 0);
  judge(p, r);
  take_least_multipliers(p, r, {0, 0, 2});
  CHECK(r.multipliers[0] + r.multipliers[1] == doctest::Approx(2));
  CHECK(r.at_upper[1] == doctest::Approx(1));
  r.values.jacobian << 1, 0, 1, 1, 5, 7;
  // without the second limit the multipliers are the only ones
  r.values.limits[1] = -1;
  judge(p, r);
  take_least_multipliers(p, r);
  CHECK(r.multipliers[0] == doctest::Approx(2).epsilon(1e-14));
  CHECK(r.at_upper[1] == doctest::Approx(1).epsilon(1e-14));
}

}  // namespace gttf::test::GTTF_TEST_FILE
