// SPDX-License-Identifier: Apache-2.0
// The language of optimisations, and its interpretation.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/sensitivity.hpp"
#include "gttf/study/check/check.hpp"
#include "gttf/study/optimise/best_file.hpp"
#include "gttf/study/optimise/construction.hpp"
#include "gttf/study/optimise/found_design.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/pareto_front.hpp"
#include "gttf/study/optimise/read_problem.hpp"
#include "gttf/study/optimise/search.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

namespace fs = std::filesystem;
const std::string root = GTTF_SOURCE_DIR;

/// The ITS2 with lengths that follow, and what is minimised and limited.
std::string its2(const std::string& more) {
  return "detector: " + root +
         "/detectors/alice_its2.yaml\n"
         "particle: pion\n"
         "follow: { 'layers[L0..L6].cylinder.half_length': radius / tan(40 "
         "deg) + 60 mm }\n"
         "quantities:\n"
         "  silicon: { sum: area, of: 'layers[L0..L6]' }\n"
         "  pixels: { sum: area / m2 * (5 um / sigma_rphi)^2, of: "
         "'layers[L0..L6]' }\n" +
         more;
}

const std::string radii =
    "vary: { 'layers[L0..L6].cylinder.radius': { from: 22 mm, to: 400 mm } }\n"
    "keep: [{ gap: { between: [L0..L6], min: 6 mm } }]\n";

double sigma_d0_um(const Detector& detector, double p, double theta) {
  Track track;
  track.p = p;
  track.theta = theta;
  return sigmas(resolve(TrackingGeometry(detector), track))[Parameter::d0] /
         unit::um;
}

}  // namespace

TEST_CASE("gradients with groups, factors, followers, quantities and means") {
  const std::string several =
      "vary:\n"
      "  inner: { of: 'layers[L0..L2].measures.rphi', from: 2 um, to: 20 um }\n"
      "  outer: { of: ['layers[L5].cylinder.radius', "
      "'layers[L6].cylinder.radius'], factor: { from: 0.8, to: 1.05 } }\n"
      "  layers[L3,L4].cylinder.radius: { from: 60 mm, to: 320 mm }\n"
      "  layers[L1].material: { from: 0.2 %, to: 0.5 % }\n"
      "keep:\n"
      "  - gap: { between: [L0..L6], min: 3 mm }\n"
      "  - envelope: { of: 'layers[L3..L6]', z: [-0.6 m, 0.6 m] }\n"
      "  - coverage: { hits: 5, eta: { to: 0.8 }, vertex_z: 30 mm }\n"
      "subject_to: [{ quantity: silicon, max: 8 m2 }, { quantity: pixels, max: "
      "9 }]\n";
  for (
      const std::string objective :
      {"{ mean: sigma_d0, over: { p: [0.5 GeV, 5 GeV], theta: [90 deg, 60 "
       "deg] } }",
       "{ mean_log: sigma_pt_rel, over: { p: [0.5 GeV, 5 GeV], theta: [90 deg, "
       "60 deg] } }",
       "{ worst: sigma_z0, over: { p: [0.5 GeV, 5 GeV], theta: [90 deg, 60 "
       "deg] }, of: 5 um (+) 20 um * GeV / p }",
       "{ quantile: sigma_d0, share: 75 %, over: { p: [0.5 GeV, 5 GeV], theta: "
       "[90 deg, 60 deg] } }",
       "{ quantity: pixels }"}) {
    INFO(objective);
    const OptimisationProblem problem =
        problem_of(its2(several + "minimise: " + objective + '\n'));
    check_gradients(problem, {4e-3, 0.93, 151, 263, 0.0031});
  }
}

TEST_CASE("a mean, and the mean of logarithms, are those of the column") {
  for (const bool logarithmic : {false, true}) {
    OptimisationProblem problem = problem_of(its2(
        radii + "minimise: { " + (logarithmic ? "mean_log" : "mean") +
        ": sigma_d0, over: { p: [0.5 GeV, 5 GeV], theta: [90 deg, 60 deg] } }\n"
        "subject_to: [{ quantity: silicon, max: 6.5 m2 }]\n"));
    const SearchResult r = searched(problem, 1);
    REQUIRE(r.found);
    const Detector found = r.program->detector_at(r.best.x);
    double sum = 0;
    for (const double p : {0.5, 5.0})
      for (const double theta : {90 * unit::deg, 60 * unit::deg}) {
        const double sigma = sigma_d0_um(found, p, theta);
        sum += logarithmic ? std::log(sigma) : sigma;
      }
    CHECK(r.program->in_unit(r.best.f) ==
          doctest::Approx(sum / 4).epsilon(1e-10));
    CHECK(r.certificate.residual < 1e-6);
    CHECK(r.program->in_unit(r.best.f) < r.program->in_unit(r.start_f) - 0.01);
  }
}

TEST_CASE("the worst of a grid, against a curve, is equal at several points") {
  OptimisationProblem problem = problem_of(its2(
      radii +
      "minimise: { worst: sigma_d0, over: { p: { from: 0.5 GeV, to: 20 GeV, "
      "points: 6 }, theta: [90 deg, 60 deg] }, of: 5 um (+) 20 um * GeV / p }\n"
      "subject_to: [{ quantity: silicon, max: 6.5 m2 }, { what: sigma_pt_rel, "
      "at: { p: 10 GeV, theta: 90 deg }, max: 5 % }]\n"));
  const SearchResult r = searched(problem, 8);
  REQUIRE(r.found);
  const Detector found = r.program->detector_at(r.best.x);
  double worst = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double p = 0.5 * std::pow(40.0, static_cast<double>(i) / 5);
    for (const double theta : {90 * unit::deg, 60 * unit::deg})
      worst =
          std::max(worst, sigma_d0_um(found, p, theta) / std::hypot(5, 20 / p));
  }
  CHECK(r.program->in_unit(r.best.f) == doctest::Approx(worst).epsilon(1e-9));
  CHECK(r.certificate.residual < 1e-6);
}

TEST_CASE("a quantile leaves out the worst points, and only these") {
  const auto problem = [](const std::string& objective) {
    return problem_of(
        its2(radii + "minimise: " + objective +
             ", over: { p: { from: 0.5 GeV, to: 20 GeV, points: "
             "5 }, theta: [90 deg, 60 deg] } }\n"
             "subject_to: [{ quantity: silicon, max: 6.5 m2 }]\n"));
  };
  OptimisationProblem worst = problem("{ worst: sigma_d0");
  const SearchResult all = searched(worst, 8);
  OptimisationProblem largest = problem("{ quantile: sigma_d0, share: 100 %");
  const SearchResult same = searched(largest, 8);
  CHECK(same.best.f == doctest::Approx(all.best.f).epsilon(1e-9));
  OptimisationProblem part = problem("{ quantile: sigma_d0, share: 80 %");
  const SearchResult r = searched(part, 8);
  REQUIRE(r.found);
  const Detector found = r.program->detector_at(r.best.x);
  std::vector<double> values;
  for (std::size_t i = 0; i < 5; ++i)
    for (const double theta : {90 * unit::deg, 60 * unit::deg})
      values.push_back(sigma_d0_um(
          found, 0.5 * std::pow(40.0, static_cast<double>(i) / 4), theta));
  std::ranges::sort(values);
  CHECK(r.program->in_unit(r.best.f) ==
        doctest::Approx(values[7]).epsilon(1e-9));
  CHECK(r.best.f < all.best.f);
}

TEST_CASE("the margin to all limits, and a requirement file") {
  const std::string limits =
      "  - { what: sigma_d0, at: { p: { from: 0.5 GeV, to: 20 GeV, points: 5 "
      "}, theta: [90 deg, 60 deg] }, max: 8 um (+) 25 um * GeV / p }\n"
      "  - { what: sigma_pt_rel, at: { p: [1 GeV, 10 GeV], theta: 90 deg }, "
      "max: 4 % (+) 0.3 % * p / GeV }\n";
  OptimisationProblem margin = problem_of(
      its2(radii +
           "minimise: { worst: margin }\nsubject_to:\n  - { quantity: "
           "silicon, max: 6.5 m2 }\n" +
           limits));
  const SearchResult r = searched(margin, 8);
  REQUIRE(r.found);
  const double ratio = r.program->in_unit(r.best.f);
  CHECK(ratio < 1);
  // the same from a requirement file: what is left of its limits
  const TemporaryFile gate("gttf-requirements: 1\ndetectors: [" + root +
                           "/detectors/alice_its2.yaml]\nparticle: "
                           "pion\nrequirements:\n" +
                           limits);
  OptimisationProblem by_file = problem_of(
      its2(radii + "minimise: { worst: margin }\nrequirements: " + gate.path() +
           "\nsubject_to: [{ quantity: silicon, max: 6.5 m2 }]\n"));
  const SearchResult other = searched(by_file, 8);
  CHECK(other.best.f == doctest::Approx(r.best.f).epsilon(1e-9));
  // and check agrees
  const Detector found = other.program->detector_at(other.best.x);
  const CheckOutcome outcome =
      check(by_file.requirements.front(), std::span(&found, 1));
  CHECK(outcome.passed());
  double largest = 0;
  for (const CheckResult& result : outcome.results)
    largest = std::max(largest, 1 - result.worst_point().margin);
  CHECK(largest == doctest::Approx(ratio).epsilon(1e-9));
  // the cheapest detector that passes
  OptimisationProblem cheapest = problem_of(its2(
      radii + "minimise: { quantity: silicon }\nrequirements: " + gate.path() +
      '\n'));
  const SearchResult cheap = searched(cheapest, 8);
  REQUIRE(cheap.found);
  CHECK(cheap.verify_violation <= 1e-9);
  CHECK(cheap.best.f < std::log(6.5e6));
  const Detector least = cheap.program->detector_at(cheap.best.x);
  CHECK(check(cheapest.requirements.front(), std::span(&least, 1)).passed());
}

TEST_CASE("multipliers are those of problems with moved limits") {
  Diagnostics warnings;
  OptimisationProblem its2_problem =
      read_problem(root + "/configs/optimise/its2.yaml", {}, {}, warnings);
  const SearchResult r = searched(its2_problem, 1);
  const auto moved = [&](const auto& change) {
    std::array<double, 2> f{};
    for (const int side : {0, 1}) {
      OptimisationProblem p = its2_problem;
      change(p, side == 0 ? -1e-4 : 1e-4);
      f[static_cast<std::size_t>(side)] = searched(p, 1).best.f;
    }
    return (f[0] - f[1]) / 2e-4;
  };
  const auto multiplier = [&](const std::string& name) {
    for (const LimitPrice& p : r.limits)
      if (p.name == name) return p.multiplier;
    return 0.0;
  };
  const double silicon = moved([](OptimisationProblem& p, double by) {
    p.limits[0].max = *p.limits[0].max * (1 + by);
  });
  CHECK(multiplier("silicon") == doctest::Approx(silicon).epsilon(0.02));
  const double gap = moved([](OptimisationProblem& p, double by) {
    p.gaps[1].min *= 1 - by;  // smaller values give more space
  });
  CHECK(multiplier("gap L1-L2") ==
        doctest::Approx(gap / its2_problem.gaps[1].min).epsilon(0.02));
  const double inner = moved([](OptimisationProblem& p, double by) {
    DesignVariable& v = p.space.variables[0];
    v.from *= 1 - by;
  });
  CHECK(r.bounds[0].multiplier == doctest::Approx(inner / 22).epsilon(0.02));
  CHECK(r.bounds[0].price ==
        doctest::Approx(inner / 22 * 19.5158).epsilon(0.02));
  CHECK(r.bounds[0].price_unit == "um/mm");
}

TEST_CASE("supports, mirrors and copies move along, and areas with them") {
  const TemporaryFile detector(
      "gttf-detector: 1\nname: disks\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: pipe, cylinder: { radius: 15 mm, half_length: 1 m }, "
      "material: 0.2 % }\n"
      "  - { name: B, cylinder: { radius: 30 mm, half_length: 200 mm }, "
      "material: 0.3 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: C, cylinder: { radius: 60 mm, half_length: 200 mm }, "
      "material: 0.3 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: S, cylinder: { radius: 62 mm, half_length: 200 mm }, "
      "material: 0.4 % }\n"
      "  - { name: D, disk: { z: 300 mm, radius: [30 mm, 150 mm] }, mirror: "
      "true, material: 0.3 %, measures: { rphi: 5 um, r: 5 um } }\n"
      "  - { name: R, cylinder: { radius: [200 mm, 300 mm], half_length: 500 "
      "mm "
      "}, repeat: 3, material: 0.2 %, measures: { rphi: 20 um, z: 20 um } }\n");
  OptimisationProblem problem = problem_of(
      "detector: " + detector.path() +
      "\nvary:\n"
      "  layers[C].cylinder.radius: { from: 40 mm, to: 120 mm }\n"
      "  layers[D].disk.z: { from: 250 mm, to: 400 mm }\n"
      "  layers[R].measures.rphi: { from: 10 um, to: 40 um }\n"
      "follow:\n"
      "  layers[S].cylinder.radius: 'layers[C].cylinder.radius + 2 mm'\n"
      "  layers[B,C].cylinder.half_length: 2 * radius + 80 mm\n"
      "keep: [{ gap: { between: [B, C], min: 5 mm } }]\n"
      "quantities: { area: { sum: area, of: 'layers[B,C,D]' } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  DesignProgram program(problem, {});
  const Detector moved = program.detector_at({80, 350, 12e-3});
  const auto layer = [&](const std::string& name) -> const Layer& {
    for (const Layer& l : moved.layers)
      if (l.name == name) return l;
    FAIL("no layer " << name);
    return moved.layers.front();
  };
  CHECK(layer("C").surface.position == 80);
  CHECK(layer("S").surface.position == doctest::Approx(82).epsilon(1e-14));
  CHECK(layer("C").surface.v.upper == doctest::Approx(240).epsilon(1e-12));
  CHECK(layer("D").surface.position == doctest::Approx(350).epsilon(1e-12));
  CHECK(layer("D (-z)").surface.position ==
        doctest::Approx(-350).epsilon(1e-12));
  for (const std::string copy : {"R[0]", "R[1]", "R[2]"})
    CHECK(layer(copy).coordinates[0].sigma ==
          doctest::Approx(12e-3).epsilon(1e-12));
  // 4 pi r h of both barrels, and both disks
  const double area = 4 * unit::pi * (30 * 140 + 80 * 240) +
                      2 * unit::pi * (150 * 150 - 30 * 30);
  const auto limits = program.all_values({80, 350, 12e-3});
  REQUIRE(limits);
  OptimisationProblem by_area = problem;
  by_area.objective.kind = Objective::Kind::quantity;
  DesignProgram areas(by_area, {});
  CHECK(std::exp(areas.all_values({80, 350, 12e-3})->f) ==
        doctest::Approx(area).epsilon(1e-12));
}

TEST_CASE("tracks outside of the working set must not lose hits either") {
  // less silicon at fixed lengths: the radii tend to grow out of the acceptance
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/alice_its2.yaml\nparticle: pion\n"
      "vary: { 'layers[L3..L6].cylinder.radius': { from: 100 mm, to: 600 mm } "
      "}\n"
      "keep: [{ gap: { between: [L3..L6], min: 3 mm } }]\n"
      "minimise: { what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg } }\n"
      "subject_to:\n"
      "  - { what: n_hits, at: { p: 10 GeV, theta: { from: 45 deg, to: 90 deg, "
      "points: 46 } }, min: 7 }\n"
      "  - { what: sigma_d0, at: { p: { from: 1 GeV, to: 10 GeV, points: 9 }, "
      "theta: { from: 55 deg, to: 90 deg, points: 36 } }, max: 1 mm }\n");
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  CHECK(r.verify_violation <= 1e-9);
  // L4 is 421.4 mm long to each side, L6 737.45 mm: seen from 45 deg
  CHECK(r.best.x[1] < 421.5);
  CHECK(r.best.x[3] > 390);
}

TEST_CASE("coverage in closed form against many straight tracks") {
  const Detector cld = read_detector(root + "/detectors/cld.yaml", {}).detector;
  const DesignNumbers design(cld);
  const std::vector<double> numbers = design.values();
  const auto hits = [&](double z0, double cot) {
    std::size_t n = 0;
    for (const Layer& l : cld.layers) {
      if (l.coordinates.empty()) continue;
      const Surface& s = l.surface;
      if (s.shape == Shape::cylinder)
        n += s.v.contains(z0 + s.position * cot);
      else if ((s.position - z0) * cot > 0)
        n += s.v.contains((s.position - z0) / cot);
    }
    return n;
  };
  CoverageLimit limit;
  for (std::size_t l = 0; l < cld.layers.size(); ++l) {
    if (cld.layers[l].coordinates.empty()) continue;
    const std::size_t first = design.first_of(l);
    const bool is_disk = cld.layers[l].surface.shape == Shape::disk;
    limit.layers.push_back(is_disk ? CoverageLimit::Ends{{l, first, first + 3},
                                                         {l, first, first + 4},
                                                         true}
                                   : CoverageLimit::Ends{{l, first + 3, first},
                                                         {l, first + 4, first},
                                                         false});
  }
  limit.cot_from = -2.5;
  limit.cot_to = 2.5;
  for (const double vertex_z : {0.0, 40.0}) {
    std::size_t least = 1000;
    for (int i = 0; i <= 4000; ++i)
      for (int k = -4; k <= 4; ++k)
        least = std::min(least, hits(vertex_z * k / 4, -2.5 + 5e0 * i / 4000));
    limit.vertex_z = vertex_z;
    limit.hits = least;
    CHECK(largest_gap(limit, numbers, {}).missing <= 0);
    limit.hits = least + 1;
    CHECK(largest_gap(limit, numbers, {}).missing > 0);
  }
}

TEST_CASE("a coverage is limited at its corners: the required lengths") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/alice_its2.yaml\nparticle: pion\n"
      "vary:\n"
      "  layers[L0..L6].cylinder.half_length: { from: 30 mm, to: 1.5 m }\n"
      "keep: [{ coverage: { hits: 7, eta: { to: 0.9 }, vertex_z: 60 mm } }]\n"
      "quantities: { silicon: { sum: area, of: 'layers[L0..L6]' } }\n"
      "minimise: { quantity: silicon }\n");
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  const std::vector<double> list{23.4, 31.5, 39.3, 194.5, 244, 342.4, 392};
  for (std::size_t i = 0; i < list.size(); ++i)
    CHECK(r.best.x[i] ==
          doctest::Approx(list[i] * std::sinh(0.9) + 60).epsilon(1e-7));
  CHECK(r.certificate.residual < 1e-6);
}

TEST_CASE("an envelope holds radii and lengths") {
  OptimisationProblem problem = problem_of(its2(
      "vary: { 'layers[L0..L6].cylinder.radius': { from: 22 mm, to: 500 mm "
      "} }\n"
      "keep:\n  - { gap: { between: [L0..L6], min: 6 mm } }\n"
      "  - { envelope: { of: 'layers[L0..L6]', r: [25 mm, 380 mm], z: "
      "[-450 mm, 450 mm] } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to: [{ what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg "
      "}, max: 6 % }]\n"));
  const SearchResult r = searched(problem, 4);
  REQUIRE(r.found);
  const Detector found = r.program->detector_at(r.best.x);
  for (std::size_t l = 1; l < found.layers.size(); ++l) {
    CHECK(found.layers[l].surface.position >= 25 - 1e-6);
    CHECK(found.layers[l].surface.position <= 380 + 1e-6);
    CHECK(found.layers[l].surface.v.upper <= 450 + 1e-6);
  }
  CHECK(found.layers[1].surface.position == doctest::Approx(25).epsilon(1e-8));
}

TEST_CASE("an interval of the file takes a new half-length at both ends") {
  const TemporaryFile detector(
      "gttf-detector: 1\nname: listed\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: A, cylinder: { radius: 30 mm, z: [-10 cm, 100 mm] }, "
      "material: 0.3 %, measures: { rphi: 5 um, z: 5 um } }  # first\n"
      "  - { name: B, cylinder: { radius: 60 mm, z: [-150 mm, 150 mm] }, "
      "material: 0.3 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - &last\n    name: C\n    cylinder: { radius: 90 mm, z: [-200 mm, 200 "
      "mm] }\n    material: 0.3 %\n    measures: { rphi: 5 um, z: 5 um }\n");
  OptimisationProblem problem = problem_of(
      "detector: " + detector.path() +
      "\nvary: { 'layers[A..C].cylinder.radius': { from: 25 mm, to: 95 mm } }\n"
      "follow: { 'layers[A..C].cylinder.half_length': 2 * radius + 50 mm }\n"
      "keep: [{ gap: { between: [A..C], min: 5 mm } }]\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  const std::string text = best_file(*r.program, r.best.x, {});
  CHECK(text.find("# first") != text.npos);
  CHECK(text.find(" cm, ") != text.npos);
  const Detector found = parse_detector(text, "best.yaml").detector;
  for (std::size_t i = 0; i < 3; ++i) {
    const Surface& s = found.layers[i].surface;
    CHECK(s.v.upper == doctest::Approx(2 * r.best.x[i] + 50).epsilon(1e-13));
    CHECK(s.v.lower == doctest::Approx(-s.v.upper).epsilon(1e-13));
  }
}

TEST_CASE("a front: monotone, no point dominated, each the best at its limit") {
  OptimisationProblem problem = problem_of(its2(
      radii +
      "pareto: { of: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }, "
      "{ quantity: silicon }], points: 9 }\n"
      "subject_to: [{ what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg "
      "}, max: 4.8 % }]\nsearch: { starts: 12 }\n"));
  const ParetoFront front = pareto_front(problem, {});
  REQUIRE(front.points.size() >= 8);
  for (std::size_t i = 1; i < front.points.size(); ++i) {
    CHECK(front.points[i].values[0] > front.points[i - 1].values[0]);
    CHECK(front.points[i].values[1] < front.points[i - 1].values[1]);
  }
  CHECK(front.present[1] == doctest::Approx(6.516749520763917).epsilon(1e-9));
  // a point in the middle as a separate problem, from more starts
  const ParetoPoint& middle = front.points[front.points.size() / 2];
  OptimisationProblem own = problem;
  own.limits.push_back({"silicon", 0, std::nullopt,
                        middle.values[1] * unit::m * unit::m, "m2",
                        unit::m * unit::m});
  const SearchResult r = searched(own, 48);
  CHECK(middle.values[0] ==
        doctest::Approx(r.program->in_unit(r.best.f)).epsilon(1e-5));
}

TEST_CASE("a front of choices has only designs with a value") {
  const auto front_with = [](const std::string& number) {
    const OptimisationProblem problem = problem_of(
        "detector: " + root +
        "/detectors/barrel.yaml\n"
        "choose: { layers: { of: 'layers[L1..L6]', " +
        number +
        " } }\n"
        "quantities: { silicon: { sum: area, of: 'layers[L1..L6]' } }\n"
        "pareto: { of: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }, { "
        "quantity: silicon }], points: 40 }\n");
    std::vector<std::vector<double>> list;
    for (const ParetoPoint& p : pareto_front(problem, {}).points)
      list.push_back(p.values);
    return list;
  };
  // the least area is that of no layers, but two do not determine a track
  const auto expected = front_with("at_least: 3, at_most: 4");
  CHECK(expected.size() > 3);
  CHECK(front_with("at_most: 4") == expected);
}

TEST_CASE("fronts of means and of worst values") {
  const std::string grid =
      "over: { p: [0.5 GeV, 5 GeV], theta: [90 deg, 60 deg] }";
  for (const std::string& first :
       {"{ mean: sigma_d0, " + grid + " }",
        "{ mean_log: sigma_d0, " + grid + ", of: 5 um (+) 20 um * GeV / p }",
        "{ worst: sigma_d0, " + grid + ", of: 5 um (+) 20 um * GeV / p }"}) {
    INFO(first);
    OptimisationProblem problem = problem_of(
        its2(radii + "pareto: { of: [" + first +
             ", { quantity: silicon }], points: 4 }\nsubject_to: [{ what: "
             "sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg }, max: 4.8 % "
             "}]\nsearch: { starts: 4 }\n"));
    const ParetoFront front = pareto_front(problem, {});
    REQUIRE(front.points.size() >= 3);
    // the objectives the other way round: the same designs at their limits
    std::swap(problem.pareto.of[0], problem.pareto.of[1]);
    const ParetoFront other = pareto_front(problem, {});
    REQUIRE(other.points.size() >= 3);
    CHECK(other.points.front().values[0] ==
          doctest::Approx(front.points.back().values[1]).epsilon(1e-6));
    CHECK(other.points.back().values[1] ==
          doctest::Approx(front.points.front().values[0]).epsilon(1e-6));
    for (std::size_t i = 1; i < other.points.size(); ++i)
      CHECK(other.points[i].values[1] < other.points[i - 1].values[1]);
  }
}

TEST_CASE("a limit on a mean, or on the mean ratio to a curve, is kept") {
  const std::string grid =
      "over: { p: [0.5 GeV, 5 GeV], theta: [90 deg, 60 deg] }";
  struct Case {
    std::string limit;
    bool curve;
  };
  for (const Case& tried :
       {Case{"{ mean: sigma_d0, " + grid + ", max: 24.6 um }", false},
        Case{"{ mean: sigma_d0, " + grid +
                 ", of: 5 um (+) 20 um * GeV / p, max: 1.12 }",
             true}}) {
    const std::string& limit = tried.limit;
    const bool curve = tried.curve;
    INFO(limit);
    OptimisationProblem problem = problem_of(its2(
        radii + "minimise: { quantity: silicon }\n" + "subject_to: [" + limit +
        ", { what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 "
        "deg }, max: 6 % }]\n"));
    check_gradients(problem, {23, 32, 40, 190, 240, 340, 390});
    const SearchResult r = searched(problem, 6);
    REQUIRE(r.found);
    const Detector found = r.program->detector_at(r.best.x);
    double sum = 0;
    for (const double p : {0.5, 5.0})
      for (const double theta : {90 * unit::deg, 60 * unit::deg})
        sum += sigma_d0_um(found, p, theta) /
               (curve ? std::hypot(5, 20 / p) : 1.0);
    const double most = curve ? 1.12 : 24.6;
    CHECK(sum / 4 <= most * (1 + 1e-9));
    // it costs silicon
    for (const LimitPrice& p : r.limits) {
      if (!p.name.starts_with("mean")) continue;
      CHECK(p.active);
      CHECK(p.value == doctest::Approx(sum / 4).epsilon(1e-9));
      CHECK(p.multiplier > 0);
      CHECK(p.price_unit == (curve ? "m2" : "m2/um"));
    }
  }
}

TEST_CASE("a front whose branches cross has the best of all at every point") {
  // at this silicon the ITS2 has several optima; which one is best changes with
  // the limit on the momentum
  OptimisationProblem problem = problem_of(its2(
      radii +
      "pareto: { of: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }, { "
      "what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg } }], points: 7 }\n"
      "subject_to: [{ quantity: silicon, max: 6.5 m2 }]\nsearch: { starts: 32 "
      "}\n"));
  const ParetoFront front = pareto_front(problem, {});
  REQUIRE(front.points.size() >= 6);
  for (std::size_t i = 1; i < front.points.size(); ++i) {
    CHECK(front.points[i].values[0] > front.points[i - 1].values[0]);
    CHECK(front.points[i].values[1] < front.points[i - 1].values[1]);
  }
  for (const std::size_t i : {1UL, front.points.size() - 2}) {
    const ParetoPoint& point = front.points[i];
    OptimisationProblem own = problem_of(
        its2(radii +
             "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } "
             "}\nsubject_to: [{ quantity: silicon, max: 6.5 m2 }, { what: "
             "sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg }, max: " +
             std::to_string(point.values[1] * 100 * (1 + 1e-7)) + " % }]\n"));
    const SearchResult r = searched(own, 96);
    INFO(i);
    CHECK(point.values[0] <= r.program->in_unit(r.best.f) * (1 + 1e-5));
  }
}

TEST_CASE("errors of construction: by derivatives, or sampled at a minimum") {
  const std::string errors =
      "tolerances: { 'layers[L0..L6].cylinder.radius': 0.1 mm, "
      "'layers[L0..L2].material': 0.02 % }\n";
  OptimisationProblem problem = problem_of(
      its2(radii + errors +
           "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
           "subject_to: [{ quantity: silicon, max: 6.5 m2 }]\n"));
  const SearchResult r = searched(problem, 1);
  const ConstructionResult c = construction_effects(*r.program, r.best.x, 1);
  REQUIRE(c.effects.size() == 10);
  CHECK(c.samples == 1000);
  CHECK(c.lost == 0);
  // the beam pipe's distance to L0 is a first order effect
  CHECK(c.effects[0].by_derivative());
  CHECK(c.by_derivatives());
  CHECK(c.first == doctest::Approx(c.rms).epsilon(0.1));
  // against sensitivities of the detector that was found
  const Detector found = r.program->detector_at(r.best.x);
  Track track;
  const Sensitivities list =
      make_sensitivities(TrackingGeometry(found), track, Model{});
  for (const Sensitivity& item : list.items)
    if (item.quantity == Quantity::position && item.layer == 1)
      CHECK(c.effects[0].first ==
            doctest::Approx(item.slope[Parameter::d0] * 0.1).epsilon(1e-6));
  // the same samples on any number of threads
  const ConstructionResult other =
      construction_effects(*r.program, r.best.x, 3);
  CHECK(other.rms == c.rms);
  CHECK(other.shift == c.shift);
}

TEST_CASE("a variable that no resolution depends on is reported") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "vary:\n  layers[L1..L6].measures.rphi: { from: 2 um, to: 60 um }\n"
      "  layers[L1..L6].measures.z: { from: 2 um, to: 300 um }\n"
      "quantities: { cost: { sum: area / m2 * ((10 um / sigma_rphi)^2 + (10 um "
      "/ sigma_z)^2), of: 'layers[L1..L6]' } }\n"
      "minimise: { quantity: cost }\n"
      "subject_to: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg }, max: 25 "
      "um }]\n");
  const SearchResult r = searched(problem, 2);
  REQUIRE(r.found);
  for (std::size_t i = 0; i < 6; ++i) {
    INFO(i);
    CHECK_FALSE(r.bounds[6 + i].asked_for);  // of z
    CHECK(r.bounds[6 + i].at_upper);
  }
  CHECK(r.bounds[0].asked_for);
}

TEST_CASE("a gap orders the images and copies of its layers too") {
  const TemporaryFile forward(
      "gttf-detector: 1\nname: forward\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: B, cylinder: { radius: 30 mm, half_length: 300 mm }, "
      "material: 1 %, measures: { rphi: 5 um, z: 10 um } }\n"
      "  - { name: D1, disk: { z: 400 mm, radius: [30 mm, 300 mm] }, mirror: "
      "true, material: 1 %, measures: { rphi: 10 um, r: 30 um } }\n"
      "  - { name: D2, disk: { z: 700 mm, radius: [30 mm, 300 mm] }, mirror: "
      "true, material: 1 %, measures: { rphi: 10 um, r: 30 um } }\n"
      "  - { name: D3, disk: { z: [1000 mm, 1120 mm], radius: [30 mm, 300 mm] "
      "}, repeat: 3, material: 1 %, measures: { rphi: 10 um, r: 30 um } }\n");
  const std::string text =
      "detector: " + forward.path() +
      "\nvary: { 'layers[D1].disk.z': { from: 350 mm, to: 600 mm }, "
      "'layers[D2].disk.z': { from: 450 mm, to: 1080 mm } }\n"
      "minimise: { what: sigma_pt_rel, at: { p: 5 GeV, theta: 12 deg } }\n";
  OptimisationProblem problem = problem_of(
      text + "keep: [{ gap: { between: [D1, D2, D3], min: 30 mm } }]\n");
  const SearchResult r = searched(problem, 4);
  REQUIRE(r.found);
  CHECK(r.best.x[1] <= 970 * (1 + 1e-9));
  try {
    problem_of(text + "keep: [{ gap: { between: [D2, D3], min: 30 mm } }]\n");
    FAIL("the order of D1 and D2 is open");
  } catch (const InputError& error) {
    CHECK(error.diagnostics().items()[0].suggestion.find("[D1, D2]") !=
          std::string::npos);
  }
}

TEST_CASE(
    "a resolution depends on a thickness of zero, although its derivative "
    "vanishes") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L2,L6].material': { from: 0 %, to: 1 % } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  REQUIRE(r.bounds.size() == 2);
  CHECK(r.bounds[0].at_lower);
  CHECK(r.bounds[0].asked_for);
  // nothing measures beyond the last layer
  CHECK_FALSE(r.bounds[1].asked_for);
}

TEST_CASE("a limit costs nothing if another one holds the same design") {
  const auto prices_with = [](const std::string& least) {
    OptimisationProblem problem =
        problem_of("detector: " + root +
                   "/detectors/barrel.yaml\n"
                   "vary: { 'layers[L4].cylinder.radius': { from: " +
                   least +
                   ", to: 300 mm } }\n"
                   "keep: [{ gap: { between: [L3, L4], min: 10 mm } }]\n"
                   "quantities: { silicon: { sum: area, of: 'layers[L4]' } }\n"
                   "minimise: { quantity: silicon }\n");
    const SearchResult r = searched(problem, 1);
    REQUIRE(r.found);
    REQUIRE(r.limits.size() == 1);
    CHECK(r.limits[0].active);
    return std::pair{r.limits[0].multiplier, r.bounds[0].multiplier};
  };
  // L3 is at 90 mm: both, or the gap only, keep L4 at 100 mm
  const auto [gap, bound] = prices_with("100 mm");
  CHECK(gap == 0);
  CHECK(bound == 0);
  const auto [gap_alone, no_bound] = prices_with("95 mm");
  CHECK(gap_alone == doctest::Approx(0.01));  // 1 % per mm
  CHECK(no_bound == 0);
}

TEST_CASE("a finer grid has the values of a list only") {
  const auto finer = [](const std::string& p, const std::string& theta) {
    const OptimisationProblem problem = problem_of(
        "detector: " + root +
        "/detectors/barrel.yaml\n"
        "vary: { 'layers[L2].cylinder.radius': { from: 35 mm, to: 80 mm } }\n"
        "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
        "subject_to: [{ what: sigma_z0, at: { p: " +
        p + ", theta: " + theta + " }, max: 1 mm }]\n");
    const Criterion c = refined(problem.requirements[0], 4).criteria[0];
    return std::pair{c.momentum.values.size(), c.angle.values.size()};
  };
  const std::string three = "[1 GeV, 3 GeV, 9 GeV]",
                    angles = "{ from: 70 deg, to: 90 deg, points: 3 }";
  CHECK(finer(three, angles) == std::pair{std::size_t{3}, std::size_t{9}});
  CHECK(finer("{ from: 1 GeV, to: 9 GeV, points: 3 }", "[70 deg, 80 deg]") ==
        std::pair{std::size_t{9}, std::size_t{2}});
  CHECK(finer(three, "[70 deg, 80 deg]") ==
        std::pair{std::size_t{3}, std::size_t{2}});
}

TEST_CASE("a finer grid has the spacing of its range") {
  const auto finer = [](const std::string& momenta, const std::string& angles) {
    const OptimisationProblem problem = problem_of(
        "detector: " + root +
        "/detectors/barrel.yaml\n"
        "vary: { 'layers[L2].cylinder.radius': { from: 35 mm, to: 80 mm } }\n"
        "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
        "subject_to: [{ what: sigma_z0, at: { " +
        momenta + ", " + angles + " }, max: 1 mm }]\n");
    return refined(problem.requirements[0], 2).criteria[0];
  };
  const auto same = [](const std::vector<double>& values,
                       const std::vector<double>& expected) {
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(values[i] == doctest::Approx(expected[i]).epsilon(1e-14));
  };
  const std::string two = "from: 1 GeV, to: 9 GeV, points: 2";
  const std::string theta = "theta: { from: 60 deg, to: 90 deg, points: 2 }";
  for (const std::string variable : {"p", "pt"}) {
    same(finer(variable + ": { " + two + " }", theta).momentum.values,
         {1, 3, 9});
    same(finer(variable + ": { " + two + ", spacing: log }", theta)
             .momentum.values,
         {1, 3, 9});
    same(finer(variable + ": { " + two + ", spacing: linear }", theta)
             .momentum.values,
         {1, 5, 9});
  }
  same(finer("p: 1 GeV", theta).angle.values,
       {60 * unit::deg, 75 * unit::deg, 90 * unit::deg});
  const Criterion by_eta =
      finer("p: 1 GeV", "eta: { from: 0, to: 1, points: 2 }");
  CHECK(by_eta.angle.variable == AngleAxis::Variable::eta);
  same(by_eta.angle.values, {0, 0.5, 1});
  CHECK(by_eta.points.size() == 3);
}

TEST_CASE(
    "every limit is listed, a grid by its nearest point if none is active") {
  const std::string momenta =
      "at: { p: [1 GeV, 3 GeV, 10 GeV], theta: 90 deg }";
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L2].cylinder.radius': { from: 35 mm, to: 80 mm } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to:\n"
      "  - { what: sigma_z0, " +
      momenta +
      ", max: 1 mm }\n"
      "  - { what: sigma_pt_rel, " +
      momenta +
      ", max: 50 % }\n"
      "  - { what: sigma_theta, at: { p: 1 GeV, theta: 90 deg }, min: 1 urad, "
      "max: 1 rad }\n");
  const SearchResult r = searched(problem, 4);
  REQUIRE(r.found);
  REQUIRE(r.limits.size() == 4);
  // the errors of impact are largest at low momenta
  CHECK(r.limits[0].name.find("at p = 1 GeV") != std::string::npos);
  CHECK(r.limits[1].name.find("at p = 10 GeV") != std::string::npos);
  Track track;
  track.p = 10;
  const PerParameter errors = sigmas(
      resolve(TrackingGeometry(r.program->detector_at(r.best.x)), track));
  CHECK(r.limits[1].value ==
        doctest::Approx(errors[Parameter::pt]).epsilon(1e-10));
  for (const LimitPrice& p : r.limits) {
    CHECK_FALSE(p.active);
    CHECK(p.multiplier == 0);
    CHECK(p.price == 0);
  }
}

TEST_CASE("a limit may name a layer that no choice can leave out") {
  const auto study = [](const std::string& choice, const std::string& limit) {
    return problem_of(
        "detector: " + root +
        "/detectors/alice_its2.yaml\n"
        "choose: { planes: { of: 'layers[L0..L2]', " +
        choice +
        " }, kind: { thin: { 'layers[L3].material': 0.5 % }, thick: { "
        "'layers[L3].material': 1 % } } }\n"
        "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
        "subject_to: [{ " +
        limit + ", at: { p: 1 GeV, theta: 90 deg }, max: 50 % }]\n");
  };
  const std::string of_layer = "budget: { of: d0, layer: L1 }",
                    up_to = "what: x_over_x0, up_to: L1",
                    of_group = "budget: { of: d0, group: inner barrel }";
  constexpr const char* left_out = "may be left out by the choice \"planes\"";
  for (const std::string& limit : {of_layer, up_to}) {
    CHECK_THROWS_WITH(study("at_least: 2", limit), doctest::Contains(left_out));
    // all of them are there
    OptimisationProblem all = study("exactly: 3", limit);
    const SearchResult r = search(all, {});
    CHECK(r.found);
    REQUIRE(r.limits.size() == 1);
    CHECK(r.limits[0].unit == "1");
    CHECK(r.limits[0].shown_unit == "%");
  }
  CHECK_NOTHROW(study("at_least: 1", of_group));
  CHECK_THROWS_WITH(study("at_most: 2", of_group), doctest::Contains(left_out));
  // not one of the choice
  for (const std::string limit :
       {"budget: { of: d0, layer: L3 }", "what: x_over_x0, up_to: L3"})
    CHECK(search(study("at_most: 2", limit), {}).found);
}

TEST_CASE("layers that move together need no gap while their order remains") {
  const std::string inner =
      "vary: { 'layers[L1].cylinder.radius': { from: 25 mm, to: 35 mm } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "detector: " +
      root + "/detectors/barrel.yaml\n";
  // L2 is between 30 and 40 mm, and always 5 mm outside of L1
  CHECK_NOTHROW(problem_of(inner + "follow: { 'layers[L2].cylinder.radius': "
                                   "layers[L1].cylinder.radius + 5 mm }\n"));
  // L2 is between 60 and 72 mm, with the least radius at L1 = 30 mm
  CHECK_NOTHROW(
      problem_of(inner +
                 "follow: { 'layers[L2].cylinder.radius': 60 mm + "
                 "(layers[L1].cylinder.radius - 30 mm)^2 / (2 mm) }\n"));
  // L2 meets L1 at 31 mm only: both ends of the range are in order
  CHECK_THROWS_WITH(
      problem_of(inner +
                 "follow: { 'layers[L2].cylinder.radius': 31 mm + "
                 "(layers[L1].cylinder.radius - 31 mm)^2 / (0.5 mm) }\n"),
      doctest::Contains("\"L1\" and \"L2\" can change places"));
}

TEST_CASE("layers that are left out take no anchor of others along") {
  const TemporaryFile barrel(
      "gttf-detector: 1\nname: barrel\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - &inner   # & and *inner in a comment\n"
      "    name: L1\n    cylinder: { radius: 30 mm, half_length: 900 mm }\n"
      "    material: 1 %\n    measures: &pixels { rphi: 5 um, z: 5 um }\n"
      "  - { <<: *inner, name: L2, cylinder: { radius: 60 mm, half_length: 900 "
      "mm } }\n"
      "  # the third\n"
      "  - <<: *inner\n    name: L3   # kept\n"
      "    cylinder: { radius: 100 mm, half_length: 900 mm }\n"
      "  - { name: L4, cylinder: { radius: 200 mm, half_length: 900 mm }, "
      "material: 1 %, measures: *pixels }\n"
      "  - { name: L5, cylinder: { radius: 400 mm, half_length: 900 mm }, "
      "material: 1 %, measures: { rphi: 10 um, z: 5 um } }\n");
  OptimisationProblem problem = problem_of(
      "detector: " + barrel.path() +
      "\nchoose: { layers: { of: 'layers[L1..L2]', exactly: 1 } }\n"
      "minimise: { what: sigma_pt_rel, at: { p: 9 GeV, theta: 90 deg } }\n");
  // each of the two
  for (const std::size_t absent : {0U, 1U}) {
    std::vector<char> layers(5, 0);
    layers[absent] = 1;
    const DesignProgram program(problem, {{"one"}, layers, {}, {}});
    const std::string text = best_file(program, {}, {});
    INFO(text);
    const Detector written = parse_detector(text, "best.yaml").detector;
    CHECK(written.layers.size() == 4);
    CHECK(text.find("# the third") != std::string::npos);
    CHECK(text.find("# kept") != std::string::npos);
    CHECK((text.find("*inner") == std::string::npos) == (absent == 0));
  }
}

TEST_CASE("an envelope holds what options set") {
  const auto study = [](const std::string& what) {
    return "detector: " GTTF_SOURCE_DIR
           "/detectors/barrel.yaml\n"
           "choose: { last: { near: { 'layers[L6].cylinder.radius': 500 mm, "
           "'layers[L6].cylinder.half_length': 600 mm }, far: { "
           "'layers[L6].cylinder.radius': 700 mm, "
           "'layers[L6].cylinder.half_length': 900 mm } } }\n"
           "minimise: { what: sigma_pt_rel, at: { p: 1 GeV, theta: 90 deg } "
           "}\n" +
           what;
  };
  OptimisationProblem free = problem_of(study(""));
  CHECK(searched(free, 1).program->combination().chosen[0] == "far");
  for (const char* ends : {"r: [10 mm, 600 mm]", "z: [-700 mm, 700 mm]"}) {
    OptimisationProblem kept =
        problem_of(study("keep: [{ envelope: { of: 'layers[L*]', " +
                         std::string(ends) + " } }]\n"));
    const SearchResult r = searched(kept, 1);
    REQUIRE(r.found);
    CHECK(r.program->combination().chosen[0] == "near");
  }
}

TEST_CASE("a layer beyond its envelope can be left out") {
  OptimisationProblem problem = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "choose: { some: { of: 'layers[L3..L6]', exactly: 3 } }\n"
      "keep: [{ envelope: { of: 'layers[L*]', r: [10 mm, 400 mm] } }]\n"
      "minimise: { what: sigma_pt_rel, at: { p: 9 GeV, theta: 90 deg } }\n");
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  CHECK(r.program->combination().chosen[0] == "L3,L4,L5");
}

TEST_CASE("an undecided layer beyond its envelope excludes no design") {
  OptimisationProblem problem = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "choose: { some: { of: 'layers[L4..L6]', exactly: 2 }, last: { near: { "
      "'layers[L6].cylinder.radius': 500 mm }, far: { "
      "'layers[L6].cylinder.radius': 700 mm, 'layers[L1].material': 0.1 % } } "
      "}\n"
      "keep: [{ envelope: { of: 'layers[L*]', r: [10 mm, 600 mm] } }]\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  DesignProgram program(problem, combinations_of(problem, true)[1]);
  program.set_absent(std::vector<char>(7, 0));
  const auto bound = program.bound({{{{4}, {5}, {6}}, 2}}, false);
  REQUIRE(bound);
  CHECK(bound->violation() <= design_feasible);
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  CHECK(r.program->combination().chosen ==
        std::vector<std::string>{"L4,L5", "far"});
}

TEST_CASE("a number of hits that no design has is named") {
  OptimisationProblem problem = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L2..L3].cylinder.radius': { from: 40 mm, to: 180 mm } "
      "}\n"
      "keep: [{ gap: { between: [L1..L4], min: 5 mm } }]\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to: [{ what: n_hits, at: { p: 1 GeV, theta: 90 deg }, min: 9 "
      "}]\n");
  const SearchResult r = searched(problem, 2);
  CHECK_FALSE(r.found);
  REQUIRE(r.infeasible);
  CHECK(r.infeasible->ratio == doctest::Approx(1.5));
}

TEST_CASE("no resolution depends on a layer that is left out") {
  OptimisationProblem problem = problem_of(
      "detector: " GTTF_SOURCE_DIR
      "/detectors/barrel.yaml\nparticle: kaon\nenergy_loss: mean\n"
      "vary: { 'layers[L4..L5].cylinder.radius': { from: 110 mm, to: 480 mm } "
      "}\n"
      "choose: { last: { of: 'layers[L5..L6]', exactly: 1 } }\n"
      "keep: [{ gap: { between: [L3..L6], min: 5 mm } }]\n"
      "minimise: { mean: sigma_pt_rel, over: { pt: [0.4 GeV, 1 GeV, 4 GeV], "
      "theta: [90 deg, 70 deg] } }\n");
  const SearchResult r = searched(problem, 2);
  REQUIRE(r.found);
  REQUIRE(r.program->combination().chosen[0] == "L6");
  CHECK(r.bounds[0].asked_for);
  CHECK_FALSE(r.bounds[1].asked_for);
}

TEST_CASE("formulas read the values that options set") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "choose: { third: { near: { 'layers[L3].cylinder.radius': 80 mm }, far: "
      "{ 'layers[L3].cylinder.radius': 150 mm } } }\n"
      "follow: { 'layers[L4].cylinder.radius': 'layers[L3].cylinder.radius + "
      "60 mm' }\n"
      "quantities: { sum: { sum: 'layers[L3].cylinder.radius / mm', of: L1 } "
      "}\n"
      "minimise: { what: sigma_pt_rel, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to: [{ quantity: sum, max: 400 }]\n");
  for (const Combination& combination : combinations_of(problem)) {
    DesignProgram program =
        DesignProgram(problem, Combination{}).with(combination);
    const double third = combination.chosen[0] == "near" ? 80 : 150;
    const Detector detector = program.detector_at({});
    CHECK(detector.layers[3].surface.position == third);
    CHECK(detector.layers[4].surface.position ==
          doctest::Approx(third + 60).epsilon(1e-12));
    CHECK(program.limits_at({}, {})[0].value ==
          doctest::Approx(third).epsilon(1e-12));
  }
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  const Detector written =
      parse_detector(best_file(*r.program, r.best.x, {}), "best.yaml").detector;
  CHECK(written.layers[4].surface.position ==
        doctest::Approx(written.layers[3].surface.position + 60));
}

TEST_CASE("surfaces whose ranges meet are kept apart, and can be written") {
  const TemporaryFile detector(
      "gttf-detector: 1\nname: meet\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: D, disk: { z: 400 mm, radius: [30 mm, 300 mm] }, mirror: "
      "true, material: 1 %, measures: { rphi: 10 um, r: 30 um } }\n"
      "  - { name: R, repeat: 4, cylinder: { radius: [310 mm, 400 mm], "
      "half_length: 300 mm }, material: 1 %, measures: { rphi: 10 um, z: 30 um "
      "} }\n"
      "  - { name: S, cylinder: { radius: 500 mm, half_length: 300 mm }, "
      "material: 1 %, measures: { rphi: 10 um, z: 30 um } }\n"
      "  - { name: T, cylinder: { radius: 600 mm, half_length: 300 mm }, "
      "material: 1 %, measures: { rphi: 10 um, z: 30 um } }\n");
  for (const std::string text :
       {"vary: { 'layers[D].disk.z': { from: 0 mm, to: 500 mm } }\n"
        "quantities: { q: { sum: 1 + sqrt((z / mm)^2), of: D } }\n",
        "vary: { 'layers[D].disk.radius[1]': { from: 30 mm, to: 300 mm } }\n"
        "quantities: { q: { sum: 1 + outer / mm, of: D } }\n",
        "vary: { 'layers[R].cylinder.radius[0]': { from: 305 mm, to: 400 mm } "
        "}\n"
        "quantities: { q: { sum: 2000 - radius / mm, of: R } }\n",
        "vary: { 'layers[S].cylinder.half_length': { from: 0 mm, to: 300 mm } "
        "}\n"
        "quantities: { q: { sum: 1 + area / mm2, of: S } }\n",
        "vary: { 'layers[S,T].cylinder.radius': { from: 450 mm, to: 650 mm } "
        "}\n"
        "keep: [{ gap: { between: [S, T], min: 0 mm } }]\n"
        "quantities: { q: { sum: 1 + (layers[T].cylinder.radius - radius) / "
        "mm, "
        "of: S } }\n"}) {
    INFO(text);
    OptimisationProblem problem =
        problem_of("detector: " + detector.path() + '\n' + text +
                   "minimise: { quantity: q }\n");
    const SearchResult r = searched(problem, 1);
    REQUIRE(r.found);
    const Gap& gap = r.program->gaps().front();
    const auto numbers =
        r.program->space().numbers<double>(std::span<const double>(r.best.x));
    CHECK(numbers[gap.outer] - numbers[gap.inner] ==
          doctest::Approx(least_gap).epsilon(0.02));
    CHECK_NOTHROW(best_file(*r.program, r.best.x, {}));
  }
}

TEST_CASE("the first and the last radius of a repeated layer vary together") {
  const TemporaryFile chamber(
      "gttf-detector: 1\nname: chamber\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: V, cylinder: { radius: 30 mm, half_length: 300 mm }, "
      "material: 1 %, measures: { rphi: 10 um, z: 30 um } }\n"
      "  - { name: R, repeat: 4, cylinder: { radius: [310 mm, 400 mm], "
      "half_length: 900 mm }, material: 1 %, measures: { rphi: 100 um, z: 1 mm "
      "} }\n");
  const std::string text =
      "detector: " + chamber.path() +
      "\nminimise: { what: sigma_pt_rel, at: { p: 3 GeV, theta: 80 deg } }\n";
  const OptimisationProblem problem = problem_of(
      text +
      "vary: { 'layers[R].cylinder.radius[0]': { from: 200 mm, to: 350 mm }, "
      "'layers[R].cylinder.radius[1]': { from: 360 mm, to: 500 mm } }\n");
  check_gradients(problem, {290, 430});
  DesignProgram program(problem, Combination{});
  const std::vector<double> x{290, 440};
  const Detector moved = program.detector_at(x);
  const Detector written =
      parse_detector(best_file(program, x, {}), "best.yaml").detector;
  for (const Detector& detector : {moved, written}) {
    for (const std::size_t k : {0u, 1u, 2u, 3u})
      CHECK(detector.layers[1 + k].surface.position ==
            doctest::Approx(290 + 50.0 * static_cast<double>(k)));
  }
  // the gap that is suggested names layers of the file
  try {
    problem_of(text +
               "vary: { 'layers[V].cylinder.radius': { from: 30 mm, to: 320 mm "
               "} }\n");
    FAIL("V can be beyond R");
  } catch (const InputError& error) {
    CHECK(error.diagnostics().items()[0].suggestion.find("[V, R]") !=
          std::string::npos);
  }
  // a pitch is the same number as its error
  CHECK_THROWS_WITH(
      problem_of(text +
                 "vary: { 'layers[V].measures.rphi': { from: 5 um, to: 20 um "
                 "}, 'layers[V].pitch.rphi': { from: 20 um, to: 50 um } }\n"),
      doctest::Contains("layers[V].pitch.rphi"));
}

TEST_CASE("a layer that follows one in order needs no gap of its own") {
  const TemporaryFile forward(
      "gttf-detector: 1\nname: forward\nfield: { solenoid: 2 T }\nlayers:\n"
      "  - { name: D1, disk: { z: 400 mm, radius: [30 mm, 300 mm] }, mirror: "
      "true, material: 1 %, measures: { rphi: 10 um, r: 30 um } }\n"
      "  - { name: D2, disk: { z: 700 mm, radius: [30 mm, 300 mm] }, mirror: "
      "true, material: 1 %, measures: { rphi: 10 um, r: 30 um } }\n"
      "  - { name: S, disk: { z: 730 mm, radius: [30 mm, 300 mm] }, mirror: "
      "true, material: 1 % }\n");
  const auto read = [&](const std::string& more) {
    return problem_of(
        "detector: " + forward.path() +
        "\nvary: { 'layers[D1,D2].disk.z': { from: 350 mm, to: 900 mm } }\n"
        "follow: { 'layers[S].disk.z': 'layers[D2].disk.z + 30 mm' }\n"
        "minimise: { what: sigma_pt_rel, at: { p: 5 GeV, theta: 12 deg } }\n" +
        more);
  };
  const std::string gap = "keep: [{ gap: { between: [D1, D2], min: 1 mm } }]\n";
  CHECK_NOTHROW(read(gap));
  CHECK_THROWS_WITH(read(""), doctest::Contains("can change places"));
  // without D2, nothing keeps S beyond D1
  CHECK_THROWS_WITH(
      read(gap + "choose: { second: { of: 'layers[D2]', at_most: 1 } }\n"),
      doctest::Contains("\"D1\" and \"S\" can change places"));
}

TEST_CASE("options may change the order of layers") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\nparticle: pion\n"
      "vary: { 'layers[L5].cylinder.radius': { choose: [350 mm, 510 mm] } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  for (const Combination& combination : combinations_of(problem)) {
    DesignProgram program =
        DesignProgram(problem, Combination{}).with(combination);
    const auto values = program.all_values({});
    REQUIRE(values);
    const Detector written =
        parse_detector(best_file(program, {}, {}), "best.yaml").detector;
    CHECK(program.in_unit(values->f) ==
          doctest::Approx(sigma_d0_um(written, 1, 90 * unit::deg))
              .epsilon(1e-10));
  }
}

TEST_CASE("later prices and tolerances replace earlier ones") {
  const std::string barrel =
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "prices: { 'layers[*]': 10, 'layers[L2,L3]': 25 }\n"
      "quantities: { cost: { sum: price, of: 'layers[L1..L3]' } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"
      "subject_to: [{ quantity: cost, max: 1000 }]\n";
  const OptimisationProblem problem = problem_of(
      barrel +
      "vary: { 'layers[L2].cylinder.radius': { from: 40 mm, to: 80 mm } }\n"
      "tolerances: { 'layers[L1..L3].cylinder.radius': 0.5 mm, "
      "'layers[L2].cylinder.radius': 0.1 mm }\n");
  CHECK(DesignProgram(problem, Combination{}).limits_at({60}, {})[0].value ==
        60);
  REQUIRE(problem.construction.size() == 3);
  CHECK(problem.construction[2].key.key == "layers[L2].cylinder.radius");
  CHECK(problem.construction[2].rms == doctest::Approx(0.1));
  // the price of an option counts
  const TemporaryFile study(
      "gttf-optimisation: 1\n" + barrel +
      "choose: { first: { a: { 'layers[L1].material': 0.3 %, price: 4 }, b: { "
      "'layers[L1].material': 0.4 %, price: 3 } } }\n");
  Diagnostics warnings;
  const OptimisationProblem priced =
      read_problem(study.path(), {}, {}, warnings);
  REQUIRE(warnings.items().size() == 1);
  CHECK(warnings.items()[0].problem ==
        "\"L1\" has a price under \"prices\", which is not used");
  DesignProgram program =
      DesignProgram(priced, Combination{}).with(combinations_of(priced)[1]);
  CHECK(program.limits_at({}, {})[0].value == 53);
}

TEST_CASE("a material is chosen by its name") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[beam pipe].material.of': { choose: [beryllium, "
      "aluminium] } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  CHECK(r.program->combination().chosen[0] == "beryllium");
}

TEST_CASE("a number of --set varies and is written") {
  const TemporaryFile study(
      "gttf-optimisation: 1\ndetector: " + root +
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L4].cylinder.radius': { from: 100 mm, to: 300 mm } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  Diagnostics warnings;
  const std::vector<std::string> set{"layers[L4].cylinder.radius=15cm",
                                     "layers[L6].measures.rphi=7um"};
  const OptimisationProblem problem =
      read_problem(study.path(), set, {}, warnings);
  const DesignProgram program(problem, Combination{});
  const std::string text = best_file(program, {210}, {});
  CHECK(text.find("# three larger ones for the momentum") != std::string::npos);
  const Detector written = parse_detector(text, "best.yaml").detector;
  CHECK(written.layers[4].surface.position == doctest::Approx(210));
  CHECK(written.layers[6].coordinates[0].sigma == doctest::Approx(0.007));
}

TEST_CASE("values in another form are written in place") {
  const TemporaryFile study(
      "gttf-optimisation: 1\ndetector: " + root +
      "/detectors/barrel.yaml\n"
      "choose: { sensor: { thick: { 'layers[L1..L3].material': 0.4 % }, thin: "
      "{ 'layers[L1..L3].material': { of: silicon, thickness: 100 um } } } }\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  Diagnostics warnings, lost;
  const std::vector<std::string> set{"layers[beam pipe].material=0.2 %"};
  OptimisationProblem problem = read_problem(study.path(), set, {}, warnings);
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  REQUIRE(r.program->combination().chosen[0] == "thin");
  const std::string text = best_file(*r.program, {}, {}, &lost);
  INFO(text);
  CHECK(lost.empty());
  CHECK(text.find("# three light layers near the vertex") != std::string::npos);
  CHECK(text.find("material: 0.2 %\n") != std::string::npos);
  const Detector written = parse_detector(text, "best.yaml").detector;
  for (const std::size_t l : {1u, 2u, 3u})
    CHECK(written.layers[l].material[0].thickness == doctest::Approx(0.1));
}

TEST_CASE("a design that cannot be described is not written, with the reason") {
  const OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "vary: { 'layers[L2].cylinder.radius': { from: 40 mm, to: 100 mm } }\n"
      "keep: [{ gap: { between: [L1..L3], min: 1 mm } }]\n"
      "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n");
  SearchResult result;
  result.program = std::make_shared<DesignProgram>(problem, Combination{});
  result.best.x = {90};  // as L3
  result.best.result.exists = true;
  const FoundDesign design = found_design(result);
  CHECK(design.text.empty());
  REQUIRE(design.errors.has_errors());
  CHECK(design.errors.items()[0].problem.starts_with(
      "the result cannot be written as a description: the surface of \"L3\" "
      "coincides with \"L2\""));
}

TEST_CASE("every result can be written as a description") {
  const std::string head =
      "gttf-detector: 1\nname: \"a, {b}: \\\"c\\\"\"\nfield: { solenoid: 2 T "
      "}\n";
  const auto layer = [](const std::string& name, int radius,
                        const std::string& errors) {
    return "{ name: " + name +
           ", cylinder: { radius: " + std::to_string(radius) +
           " mm, half_length: 200 mm }, material: 1 %, " + errors + " }";
  };
  const std::string measures = "measures: { rphi: 8 um, z: 20 um }";
  const std::string nested =
      head + "layers:\n  - " + layer("L1", 30, measures) +
      "\n  - &b\n    name: L2\n    cylinder: &cyl\n      radius: 60 mm\n"
      "      half_length: 300 mm\n    material: 1 %\n    " +
      measures +
      "\n  - { <<: *b, name: L3, cylinder: { <<: *cyl, radius: 120 mm } }\n"
      "  - { name: L4, cylinder: { <<: *cyl, radius: 250 mm }, " +
      measures + " }\n";
  const std::string flow = head + "layers: [" + layer("L1", 30, measures) +
                           ",\n  " + layer("L2", 60, measures) + ", " +
                           layer("L3", 120, measures) + ", " +
                           layer("L4", 250, measures) + "]\n";
  const std::string pitches =
      head + "layers:\n  - " +
      layer("L1", 30, "pitch: { rphi: 25 um, z: 50 um }") + "\n  - " +
      layer("L2", 60, measures) + "\n  - " + layer("L3", 120, measures) +
      "\n  - " + layer("L4", 250, measures) + "\n";
  std::string flow_of_pitches = flow;
  flow_of_pitches.replace(flow_of_pitches.find(measures), measures.size(),
                          "pitch: { rphi: 25 um, z: 50 um }");
  const std::string choose = "choose: { of: { of: 'layers[L2..L4]', ";
  const std::string options =
      "choose: { some: { a: { 'layers[L1..L3].material': { of: silicon, "
      "thickness: 100 um }, 'layers[L1..L3].efficiency': 95 % }, b: { "
      "'layers[L1..L3].material': 1 %, 'layers[L1..L3].efficiency': 90 % } } "
      "}\n";
  for (const auto& one :
       {std::pair{nested, choose + "at_most: 2 } }\n"},
        std::pair{flow, choose + "at_most: 2 } }\n"},
        std::pair{nested, options}, std::pair{flow, options},
        std::pair{flow_of_pitches,
                  choose +
                      "at_most: 2 } }\nvary: { 'layers[L1].measures.rphi': { "
                      "from: 5 um, to: 60 um } }\n"},
        std::pair{pitches,
                  std::string("vary: { 'layers[*].measures.rphi': { from: 5 "
                              "um, to: 60 um } }\n")}}) {
    const std::string &description = one.first, &change = one.second;
    const TemporaryFile detector(description);
    INFO(description);
    INFO(change);
    OptimisationProblem problem = problem_of(
        "detector: " + detector.path() + '\n' + change +
        "minimise: { what: sigma_pt_rel, at: { p: 5 GeV, theta: 90 deg } }\n");
    const SearchResult r = searched(problem, 1);
    REQUIRE(r.found);
    const std::string text = best_file(*r.program, r.best.x, {"found"});
    INFO(text);
    CHECK(text.starts_with("# found\n"));
    const Detector found = parse_detector(text, "best.yaml").detector;
    const Detector expected = DesignProgram(*r.program).detector_at(r.best.x);
    CHECK(found.name == "a, {b}: \"c\"");
    REQUIRE(found.layers.size() == expected.layers.size());
    for (std::size_t l = 0; l < found.layers.size(); ++l) {
      CHECK(found.layers[l].name == expected.layers[l].name);
      CHECK(found.layers[l].efficiency == expected.layers[l].efficiency);
      CHECK(found.layers[l].surface.position ==
            doctest::Approx(expected.layers[l].surface.position));
      CHECK(found.layers[l].coordinates[0].sigma ==
            doctest::Approx(expected.layers[l].coordinates[0].sigma));
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
