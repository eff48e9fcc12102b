// SPDX-License-Identifier: Apache-2.0
// Vectorised toys of one point: simulated and fitted, several per
// instruction.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "gttf/fit/batch_fit.hpp"
#include "gttf/resolution/toys.hpp"

namespace gttf {

/// Output arrays for n toys: FitArrays of size n for each fit. A toy that
/// missed a layer has missed[i] = 1 and no result.
struct ToyArrays {
  std::span<char> missed;
  std::span<const FitArrays> fits;
  /// ToyTrack::truth: parameter q of toy i at q n + i; may be empty.
  std::span<double> truth = {};
};

/// A fit of a toy on the scalar path, with the results not stored in FitArrays.
using TakeToyFit = std::function<void(std::size_t toy, std::size_t fit,
                                      const GlobalFit&, const ToyTrack&)>;

/// Whether kernels support such toys: helices, or from an exact start tracks
/// through regions of uniform fields, whose energy loss does not fluctuate
/// where it is given, with fits that are all is_vectorised(). (Weights of the
/// true track, shared by all toys of a point, are also supported for helices
/// from an exact start.)
bool is_vectorised(const ToySimulator& simulator,
                   std::span<const FitChoice> fits);

/// Simulates and fits toys of one point: ToySimulator::simulate() and
/// TrackFitter::fit(), with the same numbers except for rounding. A toy does
/// not depend on the other toys or, within one SimdLevel, on the processor.
class ToyBatch {
 public:
  /// @param simulator  must outlive this, as must its geometry
  ToyBatch(const ToySimulator& simulator, std::span<const FitChoice> fits,
           CodePath path = CodePath::best);
  ~ToyBatch();
  ToyBatch(const ToyBatch&) = delete;
  ToyBatch& operator=(const ToyBatch&) = delete;
  ToyBatch(ToyBatch&&) noexcept;
  ToyBatch& operator=(ToyBatch&&) noexcept;

  bool is_vectorised() const;
  /// Toys first.index to first.index + n - 1, where n is the size of `missed`.
  /// @param take  unless is_vectorised(), called for each fit of each toy, in
  ///              this order; may be empty
  BatchStatistics run(const RandomPlace& first, const ToyArrays& results,
                      const TakeToyFit& take = {});
  /// A toy as simulated by run(), with the truth.
  const ToyTrack& prototype() const;

 private:
  struct Work;
  class Worker;
  std::unique_ptr<Work> work_;
};

}  // namespace gttf
