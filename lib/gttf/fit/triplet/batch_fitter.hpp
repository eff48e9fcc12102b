// SPDX-License-Identifier: Apache-2.0
// The fits of hits for any scalar, compiled for each instruction set: with
// individual weights, and with WeightSource::shared, where each track needs
// only its kinks, a substitution and its perigee parameters.
#pragma once

#include <algorithm>

#include "gttf/fit/triplet/batch_perigee.hpp"
#include "gttf/fit/triplet/batch_scattering.hpp"
#include "gttf/fit/triplet/shared_equations.hpp"

namespace gttf::detail {

template <class S>
struct SharedSolution {
  S kappa, chi2;
  S u[n_errors];
};

/// @param kinks  theta, phi of every triplet
template <class S>
[[gnu::flatten]] void solve_shared(const SharedEquations& e,
                                   const S (*kinks)[2], SharedSolution<S>& s) {
  const KeptSteps<double>& steps = *e.steps;
  const std::size_t n = steps.size();
  S ring[3][2];  // x of triplet j at j % 3
  S ax(0), xx(0);
  const auto subtract = [](const Block<double>& own, const S(&y)[2],
                           S(&from)[2]) {
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) from[r] = from[r] - S(own[r][c]) * y[c];
  };
  for (std::size_t j = n; j-- > 0;) {
    const KeptSteps<double>::Step& step = steps[j];
    S(&x)[2] = ring[j % 3];
    for (int r = 0; r < 2; ++r) x[r] = kinks[j][r];
    if (!e.diagonal) {
      if (j + 1 < n) subtract(step.near.own, ring[(j + 1) % 3], x);
      if (j + 2 < n) subtract(step.far, ring[(j + 2) % 3], x);
      x[1] = x[1] - S(step.pivots.lower) * x[0];
    }
    for (int r = 0; r < 2; ++r) {
      const S weighted = S(step.pivots.inverse[r]) * x[r];
      ax = ax + S(step.a[r]) * weighted;
      xx = xx + weighted * x[r];
    }
  }
  const S change = -(ax * S(e.inverse_aa));
  s.kappa = S(e.kappa_0) + change;
  s.chi2 = xx + ax * change;
  for (S& u : s.u) u = S(0);
  for (std::size_t j = 0; j < 2 && j < n; ++j)
    for (int r = 0; r < 2; ++r) {
      const S residual = ring[j % 3][r] + change * S(steps[j].a[r]);
      for (int c = 0; c < n_errors; ++c)
        s.u[c] = s.u[c] + S(e.column[c][j][r]) * residual;
    }
}

/// @return  tracks where all numbers are finite
template <class S>
[[gnu::flatten]] MaskOf<S> store_shared_perigee(const HitGroup& in,
                                                const TrackHead<S>& head,
                                                const SharedEquations& e,
                                                const SharedSolution<S>& s,
                                                PackValues* out) {
  FirstArc<S> first = first_arc(in, head, s.kappa);
  Helix<S>& state = first.state;
  if (e.shifts_hits) {
    for (int c = 0; c < 2; ++c)
      state.position = state.position - s.u[c] * head.first.error(c);
    for (int c = 0; c < n_shifts; ++c) {
      state.theta = state.theta + S(e.turn[c][0]) * s.u[c];
      state.phi = state.phi + S(e.turn[c][1]) * s.u[c];
    }
  }
  if (e.turns) {
    state.theta = state.theta + s.u[n_shifts];
    state.phi = state.phi + s.u[n_shifts + 1];
  }
  S sum;
  if (e.shifts_hits || e.turns) {
    sum = store_parameters(perigee_of(state).parameters, out);
  } else {
    sum = store_parameters(
        perigee_of(first.state, first.direction()).parameters, out);
  }
  return sum <= S(0);
}

/// Fits with shared weights for one group of tracks, all with the same kappa_0.
template <class S>
class SharedBatchFitter {
 public:
  SharedBatchFitter(const HitGroup& in, double kappa_0, S* workspace)
      : in_(in),
        kinks_(reinterpret_cast<S (*)[2]>(workspace)),
        plain_(set_kinks(in, S(kappa_0), kinks_, head_)) {}

  TrackBits fit(const GroupFit& asked) {
    using std::abs;
    using L = PackAccess<S>;
    const SharedEquations& e = *asked.shared;
    SharedSolution<S> s;
    solve_shared(e, kinks_, s);
    MaskOf<S> good =
        both(plain_, abs(s.chi2) < S(std::numeric_limits<double>::max()));
    L::store(s.kappa, asked.out[HitPlane::kappa]);
    L::store(s.chi2, asked.out[HitPlane::chi2]);
    if (asked.perigee)
      good = both(good, store_shared_perigee(in_, head_, e, s, asked.out));
    return L::bits(good);
  }

  static std::size_t workspace(std::size_t n_hits) {
    return (n_hits - 2) * 2 * sizeof(S);
  }

 private:
  const HitGroup& in_;
  S (*kinks_)[2];
  TrackHead<S> head_;
  MaskOf<S> plain_;
};

/// Tracks along helices: rows of their triplets, and their parameters.
template <class S>
struct HelixTracks {
  /// The part of the track that determines its parameters.
  using Head = TrackHead<S>;

  template <bool layers>
  static MaskOf<S> set_rows(const HitGroup& in, KinkRows<S>* rows,
                            PassiveRows<S>* passive, Head& head) {
    return detail::set_rows<layers>(in, rows, passive, head);
  }
  static bool has_field(const HitGroup&) { return true; }
  static MaskOf<S> store(const HitGroup& in, const Head& head, const S& kappa_0,
                         const SegmentErrors<S>& e, const CurvatureFit<S>& f,
                         const S& passive_scale, const GroupFit& asked) {
    const auto store_with = [&]<int begin, int end>() {
      return store_perigee<begin, end>(in, head, kappa_0, e, f, passive_scale,
                                       asked.out);
    };
    if (e.has_turns)
      return e.has_shifts
                 ? store_with.template operator()<0, n_errors>()
                 : store_with.template operator()<n_shifts, n_errors>();
    return e.has_shifts ? store_with.template operator()<0, n_shifts>()
                        : store_with.template operator()<n_shifts, n_shifts>();
  }
};

/// The system of kinks of a group of tracks, as required by Fitter.
/// @tparam Tracks  HelixTracks or what has its members
template <class S, class Tracks = HelixTracks<S>>
class BatchKinks {
 public:
  using Scalar = S;

  BatchKinks(const HitGroup& in, S* workspace)
      : field_(Tracks::has_field(in)),
        n_(in.n_hits - 2),
        rows_(reinterpret_cast<KinkRows<S>*>(workspace)),
        theta0_2_(workspace + n_ * sizeof(KinkRows<S>) / sizeof(S)),
        scattering2_(theta0_2_ + n_) {
    if (in.passive) {
      passive_rows_ = reinterpret_cast<PassiveRows<S>*>(scattering2_ + n_);
      passive_ = {passive_rows_, S(0), &head_.passive};
      plain_ = Tracks::template set_rows<true>(in, rows_, passive_rows_, head_);
    } else {
      plain_ =
          Tracks::template set_rows<false>(in, rows_, passive_rows_, head_);
    }
    std::size_t hit = 0;
    for (std::size_t i = 0; i < in.n_points; ++i) {
      if (!in.points[i].measures) continue;
      if (hit > 0 && hit <= n_)
        theta0_2_[hit - 1] = PackAccess<S>::load(in.theta0_2[i]);
      ++hit;
    }
  }

  static std::size_t workspace(std::size_t n_hits) {
    return (n_hits - 2) *
           (sizeof(KinkRows<S>) + 2 * sizeof(S) + sizeof(PassiveRows<S>));
  }

  std::size_t n_triplets() const { return n_; }
  const KinkRows<S>& row(std::size_t j) const { return rows_[j]; }
  bool has_passive() const { return passive_rows_ != nullptr; }
  void set_scale(const S& scale) {
    for (std::size_t j = 0; j < n_; ++j) scattering2_[j] = scale * theta0_2_[j];
    passive_.scale = scale;
  }
  /// Only without passive layers.
  void set_scale(std::size_t j, const S& scale) {
    scattering2_[j] = scale * theta0_2_[j];
  }

  void solve(bool hits, const S& kappa_0, bool errors) {
    errors_.has_shifts = errors_.has_turns = false;
    if (has_passive())
      return hits ? solve_with<HitAndTurnColumns>(kappa_0)
                  : solve_with<TurnColumns>(kappa_0);
    if (!hits)
      return solve_scattering(rows_, n_, scattering2_, kappa_0, solution_);
    errors ? solve_with<HitColumns>(kappa_0) : solve_with<NoColumns>(kappa_0);
  }
  const BandSolution<S>& solution() const { return solution_; }
  S chi2(const S&) const { return field_ ? solution_.chi2() : solution_.bb; }
  /// Of the first segment.
  const SegmentErrors<S>& errors() const { return errors_; }
  const S& passive_scale() const { return passive_.scale; }
  /// Of the middle hits.
  const S* theta0_2() const { return theta0_2_; }
  /// Null without passive layers.
  const PassiveRows<S>* passive_rows() const { return passive_rows_; }

  const typename Tracks::Head& head() const { return head_; }
  /// Tracks for which the rows are valid.
  const MaskOf<S>& plain() const { return plain_; }

 private:
  template <class Chosen>
  [[gnu::flatten]] void solve_with(const S& kappa_0) {
    RingOfSteps<S> steps;
    solve_band<Chosen>(rows_, n_, scattering2_, passive_, kappa_0, steps,
                       solution_);
    if constexpr (Chosen::begin < Chosen::end) {
      ColumnRing<S> ring;
      set_segment_errors<Chosen>(rows_, n_, passive_, 0, SegmentEnd::start,
                                 steps, ring, errors_);
    }
  }

  bool field_;  ///< false: the curvature is 0
  std::size_t n_;
  KinkRows<S>* rows_;
  S* theta0_2_;     ///< of the middle hits
  S* scattering2_;  ///< the same, weighted
  PassiveRows<S>* passive_rows_ = nullptr;
  PassiveKinks<S> passive_;
  typename Tracks::Head head_;
  MaskOf<S> plain_;
  BandSolution<S> solution_;
  SegmentErrors<S> errors_;
};

/// The fits of one group of tracks.
template <class S, class Tracks = HelixTracks<S>>
class BatchFitter {
 public:
  BatchFitter(const HitGroup& in, S* workspace)
      : in_(in),
        kinks_(in, workspace),
        kappa_ref_(PackAccess<S>::load(in.kappa_ref)),
        fitter_(kinks_, kappa_ref_, PackAccess<S>::load(in.estimate),
                Tracks::has_field(in)) {}

  static std::size_t workspace(std::size_t n_hits) {
    return BatchKinks<S, Tracks>::workspace(n_hits);
  }

  TrackBits fit(const GroupFit& asked) {
    using std::abs, std::sqrt;
    using L = PackAccess<S>;
    fitter_.fit(asked.kind, asked.weights, asked.perigee || asked.start_plane);
    const CurvatureFit<S>& f = fitter_.result();
    if (f.outcome.failed()) return 0;
    MaskOf<S> good = both(f.outcome.good, kinks_.plain());
    if (Tracks::has_field(in_)) good = both(good, abs(kappa_ref_) > S(0));
    L::store(f.kappa, asked.out[HitPlane::kappa]);
    L::store(sqrt(f.variance), asked.out[HitPlane::sigma]);
    L::store(f.chi2, asked.out[HitPlane::chi2]);
    L::store(f.kappa_weights, asked.out[HitPlane::kappa_weights]);
    if (asked.perigee || asked.start_plane)
      good = both(good, Tracks::store(
                            in_, kinks_.head(), kinks_.solution().kappa_0,
                            kinks_.errors(), f, kinks_.passive_scale(), asked));
    return L::bits(good);
  }
  const BatchKinks<S, Tracks>& kinks() const { return kinks_; }

 private:
  const HitGroup& in_;
  BatchKinks<S, Tracks> kinks_;
  S kappa_ref_;
  Fitter<BatchKinks<S, Tracks>> fitter_;
};

/// Fits of one kind share their rows: one fitter for all of them. Not a
/// std::optional, which g++ would fill with zeros first.
template <class S>
void fit_group(const HitGroup& in, GroupFit* fits, std::size_t n_fits) {
  S* const workspace = reinterpret_cast<S*>(in.workspace);
  const GroupFit* own = nullptr;  // one of them
  const GroupFit* shared = nullptr;
  for (std::size_t i = 0; i < n_fits; ++i)
    (fits[i].shared == nullptr ? own : shared) = &fits[i];
  if (own != nullptr) {
    BatchFitter<S> fitter(in, workspace);
    for (std::size_t i = 0; i < n_fits; ++i)
      if (fits[i].shared == nullptr) fits[i].done = fitter.fit(fits[i]);
  }
  if (shared != nullptr) {
    SharedBatchFitter<S> fitter(
        in, shared->shared->kappa_0,
        workspace + BatchFitter<S>::workspace(in.n_hits) / sizeof(S));
    for (std::size_t i = 0; i < n_fits; ++i)
      if (fits[i].shared != nullptr) fits[i].done = fitter.fit(fits[i]);
  }
}

template <class S>
std::size_t group_workspace(std::size_t, std::size_t n_hits) {
  return std::max(BatchFitter<S>::workspace(n_hits) +
                      SharedBatchFitter<S>::workspace(n_hits),
                  BatchScattering<S>::workspace(n_hits));
}

template <class S>
constexpr HitKernel make_hit_kernel() {
  return {PackAccess<S>::width, fit_group<S>, group_workspace<S>,
          find_batch_scattering<S>};
}

}  // namespace gttf::detail
