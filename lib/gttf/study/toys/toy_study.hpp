// SPDX-License-Identifier: Apache-2.0
// Runs toys: simulates and fits what a state still lacks.
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
  /// Called at moments when the state is whole (about ten times a second), so
  /// that it can be stored; may be empty.
  std::function<void(const ToyState&)> checkpoint;
  /// Receives every toy, a row per fit, in order; may be null.
  TableSink* toys = nullptr;
  /// Is told which way the toys took; may be null.
  BatchStatistics* statistics = nullptr;
};

/// Toy i of point k is a function of (seed, k, i) alone, and sums are exact:
/// the state in the end does not depend on threads, on interruptions or on how
/// the toys were cut into shards. Within one SimdLevel it is the same bit by
/// bit.
/// @param state  of plan_toys() for the same request and detectors, or stored
///               on the way
void run_toys(const StudyRequest& request, std::span<const Detector> detectors,
              const ToyRunOptions& options, ToyState& state);

}  // namespace gttf
