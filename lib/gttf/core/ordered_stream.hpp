// SPDX-License-Identifier: Apache-2.0
// A stream of unknown length, worked on by several threads in a fixed order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gttf/core/threads.hpp"

namespace gttf {

/// Actions of several threads that follow each other in a given order.
class Turns {
 public:
  /// Calls action() when the turns 0 ... turn-1 have been taken, each of which
  /// must be; one that throws has been.
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
/// more), which the number `worker`
/// tells apart, for the items that source() hands out, until it returns none;
/// each result goes to take(result) on the calling thread, in the order of the
/// items. Calls of source() follow each other, on any thread. At most `ahead`
/// items are in work or wait for take().
///
/// What source() throws ends the stream: the items before are taken, then it is
/// thrown here. So is the first exception of make() or take(), at once. All
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
  // The next item with its number.
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

}  // namespace gttf
