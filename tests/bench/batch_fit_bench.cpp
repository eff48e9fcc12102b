// SPDX-License-Identifier: Apache-2.0
// Fits of arrays of hits, and toys by stage, for every set of instructions: ten
// layers as the yardstick, and the wires of IDEA.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/barrels.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/batch_toys.hpp"
#include "support/hit_list.hpp"

namespace {

using namespace gttf;

constexpr std::size_t n_tracks = 512;

/// Time per track or toy of a run over n_tracks of them.
template <class Run>
void measure(benchmark::State& state, SimdLevel level, const Run& run) {
  if (const auto refusal = set_simd_level(level)) {
    state.SkipWithError(refusal->c_str());
    return;
  }
  for (auto _ : state) run();
  state.SetItemsProcessed(static_cast<std::int64_t>(n_tracks) *
                          state.iterations());
  state.counters["tracks"] = static_cast<double>(n_tracks);
  set_simd_level(std::nullopt);
}

void fit_hits(benchmark::State& state, SimdLevel level, FitKind kind,
              WeightSource weights) {
  const TrackingGeometry geometry(bench::barrel(10));
  test::HitList list(geometry, n_tracks, 1, 10);
  const HitArrays hits = list.views();
  test::FitOutput out(n_tracks);
  FitOptions options;
  options.weights = weights;
  measure(state, level, [&] {
    const BatchStatistics s = fit(hits, kind, options, out.views());
    if (s.vectorised != n_tracks) state.SkipWithError("not all vectorised");
    benchmark::DoNotOptimize(out.chi2.data());
  });
}

void random_words(benchmark::State& state) {
  // 2 coordinates and 2 kinks in each of 10 layers, of 8 toys at a time
  constexpr std::size_t n_places = 8;
  std::vector<std::uint64_t> words(40 * n_places);
  RandomPlace place{1, 0, 0};
  measure(state, SimdLevel::scalar, [&] {
    for (std::size_t i = 0; i < n_tracks; i += n_places) {
      fill_random_words(place, n_places, words);
      place.index += n_places;
      benchmark::DoNotOptimize(words.data());
    }
  });
}

/// Toys of a point with the given fits.
/// @param perigee  with the perigee, its errors included
void toys(benchmark::State& state, SimdLevel level, const Detector& detector,
          const Track& track, const std::vector<FitChoice>& choices,
          bool perigee) {
  const TrackingGeometry geometry(detector);
  const ToySimulator simulator(geometry, track, {});
  std::vector<char> missed(n_tracks);
  std::vector<test::FitOutput> out(choices.size(), test::FitOutput(n_tracks));
  std::vector<FitArrays> arrays;
  for (test::FitOutput& o : out) {
    FitArrays& a = arrays.emplace_back(o.views());
    if (!perigee) a.perigee = a.perigee_covariance = {};
  }
  if (set_simd_level(level)) return;
  ToyBatch batch(simulator, choices);
  RandomPlace place{1, 0, 0};
  measure(state, level, [&] {
    const BatchStatistics s = batch.run(place, {missed, arrays});
    place.index += n_tracks;
    if (s.unsupported > 0) state.SkipWithError("not all vectorised");
  });
}

struct ToyStage {
  const char* name;
  std::vector<FitChoice> choices;
  bool perigee = true;
};

std::vector<ToyStage> toy_stages() {
  constexpr FitChoice general{FitKind::general},
      scattering{FitKind::scattering};
  constexpr auto shared = WeightSource::shared;
  const std::vector<FitChoice> both = {general, scattering},
                               both_shared = {{FitKind::general, shared},
                                              {FitKind::scattering, shared}};
  return {{"simulated", {}},
          {"general", {general}},
          {"general_and_scattering", both},
          {"curvatures", both, false},
          {"shared", both_shared},
          {"shared_curvatures", both_shared, false}};
}

const int registered = [] {
  const auto add = [](const std::string& name, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)
        ->Unit(benchmark::kMicrosecond);
  };
  add("toys/philox", random_words);
  for (const SimdLevel level : available_simd_levels()) {
    const std::string end = "/" + std::string(to_string(level));
    const auto fits = [&](const char* name, FitKind kind,
                          WeightSource weights) {
      add(std::string("fits/") + name + end, [=](benchmark::State& state) {
        fit_hits(state, level, kind, weights);
      });
    };
    fits("general", FitKind::general, WeightSource::estimate);
    fits("general_updated", FitKind::general, WeightSource::update);
    fits("scattering", FitKind::scattering, WeightSource::estimate);
    for (const ToyStage& stage : toy_stages())
      add(std::string("toys/") + stage.name + end,
          [=](benchmark::State& state) {
            toys(state, level, bench::barrel(10), {.p = 1 * unit::GeV},
                 stage.choices, stage.perigee);
          });
    add("toys/idea" + end, [=](benchmark::State& state) {
      const Detector idea =
          read_detector(GTTF_SOURCE_DIR "/detectors/idea.yaml").detector;
      toys(state, level, idea, {.p = 10 * unit::GeV, .theta = 1.276},
           {{FitKind::general}}, true);
    });
  }
  return 0;
}();

}  // namespace
