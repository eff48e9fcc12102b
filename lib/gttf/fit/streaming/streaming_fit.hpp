// SPDX-License-Identifier: Apache-2.0
// The general fit of data as a filter over the crossings: any mixture of
// surfaces, passive layers and unmeasured coordinates, at linear cost.
#pragma once

#include <memory>

#include "gttf/fit/triplet/fit_kinds.hpp"

namespace gttf {

/// Whether there is a streaming fit of this kind. If a coordinate is not
/// measured, no other fit is available.
constexpr bool can_be_streamed(FitKind kind) { return detail::uses_hits(kind); }

/// The same least-squares problem as the general fit of TrackFitter: a helix
/// with two random kinks in every layer,
///
///   chi2 = sum (residual/sigma)^2 + sum (kink/sigma_kink)^2,
///
/// by five weighted equations and their right-hand sides along a reference
/// helix with kinks. Each step moves the reference to the fitted track; the
/// first reference comes from a fit without scattering, so one more step is
/// performed than requested by FitOptions::relinearisations. At convergence it
/// is the minimum of the exact chi2, as for the triplet fit.
///
/// FitOptions::weights: update uses the curvature of the previous step and,
/// with TrackHits::flight, the momentum in each layer, or a lower one if the
/// angles are larger than those; local uses the curvature of the first
/// reference. Source: docs/theory/data-fits.md, docs/theory/streaming.md
class StreamingFitter {
 public:
  explicit StreamingFitter(const FitOptions& options = {});
  ~StreamingFitter();
  StreamingFitter(const StreamingFitter&) = delete;
  StreamingFitter& operator=(const StreamingFitter&) = delete;
  StreamingFitter(StreamingFitter&&) noexcept;
  StreamingFitter& operator=(StreamingFitter&&) noexcept;

  /// Errors: none; see GlobalFit::status. Valid until the next call.
  /// @param kind  general, or hits: without scattering
  const GlobalFit& fit(const TrackHits& hits, FitKind kind = FitKind::general);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace gttf
