// SPDX-License-Identifier: Apache-2.0
// Many toys of one point at once: simulated and fitted, several in every
// instruction.
#pragma once

#include <memory>
#include <span>

#include "gttf/fit/batch_fit.hpp"
#include "gttf/resolution/any_toys.hpp"

namespace gttf {

/// A fit of toys; its scattering angles are at first those of the true track,
/// and with WeightSource::shared that is the reference.
struct FitChoice {
  FitKind kind = FitKind::general;
  WeightSource weights = WeightSource::estimate;
};

/// Which way toys took.
struct BatchToyStatistics {
  std::size_t toys = 0;
  std::size_t in_lanes = 0;  ///< simulated in lanes, of these
  std::size_t missed = 0;    ///< left the layers of the reference track
  std::size_t doubtful = 0;  ///< fitted one by one: a fit was in doubt
  /// Simulated and fitted one by one: the field, the model, the layers or a
  /// beam spot are not for lanes.
  std::size_t not_for_lanes = 0;

  BatchToyStatistics& operator+=(const BatchToyStatistics& other);
};

/// Where the results of n toys go: FitArrays of size n for each fit. A toy that
/// left the layers has missed[i] = 1 and no result.
struct ToyArrays {
  std::span<char> missed;
  std::span<const FitArrays> fits;
};

/// Simulates and fits toys of one point: ToySimulator::simulate() and
/// TrackFitter::fit(), the same numbers but for rounding. A toy does not depend
/// on those beside it nor, within one SimdLevel, on the processor.
class ToyBatch {
 public:
  /// @param simulator  must outlive this, as must its geometry
  ToyBatch(const AnyToySimulator& simulator, std::span<const FitChoice> fits);
  ~ToyBatch();
  ToyBatch(const ToyBatch&) = delete;
  ToyBatch& operator=(const ToyBatch&) = delete;
  ToyBatch(ToyBatch&&) noexcept;
  ToyBatch& operator=(ToyBatch&&) noexcept;

  bool in_lanes() const;
  /// Toys first.index to first.index + n - 1, n the size of `missed`.
  BatchToyStatistics run(const RandomPlace& first, const ToyArrays& results);
  /// A toy that run() simulates, one by one: with the truth.
  const ToyTrack& prototype() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// Are toys of this kind simulated and fitted in lanes?
bool toys_in_lanes(const AnyToySimulator& simulator,
                   std::span<const FitChoice> fits);

}  // namespace gttf
