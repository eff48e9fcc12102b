// SPDX-License-Identifier: Apache-2.0
// Cost of one covariance and of one resolution: shipped detectors, and barrels
// of 10 to 10 000 layers.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/barrels.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/fit/streaming/streaming.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace {

using namespace gttf;

constexpr Track track{.p = 10 * unit::GeV, .theta = 80 * unit::deg};

// One covariance at the perigee with all material, and nothing else of what
// resolve() delivers: from the track to 25 numbers.
void covariance_of(benchmark::State& state) {
  const TrackingGeometry geometry(
      bench::barrel(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    const Crossings<double> c =
        find_crossings(geometry, track, Scattering::highland);
    Covariance5<double> perigee =
        covariance(filter<Errors::all>(HelixPath(geometry, c)));
    add_inner_material(HelixPath(geometry, c), perigee);
    benchmark::DoNotOptimize(perigee);
  }
}
BENCHMARK(covariance_of)->Arg(10)->Arg(100);

void resolve_repeatedly(benchmark::State& state, const Detector& detector,
                        Engine engine) {
  const TrackingGeometry geometry(detector);
  const Model model{.engine = engine};
  int n_hits = 0;
  for (auto _ : state) {
    const Resolution resolution = resolve(geometry, track, model);
    n_hits = resolution.n_hits;
    benchmark::DoNotOptimize(resolution.sigma_pt_rel);
  }
  if (n_hits < 3) state.SkipWithError("the track was not measured");
  state.counters["hits"] = n_hits;
}

// The same barrel in the gap of a dipole that holds it: traced like any field.
void traced_barrel_of(benchmark::State& state) {
  Detector detector = bench::barrel(static_cast<int>(state.range(0)));
  const double bz = detector.field.bz;
  detector.field = {};
  detector.field.kind = FieldKind::dipole;
  detector.field.dipoles = {{Axis::x, {-1e6, 1e6}, Axis::z, bz}};
  resolve_repeatedly(state, detector, Engine::streaming);
}
BENCHMARK(traced_barrel_of)->Arg(10)->Arg(100);

void shipped(benchmark::State& state, const std::string& name, Engine engine) {
  const DetectorInput input =
      read_detector(GTTF_SOURCE_DIR "/detectors/" + name + ".yaml");
  resolve_repeatedly(state, input.detector, engine);
}

void barrel_of(benchmark::State& state, Engine engine) {
  resolve_repeatedly(state, bench::barrel(static_cast<int>(state.range(0))),
                     engine);
  state.SetComplexityN(state.range(0));
}

// Reported with the fitted growth over the number of layers.
BENCHMARK_CAPTURE(barrel_of, streaming, Engine::streaming)
    ->RangeMultiplier(10)
    ->Range(10, 10000)
    ->Complexity(benchmark::oN);
BENCHMARK_CAPTURE(barrel_of, triplet, Engine::triplet)
    ->RangeMultiplier(10)
    ->Range(10, 10000)
    ->Complexity(benchmark::oN);

BENCHMARK_CAPTURE(shipped, alice_its2, "alice_its2", Engine::streaming);
BENCHMARK_CAPTURE(shipped, alice_its2_triplet, "alice_its2", Engine::triplet);
BENCHMARK_CAPTURE(shipped, cld, "cld", Engine::streaming);
BENCHMARK_CAPTURE(shipped, idea, "idea", Engine::streaming);

}  // namespace
