// SPDX-License-Identifier: Apache-2.0
// Batches of tracks that lose energy.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/trajectory/stopping_table.hpp"
#include "support/at_level.hpp"
#include "support/batch_deviation.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Model with_loss() {
  Model model;
  model.loss = EnergyLoss::mean;
  return model;
}

TrackList grid() {
  TrackList tracks;
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 17; ++i) {
      Track t;
      t.p = 0.1 * std::pow(100 / 0.1, i / 16.0);
      t.theta = (8 + 164 * j / 8.0) * unit::deg;
      t.phi = 0.1;
      tracks.add(t);
    }
  return tracks;
}

}  // namespace

TEST_CASE("stopping power: its table is the formula") {
  for (const char* name : {"silicon", "beryllium", "argon"}) {
    const Material* material = find_material(name);
    REQUIRE(material != nullptr);
    LossSlab slab;
    slab.medium = stopping_medium(*material);
    slab.mass_thickness = 1;
    slab.x_over_x0 =
        1 / (material->radiation_length / unit::cm * material->density);
    for (const Projectile& particle :
         {Projectile{0.10565837, 1}, Projectile{0.13957039, 1},
          Projectile{0.93827209, 1}, Projectile{electron_mass, -1},
          Projectile{electron_mass, 1}}) {
      detail::StoppingTable table(slab, particle.mass, particle.charge);
      const detail::StoppingPower power(slab, particle);
      std::size_t missing = 0, n = 0;
      for (double t = 0.01 * particle.mass; t < 1e4; t *= 1.003) {
        const detail::StoppingPiece& piece = table.at(t);
        const double y = (t - piece.centre) * piece.per_width;
        double sum = 0;
        for (std::size_t i = detail::StoppingPiece::n_powers; i-- > 0;)
          sum = sum * y + piece.power[i];
        ++n;
        if (std::isnan(sum)) {
          ++missing;
          continue;
        }
        CHECK(sum == doctest::Approx(power(t)).epsilon(1e-10));
      }
      CHECK(10 * missing < n);
    }
  }
}

TEST_CASE("batch: mean energy loss in shipped detectors") {
  for (const Scattering scattering :
       {Scattering::highland, Scattering::highland_total}) {
    Model model = with_loss();
    model.scattering = scattering;
    std::size_t vectorised = 0, doubtful = 0;
    for (const Detector& d : shipped_detectors()) {
      const TrackingGeometry geometry(d);
      const TrackList tracks = grid();
      CAPTURE(d.name);
      CAPTURE(to_string(scattering));
      compare_all_levels(geometry, tracks, model, 0, 1e-9,
                         [&](const BatchStatistics& s, const BatchOutput&) {
                           vectorised += s.vectorised;
                           doubtful += s.doubtful;
                         });
    }
    // Of these tracks, from 0.1 GeV and 8 deg on, those that stop take the
    // scalar path, and a few that return inwards.
    CHECK(10 * doubtful < vectorised);
  }
}

TEST_CASE(
    "batch: tracks that lose energy and curl up, or have few hits, are "
    "vectorised") {
  Detector d = make_barrel(20, 30, 1200, 2, 0.01, 0.01);
  for (Layer& layer : d.layers) {
    layer.material = {{"silicon", 0, 0.005}};
    layer.surface.v = {-1400, 1400};
  }
  for (const double z : {-1500.0, 1500.0})
    d.layers.push_back(
        make_layer("disk", make_disk(z, {30, 1200}), 0.01, pixel(0.01, 0.01)));
  const TrackingGeometry geometry(d);
  TrackList tracks;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 8; ++j)
      tracks.add({.p = 0.1 + 0.01 * i, .theta = (50 + 11.0 * j) * unit::deg});
  for (int i = 0; i < 20; ++i)
    tracks.add({.p = 1.0 + i, .theta = (1 + 0.05 * i) * unit::deg});
  std::size_t curling = 0, too_few = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const Resolution one =
        resolve(geometry, tracks.views().track(t), with_loss());
    if (one.status != Status::ok)
      ++too_few;
    else if (one.end == TrackEnd::curls_up)
      ++curling;
  }
  REQUIRE(curling > 100);
  REQUIRE(too_few > 10);
  compare_all_levels(geometry, tracks, with_loss(), 0, 1e-9,
                     [&](const BatchStatistics& s, const BatchOutput&) {
                       // except for a few that return inwards before they cross
                       // a disk
                       CHECK(s.doubtful <= 5);
                       CHECK(s.not_fitted > 10);
                     });
}

TEST_CASE("batch: tracks pass a change of the stopping power in batches") {
  // at 1.0097 GeV the density effect of a medium of CLD begins, and the slowest
  // lose more in a layer than one piece of the table holds
  Detector cld = shipped("cld");
  const TrackingGeometry geometry(cld);
  TrackList tracks;
  for (int i = 0; i < 300; ++i)
    tracks.add(
        {.p = 0.3 * std::pow(1.01, i), .theta = (90 - 0.1 * i) * unit::deg});
  compare_all_levels(geometry, tracks, with_loss(), 0, 1e-9,
                     [&](const BatchStatistics& s, const BatchOutput&) {
                       CHECK(s.doubtful == 0);
                     });
}

TEST_CASE("batch: electrons and positrons with mean energy loss") {
  struct Case {
    const char* name;
    double least_p, theta, widest;
  };
  const double range = 80 * unit::deg;
  for (const Case& c : {Case{"mu3e", 0.015, 50 * unit::deg, range},
                        Case{"alice_its2", 0.1, 50 * unit::deg, range},
                        Case{"datura", 0.02, 0, 0.05}})
    for (const double charge : {-1.0, 1.0}) {
      const TrackingGeometry geometry(shipped(c.name));
      TrackList tracks;
      for (int i = 0; i < 80; ++i)
        tracks.add({.p = c.least_p * std::pow(1.1, i),
                    .theta = c.theta + c.widest * (i * 7 % 80) / 80.0,
                    .phi = 0.7 * i,
                    .mass = electron_mass,
                    .charge = charge});
      CAPTURE(c.name);
      CAPTURE(charge);
      compare_all_levels(geometry, tracks, with_loss(), 0, 1e-9,
                         [&](const BatchStatistics& s, const BatchOutput&) {
                           CHECK(s.unsupported == 0);
                           CHECK(s.vectorised + s.not_fitted > 70);
                         });
    }
}

// A track that is slowed down may return to layers that it would pass by.
TEST_CASE("batch: turns with mean energy loss, as in resolve()") {
  Model model = with_loss();
  model.turns = 1;
  std::size_t returning = 0, vectorised = 0;
  for (const std::string name : {"ild", "alice_its2", "belle2", "barrel"}) {
    const TrackingGeometry geometry(shipped(name));
    for (const double mass : {0.13957, 0.493677, 0.938272}) {
      TrackList tracks;
      for (int i = 0; i < 60; ++i)
        tracks.add({.p = 0.06 * std::pow(1.04, i),
                    .theta = (40 + 13 * (i % 9)) * unit::deg,
                    .phi = 0.3 * i,
                    .mass = mass});
      CAPTURE(name);
      CAPTURE(mass);
      compare_all_levels(geometry, tracks, model, 0, 1e-9,
                         [&](const BatchStatistics& s, const BatchOutput&) {
                           returning += s.other_way;
                           vectorised += s.vectorised;
                         });
    }
  }
  CHECK(returning > 0);
  CHECK(vectorised > 0);
}

TEST_CASE("batch: losses that are given are vectorised") {
  struct Case {
    const char* name;
    double least_p, theta, widest;
    Projectile particle;
  };
  // the loss that is given does not depend on the charge, others do
  const Projectile alpha{3.7273794, 2}, pion{0.13957039, 1},
      electron{electron_mass, -1};
  for (const Case& c :
       {Case{"alice_its2", 0.2, 60 * unit::deg, 60 * unit::deg, pion},
        Case{"alice_its2", 1.5, 60 * unit::deg, 60 * unit::deg, alpha},
        Case{"datura", 0.1, 0, 0.05, electron},
        Case{"lhcb", 3, 0.02, 0.2, pion}}) {
    Detector d = shipped(c.name);
    int given = 0;
    for (std::size_t i = 0; i < d.layers.size(); i += 2)
      for (Slab& slab : d.layers[i].material)
        if (++given % 3 != 0) slab.mean_loss = (0.1 + 0.2 * given) * unit::MeV;
    REQUIRE(given > 1);
    const TrackingGeometry geometry(d);
    TrackList tracks;
    for (int i = 0; i < 80; ++i)
      tracks.add({.p = c.least_p * std::pow(1.06, i),
                  .theta = c.theta + c.widest * (i * 7 % 80) / 80.0,
                  .phi = 0.7 * i,
                  .mass = c.particle.mass,
                  .charge = c.particle.charge});
    CAPTURE(c.name);
    CAPTURE(c.particle.mass);
    compare_all_levels(geometry, tracks, with_loss(), 0, 1e-9,
                       [&](const BatchStatistics& s, const BatchOutput&) {
                         CHECK(s.unsupported == 0);
                         CHECK(s.vectorised + s.not_fitted > 60);
                       });
  }
}

TEST_CASE("batch: electrons and positrons together take the scalar path") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  TrackList tracks;
  for (const double charge : {-1.0, 1.0})
    tracks.add({.p = 1, .mass = electron_mass, .charge = charge});
  BatchOutput r(tracks.size(), 0);
  CHECK(resolve(geometry, tracks.views(), with_loss(), r.views()).unsupported ==
        2);
  CHECK(deviation_from(ScalarResults(geometry, tracks, with_loss()), r) < 1e-9);
}

TEST_CASE("batch: mean energy loss in random layouts") {
  RandomLayouts usual(31), with_leaning(31, 0.3);
  std::size_t vectorised = 0;
  for (int i = 0; i < 60; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    const Detector d = random.detector();
    const TrackingGeometry geometry(d);
    TrackList tracks;
    for (int t = 0; t < 40; ++t) tracks.add(random.track());
    Model model = with_loss();
    if (i % 3 == 0) model.beam_spot = BeamSpot{0.02, 0.01, 10};
    const ScalarResults scalar(geometry, model.beam_spot ? TrackList() : tracks,
                               model);
    for (const SimdLevel level : available_simd_levels()) {
      CAPTURE(i);
      CAPTURE(to_string(level));
      const AtLevel at(level);
      BatchOutput r(tracks.size(), 0);
      ResolutionArrays views = r.views();
      if (model.beam_spot) {
        views.perigee_without_inner = views.first_hit = {};
        resolve(geometry, tracks.views(), with_loss(), r.views());
      }
      vectorised += resolve(geometry, tracks.views(), model, views).vectorised;
      if (!model.beam_spot) CHECK(deviation_from(scalar, r) < 1e-7);
    }
  }
  CHECK(vectorised > 200);
}

TEST_CASE(
    "batch: a second crossing of a plane is not taken for the first if energy "
    "is lost") {
  for (const double lean : {0.0, 0.2}) {
    Detector d = make_barrel(4, 100, 400, 2, 0, 0.01);
    for (Layer& layer : d.layers) layer.material = {{"silicon", 0, 0.002}};
    const Interval wide{-500, 500};
    Surface plane = make_plane(Axis::x, 100, wide, wide);
    if (lean != 0)
      plane =
          make_inclined_plane({100, 0, 0}, {std::cos(lean), 0, std::sin(lean)},
                              {0, 1, 0}, {1000, 1000});
    d.layers.push_back(make_layer("plane", plane, 0.005, pixel(0.01, 0.01)));
    const TrackingGeometry geometry(d);
    // The first ones cross the plane between the second and third cylinder. So
    // do the others, but when they return, having crossed it before, between
    // the first and second.
    TrackList tracks;
    for (int i = 0; i < 16; ++i)
      tracks.add({.p = 10, .theta = 90 * unit::deg, .phi = 65 * unit::deg});
    for (int i = 0; i < 16; ++i)
      tracks.add({.p = 0.15,
                  .theta = 90 * unit::deg,
                  .phi = 34 * unit::deg,
                  .charge = -1});
    for (const std::size_t t : {0u, 16u}) {
      const Resolution one =
          resolve(geometry, tracks.views().track(t), with_loss());
      REQUIRE(one.crossings.size() == 5);
      REQUIRE(one.crossings[t == 0 ? 2 : 1].layer == 4);
    }
    CAPTURE(lean);
    compare_all_levels(geometry, tracks, with_loss(), 0, 1e-9,
                       [&](const BatchStatistics& s, const BatchOutput&) {
                         CHECK(s.doubtful == 0);
                       });
  }
}

TEST_CASE("batch: neighbours do not change a bit of a track that slows down") {
  const Detector d = shipped_detectors().front();
  const TrackingGeometry geometry(d);
  RandomLayouts random(5);
  TrackList tracks;
  for (int t = 0; t < 200; ++t) {
    Track track = random.track();
    track.mass = 0.13957039;
    tracks.add(track);
  }
  BatchOutput whole(tracks.size(), 0);
  resolve(geometry, tracks.views(), with_loss(), whole.views(), 3);
  bool equal = true;
  for (std::size_t t = 0; t < tracks.size(); t += 3) {
    TrackList one;
    one.add(tracks.views().track(t));
    BatchOutput r(1, 0);
    resolve(geometry, one.views(), with_loss(), r.views());
    equal = equal && same_bits(r.numbers_of(0), whole.numbers_of(t));
  }
  CHECK(equal);
}

}  // namespace gttf::test::GTTF_TEST_FILE
