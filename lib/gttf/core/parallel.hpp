// SPDX-License-Identifier: Apache-2.0
// Work shared out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "gttf/core/ordered_stream.hpp"
#include "gttf/core/threads.hpp"

namespace gttf {

/// Threads to use if `wanted` are asked for; 0: one per core.
inline unsigned thread_count(unsigned wanted) {
  return wanted > 0 ? wanted
                    : std::max(1u, std::thread::hardware_concurrency());
}

/// Calls worker(next) on up to `threads` threads, fewer if the system has no
/// more; next() hands out 0 ... n-1,
/// each once, and then nothing. The first exception of a worker is thrown here,
/// after all have ended.
template <class Worker>
void parallel_workers(std::size_t n, unsigned threads, const Worker& worker) {
  std::atomic<std::size_t> counter = 0;
  const auto next = [&]() -> std::optional<std::size_t> {
    const std::size_t i = counter++;
    return i < n ? std::optional(i) : std::nullopt;
  };
  if (threads <= 1 || n <= 1) {
    worker(next);
    return;
  }
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](unsigned) {
    try {
      worker(next);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      counter = n;
    }
  };
  {
    // the calling thread is one of them, and starts at once
    const auto others =
        start_threads(std::min<std::size_t>(threads, n) - 1, work);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
}

/// make(i) for i = 0 ... n-1 on up to `threads` threads; each result goes to
/// take(result) on the calling thread, in the order of i. At most four results
/// per thread, or `ahead` if that is more, wait their turn. The first exception
/// of either is thrown here, after all threads have ended.
template <class Make, class Take>
void parallel_in_order(std::size_t n, unsigned threads, const Make& make,
                       const Take& take, std::size_t ahead = 0) {
  std::size_t next = 0;
  const auto source = [&]() -> std::optional<std::size_t> {
    return next < n ? std::optional(next++) : std::nullopt;
  };
  const auto workers = static_cast<unsigned>(std::min<std::size_t>(threads, n));
  stream_in_order(
      source, workers, std::max(ahead, std::size_t{4} * workers),
      [&](std::size_t i, unsigned) { return make(i); }, take);
}

}  // namespace gttf
