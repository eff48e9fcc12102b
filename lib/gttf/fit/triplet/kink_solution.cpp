// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/kink_solution.hpp"

#include <cmath>

namespace gttf::detail {

namespace {

/// Blocks of G that belong to one passive kink: triplet and 2x2 block.
struct PassiveBlocks {
  std::size_t n = 0;
  std::array<std::size_t, 2> triplet{};
  std::array<Matrix2, 2> block;
};

PassiveBlocks blocks_of(const KinkSystem& system, const PassiveKink& p) {
  PassiveBlocks b;
  const auto add = [&](std::size_t triplet, const Matrix2& m) {
    b.triplet[b.n] = triplet;
    b.block[b.n++] = m * p.sigma.asDiagonal();
  };
  if (p.before > 0) add(p.before - 1, -p.leaving);
  if (p.before < system.n_triplets()) add(p.before, p.arriving);
  return b;
}

std::size_t first_triplet(std::size_t hit) { return hit < 2 ? 0 : hit - 2; }
std::size_t last_triplet(const KinkSystem& s, std::size_t hit) {
  return hit < s.n_triplets() ? hit : s.n_triplets() - 1;
}

}  // namespace

void KinkSolution::set_weights(const TrackHits& track, KinkSystem& system,
                               const std::vector<double>& scale) {
  const std::size_t n = system.n_triplets();
  scattering_.resize(2 * n);
  for (std::size_t j = 0; j < n; ++j) {
    const double theta0_2 =
        scale[j] * track.points[system.hits[j + 1].point].theta0_2;
    const double sine = sin_mean_theta(system.triplets[j]);
    scattering_[2 * j] = theta0_2;
    scattering_[2 * j + 1] = theta0_2 / (sine * sine);
  }
  for (PassiveKink& p : system.passive) {
    const std::size_t after = p.before < n ? p.before : n - 1;
    const std::size_t before = p.before > 0 ? p.before - 1 : 0;
    const double sigma = std::sqrt(0.5 * (scale[before] + scale[after]) *
                                   track.points[p.point].theta0_2);
    const auto& t = system.triplets[after];
    const auto& arc = p.before < n ? t.first : t.second;
    p.sigma = {sigma, sigma / arc.sin_theta};
  }
}

void KinkSolution::add_inverse_weights(const KinkSystem& system,
                                       ErrorChoice errors,
                                       BandCholesky& to) const {
  const std::size_t n = system.n_triplets();
  to.reset(2 * n);
  const auto add = [&to](std::size_t j1, std::size_t j2, const Matrix2& g1,
                         const Matrix2& g2) {
    // j1 >= j2; of a diagonal block only the lower half is stored
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < (j1 == j2 ? r + 1 : 2); ++c)
        to.at(2 * j1 + static_cast<std::size_t>(r),
              2 * j2 + static_cast<std::size_t>(c)) +=
            g1(r, 0) * g2(c, 0) + g1(r, 1) * g2(c, 1);
  };
  if (errors.scattering) {
    for (std::size_t i = 0; i < 2 * n; ++i) to.at(i, i) = scattering_[i];
    for (const PassiveKink& p : system.passive) {
      const PassiveBlocks b = blocks_of(system, p);
      for (std::size_t i = 0; i < b.n; ++i)
        for (std::size_t k = 0; k <= i; ++k)
          add(b.triplet[i], b.triplet[k], b.block[i], b.block[k]);
    }
  }
  if (errors.hits)
    for (std::size_t k = 0; k < system.hits.size(); ++k)
      for (std::size_t j1 = first_triplet(k); j1 <= last_triplet(system, k);
           ++j1)
        for (std::size_t j2 = first_triplet(k); j2 <= j1; ++j2)
          add(j1, j2, system.gradient[j1][k - j1], system.gradient[j2][k - j2]);
}

BandCholesky KinkSolution::inverse_weights(const KinkSystem& system,
                                           ErrorChoice errors) const {
  BandCholesky matrix;
  add_inverse_weights(system, errors, matrix);
  return matrix;
}

bool KinkSolution::factorise(const KinkSystem& system, ErrorChoice errors) {
  errors_ = errors;
  add_inverse_weights(system, errors, factor_);
  a_ = system.rho;
  b_ = system.psi;
  if (!factor_.factor()) return false;
  factor_.forward(a_.data());
  factor_.forward(b_.data());
  aa = dot(a_.data(), a_.data());
  ab = dot(a_.data(), b_.data());
  bb = dot(b_.data(), b_.data());
  return true;
}

double KinkSolution::dot(const double* x, const double* y) const {
  double sum = 0;
  for (std::size_t i = 0; i < rows(); ++i) sum += x[i] * y[i];
  return sum;
}

void KinkSolution::set_kappa(double kappa, double variance) {
  kappa_ = kappa;
  variance_ = variance;
  r_.resize(rows());
  for (std::size_t i = 0; i < rows(); ++i) r_[i] = b_[i] + kappa * a_[i];
}

double KinkSolution::chi2() const { return dot(r_.data(), r_.data()); }

void KinkSolution::make_shifts(const KinkSystem& system) {
  w_ = r_;
  factor_.backward(w_.data());
  const auto at = [this](std::size_t j) {
    return Vector2(w_[2 * j], w_[2 * j + 1]);
  };
  shifts_.assign(system.hits.size(), Vector2::Zero());
  if (errors_.hits)
    for (std::size_t j = 0; j < system.n_triplets(); ++j)
      for (std::size_t i = 0; i < 3; ++i)
        shifts_[j + i] += system.gradient[j][i].transpose() * at(j);
  kinks_.assign(system.passive.size(), Vector2::Zero());
  for (std::size_t p = 0; p < system.passive.size(); ++p) {
    const PassiveBlocks b = blocks_of(system, system.passive[p]);
    for (std::size_t i = 0; i < b.n; ++i)
      kinks_[p] += b.block[i].transpose() * at(b.triplet[i]);
  }
}

void KinkSolution::make_columns(const KinkSystem& system, std::size_t n_hits) {
  n_column_hits_ = n_hits;
  std::size_t n_passive = 0;
  while (n_passive < system.passive.size() &&
         system.passive[n_passive].before + 1 < n_hits)
    ++n_passive;
  columns_.assign(2 * (n_hits + n_passive) * rows(), 0.0);
  const auto set = [this](std::size_t first, std::size_t j, const Matrix2& g) {
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t r = 0; r < 2; ++r)
        columns_[(first + c) * rows() + 2 * j + r] =
            g(static_cast<int>(r), static_cast<int>(c));
  };
  if (errors_.hits)
    for (std::size_t k = 0; k < n_hits; ++k)
      for (std::size_t j = first_triplet(k); j <= last_triplet(system, k); ++j)
        set(hit_column(k, 0), j, system.gradient[j][k - j]);
  for (std::size_t p = 0; p < n_passive; ++p) {
    const PassiveBlocks b = blocks_of(system, system.passive[p]);
    for (std::size_t i = 0; i < b.n; ++i)
      set(passive_column(p, 0), b.triplet[i], b.block[i]);
  }
  const std::size_t n = 2 * (n_hits + n_passive);
  along_a_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t zeros = i < 2 * n_hits ? 2 * first_triplet(i / 2) : 0;
    factor_.forward(columns_.data() + i * rows(), zeros);
    along_a_[i] = dot(column(i), a_.data());
  }
}

double KinkSolution::reduction(std::size_t i, std::size_t j) const {
  return dot(column(i), column(j)) - variance_ * along_a_[i] * along_a_[j];
}

double KinkSolution::covariance(std::size_t i, std::size_t j) const {
  return (i == j ? 1.0 : 0.0) - reduction(i, j);
}

double KinkSolution::with_kappa(std::size_t i) const {
  return variance_ * along_a_[i];
}

}  // namespace gttf::detail
