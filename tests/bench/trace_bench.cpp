// SPDX-License-Identifier: Apache-2.0
// Cost of tracing a track of ALICE ITS2 in fields of every kind, and of reading
// a map of a million nodes.
#include <benchmark/benchmark.h>

#include <string>

#include "gttf/detector/field_grid_file.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/folder.hpp"
#include "support/magnets.hpp"

namespace {

using namespace gttf;
using test::axis_from;

constexpr Track track{.p = 1 * unit::GeV, .theta = 80 * unit::deg};

Detector its2() {
  return read_detector(GTTF_SOURCE_DIR "/detectors/alice_its2.yaml").detector;
}

void traced(benchmark::State& state, const Field& field, EnergyLoss loss) {
  Detector detector = its2();
  detector.field = field;
  const TrackingGeometry geometry(detector);
  std::size_t crossings = 0;
  for (auto _ : state) {
    const TracedTrack t = trace(geometry, track, Scattering::highland, loss);
    crossings = t.list.size();
    benchmark::DoNotOptimize(t.material.all);
  }
  state.counters["crossings"] = static_cast<double>(crossings);
}

BENCHMARK_CAPTURE(traced, solenoid, its2().field, EnergyLoss::off);
BENCHMARK_CAPTURE(traced, solenoid_with_loss, its2().field,
                  EnergyLoss::straggling);
BENCHMARK_CAPTURE(traced, map_around_z, test::coil_map(true, 31, 101),
                  EnergyLoss::off);
BENCHMARK_CAPTURE(traced, map_cartesian, test::coil_map(false),
                  EnergyLoss::off);
BENCHMARK_CAPTURE(traced, map_with_loss, test::coil_map(false),
                  EnergyLoss::straggling);

void resolved(benchmark::State& state) {
  const TrackingGeometry geometry(its2());
  for (auto _ : state) {
    const Resolution resolution = resolve(geometry, track, Model{});
    benchmark::DoNotOptimize(resolution.sigma_pt_rel);
  }
}
BENCHMARK(resolved);

void million_nodes(benchmark::State& state) {
  const GridAxis side = axis_from(-990, 990, 100);
  const test::Folder folder;
  const std::string path =
      folder.write("map.csv", test::text_of(test::sample(
                                  [](const Vector3& x) {
                                    return Vector3(1e-7 * x.x(), -2e-7 * x.y(),
                                                   1e-3 + 1e-7 * x.z());
                                  },
                                  {side, side, side})));
  for (auto _ : state) {
    Diagnostics diagnostics;
    auto grid = read_field_grid(path, diagnostics);
    const FieldMap map(std::move(*grid), {});
    benchmark::DoNotOptimize(map.largest());
  }
}
BENCHMARK(million_nodes)->Unit(benchmark::kMillisecond);

}  // namespace
