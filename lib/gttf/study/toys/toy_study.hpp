// SPDX-License-Identifier: Apache-2.0
// Runs toys: simulates and fits the toys missing in a state.
#pragma once

#include <functional>
#include <span>

#include "gttf/core/table.hpp"
#include "gttf/detector/detector.hpp"
#include "gttf/resolution/batch_toys.hpp"
#include "gttf/study/toys/toy_state.hpp"

namespace gttf {

struct ToyRunOptions {
  unsigned threads = 0;  ///< 0: all cores; the result does not depend on it
  /// Called with the number of finished toys; may be empty.
  std::function<void(std::size_t done, std::size_t total)> progress;
  /// Called when the state is consistent (about ten times a second), so that it
  /// can be stored; may be empty.
  std::function<void(const ToyState&)> checkpoint;
  /// Receives every toy, a row per fit, in order; may be null.
  TableSink* toys = nullptr;
  /// Receives the code paths of the toys; may be null.
  BatchStatistics* statistics = nullptr;
};

/// Toy i of point k is a function of (seed, k, i) only, and sums
/// are exact: the final state does not depend on threads,
/// interruptions or shards. Within one SimdLevel it is identical
/// bit by bit.
/// @param state of plan_toys() for the same request and detectors, or a stored
///              intermediate state
void run_toys(const StudyRequest& request, std::span<const Detector> detectors,
              const ToyRunOptions& options, ToyState& state);

}  // namespace gttf
