// SPDX-License-Identifier: Apache-2.0
// Cost of each feature: covariances of a batch with a beam spot, a state at a
// layer, energy loss, magnets or a map; and toys with a fit.
#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "gttf/resolution/batch_states.hpp"
#include "gttf/resolution/batch_toys.hpp"
#include "support/batch.hpp"
#include "support/hit_list.hpp"
#include "support/magnets.hpp"
#include "support/shipped.hpp"

namespace {

using namespace gttf;
using test::shipped;

/// @param digits  of the values of the map
Detector its2_in_map(bool around_z, int digits = 17) {
  Detector d = shipped("alice_its2");
  d.field = test::map_field(test::rounded(
      test::coil_grid(around_z, 31, around_z ? 101 : 51), digits));
  return d;
}

/// Pions of 1 GeV and more near 90 degrees, or of 100 GeV and more near z.
test::TrackList make_tracks(std::size_t n, bool along_z) {
  test::TrackList tracks;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n);
    if (along_z)
      tracks.add({.p = 100 * (1 + x), .theta = 0.01 * x, .phi = 40 * x});
    else
      tracks.add({.p = 1 + 0.02 * x, .theta = (90 - 0.5 * x) * unit::deg});
  }
  return tracks;
}

enum class Results { covariance, everything, state };

struct Feature {
  std::string name;
  std::function<Detector()> detector;
  Model model = {};
  std::size_t tracks = 4096;
  bool along_z = false;
  Results results = Results::covariance;
};

void run(benchmark::State& state, const Feature& f) {
  const TrackingGeometry geometry(f.detector());
  const test::TrackList tracks = make_tracks(f.tracks, f.along_z);
  test::BatchOutput out(f.tracks, 0);
  ResolutionArrays wanted;
  if (f.results == Results::everything)
    wanted = out.views();
  else
    wanted.perigee = out.perigee;
  test::Triangles covariance(f.tracks), slopes(f.tracks);
  std::vector<double> sigma(f.tracks), p(f.tracks);
  std::vector<char> crossed(f.tracks);
  StateArrays at;
  if (f.results == Results::state) at = {covariance, slopes, sigma, p, crossed};
  for (auto _ : state) {
    resolve(geometry, tracks.views(), f.model, wanted, at);
    benchmark::DoNotOptimize(out.perigee.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(f.tracks) *
                          state.iterations());
}

/// Toys with a general fit.
void run_toys(benchmark::State& state, const std::function<Detector()>& make,
              const Track& track, const Model& model, std::size_t n) {
  const TrackingGeometry geometry(make());
  const ToySimulator simulator(geometry, track, model);
  const FitChoice choices[] = {{FitKind::general}};
  ToyBatch batch(simulator, choices);
  std::vector<char> missed(n);
  test::FitOutput fit(n);
  FitArrays wanted = fit.views();
  if (simulator.prototype().hits.flight && track.theta < 0.1) {
    // as of the program: parameters on the plane through the start
    wanted = fit.all_views();
    wanted.perigee = wanted.perigee_covariance = {};
    wanted.scattering_momentum = {};
  }
  const FitArrays fits[] = {wanted};
  RandomPlace place{1, 0, 0};
  for (auto _ : state) {
    batch.run(place, {missed, fits});
    place.index += n;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
}

const int registered = [] {
  Model mean, spot, at;
  mean.loss = EnergyLoss::mean;
  spot.beam_spot = BeamSpot{0.01, 0.01, 30};
  at.at = AtLayer{3};
  const auto of = [](const char* name) {
    return [=] { return shipped(name); };
  };
  std::vector<Feature> features = {
      {"its2", of("alice_its2")},
      {"its2_beam_spot", of("alice_its2"), spot},
      {"its2_at_layer", of("alice_its2"), at, 4096, false, Results::state},
      {"its2_map_r_z", [] { return its2_in_map(true); }, {}, 1024},
      {"its2_map_x_y_z", [] { return its2_in_map(false); }, {}, 1024},
      {"its2_map_r_z_five_digits",
       [] { return its2_in_map(true, 5); },
       {},
       1024},
      {"its2_map_x_y_z_five_digits",
       [] { return its2_in_map(false, 5); },
       {},
       1024},
      {"datura", of("datura"), {}, 4096, true},
      {"faser", of("faser"), {}, 4096, true},
      {"lhcb", of("lhcb"), {}, 4096, true},
      {"datura_at_layer", of("datura"), at, 4096, true, Results::state},
      {"lhcb_beam_spot", of("lhcb"), spot, 4096, true}};
  for (const char* name : {"alice_its2", "cld", "idea", "ild"}) {
    const std::string prefix = name;
    for (const Results results : {Results::covariance, Results::everything}) {
      const std::string what =
          results == Results::everything ? "_everything" : "_covariance";
      features.push_back({prefix + what, of(name), {}, 1024, false, results});
      features.push_back(
          {prefix + what + "_mean_loss", of(name), mean, 1024, false, results});
    }
  }
  for (const Feature& f : features)
    benchmark::RegisterBenchmark(("features/" + f.name).c_str(),
                                 [=](benchmark::State& s) { run(s, f); })
        ->Unit(benchmark::kMicrosecond);
  const auto add_toys = [](const std::string& name,
                           const std::function<Detector()>& detector,
                           const Track& track, const Model& model = {},
                           std::size_t n = 1024) {
    benchmark::RegisterBenchmark(
        ("features/toys/" + name).c_str(),
        [=](benchmark::State& s) { run_toys(s, detector, track, model, n); })
        ->Unit(benchmark::kMicrosecond);
  };
  const Track barrel{.p = 1}, forward{.p = 100, .theta = 0.005};
  for (const char* name : {"alice_its2", "cld", "idea"})
    add_toys(name, of(name), barrel);
  add_toys("its2_beam_spot", of("alice_its2"), barrel, spot);
  add_toys("its2_mean_loss", of("alice_its2"), barrel, mean);
  for (const bool around_z : {true, false})
    add_toys(
        around_z ? "its2_map_r_z" : "its2_map_x_y_z",
        [=] { return its2_in_map(around_z); }, barrel, {}, 256);
  for (const char* name : {"datura", "faser", "lhcb"})
    add_toys(name, of(name), forward);
  return 0;
}();

}  // namespace
