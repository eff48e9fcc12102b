// SPDX-License-Identifier: Apache-2.0
// Tracks in all directions, in random order and sorted by polar angle.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bench/barrels.hpp"
#include "gttf/detector/read.hpp"
#include "support/batch.hpp"

namespace {

using namespace gttf;

std::vector<Track> random_tracks(std::size_t n) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Track> tracks(n);
  for (Track& t : tracks) {
    t.p = 0.5 * std::pow(200, uniform(bits));
    t.theta = 2 * std::atan(std::exp(2 - 4 * uniform(bits)));
    t.phi = unit::pi * (2 * uniform(bits) - 1);
  }
  return tracks;
}

void run(benchmark::State& state, const Detector& detector, bool sorted) {
  const TrackingGeometry geometry(detector);
  std::vector<Track> list = random_tracks(65536);
  if (sorted) std::ranges::sort(list, {}, &Track::theta);
  test::TrackList tracks;
  for (const Track& t : list) tracks.add(t);
  std::vector<double> sigma(list.size());
  ResolutionArrays wanted;
  wanted.sigma_p_rel = sigma;
  for (auto _ : state) {
    resolve(geometry, tracks.views(), {}, wanted);
    benchmark::DoNotOptimize(sigma.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(list.size()) *
                          state.iterations());
}

const int registered = [] {
  const auto add = [](const std::string& name, const Detector& detector) {
    for (const bool sorted : {false, true})
      benchmark::RegisterBenchmark(
          ((sorted ? "sorted/" : "random_order/") + name).c_str(),
          [=](benchmark::State& state) { run(state, detector, sorted); })
          ->Unit(benchmark::kMillisecond);
  };
  add("barrel/10", bench::barrel(10));
  for (const std::string name : {"alice_its2", "cld", "idea"})
    add(name,
        read_detector(GTTF_SOURCE_DIR "/detectors/" + name + ".yaml").detector);
  return 0;
}();

}  // namespace
