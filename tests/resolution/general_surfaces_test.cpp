// SPDX-License-Identifier: Apache-2.0
// Planes anywhere, rings, cones and errors that depend on the track: against an
// independent code, in their limits, and turned as a whole.
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/detector/ring.hpp"
#include "gttf/resolution/batch.hpp"
#include "gttf/resolution/drawn_toys.hpp"
#include "gttf/resolution/regime.hpp"
#include "gttf/resolution/resolution.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/scan/sensitivity.hpp"
#include "support/compare.hpp"
#include "support/flown_toys.hpp"
#include "support/layouts.hpp"
#include "support/reference.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr std::array engines{Engine::streaming, Engine::triplet};

Track track_of(const nlohmann::json& in) {
  Track t;
  t.p = in.at("p_GeV");
  t.theta = in.at("theta_deg").get<double>() * unit::deg;
  t.phi = in.at("phi_deg").get<double>() * unit::deg;
  t.mass = in.at("mass_GeV");
  t.charge = in.at("charge");
  t.vertex = {in.at("vertex_mm").at(0), in.at("vertex_mm").at(1),
              in.at("vertex_mm").at(2)};
  return t;
}

/// "V0[3]" of the module 3 of the ring V0.
std::string name_of(const nlohmann::json& crossing) {
  const std::string name = crossing.at("surface");
  return crossing.at("module").is_null()
             ? name
             : fmt::format("{}[{}]", name, crossing.at("module").get<int>());
}

/// The momentum is a parameter in 5 rows; without field there are 4.
Matrix5 matrix(const nlohmann::json& rows, int n) {
  Matrix5 m = Matrix5::Zero();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      m(i, j) =
          rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
  return m;
}

constexpr const char* modules = R"(gttf-detector: 1
name: modules
field: { solenoid: 2 T }
layers:
  - { name: pix, cylinder: { radius: 30 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - name: tilted
    ring: { radius: [60 mm, 110 mm], z: [20 mm, 60 mm], count: 16, size: [48 mm, 60 mm], tilt: [20 deg, 47 deg], turn: 8 deg, phi: 5 deg }
    mirror: true
    material: 1 %
    measures: { u: 8 um, v: 30 um }
  - { name: out, ring: { radius: 250 mm, z: 0 mm, count: 24, size: [60 mm, 900 mm] }, material: 1 %, measures: { u: 20 um } }
  - { name: last, cylinder: { radius: 300 mm, half_length: 600 mm }, material: 2 %, measures: { rphi: 10 um, z: 1 mm } }
)";

const Detector& barrel_of_modules() {
  static const Detector d = parse_detector(modules, "modules.yaml").detector;
  return d;
}

Detector with_key(const std::string& key, double value, const char* unit) {
  const std::array sets{fmt::format("{}={:.15g} {}", key, value, unit)};
  return parse_detector(modules, "modules.yaml", sets).detector;
}

Track towards(double p, double theta, double phi) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  t.vertex = {0.3, -0.2, 4};
  return t;
}

}  // namespace

TEST_CASE("surfaces: equal the independent least squares, in both engines") {
  for (const char* name : {"g1_turned_telescope", "g2_tilted_ring",
                           "g3_cone_turbine", "g4_tpc_drift"}) {
    CAPTURE(name);
    const auto file = read_json(fmt::format("geometry/{}.json", name));
    const Detector detector =
        parse_detector(file.at("yaml").get<std::string>(), name).detector;
    const TrackingGeometry geometry(detector);
    const int n = geometry.has_field() ? 5 : 4;
    for (const auto& point : file.at("points")) {
      const auto& e = point.at("expected");
      const Track track = track_of(point.at("input"));
      for (const Engine engine : engines) {
        Model model;
        model.engine = engine;
        const Resolution r = resolve(geometry, track, model);
        REQUIRE(r.status == (n == 5 ? Status::ok : Status::no_field));
        CHECK(r.n_hits == e.at("n_hits").get<int>());
        REQUIRE(r.crossings.size() == e.at("crossings").size());
        for (std::size_t k = 0; k < r.crossings.size(); ++k) {
          const CrossingInfo& a = r.crossings[k];
          const auto& b = e.at("crossings")[k];
          CHECK(detector.layers[a.layer].name == name_of(b));
          CHECK(relative(a.path, b.at("s_mm")) < 1e-11);
          CHECK(relative(a.cos_incidence, b.at("cos_incidence")) < 1e-11);
          CHECK(relative(a.x_over_x0, b.at("x_over_x0")) < 1e-11);
          CHECK(relative(a.theta0, b.at("theta0_rad")) < 1e-11);
        }
        CHECK(worst(r.perigee, matrix(e.at("cov_perigee"), n), n) < 1e-10);
        CHECK(worst(r.first_hit, matrix(e.at("cov_first_hit"), n), n) < 1e-10);
        if (n == 5)
          CHECK(relative(r.sigma_pt_rel, e.at("sigma_pt_rel")) < 1e-10);
        if (!point.at("input").contains("at")) continue;
        for (std::size_t layer = 0; layer < detector.layers.size(); ++layer) {
          if (detector.layers[layer].name != point.at("input").at("at"))
            continue;
          for (const bool own : {true, false}) {
            model.at = AtLayer{layer, own};
            const Resolution at = resolve(geometry, track, model);
            REQUIRE(at.at);
            CHECK(worst(at.at->covariance,
                        matrix(e.at(own ? "cov_at" : "cov_at_without_own_hit"),
                               n),
                        n) < 1e-10);
          }
        }
      }
    }
  }
}

// From N = 180 to 1800 modules the deviation falls by 10: modules are tangents,
// and the distance between tangent and cylinder is proportional to 1/N at their
// edges.
TEST_CASE("surfaces: a ring of narrow modules tends to a cylinder or a disk") {
  const auto detector = [](const std::string& shape) {
    return parse_detector(fmt::format(R"(gttf-detector: 1
name: limit
field: {{ solenoid: 2 T }}
layers:
  - {{ name: a, cylinder: {{ radius: 30 mm, half_length: 300 mm }}, material: 1 %, measures: {{ rphi: 5 um, z: 10 um }} }}
  - {{ name: b, cylinder: {{ radius: 60 mm, half_length: 300 mm }}, material: 1 %, measures: {{ rphi: 5 um, z: 10 um }} }}
  - {{ name: c, {}, material: 2 %, measures: {{ u: 7 um, v: 20 um }} }}
  - {{ name: d, cylinder: {{ radius: 400 mm, half_length: 900 mm }}, material: 1 %, measures: {{ rphi: 5 um, z: 10 um }} }}
)",
                                      shape),
                          "limit.yaml")
        .detector;
  };
  struct Limit {
    std::string exact, ring;
    double width;  ///< of all modules, mm
  };
  const Limit limits[] = {
      {"cylinder: { radius: 200 mm, half_length: 400 mm }",
       "radius: 200 mm, z: 0 mm, size: [{} mm, 800 mm], tilt: 0 deg",
       2 * unit::pi * 200},
      {"cone: { z: [150 mm, 250 mm], radius: [250 mm, 150 mm] }",
       "radius: 200 mm, z: 200 mm, size: [{} mm, 141.42 mm], tilt: 45 deg",
       2 * unit::pi * 200}};
  for (const Limit& limit : limits) {
    const Track track = towards(1.3, 0.79, 0.4);
    const Resolution exact =
        resolve(TrackingGeometry(detector(limit.exact)), track, Model());
    REQUIRE(exact.crossings.size() == 4);
    double last = 1;
    for (const int n : {180, 1800}) {
      // a little wider than they need to be, at the place of the track
      const std::string ring =
          fmt::format("ring: {{ count: {}, {} }}", n,
                      fmt::format(fmt::runtime(limit.ring),
                                  fmt::format("{:.9g}", limit.width / n)));
      const Resolution r =
          resolve(TrackingGeometry(detector(ring)), track, Model());
      REQUIRE(r.status == Status::ok);
      REQUIRE(r.n_hits == 4);
      const double now = worst(r.perigee, exact.perigee);
      CHECK(now < 1e-2);
      CHECK(now < 0.4 * last);
      last = now;
    }
    CHECK(last < 1e-3);
  }
}

TEST_CASE("surfaces: turned as a whole, they measure the same") {
  const Detector& d = barrel_of_modules();
  const double angle = 0.7345;
  const double c = std::cos(angle), s = std::sin(angle);
  const auto turned = [&](std::array<double, 3> v) {
    return std::array{c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]};
  };
  Detector other = d;
  for (Layer& layer : other.layers) {
    if (!layer.surface.is_inclined()) continue;
    layer.surface.normal_vector = turned(layer.surface.normal_vector);
    layer.surface.u_vector = turned(layer.surface.u_vector);
  }
  const TrackingGeometry a(d), b(other);
  int compared = 0;
  for (double phi = -3; phi < 3; phi += 0.037)
    for (const double theta : {0.6, 1.1, 1.9}) {
      const Track track = towards(0.9, theta, phi);
      Track moved = track;
      moved.phi += angle;
      moved.vertex = turned(track.vertex);
      for (const Engine engine : engines) {
        Model model;
        model.engine = engine;
        const Resolution one = resolve(a, track, model);
        const Resolution two = resolve(b, moved, model);
        REQUIRE(one.status == two.status);
        REQUIRE(one.crossings.size() == two.crossings.size());
        if (one.status != Status::ok) continue;
        // rounding: 2e-14 at most
        CHECK(worst(one.perigee, two.perigee) < 1e-12);
        CHECK(worst(one.first_hit, two.first_hit) < 1e-12);
        ++compared;
      }
    }
  CHECK(compared > 600);
}

TEST_CASE("surfaces: without field, turned in space, they measure the same") {
  const Detector d = shipped("desy_telescope");
  const Eigen::Matrix3d rotation =
      Eigen::AngleAxisd(0.7, Vector3(0.3, 0.5, -0.2).normalized())
          .toRotationMatrix();
  const auto turned = [&](const std::array<double, 3>& v) {
    const Vector3 x = rotation * Vector3(v[0], v[1], v[2]);
    return std::array{x[0], x[1], x[2]};
  };
  Detector other = d;
  for (Layer& layer : other.layers) {
    REQUIRE(layer.surface.is_inclined());
    layer.surface.normal_vector = turned(layer.surface.normal_vector);
    layer.surface.u_vector = turned(layer.surface.u_vector);
  }
  const TrackingGeometry a(d), b(other);
  const auto set_direction = [](const std::array<double, 3>& v, Track& t) {
    t.theta = std::atan2(std::hypot(v[0], v[1]), v[2]);
    t.phi = std::atan2(v[1], v[0]);
  };
  int compared = 0;
  for (double tx = -0.03; tx < 0.03; tx += 0.0071)
    for (double ty = -0.02; ty < 0.02; ty += 0.0071)
      for (const Engine engine : engines) {
        Track track, moved;
        track.vertex = {0.3, -0.2, -20};
        moved.vertex = turned(track.vertex);
        const double depth = 1 / std::hypot(1, tx, ty);
        const std::array direction{depth * tx, depth * ty, depth};
        set_direction(direction, track);
        set_direction(turned(direction), moved);
        Model model;
        model.engine = engine;
        model.at = AtLayer{3, true};
        const Resolution one = resolve(a, track, model);
        const Resolution two = resolve(b, moved, model);
        REQUIRE(one.status == two.status);
        if (one.status != Status::no_field) continue;
        REQUIRE((one.at && two.at));
        // in the plane's own axes
        CHECK(worst(one.at->slopes, two.at->slopes, 4) < 1e-12);
        ++compared;
      }
  CHECK(compared > 80);
}

TEST_CASE("surfaces: mirrored modules measure mirrored tracks") {
  const TrackingGeometry geometry(barrel_of_modules());
  for (double phi = -3; phi < 3; phi += 0.31)
    for (const double theta : {0.6, 0.8, 1.1}) {
      Track track = towards(1.7, theta, phi);
      track.vertex[2] = 0;
      Track image = track;
      image.theta = unit::pi - theta;
      const Resolution a = resolve(geometry, track, Model());
      const Resolution b = resolve(geometry, image, Model());
      REQUIRE(a.status == b.status);
      REQUIRE(a.n_hits == b.n_hits);
      if (a.status == Status::ok)
        CHECK(relative(a.sigma_p_rel, b.sigma_p_rel) < 1e-10);
    }
}

TEST_CASE("surfaces: helices, traced tracks and batches agree on modules") {
  const Detector& d = barrel_of_modules();
  const TrackingGeometry geometry(d), gap(in_gap(d));
  std::vector<Track> tracks;
  for (double phi = -3; phi < 3; phi += 0.0931)
    for (const double p : {0.25, 3.0}) tracks.push_back(towards(p, 0.9, phi));
  for (const Track& track : tracks) {
    const Resolution a = resolve(geometry, track, Model());
    const Resolution b = resolve(gap, track, Model());
    REQUIRE(a.status == b.status);
    REQUIRE(a.crossings.size() == b.crossings.size());
    if (a.status == Status::ok) CHECK(worst(b.perigee, a.perigee) < 1e-10);
  }
}

// Traced tracks look at every surface, helices at those that an index finds.
TEST_CASE(
    "surfaces: regimes of triplets on modules are those of traced tracks") {
  const Detector& d = barrel_of_modules();
  const TrackingGeometry geometry(d), gap(in_gap(d));
  REQUIRE(geometry.modules() != nullptr);
  std::vector<double> phi;
  for (double x = -3; x < 3; x += 0.31) phi.push_back(x);
  const std::vector<double> p{1.5}, theta{0.9}, mass{0.13957}, charge{1},
      origin{0};
  TrackArrays tracks;
  tracks.size = phi.size();
  tracks.p = p;
  tracks.theta = theta;
  tracks.phi = phi;
  tracks.mass = mass;
  tracks.charge = charge;
  tracks.x = tracks.y = tracks.z = origin;
  std::vector<TrackRegime> together(phi.size());
  find_regimes(geometry, tracks, Model(), RegimeThresholds(), together);
  int compared = 0;
  for (std::size_t t = 0; t < phi.size(); ++t) {
    const TrackRegime traced = find_regime(gap, tracks.track(t));
    const TrackRegime& own = together[t];
    REQUIRE(own.triplets.size() == traced.triplets.size());
    CHECK(relative(own.xi, traced.xi) < 1e-8);
    for (std::size_t k = 0; k < own.triplets.size(); ++k) {
      const TripletRegime &a = own.triplets[k], &b = traced.triplets[k];
      CHECK(a.layers == b.layers);
      REQUIRE(a.exists() == b.exists());
      if (!a.exists()) continue;
      CHECK(relative(a.xi, b.xi) < 1e-6);
      if (std::isnan(a.p_significant)) continue;
      Track slow = tracks.track(t);
      slow.p = a.p_significant;
      for (const TripletRegime& at : find_regime(geometry, slow).triplets)
        if (at.layers == a.layers) {
          CHECK(relative(at.xi, RegimeThresholds().xi_significant) < 1e-6);
          ++compared;
        }
    }
  }
  CHECK(compared > 20);
}

// Two planes that cross each other: on either side of their common line tracks
// cross them in another order.
TEST_CASE("surfaces: triplets keep their order in searches of momenta") {
  const Detector d = parse_detector(R"(gttf-detector: 1
name: crossed
field: { solenoid: 2 T }
layers:
  - { name: a, cylinder: { radius: 30 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: b, plane: { center: [200 mm, 0 mm, 0 mm], normal: [1, 0.5, 0], u: [0, 0, 1], size: [400 mm, 180 mm] }, material: 1 %, measures: { u: 90 um, v: 90 um } }
  - { name: c, plane: { center: [200 mm, 0 mm, 0 mm], normal: [1, -0.5, 0], u: [0, 0, 1], size: [400 mm, 180 mm] }, material: 1 %, measures: { u: 90 um, v: 90 um } }
  - { name: d, cylinder: { radius: 300 mm, half_length: 600 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
)",
                                    "crossed.yaml")
                         .detector;
  int compared = 0, turned = 0;
  for (const bool traced : {false, true}) {
    const TrackingGeometry geometry(traced ? in_gap(d) : d);
    for (double phi = -0.15; phi < 0.15; phi += 0.0071)
      for (const double p : {0.2, 0.4, 0.8, 3.0}) {
        const Track track = towards(p, 1.2, phi);
        for (const TripletRegime& a : find_regime(geometry, track).triplets) {
          if (!a.exists() || !std::isfinite(a.p_significant)) continue;
          Track at = track;
          at.p = a.p_significant * (1 - 1e-7);
          const auto found =
              find_regime(geometry, at, {}, {}, TripletChoice::all).triplets;
          const auto same =
              std::ranges::find(found, a.layers, &TripletRegime::layers);
          REQUIRE(same != found.end());
          CHECK(relative(same->xi, RegimeThresholds().xi_significant) < 1e-5);
          ++compared;
          if (a.layers[0] == 2 || a.layers[1] == 2) ++turned;
        }
      }
  }
  CHECK(compared > 50);
  CHECK(turned > 10);
}

// Widths and means within 4.5 standard errors: by chance outside once in
// 150 000; the seed is fixed.
TEST_CASE("surfaces: toys through modules have pulls of one") {
  const TrackingGeometry geometry(barrel_of_modules());
  const Track track = towards(1.5, 1.0, 0.4);
  REQUIRE(resolve(geometry, track, Model()).n_hits >= 4);
  FlownToys toys;
  StreamingFitter fitter;
  toys.run(
      ToySimulator(geometry, track, Model()), 4000,
      false, [&](const TrackHits& hits) -> auto& { return fitter.fit(hits); });
  CHECK(toys.failed == 0);
  CHECK(toys.missed < 40);
  toys.check(4.5, 5);
}

// Modules of a ring that are wider than their distance cross each other: two
// hits tenths of a millimetre apart, whose order the errors along strips hide.
// Means and widths within 4.5 standard errors; the seed is fixed.
TEST_CASE("surfaces: toys at all azimuths are fitted where modules overlap") {
  const Detector d = parse_detector(R"(gttf-detector: 1
name: stereo rings
field: { solenoid: 2 T }
layers:
  - { name: a, cylinder: { radius: 35 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: b, cylinder: { radius: 90 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: c, ring: { radius: [300 mm, 340 mm, 380 mm], z: [0 mm, 0 mm, 0 mm], count: 52, size: [50 mm, 900 mm] }, material: 1 %, measures: [{ angle: 20 mrad, sigma: 20 um }, { angle: -20 mrad, sigma: 20 um }] }
)",
                                    "stereo.yaml")
                         .detector;
  const TrackingGeometry geometry(d);
  const std::vector<double> efficiencies(d.layers.size(), 1);
  Track track = towards(1, 1.25, 0);
  const FitChoice fits[] = {{FitKind::general, WeightSource::estimate}};
  ToySpread spread;
  spread.phi = true;
  DrawnToys toys(geometry, efficiencies, track, Model(), spread, fits);
  ExactMoments chi2_per_ndf, pull;
  int failed = 0, overlapping = 0;
  for (std::uint64_t i = 0; i < 2000; ++i)
    toys.run({1, 0, i},
             [&](std::size_t, const GlobalFit& fit, const ToyTrack& toy) {
               if (toy.hits.points.size() > 5) ++overlapping;
               if (fit.status != FitStatus::ok) {
                 ++failed;
                 return;
               }
               chi2_per_ndf.add(fit.chi2 / fit.ndf);
               pull.add((fit.kappa - toy.truth[Perigee::kappa]) / fit.sigma);
             });
  CHECK(failed == 0);
  CHECK(overlapping > 500);
  CHECK(std::abs(chi2_per_ndf.mean() - 1) < 4.5 * chi2_per_ndf.mean_error());
  CHECK(std::abs(pull.mean()) < 4.5 * pull.mean_error());
  CHECK(std::abs(pull.width() - 1) < 4.5 * pull.width_error());
}

TEST_CASE("surfaces: moving a module along its normal equals differences") {
  const Detector& d = barrel_of_modules();
  const Track track = towards(1.1, 1.0, 0.4);
  const TrackingGeometry geometry(d);
  const Sensitivities s = make_sensitivities(geometry, track, Model());
  int checked = 0;
  for (const Sensitivity& item : s.items) {
    if (item.quantity != Quantity::position ||
        !d.layers[item.layer].surface.is_inclined())
      continue;
    const auto sigma = [&](double step) {
      TrackingGeometry moved(d);
      moved.move(item.layer, d.layers[item.layer].surface.position + step);
      return resolve(moved, track, Model()).sigma_p_rel;
    };
    const double h = 1e-3;
    const double slope =
        (8 * (sigma(h) - sigma(-h)) - (sigma(2 * h) - sigma(-2 * h))) /
        (12 * h);
    // slope of ln sigma
    CHECK(std::abs(item.slope[Parameter::p] - slope / sigma(0)) <
          1e-7 * std::abs(slope / sigma(0)) + 1e-10);
    ++checked;
  }
  CHECK(checked >= 2);
}

TEST_CASE("surfaces: numbers of a ring move all its modules") {
  const Detector& d = barrel_of_modules();
  const Rings rings(d);
  std::set<std::string> keys;
  for (std::size_t i = 0; i < d.layers.size(); ++i) {
    const Ring* ring = rings.of(i);
    CHECK((ring != nullptr) == d.layers[i].surface.is_inclined());
    if (!ring) continue;
    for (const RingNumber n : ring_numbers) {
      const std::string key =
          fmt::format("layers[{}].{}", ring->entry, ring->key_tail(n));
      if (!keys.insert(key).second) continue;
      CAPTURE(key);
      const bool is_length = n == RingNumber::radius || n == RingNumber::z;
      const double size = is_length ? unit::mm : unit::deg, by = 0.7 * size;
      const Detector by_key =
          with_key(key, (ring->value(n) + by) / size, is_length ? "mm" : "deg");
      for (std::size_t k = 0; k < d.layers.size(); ++k) {
        const Ring* other = rings.of(k);
        Surface expected = d.layers[k].surface;
        if (other && fmt::format("layers[{}].{}", other->entry,
                                 other->key_tail(n)) == key)
          expected = moved(expected, motion_of(expected, *other, n), by);
        const Surface& got = by_key.layers[k].surface;
        CHECK(std::abs(got.position - expected.position) < 1e-9);
        for (std::size_t a = 0; a < 3; ++a) {
          CHECK(std::abs(got.normal_vector[a] - expected.normal_vector[a]) <
                1e-11);
          CHECK(std::abs(got.u_vector[a] - expected.u_vector[a]) < 1e-11);
        }
        CHECK(std::abs(got.u.lower - expected.u.lower) < 1e-9);
        CHECK(std::abs(got.v.lower - expected.v.lower) < 1e-9);
      }
    }
  }
  // radius, z and tilt of "tilted" are lists; its turn and "out" are not
  CHECK(keys.size() == 3 * 2 + 1 + 4);
}

// The rows of the verb: a ring is listed once, and its slope is that of the
// number in the file, in a field of closed helices and with traced tracks.
TEST_CASE("surfaces: sensitivities of a ring equal differences") {
  int compared = 0;
  for (const bool traced : {false, true})
    for (const double theta : {0.75, 1.1, 2.2}) {
      const Track track = towards(1.1, theta, 0.4);
      const auto of = [&](const Detector& d) {
        return TrackingGeometry(traced ? in_gap(d) : d);
      };
      const Detector& d = barrel_of_modules();
      const Sensitivities s = make_sensitivities(of(d), track, Model());
      if (!s.exists()) continue;
      for (const SensitivityRow& row :
           sensitivity_rows(d, s, Grouping::layer)) {
        if (row.key.find(".ring.") == std::string::npos ||
            row.key.ends_with("count"))
          continue;
        CAPTURE(row.key);
        const auto sigma = [&](double step) {
          const Detector changed =
              with_key(row.key, row.value + step, row.unit.c_str());
          return sigmas(resolve(of(changed), track, Model()));
        };
        const double h = 1e-2;
        std::array<PerParameter, 7> at;
        for (int i = -3; i <= 3; ++i)
          at[static_cast<std::size_t>(i + 3)] = sigma(i * h);
        for (const Parameter q : all_parameters) {
          if (std::isnan(s.sigma[q])) continue;
          const double slope =
              (45 * (at[4][q] - at[2][q]) - 9 * (at[5][q] - at[1][q]) +
               (at[6][q] - at[0][q])) /
              (60 * h * at[3][q]);
          CHECK(std::abs(row.slope[q] - slope) <
                1e-7 * std::max(0.1, std::abs(slope)));
          ++compared;
        }
      }
    }
  CHECK(compared > 100);
}

TEST_CASE("surfaces: a hit error that is not positive gives no resolution") {
  const Detector d = parse_detector(R"(gttf-detector: 1
name: negative
field: { solenoid: 2 T }
layers:
  - { name: a, cylinder: { radius: 30 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um * (p / GeV - 0.5), z: 10 um } }
  - { name: b, cylinder: { radius: 60 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: c, cylinder: { radius: 90 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
)",
                                    "negative.yaml")
                         .detector;
  const TrackingGeometry geometry(d);
  CHECK(resolve(geometry, towards(0.7, 1.5, 0), Model()).status == Status::ok);
  const Resolution r = resolve(geometry, towards(0.4, 1.5, 0), Model());
  CHECK(r.status == Status::no_hit_error);
  CHECK(std::isnan(r.sigma_p_rel));
}

}  // namespace gttf::test::GTTF_TEST_FILE
