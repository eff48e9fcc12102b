// SPDX-License-Identifier: Apache-2.0
// Runs resolve() over a grid, in parallel and in a fixed order.
#include "gttf/study/scan.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "gttf/study/covariance_table.hpp"
#include "gttf/study/resolution_table.hpp"

namespace gttf {

namespace {

constexpr std::size_t block_size = 256;

/// Calls work(i) for i in [0, n) on `threads` threads.
template <class Work>
void parallel_for(std::size_t n, unsigned threads, const Work& work) {
  if (threads <= 1 || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> pool;
  for (unsigned t = 0; t < std::min<std::size_t>(threads, n); ++t)
    pool.emplace_back([&] {
      for (std::size_t i = next++; i < n; i = next++) work(i);
    });
}

/// scan() with rows of any kind; `empty` is what each block begins with.
template <class Rows>
std::size_t scan_rows(const StudyRequest& request,
                      std::span<const Detector> detectors,
                      const ScanOptions& options, TableSink& sink,
                      const Rows& empty) {
  const std::size_t n_momenta = request.momentum.values.size();
  const std::size_t points = n_momenta * request.angle.values.size();
  const unsigned threads =
      options.threads > 0 ? options.threads
                          : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t wave = std::size_t{threads} * 8;
  std::size_t evaluated = 0, done = 0;

  for (const Detector& detector : detectors) {
    const TrackingGeometry geometry(detector);
    const Model model = model_of(request, detector, options.engine);
    const std::size_t blocks = (points + block_size - 1) / block_size;
    for (std::size_t start = 0; start < blocks; start += wave) {
      const std::size_t n = std::min(wave, blocks - start);
      std::vector<Rows> results(n, empty);
      parallel_for(n, threads, [&](std::size_t b) {
        const std::size_t first = (start + b) * block_size;
        const std::size_t last = std::min(first + block_size, points);
        results[b].reserve(last - first);
        for (std::size_t i = first; i < last; ++i) {
          const GridPoint point{i % n_momenta, i / n_momenta};
          results[b].add(detector, request, point,
                         resolve(geometry, grid_track(request, point), model));
        }
      });
      for (Rows& block : results) {
        evaluated += block.evaluated();
        done += block.rows();
        sink.write(std::move(block).take());
        if (options.progress) options.progress(done, points * detectors.size());
      }
    }
  }
  sink.finish();
  return evaluated;
}

}  // namespace

std::size_t scan(const StudyRequest& request,
                 std::span<const Detector> detectors,
                 const ScanOptions& options, TableSink& sink) {
  return scan_rows(request, detectors, options, sink,
                   ResolutionTable(request.at.has_value()));
}

std::size_t scan_covariances(const StudyRequest& request,
                             std::span<const Detector> detectors,
                             const ScanOptions& options, TableSink& sink) {
  return scan_rows(request, detectors, options, sink, CovarianceTable());
}

}  // namespace gttf
