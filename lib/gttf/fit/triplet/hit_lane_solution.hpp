// SPDX-License-Identifier: Apache-2.0
// The equations of the kinks solved for the curvature, for any scalar:
// KinkSolution in lanes, in one pass that stores no factor.
#pragma once

#include "gttf/fit/triplet/hit_lane_rows.hpp"

namespace gttf::detail {

/// Shifts of the first two hits, as columns of G: two of each. Behind them the
/// turns theta, phi at the first hit by passive layers before the second.
inline constexpr int n_columns = 4, n_turns = 2;

/// With K^-1 = D_MS^-1 + G G^T = L D L^T, a = D^-1/2 L^-1 rho and b = D^-1/2
/// L^-1 (psi + rho kappa_0), M = D^-1/2 L^-1 G of the first two hits. From
/// kappa_0 on, an estimate, because b then has the size of the residuals.
template <class S>
struct LaneSolution {
  S kappa_0;
  S aa, ab, bb;
  static constexpr int n_all = n_columns + n_turns;
  S column_a[n_all], column_b[n_all];  ///< M^T a, M^T b
  S columns[n_all][n_all];             ///< M^T M, lower triangle
  bool has_columns = false, has_turns = false;
  LaneMask<S> regular;

  S kappa() const { return kappa_0 - ab / aa; }
  S variance() const { return S(1) / aa; }
  S chi2() const { return bb - ab * ab / aa; }
};

template <class S>
using Block = S[2][2];

/// Kinks of passive layers between hits.
template <class S>
struct PassiveKinks {
  const PassiveRows<S>* rows = nullptr;
  S scale;                                ///< of their variances
  const PassiveSums<S>* first = nullptr;  ///< of the first segment
};

/// Which columns a solution has, and if hits have errors.
template <bool with_hits, int first, int last>
struct Columns {
  static constexpr bool hits = with_hits;
  static constexpr int begin = first, end = last;
};
using NoColumns = Columns<true, 0, 0>;
using HitColumns = Columns<true, 0, n_columns>;
using HitAndTurnColumns = Columns<true, 0, n_columns + n_turns>;
/// Exact hits.
using TurnColumns = Columns<false, n_columns, n_columns + n_turns>;

/// A diagonal block L D L^T: the lower entry of L, and 1/D.
template <class S>
struct Pivots {
  S lower, inverse[2];
};

/// A block below the diagonal, L D and L.
template <class S>
struct LowerBlock {
  Block<S> scaled, own;
};

/// From the block x of the matrix, all before subtracted.
template <class S>
[[gnu::always_inline]] inline void divide(const Block<S>& x,
                                          const Pivots<S>& pivots,
                                          LowerBlock<S>& out) {
  for (int r = 0; r < 2; ++r) {
    out.scaled[r][0] = x[r][0];
    out.scaled[r][1] = x[r][1] - x[r][0] * pivots.lower;
    for (int c = 0; c < 2; ++c)
      out.own[r][c] = out.scaled[r][c] * pivots.inverse[c];
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

/// Subtracts g h^T.
template <class S>
[[gnu::always_inline]] inline void subtract_product(const Block<S>& g,
                                                    const Block<S>& h,
                                                    Block<S>& from) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      from[r][c] = from[r][c] - g[r][0] * h[c][0] - g[r][1] * h[c][1];
}

/// Block L D L^T factorisation of K^-1, in which triplets couple with the two
/// behind, together with the forward substitution: from the outermost triplet
/// inwards, so that the shifts of the first two hits come in at the end only.
/// @param scattering2  variances of the kink angles theta, per triplet
/// @param passive      what they add, if there are columns for it
template <class Chosen, class S>
[[gnu::flatten]] LaneSolution<S> solve_rows(const KinkRows<S>* rows,
                                            std::size_t n_triplets,
                                            const S* scattering2,
                                            const PassiveKinks<S>& passive,
                                            const S& kappa_0) {
  constexpr bool hits = Chosen::hits;
  constexpr int begin = Chosen::begin, end = Chosen::end;
  constexpr bool layers = end > n_columns;  // only then are there passive ones
  struct Step {
    Pivots<S> pivots;
    LowerBlock<S> behind;  ///< next to it
    S x[2][2];             ///< L^-1 of a and b
  };
  Step ring[3];
  S second_hit[2][2]{};  // L^-1 of its columns, at the second triplet
  LaneSolution<S> s;
  const S zero(0);
  s.kappa_0 = kappa_0;
  s.aa = s.ab = s.bb = zero;
  s.regular = Lane<S>::mask(all_lanes<S>);
  s.has_columns = begin < n_columns && end > begin;
  s.has_turns = end > n_columns;
  for (int i = begin; i < end; ++i) {
    s.column_a[i] = s.column_b[i] = zero;
    for (int k = begin; k <= i; ++k) s.columns[i][k] = zero;
  }
  for (std::size_t j = n_triplets; j-- > 0;) {
    const KinkRows<S>& t = rows[j];
    Step& now = ring[j % 3];
    const Step& next = ring[(j + 1) % 3];
    const Step& after_next = ring[(j + 2) % 3];
    const bool has_next = j + 1 < n_triplets;
    const bool has_two = hits && j + 2 < n_triplets;
    Block<S> d = {{scattering2[j], zero}, {zero, scattering2[j] * t.inv_sin2}};
    for (int h = 0; h < 3 && hits; ++h)
      add_product<S>(t.shift[h], t.shift[h], d);
    if constexpr (layers) {
      const Block<S>& self = passive.rows[j].self;
      d[0][0] = d[0][0] + passive.scale * self[0][0];
      d[1][0] = d[1][0] + passive.scale * self[1][0];
      d[1][1] = d[1][1] + passive.scale * self[1][1];
    }
    const S size[2] = {d[0][0], d[1][1]};
    LowerBlock<S> far{};
    Block<S> a;
    if (has_two) {
      a[0][0] = a[0][1] = a[1][0] = a[1][1] = zero;
      add_product<S>(t.shift[2], rows[j + 2].shift[0], a);
      divide<S>(a, after_next.pivots, far);
      subtract_product<S>(far.scaled, far.own, d);
    }
    if (has_next) {
      a[0][0] = a[0][1] = a[1][0] = a[1][1] = zero;
      if (hits) {
        add_product<S>(t.shift[1], rows[j + 1].shift[0], a);
        add_product<S>(t.shift[2], rows[j + 1].shift[1], a);
      }
      if constexpr (layers)
        for (int r = 0; r < 2; ++r)
          for (int c = 0; c < 2; ++c)
            a[r][c] = a[r][c] + passive.scale * passive.rows[j].next[r][c];
      if (has_two) subtract_product<S>(far.scaled, next.behind.own, a);
      divide<S>(a, next.pivots, now.behind);
      subtract_product<S>(now.behind.scaled, now.behind.own, d);
    }
    constexpr double rounding = 1e-14;
    s.regular = both(s.regular, d[0][0] > S(rounding) * size[0]);
    // one division for both pivots, d_00 and det/d_00
    const S det = d[0][0] * d[1][1] - d[1][0] * d[1][0];
    const S quotient = S(1) / (d[0][0] * det);
    now.pivots.inverse[0] = quotient * det;
    now.pivots.lower = d[1][0] * now.pivots.inverse[0];
    s.regular = both(s.regular, det > S(rounding) * (size[1] * d[0][0]));
    now.pivots.inverse[1] = quotient * (d[0][0] * d[0][0]);

    for (int i = 0; i < 2; ++i) {
      S x[2];
      for (int r = 0; r < 2; ++r) {
        x[r] = i == 0 ? t.rho[r] : t.psi[r] + t.rho[r] * kappa_0;
        if (has_next)
          x[r] = x[r] - now.behind.own[r][0] * next.x[i][0] -
                 now.behind.own[r][1] * next.x[i][1];
        if (has_two)
          x[r] = x[r] - far.own[r][0] * after_next.x[i][0] -
                 far.own[r][1] * after_next.x[i][1];
      }
      now.x[i][0] = x[0];
      now.x[i][1] = x[1] - now.pivots.lower * x[0];
    }
    // products of one kind are added to one sum after the other: which of two
    // products is fused with their sum could differ between lanes
    const auto add_dot = [](const S(&x)[2], const S(&y)[2], S& sum) {
      for (int r = 0; r < 2; ++r) sum = sum + x[r] * y[r];
    };
    const auto weight = [&](const S(&x)[2], S(&weighted)[2]) {
      for (int r = 0; r < 2; ++r) weighted[r] = x[r] * now.pivots.inverse[r];
    };
    S weighted_a[2], weighted_b[2];
    weight(now.x[0], weighted_a);
    weight(now.x[1], weighted_b);
    add_dot(weighted_a, now.x[0], s.aa);
    add_dot(weighted_a, now.x[1], s.ab);
    add_dot(weighted_b, now.x[1], s.bb);
    if (begin == end || j > 1) continue;

    // the first hit is in the first triplet, the second in two
    S column[LaneSolution<S>::n_all][2]{};
    for (int c = 0; c < 2 && hits; ++c) {
      S(&of_first)[2] = column[c], (&of_second)[2] = column[2 + c];
      for (int r = 0; r < 2; ++r) {
        of_second[r] = t.shift[1 - j][r][c];
        if (j == 0) of_first[r] = t.shift[0][r][c];
        if (j == 0 && has_next)
          of_second[r] = of_second[r] -
                         now.behind.own[r][0] * second_hit[c][0] -
                         now.behind.own[r][1] * second_hit[c][1];
      }
      of_first[1] = of_first[1] - now.pivots.lower * of_first[0];
      of_second[1] = of_second[1] - now.pivots.lower * of_second[0];
      for (int r = 0; r < 2; ++r) second_hit[c][r] = of_second[r];
    }
    for (int c = n_columns; c < end && j == 0; ++c) {
      S(&of_turn)[2] = column[c];
      for (int r = 0; r < 2; ++r)
        of_turn[r] = passive.scale * passive.first->mixed[r][c - n_columns];
      of_turn[1] = of_turn[1] - now.pivots.lower * of_turn[0];
    }
    const int first = hits && j > 0 ? 2 : begin;
    const int last = j > 0 ? std::min(end, n_columns) : end;
    for (int i = first; i < last; ++i) {
      S weighted[2];
      weight(column[i], weighted);
      add_dot(weighted_a, column[i], s.column_a[i]);
      add_dot(weighted_b, column[i], s.column_b[i]);
      for (int k = begin; k <= i; ++k)
        add_dot(weighted, column[k], s.columns[i][k]);
    }
  }
  return s;
}

/// The same without errors of the hits and passive layers: no factor is needed.
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
    const S of_phi = S(1) / (scattering2[j] * t.inv_sin2);
    const S of_theta = of_phi * t.inv_sin2;
    const S b0 = t.psi[0] + t.rho[0] * kappa_0;
    const S b1 = t.psi[1] + t.rho[1] * kappa_0;
    s.regular = both(s.regular, scattering2[j] > S(0));
    const S a0 = of_theta * t.rho[0], a1 = of_phi * t.rho[1];
    s.aa = s.aa + a0 * t.rho[0] + a1 * t.rho[1];
    s.ab = s.ab + a0 * b0 + a1 * b1;
    s.bb = s.bb + of_theta * b0 * b0 + of_phi * b1 * b1;
  }
  return s;
}

}  // namespace gttf::detail
