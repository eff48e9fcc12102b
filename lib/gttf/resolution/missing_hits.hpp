// SPDX-License-Identifier: Apache-2.0
// Resolutions with missing hits: a lost layer, or hits lost to inefficiency.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gttf/detector/detector.hpp"
#include "gttf/resolution/parameter.hpp"
#include "gttf/resolution/resolution.hpp"

namespace gttf {

/// Treatment of the material of a layer whose measurement is dropped.
enum class DroppedMaterial { kept, removed };

/// The resolution without the measurements of `layers` (indices in
/// Detector::layers); the limits of exact hits and of no scattering are left
/// out.
Resolution resolve_without(const Detector& detector, const Track& track,
                           const Model& model,
                           std::span<const std::size_t> layers,
                           DroppedMaterial material);

/// A track without some of its layers.
struct RemainingErrors {
  int n_hits = 0;
  PerParameter sigma;  ///< native units; as sigmas()
};

/// The errors of a track without any of its layers, for which it is fitted once
/// from both ends.
class LayerLosses {
 public:
  LayerLosses(const TrackingGeometry& geometry, const Track& track,
              const Model& model);
  LayerLosses(LayerLosses&&) noexcept;
  LayerLosses& operator=(LayerLosses&&) noexcept;
  ~LayerLosses();

  /// The errors of resolve_without(), of which the status is that of the track
  /// with all layers. Nothing if that takes a fit of its own: if the track
  /// crosses other layers between these, or takes another path or has other
  /// scattering angles without them; if the other hits hardly determine it; for
  /// errors at a layer; and for the triplet engine.
  std::optional<RemainingErrors> without(std::span<const std::size_t> layers,
                                         DroppedMaterial material) const;

 private:
  class Fits;
  std::unique_ptr<const Fits> fits_;
};

/// Maximum number of patterns of hits that are summed individually.
inline constexpr std::size_t most_hit_patterns = 5000;

/// Calls f(lost, probability) for each way to lose at most `most` of some hits:
/// `lost` are indices in `efficiencies`, the probability of this pattern for
/// independent losses.
template <class F>
void for_each_hit_pattern(std::span<const double> efficiencies,
                          std::size_t most, const F& f) {
  std::vector<std::size_t> lost;
  // the patterns that agree with `lost` before `next`
  const auto add = [&](const auto& self, std::size_t next,
                       double probability) -> void {
    if (next == efficiencies.size()) {
      f(std::as_const(lost), probability);
      return;
    }
    self(self, next + 1, probability * efficiencies[next]);
    if (lost.size() == most) return;
    lost.push_back(next);
    self(self, next + 1, probability * (1 - efficiencies[next]));
    lost.pop_back();
  };
  add(add, 0, 1);
}

/// Average over the hit patterns that the efficiencies of the layers produce.
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
/// they are at most `most_patterns`, else those with 0, 1, 2, ... missing hits
/// as far as `most_patterns` reach, which leave out 1 - `covered`. Where that
/// would be more than 1 %, `most_patterns` patterns are drawn instead, always
/// the same ones, with statistical errors of 1/sqrt(most_patterns) of the rms
/// between them.
EfficiencyAverage average_over_efficiencies(
    const Detector& detector, const Track& track, const Model& model,
    std::size_t most_patterns = most_hit_patterns);

}  // namespace gttf
