// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/bias.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "gttf/paper/triplet_equations.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Mean with its error.
struct Mean {
  double sum = 0, squares = 0;
  int n = 0;

  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  double value() const { return sum / n; }
  double error() const {
    return std::sqrt((squares / n - value() * value()) / n);
  }
};

struct Toys {
  Mean curvature, pull;
};

/// Triplets with exact hits: kappa_j = 1 + r g_j from the azimuthal kinks, r
/// h_j from the polar ones. The linear part of the fluctuations is subtracted:
/// its mean is known to be 0, its spread would hide the bias.
Toys simulate(BiasedFit fit, double r, int n, int toys, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Toys result;
  for (int i = 0; i < toys; ++i) {
    std::vector<LocalCurvature> local;
    double sum = 0, squares = 0, mean = 0;
    for (int j = 0; j < n; ++j) {
      const double g = normal(engine), h = normal(engine);
      const double x = 1 + r * g;
      local.push_back({x, r * std::abs(x), 0});
      sum += x;
      squares += x * x + r * r * h * h;
      mean += g / n;
    }
    double kappa = sum / n, sigma = r * std::abs(kappa) / std::sqrt(n);
    if (fit == BiasedFit::unregularised) {
      const LocalCurvature f = combine(local);
      kappa = f.kappa;
      sigma = f.sigma;
    }
    if (fit == BiasedFit::regularised) {
      kappa = squares / sum;
      sigma = r * squares * std::sqrt(squares) / (sum * sum);
    }
    result.curvature.add(kappa - 1 - r * mean);
    result.pull.add((kappa - 1) / sigma - std::sqrt(n) * mean);
  }
  return result;
}

}  // namespace

TEST_CASE("bias: predictions agree with toys at two per cent") {
  // next orders are r^2 of the leading ones: below the error of the toys
  constexpr double r = 0.02;
  for (const BiasedFit fit : {BiasedFit::unregularised, BiasedFit::regularised,
                              BiasedFit::common_curvature})
    for (const int n : {1, 2, 4, 10}) {
      CAPTURE(static_cast<int>(fit));
      CAPTURE(n);
      const Toys t = simulate(fit, r, n, 200000 / n, 17);
      const Bias b = predicted_bias(fit, r, n);
      // 4 standard errors, and 1e-3 of r and r^2 for the next order and n=1
      // where nothing fluctuates
      CHECK(std::abs(t.curvature.value() - b.curvature) <
            4 * t.curvature.error() + 3e-3 * r * r);
      CHECK(std::abs(t.pull.value() - b.pull) < 4 * t.pull.error() + 1e-2 * r);
    }
}

TEST_CASE("bias: the printed formulas do not agree with toys") {
  constexpr double r = 0.02;
  const Toys t = simulate(BiasedFit::unregularised, r, 4, 50000, 18);
  const Bias printed = printed_bias(BiasedFit::unregularised, r, 4);
  CHECK(std::abs(t.pull.value() - printed.pull) > 20 * t.pull.error());
  const Toys u = simulate(BiasedFit::regularised, r, 4, 50000, 19);
  const Bias quiet = printed_bias(BiasedFit::regularised, r, 4);
  CHECK(std::abs(u.pull.value() - quiet.pull) > 20 * u.pull.error());
}

}  // namespace gttf::test::GTTF_TEST_FILE
