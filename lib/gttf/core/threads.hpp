// SPDX-License-Identifier: Apache-2.0
// Threads, as many of those asked for as the system gives.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace gttf {

/// Threads that the system has refused since the program began: the work was
/// done by fewer, with the same results. For a warning.
inline std::atomic<std::size_t>& refused_threads() {
  static std::atomic<std::size_t> refused = 0;
  return refused;
}

/// Starts work(0) ... work(n - 1), each a copy, in `n` threads, or the first of
/// them in as many as the system gives (none, perhaps); refused_threads()
/// counts the others. Throws before the first one has started, or not at all.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t n, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(n);
  try {
    while (threads.size() < n)
      threads.emplace_back(work, static_cast<unsigned>(threads.size()));
  } catch (const std::system_error&) {  // of processes or of their number
    refused_threads() += n - threads.size();
  } catch (const std::bad_alloc&) {
    refused_threads() += n - threads.size();
  }
  return threads;
}

}  // namespace gttf
