// SPDX-License-Identifier: Apache-2.0
// Many toys of one point at once: simulated and fitted, several in every
// instruction.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "gttf/fit/batch_fit.hpp"
#include "gttf/resolution/toys.hpp"

namespace gttf {

/// Where the results of n toys go: FitArrays of size n for each fit. A toy that
/// left the layers has missed[i] = 1 and no result.
struct ToyArrays {
  std::span<char> missed;
  std::span<const FitArrays> fits;
};

/// A fit of a toy on the scalar path, with all that FitArrays do not hold.
using TakeToyFit = std::function<void(std::size_t toy, std::size_t fit,
                                      const GlobalFit&, const ToyTrack&)>;

/// Whether kernels simulate and fit such toys: helices from an exact start,
/// with fits that are all is_vectorised(). (Weights of the true track are
/// shared by all toys of a point, which kernels support, too.)
bool is_vectorised(const ToySimulator& simulator,
                   std::span<const FitChoice> fits);

/// Simulates and fits toys of one point: ToySimulator::simulate() and
/// TrackFitter::fit(), the same numbers but for rounding. A toy does not depend
/// on those beside it nor, within one SimdLevel, on the processor.
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
  /// Toys first.index to first.index + n - 1, n the size of `missed`.
  /// @param take  unless is_vectorised(), called for each fit of each toy, in
  ///              this order; may be empty
  BatchStatistics run(const RandomPlace& first, const ToyArrays& results,
                      const TakeToyFit& take = {});
  /// A toy that run() simulates, with the truth.
  const ToyTrack& prototype() const;

 private:
  struct Work;
  class Worker;
  std::unique_ptr<Work> work_;
};

}  // namespace gttf
