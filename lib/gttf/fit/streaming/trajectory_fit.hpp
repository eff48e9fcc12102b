// SPDX-License-Identifier: Apache-2.0
// TrajectoryFit: the streaming fit in any field, with energy loss.
#pragma once

#include <memory>

#include "gttf/fit/triplet/global_fit.hpp"

namespace gttf::detail {

/// The least-squares problem of StreamingFitter along a KinkedTrajectory, with
/// a third random change in every layer, that of the curvature by straggling:
///
///   chi2 = sum (residual/sigma)^2 + sum (kink/sigma_kink)^2
///          + sum (loss - mean)^2/sigma_loss^2
///
/// The fitted changes are the fitted energy losses.
/// Source: docs/theory/data-fits.md, any field
class TrajectoryFit {
 public:
  explicit TrajectoryFit(const FitOptions& options);
  ~TrajectoryFit();
  TrajectoryFit(const TrajectoryFit&) = delete;
  TrajectoryFit& operator=(const TrajectoryFit&) = delete;
  TrajectoryFit(TrajectoryFit&&) noexcept;
  TrajectoryFit& operator=(TrajectoryFit&&) noexcept;

  /// @param track   with a FlightModel
  /// @param kind    general, or hits: without scattering and straggling
  /// @param result  filled except for its status, if that is ok; cleared before
  FitStatus run(const TrackHits& track, FitKind kind, GlobalFit& result);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace gttf::detail
