// SPDX-License-Identifier: Apache-2.0
// Distribution of work among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace gttf {

/// Number of threads refused by the system since the program started; fewer
/// threads did the work, with the same results. For a warning.
inline std::atomic<std::size_t>& refused_threads() {
  static std::atomic<std::size_t> refused = 0;
  return refused;
}

/// Starts work(0) ... work(n - 1), each a copy, in `n` threads, or the first of
/// them if the system provides fewer (possibly none); refused_threads() counts
/// the others. Throws only before the first has started.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t n, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(n);
  try {
    while (threads.size() < n)
      threads.emplace_back(work, static_cast<unsigned>(threads.size()));
  } catch (const std::system_error&) {  // limit of processes or of their number
    refused_threads() += n - threads.size();
  } catch (const std::bad_alloc&) {
    refused_threads() += n - threads.size();
  }
  return threads;
}

/// Runs actions of several threads in a given order.
class Turns {
 public:
  /// Runs action() after turns 0 to turn-1 have finished. Every turn must be
  /// taken; one that throws counts as finished.
  template <class Action>
  void take(std::size_t turn, const Action& action) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return next_ == turn; });
    }
    const Done done{*this};
    action();
  }

 private:
  class Done {
   public:
    explicit Done(Turns& turns) : turns_(turns) {}
    Done(const Done&) = delete;
    Done& operator=(const Done&) = delete;
    ~Done() {
      const std::lock_guard lock(turns_.mutex_);
      ++turns_.next_;
      turns_.changed_.notify_all();
    }

   private:
    Turns& turns_;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
};

/// Calls make(item, worker) on `threads` threads (fewer if the system has no
/// more), numbered by `worker`, for each item returned by source(), until
/// source() returns none; passes each result to take(result) on the calling
/// thread, in the order of the items. Calls of source() never overlap, but
/// may come from any thread. At most `ahead` items are in work or wait for
/// take().
///
/// If source() throws, items already returned are finished and the exception is
/// rethrown. An exception in make() or take() is rethrown immediately. All
/// threads have ended then.
template <class Source, class Make, class Take>
void stream_in_order(const Source& source, unsigned threads, std::size_t ahead,
                     const Make& make, const Take& take) {
  if (threads <= 1) {
    while (auto item = source()) take(make(std::move(*item), 0u));
    return;
  }
  using Item = std::decay_t<decltype(*source())>;
  using Result = std::decay_t<decltype(make(std::declval<Item>(), 0u))>;
  std::map<std::size_t, Result> ready;
  std::size_t handed_out = 0, taken = 0;
  bool at_end = false, stopped = false;
  std::exception_ptr failure;
  std::mutex of_source, mutex;
  // each waited for by one thread only
  std::condition_variable room, progress;
  const auto fail = [&](bool& flag) {  // within `mutex`
    if (!failure) failure = std::current_exception();
    flag = true;
    room.notify_one();
    progress.notify_one();
  };
  // The next item and its number.
  const auto next = [&]() -> std::optional<std::pair<std::size_t, Item>> {
    const std::lock_guard one_by_one(of_source);
    {
      std::unique_lock lock(mutex);
      room.wait(lock, [&] {
        return stopped || at_end || handed_out < taken + ahead;
      });
      if (stopped || at_end) return std::nullopt;
    }
    std::optional<Item> item;
    try {
      item = source();
    } catch (...) {
      const std::lock_guard lock(mutex);
      fail(at_end);
    }
    const std::lock_guard lock(mutex);
    at_end = !item;
    if (at_end) {
      progress.notify_one();
      return std::nullopt;
    }
    return std::pair(handed_out++, std::move(*item));
  };
  const auto work = [&](unsigned worker) {
    while (auto item = next()) {
      try {
        Result result = make(std::move(item->second), worker);
        const std::lock_guard lock(mutex);
        if (item->first == taken) progress.notify_one();
        ready.emplace(item->first, std::move(result));
      } catch (...) {
        const std::lock_guard lock(mutex);
        fail(stopped);
      }
    }
  };
  std::vector<std::jthread> pool = start_threads(threads, work);
  if (pool.empty()) {
    while (auto item = source()) take(make(std::move(*item), 0u));
    return;
  }
  try {
    std::unique_lock lock(mutex);
    while (true) {
      progress.wait(lock, [&] {
        return stopped || ready.contains(taken) ||
               (at_end && taken == handed_out);
      });
      if (stopped || !ready.contains(taken)) break;
      auto result = ready.extract(taken++);
      room.notify_one();
      lock.unlock();
      take(std::move(result.mapped()));
      lock.lock();
    }
  } catch (...) {
    const std::lock_guard lock(mutex);
    fail(stopped);
  }
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

/// Number of threads to use if `wanted` are requested; 0: one per core.
inline unsigned thread_count(unsigned wanted) {
  return wanted > 0 ? wanted
                    : std::max(1u, std::thread::hardware_concurrency());
}

/// Calls worker(next) on up to `threads` threads, fewer if the system
/// has no more; next() returns each of 0 ... n-1 once, and then nothing.
/// The first exception of a worker is rethrown after all workers have
/// ended.
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

/// make(i) for i = 0 ... n-1 on up to `threads` threads; passes each result to
/// take(result) on the calling thread, in the order of i. At most four results
/// per thread, or `ahead` if that is more, wait. The first exception of either
/// is rethrown after all threads have ended.
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
