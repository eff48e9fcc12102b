// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/parallel.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <dlfcn.h>
#include <atomic>
#include <cerrno>
#include <numeric>

namespace {

// Threads that the system still gives.
std::atomic<int> threads_left = 1 << 30;

}  // namespace

// In front of the one of the C library.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how,
                              void* (*start)(void*), void* argument) {
  if (threads_left-- <= 0) return EAGAIN;
  using Create =
      int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, how, start, argument);
}

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("threads: fewer threads do the work if the system refuses more") {
  for (const int given : {0, 1, 2, 3, 4}) {
    CAPTURE(given);
    const std::size_t before = refused_threads();
    threads_left = given;
    std::vector<std::size_t> taken;
    parallel_in_order(
        100, 4, [](std::size_t i) { return i; },
        [&](std::size_t i) { taken.push_back(i); });
    std::vector<std::size_t> expected(100);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    CHECK(taken == expected);
    CHECK(refused_threads() - before == static_cast<std::size_t>(4 - given));

    threads_left = given;
    std::atomic<std::size_t> sum = 0;
    parallel_workers(100, 5, [&](const auto& next) {
      while (const auto i = next()) sum += *i;
    });
    CHECK(sum == 4950);
    threads_left = 1 << 30;
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
