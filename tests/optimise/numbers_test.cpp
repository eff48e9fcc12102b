// SPDX-License-Identifier: Apache-2.0
// Numbers of a detector as variables: those of --set, differentiated.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/optimise/best_file.hpp"
#include "support/problems.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

/// Planes before and after two magnets.
const std::string spectrometer =
    "gttf-detector: 1\nname: spectrometer\nfield:\n  dipole:\n"
    "    - { entrance: 0.5 m, exit: 1.5 m, field: 1 T, direction: y }\n"
    "    - { between: [E, F], field: 0.5 T, direction: y }\nlayers:\n"
    "  - &plane\n    name: A\n"
    "    plane: { z: 0.1 m, x: [-1 m, 1 m], y: [-1 m, 1 m] }\n"
    "    material: 1 %\n    measures: { x: 20 um, y: 20 um }\n"
    "  - { <<: *plane, name: B, plane: { z: 0.3 m, x: [-1 m, 1 m], y: [-1 m, "
    "1 m] } }\n"
    "  - { <<: *plane, name: C, plane: { z: 2 m, x: [-1 m, 1 m], y: [-1 m, 1 "
    "m] } }\n"
    "  - { <<: *plane, name: D, plane: { z: 2.4 m, x: [-1 m, 1 m], y: [-1 m, "
    "1 m] } }\n"
    "  - { <<: *plane, name: E, plane: { z: 3 m, x: [-1 m, 1 m], y: [-1 m, 1 "
    "m] } }\n"
    "  - { <<: *plane, name: F, plane: { z: 3.5 m, x: [-1 m, 1 m], y: [-1 m, "
    "1 m] } }\n"
    "  - { <<: *plane, name: G, plane: { z: 4 m, x: [-1 m, 1 m], y: [-1 m, 1 "
    "m] } }\n";

/// Slabs with a density and an energy loss, and a cone.
const std::string barrel =
    "gttf-detector: 1\nname: barrel\nfield: { solenoid: 2 T }\nlayers:\n"
    "  - name: A\n"
    "    cylinder: { radius: 30 mm, half_length: 1 m }\n"
    "    material: &slabs [{ of: silicon, thickness: 0.3 mm }, { of: silicon, "
    "thickness: 3 mm, density: 2 g/cm3 }, { x_over_x0: 2 %, dE: 3 MeV }]\n"
    "    measures: &pixels { u: 10 um, v: 20 um }\n"
    "  - { name: B, cylinder: { radius: 100 mm, half_length: 1 m }, material: "
    "*slabs, measures: *pixels }\n"
    "  - { name: K, cone: { z: [10 mm, 200 mm], radius: [150 mm, 160 mm] }, "
    "material: *slabs, measures: *pixels }\n"
    "  - { name: S, cone: { z: [10 mm, 200 mm], radius: 200 mm, slope: 0.1 }, "
    "material: *slabs, measures: *pixels }\n"
    "  - { name: R, repeat: 3, cylinder: { radius: [300 mm, 500 mm], "
    "half_length: 1 m }, material: *slabs, measures: *pixels }\n"
    "  - { name: Z, cylinder: { radius: 600 mm, half_length: 1 m }, material: "
    "*slabs, measures: *pixels }\n";

struct Case {
  std::string key, from, to;
  double value;  ///< native units
  std::string text;
};

std::string study(const std::string& detector, const std::string& vary,
                  const std::string& theta, const std::string& more = "") {
  return "detector: " + detector + "\nvary:\n" + vary +
         "minimise: { what: sigma_p_rel, at: { p: 5 GeV, theta: " + theta +
         " } }\n" + more;
}

/// The numbers at a value of the variable are those of --set, and the gradient
/// is that of differences.
void check_key(const std::string& detector, const std::string& theta,
               const Case& c, const std::string& more = "") {
  INFO(c.key);
  OptimisationProblem problem = problem_of(
      study(detector,
            "  '" + c.key + "': { from: " + c.from + ", to: " + c.to + " }\n",
            theta, more));
  DesignProgram program(problem, Combination{});
  const std::vector<std::string> overrides{c.key + '=' + c.text};
  const DesignNumbers set(read_detector(detector, overrides).detector);
  const auto varied = set.values_of(program.detector_at({c.value}));
  REQUIRE(varied);
  for (std::size_t i = 0; i < set.size(); ++i)
    CHECK((*varied)[i] == doctest::Approx(set.value(i)).epsilon(1e-13));
  check_gradients(problem, {c.value});
  // with all digits in the file
  CHECK(best_file(program, {c.value}, {}).find("gttf-detector") !=
        std::string::npos);
}

}  // namespace

TEST_CASE("every number of a dipole varies, by differences") {
  const TemporaryFile detector(spectrometer);
  for (const Case& c :
       {Case{"field.dipole[0].field", "0.5 T", "2 T", 1.2 * unit::T, "1.2 T"},
        Case{"field.dipole[1].field", "-1 T", "1 T", 0.7 * unit::T, "0.7 T"},
        Case{"field.dipole[0].entrance", "0.4 m", "1 m", 620, "0.62 m"},
        Case{"field.dipole[0].exit", "0.7 m", "1.9 m", 1410, "1.41 m"},
        Case{"layers[E].plane.z", "2.6 m", "3.2 m", 2900, "2.9 m"}})
    check_key(detector.path(), "2 deg", c,
              "subject_to: [{ what: sigma_p_rel, at: { p: 2 GeV, theta: 3 deg "
              "}, max: 50 % }]\n");
  const OptimisationProblem problem =
      problem_of(study(detector.path(),
                       "  field.dipole[0].field: { from: 1 T, to: 2 T }\n"
                       "  layers[A].measures.x: { from: 5 um, to: 50 um }\n",
                       "2 deg"));
  CHECK(DesignProgram(problem, Combination{}).by_differences() ==
        std::vector<std::string>{"sigma_p_rel"});
  check_gradients(problem, {1.3 * unit::T, 0.02});
}

TEST_CASE("slopes of cones, densities and energy losses vary") {
  const TemporaryFile detector(barrel);
  const std::string loss = "energy_loss: mean\n";
  for (const Case& c :
       {Case{"layers[K].cone.radius[0]", "145 mm", "155 mm", 152, "152 mm"},
        Case{"layers[K].cone.radius[1]", "155 mm", "165 mm", 162, "162 mm"},
        Case{"layers[S].cone.slope", "0.05", "0.2", 0.13, "0.13"},
        Case{"layers[S].cone.radius", "190 mm", "210 mm", 204, "204 mm"},
        Case{"layers[A].material[1].density", "1 g/cm3", "3 g/cm3",
             1.7 * unit::g_per_cm3, "1.7 g/cm3"},
        Case{"layers[A].material[2].dE", "1 MeV", "5 MeV", 2 * unit::MeV,
             "2 MeV"},
        Case{"layers[B].material[2].x_over_x0", "1 %", "3 %", 0.017, "1.7 %"},
        Case{"layers[B].material[0].thickness", "0.1 mm", "1 mm", 0.4,
             "0.4 mm"}})
    check_key(detector.path(), "60 deg", c, loss);
  // a single slab has exact derivatives, losses included; a part of several
  // slabs has not
  const auto by_differences = [&](const std::string& file,
                                  const std::string& key,
                                  const std::string& more) {
    const OptimisationProblem problem = problem_of(study(
        file, "  '" + key + "': { from: 0.5 %, to: 2 % }\n", "60 deg", more));
    check_gradients(problem, {0.01});
    return !DesignProgram(problem, Combination{}).by_differences().empty();
  };
  const std::string part = "layers[B].material[2].x_over_x0";
  CHECK(by_differences(detector.path(), part, loss));
  CHECK_FALSE(by_differences(detector.path(), part, ""));
  CHECK_FALSE(by_differences(GTTF_SOURCE_DIR "/detectors/barrel.yaml",
                             "layers[L2].material", loss));
}

TEST_CASE("the place and strength of a field map vary") {
  std::string nodes = "x [mm], y [mm], z [mm], Bx [T], By [T], Bz [T]\n";
  for (int x = -600; x <= 600; x += 100)
    for (int y = -600; y <= 600; y += 100)
      for (int z = -600; z <= 600; z += 100)
        nodes += std::to_string(x) + ',' + std::to_string(y) + ',' +
                 std::to_string(z) + ",0,0," +
                 std::to_string(2 - 1e-6 * z * z) + '\n';
  const TemporaryFile map(nodes);
  const std::string layer =
      ", half_length: 200 mm }, material: 1 %, measures: { rphi: 10 um, z: 10 "
      "um } }\n";
  const TemporaryFile detector(
      "gttf-detector: 1\nname: map\nfield: { map: " + map.path() +
      ", scale: 1, offset: [0 mm, 0 mm, 1 mm] }\nlayers:\n"
      "  - { name: A, cylinder: { radius: 50 mm" +
      layer + "  - { name: B, cylinder: { radius: 150 mm" + layer +
      "  - { name: C, cylinder: { radius: 250 mm" + layer +
      "  - { name: D, cylinder: { radius: 350 mm" + layer);
  for (const Case& c :
       {Case{"field.scale", "0.5", "1.5", 0.8, "0.8"},
        Case{"field.offset[2]", "-50 mm", "50 mm", 20, "20 mm"}})
    check_key(detector.path(), "80 deg", c);
}

TEST_CASE("a magnet and a plane are placed where a scan has the least error") {
  const TemporaryFile detector(
      "gttf-detector: 1\nname: magnet\n"
      "field:\n  dipole: { entrance: 0.6 m, exit: 1.6 m, field: 1 T, "
      "direction: y }\nlayers:\n"
      "  - &plane\n    name: A\n"
      "    plane: { z: 0.1 m, x: [-1 m, 1 m], y: [-1 m, 1 m] }\n"
      "    material: 1 %\n    measures: { x: 20 um, y: 20 um }\n"
      "  - { <<: *plane, name: B, plane: { z: 0.3 m, x: [-1 m, 1 m], y: [-1 m, "
      "1 m] } }\n"
      "  - { <<: *plane, name: C, plane: { z: 2.1 m, x: [-1 m, 1 m], y: [-1 m, "
      "1 m] } }\n"
      "  - { <<: *plane, name: D, plane: { z: 3 m, x: [-1 m, 1 m], y: [-1 m, 1 "
      "m] } }\n");
  OptimisationProblem problem = problem_of(
      study(detector.path(),
            "  field.dipole.entrance: { from: 0.35 m, to: 1 m }\n"
            "  layers[C].plane.z: { from: 1.5 m, to: 2.9 m }\n",
            "2 deg",
            "follow: { field.dipole.exit: 'layers[C].plane.z - 0.1 m' }\n"
            "search: { starts: 4 }\n"));
  SearchOptions options;
  options.threads = 1;
  const SearchResult r = search(problem, options);
  REQUIRE(r.found);
  CHECK(r.certificate.residual < 1e-7);
  DesignProgram program(problem, Combination{});
  const auto error = [&](double entrance, double z) {
    Track track;
    track.p = 5;
    track.theta = 2 * unit::deg;
    return sigmas(resolve(TrackingGeometry(program.detector_at({entrance, z})),
                          track))[Parameter::p];
  };
  const double best = r.program->in_unit(r.best.f);
  CHECK(best ==
        doctest::Approx(error(r.best.x[0], r.best.x[1])).epsilon(1e-12));
  // the arm after the magnet takes length from the magnet
  CHECK(r.best.x[0] == 350);
  CHECK(r.best.x[1] > 1600);
  CHECK(r.best.x[1] < 2800);
  double least = 1;
  for (double entrance = 350; entrance <= 1000; entrance += 50)
    for (double z = 1500; z <= 2900; z += 10)
      least = std::min(least, error(entrance, z));
  CHECK(best <= least);
  CHECK(best > 0.9999 * least);
  options.threads = 2;
  const SearchResult again = search(problem, options);
  CHECK(again.best.x == r.best.x);
  CHECK(again.best.f == r.best.f);
}

}  // namespace gttf::test::GTTF_TEST_FILE
