// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/run_batch.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Marks each track with the path that it took: even ones are vectorised but
/// for every tenth, odd ones are left for the scalar path. Every fifth of these
/// loses its way.
class Worker {
 public:
  Worker(bool vectorised, std::vector<int>& paths)
      : vectorised_(vectorised), paths_(paths) {}

  bool is_vectorised() const { return vectorised_; }
  void run_vectorised(detail::BatchBlock& block) {
    for (std::size_t t = block.begin; t < block.end; ++t)
      if (t % 2 != 0) {
        t % 5 == 0 ? block.leave_other_way(t) : block.leave_unsupported(t);
      } else if (t % 10 == 0) {
        t % 50 == 0 ? block.leave_not_followed(t) : block.leave_doubtful(t);
      } else {
        ++block.statistics.vectorised;
        paths_[t] += 1;
      }
  }
  void run_scalar(std::size_t t) { paths_[t] += 100; }
  void end_block(detail::BatchBlock& block) {
    for (std::size_t t = block.begin; t < block.end; ++t) paths_[t] += 10000;
  }

 private:
  bool vectorised_;
  std::vector<int>& paths_;
};

}  // namespace

TEST_CASE("batch: every track takes one path, with any number of threads") {
  constexpr std::size_t n = 1003;
  for (const unsigned threads : {1u, 3u})
    for (const std::size_t block_size : {std::size_t{1}, std::size_t{64}, n}) {
      std::vector<int> paths(n);
      const BatchStatistics s = detail::run_batch(
          n, block_size, threads, [&] { return Worker(true, paths); });
      for (std::size_t t = 0; t < n; ++t)
        CHECK(paths[t] == (t % 2 == 0 && t % 10 != 0 ? 10001 : 10100));
      CHECK(s.tracks == n);
      CHECK(s.unsupported == 501);
      CHECK(s.other_way == 100);
      CHECK(s.doubtful == 101);
      CHECK(s.not_followed == 21);
      CHECK(s.vectorised == 401);
    }
}

TEST_CASE("batch: without a kernel all tracks take the scalar path") {
  constexpr std::size_t n = 100;
  std::vector<int> paths(n);
  const BatchStatistics s =
      detail::run_batch(n, 7, 2, [&] { return Worker(false, paths); });
  CHECK(paths == std::vector<int>(n, 10100));
  CHECK(s.tracks == n);
  CHECK(s.unsupported == n);
  CHECK(detail::run_batch(0, 7, 2, [&] {
          return Worker(true, paths);
        }).tracks == 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
