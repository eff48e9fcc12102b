// SPDX-License-Identifier: Apache-2.0
// What a layer does to a track does not depend on how it is cut.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gttf/detector/read_model.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

struct Particle {
  const char* name;
  double mass;  ///< GeV
};

constexpr Particle particles[] = {{"pion", 0.13957039},
                                  {"muon", 0.1056583755},
                                  {"kaon", 0.493677},
                                  {"proton", 0.93827208943}};

/// The thickness [mm] that takes a part of a particle's kinetic energy.
double thickness_for(const Material& material, const Projectile& particle,
                     double p, double part) {
  const double m = particle.mass;
  const double wanted = part * (std::hypot(p, m) - m);
  Layer layer;
  layer.material = {{.material = material.name, .x_over_x0 = 1}};
  const auto slabs = make_loss_slabs(layer);
  double low = 0, high = 1e6;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (energy_loss(slabs, particle, p, middle).mean < wanted ? low : high) =
        middle;
  }
  return low * material.radiation_length;
}

/// Six massless pixel layers, and a plane of material after the second one, in
/// slices at practically the same position.
Detector sliced(const Material& material, double thickness, int slices,
                double tesla) {
  constexpr double spacing = 1e-7;  // mm
  const Interval wide{-1e4, 1e4};
  Detector d;
  d.field = {FieldKind::solenoid, tesla * unit::T};
  for (int i = 0; i < 6; ++i) {
    d.layers.push_back(make_layer("L" + std::to_string(i),
                                  make_plane(Axis::x, 50 + 60 * i, wide, wide),
                                  0, pixel(0.01, 0.01)));
    if (i != 1) continue;
    for (int k = 0; k < slices; ++k) {
      Layer layer =
          make_layer("S" + std::to_string(k),
                     make_plane(Axis::x, 140 + k * spacing, wide, wide), 0);
      layer.material = {
          {.material = material.name,
           .thickness = thickness / slices,
           .x_over_x0 = thickness / slices / material.radiation_length}};
      d.layers.push_back(layer);
    }
  }
  return d;
}

/// All standard deviations: the start, the first hit, p and pT.
std::vector<double> errors_of(const Resolution& r) {
  std::vector<double> list{r.sigma_p_rel, r.sigma_pt_rel};
  for (const Matrix5* m : {&r.perigee, &r.first_hit})
    for (int i = 0; i < 5; ++i) list.push_back(std::sqrt((*m)(i, i)));
  return list;
}

}  // namespace

TEST_CASE("energy loss: a layer and its slices give the same resolution") {
  constexpr double tolerance = 0.01;
  struct Worst {
    double difference = 0;
    std::string where;
  };
  const auto worst_of = [](const Material& material, const Particle& particle,
                           EnergyLoss loss, Scattering scattering) {
    Worst worst;
    for (const double p : {0.1, 0.3, 1.0, 10.0, 100.0})
      for (const double part : {0.001, 0.1, 0.5})
        for (const double theta : {1.4, 0.6}) {
          Track track;
          track.p = p;
          track.mass = particle.mass;
          track.charge = 1;
          track.theta = theta;
          const double thickness =
              std::sin(theta) *
              thickness_for(material, {track.mass, track.charge}, p, part);
          const auto of = [&](int slices) {
            return resolve(
                TrackingGeometry(sliced(material, thickness, slices, 0.1)),
                track, {.scattering = scattering, .loss = loss});
          };
          const Resolution whole = of(1);
          REQUIRE(whole.status == Status::ok);
          const auto expected = errors_of(whole);
          for (const int slices : {5, 10, 100}) {
            const Resolution cut = of(slices);
            REQUIRE(cut.status == Status::ok);
            const auto values = errors_of(cut);
            for (std::size_t i = 0; i < values.size(); ++i) {
              const double difference = std::abs(values[i] / expected[i] - 1);
              if (difference > worst.difference)
                worst = {difference,
                         fmt::format("p {} GeV, theta {:.0f} deg, {} of the "
                                     "energy lost, {} slices, sigma {}",
                                     p, theta / unit::deg, part, slices, i)};
            }
          }
        }
    return worst;
  };
  struct Models {
    EnergyLoss loss;
    Scattering scattering;
  };
  for (const auto& [loss, scattering] :
       {Models{EnergyLoss::mean, Scattering::rossi},
        Models{EnergyLoss::mean, Scattering::highland_total},
        Models{EnergyLoss::straggling, Scattering::highland_total},
        Models{EnergyLoss::straggling_variance, Scattering::rossi}})
    for (const char* name : {"beryllium", "silicon", "argon", "iron"})
      for (const Particle& particle : particles) {
        const Worst worst =
            worst_of(*find_material(name), particle, loss, scattering);
        const std::string text =
            fmt::format("{} {}, {}, {}: slices differ by {:.1e} at most ({})",
                        name, particle.name, to_string(loss),
                        to_string(scattering), worst.difference, worst.where);
        if (worst.difference > 0.1 * tolerance) MESSAGE(text);
        INFO(text);
        CHECK(worst.difference < tolerance);
      }
}

}  // namespace gttf::test::GTTF_TEST_FILE
