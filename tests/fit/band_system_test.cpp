// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/band_system.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <random>
#include <vector>

#include "gttf/core/double_double.hpp"
#include "gttf/core/dual.hpp"
#include "support/dense.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using namespace detail;
using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kappa_0 = 0.3;

/// Random triplets with hits and passive layers, and the same as dense algebra.
template <class S>
struct System {
  std::vector<KinkRows<S>> rows;
  std::vector<S> scattering2;
  std::vector<PassiveSums<S>> sums;
  std::vector<PassiveRows<S>> passive_rows;

  std::size_t size() const { return rows.size(); }
  PassiveKinks<S> passive() const {
    return {passive_rows.data(), S(1), sums.data()};
  }
};

/// @param factor  of all scattering variances
template <class S>
System<S> random_system(std::size_t n, const S& factor) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(random); };
  System<S> s;
  s.passive_rows.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    KinkRows<S>& row = s.rows.emplace_back();
    for (int r = 0; r < 2; ++r) {
      row.psi[r] = S(draw());
      row.rho[r] = S(draw());
      for (auto& hit : row.shift)
        for (S& x : hit[r]) x = S(draw());
    }
    row.inv_sin2 = S(1 + std::abs(draw()));
    s.scattering2.push_back(factor * S(std::abs(draw())));
  }
  for (std::size_t k = 0; k < n + 1; ++k) {
    S leaving[2][2], arriving[2][2], variance[2];
    for (int r = 0; r < 2; ++r) {
      variance[r] = factor * S(std::abs(draw()));
      for (int c = 0; c < 2; ++c) {
        leaving[r][c] = S(draw());
        arriving[r][c] = S(draw());
      }
    }
    clear(s.sums.emplace_back());
    add_layer(leaving, arriving, variance, s.sums[k]);
    add_passive_rows(s.sums[k], k, n, s.passive_rows.data());
  }
  return s;
}

Eigen::Index at(std::size_t block) {
  return 2 * static_cast<Eigen::Index>(block);
}

Eigen::Matrix2d matrix(const Block<double>& b) {
  Eigen::Matrix2d m;
  m << b[0][0], b[0][1], b[1][0], b[1][1];
  return m;
}

/// Of a symmetric block the lower triangle.
Eigen::Matrix2d symmetric(const Block<double>& b) {
  return matrix(b).selfadjointView<Eigen::Lower>();
}

struct DenseSystem {
  Vector rho, b;
  Dense errors;  ///< G
  Dense k_inverse;

  explicit DenseSystem(const System<double>& s, bool hits) {
    const std::size_t n = s.size();
    rho = b = Vector::Zero(at(n));
    errors = Dense::Zero(at(n), at(n + 2));
    k_inverse = Dense::Zero(at(n), at(n));
    for (std::size_t j = 0; j < n; ++j) {
      const KinkRows<double>& row = s.rows[j];
      const PassiveRows<double>& p = s.passive_rows[j];
      const Eigen::Index i = at(j);
      for (int r = 0; r < 2; ++r) {
        rho[i + r] = row.rho[r];
        b[i + r] = row.psi[r] + kappa_0 * row.rho[r];
      }
      k_inverse.block<2, 2>(i, i) += symmetric(p.self);
      k_inverse(i, i) += s.scattering2[j];
      k_inverse(i + 1, i + 1) += s.scattering2[j] * row.inv_sin2;
      if (j + 1 < n) {
        k_inverse.block<2, 2>(i, i + 2) = matrix(p.next);
        k_inverse.block<2, 2>(i + 2, i) = matrix(p.next).transpose();
      }
      for (std::size_t h = 0; h < 3 && hits; ++h)
        errors.block<2, 2>(i, at(j + h)) = matrix(row.shift[h]);
    }
    k_inverse += product(errors, errors.transpose());
  }

  /// G of the errors of a segment.
  Dense columns(const System<double>& s, std::size_t k, SegmentEnd end) const {
    Dense g = Dense::Zero(b.size(), n_errors);
    g.leftCols<4>() = errors.middleCols<4>(at(k));
    const PassiveSums<double>& p = s.sums[k];
    const bool start = end == SegmentEnd::start;
    if (k < s.size())
      g.block<2, 2>(at(k), 4) = start ? matrix(p.mixed) : symmetric(p.arriving);
    if (k > 0)
      g.block<2, 2>(at(k - 1), 4) =
          -(start ? symmetric(p.leaving)
                  : Eigen::Matrix2d(matrix(p.mixed).transpose()));
    return g;
  }
};

}  // namespace

TEST_CASE("band system: curvature, chi2 and shifts as by dense algebra") {
  for (const std::size_t n : {1u, 2u, 3u, 9u}) {
    CAPTURE(n);
    const System<double> s = random_system(n, 1.0);
    const DenseSystem dense(s, true);
    KeptSteps<double> steps;
    BandSolution<double> solution{};
    solve_band<HitAndTurnColumns>(s.rows.data(), n, s.scattering2.data(),
                                  s.passive(), kappa_0, steps, solution);
    REQUIRE(solution.regular);
    const Vector weighted_rho = solve_symmetric(dense.k_inverse, dense.rho);
    const double aa = dense.rho.dot(weighted_rho);
    const double ab = dense.b.dot(weighted_rho), change = -ab / aa;
    // conditions of a few thousand
    CHECK(solution.variance() == doctest::Approx(1 / aa).epsilon(1e-11));
    CHECK(solution.kappa() == doctest::Approx(kappa_0 + change).epsilon(1e-11));
    const Vector residuals = dense.b + change * dense.rho;
    const Vector weighted = solve_symmetric(dense.k_inverse, residuals);
    const double chi2 = residuals.dot(weighted);
    CHECK(chi2_at(steps, change) == doctest::Approx(chi2).epsilon(1e-11));
    CHECK(solution.chi2() == doctest::Approx(chi2).epsilon(1e-10));
    const auto kinks = weigh_residuals(steps, change);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t r = 0; r < 2; ++r)
        CHECK(std::abs(kinks[j][r] -
                       weighted[at(j) + static_cast<Eigen::Index>(r)]) <
              1e-10 * weighted.norm());
  }
}

TEST_CASE_TEMPLATE("band system: errors of every segment as by dense algebra",
                   Columns, HitAndTurnColumns, TurnColumns) {
  constexpr std::size_t n = 7;
  const System<double> s = random_system(n, 1.0);
  const DenseSystem dense(s, Columns::hits);
  KeptSteps<double> steps;
  BandSolution<double> solution{};
  solve_band<Columns>(s.rows.data(), n, s.scattering2.data(), s.passive(),
                      kappa_0, steps, solution);
  for (std::size_t k = 0; k < n + 1; ++k)
    for (const SegmentEnd end : {SegmentEnd::start, SegmentEnd::end}) {
      SegmentErrors<double> e;
      ColumnRing<double> ring;
      set_segment_errors<Columns>(s.rows.data(), n, s.passive(), k, end, steps,
                                  ring, e);
      const Dense g = dense.columns(s, k, end);
      const Dense weighted = solve_symmetric(dense.k_inverse, g);
      for (int i = Columns::begin; i < Columns::end; ++i) {
        CHECK(e.by_a[i] ==
              doctest::Approx(weighted.col(i).dot(dense.rho)).epsilon(1e-10));
        CHECK(e.by_b[i] ==
              doctest::Approx(weighted.col(i).dot(dense.b)).epsilon(1e-10));
        for (int j = Columns::begin; j <= i; ++j)
          CHECK(e.products[i][j] ==
                doctest::Approx(weighted.col(i).dot(g.col(j))).epsilon(1e-10));
      }
    }
}

TEST_CASE("band system: streaming through the triplets gives the same") {
  constexpr std::size_t n = 8;
  const System<double> s = random_system(n, 1.0);
  BandSolution<double> a{}, b{};
  SegmentErrors<double> of_a, of_b;
  ColumnRing<double> ring;
  const auto run = [&](auto steps, BandSolution<double>& solution,
                       SegmentErrors<double>& e) {
    solve_band<HitAndTurnColumns>(s.rows.data(), n, s.scattering2.data(),
                                  s.passive(), kappa_0, steps, solution);
    set_segment_errors<HitAndTurnColumns>(s.rows.data(), n, s.passive(), 0,
                                          SegmentEnd::start, steps, ring, e);
  };
  run(KeptSteps<double>{}, a, of_a);
  run(RingOfSteps<double>{}, b, of_b);
  CHECK(a.aa == b.aa);
  CHECK(a.bb == b.bb);
  for (int i = 0; i < n_errors; ++i) {
    CHECK(of_a.by_b[i] == of_b.by_b[i]);
    for (int j = 0; j <= i; ++j)
      CHECK(of_a.products[i][j] == of_b.products[i][j]);
  }
}

TEST_CASE("band system: derivatives with respect to the scattering") {
  constexpr std::size_t n = 6;
  const auto solved = [](const auto& factor) {
    using S = std::decay_t<decltype(factor)>;
    const System<S> s = random_system(n, factor);
    RingOfSteps<S> steps;
    BandSolution<S> solution{};
    solve_band<HitAndTurnColumns>(s.rows.data(), n, s.scattering2.data(),
                                  s.passive(), S(kappa_0), steps, solution);
    return solution;
  };
  constexpr double step = 1e-4;
  const auto dual = solved(Dual<1>::variable(1.0, 0));
  const auto above = solved(1 + step), below = solved(1 - step);
  // the difference quotient has an error of order step^2
  CHECK(dual.kappa().derivative[0] ==
        doctest::Approx((above.kappa() - below.kappa()) / (2 * step))
            .epsilon(1e-6));
  CHECK(dual.variance().derivative[0] ==
        doctest::Approx((above.variance() - below.variance()) / (2 * step))
            .epsilon(1e-6));
}

namespace {

/// One triplet whose kinks move together by 1, and by `own` each on their own.
template <class S>
BandSolution<S> solve_graded(double own) {
  KinkRows<S> row{};
  row.shift[0][0][0] = row.shift[0][1][0] = S(1);
  row.rho[0] = S(1);
  row.rho[1] = S(-1);
  row.inv_sin2 = S(1);
  const S scattering2 = S(own) * S(own);
  KeptSteps<S> steps;
  BandSolution<S> solution{};
  solve_band<HitColumns>(&row, 1, &scattering2, PassiveKinks<S>{}, S(0), steps,
                         solution);
  return solution;
}

}  // namespace

TEST_CASE("band system: twice the precision keeps the digits of small errors") {
  // (1, -1) is orthogonal to the common error: rho^T K rho = 2/own^2, of which
  // nothing is left in 1 + own^2 - 1/(1 + own^2) of doubles
  const auto wide = solve_graded<DoubleDouble>(1e-9);
  CHECK(wide.regular);
  CHECK(static_cast<double>(wide.aa) == doctest::Approx(2e18).epsilon(1e-13));
  CHECK_FALSE(solve_graded<double>(1e-9).regular);
  CHECK_FALSE(solve_graded<DoubleDouble>(0).regular);
}

}  // namespace gttf::test::GTTF_TEST_FILE
