// SPDX-License-Identifier: Apache-2.0
// Cost of one toy of ITS2 (7 layers): its random numbers, its simulation, and
// simulation with a fit.
#include <benchmark/benchmark.h>

#include "gttf/core/random.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/resolution/toys.hpp"

namespace {

using namespace gttf;

ToySimulator its2() {
  const Detector detector =
      read_detector(GTTF_SOURCE_DIR "/detectors/alice_its2.yaml").detector;
  // the toys of a helix do not need it afterwards
  const TrackingGeometry geometry(detector);
  return ToySimulator(geometry, Track{.p = 1 * unit::GeV}, Model{});
}

void random_numbers(benchmark::State& state) {
  std::vector<double> normals(its2().prototype().bits.size());
  std::uint64_t i = 0;
  for (auto _ : state) {
    fill_normals({1, 0, i++}, normals);
    benchmark::DoNotOptimize(normals.data());
  }
  state.counters["numbers"] = static_cast<double>(normals.size());
}

void simulation(benchmark::State& state) {
  const ToySimulator simulator = its2();
  ToyTrack toy = simulator.prototype();
  std::uint64_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(simulator.simulate({1, 0, i++}, toy));
}

void simulation_and_fit(benchmark::State& state, FitKind kind) {
  const ToySimulator simulator = its2();
  ToyTrack toy = simulator.prototype();
  TrackFitter fitter;
  std::uint64_t i = 0;
  for (auto _ : state) {
    simulator.simulate({1, 0, i++}, toy);
    benchmark::DoNotOptimize(fitter.fit(toy.hits, kind).kappa);
  }
}

BENCHMARK(random_numbers);
BENCHMARK(simulation);
BENCHMARK_CAPTURE(simulation_and_fit, general, FitKind::general);
BENCHMARK_CAPTURE(simulation_and_fit, scattering, FitKind::scattering);

}  // namespace
