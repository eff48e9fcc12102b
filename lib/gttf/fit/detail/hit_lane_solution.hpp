// SPDX-License-Identifier: Apache-2.0
// The equations of the kinks solved for the curvature, for any scalar:
// KinkSolution in lanes, in one pass that stores no factor.
#pragma once

#include "gttf/fit/detail/hit_lane_rows.hpp"

namespace gttf::detail {

/// Shifts of the first two hits, as columns of G: two of each.
inline constexpr int n_columns = 4;

/// With K^-1 = D^-1 + G G^T = L L^T, a = L^-1 rho and b = L^-1 (psi + rho
/// kappa_0), M = L^-1 G of the first two hits.
template <class S>
struct LaneSolution {
  S kappa_0;
  S aa, ab, bb;
  S column_a[n_columns], column_b[n_columns];  ///< M^T a, M^T b
  S columns[n_columns][n_columns];             ///< M^T M, lower triangle
  bool has_columns = false;
  LaneMask<S> regular;

  S kappa() const { return kappa_0 - ab / aa; }
  S variance() const { return S(1) / aa; }
  S chi2() const { return bb - ab * ab / aa; }
};

template <class S>
using Block = S[2][2];

/// x L^-T of a lower triangle L with inverted diagonal.
template <class S>
[[gnu::always_inline]] inline void divide(const Block<S>& x, const Block<S>& l,
                                          Block<S>& out) {
  for (int r = 0; r < 2; ++r) {
    out[r][0] = x[r][0] * l[0][0];
    out[r][1] = (x[r][1] - out[r][0] * l[1][0]) * l[1][1];
  }
}

/// Adds g h^T.
template <class S>
[[gnu::always_inline]] inline void add_product(const Block<S>& g,
                                               const Block<S>& h,
                                               Block<S>& sum) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      sum[r][c] = sum[r][c] + g[r][0] * h[c][0] + g[r][1] * h[c][1];
}

/// Subtracts l l^T; the lower triangle.
template <class S>
[[gnu::always_inline]] inline void subtract_square(const Block<S>& l,
                                                   Block<S>& from) {
  from[0][0] = from[0][0] - l[0][0] * l[0][0] - l[0][1] * l[0][1];
  from[1][0] = from[1][0] - l[1][0] * l[0][0] - l[1][1] * l[0][1];
  from[1][1] = from[1][1] - l[1][0] * l[1][0] - l[1][1] * l[1][1];
}

/// Block Cholesky factorisation of K^-1, in which triplets couple with the two
/// before, together with the forward substitution.
/// @param scattering2  variances of the kink angles theta, per triplet
/// @param n_right      2 (a, b) or 2 + n_columns right-hand sides
template <int n_right, class S>
LaneSolution<S> solve_rows(const KinkRows<S>* rows, std::size_t n_triplets,
                           const S* scattering2, const S& kappa_0) {
  using std::sqrt;
  struct Step {
    Block<S> own, before;  ///< L_jj, its diagonal inverted, and L_j,j-1
    S x[n_right][2];
  };
  Step ring[3];
  LaneSolution<S> s;
  const S zero(0);
  s.kappa_0 = kappa_0;
  s.aa = s.ab = s.bb = zero;
  s.regular = Lane<S>::mask(all_lanes<S>);
  s.has_columns = n_right > 2;
  for (int i = 0; i < n_right - 2; ++i) {
    s.column_a[i] = s.column_b[i] = zero;
    for (int k = 0; k <= i; ++k) s.columns[i][k] = zero;
  }
  for (std::size_t j = 0; j < n_triplets; ++j) {
    const KinkRows<S>& t = rows[j];
    Step& now = ring[j % 3];
    const Step& last = ring[(j + 2) % 3];
    const Step& second_last = ring[(j + 1) % 3];
    Block<S> d = {{scattering2[j], zero}, {zero, scattering2[j] * t.inv_sin2}};
    for (int h = 0; h < 3; ++h) add_product<S>(t.shift[h], t.shift[h], d);
    const S size[2] = {d[0][0], d[1][1]};
    Block<S> l2 = {{zero, zero}, {zero, zero}}, a;
    if (j >= 2) {
      a[0][0] = a[0][1] = a[1][0] = a[1][1] = zero;
      add_product<S>(t.shift[0], rows[j - 2].shift[2], a);
      divide<S>(a, second_last.own, l2);
      subtract_square<S>(l2, d);
    }
    if (j >= 1) {
      a[0][0] = a[0][1] = a[1][0] = a[1][1] = zero;
      add_product<S>(t.shift[0], rows[j - 1].shift[1], a);
      add_product<S>(t.shift[1], rows[j - 1].shift[2], a);
      if (j >= 2)
        for (int r = 0; r < 2; ++r)
          for (int c = 0; c < 2; ++c)
            a[r][c] = a[r][c] - l2[r][0] * last.before[c][0] -
                      l2[r][1] * last.before[c][1];
      divide<S>(a, last.own, now.before);
      subtract_square<S>(now.before, d);
    }
    constexpr double rounding = 1e-14;
    s.regular = both(s.regular, d[0][0] > S(rounding) * size[0]);
    now.own[0][0] = S(1) / sqrt(d[0][0]);
    now.own[1][0] = d[1][0] * now.own[0][0];
    const S pivot = d[1][1] - now.own[1][0] * now.own[1][0];
    s.regular = both(s.regular, pivot > S(rounding) * size[1]);
    now.own[1][1] = S(1) / sqrt(pivot);

    for (int i = 0; i < n_right; ++i) {
      S x[2] = {zero, zero};
      for (int r = 0; r < 2; ++r) {
        if (i == 0) x[r] = t.rho[r];
        if (i == 1) x[r] = t.psi[r] + t.rho[r] * kappa_0;
        // the first hit is in the first triplet, the second in two
        if (i >= 2 && i < 4 && j == 0) x[r] = t.shift[0][r][i - 2];
        if (i >= 4 && j < 2) x[r] = t.shift[1 - j][r][i - 4];
        if (j >= 1)
          x[r] = x[r] - now.before[r][0] * last.x[i][0] -
                 now.before[r][1] * last.x[i][1];
        if (j >= 2)
          x[r] = x[r] - l2[r][0] * second_last.x[i][0] -
                 l2[r][1] * second_last.x[i][1];
      }
      now.x[i][0] = x[0] * now.own[0][0];
      now.x[i][1] = (x[1] - now.own[1][0] * now.x[i][0]) * now.own[1][1];
    }
    const auto dot = [&now](int i, int k) {
      return now.x[i][0] * now.x[k][0] + now.x[i][1] * now.x[k][1];
    };
    s.aa = s.aa + dot(0, 0);
    s.ab = s.ab + dot(0, 1);
    s.bb = s.bb + dot(1, 1);
    for (int i = 2; i < n_right; ++i) {
      s.column_a[i - 2] = s.column_a[i - 2] + dot(i, 0);
      s.column_b[i - 2] = s.column_b[i - 2] + dot(i, 1);
      for (int k = 2; k <= i; ++k)
        s.columns[i - 2][k - 2] = s.columns[i - 2][k - 2] + dot(i, k);
    }
  }
  return s;
}

/// The same without errors of the hits: no factor is needed.
template <class S>
LaneSolution<S> solve_scattering(const KinkRows<S>* rows,
                                 std::size_t n_triplets, const S* scattering2,
                                 const S& kappa_0) {
  LaneSolution<S> s;
  s.kappa_0 = kappa_0;
  s.aa = s.ab = s.bb = S(0);
  s.regular = Lane<S>::mask(all_lanes<S>);
  for (std::size_t j = 0; j < n_triplets; ++j) {
    const KinkRows<S>& t = rows[j];
    const S weight = S(1) / scattering2[j];
    const S sin2 = S(1) / t.inv_sin2;
    const S b0 = t.psi[0] + t.rho[0] * kappa_0;
    const S b1 = t.psi[1] + t.rho[1] * kappa_0;
    s.regular = both(s.regular, scattering2[j] > S(0));
    s.aa = s.aa + weight * (t.rho[0] * t.rho[0] + sin2 * t.rho[1] * t.rho[1]);
    s.ab = s.ab + weight * (t.rho[0] * b0 + sin2 * t.rho[1] * b1);
    s.bb = s.bb + weight * (b0 * b0 + sin2 * b1 * b1);
  }
  return s;
}

}  // namespace gttf::detail
