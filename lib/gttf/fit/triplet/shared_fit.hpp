// SPDX-License-Identifier: Apache-2.0
// SharedFit: a reference track, linearised and solved for use by others.
#pragma once

#include "gttf/fit/triplet/fit_states.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/kink_system.hpp"
#include "gttf/fit/triplet/shared_equations.hpp"

namespace gttf::detail {

/// Whether all tracks can share the equations of one in a fit of this kind.
bool can_be_shared(FitKind kind);

class SharedFit {
 public:
  /// @param reference  the kind of fit must support sharing
  SharedFit(const TrackHits& reference, FitKind kind);
  ~SharedFit() = default;
  SharedFit(const SharedFit&) = delete;  // equations() point into it
  SharedFit& operator=(const SharedFit&) = delete;

  /// Status of the reference; unless ok, nothing can be shared.
  FitStatus status() const { return fit_.status; }
  FitKind kind() const { return kind_; }
  /// Errors of the reference, used for all tracks.
  const GlobalFit& fit() const { return fit_; }
  const SharedEquations& equations() const { return equations_; }
  /// At kappa_0.
  DirectionSlopes direction_slopes(std::size_t segment, SegmentEnd end) const;

  /// Replaces the equations of a system linearised at its own track by the
  /// equations of the reference; keeps its kinks at kappa_0.
  /// @return false if the tracks do not have the same points
  bool put_into(KinkSystem& system) const;

 private:
  FitStatus solve();

  FitKind kind_;
  TrackHits reference_;
  GlobalFit fit_;
  KinkSystem system_;
  WeightedKinks solution_;
  SharedEquations equations_;
};

}  // namespace gttf::detail
