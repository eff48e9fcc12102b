// SPDX-License-Identifier: Apache-2.0
// Momentum of straight tracks from their scattering, for any scalar:
// scattering_momentum() without its errors.
#pragma once

#include <limits>

#include "gttf/fit/track/batch_flight.hpp"
#include "gttf/fit/track/batch_outcome.hpp"
#include "gttf/fit/triplet/band_system.hpp"

namespace gttf::detail {

/// The largest number of hits for which the momentum is estimated.
inline constexpr std::size_t most_momentum_hits = 12;

/// Kinks of a track in axes in which they are independent: the most likely
/// factor q of their scattering, if their variances are q + lambda.
template <class S>
class KinkSpectrum {
 public:
  /// @param rows     kinks and shifts of the n triplets
  /// @param passive  contribution of the layers between hits, or null
  /// @param hits     whether hits have errors
  KinkSpectrum(const KinkRows<S>* rows, std::size_t n_triplets,
               const S* theta0_2, const PassiveRows<S>* passive, bool hits)
      : n_(2 * n_triplets) {
    set_scattering(rows, n_triplets, theta0_2, passive);
    S kinks[most];
    for (std::size_t j = 0; j < n_triplets; ++j)
      for (std::size_t r = 0; r < 2; ++r) kinks[2 * j + r] = rows[j].psi[r];
    solve_lower(kinks, 0);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < n_; ++k) matrix_[i][k] = S(0);
    if (hits) add_errors(rows, n_triplets);
    make_diagonal(kinks);
    for (std::size_t i = 0; i < n_; ++i) {
      const S& v = matrix_[i][i];
      variance_[i] = select(v > S(0), v, S(0));
      square_[i] = kinks[i] * kinks[i];
    }
  }

  /// 0 if hit errors are sufficient to explain the kinks.
  /// @param good  cleared where it is not known
  S most_likely(MaskOf<S>& good) const;

  /// Tracks with kinks that all scatter.
  const MaskOf<S>& scatter() const { return scatter_; }

 private:
  static constexpr std::size_t most = 2 * (most_momentum_hits - 2);

  /// Cholesky factor of the covariance of the kinks, in which neighbouring
  /// triplets are correlated.
  void set_scattering(const KinkRows<S>* rows, std::size_t n_triplets,
                      const S* theta0_2, const PassiveRows<S>* passive) {
    using std::sqrt;
    const auto entry = [&](std::size_t i, std::size_t k) -> S {
      const std::size_t j = i / 2, r = i % 2, q = k % 2;
      if (k / 2 != j)  // the triplet before
        return passive == nullptr ? S(0) : passive[j - 1].next[q][r];
      S x(0);
      if (i == k) x = r == 0 ? theta0_2[j] : theta0_2[j] * rows[j].inv_sin2;
      return passive == nullptr ? x : x + passive[j].self[r][q];
    };
    for (std::size_t i = 0; i < 2 * n_triplets; ++i) {
      const std::size_t first = first_of(i);
      for (std::size_t k = first; k <= i; ++k) {
        S x = entry(i, k);
        for (std::size_t l = std::max(first, first_of(k)); l < k; ++l)
          x = x - factor(i, l) * factor(k, l);
        if (k < i) {
          factor(i, k) = x * inverse_[k];
          continue;
        }
        scatter_ = both(scatter_, x > S(0));
        inverse_[i] = S(1) / sqrt(x);
      }
    }
  }
  /// First column of row i: of the triplet before.
  static std::size_t first_of(std::size_t i) {
    return i < 2 ? 0 : i / 2 * 2 - 2;
  }
  S& factor(std::size_t i, std::size_t k) {
    return factor_[i][k - first_of(i)];
  }
  const S& factor(std::size_t i, std::size_t k) const {
    return factor_[i][k - first_of(i)];
  }
  /// Solves L x = b in place.
  /// @param begin  rows before are zero
  void solve_lower(S (&x)[most], std::size_t begin) const {
    for (std::size_t i = begin; i < n_; ++i) {
      for (std::size_t k = std::max(begin, first_of(i)); k < i; ++k)
        x[i] = x[i] - factor(i, k) * x[k];
      x[i] = x[i] * inverse_[i];
    }
  }

  /// Adds L^-1 G G^T L^-T.
  void add_errors(const KinkRows<S>* rows, std::size_t n_triplets) {
    for (std::size_t hit = 0; hit < n_triplets + 2; ++hit)
      for (int c = 0; c < 2; ++c) {
        S column[most];
        for (std::size_t i = 0; i < n_; ++i) column[i] = S(0);
        const std::size_t from = hit < 2 ? 0 : hit - 2;
        for (std::size_t j = from; j < std::min(hit + 1, n_triplets); ++j)
          for (std::size_t r = 0; r < 2; ++r)
            column[2 * j + r] = rows[j].shift[hit - j][r][c];
        solve_lower(column, 2 * from);
        for (std::size_t i = 2 * from; i < n_; ++i)
          for (std::size_t k = 2 * from; k <= i; ++k)
            matrix_[i][k] = matrix_[i][k] + column[i] * column[k];
      }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < i; ++k) matrix_[k][i] = matrix_[i][k];
  }

  /// Jacobi's method: rotates pairs of axes until the matrix is diagonal, and
  /// the kinks with it.
  void make_diagonal(S (&kinks)[most]) {
    using std::abs, std::sqrt;
    constexpr int most_sweeps = 15;
    // rounding of the largest variances stays in the smallest
    S all(0);
    for (std::size_t i = 0; i < n_; ++i) all = all + matrix_[i][i];
    const S rounding = S(1e-16) * all;
    auto moving = all_true<S>();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      auto open = !all_true<S>();
      for (std::size_t p = 0; p + 1 < n_; ++p)
        for (std::size_t q = p + 1; q < n_; ++q) {
          const S off = matrix_[p][q];
          const S size = abs(matrix_[p][p]) + abs(matrix_[q][q]);
          const auto turns =
              both(moving, abs(off) > S(1e-18) * size + S(0.1) * rounding);
          if (!any(turns)) continue;
          open = either(open, abs(off) > S(1e-9) * size + rounding);
          const S safe = select(turns, off, S(1));
          const S ratio = S(0.5) * (matrix_[q][q] - matrix_[p][p]) / safe;
          const S root = sqrt(S(1) + ratio * ratio);
          S t = S(1) / (abs(ratio) + root);
          t = select(ratio < S(0), -t, t);
          t = select(turns, t, S(0));
          const S c = S(1) / sqrt(S(1) + t * t), s = t * c;
          const S change = t * off;
          matrix_[p][p] = matrix_[p][p] - change;
          matrix_[q][q] = matrix_[q][q] + change;
          matrix_[p][q] = matrix_[q][p] = select(turns, S(0), off);
          for (std::size_t k = 0; k < n_; ++k) {
            if (k == p || k == q) continue;
            const S x = matrix_[k][p], y = matrix_[k][q];
            matrix_[k][p] = matrix_[p][k] = c * x - s * y;
            matrix_[k][q] = matrix_[q][k] = s * x + c * y;
          }
          const S x = kinks[p], y = kinks[q];
          kinks[p] = c * x - s * y;
          kinks[q] = s * x + c * y;
        }
      // quadratic: after a sweep from 1e-9 only rounding remains
      moving = both(moving, open);
      if (!any(moving)) return;
    }
    converged_ = !moving;
  }

  /// d(-2 ln L)/dq, and its derivative.
  S slope(const S& q) const {
    S sum(0);
    for (std::size_t i = 0; i < n_; ++i) {
      const S inverse = S(1) / (variance_[i] + q);
      sum = sum + inverse * (S(1) - square_[i] * inverse);
    }
    return sum;
  }
  struct SlopeAndChange {
    S slope, change;
  };
  SlopeAndChange slope_and_change(const S& q) const {
    SlopeAndChange sum{S(0), S(0)};
    for (std::size_t i = 0; i < n_; ++i) {
      const S inverse = S(1) / (variance_[i] + q);
      const S part = square_[i] * inverse;
      sum.slope = sum.slope + inverse * (S(1) - part);
      sum.change = sum.change + inverse * inverse * (part + part - S(1));
    }
    return sum;
  }
  /// -2 ln L up to a constant.
  S deviance(const S& q) const {
    using std::log;
    S sum(0);
    for (std::size_t i = 0; i < n_; ++i) {
      const S v = variance_[i] + q;
      sum = sum + square_[i] / v + log(v);
    }
    return sum;
  }
  /// The zero of the slope between a and b, where it becomes positive.
  S root(S a, S b) const {
    using std::abs;
    S q = S(0.5) * (a + b);
    auto moving = all_true<S>();
    for (int i = 0; i < 60 && any(moving); ++i) {
      const SlopeAndChange there = slope_and_change(q);
      const auto beyond = there.slope > S(0);
      b = select(beyond, q, b);
      a = select(beyond, a, q);
      S next = q - there.slope / there.change;
      next = select(both(next >= a, next <= b), next, S(0.5) * (a + b));
      const S step = abs(next - q);
      q = select(moving, next, q);
      moving = both(moving, step > S(1e-13) * q);
    }
    return q;
  }

  std::size_t n_;
  S factor_[most][4], inverse_[most];
  S matrix_[most][most];
  S variance_[most], square_[most];
  MaskOf<S> scatter_ = all_true<S>(), converged_ = all_true<S>();
};

template <class S>
S KinkSpectrum<S>::most_likely(MaskOf<S>& good) const {
  good = both(good, converged_);
  const S zero(0);
  S largest(0), mean(0), all(0), widest(0);
  for (std::size_t i = 0; i < n_; ++i) {
    largest = select(square_[i] > largest, square_[i], largest);
    widest = select(variance_[i] > widest, variance_[i], widest);
    mean = mean + variance_[i];
    all = all + square_[i];
  }
  const S inverse_n(1 / static_cast<double>(n_));
  const auto exact = widest <= zero;
  const S of_exact = all * inverse_n;
  if (!any(!exact)) return of_exact;
  // of scattering_momentum.cpp: 200 steps of one factor
  constexpr int steps = 200;
  const S least = S(1e-12) * largest;
  mean = mean * inverse_n;
  const S low = S(1e-8) * select(mean > least, mean, least),
          high = S(10) * largest;
  const S factor = power_near_one(S(high / low), 1. / steps, good);
  constexpr std::size_t most_minima = 4;
  S from[most_minima], to[most_minima];
  std::size_t n_minima = 0;
  for (std::size_t m = 0; m < most_minima; ++m) from[m] = to[m] = zero;
  S q = low, before = slope(q);
  for (int i = 0; i < steps; ++i) {
    const S next = q * factor, there = slope(next);
    auto found = both(before<zero, there> zero);
    for (std::size_t m = 0; any(found); ++m) {
      if (m == most_minima) {
        good = both(good, !found);
        break;
      }
      const auto free = both(found, from[m] <= zero);
      from[m] = select(free, q, from[m]);
      to[m] = select(free, next, to[m]);
      found = both(found, !free);
      if (any(free) && m == n_minima) ++n_minima;
    }
    q = next;
    before = there;
  }
  S best(0), smallest = deviance(low);
  for (std::size_t m = 0; m < n_minima; ++m) {
    const auto exists = from[m] > zero;
    const S at =
        root(select(exists, from[m], S(1)), select(exists, to[m], S(2)));
    const S there = deviance(at);
    const auto better = both(exists, there < smallest);
    best = select(better, at, best);
    smallest = select(better, there, smallest);
  }
  return select(exact, of_exact, best);
}

/// ScatteringMomentum::p; infinite if the scattering does not bound it, NaN if
/// some kinks do not scatter.
template <class S>
S momentum_of_scattering(const KinkSpectrum<S>& kinks, double p0, double mass,
                         MaskOf<S>& good) {
  using std::sqrt;
  const S q = kinks.most_likely(good);
  const S p0_beta(p0 * p0 / std::hypot(p0, mass));
  const S b2 = p0_beta * p0_beta / q;
  const S p = sqrt(S(0.5) * (b2 + sqrt(b2 * (b2 + S(4 * mass * mass)))));
  const S found =
      select(q > S(0), p, S(std::numeric_limits<double>::infinity()));
  return select(kinks.scatter(), found,
                S(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace gttf::detail
