// SPDX-License-Identifier: Apache-2.0
// The largest amount of memory that a call has at a time.
#pragma once

#include <cstddef>

namespace gttf::bench {

/// Counts what operator new gives and delete takes back, in all threads, while
/// it lives. One at a time.
class PeakMemory {
 public:
  PeakMemory();
  ~PeakMemory();
  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;

  /// Most bytes at a time, more than at the start.
  std::size_t bytes() const;
};

}  // namespace gttf::bench
