// SPDX-License-Identifier: Apache-2.0

#include "gttf/fit/triplet/scattering_momentum.hpp"

#include <algorithm>
#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/core/root.hpp"

namespace gttf {
namespace {

/// C(q) in the axes where it is diagonal: kinks with variances q + lambda.
class Spectrum {
 public:
  explicit Spectrum(const ScatteredKinks& e) {
    const Eigen::VectorXd weight = e.scattering.cwiseSqrt().cwiseInverse();
    Eigen::VectorXd kinks = weight.cwiseProduct(e.psi);
    if (e.errors.cols() == 0) {
      variances_ = Eigen::VectorXd::Zero(kinks.size());
    } else {
      const Eigen::MatrixXd g = weight.asDiagonal() * e.errors;
      const Eigenvectors axes = eigenvectors(square(g));
      variances_ = axes.values.cwiseMax(0);
      kinks = axes.vectors.transpose() * kinks;
    }
    squares_ = kinks.cwiseAbs2();
  }

  double size() const { return static_cast<double>(squares_.size()); }
  bool exact_hits() const { return variances_.maxCoeff() == 0; }
  double sum_of_squares() const { return squares_.sum(); }

  double chi2(double q) const {
    return (squares_.array() / (variances_.array() + q)).sum();
  }
  /// -2 ln L up to a constant.
  double deviance(double q) const {
    return chi2(q) + (variances_.array() + q).log().sum();
  }
  /// Its derivative.
  double slope(double q) const {
    const auto v = variances_.array() + q;
    return (v.inverse() * (1 - squares_.array() / v)).sum();
  }
  double sum_inverse(double q) const {
    return (variances_.array() + q).inverse().sum();
  }
  /// tr[(q C^-1 D^-1)^2].
  double information(double q) const {
    return (q / (variances_.array() + q)).square().sum();
  }
  /// Above any estimate of q, and below any nonzero estimate.
  double largest() const { return 10 * squares_.maxCoeff(); }
  double smallest() const {
    return 1e-8 * std::max(variances_.mean(), 1e-12 * squares_.maxCoeff());
  }

 private:
  Eigen::VectorXd variances_, squares_;
};

/// q in [a, b], logarithmic.
template <class Function>
double log_root(const Function& f, double a, double b) {
  return std::exp(find_root([&](double x) { return f(std::exp(x)); },
                            std::log(a), std::log(b), 1e-13));
}

/// The global minimum of the deviance; 0 if it corresponds to no scattering.
double most_likely(const Spectrum& s) {
  if (s.exact_hits()) return s.sum_of_squares() / s.size();
  constexpr int steps = 200;
  const double low = s.smallest(), high = s.largest();
  const auto at = [&](int i) { return low * std::pow(high / low, i / 200.0); };
  double best = 0, least = s.deviance(low);
  double from = low, to = low, falls = s.slope(low), rises = falls;
  for (int i = 0; i < steps; ++i) {
    from = to;
    falls = rises;
    to = at(i + 1);
    rises = s.slope(to);
    if (!(falls < 0 && rises > 0)) continue;
    const double q = log_root([&](double x) { return s.slope(x); }, from, to);
    const double deviance = s.deviance(q);
    if (deviance < least) {
      best = q;
      least = deviance;
    }
  }
  return best;
}

/// 0 if hit errors are sufficient to explain the kinks.
double by_moment(const Spectrum& s) {
  if (s.exact_hits()) return s.sum_of_squares() / s.size();
  const double low = s.smallest();
  if (s.chi2(low) <= s.size()) return 0;
  return log_root([&](double q) { return s.chi2(q) - s.size(); }, low,
                  std::max(s.largest(), 10 * s.sum_of_squares() / s.size()));
}

/// The largest q allowed at 95 % confidence.
double upper_bound(const Spectrum& s, double best) {
  constexpr double rise = 1.6449 * 1.6449;
  const double low = std::max(best, s.smallest());
  const double limit = s.deviance(low) + rise;
  double high = 2 * low;
  while (s.deviance(high) < limit) high *= 2;
  return log_root([&](double q) { return s.deviance(q) - limit; }, low, high);
}

/// p of a given p beta.
double momentum(double p_beta, double mass) {
  const double b2 = p_beta * p_beta;
  return std::sqrt(0.5 * (b2 + std::sqrt(b2 * (b2 + 4 * mass * mass))));
}

}  // namespace

ScatteringMomentum scattering_momentum(const ScatteredKinks& kinks, double p0,
                                       double mass, MomentumEstimate estimate) {
  const Spectrum s(kinks);
  const double p0_beta = p0 * p0 / std::hypot(p0, mass);
  const auto p_of = [&](double q) {
    return momentum(p0_beta / std::sqrt(q), mass);
  };
  const double likely = most_likely(s);
  const double q =
      estimate == MomentumEstimate::likelihood ? likely : by_moment(s);
  ScatteringMomentum result;
  result.lower_bound = p_of(upper_bound(s, likely));
  if (!(q > 0)) return result;
  result.finite = true;
  result.p = p_of(q);
  // relative error of p beta: half of that of q
  const double relative =
      estimate == MomentumEstimate::likelihood
          ? 1 / std::sqrt(2 * s.information(q))
          : std::sqrt(2 * s.size()) / (2 * q * s.sum_inverse(q));
  const double m_over_e = mass / std::hypot(result.p, mass);
  result.sigma = result.p * relative / (1 + m_over_e * m_over_e);
  return result;
}

double scattering_momentum_mean(int n) {
  return std::sqrt(n) * std::exp(std::lgamma(n - 0.5) - std::lgamma(n));
}

}  // namespace gttf

namespace gttf::detail {

namespace {

/// Rows of a triplet in a column vector of kinks.
Eigen::Index row_of(std::size_t triplet) {
  return 2 * static_cast<Eigen::Index>(triplet);
}

/// Covariance of the kinks from scattering.
Eigen::MatrixXd scattering_of(const TrackHits& track,
                              const KinkSystem& system) {
  const std::size_t n_triplets = system.n_triplets();
  const Eigen::Index n = row_of(n_triplets);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(n, n);
  std::vector<PassiveRows<double>> passive(n_triplets);
  for (std::size_t k = 0; k < system.sums.size(); ++k)
    add_passive_rows(system.sums[k], k, n_triplets, passive.data());
  for (std::size_t j = 0; j < n_triplets; ++j) {
    const double theta0_2 = track.points[system.hits[j + 1].point].theta0_2;
    const Eigen::Index i = row_of(j);
    c(i, i) = theta0_2;
    c(i + 1, i + 1) = theta0_2 * system.rows[j].inv_sin2;
    for (int r = 0; r < 2; ++r)
      for (int q = 0; q < 2; ++q) {
        if (q <= r) c(i + r, i + q) += passive[j].self[r][q];
        if (j + 1 < n_triplets) c(i + 2 + q, i + r) = passive[j].next[r][q];
      }
  }
  return c;  // lower triangle
}

}  // namespace

std::optional<ScatteringMomentum> kink_momentum(const TrackHits& track,
                                                const KinkSystem& system,
                                                bool with_hits) {
  if (!(track.momentum > 0)) return std::nullopt;
  const auto factor = cholesky(scattering_of(track, system));
  if (!factor) return std::nullopt;
  const Eigen::Index n = row_of(system.n_triplets());
  ScatteredKinks e;
  e.psi.resize(n);
  e.scattering = Eigen::VectorXd::Ones(n);
  e.errors = Eigen::MatrixXd::Zero(
      n, with_hits ? row_of(system.hits.size()) : Eigen::Index{0});
  for (std::size_t j = 0; j < system.n_triplets(); ++j) {
    const KinkRows<double>& row = system.rows[j];
    for (int r = 0; r < 2; ++r) {
      e.psi[row_of(j) + r] = row.psi[r];
      for (std::size_t i = 0; with_hits && i < 3; ++i)
        for (int q = 0; q < 2; ++q)
          e.errors(row_of(j) + r, row_of(j + i) + q) = row.shift[i][r][q];
    }
  }
  solve_lower(*factor, e.psi);
  solve_lower(*factor, e.errors);
  return scattering_momentum(e, track.momentum, track.mass);
}

}  // namespace gttf::detail
