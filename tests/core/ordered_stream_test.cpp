// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Hands out 0 ... n - 1; then throws, or ends.
struct Numbers {
  int n;
  bool fails = false;
  std::atomic<int> next = 0;

  std::optional<int> operator()() {
    if (next < n) return next++;
    if (fails) throw std::runtime_error("source");
    return std::nullopt;
  }
};

void dawdle(int i) {
  std::this_thread::sleep_for(std::chrono::microseconds(i % 7 * 50));
}

}  // namespace

TEST_CASE("ordered stream: results are taken in order, whoever made them") {
  for (const unsigned threads : {1u, 2u, 5u})
    for (const int n : {0, 1, 200}) {
      CAPTURE(threads);
      CAPTURE(n);
      Numbers numbers{n};
      std::vector<int> taken;
      std::atomic<bool> unknown_worker = false;
      stream_in_order([&] { return numbers(); }, threads, 3,
                      [&](int i, unsigned worker) {
                        if (worker >= threads) unknown_worker = true;
                        dawdle(i);
                        return i * i;
                      },
                      [&](int square) { taken.push_back(square); });
      REQUIRE(taken.size() == static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i)
        CHECK(taken[static_cast<std::size_t>(i)] == i * i);
      CHECK_FALSE(unknown_worker);
    }
}

TEST_CASE("ordered stream: no more items are ahead than allowed") {
  Numbers numbers{100};
  int taken = 0, farthest = 0;
  stream_in_order([&] { return numbers(); }, 4, 6,
                  [](int i, unsigned) { return i; },
                  [&](int i) {
                    dawdle(i);
                    farthest = std::max(farthest, numbers.next - taken);
                    ++taken;
                  });
  CHECK(taken == 100);
  // six, and the one that is being taken
  CHECK(farthest <= 7);
}

TEST_CASE("ordered stream: items before an error of the source are taken") {
  for (const unsigned threads : {1u, 2u, 5u}) {
    CAPTURE(threads);
    Numbers numbers{50, true};
    int taken = 0;
    CHECK_THROWS_WITH(stream_in_order([&] { return numbers(); }, threads, 8,
                                      [](int i, unsigned) {
                                        dawdle(i);
                                        return i;
                                      },
                                      [&](int) { ++taken; }),
                      "source");
    CHECK(taken == 50);
  }
}

TEST_CASE("ordered stream: an error of making or taking ends it") {
  for (const unsigned threads : {1u, 2u, 5u}) {
    CAPTURE(threads);
    Numbers endless{1 << 30}, same{1 << 30};
    CHECK_THROWS_WITH(stream_in_order([&] { return endless(); }, threads, 8,
                                      [](int i, unsigned) {
                                        if (i == 20)
                                          throw std::runtime_error("make");
                                        return i;
                                      },
                                      [](int) {}),
                      "make");
    int taken = 0;
    CHECK_THROWS_WITH(stream_in_order([&] { return same(); }, threads, 8,
                                      [](int i, unsigned) { return i; },
                                      [&](int i) {
                                        if (i == 20)
                                          throw std::runtime_error("take");
                                        ++taken;
                                      }),
                      "take");
    CHECK(taken == 20);
  }
}

TEST_CASE(
    "turns: actions follow each other in order, also behind one that "
    "throws") {
  constexpr std::size_t n = 40;
  Turns turns;
  std::vector<std::size_t> taken;
  std::atomic<int> thrown = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = n; i-- > 0;)  // the last one waits first
      threads.emplace_back([&, i] {
        try {
          turns.take(i, [&] {
            taken.push_back(i);
            if (i % 3 == 0) throw std::runtime_error("action");
          });
        } catch (const std::runtime_error&) {
          ++thrown;
        }
      });
  }
  REQUIRE(taken.size() == n);
  for (std::size_t i = 0; i < n; ++i) CHECK(taken[i] == i);
  CHECK(thrown == 14);
}

}  // namespace gttf::test::GTTF_TEST_FILE
