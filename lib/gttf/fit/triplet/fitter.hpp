// SPDX-License-Identifier: Apache-2.0
// Kinds of fit and sources of weights, for any scalar and any system of kinks.
#pragma once

#include <limits>

#include "gttf/fit/track/batch_outcome.hpp"
#include "gttf/fit/triplet/band_system.hpp"
#include "gttf/fit/triplet/fit_kinds.hpp"

namespace gttf::detail {

/// The result of a fit except the track parameters.
template <class S>
struct CurvatureFit {
  S kappa, variance, chi2;
  S kappa_weights;  ///< of the weights; NaN: individual for every triplet
  S inner_scale;    ///< factor of theta0^2 before the second hit
  BatchOutcome<S> outcome;
};

/// Fits a system of kinks with weights; the system is a class with
///
///   Scalar                        a number, or one for each of several tracks
///   std::size_t n_triplets() const
///   const KinkRows<Scalar>& row(std::size_t triplet) const
///   void set_scale(scale)         factor of all theta0^2
///   void set_scale(triplet, scale)  of one of them
///   bool has_passive() const      layers between hits scatter
///   void solve(bool hits, kappa_0, bool errors)
///       hits: they have errors; errors: of the first segment
///   const BandSolution<Scalar>& solution() const
///   Scalar chi2(change) const     of that solution, at kappa_0 + change
///
/// theta0^2 refers to kappa_ref and scales as (kappa/kappa_ref)^2.
/// Source: docs/theory/data-fits.md
template <class System>
class Fitter {
 public:
  using S = typename System::Scalar;

  /// @param kappa_ref  0: theta0 is independent of the curvature
  /// @param estimate   of the curvature
  /// @param field      false: straight tracks, the curvature is 0
  Fitter(System& system, const S& kappa_ref, const S& estimate,
         bool field = true)
      : system_(system),
        known_(either(kappa_ref > S(0), kappa_ref < S(0))),
        kappa_ref_(select(known_, kappa_ref, S(1))),
        estimate_(estimate),
        field_(field) {}

  /// @param errors  the errors of the first segment are also needed
  void fit(FitKind kind, WeightSource weights, bool errors) {
    result_.outcome = {};
    if (kind == FitKind::regularised || kind == FitKind::common_curvature)
      return fit_scaled(kind, errors);
    if (kind == FitKind::hits || !field_ || !any(known_))
      return fit_at(kind, estimate_, errors);
    if (weights == WeightSource::local) {
      set_local_weights();
      return fit_again(kind, estimate_, errors);
    }
    S kappa = estimate_;
    if (weights == WeightSource::update) {
      // the common curvature needs no estimate
      system_.set_scale(scale_at(S(1)));
      solve(false, kappa, false);
      const S found = system_.solution().kappa();
      kappa = select(both(system_.solution().regular, is_curvature(found)),
                     found, kappa);
      system_.set_scale(scale_at(kappa));
      solve(uses_hits(kind), kappa, false);
      require_solution();
      if (result_.outcome.failed()) return;
      kappa = system_.solution().kappa();
    }
    fit_at(kind, kappa, errors);
  }

  /// With weights for a curvature, which is also the estimate.
  void fit_at(FitKind kind, const S& kappa, bool errors) {
    const S scale = kind == FitKind::hits ? S(0) : scale_at(kappa);
    system_.set_scale(scale);
    result_.kappa_weights = kappa;
    result_.inner_scale = scale;
    fit_again(kind, kappa, errors);
  }

  /// With the current weights.
  void fit_again(FitKind kind, const S& kappa_0, bool errors) {
    solve(uses_hits(kind), field_ ? kappa_0 : S(0), errors);
    require_solution();
    const BandSolution<S>& s = system_.solution();
    result_.kappa = field_ ? s.kappa() : S(0);
    result_.variance = field_ ? s.variance() : S(0);
    result_.chi2 = system_.chi2(S(result_.kappa - s.kappa_0));
    result_.outcome.require(is_finite(result_.chi2), FitStatus::singular);
  }

  const CurvatureFit<S>& result() const { return result_; }
  /// Number of linear fits.
  int n_steps() const { return n_steps_; }

 private:
  /// Factor of theta0_2 at a curvature.
  S scale_at(const S& kappa) const {
    const S ratio = select(known_, kappa / kappa_ref_, S(1));
    return ratio * ratio;
  }
  static MaskOf<S> is_curvature(const S& kappa) {
    using std::abs;
    return both(abs(kappa) > S(0), is_finite(kappa));
  }

  void solve(bool hits, const S& kappa_0, bool errors) {
    system_.solve(hits, kappa_0, errors);
    ++n_steps_;
  }

  void require_solution() {
    const BandSolution<S>& s = system_.solution();
    result_.outcome.require(s.regular, FitStatus::singular);
    if (field_) result_.outcome.require(s.aa > S(0), FitStatus::not_determined);
  }

  /// Individual curvature of every triplet.
  void set_local_weights() {
    using std::abs;
    const S one(1);
    for (std::size_t j = 0; j < system_.n_triplets(); ++j) {
      const KinkRows<S>& row = system_.row(j);
      // a straight piece of the track does not determine the curvature
      constexpr double straight = 1e-9;  // mm
      const auto bent = abs(row.rho[1]) > S(straight);
      const S own = -row.psi[1] / select(bent, row.rho[1], one);
      const S scale = select(bent, scale_at(own), one);
      system_.set_scale(j, scale);
      if (j == 0) result_.inner_scale = scale;
    }
    result_.kappa_weights = S(std::numeric_limits<double>::quiet_NaN());
  }

  /// Scattering fits with theta0 = b |kappa|: solved with theta0 = b.
  void fit_scaled(FitKind kind, bool errors) {
    CurvatureFit<S>& r = result_;
    if (field_)
      r.outcome.require(known_, FitStatus::no_reference);
    else
      r.outcome.status = FitStatus::no_reference;
    if (r.outcome.failed()) return;
    system_.set_scale(scale_at(S(1)));
    solve(false, estimate_, false);
    const BandSolution<S>& s = system_.solution();
    r.outcome.require(s.regular, FitStatus::singular);
    r.kappa = s.kappa();
    r.chi2 = system_.chi2(S(r.kappa - s.kappa_0));
    if (kind == FitKind::regularised) {
      // of psi at kappa = 0
      const S ab = s.ab - s.kappa_0 * s.aa;
      const S bb = s.bb - s.kappa_0 * (s.ab + ab);
      // 1/kappa = -ab/bb with error bb^-1/2
      r.outcome.require(ab * ab > bb, FitStatus::no_curvature);
      r.chi2 = s.aa * r.chi2 / bb;
      r.kappa = -(bb / ab);
      const S root = bb / (ab * ab);
      r.variance = bb * root * root;
    } else {
      r.variance = r.kappa * r.kappa / s.aa;
      r.chi2 = r.chi2 / (r.kappa * r.kappa);
    }
    r.outcome.require(both(is_curvature(r.kappa), is_finite(r.chi2)),
                      FitStatus::no_curvature);
    r.kappa_weights = r.kappa;
    r.inner_scale = scale_at(r.kappa);
    if (errors && system_.has_passive()) {  // kinks with the resulting weights
      system_.set_scale(r.inner_scale);
      system_.solve(false, r.kappa, errors);
    }
  }

  System& system_;
  MaskOf<S> known_;
  S kappa_ref_, estimate_;
  bool field_;
  int n_steps_ = 0;
  CurvatureFit<S> result_;
};

}  // namespace gttf::detail
