// SPDX-License-Identifier: Apache-2.0
// The energy lost at a hit, near the momentum of a reference track.
#include "gttf/fit/track/hit_loss.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gttf/core/units.hpp"
#include "gttf/fit/streaming/kinked_trajectory.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// A particle and a layer.
struct Passage {
  Projectile particle;
  std::vector<LossSlab> slabs;
  TrackHits track;

  Passage(const char* name, const char* material, double thickness) {
    const auto species = find_particle(name);
    particle = {species->mass, species->charge};
    Layer layer;
    const Material& m = *find_material(material);
    Slab slab;
    slab.material = material;
    slab.x_over_x0 = thickness / m.radiation_length;
    layer.material.push_back(slab);
    slabs = make_loss_slabs(layer);
    track.flight =
        FlightModel{nullptr, {}, particle.mass, std::abs(particle.charge)};
  }

  HitLoss at(double p) const {
    return hit_loss(slabs, particle, p, 1, EnergyLoss::mean, {});
  }
  /// NaN if it stops.
  double exact(double p, double paths = 1) const {
    const double m = particle.mass, kinetic = detail::kinetic_energy(p, m);
    const double after = kinetic - energy_loss(slabs, particle, p, paths).mean;
    return after > 0 ? std::sqrt(after * (after + 2 * m)) : std::nan("");
  }
};

}  // namespace

TEST_CASE("hit loss: exact at the reference, with its derivatives") {
  for (const char* name : {"proton", "kaon", "pion", "muon", "electron"})
    for (const double p : {0.16, 0.3, 1.0, 10.0, 1000.0}) {
      CAPTURE(std::string(name));
      CAPTURE(p);
      const Passage a(name, "silicon", 0.8 * unit::mm);
      const HitLoss loss = a.at(p);
      const detail::MomentumBehind behind =
          detail::momentum_behind(a.track, loss, p);
      CHECK(behind.p == doctest::Approx(a.exact(p)).epsilon(1e-12));
      const double step = 1e-4;
      const double by_p =
          (a.exact(p * (1 + step)) - a.exact(p * (1 - step))) / (2 * step * p);
      CHECK(behind.by_momentum == doctest::Approx(by_p).epsilon(1e-5));
      const double by_path =
          (a.exact(p, 1 + step) - a.exact(p, 1 - step)) / (2 * step);
      CHECK(behind.by_loss * loss.path.per_path ==
            doctest::Approx(by_path).epsilon(1e-4));
    }
}

TEST_CASE("hit loss: holds until the particle stops") {
  const Passage a("proton", "silicon", 0.95 * unit::mm);
  // it has 2 MeV left at 0.153 GeV
  const HitLoss loss = a.at(0.153);
  REQUIRE(a.exact(0.153) > 0.03);
  for (const double p : {0.1515, 0.155, 0.16, 0.18, 0.25, 0.4}) {
    CAPTURE(p);
    REQUIRE(a.exact(p) > 0);
    const double lost = detail::kinetic_energy(p, a.particle.mass) -
                        detail::kinetic_energy(a.exact(p), a.particle.mass);
    const detail::MomentumBehind behind =
        detail::momentum_behind(a.track, loss, p);
    CHECK(detail::kinetic_energy(p, a.particle.mass) -
              detail::kinetic_energy(behind.p, a.particle.mass) ==
          doctest::Approx(lost).epsilon(0.05));
    CHECK(detail::momentum_before(a.track, loss, behind.p) ==
          doctest::Approx(p).epsilon(1e-12));
  }
  CHECK(std::isnan(detail::momentum_behind(a.track, loss, 0.14).p));
}

}  // namespace gttf::test::GTTF_TEST_FILE
