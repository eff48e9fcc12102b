// SPDX-License-Identifier: Apache-2.0
// Batches of tracks of telescopes and spectrometers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/budget.hpp"
#include "support/at_level.hpp"
#include "support/batch_deviation.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Around the z axis.
TrackList beam(double p, double widest, double z) {
  TrackList tracks;
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 17; ++i) {
      Track t;
      t.p = p * std::pow(10, i / 8.0);
      t.theta = widest * j / 8.0;
      t.phi = 0.7 * i;
      t.vertex = {0, 0, z};
      tracks.add(t);
    }
  return tracks;
}

/// A spectrometer with two magnets normal to an axis.
/// @param apart  their distance, mm
Detector spectrometer(Axis along, Axis field, int planes, double apart) {
  Detector d;
  d.name = "spectrometer";
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {
      {along, {400, 900}, field, 0.3 * unit::T},
      {along, {900 + apart, 1100 + apart}, field, -0.4 * unit::T}};
  for (int i = 0; i < planes; ++i)
    d.layers.push_back(
        make_layer("p" + std::to_string(i),
                   make_plane(along, 103.0 + 1400.0 * i / (planes - 1),
                              {-400, 400}, {-400, 400}),
                   i % 3 == 2 ? 0.02 : 0.005,
                   i % 3 == 2 ? std::vector<Coordinate>{} : pixel(0.01, 0.02)));
  return d;
}

/// Along an axis: from before, between and in the magnets of a spectrometer;
/// back from behind them.
TrackList both_ways(Axis along) {
  TrackList tracks;
  for (int i = 0; i < 64; ++i) {
    Track t;
    t.p = 0.8 * std::pow(1.1, i);
    t.charge = i % 3 == 0 ? 1 : -1;
    const double tilt = 0.1 * std::sin(1.0 * i);
    const bool back = i % 2 == 1;
    const double starts[] = {0, 350, 600, 950, 1600};
    const double start = back ? starts[4 - i / 2 % 3] : starts[i / 2 % 4];
    t.vertex[static_cast<std::size_t>(along)] = start;
    t.theta = along == Axis::z ? std::abs(tilt) : 0.5 * unit::pi + tilt;
    t.phi = along == Axis::x   ? 0.08 * std::cos(3.0 * i)
            : along == Axis::y ? 0.5 * unit::pi + 0.08 * std::cos(3.0 * i)
                               : 2.0 * i;
    if (back) {
      t.theta = unit::pi - t.theta;
      t.phi += unit::pi;
    }
    tracks.add(t);
  }
  return tracks;
}

}  // namespace

TEST_CASE("batch: telescopes and spectrometers are vectorised") {
  struct Case {
    const char* name;
    double p, widest, z;
    std::size_t most_scalar;
  };
  // wide tracks of LHCb miss the last stations, others turn too far
  for (const Case& c :
       {Case{"datura", 1, 0.05, -10, 0}, Case{"lhcb", 3, 0.28, 0, 60},
        Case{"faser", 100, 0.01, -1600, 0}})
    for (const Scattering scattering :
         {Scattering::highland, Scattering::highland_total}) {
      Model model;
      model.scattering = scattering;
      const TrackingGeometry geometry(shipped(c.name));
      const TrackList tracks = beam(c.p, c.widest, c.z);
      CAPTURE(c.name);
      compare_all_levels(geometry, tracks, model, 0, 1e-9,
                         [&](const BatchStatistics& s, const BatchOutput&) {
                           CHECK(s.doubtful + s.unsupported <= c.most_scalar);
                           CHECK(s.vectorised > 0);
                         });
    }
}

TEST_CASE(
    "batch: magnets along any axis, apart or not, starts anywhere, both ways") {
  const Axis axes[] = {Axis::x, Axis::y, Axis::z};
  std::size_t vectorised = 0;
  for (int a = 0; a < 3; ++a)
    for (int turn = 1; turn < 3; ++turn) {
      const Axis along = axes[a];
      const TrackingGeometry geometry(
          spectrometer(along, axes[(a + turn) % 3], 15, turn == 1 ? 0 : 50));
      const TrackList tracks = both_ways(along);
      for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
        const Model model{.loss = loss};
        CAPTURE(a);
        CAPTURE(turn);
        CAPTURE(to_string(loss));
        compare_all_levels(geometry, tracks, model, 0, 1e-9,
                           [&](const BatchStatistics& s, const BatchOutput&) {
                             vectorised += s.vectorised;
                           });
      }
    }
  CHECK(vectorised > 12 * 40 * available_simd_levels().size());
}

TEST_CASE("batch: spectrometers with mean energy loss are vectorised") {
  struct Case {
    const char* name;
    double p, widest, z;
    std::size_t most_scalar;
  };
  // wide tracks of LHCb miss the last stations, others turn too far
  for (const Case& c :
       {Case{"lhcb", 3, 0.28, 0, 60}, Case{"faser", 100, 0.01, -1600, 0}})
    for (const Scattering scattering :
         {Scattering::highland, Scattering::highland_total}) {
      const Model model{.scattering = scattering, .loss = EnergyLoss::mean};
      const TrackingGeometry geometry(shipped(c.name));
      const TrackList tracks = beam(c.p, c.widest, c.z);
      CAPTURE(c.name);
      compare_all_levels(geometry, tracks, model, geometry.surfaces().size(),
                         1e-9,
                         [&](const BatchStatistics& s, const BatchOutput& r) {
                           CHECK(s.doubtful + s.unsupported <= c.most_scalar);
                           CHECK(s.vectorised > 0);
                           if (simd_level() == available_simd_levels().back())
                             CHECK(budget_deviation_from_scalar(
                                       geometry, tracks, r, 5, model) < 1e-9);
                         });
    }
}

TEST_CASE("batch: particles that stop in a magnet take the scalar path") {
  Detector d = spectrometer(Axis::z, Axis::y, 15, 50);
  for (Layer& layer : d.layers) layer.material = {{"silicon", 0, 0.5}};
  const TrackingGeometry geometry(d);
  TrackList tracks;
  for (int i = 0; i < 40; ++i)
    tracks.add({.p = 0.2 + 0.02 * i, .theta = 0.01, .phi = 0.1 * i});
  const Model model{.loss = EnergyLoss::mean};
  compare_all_levels(geometry, tracks, model, 0, 1e-9,
                     [&](const BatchStatistics& s, const BatchOutput&) {
                       CHECK(s.vectorised > 0);
                       CHECK(s.not_followed > 0);
                     });
}

TEST_CASE("batch: tracks that turn in a magnet leave others in vectors") {
  TrackList tracks;
  for (int i = 0; i < 60; ++i)
    tracks.add({.p = i % 3 == 1 ? 0.2 + 0.01 * i : 8 + 0.1 * i,
                .theta = 0.03,
                .phi = 0.3 * i});
  for (const char* name : {"lhcb", "faser"})
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
      CAPTURE(name);
      CAPTURE(to_string(loss));
      const TrackingGeometry geometry(shipped(name));
      const Model model{.loss = loss};
      for (const SimdLevel level : available_simd_levels()) {
        CAPTURE(to_string(level));
        const AtLevel at(level);
        BatchOutput r(tracks.size(), 0);
        const BatchStatistics s =
            resolve(geometry, tracks.views(), model, r.views());
        CHECK(s.not_followed > 0);
        CHECK(s.vectorised + s.not_fitted >= 40);
      }
      CHECK(is_independent_of_neighbours(geometry, tracks, model));
    }
}

TEST_CASE("batch: telescopes with mean energy loss are vectorised") {
  for (const char* name : {"datura", "desy_telescope"})
    for (const Scattering scattering :
         {Scattering::highland, Scattering::highland_total}) {
      Model model;
      model.loss = EnergyLoss::mean;
      model.scattering = scattering;
      const TrackingGeometry geometry(shipped(name));
      // the slowest stop
      const TrackList tracks = beam(0.02, 0.05, -10);
      CAPTURE(name);
      compare_all_levels(geometry, tracks, model, 0, 1e-9,
                         [&](const BatchStatistics& s, const BatchOutput&) {
                           CHECK(s.unsupported == 0);
                           CHECK(s.vectorised > 120);
                         });
    }
}

TEST_CASE("batch: budgets of a telescope and a spectrometer") {
  for (const char* name : {"datura", "lhcb"}) {
    const TrackingGeometry geometry(shipped(name));
    const std::size_t layers = geometry.surfaces().size();
    const TrackList tracks = beam(20, 0.03, -10);
    const std::size_t n = tracks.size();
    BatchOutput r(n, layers);
    CHECK(resolve(geometry, tracks.views(), {}, r.views()).vectorised > n / 2);
    double worst = 0;
    for (std::size_t t = 0; t < n; ++t) {
      const Budget budget =
          make_budget(geometry, tracks.views().track(t), Model());
      for (const Cause cause : {Cause::hit, Cause::scattering})
        for (std::size_t layer = 0; layer < layers; ++layer)
          for (std::size_t q = 0; q < n_parameters; ++q) {
            const double total = budget.total.values[q];
            if (!(total > 0)) continue;
            double expected = 0;
            for (const BudgetPart& part : budget.parts)
              if (part.cause == cause && part.layer == layer)
                expected += part.variance.values[q];
            const LayerArrays got = cause == Cause::hit
                                        ? r.views().hit_variance
                                        : r.views().scattering_variance;
            worst = std::max(
                worst,
                std::abs(got.values[q][layer * n + t] - expected) / total);
          }
    }
    CAPTURE(name);
    CHECK(worst < 1e-9);
  }
}

TEST_CASE("batch: tracks through different surfaces of regions share vectors") {
  const TrackingGeometry geometry(shipped("lhcb"));
  TrackList tracks;
  for (int i = 0; i < 48; ++i)
    tracks.add({.p = 10.0 + i,
                .theta = (15 + 5.7 * (i % 42)) * unit::mrad,
                .phi = 0.7 * i});
  compare_all_levels(
      geometry, tracks, {}, geometry.surfaces().size(), 1e-9,
      [&](const BatchStatistics& s, const BatchOutput& r) {
        if (simd_level() != SimdLevel::scalar) {
          CHECK(s.mixed > 10);
          CHECK(3 * s.half_empty < s.vectorised);
        }
        CHECK(budget_deviation_from_scalar(geometry, tracks, r, 1) < 1e-9);
      });
}

TEST_CASE("batch: with loss, tracks of a telescope share vectors") {
  const TrackingGeometry geometry(shipped("datura"));
  TrackList tracks;
  RandomLayouts random(77);
  // the last ones, in a block of their own, cross nothing
  for (int i = 0; i < 544; ++i)
    tracks.add({.p = random.log_uniform(0.1, 10),
                .theta = i < 512 ? random.uniform(0, 0.2) : 0.1,
                .phi = random.uniform(-3, 3),
                .vertex = {i < 512 ? 0.0 : 50.0, 0, -10}});
  for (const EnergyLoss loss : {EnergyLoss::mean, EnergyLoss::straggling})
    compare_all_levels(geometry, tracks, {.loss = loss}, 0, 1e-9,
                       [&](const BatchStatistics& s, const BatchOutput&) {
                         if (simd_level() != SimdLevel::scalar)
                           CHECK(s.mixed > 10);
                       });
}

TEST_CASE("batch: neighbours do not change a bit of a track in regions") {
  for (const char* name : {"datura", "lhcb"}) {
    const TrackingGeometry geometry(shipped(name));
    for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean})
      CHECK(is_independent_of_neighbours(geometry, beam(5, 0.2, -5),
                                         {.loss = loss}));
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
