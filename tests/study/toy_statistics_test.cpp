// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_statistics.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

namespace gttf::test::GTTF_TEST_FILE {
namespace {

GlobalFit fit_with(double phi, double kappa) {
  GlobalFit fit;
  fit.status = FitStatus::ok;
  fit.kappa = kappa;
  fit.sigma = 0.1;
  fit.chi2 = 3;
  fit.ndf = 3;
  fit.perigee << 1, 2, phi, 1.5, kappa;
  fit.perigee_covariance = 4 * Matrix5::Identity();
  return fit;
}

FitStatistics statistics_of(const GlobalFit& fit, const ToyTrack& toy,
                            ToyParameters parameters, const ToyScale& scale) {
  FittedToys toys;
  toys.parameters = parameters;
  toys.resize(2);
  toys.set(1, fit, toy);
  FitStatistics s;
  s.add(toys, std::array<char, 2>{1, 0}, scale);
  return s;
}

TEST_CASE("toy statistics: phi is an angle, kappa has the sign of the truth") {
  ToyTrack toy;
  toy.truth << 0, 0, -3.1, 1.5, -1;
  const FitStatistics s = statistics_of(
      fit_with(3.1, -1.2), toy, ToyParameters::perigee, {1, 1, 0.1, 1, 0.5});
  // 3.1 is 0.0832 below pi, -3.1 as much above -pi
  const double turn = 6.2 - 2 * 3.14159265358979;
  CHECK(s.residuals[Perigee::phi].moments.mean() ==
        doctest::Approx(turn / 0.1));
  CHECK(s.pulls[Perigee::phi].moments.mean() == doctest::Approx(turn / 2));
  // more curvature is positive
  CHECK(s.residuals[Perigee::kappa].moments.mean() == doctest::Approx(0.4));
  CHECK(s.pulls[Perigee::kappa].moments.mean() == doctest::Approx(2));
  CHECK(s.fitted == 1);
  CHECK(s.chi2_per_ndf.moments.mean() == doctest::Approx(1));
  CHECK(s.probability.total() == 1);
}

TEST_CASE("toy statistics: along the beam x, y and slopes are compared") {
  GlobalFit fit = fit_with(0, -1.2);
  fit.start_plane << 1, 2, 0.3, 0.4, -1.2;
  fit.start_plane_covariance = 4 * Matrix5::Identity();
  ToyTrack toy;
  toy.truth.setConstant(-7);
  toy.truth_at_plane << 0, 0, 0.1, 7, -1;
  const FitStatistics s =
      statistics_of(fit, toy, ToyParameters::plane, {1, 1, 0.1, 1, 0.5});
  CHECK(s.pulls[0].moments.mean() == doctest::Approx(0.5));
  CHECK(s.residuals[2].moments.mean() == doctest::Approx(2));
  // no angle: nothing is taken modulo 2 pi
  CHECK(s.pulls[3].moments.mean() == doctest::Approx(-3.3));
  CHECK(s.pulls[Perigee::kappa].moments.mean() == doctest::Approx(2));
}

TEST_CASE("toy statistics: failed fits are counted by reason only") {
  GlobalFit fit;
  clear(fit);
  fit.status = FitStatus::singular;
  const FitStatistics s =
      statistics_of(fit, ToyTrack(), ToyParameters::perigee, {1, 1, 1, 1, 1});
  CHECK(s.fitted == 0);
  CHECK(s.failures() == 1);
  CHECK(s.failed[static_cast<std::size_t>(FitStatus::singular)] == 1);
  CHECK(s.probability.total() == 0);
}

TEST_CASE("toy statistics: every status has a counter") {
  for (std::size_t i = n_fit_status; i < n_fit_status + 8; ++i)
    CHECK(to_string(static_cast<FitStatus>(i)) == "unknown");
}

TEST_CASE("flatness: distance of Kolmogorov and Smirnov") {
  Histogram h(0, 1, 100);
  CHECK(std::isnan(flatness(h)));
  for (int i = 0; i < 10000; ++i) h.add((i + 0.5) / 10000);
  CHECK(flatness(h) < 1e-12);
  CHECK(flatness_probability(flatness(h), 10000) == 1);
  // density 2 x: the largest distance from x is that of x^2, 1/4 at 1/2
  Histogram skew(0, 1, 100);
  for (int i = 0; i < 10000; ++i) skew.add(std::sqrt((i + 0.5) / 10000));
  CHECK(flatness(skew) == doctest::Approx(0.25).epsilon(1e-3));
  CHECK(flatness_probability(0.25, 10000) < 1e-12);
  // critical values of the asymptotic distribution
  const double n = 1e12;
  CHECK(flatness_probability(1.3581 / std::sqrt(n), 1000000000000) ==
        doctest::Approx(0.05).epsilon(1e-3));
  CHECK(flatness_probability(1.6276 / std::sqrt(n), 1000000000000) ==
        doctest::Approx(0.01).epsilon(1e-3));
}

TEST_CASE("histogram: bins, edges and outside") {
  Histogram h(-1, 1, 4);
  for (const double x : {-1.0, -0.5, 0.0, 0.49, 0.5, 0.99}) h.add(x);
  CHECK(h.bins == std::vector<std::uint64_t>{1, 1, 2, 2});
  h.add(-1.01);
  h.add(1);
  h.add(std::nan(""));
  CHECK(h.below == 1);
  CHECK(h.above == 1);
  CHECK(h.total() == 8);
}

TEST_CASE("histogram: quantiles on straight lines through the bins") {
  Histogram h(0, 4, 4);
  for (const double x : {-1.0, 0.5, 0.5, 2.5, 2.5, 2.5, 2.5, 3.5, 7.0, 8.0})
    h.add(x);
  CHECK(h.quantile(0.2) == doctest::Approx(0.5));
  CHECK(h.quantile(0.3) == doctest::Approx(1));
  CHECK(h.quantile(0.5) == doctest::Approx(2.5));
  CHECK(h.quantile(0.8) == doctest::Approx(4));
  CHECK(std::isnan(h.quantile(0.05)));
  CHECK(std::isnan(h.quantile(0.9)));
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
