// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/five_equations.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <random>

#include "gttf/core/matrix.hpp"
#include "gttf/fit/streaming/kink_elimination.hpp"
#include "support/compare.hpp"
#include "support/dense.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Equations = FiveEquations<double>;
constexpr auto no_zero = ZeroVariance::excluded;

class Random {
 public:
  double operator()() { return distribution_(engine_); }
  Row<double> row() {
    Row<double> x;
    for (double& value : x) value = (*this)();
    return x;
  }
  /// A kink column pair as the geometry makes them: phi touches three
  /// parameters, theta four.
  Kink<double> kink() {
    return {{(*this)(), (*this)(), (*this)()},
            {(*this)(), (*this)(), (*this)()}};
  }

 private:
  std::mt19937_64 engine_{7};
  std::normal_distribution<double> distribution_{0, 1};
};

Matrix5 as_matrix(const Covariance5<double>& c) {
  Matrix5 m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      m(i, j) = c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return m;
}

Vector5 as_vector(const Row<double>& a) {
  return Eigen::Map<const Vector5>(a.data());
}

Equations some_equations(Random& random, int n = 8) {
  Equations e;
  for (int i = 0; i < n; ++i) measure<no_zero>(e, random.row(), 0.3);
  return e;
}

}  // namespace

TEST_CASE("measure: the covariance is the inverse of the summed information") {
  Random random;
  Equations e;
  Matrix5 information = Matrix5::Zero();
  for (int i = 0; i < 9; ++i) {
    const Row<double> x = random.row();
    const double v = 0.1 + 0.2 * i;
    measure<no_zero>(e, x, v);
    information += as_vector(x) * as_vector(x).transpose() / v;
  }
  CHECK(worst(as_matrix(covariance(e)), inverse(information)) < 1e-13);
}

TEST_CASE("measure_pair: equals two single measurements") {
  Random random;
  Equations a = some_equations(random), b = a;
  const Row<double> x = random.row(), y = random.row();
  measure_pair<no_zero>(a, x, 0.02, y, 5.0);
  measure<no_zero>(b, x, 0.02);
  measure<no_zero>(b, y, 5.0);
  CHECK(worst(as_matrix(covariance(a)), as_matrix(covariance(b))) < 1e-13);
}

TEST_CASE("measure: an exact equation is obeyed exactly") {
  Random random;
  Equations e = some_equations(random);
  const Row<double> x = random.row();
  measure<ZeroVariance::allowed>(e, x, 0.0);
  const Matrix5 once = as_matrix(covariance(e));
  const Vector5 a = as_vector(x);
  CHECK(std::abs(a.dot(once * a)) < 1e-14 * a.squaredNorm() * once.trace());
}

TEST_CASE("scatter: adds the covariance of the two kinks") {
  // equations outside, information J: inside, the line is known with
  // J^-1 + b_theta w b_theta^T + b_phi w_phi b_phi^T
  Random random;
  for (int n = 0; n < 20; ++n) {
    Equations e = some_equations(random);
    const Kink<double> b = random.kink();
    const double w = 0.4, w_phi = 0.9;
    const Vector5 theta{b.theta[0], b.theta[1], b.theta[2], 1, 0};
    const Vector5 phi{b.phi[0], b.phi[1], b.phi[2], 0, 0};
    const Matrix5 expected = as_matrix(covariance(e)) +
                             w * theta * theta.transpose() +
                             w_phi * phi * phi.transpose();
    scatter<no_zero, false>(e, b, w, w_phi);
    CHECK(worst(as_matrix(covariance(e)), expected) < 1e-12);
  }
}

TEST_CASE("scatter: zero variance changes nothing, bit for bit") {
  Random random;
  const Equations before = some_equations(random);
  Equations after = before;
  scatter<no_zero, false>(after, random.kink(), 0.0, 0.0);
  CHECK(after.v == before.v);
  CHECK(after.r == before.r);
}

TEST_CASE("scatter: an under-determined line stays undetermined where it was") {
  Random random;
  Equations e = some_equations(random, 3);
  scatter<no_zero, false>(e, random.kink(), 0.4, 0.9);
  int undetermined = 0;
  for (double v : e.v) undetermined += v > 1e30;
  CHECK(undetermined == 2);
}

TEST_CASE("covariance: of functions equals J C J^T") {
  Random random;
  const Equations e = some_equations(random);
  std::array<Row<double>, 5> functions;
  Matrix5 j;
  for (int i = 0; i < 5; ++i) {
    functions[static_cast<std::size_t>(i)] = random.row();
    j.row(i) = as_vector(functions[static_cast<std::size_t>(i)]).transpose();
  }
  const Matrix5 direct = as_matrix(covariance(e, functions));
  CHECK(worst(direct, j * as_matrix(covariance(e)) * j.transpose()) < 1e-12);
}

}  // namespace gttf::test::GTTF_TEST_FILE
