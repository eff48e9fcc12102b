// SPDX-License-Identifier: Apache-2.0
// run_batch: distributes tracks to threads and selects their code paths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "gttf/core/batch.hpp"
#include "gttf/core/kernels.hpp"
#include "gttf/core/parallel.hpp"

namespace gttf::detail {

/// The tracks `begin` to `end` of a batch, and those remaining for the scalar
/// path.
class BatchBlock {
 public:
  BatchBlock(std::size_t from, std::size_t to) : begin(from), end(to) {
    statistics.tracks = to - from;
  }

  const std::size_t begin, end;
  BatchStatistics statistics;

  std::size_t size() const { return end - begin; }
  void leave_unsupported(std::size_t track) {
    ++statistics.unsupported;
    scalar_.push_back(track);
  }
  /// Of other tracks of the batch the kernel supports the way.
  void leave_other_way(std::size_t track) {
    ++statistics.other_way;
    leave_unsupported(track);
  }
  void leave_doubtful(std::size_t track) {
    ++statistics.doubtful;
    scalar_.push_back(track);
  }
  void leave_not_followed(std::size_t track) {
    ++statistics.not_followed;
    leave_doubtful(track);
  }
  const std::vector<std::size_t>& scalar() const { return scalar_; }

 private:
  std::vector<std::size_t> scalar_;
};

/// The size of a block, rounded up so that only the last vector of a batch is
/// not full.
constexpr std::size_t whole_vectors(std::size_t tracks) {
  return (tracks + most_in_pack - 1) / most_in_pack * most_in_pack;
}

/// Runs all tracks of a batch on up to `threads` threads, each with its own
/// worker:
///
///   bool is_vectorised()          whether a kernel supports such tracks
///   void run_vectorised(block)    processes all tracks but the remaining ones
///   void run_scalar(track)        processes one of the remaining tracks
///   void end_block(block)         the block is done
///
/// Blocks are assigned in any order: the result of a track must not depend on
/// other blocks.
template <class MakeWorker>
BatchStatistics run_batch(std::size_t tracks, std::size_t block_size,
                          unsigned threads, const MakeWorker& make_worker) {
  BatchStatistics total;
  std::mutex mutex;
  parallel_workers(
      (tracks + block_size - 1) / block_size, threads, [&](const auto& next) {
        auto worker = make_worker();
        BatchStatistics own;
        while (const auto index = next()) {
          const std::size_t begin = *index * block_size;
          BatchBlock block(begin, std::min(begin + block_size, tracks));
          if (worker.is_vectorised())
            worker.run_vectorised(block);
          else
            for (std::size_t t = block.begin; t < block.end; ++t)
              block.leave_unsupported(t);
          for (const std::size_t t : block.scalar()) worker.run_scalar(t);
          worker.end_block(block);
          own += block.statistics;
        }
        const std::lock_guard lock(mutex);
        total += own;
      });
  return total;
}

}  // namespace gttf::detail
