// SPDX-License-Identifier: Apache-2.0
// Lengths that a limit on hits allows to be shorter than those of the file.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gttf/study/check/check.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/optimise.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

const std::string barrel_and_disks = R"(gttf-detector: 1
name: barrel and disks
field: { solenoid: 3 T }
layers:
  - &b
    name: B1
    cylinder: { radius: 30 mm, half_length: 400 mm }
    material: 0.5 %
    measures: { rphi: 5 um, z: 10 um }
  - { <<: *b, name: B2, cylinder: { radius: 80 mm, half_length: 500 mm } }
  - { <<: *b, name: B3, cylinder: { radius: 200 mm, half_length: 600 mm } }
  - { <<: *b, name: B4, cylinder: { radius: 400 mm, half_length: 600 mm } }
  - &d
    name: D1
    disk: { z: 650 mm, radius: [20 mm, 450 mm] }
    mirror: true
    material: 1 %
    measures: { rphi: 10 um, r: 50 um }
  - { <<: *d, name: D2, disk: { z: 800 mm, radius: [20 mm, 450 mm] } }
  - { <<: *d, name: D3, disk: { z: 1000 mm, radius: [20 mm, 450 mm] } }
  - { <<: *d, name: D4, disk: { z: 1300 mm, radius: [20 mm, 450 mm] } }
)";

std::string study(const std::string& detector, const std::string& more) {
  return "detector: " + detector + R"(
particle: muon
vary:
  layers[B1..B4].cylinder.half_length: { from: 60 mm, to: 600 mm }
  layers[D1..D4].disk.radius[0]: { from: 20 mm, to: 90 mm }
  layers[D1..D4].disk.radius[1]: { from: 100 mm, to: 500 mm }
quantities: { silicon: { sum: area, of: 'layers[*]' } }
minimise: { quantity: silicon }
)" + more;
}

const std::string coverage =
    "keep: [{ coverage: { hits: 4, theta: { from: 11 deg, to: 169 deg }, "
    "vertex_z: 30 mm } }]\n";

std::string resolution(const std::string& theta) {
  return "subject_to: [{ what: sigma_pt_rel, at: { pt: [1 GeV, 10 GeV], "
         "theta: " +
         theta + " }, max: 3 % }]\n";
}

double area_at_start(const OptimisationProblem& problem) {
  DesignProgram start(problem, Combination{});
  return std::exp(start.all_values(start.space().start_values())->f) /
         objective_unit(problem).value;
}

/// Violated points of the limits in a design, edges included.
std::size_t failures(const OptimisationProblem& problem,
                     const Detector& detector) {
  std::size_t n = 0;
  for (const RequirementFile& file : problem.requirements)
    for (const CheckResult& result :
         check(refined(file, 8), {&detector, 1}).results)
      n += result.n_failed;
  return n;
}

}  // namespace

TEST_CASE("edges of layers withdraw where fewer hits are required") {
  const TemporaryFile detector(barrel_and_disks);
  for (const std::string theta : {"[12 deg, 30 deg, 60 deg, 90 deg]",
                                  "{ from: 12 deg, to: 90 deg, points: 27 }"}) {
    INFO(theta);
    OptimisationProblem problem =
        problem_of(study(detector.path(), coverage + resolution(theta)));
    SearchOptions options;
    const SearchResult r = search(problem, options);
    REQUIRE(r.found);
    CHECK_FALSE(r.needs_hits);
    CHECK(r.program->in_unit(r.best.f) < 0.8 * area_at_start(problem));
    const Detector best = r.program->detector_at(r.best.x);
    CHECK(failures(problem, best) == 0);
    options.threads = 3;
    const SearchResult other = search(problem, options);
    CHECK(other.best.x == r.best.x);
    CHECK(other.effort.covariances == r.effort.covariances);
  }
}

TEST_CASE("hits are kept where no limit requires fewer") {
  const TemporaryFile detector(barrel_and_disks);
  OptimisationProblem problem = problem_of(
      study(detector.path(), resolution("[12 deg, 30 deg, 60 deg, 90 deg]")));
  const SearchResult r = search(problem, {});
  REQUIRE(r.found);
  DesignProgram program = *r.program;
  CHECK_FALSE(program.may_lose_hits());
  CHECK(program.samples_that_lose_hits(r.best.x).empty());
}

TEST_CASE("lengths that cannot be reduced are reported as such") {
  const TemporaryFile detector(barrel_and_disks);
  // between two of the angles, layers that end would leave three hits
  OptimisationProblem problem = problem_of(study(
      detector.path(),
      "subject_to: [{ what: n_hits, at: { pt: 10 GeV, theta: { from: 10 deg, "
      "to: 90 deg, points: 33 } }, min: 4 }]\n"));
  OptimisationResults results;
  results.search = search(problem, {});
  const SearchResult& r = results.search;
  REQUIRE(r.found);
  REQUIRE(r.needs_hits);
  CHECK(failures(problem, r.program->detector_at(r.best.x)) == 0);
  const Section head = optimisation_summary(results).sections.front();
  CHECK(std::ranges::any_of(head.facts, [](const auto& fact) {
    return fact.second.find("no better design with fewer hits") !=
           std::string::npos;
  }));
}

}  // namespace gttf::test::GTTF_TEST_FILE
