// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/shared_fit.hpp"

#include <algorithm>

#include "gttf/fit/track/coarse_hits.hpp"
#include "gttf/fit/triplet/kink_solution.hpp"

namespace gttf::detail {

namespace {

/// The matrix from the last row to the first.
BandCholesky reversed(const BandCholesky& from) {
  BandCholesky to;
  const std::size_t n = from.rows();
  to.reset(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i < BandCholesky::width ? 0
                                                 : i - BandCholesky::width + 1;
         j <= i; ++j)
      to.at(n - 1 - j, n - 1 - i) = from.at(i, j);
  return to;
}

}  // namespace

bool can_be_shared(FitKind kind) {
  return kind == FitKind::general || kind == FitKind::hits ||
         kind == FitKind::scattering;
}

SharedFit::SharedFit(const TrackHits& reference, FitKind kind)
    : kind_(kind), fit_(fit_global(reference, kind)) {
  if (fit_.status == FitStatus::ok) fit_.status = solve(reference);
}

FitStatus SharedFit::solve(const TrackHits& reference) {
  if (const auto s = system_.take(reference); s != FitStatus::ok) return s;
  if (const auto s = linearise_with_care(reference, kind_, system_);
      s != FitStatus::ok)
    return s;
  const std::size_t n = system_.n_triplets(), rows = 2 * n;
  const ErrorChoice errors{kind_ != FitKind::scattering,
                           kind_ != FitKind::hits};
  KinkSolution solution;
  solution.set_weights(reference, system_,
                       std::vector<double>(n, errors.scattering ? 1 : 0));
  BandCholesky factor = reversed(solution.inverse_weights(system_, errors));
  if (!factor.factor()) return FitStatus::singular;
  std::vector<double> a(system_.rho.rbegin(), system_.rho.rend());
  factor.forward(a.data());
  double aa = 0;
  for (const double x : a) aa += x * x;

  steps_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    SharedEquations::Step& step = steps_[i];
    for (std::size_t r = 0; r < 2; ++r) {
      const std::size_t row = 2 * i + r;
      step.inverse[r] = factor.at(row, row);
      step.a[r] = a[row];
      for (std::size_t c = 0; c < 2; ++c) {
        if (i > 0) step.near[r][c] = factor.at(row, 2 * i - 2 + c);
        if (i > 1) step.far[r][c] = factor.at(row, 2 * i - 4 + c);
      }
    }
    step.lower = factor.at(2 * i + 1, 2 * i);
  }
  SharedEquations& e = equations_;
  e.steps = steps_.data();
  e.n_steps = n;
  e.diagonal = !errors.hits && system_.passive.empty();
  e.shifts_hits = errors.hits;
  e.kappa_0 = reference.kappa_ref;
  e.inverse_aa = reference.field ? 1 / aa : 0;

  const auto set_column = [&](std::vector<double>& g, std::size_t c) {
    std::ranges::reverse(g);
    factor.forward(g.data());
    for (std::size_t back = 0; back < 2 && back < n; ++back)
      for (std::size_t r = 0; r < 2; ++r)
        e.column[c][back][r] = g[rows - 2 - 2 * back + r];
  };
  for (std::size_t hit = 0; hit < 2 && e.shifts_hits; ++hit)
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<double> g(rows);
      for (std::size_t j = 0; j <= hit && j < n; ++j)
        for (std::size_t r = 0; r < 2; ++r)
          g[2 * j + r] = system_.gradient[j][hit - j](static_cast<int>(r),
                                                      static_cast<int>(c));
      set_column(g, 2 * hit + c);
    }
  Matrix2 turn = Matrix2::Zero();  // by kinks of the first triplet
  for (const PassiveKink& p : system_.passive) {
    if (p.before != 0 || !errors.scattering) continue;
    const Eigen::Array2d variances = p.sigma.array().square();
    turn +=
        p.leaving * variances.matrix().asDiagonal() * p.arriving.transpose();
    e.turns = true;
  }
  for (std::size_t angle = 0; angle < 2 && e.turns; ++angle) {
    std::vector<double> g(rows);
    for (std::size_t r = 0; r < 2; ++r)
      g[r] = turn(static_cast<int>(angle), static_cast<int>(r));
    set_column(g, SharedEquations::n_shifts + angle);
  }
  return FitStatus::ok;
}

bool SharedFit::put_into(KinkSystem& system) const {
  const std::size_t n = system_.n_triplets();
  if (system.n_triplets() != n ||
      system.passive.size() != system_.passive.size())
    return false;
  for (std::size_t i = 0; i < 2 * n; ++i)
    system.psi[i] += (system.rho[i] - system_.rho[i]) * equations_.kappa_0;
  system.rho = system_.rho;
  system.gradient = system_.gradient;
  system.triplets = system_.triplets;
  system.passive = system_.passive;
  return true;
}

}  // namespace gttf::detail
