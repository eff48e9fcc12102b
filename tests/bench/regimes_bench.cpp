// SPDX-License-Identifier: Apache-2.0
// Regimes of arrays of tracks and of their triplets, and of single tracks.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "bench/barrels.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/regime.hpp"
#include "support/batch.hpp"

namespace {

using namespace gttf;

/// Momenta from 0.2 to 100 GeV.
enum class Directions {
  four,  ///< a grid: tracks in the same direction share searches
  all    ///< every track has its own
};

test::TrackList make_tracks(Directions directions) {
  constexpr std::size_t n_momenta = 60, n_angles = 4;
  test::TrackList tracks;
  for (std::size_t j = 0; j < n_angles; ++j)
    for (std::size_t i = 0; i < n_momenta; ++i) {
      const double x = static_cast<double>(i) / (n_momenta - 1);
      const double own = directions == Directions::all ? 0.1 * x : 0;
      tracks.add({.p = 0.2 * std::pow(500, x),
                  .theta = 1.57 - 0.1 * static_cast<double>(j) - own});
    }
  return tracks;
}

void batched(benchmark::State& state, const Detector& detector,
             Directions directions, SimdLevel level) {
  if (const auto refusal = set_simd_level(level)) {
    state.SkipWithError(refusal->c_str());
    return;
  }
  const TrackingGeometry geometry(detector);
  const test::TrackList tracks = make_tracks(directions);
  const std::size_t n = tracks.size();
  std::vector<TrackRegime> regimes(n);
  BatchStatistics statistics;
  for (auto _ : state)
    statistics = find_regimes(geometry, tracks.views(), {}, {}, regimes);
  if (statistics.unsupported > 0 || regimes[0].triplets.empty())
    state.SkipWithError("not all vectorised");
  state.counters["tracks"] = static_cast<double>(n);
  set_simd_level(std::nullopt);
}

void individually(benchmark::State& state, const Detector& detector) {
  const TrackingGeometry geometry(detector);
  const test::TrackList tracks = make_tracks(Directions::four);
  for (auto _ : state)
    for (std::size_t t = 0; t < tracks.size(); ++t)
      benchmark::DoNotOptimize(
          find_regime(geometry, tracks.views().track(t)).p_significant);
  state.counters["tracks"] = static_cast<double>(tracks.size());
}

/// "regimes/cld/grid/avx2", "regimes/cld/directions/avx2", "regimes/cld/single"
void add(const std::string& what, const Detector& detector) {
  const auto name = [&](const std::string& rest) {
    return "regimes/" + what + "/" + rest;
  };
  for (const SimdLevel level : available_simd_levels())
    for (const Directions d : {Directions::four, Directions::all})
      benchmark::RegisterBenchmark(
          name((d == Directions::four ? "grid/" : "directions/") +
               std::string(to_string(level)))
              .c_str(),
          [=](benchmark::State& state) { batched(state, detector, d, level); })
          ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(
      name("single").c_str(),
      [=](benchmark::State& state) { individually(state, detector); })
      ->Unit(benchmark::kMicrosecond);
}

const int registered = [] {
  add("barrel", bench::barrel(10));
  add("cld", read_detector(GTTF_SOURCE_DIR "/detectors/cld.yaml").detector);
  return 0;
}();

}  // namespace
