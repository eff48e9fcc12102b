// SPDX-License-Identifier: Apache-2.0
// The kinks of a track as a banded linear system, and its solution for the
// curvature: for any scalar, single tracks and batches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "gttf/core/scalar.hpp"

namespace gttf::detail {

template <class S>
using Block = S[2][2];

/// Hits with errors above this fraction of the distance to a neighbour are
/// coarse: the second order of the kinks is not negligible around them, 0.02^2
/// rad compared with kinks of a milliradian.
inline constexpr double coarse_share = 0.02;

/// kinks = psi + rho kappa - G u of one triplet, rows theta and phi.
template <class S>
struct KinkRows {
  S psi[2], rho[2];
  S shift[3][2][2];  ///< G: of each hit, [angle][coordinate]
  S inv_sin2;        ///< of the mean polar angle
};

/// Combined effect of the passive layers between two hits: their kinks, of
/// variances V, turn the directions at the fixed hits (see PassiveTurns).
template <class S>
struct PassiveSums {
  S arriving[2][2];  ///< A V A^T at the hit after, lower triangle
  S leaving[2][2];   ///< L V L^T at the hit before, lower triangle
  S mixed[2][2];     ///< A V L^T
};

template <class S>
void clear(PassiveSums<S>& sums) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      sums.arriving[r][c] = sums.leaving[r][c] = sums.mixed[r][c] = S(0);
}

/// Adds a layer whose kinks theta, phi have these variances.
template <class S>
void add_layer(const S (&leaving)[2][2], const S (&arriving)[2][2],
               const S (&variance)[2], PassiveSums<S>& sums) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      for (int k = 0; k < 2; ++k) {
        const S a = arriving[r][k] * variance[k];
        const S l = leaving[r][k] * variance[k];
        sums.arriving[r][c] = sums.arriving[r][c] + a * arriving[c][k];
        sums.leaving[r][c] = sums.leaving[r][c] + l * leaving[c][k];
        sums.mixed[r][c] = sums.mixed[r][c] + a * leaving[c][k];
      }
}

/// Contribution of passive layers to K^-1 for one triplet.
template <class S>
struct PassiveRows {
  S self[2][2];  ///< lower triangle
  S next[2][2];  ///< to the next triplet outwards
};

/// Adds the contribution of the passive layers of a segment to its triplets;
/// segments in order of flight.
template <class S>
void add_passive_rows(const PassiveSums<S>& sums, std::size_t segment,
                      std::size_t n_triplets, PassiveRows<S>* rows) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      if (segment < n_triplets) rows[segment].self[r][c] = sums.arriving[r][c];
      if (segment == 0) continue;
      PassiveRows<S>& before = rows[segment - 1];
      before.self[r][c] = before.self[r][c] + sums.leaving[r][c];
      before.next[r][c] = -sums.mixed[c][r];
    }
}

/// Kinks of passive layers between hits.
template <class S>
struct PassiveKinks {
  const PassiveRows<S>* rows = nullptr;
  S scale;                               ///< of their variances
  const PassiveSums<S>* sums = nullptr;  ///< of the segments
};

/// Errors of a segment that affect its ends, in this order: shifts of both hits
/// in standard deviations, two each; turns theta, phi at one end by the passive
/// layers on it, with the variances of PassiveSums.
inline constexpr int n_shifts = 4, n_turns = 2, n_errors = n_shifts + n_turns;

enum class SegmentEnd { start, end };

/// The errors included in a solution, and whether hits have errors.
template <bool with_hits, int first, int last>
struct Columns {
  static constexpr bool hits = with_hits;
  static constexpr int begin = first, end = last;
  /// Passive layers exist only in this case.
  static constexpr bool layers = last > n_shifts;
};
using NoColumns = Columns<true, 0, 0>;
using HitColumns = Columns<true, 0, n_shifts>;
using HitAndTurnColumns = Columns<true, 0, n_errors>;
/// Exact hits.
using TurnColumns = Columns<false, n_shifts, n_errors>;

/// With K^-1 = D_MS^-1 + G G^T = L D L^T, a = D^-1/2 L^-1 rho and b = D^-1/2
/// L^-1 (psi + rho kappa_0). Relative to an estimate kappa_0, so that b has the
/// size of the residuals.
/// Source: [GTTF] eq:kmatrix_inverse to eq:global_fit_chi2;
///         docs/theory/data-fits.md
template <class S>
struct BandSolution {
  S kappa_0;
  S aa, ab, bb;
  MaskOf<S> regular;

  S kappa() const { return kappa_0 - ab / aa; }
  S variance() const { return S(1) / aa; }
  S chi2() const { return bb - ab * ab / aa; }
};

/// Estimates of the errors u of a segment with the columns G_u, and M = D^-1/2
/// L^-1 G_u: at a curvature of variance sigma^2,
///
///   u = M^T (b + (kappa - kappa_0) a),   Cov(u, kappa) = sigma^2 M^T a
///   Cov(u) = V - M^T M + sigma^2 (M^T a)(M^T a)^T
template <class S>
struct SegmentErrors {
  S by_a[n_errors], by_b[n_errors];  ///< M^T a, M^T b
  S products[n_errors][n_errors];    ///< M^T M, lower triangle
  bool has_shifts = false, has_turns = false;
};

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

/// One triplet of the factor, with L^-1 of both right-hand sides.
template <class S>
struct BandStep {
  Pivots<S> pivots;
  LowerBlock<S> near;  ///< to the triplet next to it, outwards
  S a[2], b[2];
};

/// Storage of a streaming solution: the last three triplets.
template <class S>
class RingOfSteps {
 public:
  using Step = BandStep<S>;
  static constexpr bool keeps = false;

  void start(std::size_t) {}
  Step& operator[](std::size_t j) { return steps_[j % 3]; }
  const Step& operator[](std::size_t j) const { return steps_[j % 3]; }

 private:
  Step steps_[3];
};

/// Storage of all steps, for the backward pass and all segment errors.
template <class S>
class KeptSteps {
 public:
  struct Step : BandStep<S> {
    Block<S> far;  ///< L, to the triplet after the next one
  };
  static constexpr bool keeps = true;

  /// Two more than needed, so that neighbours always exist.
  void start(std::size_t n_triplets) {
    n_ = n_triplets;
    steps_.resize(n_triplets + 2);
  }
  std::size_t size() const { return n_; }
  Step& operator[](std::size_t j) { return steps_[j]; }
  const Step& operator[](std::size_t j) const { return steps_[j]; }

 private:
  std::size_t n_ = 0;
  std::vector<Step> steps_;
};

/// From the block x of the matrix, after subtraction of all previous blocks.
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

/// Subtracts g y.
template <class S>
[[gnu::always_inline]] inline void subtract_product(const Block<S>& g,
                                                    const S (&y)[2],
                                                    S (&from)[2]) {
  for (int r = 0; r < 2; ++r)
    from[r] = from[r] - g[r][0] * y[0] - g[r][1] * y[1];
}

/// Adds x.y. Products are added one after the other: which of two the compiler
/// fuses with their sum could differ within a vector.
template <class S>
[[gnu::always_inline]] inline void add_dot(const S (&x)[2], const S (&y)[2],
                                           S& sum) {
  for (int r = 0; r < 2; ++r) sum = sum + x[r] * y[r];
}

/// D^-1 x.
template <class S>
[[gnu::always_inline]] inline void weight(const Pivots<S>& pivots,
                                          const S (&x)[2], S (&weighted)[2]) {
  for (int r = 0; r < 2; ++r) weighted[r] = x[r] * pivots.inverse[r];
}

/// Of one triplet: L^-1 of the columns of a segment.
template <class S>
using SegmentColumns = S[n_errors][2];

/// Columns of the last three triplets.
template <class S>
class ColumnRing {
 public:
  SegmentColumns<S>& operator[](std::size_t j) { return columns_[j % 3]; }

 private:
  SegmentColumns<S> columns_[3];
};

/// Estimates of the errors of one segment.
/// @param steps  of solve_band(); only segment 0, unless all steps are kept
/// @param ring   ColumnRing, whose triplets 0 and 1 are set after the call, or
///               a container of all up to the second hit
template <class Chosen, class Steps, class Ring, class S>
void set_segment_errors(const KinkRows<S>* rows, std::size_t n_triplets,
                        const PassiveKinks<S>& passive, std::size_t segment,
                        SegmentEnd at, const Steps& steps, Ring& ring,
                        SegmentErrors<S>& e) {
  constexpr int begin = Chosen::begin, end = Chosen::end;
  e.has_shifts = begin < n_shifts && end > begin;
  e.has_turns = Chosen::layers;
  for (int i = begin; i < end; ++i) {
    e.by_a[i] = e.by_b[i] = S(0);
    for (int k = begin; k <= i; ++k) e.products[i][k] = S(0);
  }
  for (std::size_t j = std::min(segment + 2, n_triplets); j-- > 0;) {
    const auto& now = steps[j];
    SegmentColumns<S>& column = ring[j];
    // the second hit enters one triplet more than the first hit and the turns
    const bool leads = j > segment;
    const int first = leads && Chosen::hits ? 2 : begin;
    const int last = leads ? std::min(end, n_shifts) : end;
    for (int i = first; i < last; ++i) {
      S(&x)[2] = column[i];
      const bool of_second = i == 2 || i == 3;
      if (i < n_shifts) {
        const std::size_t hit = segment + (of_second ? 1 : 0);
        const int c = i % 2;
        for (int r = 0; r < 2; ++r)
          x[r] = hit < j + 3 ? rows[j].shift[hit - j][r][c] : S(0);
      } else {
        const PassiveSums<S>& sums = passive.sums[segment];
        const int c = i - n_shifts;
        const auto lower = [](const Block<S>& m, int r, int k) {
          return k <= r ? m[r][k] : m[k][r];
        };
        for (int r = 0; r < 2; ++r)
          if (j == segment)
            x[r] = passive.scale * (at == SegmentEnd::start
                                        ? sums.mixed[r][c]
                                        : lower(sums.arriving, r, c));
          else if (j + 1 == segment)
            x[r] = -(passive.scale * (at == SegmentEnd::start
                                          ? lower(sums.leaving, r, c)
                                          : sums.mixed[c][r]));
          else
            x[r] = S(0);
      }
      const std::size_t outermost =
          std::min(segment + (of_second ? 1 : 0), n_triplets - 1);
      if (j < outermost) subtract_product(now.near.own, ring[j + 1][i], x);
      if constexpr (Steps::keeps)
        if (j + 1 < outermost) subtract_product(now.far, ring[j + 2][i], x);
      x[1] = x[1] - now.pivots.lower * x[0];
    }
    S weighted_a[2], weighted_b[2];
    weight(now.pivots, now.a, weighted_a);
    weight(now.pivots, now.b, weighted_b);
    for (int i = first; i < last; ++i) {
      S weighted[2];
      weight(now.pivots, column[i], weighted);
      add_dot(weighted_a, column[i], e.by_a[i]);
      add_dot(weighted_b, column[i], e.by_b[i]);
      for (int k = first; k <= i; ++k)
        add_dot(weighted, column[k], e.products[i][k]);
    }
  }
}

/// A pivot that is exactly zero appears as the rounding error of the variances
/// summed in it. For any real track the variance of a kink given the following
/// ones is much larger: kink or hit errors relative to the lever arm of an
/// unmeasured coordinate. For a wide scalar it is the rounding of the rows.
template <class S>
inline constexpr double pivot_rounding = wider_than_double<S> ? 1e-26 : 1e-14;

/// Block L D L^T factorisation of K^-1, in which triplets couple to the next
/// two, and forward substitution, from the outermost triplet inwards.
/// @param scattering2  variances of the kink angles theta, per triplet
/// @param passive      contribution of passive layers, if there are columns for
///                     it
/// @param steps        RingOfSteps or KeptSteps
template <class Chosen, class Steps, class S>
void solve_band(const KinkRows<S>* rows, std::size_t n_triplets,
                const S* scattering2, const PassiveKinks<S>& passive,
                const S& kappa_0, Steps& steps, BandSolution<S>& s) {
  constexpr bool hits = Chosen::hits;
  const S zero(0);
  S aa = zero, ab = zero, bb = zero;
  MaskOf<S> regular = all_true<S>();
  steps.start(n_triplets);
  for (std::size_t j = n_triplets; j-- > 0;) {
    const KinkRows<S>& t = rows[j];
    auto& now = steps[j];
    const auto& next = steps[j + 1];
    const auto& after_next = steps[j + 2];
    const bool has_next = j + 1 < n_triplets;
    const bool has_two = hits && j + 2 < n_triplets;
    Block<S> d = {{scattering2[j], zero}, {zero, scattering2[j] * t.inv_sin2}};
    for (int h = 0; h < 3 && hits; ++h)
      add_product<S>(t.shift[h], t.shift[h], d);
    if constexpr (Chosen::layers) {
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
      if constexpr (Chosen::layers)
        for (int r = 0; r < 2; ++r)
          for (int c = 0; c < 2; ++c)
            a[r][c] = a[r][c] + passive.scale * passive.rows[j].next[r][c];
      if (has_two) subtract_product<S>(far.scaled, next.near.own, a);
      divide<S>(a, next.pivots, now.near);
      subtract_product<S>(now.near.scaled, now.near.own, d);
    }
    if constexpr (Steps::keeps)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) now.far[r][c] = far.own[r][c];
    constexpr double rounding = pivot_rounding<S>;
    regular = both(regular, d[0][0] > S(rounding) * size[0]);
    // one division for both pivots, d_00 and det/d_00
    const S det = d[0][0] * d[1][1] - d[1][0] * d[1][0];
    const S quotient = S(1) / (d[0][0] * det);
    now.pivots.inverse[0] = quotient * det;
    now.pivots.lower = d[1][0] * now.pivots.inverse[0];
    regular = both(regular, det > S(rounding) * (size[1] * d[0][0]));
    now.pivots.inverse[1] = quotient * (d[0][0] * d[0][0]);

    const auto substitute = [&](S(&x)[2], const S(&behind)[2],
                                const S(&far_behind)[2]) {
      if (has_next) subtract_product(now.near.own, behind, x);
      if (has_two) subtract_product(far.own, far_behind, x);
      x[1] = x[1] - now.pivots.lower * x[0];
    };
    for (int r = 0; r < 2; ++r) {
      now.a[r] = t.rho[r];
      now.b[r] = t.psi[r] + t.rho[r] * kappa_0;
    }
    substitute(now.a, next.a, after_next.a);
    substitute(now.b, next.b, after_next.b);
    S weighted_a[2], weighted_b[2];
    weight(now.pivots, now.a, weighted_a);
    weight(now.pivots, now.b, weighted_b);
    add_dot(weighted_a, now.a, aa);
    add_dot(weighted_a, now.b, ab);
    add_dot(weighted_b, now.b, bb);
  }
  s.kappa_0 = kappa_0;
  s.aa = aa;
  s.ab = ab;
  s.bb = bb;
  s.regular = regular;
}

/// The same without hit errors and passive layers: no factor is needed.
template <class S>
void solve_scattering(const KinkRows<S>* rows, std::size_t n_triplets,
                      const S* scattering2, const S& kappa_0,
                      BandSolution<S>& s) {
  S aa(0), ab(0), bb(0);
  MaskOf<S> regular = all_true<S>();
  for (std::size_t j = 0; j < n_triplets; ++j) {
    const KinkRows<S>& t = rows[j];
    const S of_phi = S(1) / (scattering2[j] * t.inv_sin2);
    const S of_theta = of_phi * t.inv_sin2;
    const S b0 = t.psi[0] + t.rho[0] * kappa_0;
    const S b1 = t.psi[1] + t.rho[1] * kappa_0;
    regular = both(regular, scattering2[j] > S(0));
    const S a0 = of_theta * t.rho[0], a1 = of_phi * t.rho[1];
    aa = aa + a0 * t.rho[0] + a1 * t.rho[1];
    ab = ab + a0 * b0 + a1 * b1;
    bb = bb + of_theta * b0 * b0 + of_phi * b1 * b1;
  }
  s.kappa_0 = kappa_0;
  s.aa = aa;
  s.ab = ab;
  s.bb = bb;
  s.regular = regular;
}

/// chi2 = |b + change a|^2 at the curvature kappa_0 + change.
template <class S>
S chi2_at(const KeptSteps<S>& steps, const S& change) {
  S sum(0);
  for (std::size_t j = 0; j < steps.size(); ++j) {
    const auto& now = steps[j];
    for (int r = 0; r < 2; ++r) {
      const S residual = now.b[r] + change * now.a[r];
      sum = sum + residual * residual * now.pivots.inverse[r];
    }
  }
  return sum;
}

/// Weighted residuals K (psi + rho kappa) at the curvature kappa_0 + change, by
/// substitution from the innermost triplet outwards.
/// @return  theta, phi of every triplet
template <class S>
std::vector<std::array<S, 2>> weigh_residuals(const KeptSteps<S>& steps,
                                              const S& change) {
  std::vector<std::array<S, 2>> weighted(steps.size());
  for (std::size_t j = 0; j < steps.size(); ++j) {
    const auto& now = steps[j];
    std::array<S, 2>& w = weighted[j];
    for (std::size_t r = 0; r < 2; ++r)
      w[r] = (now.b[r] + change * now.a[r]) * now.pivots.inverse[r];
    // L^T, from the steps inside this one
    const auto subtract = [&w](const Block<S>& own,
                               const std::array<S, 2>& inner) {
      for (std::size_t c = 0; c < 2; ++c)
        w[c] = w[c] - own[0][c] * inner[0] - own[1][c] * inner[1];
    };
    if (j > 0) subtract(steps[j - 1].near.own, weighted[j - 1]);
    if (j > 1) subtract(steps[j - 2].far, weighted[j - 2]);
    w[0] = w[0] - now.pivots.lower * w[1];
  }
  return weighted;
}

}  // namespace gttf::detail
