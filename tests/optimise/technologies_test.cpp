// SPDX-License-Identifier: Apache-2.0
// Choices between options that measure other coordinates, or are made of other
// materials.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/optimise/best_file.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

const std::string barrel = R"(gttf-detector: 1
name: barrel
field: { solenoid: 3 T }
layers:
  - name: L1
    cylinder: { radius: 25 mm, half_length: 600 mm }
    material: { of: silicon, thickness: 100 um }
    measures: { rphi: 5 um, z: 5 um }
  - name: L2
    cylinder: { radius: 60 mm, half_length: 600 mm }
    material: 0.3 %
    measures: { rphi: 10 um, z: 20 um }
  - name: L3
    cylinder: { radius: 150 mm, half_length: 600 mm }
    material: 0.5 %
    measures: { rphi: 10 um, z: 20 um }
  - name: L4
    cylinder: { radius: 300 mm, half_length: 600 mm }
    material: { of: silicon, thickness: 300 um }
    measures: { rphi: 10 um, z: 20 um }
  - name: L5
    cylinder: { radius: 450 mm, half_length: 600 mm }
    material: 1 %
    measures: { rphi: 10 um }
)";

/// Strips and pixels, a beam pipe of another metal, and rods that lose a
/// coordinate while the error of the other one varies.
const std::string choices = R"(choose:
  outer:
    strips:
      'layers[L4,L5].measures': { rphi: 15 um }
      'layers[L4,L5].material': 0.6 %
      price: 10
    pixels:
      'layers[L4,L5].measures': { rphi: 6 um, z: 6 um }
      'layers[L4,L5].material': [{ of: silicon, thickness: 400 um }, 0.4 %]
      price: 40
    stereo:
      'layers[L4,L5].measures': [{ angle: 3 deg, sigma: 15 um }, { angle: -3 deg, sigma: 15 um }]
      price: 15
  rods:
    both: { 'layers[L3].measures': { rphi: 10 um, z: 20 um } }
    length: { 'layers[L3].measures': { z: 20 um } }
  inner:
    silicon: { 'layers[L1].material.of': silicon }
    beryllium: { 'layers[L1].material.of': beryllium }
)";

std::string study(const std::string& detector, const std::string& more) {
  return "detector: " + detector + R"(
particle: pion
energy_loss: mean
quantities: { cost: { sum: price * area / m2, of: 'layers[L4,L5]' } }
)" + more;
}

const std::string limits =
    R"(minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 70 deg } }
subject_to:
  - { what: sigma_z0, at: { p: 2 GeV, theta: 70 deg }, max: 30 um }
  - { what: sigma_theta, at: { p: 2 GeV, theta: 70 deg }, max: 1 rad }
  - { what: sigma_pt_rel, at: { p: 20 GeV, theta: 70 deg }, max: 5 % }
  - { quantity: cost, max: 1000 }
)";

const std::string variables = R"(vary:
  layers[L2].cylinder.radius: { from: 40 mm, to: 120 mm }
  layers[L3].measures.z: { from: 5 um, to: 50 um }
  layers[L4].cylinder.radius: { from: 200 mm, to: 400 mm }
)";

/// What the options of a combination set in a description.
std::vector<std::string> overrides_of(const OptimisationProblem& problem,
                                      const Combination& combination) {
  std::vector<std::string> all;
  for (std::size_t c = 0; c < problem.choices.size(); ++c)
    for (const ChoiceOption& option : problem.choices[c].options)
      if (option.name == combination.chosen[c])
        all.insert(all.end(), option.overrides.begin(), option.overrides.end());
  return all;
}

/// Objective and limits, with their derivatives.
ProgramValues values_at(DesignProgram& program, const std::vector<double>& x) {
  std::vector<std::size_t> working(program.n_samples());
  std::iota(working.begin(), working.end(), 0);
  const auto values =
      program.program(working).evaluate(program.scaled(x), true);
  REQUIRE(values);
  return *values;
}

OptimisationProblem read(const TemporaryFile& file,
                         const std::vector<std::string>& overrides = {}) {
  Diagnostics warnings;
  return read_problem(file.path(), overrides, {}, warnings);
}

}  // namespace

TEST_CASE("an option is the description with its coordinates and slabs") {
  const TemporaryFile detector(barrel);
  const std::string head = "gttf-optimisation: 1\n";
  for (const std::string loss : {"energy_loss: mean\n", "energy_loss: off\n"}) {
    INFO(loss);
    std::string with = study(detector.path(), variables + limits);
    with.replace(with.find("energy_loss: mean\n"), 18, loss);
    const TemporaryFile chosen(head + with + choices);
    const OptimisationProblem problem = read(chosen);
    const DesignProgram base(problem, Combination{});
    const std::vector<double> x{70, 0.012, 280};
    const std::vector<Combination> combinations = combinations_of(problem);
    REQUIRE(combinations.size() == 12);
    for (const Combination& combination : combinations) {
      INFO(combination.chosen[0] << combination.chosen[1]
                                 << combination.chosen[2]);
      DesignProgram program = base.with(combination);
      // a description has no prices
      const std::string price = combination.chosen[0] == "strips"   ? "10"
                                : combination.chosen[0] == "pixels" ? "40"
                                                                    : "15";
      const TemporaryFile alone(head + with +
                                "prices: { 'layers[L4,L5]': " + price + " }\n");
      const OptimisationProblem described =
          read(alone, overrides_of(problem, combination));
      DesignProgram other(described, Combination{});
      const ProgramValues a = values_at(program, x), b = values_at(other, x);
      CHECK(a.f == doctest::Approx(b.f).epsilon(1e-12));
      CHECK((a.limits - b.limits).norm() <= 1e-11 * b.limits.norm());
      CHECK((a.gradient - b.gradient).norm() <= 1e-7 * b.gradient.norm());
      CHECK((a.jacobian - b.jacobian).norm() <= 1e-7 * b.jacobian.norm());
      // and it is written as such
      const Detector best =
          parse_detector(best_file(program, x, {}), "best").detector;
      const Detector wanted = other.detector_at(x);
      for (std::size_t l = 0; l < 5; ++l) {
        INFO(l);
        const Layer &mine = best.layers[l], &theirs = wanted.layers[l];
        REQUIRE(mine.coordinates.size() == theirs.coordinates.size());
        for (std::size_t i = 0; i < mine.coordinates.size(); ++i) {
          CHECK(mine.coordinates[i].sigma ==
                doctest::Approx(theirs.coordinates[i].sigma).epsilon(1e-12));
          CHECK(mine.coordinates[i].angle == theirs.coordinates[i].angle);
        }
        REQUIRE(mine.material.size() == theirs.material.size());
        for (std::size_t i = 0; i < mine.material.size(); ++i)
          CHECK(mine.material[i].material == theirs.material[i].material);
      }
    }
  }
}

TEST_CASE("the best technology is that of all combinations, proven") {
  const TemporaryFile detector(barrel);
  for (const double um : {30.0, 15.0, 9.0, 5.0}) {
    const std::string z0 = fmt::format("{} um", um);
    INFO(z0);
    std::string objective = limits;
    objective.replace(0, objective.find('\n'), "minimise: { quantity: cost }");
    objective.replace(objective.find("30 um"), 5, z0);
    objective.replace(objective.find("max: 5 %"), 8, "max: 2.4 %");
    const TemporaryFile file("gttf-optimisation: 1\n" +
                             study(detector.path(), objective) + choices);
    OptimisationProblem problem = read(file);
    const SearchResult r = search(problem, {});
    CHECK(r.certificate.kind == Certificate::Kind::proven);
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::string> best;
    for (const Combination& combination : combinations_of(problem)) {
      const Detector d =
          read_detector(detector.path(), overrides_of(problem, combination))
              .detector;
      const auto sigma = [&](Parameter q, double p) {
        Track track;
        track.p = p;
        track.theta = 70 * unit::deg;
        track.mass = 139.57039 * unit::MeV;
        return sigmas(resolve(TrackingGeometry(d), track,
                              model_of(problem.request, d)))[q];
      };
      double cost = 0;
      for (const std::size_t l : {3u, 4u})
        cost += combination.prices.front().second * 2 * unit::pi *
                d.layers[l].surface.position * 1200 / 1e6;
      if (sigma(Parameter::z0, 2) <= um * unit::um &&
          std::isfinite(sigma(Parameter::theta, 2)) &&
          sigma(Parameter::pt, 20) <= 0.024 && cost < least) {
        least = cost;
        best = combination.chosen;
      }
    }
    CHECK(r.found == std::isfinite(least));
    if (!r.found) continue;
    CHECK(r.program->in_unit(r.best.f) == doctest::Approx(least));
    CHECK(r.program->combination().chosen == best);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
