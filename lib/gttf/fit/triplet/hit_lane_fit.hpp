// SPDX-License-Identifier: Apache-2.0
// The fits of hits for any scalar: one program per instruction set.
#pragma once

#include <algorithm>

#include "gttf/fit/triplet/hit_lane_scattering.hpp"
#include "gttf/fit/triplet/hit_lane_shared.hpp"

namespace gttf::detail {

/// The fits of one group of tracks.
template <class S>
class HitLaneFitter {
 public:
  HitLaneFitter(const HitLanes& in, S* workspace)
      : in_(in),
        n_(in.n_hits - 2),
        rows_(reinterpret_cast<KinkRows<S>*>(workspace)),
        theta0_2_(workspace + n_ * sizeof(KinkRows<S>) / sizeof(S)),
        scattering2_(theta0_2_ + n_),
        kappa_ref_(Lane<S>::load(in.kappa_ref)) {
    if (in.passive) {
      passive_rows_ = reinterpret_cast<PassiveRows<S>*>(scattering2_ + n_);
      passive_ = {passive_rows_, S(0), &head_.passive};
      plain_ = set_rows<true>(in, rows_, passive_rows_, head_);
    } else {
      plain_ = set_rows<false>(in, rows_, passive_rows_, head_);
    }
    std::size_t hit = 0;
    for (std::size_t i = 0; i < in.n_points; ++i) {
      if (!in.points[i].measures) continue;
      if (hit > 0 && hit <= n_)
        theta0_2_[hit - 1] = Lane<S>::load(in.theta0_2[i]);
      ++hit;
    }
  }

  LaneBits fit(const HitLaneFit& asked) {
    switch (asked.kind) {
      case FitKind::general:
      case FitKind::scattering:
        return fit_weighted(asked);
      case FitKind::hits: {
        const S estimate = Lane<S>::load(in_.estimate);
        set_scale(S(0));
        return finish(asked, solve_hits(asked.kind, estimate, asked.perigee),
                      estimate, S(0));
      }
      case FitKind::regularised:
      case FitKind::common_curvature:
        break;
    }
    return fit_scaled(asked);
  }

  static std::size_t workspace(std::size_t n_hits) {
    return (n_hits - 2) *
           (sizeof(KinkRows<S>) + 2 * sizeof(S) + sizeof(PassiveRows<S>));
  }

 private:
  /// Factor of theta0_2 at a curvature.
  S scale_at(const S& kappa) const {
    const S ratio = kappa / kappa_ref_;
    return ratio * ratio;
  }
  void set_scale(const S& scale) {
    for (std::size_t j = 0; j < n_; ++j) scattering2_[j] = scale * theta0_2_[j];
    passive_.scale = scale;
  }

  /// @param columns  for the perigee
  LaneSolution<S> solve_hits(FitKind kind, const S& kappa_0, bool columns) {
    if (kind == FitKind::scattering) return solve_exact_hits(kappa_0);
    if (in_.passive) return solve<HitAndTurnColumns>(kappa_0);
    return columns ? solve<HitColumns>(kappa_0) : solve<NoColumns>(kappa_0);
  }
  LaneSolution<S> solve_exact_hits(const S& kappa_0) {
    if (in_.passive) return solve<TurnColumns>(kappa_0);
    return solve_scattering(rows_, n_, scattering2_, kappa_0);
  }
  template <class Chosen>
  LaneSolution<S> solve(const S& kappa_0) {
    return solve_rows<Chosen>(rows_, n_, scattering2_, passive_, kappa_0);
  }

  LaneBits fit_weighted(const HitLaneFit& asked) {
    using std::abs;
    const S estimate = Lane<S>::load(in_.estimate), one(1);
    if (asked.weights == WeightSource::local) {
      S first(0);
      for (std::size_t j = 0; j < n_; ++j) {
        constexpr double straight = 1e-9;  // mm
        const auto bent = abs(rows_[j].rho[1]) > S(straight);
        const S own = -rows_[j].psi[1] / select(bent, rows_[j].rho[1], one);
        const S scale = select(bent, scale_at(own), one);
        scattering2_[j] = scale * theta0_2_[j];
        if (j == 0) first = scale;
      }
      return finish(asked, solve_hits(asked.kind, estimate, asked.perigee),
                    S(std::numeric_limits<double>::quiet_NaN()), first);
    }
    S kappa = estimate;
    if (asked.weights == WeightSource::update) {
      set_scale(scale_at(one));
      const LaneSolution<S> common = solve_exact_hits(kappa);
      const S found = common.kappa();
      const auto usable =
          both(common.regular,
               both(abs(found) > S(0),
                    abs(found) < S(std::numeric_limits<double>::max())));
      kappa = select(usable, found, kappa);
      set_scale(scale_at(kappa));
      kappa = solve_hits(asked.kind, kappa, false).kappa();
    }
    const S scale = scale_at(kappa);
    set_scale(scale);
    return finish(asked, solve_hits(asked.kind, kappa, asked.perigee), kappa,
                  scale);
  }

  /// Scattering fits with theta0 = b |kappa|: solved with theta0 = b.
  LaneBits fit_scaled(const HitLaneFit& asked) {
    using std::abs;
    const S one(1);
    set_scale(scale_at(one));
    LaneSolution<S> s = solve_exact_hits(Lane<S>::load(in_.estimate));
    FittedCurvature<S> fitted{s.kappa(), one};
    S chi2 = s.chi2();
    fitted.variance = fitted.kappa * fitted.kappa / s.aa;
    LaneMask<S> good = s.regular;
    // bb at kappa_0 = 0: of psi alone
    const S ab = s.ab - s.kappa_0 * s.aa;
    const S bb = s.bb - s.kappa_0 * (s.ab + ab);
    if (asked.kind == FitKind::regularised) {
      // 1/kappa = -ab/bb with error bb^-1/2
      good = both(good, ab * ab > bb);
      chi2 = s.aa * chi2 / bb;
      fitted.kappa = -(bb / ab);
      const S root = bb / (ab * ab);
      fitted.variance = bb * root * root;
    } else {
      chi2 = chi2 / (fitted.kappa * fitted.kappa);
    }
    good = both(good, abs(fitted.kappa) > S(0));
    if (asked.perigee && in_.passive) {  // kinks with the weights found
      set_scale(scale_at(fitted.kappa));
      s = solve_exact_hits(fitted.kappa);
    }
    return store(asked, s, fitted, chi2, good, fitted.kappa,
                 scale_at(fitted.kappa));
  }

  LaneBits finish(const HitLaneFit& asked, const LaneSolution<S>& s,
                  const S& kappa_weights, const S& inner_scale) {
    const auto good = both(s.regular, s.aa > S(0));
    return store(asked, s, {s.kappa(), s.variance()}, s.chi2(), good,
                 kappa_weights, inner_scale);
  }

  LaneBits store(const HitLaneFit& asked, const LaneSolution<S>& s,
                 const FittedCurvature<S>& fitted, const S& chi2,
                 LaneMask<S> good, const S& kappa_weights,
                 const S& inner_scale) {
    using std::abs, std::sqrt;
    using L = Lane<S>;
    good = both(both(good, plain_),
                both(abs(chi2) < S(std::numeric_limits<double>::max()),
                     abs(kappa_ref_) > S(0)));
    L::store(fitted.kappa, asked.out[HitPlane::kappa]);
    L::store(sqrt(fitted.variance), asked.out[HitPlane::sigma]);
    L::store(chi2, asked.out[HitPlane::chi2]);
    L::store(kappa_weights, asked.out[HitPlane::kappa_weights]);
    if (asked.perigee) {
      const auto store_with = [&]<int begin, int end>() {
        return store_perigee<begin, end>(in_, head_, s, fitted, inner_scale,
                                         passive_.scale, asked.out);
      };
      constexpr int all = LaneSolution<S>::n_all;
      LaneMask<S> finite;
      if (s.has_turns)
        finite = s.has_columns
                     ? store_with.template operator()<0, all>()
                     : store_with.template operator()<n_columns, all>();
      else
        finite = s.has_columns
                     ? store_with.template operator()<0, n_columns>()
                     : store_with.template operator()<n_columns, n_columns>();
      good = both(good, finite);
    }
    return L::bits(good);
  }

  const HitLanes& in_;
  std::size_t n_;  ///< triplets
  KinkRows<S>* rows_;
  S* theta0_2_;     ///< of the middle hits
  S* scattering2_;  ///< the same with weights
  PassiveRows<S>* passive_rows_ = nullptr;
  PassiveKinks<S> passive_;
  S kappa_ref_;
  TrackHead<S> head_;
  LaneMask<S> plain_;
};

/// Fits of one kind have their rows in common: one fitter for all of them. It
/// stands in no std::optional, which g++ fills with zeros first.
template <class S>
void fit_hit_lanes(const HitLanes& in, HitLaneFit* fits, std::size_t n_fits) {
  S* const workspace = reinterpret_cast<S*>(in.workspace);
  const HitLaneFit* own = nullptr;  // one of them
  const HitLaneFit* shared = nullptr;
  for (std::size_t i = 0; i < n_fits; ++i)
    (fits[i].shared == nullptr ? own : shared) = &fits[i];
  if (own != nullptr) {
    HitLaneFitter<S> fitter(in, workspace);
    for (std::size_t i = 0; i < n_fits; ++i)
      if (fits[i].shared == nullptr) fits[i].done = fitter.fit(fits[i]);
  }
  if (shared != nullptr) {
    SharedLaneFitter<S> fitter(
        in, shared->shared->kappa_0,
        workspace + HitLaneFitter<S>::workspace(in.n_hits) / sizeof(S));
    for (std::size_t i = 0; i < n_fits; ++i)
      if (fits[i].shared != nullptr) fits[i].done = fitter.fit(fits[i]);
  }
}

template <class S>
std::size_t hit_lane_workspace(std::size_t, std::size_t n_hits) {
  return std::max(HitLaneFitter<S>::workspace(n_hits) +
                      SharedLaneFitter<S>::workspace(n_hits),
                  HitLaneScattering<S>::workspace(n_hits));
}

template <class S>
constexpr HitKernel make_hit_kernel() {
  return {Lane<S>::width, fit_hit_lanes<S>, hit_lane_workspace<S>,
          find_lane_scattering<S>};
}

}  // namespace gttf::detail
