// SPDX-License-Identifier: Apache-2.0
// SharedFit: a reference track, linearised and solved for others.
#pragma once

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/fit/triplet/kink_system.hpp"
#include "gttf/fit/triplet/shared_equations.hpp"

namespace gttf::detail {

/// Can all tracks share the equations of one in a fit of this kind?
bool can_be_shared(FitKind kind);

class SharedFit {
 public:
  /// @param reference  the kind of fit must be one that can be shared
  SharedFit(const TrackHits& reference, FitKind kind);
  ~SharedFit() = default;
  SharedFit(const SharedFit&) = delete;  // equations() point into it
  SharedFit& operator=(const SharedFit&) = delete;

  /// Of the reference; without it there is nothing to share.
  FitStatus status() const { return fit_.status; }
  FitKind kind() const { return kind_; }
  /// Errors of the reference, which are those of all tracks.
  const GlobalFit& fit() const { return fit_; }
  const SharedEquations& equations() const { return equations_; }

  /// Gives a system that is linearised at its own track the equations of the
  /// reference; the kinks at kappa_0 stay its own.
  /// @return  false if the tracks have not the same points
  bool put_into(KinkSystem& system) const;

 private:
  FitStatus solve(const TrackHits& reference);

  FitKind kind_;
  GlobalFit fit_;
  KinkSystem system_;
  WeightedKinks solution_;
  SharedEquations equations_;
};

}  // namespace gttf::detail
