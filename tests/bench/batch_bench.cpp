// SPDX-License-Identifier: Apache-2.0
// Covariances of arrays of tracks against the number of hits, for every set of
// instructions; the shipped detectors; the yardstick in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bench/barrels.hpp"
#include "bench/least_squares.hpp"
#include "bench/peak_memory.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "support/batch.hpp"

namespace {

using namespace gttf;

/// Requested results of the batch; the budget of the five parameters of a
/// track.
enum class Task { covariance, limits, budget };
constexpr Parameter of_track[] = {Parameter::p, Parameter::d0, Parameter::z0,
                                  Parameter::phi0, Parameter::theta};

/// 1 GeV and more, near 90 degrees: all cross all layers of a barrel.
test::TrackList make_tracks(std::size_t n) {
  test::TrackList tracks;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n);
    tracks.add({.p = 1 + 0.02 * x, .theta = (90 - 0.5 * x) * unit::deg});
  }
  return tracks;
}

/// In all directions that a central tracker covers.
test::TrackList all_around(std::size_t n) {
  test::TrackList tracks;
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<double>(i);
    const double eta = 2 * std::sin(2.6 * x);
    tracks.add({.p = std::cosh(eta) * (1 + 0.02 * x / static_cast<double>(n)),
                .theta = 2 * std::atan(std::exp(-eta)),
                .phi = x});
  }
  return tracks;
}

/// Near the z axis, of momenta at which all cross the same stations of a
/// telescope or spectrometer.
test::TrackList along_z(std::size_t n) {
  test::TrackList tracks;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n);
    tracks.add({.p = 100 * (1 + x), .theta = 0.01 * x, .phi = 40 * x});
  }
  return tracks;
}

/// @param n  tracks; 0: not more than a second's work of the slowest
/// @param make  make(n): the tracks
void run(benchmark::State& state, const Detector& detector, Task task,
         SimdLevel level, unsigned threads, std::size_t n = 0,
         test::TrackList (*make)(std::size_t) = make_tracks) {
  if (const auto refusal = set_simd_level(level)) {
    state.SkipWithError(refusal->c_str());
    return;
  }
  const TrackingGeometry geometry(detector);
  const std::size_t layers = geometry.surfaces().size();
  if (n == 0)
    n = std::max<std::size_t>(64, 200000 / (10 + layers)) & ~std::size_t{15};
  // as in scan, whose blocks use the same memory again
  if (task == Task::budget) n = std::min<std::size_t>(n, 2048);
  const test::TrackList tracks = make(n);
  test::BatchOutput out(n, task == Task::budget ? layers : 0);
  const ResolutionArrays all = out.views();
  ResolutionArrays wanted;
  wanted.perigee = all.perigee;
  wanted.status = all.status;
  if (task != Task::covariance) {
    wanted.sigma_p_rel_hit_only = all.sigma_p_rel_hit_only;
    wanted.sigma_p_rel_ms_only = all.sigma_p_rel_ms_only;
  }
  if (task == Task::budget) {
    for (const Parameter q : of_track) {
      wanted.scattering_variance[q] = all.scattering_variance[q];
      wanted.hit_variance[q] = all.hit_variance[q];
    }
  }
  BatchStatistics statistics;
  for (auto _ : state) {
    statistics = resolve(geometry, tracks.views(), {}, wanted, threads);
    benchmark::DoNotOptimize(out.perigee.data());
  }
  if (statistics.unsupported > 0) state.SkipWithError("not vectorised");
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
  state.counters["tracks"] = static_cast<double>(n);
  const bench::PeakMemory memory;
  resolve(geometry, tracks.views(), {}, wanted, threads);
  state.counters["bytes"] = static_cast<double>(memory.bytes());
  state.SetComplexityN(static_cast<std::int64_t>(layers));
  set_simd_level(std::nullopt);
}

void yardstick(benchmark::State& state) {
  const TrackingGeometry geometry(bench::barrel(10));
  Track track;
  for (auto _ : state) {
    track.p = track.p == 1 ? 1.01 : 1;
    Matrix5 c = bench::dense_covariance(geometry, track);
    benchmark::DoNotOptimize(c);
  }
  state.counters["tracks"] = 1;
}

const char* name_of(Task task) {
  switch (task) {
    case Task::covariance:
      return "covariance";
    case Task::limits:
      return "limits";
    case Task::budget:
      return "budget";
  }
  return "";
}

/// "barrel/10/covariance/avx2/threads:1"
void add(const std::string& what, const Detector& detector, Task task,
         SimdLevel level, unsigned threads) {
  const std::string name = what + "/" + name_of(task) + "/" +
                           std::string(to_string(level)) +
                           "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 run(state, detector, task, level, threads);
                               })
      // of all threads: the time of one of them on an idle machine times their
      // number; real time next to it
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMicrosecond);
}

/// "cms_modules/covariance/avx2/threads:1": 1 GeV of pT and more through 13,200
/// modules.
void add_modules(SimdLevel level) {
  const std::string name =
      "cms_modules/covariance/" + std::string(to_string(level)) + "/threads:1";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        const Detector detector =
            read_detector(GTTF_SOURCE_DIR "/detectors/cms_phase2_modules.yaml")
                .detector;
        run(state, detector, Task::covariance, level, 1, 4096, all_around);
      })
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMicrosecond);
}

/// "lhcb/covariance/avx2/threads:1": tracks through magnets, or in a telescope.
void add_along_z(const std::string& detector, SimdLevel level) {
  const std::string name =
      detector + "/covariance/" + std::string(to_string(level)) + "/threads:1";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        run(state,
            read_detector(GTTF_SOURCE_DIR "/detectors/" + detector + ".yaml")
                .detector,
            Task::covariance, level, 1, 4096, along_z);
      })
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMicrosecond);
}

/// "many/avx2/threads:2": what more threads gain once there is work for longer
/// than it takes to start them.
void add_many(SimdLevel level, unsigned threads) {
  const std::string name = "many/" + std::string(to_string(level)) +
                           "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 run(state, bench::barrel(10), Task::covariance,
                                     level, threads, 200000);
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

const int registered = [] {
  benchmark::RegisterBenchmark("yardstick", yardstick)
      ->Unit(benchmark::kMicrosecond);
  for (const SimdLevel level : available_simd_levels()) {
    for (const int n : {3, 5, 10, 30, 100, 300, 1000, 3000, 10000})
      for (const unsigned threads : {1u, 2u})
        add("barrel/" + std::to_string(n), bench::barrel(n), Task::covariance,
            level, threads);
    for (const unsigned threads : {1u, 2u}) add_many(level, threads);
    add_modules(level);
    for (const char* name : {"datura", "faser", "lhcb"})
      add_along_z(name, level);
    for (const Task task : {Task::limits, Task::budget})
      add("barrel/10", bench::barrel(10), task, level, 1);
    for (const char* name : {"alice_its2", "cld", "idea"}) {
      const Detector detector = read_detector(GTTF_SOURCE_DIR "/detectors/" +
                                              std::string(name) + ".yaml")
                                    .detector;
      for (const Task task : {Task::covariance, Task::limits, Task::budget})
        add(name, detector, task, level, 1);
    }
  }
  return 0;
}();

}  // namespace
