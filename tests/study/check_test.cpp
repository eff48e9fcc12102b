// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/check/check.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "gttf/output/json.hpp"
#include "gttf/study/check/check_view.hpp"
#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/show/layer_names.hpp"
#include "support/broken.hpp"
#include "support/reported.hpp"
#include "support/requirements.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::Gate;
using test::gate;
using test::shipped_file;

namespace {

const std::string its2 = shipped_file("alice_its2");
const std::string one_point = "pt: 1 GeV\ntheta: 90 deg\n";

std::string limit(const std::string& what, const std::string& limits) {
  return "  - { what: " + what + ", " + limits + " }\n";
}

double value_of(const std::string& what, const std::string& grid = one_point) {
  return gate(its2, grid, limit(what, "min: 0 um")).result().points[0].value;
}

}  // namespace

TEST_CASE("broken requirements: every error is reported with this text") {
  const auto answer = [](const std::string& path) -> std::string {
    try {
      const RequirementFile file =
          read_requirements(path, {}, "", test::load_baseline);
      std::vector<Detector> detectors;
      for (const std::string& detector : file.request.detectors)
        detectors.push_back(read_detector(detector).detector);
      check(file, detectors);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read without an error";
  };
  CHECK(test::check_broken("requirements", answer) >= 50);
}

TEST_CASE("check: edges are kept for the same surfaces only") {
  RequirementFile file = gate(its2,
                              "p: [1 GeV, 5 GeV]\ntheta: { from: 10 deg, "
                              "to: 90 deg, points: 9 }\n",
                              limit("sigma_d0", "max: 1 mm"))
                             .file;
  Detector detector = read_detector(its2).detector;
  KnownEdges edges;
  const auto same = [&](const RequirementFile& requirements) {
    const std::span<const Detector> one(&detector, 1);
    const CheckResult a = check(requirements, one).results.at(0);
    const CheckResult b = check(requirements, one, Engine::streaming, 1,
                                CheckDetail::all, {}, &edges)
                              .results.at(0);
    CHECK(a.points.size() > 2 * 9);
    REQUIRE(a.points.size() == b.points.size());
    for (std::size_t i = 0; i < a.points.size(); ++i) {
      CHECK(a.angle.values[a.points[i].point.angle] ==
            b.angle.values[b.points[i].point.angle]);
      const double x = a.points[i].value, y = b.points[i].value;
      CHECK((x == y || (std::isnan(x) && std::isnan(y))));
    }
    return a.angle.values;
  };
  const auto first = same(file);
  detector.layers[2].coordinates[0].sigma *= 2;
  CHECK(same(file) == first);
  detector.layers[2].surface.v.upper += 1;
  CHECK(same(file) != first);
  detector.field.bz *= 0.5;
  same(file);
  file.request.energy_loss = EnergyLoss::mean;
  file.request.chosen.energy_loss = true;
  same(file);
}

TEST_CASE("check: a value at its limit passes, beyond it by 1e-8 it fails") {
  const double d0 = value_of("sigma_d0") / unit::um;
  const auto passes = [](const std::string& limits) {
    return gate(its2, one_point, limit("sigma_d0", limits)).outcome.passed();
  };
  CHECK(passes(fmt::format("max: {:.17g} um", d0)));
  CHECK(passes(fmt::format("min: {:.17g} um", d0)));
  CHECK(passes(fmt::format("is: {:.17g} um", d0)));
  CHECK_FALSE(passes(fmt::format("max: {:.17g} um", d0 * (1 - 1e-8))));
  CHECK_FALSE(passes(fmt::format("min: {:.17g} um", d0 * (1 + 1e-8))));
  CHECK_FALSE(passes(fmt::format("is: {:.17g} um", d0 * (1 + 1e-8))));
}

TEST_CASE("check: a tolerance widens the limit by exactly its value") {
  const double d0 = value_of("sigma_d0") / unit::um;
  const auto passes = [&](double max, const std::string& tolerance) {
    return gate(its2, one_point,
                limit("sigma_d0", fmt::format("max: {:.17g} um, tolerance: {}",
                                              max, tolerance)))
        .outcome.passed();
  };
  CHECK(passes(d0 / 1.001, "0.1 %"));
  CHECK_FALSE(passes(d0 / 1.001 * (1 - 1e-8), "0.1 %"));
  CHECK(passes(d0 - 0.5, "0.5 um"));
  CHECK_FALSE(passes(d0 - 0.5, "0.499 um"));
}

TEST_CASE("check: relative to the baseline nothing changes, nothing fails") {
  const Gate g = gate(its2, "pt: [0.2 GeV, 1 GeV, 10 GeV]\neta: [0, 0.5, 1]\n",
                      limit("[sigma_pt_rel, sigma_d0, xi, n_hits]",
                            "relative_to_baseline: 0 %") +
                          limit("regime", "is: baseline") +
                          "  - { name: c, what: coverage, min: baseline }\n");
  REQUIRE(g.outcome.results.size() == 6);
  CHECK(g.outcome.passed());
  for (std::size_t i = 0; i < 4; ++i)
    for (const CheckedPoint& point : g.result(i).points)
      CHECK(point.value == point.baseline);
}

TEST_CASE("check: a gate at 0.1 % opens and shuts at 0.1 %") {
  // sigma_z0 without scattering is proportional to the hit errors along z
  const std::string grid = one_point + "scattering: off\n";
  const auto passes = [&](double factor, const std::string& limits) {
    const std::string sigma = fmt::format("{:.17g} um", 5 * factor);
    return gate(its2, grid, limit("sigma_z0", limits),
                {"layers[*].group=a",
                 "layers[L0:L6].measures={rphi: 5 um, z: " + sigma + "}"})
        .outcome.passed();
  };
  for (const char* limits :
       {"max: baseline + 0.1 %", "relative_to_baseline: { tolerance: 0.1 % }",
        "max: 1.001 * baseline", "max: baseline, tolerance: 0.1 %"}) {
    CAPTURE(limits);
    CHECK(passes(1.001, limits));
    CHECK_FALSE(passes(1.001 + 1e-8, limits));
  }
  CHECK(passes(0.9, "max: baseline + 0.1 %"));
  CHECK_FALSE(passes(0.9, "relative_to_baseline: { tolerance: 0.1 % }"));
}

TEST_CASE("check: a formula is evaluated at every point") {
  const std::string grid = "pt: [1 GeV, 5 GeV]\ntheta: [90 deg, 30 deg]\n";
  const Gate g = gate(
      its2, grid,
      limit("sigma_d0", "max: 5 um (+) 20 um*GeV/(p*sin(theta)^(3/2))") +
          limit("sigma_pt_rel", "min: 0.01 % / beta * eta^2 + pT / p * 0.1 %"));
  REQUIRE(g.result(0).points.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const double pt = i % 2 == 0 ? 1 : 5, theta = i < 2 ? 90 : 30;
    const double sine = std::sin(theta * unit::deg), p = pt / sine;
    const double eta = -std::log(std::tan(theta * unit::deg / 2));
    const double beta = p / std::hypot(p, 0.13957039);
    CHECK(g.result(0).points[i].upper ==
          doctest::Approx(std::hypot(5e-3, 20e-3 / (p * std::pow(sine, 1.5)))));
    CHECK(g.result(1).points[i].lower ==
          doctest::Approx(1e-4 / beta * eta * eta + sine * 1e-3));
  }
}

TEST_CASE("check: within selects the points in closed ranges") {
  const std::string grid =
      "pt: [0.5 GeV, 1 GeV, 2 GeV]\neta: { from: 0, to: 1, points: 11 }\n";
  const auto points = [&](const std::string& within) {
    return gate(its2, grid, limit("n_hits", "min: 1, within: " + within))
        .result()
        .points.size();
  };
  CHECK(points("{ pt: { from: 1 GeV } }") == 22);
  CHECK(points("{ eta: { from: 0.3, to: 0.7 } }") == 15);
  CHECK(points("{ pt: { to: 0.5 GeV }, eta: { to: 0 } }") == 1);
  CHECK(points("{ theta: { from: 90 deg, to: 90 deg } }") == 3);
  CHECK(points("{ p: { to: 0.5 GeV } }") == 1);
}

TEST_CASE("check: a track without a value fails with the reason") {
  const Gate g = gate(its2, "pt: [1 GeV, 1 MeV]\ntheta: 90 deg\n",
                      limit("sigma_d0", "max: 1 m"));
  CHECK(g.outcome.evaluated == 1);
  CHECK(g.result().n_failed == 1);
  CHECK(g.result().worst == 1);
  const TestReport report = check_report(g.story());
  CHECK(report.cases[0].message ==
        "sigma_d0_um does not exist (curls up) at pt = 0.001 GeV, theta = 90 "
        "deg; required <= 1e+06 um");
}

TEST_CASE("check: coverage counts points, with hits or with a resolution") {
  const std::string grid = "pt: 1 GeV\neta: [0, 1, 1.5, 3]\n";
  const Gate g = gate(its2, grid,
                      "  - { coverage: { hits: 7 }, is: 50 % }\n"
                      "  - { what: coverage, is: 75 % }\n"
                      "  - { what: coverage, min: 76 %, name: more }\n");
  CHECK(g.result(0).passed());
  CHECK(g.result(1).passed());
  CHECK_FALSE(g.result(2).passed());
  CHECK(check_report(g.story()).cases[2].message ==
        "coverage is 75 %: 3 of 4 points, not at pt = 1 GeV, eta = 3; required "
        ">= 76 %");
}

TEST_CASE("check: a crack between the angles of a range is seen") {
  // a barrel of two halves that leave 2 mm between them in the last layer
  const test::Folder folder;
  const std::string cracked = folder.write(
      "cracked.yaml",
      "gttf-detector: 1\nname: cracked\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: A, cylinder: { radius: 10 cm, half_length: 2 m }, "
      "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: B, cylinder: { radius: 20 cm, half_length: 2 m }, "
      "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: C, cylinder: { radius: 30 cm, half_length: 2 m }, "
      "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: D, cylinder: { radius: 40 cm, z: [-1 m, 251 mm] }, "
      "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: E, cylinder: { radius: 40 cm, z: [253 mm, 1 m] }, "
      "material: 1 %, measures: { rphi: 5 um, z: 5 um } }\n");
  const std::string limits =
      "  - { coverage: { hits: 4 }, is: 100 %, name: four }\n"
      "  - { coverage: { hits: 4 }, min: 99 %, name: nearly }\n"
      "  - { what: n_hits, min: 4 }\n";
  const std::string range = "pt: 10 GeV\neta: { from: 0, to: 1, points: 3 }\n";
  const std::string list = "pt: 10 GeV\neta: [0, 0.5, 1]\n";
  CHECK(gate(cracked, list, limits).outcome.passed());
  const Gate g = gate(cracked, range, limits);
  CHECK_FALSE(g.result(0).passed());
  CHECK(g.result(1).passed());
  CHECK_FALSE(g.result(2).passed());
  REQUIRE(g.result(0).failed.size() == 1);
  const FailedInterval& crack = g.result(0).failed[0];
  // pT = 10 GeV in 2 T: 40 cm are an arc longer by 6e-5
  CHECK(crack.from == doctest::Approx(std::asinh(251. / 400)).epsilon(1e-4));
  CHECK(crack.to == doctest::Approx(std::asinh(253. / 400)).epsilon(1e-4));
  CHECK(crack.n_hits == 3);
  CHECK(g.result(0).points[0].value ==
        doctest::Approx(1 - (crack.to - crack.from)).epsilon(1e-6));
  const TestReport report = check_report(g.story());
  CHECK(report.cases[0].message ==
        "coverage with 4 hits is 99.58 %: eta 0.59225 to 0.59648: 3 hits; "
        "required = 100 %");
}

TEST_CASE("check: material up to the last hit, a layer, a group, a radius") {
  const std::string cld = shipped_file("cld");
  const std::string at = "pt: 10 GeV\neta: [0]\n";
  const auto one = [](const std::string& more) {
    return "  - { what: x_over_x0, " + more + ", max: 100 %, name: '" + more +
           "' }\n";
  };
  const Gate g =
      gate(cld, at,
           limit("x_over_x0_tracker", "max: 12 %") +
               limit("x_over_x0", "max: 12 %") + one("up_to: OTK3") +
               one("up_to: VTX1") + one("up_to: { group: vertex }") +
               one("up_to: { r: 2200 mm }") + one("up_to: { r: 17.5 mm }") +
               one("up_to: { z: 1 mm }"));
  // the coil is 76 %
  CHECK(g.result(0).passed());
  CHECK_FALSE(g.result(1).passed());
  const auto value = [&](std::size_t i) { return g.result(i).points[0].value; };
  CHECK(value(1) - value(0) > 0.75);
  constexpr double rounding = 1e-12;
  CHECK(value(2) == doctest::Approx(value(0)).epsilon(rounding));
  CHECK(value(5) == doctest::Approx(value(0)).epsilon(rounding));
  CHECK(value(6) == doctest::Approx(value(3)).epsilon(rounding));
  // beam pipe 0.666175 %, VTX1 0.0480256 %; the bend adds 1e-7
  CHECK(value(3) == doctest::Approx(0.00714201).epsilon(1e-5));
  CHECK(value(4) > value(3));
  CHECK(value(4) < 0.03);
  // the pipe is met within 1 mm of z = 0, as is all at 90 deg
  CHECK(value(7) == doctest::Approx(value(1)).epsilon(rounding));
}

TEST_CASE(
    "check: a track that misses the layer up to which material counts fails") {
  const Gate g = gate(shipped_file("cld"), "pt: 10 GeV\neta: 2\n",
                      "  - { what: x_over_x0, up_to: OTK3, max: 100 % }\n");
  CHECK_FALSE(g.result().passed());
  CHECK(check_report(g.story()).cases[0].message ==
        "x_over_x0 up to OTK3 does not exist (OTK3 not crossed) at pt = 10 "
        "GeV, eta = 2; required <= 100 %");
}

TEST_CASE("check: limits of material apply up to the given end") {
  const Gate g = gate(shipped_file("cld"), "pt: 10 GeV\neta: 0\n",
                      limit("x_over_x0_tracker", "max: 1 %") +
                          "  - { what: x_over_x0, up_to: VTX1, max: 0.1 % }\n");
  const CheckStory story = g.story();
  for (const FailureCause& cause : story.causes)
    for (const LimitedBy& part : cause.limited_by) CHECK(part.what != "MAG");
  CHECK(story.causes[1].limited_by[0].what == "PIPE");
  CHECK(story.causes[1].limited_by[0].share ==
        doctest::Approx(0.666175 / 0.714201).epsilon(1e-4));
}

TEST_CASE("check: shares are those of the budget and add up to 1") {
  const Gate g = gate(
      its2, one_point,
      "  - { budget: { of: d0, kind: scattering }, min: 0 }\n"
      "  - { budget: { of: d0, kind: hit }, min: 0 }\n"
      "  - { budget: { of: d0, layer: L0, kind: hit }, min: 0 }\n"
      "  - { budget: { of: d0, group: inner barrel }, min: 0 }\n"
      "  - { budget: { of: d0, layer: L0 }, relative_to_baseline: 0 % }\n");
  const auto share = [&](std::size_t i) { return g.result(i).points[0].value; };
  CHECK(share(0) + share(1) == doctest::Approx(1).epsilon(1e-12));
  const Detector& detector = g.inputs[0].detector;
  const StudyRequest grid = grid_of(g.file, g.file.criteria[0]);
  const Budget budget =
      make_budget(TrackingGeometry(detector), grid_track(grid, {}));
  double l0_hits = 0, inner = 0;
  for (const BudgetPart& part : budget.parts) {
    const Layer& layer = detector.layers[part.layer];
    const double own = budget.share(part)[Parameter::d0];
    if (layer.name == "L0" && part.cause == Cause::hit) l0_hits += own;
    if (layer.group == "inner barrel") inner += own;
  }
  CHECK(share(2) == doctest::Approx(l0_hits).epsilon(1e-12));
  CHECK(share(3) == doctest::Approx(inner).epsilon(1e-12));
  CHECK(g.result(4).passed());
}

TEST_CASE("check: the outcome does not depend on the number of threads") {
  const std::string grid =
      "pt: { from: 0.2 GeV, to: 100 GeV, points: 40 }\n"
      "eta: { from: 0, to: 1.2, points: 13 }\n";
  const auto table = [&](unsigned threads) {
    const Gate g =
        gate(its2, grid,
             limit("[sigma_pt_rel, sigma_d0]", "max: baseline") +
                 "  - { budget: { of: pt, layer: L3 }, max: 10 % }\n",
             {"layers[L0].material=0.36 %"}, threads);
    return check_table(g.story(), CheckDetail::all);
  };
  const Table one = table(1), many = table(7);
  REQUIRE(one.rows() == many.rows());
  for (std::size_t i = 0; i < one.columns.size(); ++i) {
    CAPTURE(one.columns[i].name);
    if (const auto* reals = std::get_if<Reals>(&one.columns[i].cells)) {
      const Reals& others = std::get<Reals>(many.columns[i].cells);
      for (std::size_t k = 0; k < reals->size(); ++k)
        if ((*reals)[k] != others[k])
          CHECK((std::isnan((*reals)[k]) && std::isnan(others[k])));
    } else {
      CHECK(one.columns[i].cells == many.columns[i].cells);
    }
  }
}

TEST_CASE("cause: without a change the largest parts of the value are given") {
  const Gate g =
      gate(its2, one_point,
           limit("sigma_d0", "max: 1 um") + limit("x_over_x0", "max: 1 %"));
  const CheckStory story = g.story();
  REQUIRE(story.causes[0].limited_by.size() == 3);
  CHECK(story.causes[0].limited_by[0].what == "L0 scattering");
  REQUIRE(story.causes[1].limited_by.size() == 3);
  // four outer layers of 1 %, the outermost one crossed the most obliquely
  CHECK(story.causes[1].limited_by[0].what == "L6");
  CHECK(story.causes[1].limited_by[0].share * g.result(1).points[0].value ==
        doctest::Approx(0.01).epsilon(2e-3));
}

namespace {

/// A layer measured by the track that is a single entry of its file.
const Layer& middle_layer(const Detector& detector, const Track& track) {
  const Resolution r = resolve(TrackingGeometry(detector), track);
  const std::vector<std::string> entries = entry_names(detector);
  std::vector<const Layer*> layers;
  for (const CrossingInfo& c : r.crossings) {
    const Layer& layer = detector.layers[c.layer];
    if (c.measured && entries[c.layer] == layer.name &&
        layer.surface.shape == Shape::cylinder && layer.x_over_x0() > 0 &&
        layer.coordinates.size() == 2)
      layers.push_back(&layer);
  }
  REQUIRE(layers.size() >= 2);
  return *layers[layers.size() / 2];
}

std::string percent(double fraction) {
  return fmt::format("{:.17g} %", fraction * 100);
}

}  // namespace

TEST_CASE("cause: one number changed in a shipped detector is named first") {
  for (const Detector& detector : test::shipped_detectors()) {
    CAPTURE(detector.name);
    const bool slow = detector.name.find("Mu3e") != std::string::npos;
    const std::string grid = slow ? "pt: 40 MeV\nparticle: positron\n"
                                  : "pt: 2 GeV\nparticle: muon\n";
    Track track;
    track.p = slow ? 40 * unit::MeV : 2;
    track.mass = slow ? 0.511 * unit::MeV : 0.10566;
    const Layer& layer = middle_layer(detector, track);
    const std::string key = "layers[" + layer.name + "]";
    const std::string group = key + ".group=changed";
    const double u = layer.coordinates[0].sigma / unit::um;
    struct Change {
      std::string expected;
      std::vector<std::string> overrides;
    };
    std::vector<Change> changes{
        {key + ".material",
         {key + ".material=" + percent(layer.x_over_x0() * 1.2)}},
        {key + ".cylinder.radius",
         {key + fmt::format(".cylinder.radius={:.17g} mm",
                            layer.surface.position + 0.1)}},
        {"field.solenoid", {"field.solenoid=1.9 T"}},
        {key, {key + "=null"}},
    };
    const bool by_axis = layer.coordinates[0].angle == 0 &&
                         std::abs(layer.coordinates[1].angle) > 1.57;
    if (by_axis)
      changes.push_back(
          {key + ".measures.rphi",
           {key + ".pitch=0", key + ".pitch=null",
            key + fmt::format(".measures={{rphi: {:.17g} um, z: {:.17g} um}}",
                              u * 1.3,
                              layer.coordinates[1].sigma / unit::um)}});
    for (const Change& change : changes) {
      CAPTURE(change.expected);
      const Gate g = gate(detector.file, grid,
                          limit("[sigma_pt_rel, sigma_d0]",
                                "relative_to_baseline: { tolerance: 1e-6 % }"),
                          change.overrides);
      CHECK_FALSE(g.outcome.passed());
      const CheckStory story = g.story();
      for (std::size_t i = 0; i < g.outcome.results.size(); ++i) {
        if (g.result(i).passed()) continue;
        REQUIRE(story.causes[i].changes.size() >= 1);
        CHECK(story.causes[i].changes[0].key == change.expected);
      }
    }
  }
}

TEST_CASE("cause: of several changes, the worst comes first") {
  const Gate g =
      gate(its2, one_point, limit("sigma_d0", "max: baseline + 0.1 %"),
           {"layers[L0].material=0.45 %", "layers[beam pipe].material=0.3 %",
            "layers[L1].material=0.1 %"});
  const CheckStory story = g.story();
  const FailureCause& cause = story.causes[0];
  REQUIRE(cause.changes.size() == 3);
  CHECK(cause.total > 0);
  CHECK(cause.changes[0].share >= cause.changes[1].share);
  CHECK(cause.changes[1].share > 0);
  CHECK(cause.changes[2].key == "layers[L1].material");
  CHECK(cause.changes[2].share < 0);
}

TEST_CASE("cause: a lost hit is named where the value itself is gone") {
  const Gate g = gate(its2, "pt: 1 GeV\ntheta: 60 deg\n",
                      limit("[sigma_d0, n_hits]", "is: baseline"),
                      {"layers[L0:L4].cylinder.half_length=1 mm"});
  const CheckStory story = g.story();
  REQUIRE(story.causes.size() == 2);
  CHECK(std::isnan(g.result(0).points[0].value));
  for (const FailureCause& cause : story.causes) {
    REQUIRE(cause.changes.size() == 5);
    CHECK(cause.changes[0].key.ends_with(".cylinder.half_length"));
    CHECK(cause.changes[0].share < 0);  // of the number of hits
  }
}

TEST_CASE("check: eta is 0 at 90 deg in formulas, and exactly as given") {
  const Gate g = gate(its2, "pt: 1 GeV\neta: [0, 0.7]\n",
                      limit("sigma_d0", "max: 1 m * eta^2"));
  CHECK(g.result().points[0].upper == 0);
  CHECK(g.result().points[1].upper == 0.7 * 0.7 * unit::m);
}

TEST_CASE("check: to keep the worst points only changes nothing else") {
  const std::string grid =
      "pt: { from: 0.2 GeV, to: 10 GeV, points: 5 }\n"
      "eta: { from: 0, to: 1.2, points: 7 }\n";
  const Gate g =
      gate(its2, grid,
           limit("sigma_d0", "max: 40 um") + limit("n_hits", "min: 7") +
               limit("regime", "is: [mixed]") +
               "  - { name: c, what: coverage, is: 100 % }\n");
  const Detector& detector = g.inputs[0].detector;
  const CheckStory all = g.story();
  Table rows;
  const CheckOutcome outcome = check(
      g.file, {&detector, 1}, Engine::streaming, 1, CheckDetail::worst,
      [&](const CheckResult& result) {
        append_rows(rows,
                    check_table(g.file, g.inputs, result, CheckDetail::all));
      });
  const CheckStory worst = make_story(g.file, g.inputs, outcome);
  REQUIRE(outcome.results.size() == g.outcome.results.size());
  for (std::size_t i = 0; i < outcome.results.size(); ++i) {
    CHECK(outcome.results[i].points.size() == 1);
    CHECK(outcome.results[i].n_checked == g.result(i).points.size());
    CHECK(outcome.results[i].n_failed == g.result(i).n_failed);
  }
  // the output is the same, and so are the rows of all points
  const auto text = [](const auto& result) {
    std::ostringstream out;
    write_json(out, result, {});
    return out.str();
  };
  CHECK(text(check_document(worst, CheckDetail::worst)) ==
        text(check_document(all, CheckDetail::worst)));
  const Table wanted = check_table(all, CheckDetail::all);
  REQUIRE(rows.rows() == wanted.rows());
  CHECK(text(rows_of(rows)) == text(rows_of(wanted)));
}

TEST_CASE("check: requirements on more grids than are cached find theirs") {
  // 60 grids of 400 points; the first ones come again at the end
  std::string requirements;
  for (int i = 0; i < 63; ++i)
    requirements += fmt::format(
        "  - {{ name: r{}, what: sigma_d0, max: 1 m, at: {{ p: {{ from: {} "
        "GeV, to: 90 GeV, points: 20 }}, theta: {{ from: 60 deg, to: 90 deg, "
        "points: 20 }} }} }}\n",
        i, 1 + i % 60);
  const Gate g = gate(its2, one_point, requirements);
  REQUIRE(std::size_t{60} * 400 > detail::ScanCache::most_rows);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(g.result(i).worst_point().value ==
          g.result(60 + i).worst_point().value);
  CHECK(g.result(0).worst_point().value > g.result(1).worst_point().value);
}

}  // namespace gttf::test::GTTF_TEST_FILE
