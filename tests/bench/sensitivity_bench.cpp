// SPDX-License-Identifier: Apache-2.0
// Derivatives of the errors of a batch with respect to all layers.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/batch_sigmas.hpp"
#include "support/batch.hpp"

namespace {

using namespace gttf;

void run(benchmark::State& state, const Detector& detector, EnergyLoss loss) {
  const TrackingGeometry geometry(detector);
  constexpr Parameter of_track[] = {Parameter::p, Parameter::d0, Parameter::z0,
                                    Parameter::phi0, Parameter::theta};
  Model model;
  model.loss = loss;
  constexpr std::size_t n = 2048;
  test::TrackList tracks;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n);
    tracks.add({.p = 1 + 0.02 * x, .theta = (90 - 0.5 * x) * unit::deg});
  }
  for (auto _ : state) {
    const BatchSensitivities all(geometry, tracks.views(), model, of_track, 1,
                                 {});
    benchmark::DoNotOptimize(all.sigma(Parameter::p, 0));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
}

const int registered = [] {
  for (const std::string name : {"alice_its2", "cld", "idea"}) {
    const Detector detector =
        read_detector(GTTF_SOURCE_DIR "/detectors/" + name + ".yaml").detector;
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean})
      benchmark::RegisterBenchmark(
          ("sensitivities/" + name +
           (loss == EnergyLoss::off ? "" : "/energy_loss"))
              .c_str(),
          [=](benchmark::State& state) { run(state, detector, loss); })
          ->Unit(benchmark::kMicrosecond);
  }
  return 0;
}();

}  // namespace
