// SPDX-License-Identifier: Apache-2.0
// Batches of tracks through field maps.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/resolution/batch.hpp"
#include "support/at_level.hpp"
#include "support/batch_deviation.hpp"
#include "support/layouts.hpp"
#include "support/magnets.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// From near the origin, in all directions.
TrackList around(double least_p) {
  TrackList tracks;
  for (int i = 0; i < 120; ++i) {
    Track t;
    t.p = least_p * std::pow(1.04, i);
    t.theta = (25 + 130 * (i * 7 % 120) / 120.0) * unit::deg;
    t.phi = 0.9 * i;
    t.charge = i % 3 == 0 ? 1 : -1;
    t.vertex = {0.1 * (i % 5), -0.1 * (i % 3), 3.0 * (i % 4)};
    tracks.add(t);
  }
  return tracks;
}

Detector in_map(Detector d, Field field) {
  d.field = std::move(field);
  return d;
}

/// Cylinders, disks and planes of all directions around the origin.
Detector mixed_layers() {
  Detector d = make_barrel(5, 30, 400, 0, 0.01, 0.01);
  for (Layer& layer : d.layers) layer.surface.v = {-500, 500};
  const Interval wide{-450, 450};
  d.layers[2].coordinates.clear();
  for (const double z : {-700.0, -550.0, 530.0, 600.0})
    d.layers.push_back(make_layer("d" + std::to_string(z),
                                  make_disk(z, {5, 450}), 0.01,
                                  pixel(0.01, 0.01)));
  d.layers.push_back(make_layer("x", make_plane(Axis::x, 420, wide, wide), 0.01,
                                pixel(0.01, 0.01)));
  d.layers.push_back(make_layer("y", make_plane(Axis::y, -440, wide, wide),
                                0.01, pixel(0.01, 0.01)));
  return d;
}

/// One octant of the map of a coil.
Field coil_octant() {
  const LoopSolenoid coil(2000, 8000, 0.5 * unit::T, 40);
  const GridAxis side = axis_from(0, 600, 11);
  return map_field(sample(coil, {side, side, axis_from(0, 1000, 16)}),
                   {.symmetry = MirrorSymmetry{Axis::z}});
}

}  // namespace

TEST_CASE("batch: tracks in field maps are vectorised") {
  struct Case {
    std::string name;
    Detector detector;
    std::size_t most_scalar;
  };
  const Detector its2 = shipped("alice_its2");
  const auto in_five_digits = [&its2](bool around_z) {
    return in_map(its2, map_field(rounded(coil_grid(around_z, 16, 26), 5)));
  };
  const Case cases[] = {{"r z", in_map(its2, coil_map(true, 16, 26)), 1},
                        {"x y z", in_map(its2, coil_map(false, 16, 26)), 1},
                        {"r z, five digits", in_five_digits(true), 1},
                        {"x y z, five digits", in_five_digits(false), 1},
                        {"octant", in_map(its2, coil_octant()), 1},
                        {"mixed", in_map(mixed_layers(), coil_octant()), 6}};
  for (const Case& c : cases)
    for (const Model& model :
         {Model{}, Model{.scattering = Scattering::highland_total},
          Model{.loss = EnergyLoss::mean},
          Model{.scattering = Scattering::highland_total,
          .loss = EnergyLoss::mean}}) {
      const TrackingGeometry geometry(c.detector);
      const TrackList tracks = around(0.25);
      CAPTURE(c.name);
      CAPTURE(to_string(model.loss));
      compare_all_levels(
          geometry, tracks, model, geometry.surfaces().size(), 1e-9,
          [&](const BatchStatistics& s, const BatchOutput&) {
            CHECK(s.doubtful + s.unsupported + s.other_way + s.not_followed <=
                  c.most_scalar);
            CHECK(s.vectorised > 90);
          });
    }
}

TEST_CASE("batch: tracks along the axes of a field map are vectorised") {
  const Detector its2 = shipped("alice_its2");
  for (const Detector& detector : {in_map(its2, coil_map(true, 16, 26)),
                                   in_map(its2, coil_map(false, 16, 26)),
                                   in_map(mixed_layers(), coil_octant())}) {
    const TrackingGeometry geometry(detector);
    TrackList tracks;
    for (const double phi : {0.0, 90.0, 180.0, 270.0})
      for (int i = 0; i < 24; ++i)
        tracks.add({.p = 1.05 * std::pow(1.21, i),
                    .theta = (45 + 7 * (i % 13)) * unit::deg,
                    .phi = phi * unit::deg,
                    .charge = i % 3 == 0 ? 1.0 : -1.0});
    compare_all_levels(
        geometry, tracks, {}, geometry.surfaces().size(), 1e-9,
        [&](const BatchStatistics& s, const BatchOutput&) {
          CHECK(s.doubtful + s.unsupported + s.other_way + s.not_followed == 0);
          CHECK(s.vectorised == tracks.size());
        });
  }
}

TEST_CASE("batch: a spectrometer in a field map") {
  Detector d;
  d.name = "fringe";
  const FieldGrid grid = sample(
      FringeDipole{}, {axis_from(-600, 600, 13), axis_from(-400, 400, 21),
                       axis_from(-1600, 1600, 81)});
  for (const double z :
       {-1200.0, -1100.0, -400.0, -300.0, 0.0, 300.0, 1100.0, 1200.0})
    d.layers.push_back(
        make_layer("z" + std::to_string(int(z)),
                   make_plane(Axis::z, z, {-350, 350}, {-350, 350}), 0.01,
                   z == 0 ? std::vector<Coordinate>{} : pixel(0.05, 0.05)));
  TrackList tracks;
  for (int i = 0; i < 64; ++i)
    tracks.add({.p = 2 * std::pow(1.1, i),
                .theta = 0.002 * i,
                .phi = 0.7 * i,
                .charge = i % 3 == 0 ? 1.0 : -1.0,
                .vertex = {5.0 * (i % 3), -4.0 * (i % 5), -1400.0}});
  for (const int digits : {17, 5}) {
    d.field = map_field(rounded(grid, digits));
    const TrackingGeometry geometry(d);
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
      const Model model{.loss = loss};
      CAPTURE(digits);
      CAPTURE(to_string(loss));
      compare_all_levels(geometry, tracks, model, 0, 1e-9,
                         [&](const BatchStatistics& s, const BatchOutput&) {
                           CHECK(s.vectorised > 55);
                         });
    }
  }
}

TEST_CASE("batch: tracks that leave a field map or curl take the scalar path") {
  const TrackingGeometry geometry(
      in_map(shipped("alice_its2"),
             map_field(sample_around_z(LoopSolenoid(2000, 8000, 0.5, 40),
                                       axis_from(0, 300, 11),
                                       axis_from(-1000, 1000, 26)))));
  TrackList tracks;
  for (int i = 0; i < 20; ++i)
    tracks.add({.p = i % 2 == 0 ? 0.05 : 2.0, .theta = (40.0 + i) * unit::deg});
  BatchOutput r(tracks.size(), 0);
  const BatchStatistics s = resolve(geometry, tracks.views(), {}, r.views());
  CHECK(s.vectorised == 0);
  CHECK(deviation_from(ScalarResults(geometry, tracks), r) < 1e-9);
}

/// From along z to across it.
TrackList near_the_field() {
  TrackList tracks;
  for (int i = 0; i < 160; ++i)
    tracks.add({.p = 0.02 * std::pow(1.15, i % 20),
                .theta = (1 + 178 * (i * 37 % 160) / 160.0) * unit::deg,
                .phi = 0.7 * i,
                .charge = i % 3 == 0 ? 1.0 : -1.0,
                .vertex = {0, 0, 2.0 * (i % 7)}});
  return tracks;
}

TEST_CASE("batch: half a turn around a map's field ends any track") {
  const TrackList tracks = near_the_field();
  const Detector detectors[] = {
      in_map(mixed_layers(), coil_octant()),
      in_map(shipped("alice_its2"), coil_map(true, 16, 26))};
  for (const Detector& detector : detectors) {
    const TrackingGeometry geometry(detector);
    const ScalarResults scalar(geometry, tracks);
    int small_angles = 0;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      const Track track = tracks.views().track(t);
      if (scalar.tracks[t].end == TrackEnd::curls_up &&
          std::abs(std::cos(track.theta)) > 0.9)
        ++small_angles;
    }
    CHECK(small_angles > 5);
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(to_string(level));
      const AtLevel at(level);
      BatchOutput r(tracks.size(), 0);
      const BatchStatistics s =
          resolve(geometry, tracks.views(), {}, r.views());
      CHECK(s.vectorised > 20);
      CHECK(deviation_from(scalar, r) < 1e-9);
    }
  }
}

TEST_CASE("batch: energy is lost in two layers at one place of a field map") {
  Detector d = mixed_layers();
  const std::size_t n = d.layers.size();
  for (std::size_t i = 0; i < n; ++i) {
    d.layers.push_back(d.layers[i]);
    d.layers.back().name += " behind";
    d.layers.back().coordinates.clear();
  }
  const TrackingGeometry geometry(in_map(d, coil_octant()));
  const TrackList tracks = around(0.3);
  const Model model{.loss = EnergyLoss::mean};
  compare_all_levels(geometry, tracks, model, 0, 1e-9,
                     [&](const BatchStatistics& s, const BatchOutput&) {
                       CHECK(s.vectorised > 60);
                     });
}

TEST_CASE("batch: neighbours do not change a bit of a track in a field map") {
  const TrackingGeometry geometry(in_map(mixed_layers(), coil_octant()));
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean})
    CHECK(is_independent_of_neighbours(geometry, around(0.2), {.loss = loss}));
}

}  // namespace gttf::test::GTTF_TEST_FILE
