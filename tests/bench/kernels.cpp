// SPDX-License-Identifier: Apache-2.0
// Runs one kernel a number of times, for counting its instructions:
// kernels NAME REPETITIONS; without arguments it lists the names.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench/barrels.hpp"
#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/output/csv.hpp"
#include "gttf/resolution/batch_toys.hpp"
#include "support/batch.hpp"
#include "support/hit_list.hpp"

namespace {

using namespace gttf;

constexpr std::size_t n_tracks = 64;

/// @param turn  in azimuth from one track to the next
test::TrackList make_tracks(double turn = 0) {
  test::TrackList tracks;
  for (std::size_t i = 0; i < n_tracks; ++i) {
    const auto x = static_cast<double>(i);
    tracks.add({.p = 1 + 0.01 * x,
                .theta = (90 - 0.1 * x) * unit::deg,
                .phi = turn * x});
  }
  return tracks;
}

/// Resolutions of 64 tracks with the results requested by `all`.
void resolve_tracks(const Detector& detector, bool all, int repetitions,
                    const test::TrackList& tracks = make_tracks(),
                    const Model& model = {}) {
  const TrackingGeometry geometry(detector);
  test::BatchOutput out(n_tracks, 0);
  ResolutionArrays wanted = out.views();
  wanted.surfaces = {};  // came later: the counts on file are without it
  if (!all) {
    wanted = {};
    wanted.perigee = out.perigee;
  }
  for (int i = 0; i < repetitions; ++i)
    resolve(geometry, tracks.views(), model, wanted);
  if (!(out.perigee[0] > 0)) std::abort();
}

Detector shipped(const std::string& name) {
  return read_detector(GTTF_SOURCE_DIR "/detectors/" + name + ".yaml").detector;
}

/// 64 tracks in all directions through rings of modules.
void resolve_in_rings(const Detector& detector, int repetitions) {
  resolve_tracks(detector, false, repetitions, make_tracks(1));
}

/// 64 tracks within `widest` of the z axis, through planes across it.
void resolve_along_z(const std::string& name, double p, double widest, double z,
                     int repetitions) {
  test::TrackList tracks;
  for (std::size_t i = 0; i < n_tracks; ++i) {
    const double x = static_cast<double>(i) / n_tracks;
    tracks.add({.p = p * (1 + x),
                .theta = widest * x,
                .phi = 40 * x,
                .vertex = {0, 0, z}});
  }
  resolve_tracks(shipped(name), false, repetitions, tracks);
}

/// One track by the scalar calls.
void resolve_one(int repetitions) {
  const TrackingGeometry geometry(bench::barrel(10));
  for (int i = 0; i < repetitions; ++i)
    if (resolve(geometry, Track{}).status != Status::ok) std::abort();
}

/// The same by the triplet engine, with strips in every other layer or none.
void resolve_by_triplets(int n_layers, bool strips, int repetitions) {
  Detector detector = bench::barrel(n_layers);
  for (std::size_t i = 1; i < detector.layers.size() && strips; i += 2)
    detector.layers[i].coordinates.resize(1);
  const TrackingGeometry geometry(detector);
  for (int i = 0; i < repetitions; ++i)
    if (resolve(geometry, Track{}, {.engine = Engine::triplet}).status !=
        Status::ok)
      std::abort();
}

/// 64 toys with general and scattering fit.
void fit_toys(int repetitions) {
  const TrackingGeometry geometry(bench::barrel(10));
  const ToySimulator simulator(geometry, Track{}, {});
  const FitChoice choices[] = {{FitKind::general}, {FitKind::scattering}};
  ToyBatch batch(simulator, choices);
  std::vector<char> missed(n_tracks);
  test::FitOutput general(n_tracks), scattering(n_tracks);
  const FitArrays fits[] = {general.views(), scattering.views()};
  RandomPlace place{1, 0, 0};
  for (int i = 0; i < repetitions; ++i, place.index += n_tracks)
    if (batch.run(place, {missed, fits}).unsupported > 0) std::abort();
}

/// 64 toys of a shipped detector with a general fit.
void fit_toys_of(const std::string& name, const Track& track,
                 const Model& model, int repetitions) {
  const TrackingGeometry geometry(shipped(name));
  const ToySimulator simulator(geometry, track, model);
  const FitChoice choices[] = {{FitKind::general}};
  ToyBatch batch(simulator, choices);
  std::vector<char> missed(n_tracks);
  test::FitOutput fit(n_tracks);
  const FitArrays fits[] = {simulator.prototype().hits.field ? fit.views()
                                                             : fit.all_views()};
  RandomPlace place{1, 0, 0};
  for (int i = 0; i < repetitions; ++i, place.index += n_tracks)
    if (batch.run(place, {missed, fits}).vectorised != n_tracks) std::abort();
}

/// 64 rows of 16 numbers as CSV.
void write_rows(int repetitions) {
  Table table;
  for (int c = 0; c < 16; ++c) {
    Reals cells;
    for (std::size_t i = 0; i < n_tracks; ++i)
      cells.push_back(0.017 * static_cast<double>(c + 1) /
                      static_cast<double>(i + 3));
    table.add("column" + std::to_string(c), cells);
  }
  for (int i = 0; i < repetitions; ++i) {
    std::ostringstream out;
    CsvWriter writer(out, {});
    writer.write(table);
    writer.finish();
    if (out.view().empty()) std::abort();
  }
}

const std::map<std::string, std::function<void(int)>> kernels = {
    {"barrel_covariance",
     [](int n) { resolve_tracks(bench::barrel(10), false, n); }},
    {"cld_everything", [](int n) { resolve_tracks(shipped("cld"), true, n); }},
    {"cld_loss",
     [](int n) {
       resolve_tracks(shipped("cld"), false, n, make_tracks(),
                      {.loss = EnergyLoss::mean});
     }},
    {"cld_straggling",
     [](int n) {
       resolve_tracks(shipped("cld"), false, n, make_tracks(),
                      {.loss = EnergyLoss::straggling});
     }},
    {"cms_modules",
     [](int n) { resolve_in_rings(shipped("cms_phase2_modules"), n); }},
    {"rings_of_18",
     [](int n) { resolve_in_rings(bench::barrel_of_rings(10, 18), n); }},
    {"rings_of_180",
     [](int n) { resolve_in_rings(bench::barrel_of_rings(10, 180), n); }},
    {"rings_of_1800",
     [](int n) { resolve_in_rings(bench::barrel_of_rings(10, 1800), n); }},
    {"datura_covariance",
     [](int n) { resolve_along_z("datura", 5, 0.02, -20, n); }},
    {"faser_covariance",
     [](int n) { resolve_along_z("faser", 100, 0.005, -1600, n); }},
    {"lhcb_covariance", [](int n) { resolve_along_z("lhcb", 20, 0.2, 0, n); }},
    {"one_track", resolve_one},
    {"one_track_triplets", [](int n) { resolve_by_triplets(10, false, n); }},
    {"strips_triplets", [](int n) { resolve_by_triplets(100, true, n); }},
    {"toys", fit_toys},
    {"datura_toys",
     [](int n) { fit_toys_of("datura", {.p = 5, .theta = 0.005}, {}, n); }},
    {"lhcb_toys",
     [](int n) { fit_toys_of("lhcb", {.p = 20, .theta = 0.1}, {}, n); }},
    {"its2_toys_loss",
     [](int n) {
       fit_toys_of("alice_its2", Track{}, {.loss = EnergyLoss::mean}, n);
     }},
    {"its2_toys_straggling",
     [](int n) {
       fit_toys_of("alice_its2", Track{}, {.loss = EnergyLoss::straggling}, n);
     }},
    {"its2_toys_spot",
     [](int n) {
       fit_toys_of("alice_its2", Track{},
                   {.beam_spot = BeamSpot{0.01, 0.01, 30}}, n);
     }},
    {"csv_rows", write_rows},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    for (const auto& [name, run] : kernels) std::printf("%s\n", name.c_str());
    return 0;
  }
  // the widest that valgrind supports
  if (set_simd_level(SimdLevel::avx2)) set_simd_level(SimdLevel::scalar);
  kernels.at(argv[1])(std::atoi(argv[2]));
  return 0;
}
