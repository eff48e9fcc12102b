// SPDX-License-Identifier: Apache-2.0
// Conditions for hits, against the track finder and against differences.
#include "gttf/study/optimise/hit_edges.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "gttf/study/optimise/search.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

std::vector<Surface> surfaces() {
  const double s = std::sin(0.4), c = std::cos(0.4);
  return {make_cylinder(180, {-150, 120}),
          make_disk(160, {40, 170}),
          make_plane(Axis::x, 140, {-90, 110}, {-100, 130}),
          make_plane(Axis::y, -150, {-90, 110}, {-100, 130}),
          make_plane(Axis::z, -120, {-90, 110}, {-100, 130}),
          make_cone({-120, 140}, 130, 170),
          make_inclined_plane({130, 20, 30}, {c, 0, s}, {0, 1, 0}, {180, 220})};
}

Detector detector_of(const Surface& surface, double bz) {
  Detector detector;
  detector.field.kind = FieldKind::solenoid;
  detector.field.bz = bz;
  set_reference(detector.field);
  Layer& layer = detector.layers.emplace_back();
  layer.name = "L";
  layer.surface = surface;
  layer.coordinates.push_back({.angle = 0, .sigma = 0.01});
  return detector;
}

}  // namespace

TEST_CASE("a layer is crossed if all conditions for the hit are met") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  const double tesla = 0.000299792458;
  for (const Surface& surface : surfaces()) {
    CAPTURE(static_cast<int>(surface.shape));
    CAPTURE(static_cast<int>(surface.normal));
    // of several crossings of these, the first one may be beyond an edge
    const bool is_leaning = SurfaceRecord(surface).leans();
    std::array<int, HitEdge::n_sides> n_missed{};
    int n_crossed = 0;
    for (int i = 0; i < 4000; ++i) {
      Track track;
      track.p = 0.02 * std::pow(100, uniform(random));
      track.theta = std::acos(2 * uniform(random) - 1);
      track.phi = 2 * std::numbers::pi * uniform(random);
      track.charge = i % 2 == 0 ? 1 : -1;
      if (i % 3 != 0)
        for (double& x : track.vertex) x = 300 * (uniform(random) - 0.5);
      const Detector detector = detector_of(surface, 2 * tesla);
      const DesignNumbers design(detector);
      const std::vector<double> numbers = design.values();
      const bool crossed =
          !find_crossings(TrackingGeometry(detector), track, Scattering::off)
               .list.empty();
      n_crossed += crossed ? 1 : 0;
      int missed = 0;
      for (std::size_t side = 0; side < HitEdge::n_sides; ++side) {
        CAPTURE(side);
        const HitEdge edge{0, 0, 0, side, false};
        const auto margin = hit_margin(design, edge, track);
        if (!margin) continue;
        const double missing =
            margin->missing(std::span<const double>(numbers));
        const bool is_missed = missing > HitMargin::inside;
        // a track may return to a plane that is behind its start
        const bool may_return =
            side == HitEdge::start && surface.shape == Shape::plane;
        if (crossed && !is_leaning && !may_return) CHECK_FALSE(is_missed);
        missed += is_missed ? 1 : 0;
        n_missed[side] += is_missed ? 1 : 0;
        // the opposite condition
        const auto opposite = hit_margin(design, {0, 0, 0, side, true}, track);
        REQUIRE(opposite);
        CHECK(opposite->missing(std::span<const double>(numbers)) ==
              doctest::Approx(2 * HitMargin::inside - missing));
      }
      // with a start off the axis, a track may need more than half a turn to a
      // cylinder
      const bool may_need_more =
          surface.shape == Shape::cylinder && track.vertex[0] != 0;
      if (!crossed && !is_leaning && !may_need_more) CHECK(missed > 0);
    }
    CHECK(n_crossed > 100);
    CHECK(n_missed[HitEdge::start] > 100);
    CHECK(n_missed[3] > 20);
  }
}

TEST_CASE("derivatives of conditions for hits against differences") {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(0, 1);
  const double tesla = 0.000299792458;
  for (const Surface& surface : surfaces()) {
    CAPTURE(static_cast<int>(surface.shape));
    CAPTURE(static_cast<int>(surface.normal));
    std::array<int, HitEdge::n_sides> n_checked{};
    for (int i = 0; i < 300; ++i) {
      Track track;
      track.p = 0.1 + uniform(random);
      track.theta = std::acos(2 * uniform(random) - 1);
      track.phi = 2 * std::numbers::pi * uniform(random);
      for (double& x : track.vertex) x = 20 * (uniform(random) - 0.5);
      DesignNumbers design(detector_of(surface, 1.5 * tesla));
      const std::vector<double> start = design.values();
      for (std::size_t side = 0; side < HitEdge::n_sides; ++side) {
        CAPTURE(side);
        design.set(start);
        const HitEdge edge{0, 0, 0, side, false};
        const auto margin = hit_margin(design, edge, track);
        // the scale of a turn is that of its position
        constexpr double far = 1e4;  // where rounding shows
        if (!margin || std::abs(margin->at) > far ||
            (side == HitEdge::turn && std::abs(margin->at) > 1e-3))
          continue;
        for (std::size_t k = 0; k < start.size(); ++k) {
          using Kind = DesignNumber::Kind;
          const Kind kind = design[k].kind;
          if (kind != Kind::position && kind != Kind::extent &&
              kind != Kind::slope && kind != Kind::field)
            continue;
          // the middle of a cone moves with its ends
          if (surface.shape == Shape::cone && kind == Kind::extent) continue;
          const double h = kind == Kind::field   ? 1e-3 * tesla
                           : kind == Kind::slope ? 1e-4
                                                 : 1e-2;
          const auto at = [&](double steps) {
            std::vector<double> numbers = start;
            numbers[k] += steps * h;
            design.set(numbers);
            const auto there = hit_margin(design, edge, track);
            return there ? there->missing(std::span<const double>(numbers))
                         : std::nan("");
          };
          const double difference =
              (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
          if (std::isnan(difference)) continue;
          double slope = 0;
          for (const HitMargin::Slope& s : margin->slopes)
            if (s.number == k) slope += s.value;
          CAPTURE(k);
          CHECK(std::abs(slope - difference) * h <=
                1e-5 * h + 1e-6 * std::abs(difference * h));
          ++n_checked[side];
        }
      }
    }
    CHECK(n_checked[3] > 100);
  }
}

TEST_CASE("where a track turns back in closed form") {
  const double tesla = 0.000299792458;
  // the track leaves a cylinder at 90 degrees to its radius, almost
  const double largest = std::sqrt(1 - 0.01 * 0.01);
  DesignNumbers design(
      detector_of(make_cylinder(180, {-1000, 1000}), 2 * tesla));
  const std::vector<double> numbers = design.values();
  const double r = 180;
  for (const double excess : {-1e-4, 1e-4}) {
    Track track;
    track.p = 0.5 * r * 2 * tesla / largest * (1 - excess);
    const auto margin = hit_margin(design, {0, 0, 0, HitEdge::turn}, track);
    REQUIRE(margin);
    // it reaches 2 p/B largest
    CHECK(
        margin->missing(std::span<const double>(numbers)) - HitMargin::inside ==
        doctest::Approx(r - 2 * track.p / (2 * tesla) * largest).epsilon(1e-3));
  }
}

namespace {

const LimitPrice& limit(const SearchResult& r, const std::string& name) {
  for (const LimitPrice& p : r.limits)
    if (p.name.starts_with(name)) return p;
  FAIL("no limit " << name);
  return r.limits.front();
}

}  // namespace

TEST_CASE("a plane stays ahead of the start of the track") {
  const auto study = [](double start) {
    return problem_of(
        "detector: " GTTF_SOURCE_DIR
        "/detectors/datura.yaml\n"
        "particle: electron\ntheta: 0 deg\nat: dut\n"
        "vertex: { x: 0 mm, y: 0 mm, z: " +
        std::to_string(start) +
        " mm }\n"
        "vary: { 'layers[P0..P2].plane.z': { from: -150 mm, to: 55 mm } }\n"
        "keep: [{ gap: { between: [P0,air 0-1,P1,air 1-2,P2,air 2-D], min: "
        "7.5 mm } }]\n"
        "follow: { 'layers[air 0-1].plane.z': 0.5 * layers[P0].plane.z + 0.5 "
        "* layers[P1].plane.z, 'layers[air 1-2].plane.z': 0.5 * "
        "layers[P1].plane.z + 0.5 * layers[P2].plane.z, 'layers[air "
        "2-D].plane.z': 0.5 * layers[P2].plane.z + 30 mm }\n"
        "minimise: { what: sigma_u_at, at: { p: 3 GeV } }\n");
  };
  OptimisationProblem p = study(-50);
  const SearchResult r = searched(p, 12);
  REQUIRE(r.found);
  CHECK(r.certificate.residual < 1e-7);
  CHECK(std::abs(r.best.x[0] + 50) <= 2 * unit::nm);
  const LimitPrice& first = limit(r, "hit in P0 at p = 3 GeV, theta = 0 deg");
  CHECK(first.active);
  CHECK(first.price_unit == "um/mm");
  // the same start, so that the same optimum is found
  constexpr double step = 0.5;
  std::array<double, 2> values{};
  for (std::size_t side = 0; side < 2; ++side) {
    OptimisationProblem moved = study(side == 0 ? -50 - step : -50 + step);
    const SearchResult there = searched(moved, 12);
    REQUIRE(there.found);
    values[side] = there.program->in_unit(there.best.f);
  }
  CHECK((values[1] - values[0]) / (2 * step) ==
        doctest::Approx(first.price).epsilon(1e-3));
}

TEST_CASE("a layer within reach of a track that turns back") {
  // at 2 T, a track of 0.2 GeV reaches 2 p/B, unless it grazes the layer
  const double reach = 2 * 200 / (0.299792458 * 2) * std::sqrt(1 - 1e-4);
  SUBCASE("its radius") {
    OptimisationProblem p = problem_of(
        "detector: " GTTF_SOURCE_DIR
        "/detectors/barrel.yaml\n"
        "vary: { 'layers[L6].cylinder.radius': { from: 400 mm, to: 900 mm } "
        "}\n"
        "minimise: { what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg } }\n"
        "subject_to: [{ what: sigma_d0, at: { p: 0.2 GeV, theta: 90 deg }, "
        "max: 1 mm }]\n");
    const SearchResult r = searched(p, 4);
    REQUIRE(r.found);
    CHECK(r.certificate.residual < 1e-7);
    CHECK(r.best.x[0] == doctest::Approx(reach).epsilon(1e-7));
    const LimitPrice& edge =
        limit(r, "hit in L6 at p = 0.2 GeV, theta = 90 deg");
    CHECK(edge.active);
    CHECK(edge.price > 0);
  }
  SUBCASE("the field") {
    OptimisationProblem p = problem_of(
        "detector: " GTTF_SOURCE_DIR
        "/detectors/barrel.yaml\n"
        "vary: { field.solenoid: { from: 1 T, to: 4 T } }\n"
        "minimise: { what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg } }\n"
        "subject_to: [{ what: sigma_d0, at: { p: 0.2 GeV, theta: 90 deg }, "
        "max: 1 mm }]\n");
    const SearchResult r = searched(p, 4);
    REQUIRE(r.found);
    CHECK(r.certificate.residual < 1e-7);
    // the outermost layer is at 500 mm
    CHECK(r.best.x[0] / (2 * 0.000299792458) ==
          doctest::Approx(reach / 500).epsilon(1e-7));
    CHECK(limit(r, "hit in L6 at p = 0.2 GeV").active);
  }
}

TEST_CASE("edges of hits that the start does not have, and of material") {
  const TemporaryFile detector(
      "gttf-detector: 1\nname: ring\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - name: B1\n"
      "    cylinder: { radius: 30 mm, half_length: 500 mm }\n"
      "    material: 0.3 %\n    measures: { rphi: 5 um, z: 5 um }\n"
      "  - name: B2\n"
      "    cylinder: { radius: 60 mm, half_length: 500 mm }\n"
      "    material: 0.3 %\n    measures: { rphi: 5 um, z: 5 um }\n"
      "  - name: B3\n"
      "    cylinder: { radius: 90 mm, half_length: 240 mm }\n"
      "    material: 0.01 %\n    measures: { rphi: 5 um, z: 5 um }\n"
      "  - name: ring\n"
      "    disk: { z: 400 mm, radius: [160 mm, 300 mm] }\n"
      "    material: 20 %\n"
      "  - name: B4\n"
      "    cylinder: { radius: 300 mm, half_length: 1 m }\n"
      "    material: 1 %\n    measures: { rphi: 10 um, z: 10 um }\n");
  const auto study = [&](const std::string& rest) {
    return problem_of("detector: " + detector.path() + '\n' + rest);
  };
  SUBCASE("more material") {
    // a longer lever arm is better, until the ring is in the way
    OptimisationProblem p = study(
        "vary: { 'layers[B4].cylinder.radius': { from: 250 mm, to: 400 mm } }\n"
        "follow: { 'layers[ring].disk.radius[0]': 460 mm - "
        "layers[B4].cylinder.radius }\n"
        "minimise: { what: sigma_pt_rel, at: { p: 1 GeV, theta: 20 deg } }\n");
    const SearchResult r = searched(p, 4);
    REQUIRE(r.found);
    CHECK(r.certificate.residual < 1e-7);
    const LimitPrice& edge =
        limit(r, "no crossing of ring at p = 1 GeV, theta = 20 deg");
    CHECK(edge.active);
    CHECK(edge.price > 0);
  }
  SUBCASE("more hits") {
    // at the start B3 ends before the track, which crosses it at 247 mm
    OptimisationProblem p = study(
        "vary: { 'layers[B3].cylinder.radius': { from: 65 mm, to: 120 mm } }\n"
        "minimise: { what: sigma_pt_rel, at: { p: 10 GeV, theta: 20 deg } }\n");
    const SearchResult r = searched(p, 8);
    REQUIRE(r.found);
    CHECK(r.certificate.residual < 1e-7);
    CHECK(r.best.x[0] ==
          doctest::Approx(240 * std::tan(20 * unit::deg)).epsilon(1e-4));
    CHECK(limit(r, "hit in B3 at p = 10 GeV, theta = 20 deg").active);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
