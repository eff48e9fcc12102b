// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/parallel.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>
#include <string>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("parallel: results are taken in order, whoever made them") {
  for (const unsigned threads : {1u, 2u, 5u}) {
    std::vector<std::size_t> taken;
    parallel_in_order(
        200, threads,
        [](std::size_t i) {
          if (i % 7 == 0) std::this_thread::yield();
          return std::vector<std::size_t>{i};
        },
        [&](const std::vector<std::size_t>& r) { taken.push_back(r[0]); });
    std::vector<std::size_t> expected(200);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    CHECK(taken == expected);
  }
}

TEST_CASE("parallel: few results wait their turn") {
  std::atomic<std::size_t> made = 0;
  std::size_t most = 0, taken = 0;
  parallel_in_order(
      300, 3, [&](std::size_t i) { return ++made, i; },
      [&](std::size_t) {
        most = std::max(most, made - taken);
        ++taken;
      });
  // four per thread and what each is making
  CHECK(most <= 4 * 3 + 3);
}

TEST_CASE("parallel: an exception of make() or take() is rethrown") {
  for (const unsigned threads : {1u, 3u}) {
    const auto run = [threads](std::size_t bad_make, std::size_t bad_take) {
      parallel_in_order(
          50, threads,
          [=](std::size_t i) {
            if (i == bad_make) throw std::runtime_error("maker");
            return i;
          },
          [=](std::size_t i) {
            if (i == bad_take) throw std::runtime_error("taker");
          });
    };
    CHECK_THROWS_WITH(run(20, 99), "maker");
    CHECK_THROWS_WITH(run(99, 20), "taker");
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
