// SPDX-License-Identifier: Apache-2.0
// Batches of tracks whose energy loss fluctuates.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read_model.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "support/at_level.hpp"
#include "support/batch_deviation.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr EnergyLoss models[] = {EnergyLoss::straggling,
                                 EnergyLoss::straggling_variance};

/// Tracks of growing momentum in many directions.
TrackList tracks_of(const Projectile& particle, double least_p, double factor,
                    double theta, double widest, double z = 0) {
  TrackList tracks;
  for (int i = 0; i < 80; ++i)
    tracks.add({.p = least_p * std::pow(factor, i),
                .theta = theta + widest * (i * 7 % 80) / 80.0,
                .phi = 0.7 * i,
                .mass = particle.mass,
                .charge = particle.charge,
                .vertex = {0, 0, z}});
  return tracks;
}

const Projectile pion{0.13957039, 1}, alpha{3.7273794, 2},
    electron{electron_mass, -1}, positron{electron_mass, 1};

/// Model of the comparison, and how many tracks it may leave to the scalar
/// path.
struct Requirement {
  std::size_t most_scalar;
  bool with_budgets;
};

void compare_batch(const TrackingGeometry& geometry, const TrackList& tracks,
                   const Model& model, const Requirement& least) {
  CAPTURE(to_string(model.loss));
  compare_all_levels(
      geometry, tracks, model,
      least.with_budgets ? geometry.surfaces().size() : 0, 1e-9,
      [&](const BatchStatistics& s, const BatchOutput& r) {
        CHECK(s.unsupported == 0);
        CHECK(tracks.size() - s.vectorised - s.not_fitted <= least.most_scalar);
        if (least.with_budgets &&
            simd_level() == available_simd_levels().back())
          CHECK(budget_deviation_from_scalar(geometry, tracks, r, 5, model) <
                1e-9);
      });
}

}  // namespace

TEST_CASE("batch: fluctuations of the loss in shipped detectors") {
  const double widest = 80 * unit::deg;
  for (const char* name : {"alice_its2", "cld", "ild", "belle2"})
    for (const EnergyLoss loss : models) {
      const TrackingGeometry geometry(shipped(name));
      CAPTURE(name);
      // the slowest stop, or return inwards
      compare_batch(geometry,
                    tracks_of(pion, 0.3, 1.08, 50 * unit::deg, widest),
                    {.loss = loss}, {12, true});
    }
}

TEST_CASE("batch: fluctuations of the loss of electrons and of nuclei") {
  struct Case {
    const char* name;
    Projectile particle;
    double least_p, theta, widest;
  };
  const double range = 60 * unit::deg;
  for (const Case& c :
       {Case{"mu3e", positron, 0.018, 50 * unit::deg, range},
        Case{"alice_its2", electron, 0.2, 60 * unit::deg, range},
        Case{"alice_its2", alpha, 3, 60 * unit::deg, range},
        Case{"lhcb", electron, 4, 0.02, 0.1}})
    for (const EnergyLoss loss : models) {
      const TrackingGeometry geometry(shipped(c.name));
      CAPTURE(c.name);
      CAPTURE(c.particle.mass);
      compare_batch(geometry,
                    tracks_of(c.particle, c.least_p, 1.05, c.theta, c.widest),
                    {.loss = loss}, {20, false});
    }
}

TEST_CASE("batch: fluctuations of the loss in spectrometers and telescopes") {
  struct Case {
    const char* name;
    double p, widest, z;
    std::size_t most_scalar;
  };
  for (const Case& c :
       {Case{"lhcb", 3, 0.28, 0, 60}, Case{"faser", 100, 0.01, -1600, 0},
        Case{"datura", 0.5, 0.05, -10, 0}})
    for (const EnergyLoss loss : models)
      for (const Scattering scattering :
           {Scattering::highland, Scattering::highland_total,
            Scattering::off}) {
        const TrackingGeometry geometry(shipped(c.name));
        CAPTURE(c.name);
        CAPTURE(to_string(scattering));
        compare_batch(geometry, tracks_of(pion, c.p, 1.04, 0, c.widest, c.z),
                      {.scattering = scattering, .loss = loss},
                      {c.most_scalar, loss == EnergyLoss::straggling &&
                                          scattering == Scattering::highland});
      }
}

TEST_CASE("batch: fluctuations of the loss in thick layers, also unmeasured") {
  for (const Projectile& particle : {pion, electron}) {
    // Several steps of the integration, material behind the last hit and in
    // front of the first. Electrons radiate: after more material the batch
    // would leave them, too curved, to the scalar path.
    const double x_over_x0 = particle.is_electron() ? 0.01 : 0.05;
    Detector d = make_barrel(8, 40, 600, 2, 0, 0.01);
    for (std::size_t i = 0; i < d.layers.size(); ++i) {
      d.layers[i].material = {{"iron", 0, x_over_x0 * (i % 3 == 1 ? 5 : 1)},
                              {"silicon", 0, 0.2 * x_over_x0}};
      if (i == 0 || i == 3 || i == 7) d.layers[i].coordinates.clear();
    }
    const TrackingGeometry geometry(d);
    for (const EnergyLoss loss : models)
      for (const bool with_spot : {false, true}) {
        Model model{.loss = loss};
        if (with_spot) model.beam_spot = BeamSpot{0.02, 0.01, 10};
        CAPTURE(particle.mass);
        CAPTURE(with_spot);
        const TrackList tracks =
            tracks_of(particle, 0.6, 1.04, 70 * unit::deg, 40 * unit::deg);
        if (!with_spot) {
          compare_batch(geometry, tracks, model, {20, true});
          continue;
        }
        for (const SimdLevel level : available_simd_levels()) {
          const AtLevel at(level);
          BatchOutput r(tracks.size(), 0);
          ResolutionArrays views = r.views();
          views.perigee_without_inner = views.first_hit = {};
          CHECK(resolve(geometry, tracks.views(), model, views).vectorised >
                60);
          double worst = 0;
          for (std::size_t t = 0; t < tracks.size(); ++t) {
            const Resolution one =
                resolve(geometry, tracks.views().track(t), model);
            if (one.status == Status::ok)
              worst =
                  std::max(worst, std::abs(r.sigma_p[t] / one.sigma_p_rel - 1));
          }
          CHECK(worst < 1e-9);
        }
      }
  }
}

TEST_CASE("batch: neighbours do not change a bit of a track that straggles") {
  for (const char* name : {"cld", "lhcb"}) {
    const TrackingGeometry geometry(shipped(name));
    const bool forward = name == std::string_view("lhcb");
    CHECK(is_independent_of_neighbours(
        geometry,
        tracks_of(pion, forward ? 4 : 0.3, 1.05, forward ? 0.02 : 0.9,
                  forward ? 0.2 : 1.2),
        {.loss = EnergyLoss::straggling}));
  }
}

// Their derivatives are those of all layers together, and the collisions of a
// loss that is given are not known to the kernels.
TEST_CASE("batch: what of the fluctuations takes the scalar path") {
  Detector d = shipped("alice_its2");
  const TrackList tracks =
      tracks_of(pion, 0.5, 1.05, 70 * unit::deg, 40 * unit::deg);
  const Model model{.loss = EnergyLoss::straggling};
  d.layers[2].material[0].mean_loss = 0.2 * unit::MeV;
  const TrackingGeometry geometry(d);
  BatchOutput r(tracks.size(), 0);
  CHECK(resolve(geometry, tracks.views(), model, r.views()).unsupported ==
        tracks.size());
}

}  // namespace gttf::test::GTTF_TEST_FILE
