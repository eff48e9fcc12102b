// SPDX-License-Identifier: Apache-2.0
// Resolutions with missing hits: a lost layer, or hits lost to inefficiency.
#pragma once

#include <cstddef>
#include <span>

#include "gttf/detector/detector.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf {

/// Treatment of the material of a layer whose measurement is dropped.
enum class DroppedMaterial { kept, removed };

/// The resolution without the measurements of `layers` (indices in
/// Detector::layers).
Resolution resolve_without(const Detector& detector, const Track& track,
                           const Model& model,
                           std::span<const std::size_t> layers,
                           DroppedMaterial material);

/// Average over the hit patterns according to the efficiencies of the layers.
struct EfficiencyAverage {
  int n_inefficient = 0;  ///< measuring layers crossed with efficiency below 1
  int most_missing = 0;   ///< patterns with up to that many missing hits
  double covered = 1;     ///< probability of these patterns
  std::size_t n_drawn = 0;  ///< patterns drawn at random instead; 0: none
  /// Probability that a track of these patterns has a resolution.
  double measured = 0;
  /// Over the tracks with a resolution; native units.
  PerParameter mean;  ///< of sigma
  PerParameter rms;   ///< sqrt(<sigma^2>): the width of all residuals combined
};

/// Hits are missing independently; the material stays. All 2^n patterns if
/// they are at most `most_patterns`, else the patterns with 0, 1, 2, ...
/// missing hits up to `most_patterns`, which omit the probability 1 -
/// `covered`. If that exceeds 1 %, `most_patterns` patterns are drawn instead,
/// always the same ones, with statistical errors of 1/sqrt(most_patterns) of
/// their rms.
EfficiencyAverage average_over_efficiencies(const Detector& detector,
                                            const Track& track,
                                            const Model& model,
                                            std::size_t most_patterns = 5000);

}  // namespace gttf
