// SPDX-License-Identifier: Apache-2.0
// Optimisation of averages over patterns of hits, azimuths and vertices.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/check/checked_quantity.hpp"
#include "gttf/study/optimise/optimisation_view.hpp"
#include "gttf/study/optimise/optimise.hpp"
#include "gttf/study/scan/scan.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

/// Five layers that lose hits.
std::string barrel() {
  std::string text =
      "gttf-detector: 1\nname: barrel\nfield: { solenoid: 2 T }\nlayers:\n";
  struct Row {
    int name, radius;
    const char *material, *errors, *efficiency;
  };
  for (const Row& row :
       {Row{1, 30, "0.5 %", "{ rphi: 5 um, z: 5 um }", "98 %"},
        Row{2, 80, "0.5 %", "{ rphi: 5 um, z: 5 um }", "95 %"},
        Row{3, 150, "1 %", "{ rphi: 8 um, z: 20 um }", "90 %"},
        Row{4, 300, "1 %", "{ rphi: 8 um, z: 20 um }", "96 %"},
        Row{5, 450, "1 %", "{ rphi: 8 um, z: 20 um }", "97 %"}})
    text += "  - name: B" + std::to_string(row.name) +
            "\n    cylinder: { radius: " + std::to_string(row.radius) +
            " mm, half_length: 900 mm }\n    material: " + row.material +
            "\n    measures: " + row.errors +
            "\n    efficiency: " + row.efficiency + '\n';
  return text;
}

std::string study(const std::string& detector, const std::string& average,
                  const std::string& more) {
  return "detector: " + detector + "\nparticle: pion\naverage: " + average +
         "\nluminous_region: [10 um, 10 um, 40 mm]\n" + more;
}

const std::string radii =
    "vary: { 'layers[B2..B4].cylinder.radius': { from: 40 mm, to: 440 mm } }\n"
    "keep: [{ gap: { between: [B1..B5], min: 6 mm } }]\n"
    "quantities: { silicon: { sum: area, of: 'layers[B1..B5]' } }\n";

/// What scan prints for this average.
double scanned(const OptimisationProblem& problem, const Detector& detector,
               const std::string& column, double p, double theta) {
  StudyRequest request = problem.request;
  request.momentum = {MomentumAxis::Variable::p, {p}};
  request.angle = {AngleAxis::Variable::theta, {theta}, false};
  const ScanTable table = scan_table(request, detector, {});
  return detail::number_at(table.rows, column, 0);
}

}  // namespace

TEST_CASE("gradients of averages over patterns of hits") {
  const TemporaryFile detector(barrel());
  const std::string vary =
      "vary:\n"
      "  layers[B2..B4].cylinder.radius: { from: 40 mm, to: 440 mm }\n"
      "  pixel: { of: 'layers[B1,B2].measures.rphi', from: 3 um, to: 20 um }\n"
      "  layers[B1].material: { from: 0.2 %, to: 1 %}\n"
      "keep: [{ gap: { between: [B1..B5], min: 6 mm } }]\n";
  const std::vector<double> x{70, 160, 290, 0.006, 0.004};
  for (const std::string average : {"hits", "vertex", "[phi, vertex]"})
    for (const std::string objective :
         {"{ what: sigma_d0, at: { p: 1 GeV, theta: 80 deg } }",
          "{ mean: sigma_pt_rel, over: { pt: [1 GeV, 10 GeV], theta: [90 deg, "
          "70 deg] }, weight: 'exp(-pt / (3 GeV))' }",
          "{ mean_log: sigma_z0, over: { p: [1 GeV, 10 GeV], theta: [90 deg, "
          "70 deg] }, of: 5 um (+) 20 um * GeV / p, weight: p / GeV }"}) {
      INFO(average << ' ' << objective);
      const OptimisationProblem problem = problem_of(
          study(detector.path(), average,
                vary + "minimise: " + objective +
                    "\nsubject_to: [{ mean: sigma_phi0, over: { p: [1 GeV, 3 "
                    "GeV], theta: 80 deg }, max: 3 mrad, weight: 1 + p / GeV "
                    "}, { what: sigma_d0, at: { p: 3 GeV, theta: 90 deg }, "
                    "max: 1 mm }]\n"));
      check_gradients(problem, x);
      CHECK(DesignProgram(problem, Combination{}).by_differences().empty());
    }
}

TEST_CASE("the output names averages whose derivatives are differences") {
  const TemporaryFile detector(barrel());
  OptimisationProblem problem = problem_of(study(
      detector.path(), "hits",
      radii + "minimise: { what: sigma_d0_rms, at: { p: 1 GeV, theta: 90 deg "
              "} }\nsubject_to: [{ quantity: silicon, max: 11 m2 }]\n"));
  check_gradients(problem, {70, 160, 290});
  const SearchResult r = searched(problem, 1);
  REQUIRE(r.found);
  CHECK(r.certificate.residual < 1e-6);
  OptimisationResults results;
  results.search = r;
  const Document document = optimisation_document(results, 0);
  const Document* names = document.find("by_differences");
  REQUIRE(names != nullptr);
  const auto& list = std::get<Document::List>(names->value());
  REQUIRE(list.size() == 1);
  CHECK(std::get<std::string>(list[0].value()) == "sigma_d0_um_rms");
  // efficiencies as variables change the weights of the patterns
  const OptimisationProblem efficiency = problem_of(
      study(detector.path(), "hits",
            "vary: { 'layers[B3].efficiency': { from: 85 %, to: 95 % } }\n"
            "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } }\n"));
  check_gradients(efficiency, {0.9});
  CHECK(DesignProgram(efficiency, Combination{}).by_differences() ==
        std::vector<std::string>{"sigma_d0_um"});
}

TEST_CASE("the optimum of an average is that of brute force, as scan has it") {
  const TemporaryFile detector(barrel());
  OptimisationProblem problem = problem_of(study(
      detector.path(), "hits",
      "vary: { 'layers[B2,B4].cylinder.radius': { from: 40 mm, to: 440 mm } }\n"
      "keep: [{ gap: { between: [B1..B5], min: 6 mm } }]\n"
      "minimise: { mean: sigma_pt_rel, over: { p: [0.5 GeV, 5 GeV], theta: 90 "
      "deg }, weight: 'GeV / p' }\n"
      "subject_to: [{ what: sigma_d0, at: { p: 1 GeV, theta: 90 deg }, max: 30 "
      "um }]\n"));
  const SearchResult r = searched(problem, 24);
  REQUIRE(r.found);
  CHECK(r.certificate.residual < 1e-7);
  const auto mean = [&](const Detector& d) {
    return (2 * scanned(problem, d, "sigma_pt_rel", 0.5, 90 * unit::deg) +
            0.2 * scanned(problem, d, "sigma_pt_rel", 5, 90 * unit::deg)) /
           2.2;
  };
  const Detector found = r.program->detector_at(r.best.x);
  const double best = r.program->in_unit(r.best.f);
  CHECK(best == doctest::Approx(mean(found)).epsilon(1e-14));
  CHECK(scanned(problem, found, "sigma_d0_um", 1, 90 * unit::deg) <=
        30 * (1 + 1e-9));
  double least = 1;
  for (double inner = 40; inner <= 144; inner += 4)
    for (double outer = 156; outer <= 440; outer += 4) {
      Detector tried = problem.input.detector;
      tried.layers[1].surface.position = inner;
      tried.layers[3].surface.position = outer;
      if (scanned(problem, tried, "sigma_d0_um", 1, 90 * unit::deg) <= 30)
        least = std::min(least, mean(tried));
    }
  CHECK(best <= least);
  CHECK(best > 0.99 * least);  // the lattice is that fine
}

TEST_CASE("the average at one point has all digits of scan") {
  const TemporaryFile detector(barrel());
  for (const char* column : {"sigma_d0", "sigma_d0_q95"})
    for (const double radius : {300.0, 311.0, 322.0, 333.0}) {
      const OptimisationProblem problem =
          problem_of(study(detector.path(), "hits",
                           radii + "minimise: { what: " + column +
                               ", at: { p: 1 GeV, theta: 80 deg } }\n"));
      DesignProgram program(problem, Combination{});
      const std::vector<double> x{80, 150, radius};
      const auto all = program.all_values(x);
      REQUIRE(all);
      const std::string name =
          std::string(column) == "sigma_d0" ? "sigma_d0_um" : "sigma_d0_um_q95";
      CHECK(program.objective_at(x, all->f) ==
            scanned(problem, program.detector_at(x), name, 1, 80 * unit::deg));
    }
}

TEST_CASE("layers chosen by an average and an efficiency: all combinations") {
  const TemporaryFile detector(barrel());
  for (const double least : {0.0, 0.98}) {
    OptimisationProblem problem = problem_of(study(
        detector.path(), "hits",
        "choose: { layers: { of: 'layers[B2..B5]', at_most: 3 } }\n"
        "minimise: { what: sigma_d0, at: { p: 0.7 GeV, theta: 90 deg } }\n"
        "subject_to: [{ what: efficiency, at: { p: 0.7 GeV, theta: 90 deg }, "
        "min: " +
            std::to_string(100 * least) + " % }]\n"));
    const SearchResult r = search(problem, {});
    REQUIRE(r.found);
    CHECK(r.certificate.kind == Certificate::Kind::proven);
    double best = 1e9;
    for (unsigned taken = 0; taken < 16; ++taken) {
      Detector tried = problem.input.detector;
      int n = 0;
      for (std::size_t l = 5; l-- > 1;)
        if ((taken >> (l - 1) & 1U) != 0)
          ++n;
        else
          tried.layers.erase(tried.layers.begin() +
                             static_cast<std::ptrdiff_t>(l));
      if (n > 3) continue;
      const auto value = [&](const char* column) {
        return scanned(problem, tried, column, 0.7, 90 * unit::deg);
      };
      if (value("efficiency") >= least)
        best = std::min(best, value("sigma_d0_um"));
    }
    CHECK(r.program->in_unit(r.best.f) == doctest::Approx(best).epsilon(1e-14));
    // the fewer layers, the smaller the mean of the tracks that are left
    const std::string& layers = r.program->combination().chosen[0];
    CHECK(1 + std::ranges::count(layers, ',') == (least > 0 ? 3 : 2));
  }
}

TEST_CASE("averages keep the hits and the efficiency of the start") {
  const TemporaryFile detector(barrel());
  for (const std::string average : {"hits", "vertex"}) {
    INFO(average);
    OptimisationProblem problem = problem_of(study(
        detector.path(), average,
        "vary: { 'layers[B1..B5].cylinder.half_length': { from: 10 mm, to: 900 "
        "mm } }\nquantities: { silicon: { sum: area, of: 'layers[B1..B5]' } }\n"
        "minimise: { quantity: silicon }\nsubject_to: [{ what: sigma_d0, at: { "
        "p: 1 GeV, theta: 60 deg }, max: 1 mm }]\n"));
    const SearchResult r = searched(problem, 4);
    REQUIRE(r.found);
    const Detector found = r.program->detector_at(r.best.x);
    for (const char* column : {"efficiency", "n_hits"}) {
      const auto of = [&](const Detector& d) {
        return scanned(problem, d, column, 1, 60 * unit::deg);
      };
      CHECK(of(found) >= of(problem.input.detector) - 1e-9);
    }
    // every layer ends where the single track crosses it
    if (average == "hits") CHECK(r.certificate.residual < 1e-9);
  }
}

TEST_CASE("weights of a mean are those of the points") {
  const TemporaryFile detector(barrel());
  const OptimisationProblem problem = problem_of(
      "detector: " + detector.path() + "\n" + radii +
      "minimise: { mean: sigma_d0, over: { pt: [1 GeV, 4 GeV], eta: [0, 0.5] "
      "}, weight: '(GeV / pt)^2 * (1 + eta)' }\n");
  DesignProgram program(problem, Combination{});
  const auto all = program.all_values(program.space().start_values());
  REQUIRE(all);
  double sum = 0, weights = 0;
  for (const double pt : {1.0, 4.0})
    for (const double eta : {0.0, 0.5}) {
      const double weight = (1 + eta) / (pt * pt);
      sum +=
          weight * scanned(problem, problem.input.detector, "sigma_d0_um",
                           pt * std::cosh(eta), 2 * std::atan(std::exp(-eta)));
      weights += weight;
    }
  CHECK(program.in_unit(all->f) ==
        doctest::Approx(sum / weights).epsilon(1e-12));
}

}  // namespace gttf::test::GTTF_TEST_FILE
