// SPDX-License-Identifier: Apache-2.0
// Pareto fronts of three objectives.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/pareto_front.hpp"
#include "gttf/study/optimise/pareto_view.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

const std::string root = GTTF_SOURCE_DIR;

bool dominates(const ParetoPoint& a, const ParetoPoint& b) {
  bool is_better = false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (a.values[i] > b.values[i]) return false;
    is_better = is_better || a.values[i] < b.values[i];
  }
  return is_better;
}

void check_front(const ParetoFront& front) {
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    if (i > 0)
      CHECK(front.points[i].values[0] >= front.points[i - 1].values[0]);
    for (std::size_t k = 0; k < front.points.size(); ++k)
      CHECK_FALSE(dominates(front.points[k], front.points[i]));
  }
}

}  // namespace

TEST_CASE("a front of three objectives that is known") {
  // thicknesses a, b, c with 1/a + 1/b + 1/c <= 600: the front is where they
  // are equal
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/alice_its2.yaml\n"
      "vary: { 'layers[L0..L2].material': { from: 0.2 %, to: 1.5 % } }\n"
      "quantities:\n"
      "  a: { sum: 100 * material, of: 'layers[L0]' }\n"
      "  b: { sum: 100 * material, of: 'layers[L1]' }\n"
      "  c: { sum: 100 * material, of: 'layers[L2]' }\n"
      "  work: { sum: 0.01 / material, of: 'layers[L0..L2]' }\n"
      "pareto: { of: [{ quantity: a }, { quantity: b }, { quantity: c }], "
      "points: 16 }\n"
      "subject_to: [{ quantity: work, max: 6 }]\n"
      "search: { starts: 4 }\n");
  const ParetoFront front = pareto_front(problem, {});
  REQUIRE(front.points.size() >= 16);
  check_front(front);
  for (const ParetoPoint& p : front.points) {
    CAPTURE(p.values[0]);
    CAPTURE(p.values[1]);
    CHECK(1 / p.values[0] + 1 / p.values[1] + 1 / p.values[2] ==
          doctest::Approx(6).epsilon(1e-6));
    // each is the optimum at its limits
    CHECK_FALSE(p.limits[0]);
    for (const std::size_t i : {1U, 2U}) {
      REQUIRE(p.limits[i]);
      CHECK(p.values[i] <= *p.limits[i] * (1 + 1e-8));
    }
  }
  // all parts of it, up to the ends
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [low, high] = std::ranges::minmax(
        front.points, {}, [i](const ParetoPoint& p) { return p.values[i]; });
    CHECK(low.values[i] == doctest::Approx(1 / (6 - 2 / 1.5)).epsilon(1e-5));
    CHECK(high.values[i] > 1.4);
  }
  CHECK(pareto_figures(front).size() == 3);
  const Table table = pareto_table(front);
  CHECK(table.columns[2].name == "c");
  CHECK(table.rows() == front.points.size());
}

TEST_CASE("a front of choices alone has all designs that are not dominated") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/barrel.yaml\n"
      "choose:\n"
      "  inner: { x: { 'layers[L1,L2].material': 0.1 %, price: 50 }, y: { "
      "'layers[L1,L2].material': 0.5 %, price: 20 }, z: { "
      "'layers[L1,L2].material': 1 %, price: 5 } }\n"
      "  outer: { x: { 'layers[L3..L6].measures.rphi': 5 um, price: 50 }, y: { "
      "'layers[L3..L6].measures.rphi': 20 um, price: 20 }, z: { "
      "'layers[L3..L6].measures.rphi': 40 um, price: 5 } }\n"
      "quantities: { cost: { sum: price * area / m2, of: 'layers[L1..L6]' } }\n"
      "pareto: { of: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }, { "
      "what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg } }, { quantity: "
      "cost }], points: 20 }\n");
  std::vector<ParetoPoint> all;
  for (const Combination& combination : combinations_of(problem)) {
    ParetoPoint& point = all.emplace_back();
    for (const Objective& objective : problem.pareto.of) {
      OptimisationProblem one = problem;
      one.objective = objective;
      DesignProgram program(one, combination);
      const auto values = program.all_values({});
      REQUIRE(values);
      point.values.push_back(program.in_unit(values->f));
    }
  }
  REQUIRE(all.size() == 9);
  std::vector<std::vector<double>> expected, found;
  for (const ParetoPoint& p : all)
    if (std::ranges::none_of(
            all, [&](const ParetoPoint& q) { return dominates(q, p); }))
      expected.push_back(p.values);
  std::ranges::sort(expected);
  const ParetoFront front = pareto_front(problem, {});
  check_front(front);
  for (const ParetoPoint& p : front.points) {
    found.push_back(p.values);
    CHECK(p.certificate.kind == Certificate::Kind::proven);
  }
  CHECK(found == expected);
  CHECK(expected.size() > 4);
  // of too many, those far from each other, with the least of each objective
  problem.pareto.points = 4;
  const ParetoFront few = pareto_front(problem, {});
  CHECK(few.points.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = [i](const ParetoPoint& p) { return p.values[i]; };
    CHECK(std::ranges::min(few.points, {}, value).values[i] ==
          std::ranges::min(front.points, {}, value).values[i]);
  }
  for (const ParetoPoint& p : few.points)
    CHECK(std::ranges::count(expected, p.values) == 1);
}

TEST_CASE("two resolutions against silicon: each point is an optimum") {
  OptimisationProblem problem = problem_of(
      "detector: " + root +
      "/detectors/alice_its2.yaml\nparticle: pion\n"
      "follow: { 'layers[L0..L6].cylinder.half_length': radius / tan(40 deg) + "
      "60 mm }\n"
      "vary: { 'layers[L0..L6].cylinder.radius': { from: 22 mm, to: 400 mm } "
      "}\nkeep: [{ gap: { between: [L0..L6], min: 6 mm } }]\n"
      "quantities: { silicon: { sum: area, of: 'layers[L0..L6]' } }\n"
      "pareto: { of: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }, { "
      "what: sigma_pt_rel, at: { p: 10 GeV, theta: 90 deg } }, { quantity: "
      "silicon }], points: 9 }\nsearch: { starts: 12 }\n");
  const ParetoFront front = pareto_front(problem, {});
  REQUIRE(front.points.size() >= 9);
  check_front(front);
  // at the ends of a front the limits leave a single design, which a search
  // does not always reach
  const auto is_end = [&front](const ParetoPoint& p) {
    for (const std::size_t k : {1UL, 2UL}) {
      double least = *p.limits[k];
      for (const ParetoPoint& other : front.points)
        least = std::min(least, other.values[k]);
      if (*p.limits[k] <= least * (1 + 1e-6)) return true;
    }
    return false;
  };
  int compared = 0;
  for (std::size_t i = 0; i < front.points.size() && compared < 3; ++i) {
    const ParetoPoint& p = front.points[i];
    if (is_end(p)) continue;
    ++compared;
    OptimisationProblem own = problem;
    own.pareto.of.clear();
    own.objective = problem.pareto.of[0];
    own.limits.push_back({"silicon", 0, std::nullopt,
                          *p.limits[2] * unit::m * unit::m, "m2",
                          unit::m * unit::m});
    MeanLimit limit{
        "sigma_pt_rel", problem.pareto.of[1].criterion, std::nullopt, false, {},
        *p.limits[1]};
    own.means.push_back(std::move(limit));
    const SearchResult r = searched(own, 24);
    REQUIRE(r.found);
    CHECK(p.values[0] <= r.program->in_unit(r.best.f) * (1 + 1e-5));
  }
  CHECK(compared == 3);
  // threads change nothing
  SearchOptions options;
  options.threads = 3;
  const ParetoFront other = pareto_front(problem, options);
  REQUIRE(other.points.size() == front.points.size());
  for (std::size_t i = 0; i < front.points.size(); ++i)
    CHECK(other.points[i].x == front.points[i].x);
}

}  // namespace gttf::test::GTTF_TEST_FILE
