// SPDX-License-Identifier: Apache-2.0
// Truncated cones: against an independent code, in their limits, and simulated.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "gttf/fit/triplet/global_fit.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/compare.hpp"
#include "support/flown_toys.hpp"
#include "support/layouts.hpp"
#include "support/reference.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Interval interval(const nlohmann::json& pair) {
  return {pair.at(0).get<double>(), pair.at(1).get<double>()};
}

Surface surface_of(const nlohmann::json& layer) {
  const std::string type = layer.at("type");
  if (type == "cylinder")
    return make_cylinder(layer.at("radius_mm"), interval(layer.at("z_mm")));
  if (type == "disk")
    return make_disk(layer.at("z_mm"), interval(layer.at("radius_mm")));
  REQUIRE(type == "cone");
  const auto& radius = layer.at("radius_mm");
  return make_cone(interval(layer.at("z_mm")), radius.at(0), radius.at(1));
}

/// The one module of a ring that a track of the file crosses, turned about z
/// by -`azimuth` so that it faces along x.
Surface module_of(const nlohmann::json& ring, double& azimuth, int module) {
  const double radius = ring.at("radius_mm");
  const double turn = ring.at("turn_deg").get<double>() * unit::deg;
  azimuth = (ring.at("phi_deg").get<double>() +
             360.0 * module / ring.at("count").get<int>()) *
                unit::deg +
            turn;
  const double middle = -radius * std::sin(turn), z = ring.at("z_mm");
  const double half_u = ring.at("size_mm").at(0).get<double>() / 2;
  const double half_v = ring.at("size_mm").at(1).get<double>() / 2;
  return make_plane(Axis::x, radius * std::cos(turn),
                    {middle - half_u, middle + half_u},
                    {z - half_v, z + half_v});
}

struct ReferenceCase {
  Detector detector;
  Track track;
  double azimuth = 0;  ///< by which both are turned back
};

ReferenceCase make_case(const nlohmann::json& file,
                        const nlohmann::json& point) {
  ReferenceCase c;
  c.detector.field = {
      FieldKind::solenoid,
      file.at("detector").at("field_T").get<double>() * unit::T};
  for (const auto& layer : file.at("detector").at("layers")) {
    Layer l;
    l.name = layer.at("name");
    if (layer.at("type") == "ring") {
      for (const auto& x : point.at("expected").at("crossings"))
        if (x.at("surface") == l.name)
          l.surface = module_of(layer, c.azimuth, x.at("module"));
      if (l.surface.shape != Shape::plane) continue;
    } else {
      l.surface = surface_of(layer);
    }
    l.material.push_back({"", 0, layer.at("x_over_x0")});
    for (const auto& m : layer.at("measures"))
      l.coordinates.push_back({m.at("angle_rad"), m.at("sigma_mm")});
    c.detector.layers.push_back(l);
  }
  const auto& in = point.at("input");
  const double x = in.at("vertex_mm").at(0), y = in.at("vertex_mm").at(1);
  const double cosine = std::cos(c.azimuth), sine = std::sin(c.azimuth);
  c.track.p = in.at("p_GeV");
  c.track.theta = in.at("theta_deg").get<double>() * unit::deg;
  c.track.phi = in.at("phi_deg").get<double>() * unit::deg - c.azimuth;
  c.track.mass = in.at("mass_GeV");
  c.track.charge = in.at("charge");
  c.track.vertex = {cosine * x + sine * y, cosine * y - sine * x,
                    in.at("vertex_mm").at(2)};
  return c;
}

Matrix5 matrix(const nlohmann::json& rows) {
  Matrix5 m;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      m(i, j) =
          rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
  return m;
}

constexpr std::array engines{Engine::streaming, Engine::triplet};

/// A barrel, and forward cones that open and close.
Detector cones(double tesla) {
  Detector d = make_barrel(3, 25, 60, tesla, 3e-3, 0.01);
  for (Layer& layer : d.layers) layer.surface.v = {-150, 150};
  const std::array<std::array<double, 4>, 5> ends{{{160, 220, 30, 140},
                                                   {240, 330, 140, 60},
                                                   {350, 450, 50, 240},
                                                   {480, 620, 220, 110},
                                                   {700, 720, 60, 400}}};
  for (const auto& [z0, z1, r0, r1] : ends)
    d.layers.push_back(make_layer("C" + std::to_string(d.layers.size()),
                                  make_cone({z0, z1}, r0, r1), 5e-3,
                                  pixel(0.01, 0.02)));
  return d;
}

Track forward(double p, double theta) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = 0.7;
  t.vertex = {0.3, -0.2, 4};
  return t;
}

}  // namespace

TEST_CASE("cones: equal the independent least squares, in both engines") {
  const auto file = read_json("geometry/cones.json");
  for (const auto& point : file.at("points")) {
    const auto& e = point.at("expected");
    const ReferenceCase c = make_case(file, point);
    const TrackingGeometry geometry(c.detector);
    for (const Engine engine : engines) {
      Model model;
      model.engine = engine;
      const Resolution r = resolve(geometry, c.track, model);
      REQUIRE(r.status == Status::ok);
      CHECK(r.n_hits == e.at("n_hits").get<int>());
      REQUIRE(r.crossings.size() == e.at("crossings").size());
      for (std::size_t k = 0; k < r.crossings.size(); ++k) {
        const CrossingInfo& a = r.crossings[k];
        const auto& b = e.at("crossings")[k];
        CHECK(c.detector.layers[a.layer].name == b.at("surface"));
        CHECK(relative(a.path, b.at("s_mm")) < 1e-11);
        CHECK(relative(a.position.z(), b.at("position_mm").at(2)) < 1e-11);
        CHECK(relative(a.cos_incidence, b.at("cos_incidence")) < 1e-11);
        CHECK(relative(a.x_over_x0, b.at("x_over_x0")) < 1e-11);
        CHECK(relative(a.theta0, b.at("theta0_rad")) < 1e-11);
      }
      CHECK(worst(r.perigee, matrix(e.at("cov_perigee"))) < 1e-10);
      CHECK(worst(r.first_hit, matrix(e.at("cov_first_hit"))) < 1e-10);
      CHECK(relative(r.sigma_pt_rel, e.at("sigma_pt_rel")) < 1e-10);
    }
  }
}

TEST_CASE("cones: without slope they are cylinders, flat ones are disks") {
  const auto compare = [](const Surface& cone, const Surface& limit,
                          double theta) {
    for (const double tesla : {2.0, 0.0})
      for (const Engine engine : engines)
        for (const bool traced : {false, true}) {
          if (traced && tesla == 0) continue;
          Detector d = make_barrel(4, 20, 80, tesla, 3e-3, 0.01);
          for (Layer& layer : d.layers) layer.surface.v = {-90, 900};
          for (const double z : {150., 300., 900.})
            d.layers.push_back(make_layer("D" + std::to_string(z),
                                          make_disk(z, {10, 600}), 0.01,
                                          pixel(0.01, 0.02)));
          d.layers.push_back(
              make_layer("cone", cone, 0.01, pixel(0.005, 0.007)));
          Detector other = d;
          other.layers.back().surface = limit;
          Model model;
          model.engine = engine;
          if (traced) {
            d = in_gap(d);
            other = in_gap(other);
          }
          const Resolution a =
              resolve(TrackingGeometry(d), forward(2, theta), model);
          const Resolution b =
              resolve(TrackingGeometry(other), forward(2, theta), model);
          REQUIRE(a.status == b.status);
          REQUIRE(a.crossings.size() == b.crossings.size());
          CHECK(a.crossings.size() == 8);
          CAPTURE(tesla);
          CAPTURE(traced);
          CHECK(worst(a.perigee, b.perigee, tesla == 0 ? 4 : 5) < 1e-12);
          CHECK(worst(a.first_hit, b.first_hit, tesla == 0 ? 4 : 5) < 1e-12);
        }
  };
  compare(make_cone({-100, 900}, 110, 110), make_cylinder(110, {-100, 900}),
          0.25);
  // so thin that its ends are 1e-12 of its z apart
  compare(make_cone({600, 600 + 4e-10}, 20, 400), make_disk(600, {20, 400}),
          0.25);
}

TEST_CASE("cones: a traced track gives what the helix gives") {
  for (const double theta : {0.2, 0.3, 0.45})
    for (const double p : {0.3, 3.0}) {
      const Detector d = cones(1.5);
      const Resolution a =
          resolve(TrackingGeometry(d), forward(p, theta), Model());
      const Resolution b =
          resolve(TrackingGeometry(in_gap(d)), forward(p, theta), Model());
      REQUIRE(a.status == Status::ok);
      REQUIRE(b.status == Status::ok);
      REQUIRE(a.crossings.size() == b.crossings.size());
      CHECK(worst(b.perigee, a.perigee) < 1e-11);
    }
}

// Widths and means within 4.5 standard errors: by chance outside once in
// 150 000; the seed is fixed.
TEST_CASE("cones: toys have pulls of one, by helices and traced") {
  for (const bool traced : {false, true}) {
    CAPTURE(traced);
    const Detector d = traced ? in_gap(cones(1.5)) : cones(1.5);
    const TrackingGeometry geometry(d);
    const Track track = forward(1.5, 0.3);
    FlownToys toys;
    const auto run = [&](const ToySimulator& simulator) {
      StreamingFitter fitter;
      toys.run(
          simulator, 4000, false, [&](const TrackHits& hits) -> auto& {
            return fitter.fit(hits);
          });
    };
    if (traced) {
      const TracedTrack reference =
          trace(geometry, track, Scattering::highland);
      run(ToySimulator(geometry, track, reference, EnergyLoss::off, {}));
    } else {
      run(ToySimulator(geometry, track, Model()));
    }
    CHECK(toys.failed == 0);
    CHECK(toys.missed < 40);
    toys.check(4.5, 5);
  }
}

TEST_CASE("cones: fits by triplets and by streaming agree") {
  const TrackingGeometry geometry(cones(1.5));
  const Track track = forward(2, 0.3);
  const ToySimulator simulator(geometry, track, Model());
  ToyTrack toy = simulator.prototype();
  StreamingFitter fitter;
  for (std::uint64_t i = 0; i < 50; ++i) {
    if (!simulator.simulate({5, 0, i}, toy)) continue;
    const GlobalFit a = fitter.fit(toy.hits);
    const GlobalFit b = fit_global(toy.hits, FitKind::general);
    REQUIRE(a.status == FitStatus::ok);
    REQUIRE(b.status == FitStatus::ok);
    // other points of linearisation: second order in the residuals
    CHECK(std::abs(a.kappa - b.kappa) < 0.02 * a.sigma);
    CHECK(std::abs(a.sigma / b.sigma - 1) < 0.02);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
