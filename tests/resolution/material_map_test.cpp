// SPDX-License-Identifier: Apache-2.0
// Material that varies over a layer: the value at the crossing counts.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/budget.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "support/compare.hpp"
#include "support/flown_toys.hpp"
#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr std::array engines{Engine::streaming, Engine::triplet};

/// Four surfaces of different kinds with maps, and hits after them.
/// @param material  of the surfaces with maps, in order
Detector tracker(const Folder& folder, const std::array<std::string, 4>& m) {
  const std::string text = R"(gttf-detector: 1
name: maps
field: { solenoid: 2 T }
layers:
  - { name: pix, cylinder: { radius: 30 mm, half_length: 400 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: tube, cylinder: { radius: 45 mm, half_length: 400 mm }, material: )" +
                           m[0] + R"( }
  - { name: cone, cone: { z: [40 mm, 120 mm], radius: [55 mm, 70 mm] }, material: )" +
                           m[1] + R"( }
  - { name: two, cylinder: { radius: 90 mm, half_length: 400 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: wheel, disk: { z: 120 mm, radius: [80 mm, 200 mm] }, material: )" +
                           m[2] + R"(, measures: { rphi: 10 um, r: 10 um } }
  - { name: ring, ring: { radius: 150 mm, z: 150 mm, count: 8, size: [130 mm, 200 mm], tilt: 40 deg }, material: )" +
                           m[3] + R"(, measures: { u: 10 um, v: 20 um } }
  - { name: out, cylinder: { radius: 300 mm, half_length: 800 mm }, material: 1 %, measures: { rphi: 10 um, z: 20 um } }
)";
  return read_detector(folder.write("d.yaml", text)).detector;
}

struct Maps {
  Folder folder;

  Maps() {
    folder.write("tube.csv",
                 "z_mm,phi_deg,x_over_x0\n-50,0,0.01\n-50,180,0.02\n"
                 "50,0,0.03\n50,180,0.05\n");
    folder.write("cone.csv", "r_mm,x_over_x0\n57,0.02\n60,0.004\n70,0.01\n");
    folder.write("wheel.csv",
                 "r_mm,phi_deg,x_over_x0\n100,10,0\n100,190,0.03\n"
                 "200,10,0.01\n200,190,0.05\n");
    folder.write("ring.csv",
                 "u_mm,v_mm,x_over_x0\n-30,-50,0.01\n-30,50,0.02\n"
                 "30,-50,0.04\n30,50,0.03\n");
  }
  Detector detector() const {
    return tracker(folder, {"{ map: tube.csv }", "{ map: cone.csv }",
                            "{ map: wheel.csv }", "{ map: ring.csv }"});
  }
};

Track towards(double p, double theta, double phi) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  t.vertex = {0.3, -0.2, 2};
  return t;
}

/// The detector with the x/X0 that a track meets, the same everywhere.
Detector as_met(Detector d, const Resolution& r) {
  for (const CrossingInfo& x : r.crossings) {
    Layer& layer = d.layers[x.layer];
    if (!layer.has_map()) continue;
    layer.material.resize(1);
    layer.material[0].map = nullptr;
    layer.material[0].x_over_x0 = x.x_over_x0 * x.cos_incidence;
  }
  return d;
}

/// x/X0 of a file of `Maps`, looked up by hand.
double by_hand(const Detector& d, const CrossingInfo& x) {
  const double z = x.position.z(),
               r = std::hypot(x.position.x(), x.position.y());
  const double phi = std::atan2(x.position.y(), x.position.x()) / unit::deg;
  const std::string& name = d.layers[x.layer].name;
  if (name == "tube")
    return std::abs(phi) < 90 ? (z < 0 ? 0.01 : 0.03) : (z < 0 ? 0.02 : 0.05);
  if (name == "cone") return r < 58.5 ? 0.02 : r < 65 ? 0.004 : 0.01;
  if (name == "wheel") {
    const bool first = std::abs(std::remainder(phi - 10, 360)) < 90;
    return r < 150 ? (first ? 0 : 0.03) : (first ? 0.01 : 0.05);
  }
  // the plane's own axes
  const Surface& s = d.layers[x.layer].surface;
  const auto along = [&](const std::array<double, 3>& a) {
    return a[0] * x.position.x() + a[1] * x.position.y() + a[2] * z;
  };
  const double u = along(s.u_vector) - 0.5 * (s.u.lower + s.u.upper);
  const double v = along(s.v_vector()) - 0.5 * (s.v.lower + s.v.upper);
  return u < 0 ? (v < 0 ? 0.01 : 0.02) : (v < 0 ? 0.04 : 0.03);
}

}  // namespace

TEST_CASE("material map: tracks meet the value of their bin") {
  const Maps maps;
  const Detector d = maps.detector();
  const TrackingGeometry geometry(d);
  int met = 0;
  for (double phi = -3; phi < 3; phi += 0.37)
    for (const double theta : {0.62, 0.75, 0.9, 1.1, 2.0}) {
      const Track track = towards(0.8, theta, phi);
      for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
        Model model;
        model.loss = loss;
        const Resolution r = resolve(geometry, track, model);
        double sum = 0;
        for (const CrossingInfo& x : r.crossings) {
          sum += x.x_over_x0;
          if (!d.layers[x.layer].has_map()) continue;
          CHECK(x.x_over_x0 * x.cos_incidence ==
                doctest::Approx(by_hand(d, x)).epsilon(1e-12));
          ++met;
        }
        CHECK(r.x_over_x0 == doctest::Approx(sum));
      }
    }
  CHECK(met > 200);
}

TEST_CASE("material map: the resolution is that with this x/X0 everywhere") {
  const Maps maps;
  const Detector d = maps.detector();
  const TrackingGeometry geometry(d);
  for (double phi = -3; phi < 3; phi += 0.71)
    for (const double theta : {0.62, 0.9, 2.0})
      for (const Engine engine : engines)
        for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::straggling})
          for (const Scattering scattering :
               {Scattering::highland, Scattering::highland_total}) {
            Model model{
                .scattering = scattering, .engine = engine, .loss = loss};
            const Track track = towards(0.8, theta, phi);
            const Resolution r = resolve(geometry, track, model);
            const TrackingGeometry uniform(as_met(d, r));
            const Resolution same = resolve(uniform, track, model);
            REQUIRE(r.status == same.status);
            if (r.status != Status::ok) continue;
            CHECK(worst(r.perigee, same.perigee) < 1e-10);
            CHECK(relative(r.sigma_p_rel, same.sigma_p_rel) < 1e-10);
            CHECK(
                worst(make_budget(geometry, track, model).resolution.first_hit,
                      same.first_hit) < 1e-10);
          }
}

TEST_CASE("material map: equal values in all bins are not a map") {
  const Maps maps;
  maps.folder.write("flat.csv",
                    "z_mm,phi_deg,x_over_x0\n-50,0,0.02\n"
                    "-50,180,0.02\n50,0,0.02\n50,180,0.02\n");
  const TrackingGeometry flat(
      tracker(maps.folder, {"{ map: flat.csv }", "1 %", "1 %", "1 %"}));
  const TrackingGeometry plain(
      tracker(maps.folder, {"2 %", "1 %", "1 %", "1 %"}));
  const Track track = towards(2, 1.1, 0.3);
  CHECK(relative(resolve(flat, track, Model()).sigma_p_rel,
                 resolve(plain, track, Model()).sigma_p_rel) < 1e-13);
}

TEST_CASE("material map: tracks of a batch take the scalar path") {
  const Maps maps;
  const TrackingGeometry geometry(maps.detector());
  CHECK_FALSE(is_vectorised(geometry, Model()));
  CHECK(geometry.has_maps());
}

TEST_CASE("material map: a layer's x/X0 is that of its map as a whole") {
  const Maps maps;
  const Detector d = maps.detector();
  const TrackingGeometry geometry(d);
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
    Model model;
    model.loss = loss;
    const Track track = towards(0.8, 0.9, 2.7);
    const Sensitivities s = make_sensitivities(geometry, track, model);
    REQUIRE(s.exists());
    int checked = 0;
    for (const Sensitivity& item : s.items) {
      if (item.quantity != Quantity::x_over_x0 ||
          !d.layers[item.layer].has_map())
        continue;
      CHECK(item.value == doctest::Approx(d.layers[item.layer].x_over_x0()));
      const auto sigma = [&](double relative) {
        TrackingGeometry changed(d);
        changed.scale_material(item.layer, 1 + relative);
        return resolve(changed, track, model).sigma_p_rel;
      };
      const double h = 1e-4;
      const double slope =
          (8 * (sigma(h) - sigma(-h)) - (sigma(2 * h) - sigma(-2 * h))) /
          (12 * h * item.value) / sigma(0);
      CHECK(std::abs(item.slope[Parameter::p] - slope) <
            1e-6 * std::abs(slope) + 1e-8);
      ++checked;
    }
    CHECK(checked >= 2);
  }
}

// Widths and means within 4.5 standard errors, see general_surfaces_test.cpp.
TEST_CASE("material map: toys have pulls of one") {
  const Maps maps;
  const TrackingGeometry geometry(maps.detector());
  const Track track = towards(1.2, 0.9, 2.3);
  REQUIRE(resolve(geometry, track, Model()).status == Status::ok);
  FlownToys toys;
  StreamingFitter fitter;
  toys.run(
      ToySimulator(geometry, track, Model()), 3000,
      false, [&](const TrackHits& hits) -> auto& { return fitter.fit(hits); });
  CHECK(toys.failed == 0);
  CHECK(toys.missed < 30);  // all through the middle of a module
  toys.check(4.5, 5);
}

}  // namespace gttf::test::GTTF_TEST_FILE
