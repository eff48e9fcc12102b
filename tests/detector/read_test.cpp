// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/read.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/config/sha256.hpp"
#include "gttf/config/source.hpp"
#include "gttf/core/units.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::contains;
using test::reported;

namespace {

const std::string head =
    "gttf-detector: 1\nname: test\nfield: { solenoid: 0.5 T }\n";
/// Three cylinders, so that a description is complete.
const std::string three =
    "  - { name: A, cylinder: { radius: 1 m, half_length: 2 m }, material: 0, "
    "measures: { rphi: 5 um } }\n"
    "  - { name: B, cylinder: { radius: 2 m, half_length: 2 m }, material: 0, "
    "measures: { rphi: 5 um } }\n"
    "  - { name: C, cylinder: { radius: 3 m, half_length: 2 m }, material: 0, "
    "measures: { rphi: 5 um } }\n";

Detector parsed(const std::string& layers, const std::string& top = head) {
  const DetectorInput input =
      parse_detector(top + "layers:\n" + layers + three, "f.yaml");
  INFO(test::text_of(input.warnings));
  CHECK(input.warnings.empty());
  return input.detector;
}

std::string answer(const std::string& layers, const std::string& top = head) {
  return reported(
      [&] { parse_detector(top + "layers:\n" + layers + three, "f.yaml"); });
}

}  // namespace

TEST_CASE("detector: the example of the language is understood") {
  const DetectorInput input = parse_detector(R"(
gttf-detector: 1
name: ALICE ITS2
source: [ALICE-TDR-017, Table 1.1]
field: { solenoid: 0.5 T }
materials:
  CarbonFoam: { radiation_length: 213 cm, density: 0.2 g/cm3 }
layers:
  - name: beam pipe
    cylinder: { radius: 18.6 mm, half_length: 400 mm }
    material: [{ of: beryllium, thickness: 0.8 mm }, { of: carbonfoam, thickness: 2.13 cm }, 0.1 %]
    group: pipe
    note: central part
  - name: L0
    cylinder: { radius: 23.4 mm, z: [-100 mm, 135.5 mm] }
    material: 0.35 %
    measures: { rphi: 5 um, z: 6 um }
    efficiency: 99 %
  - name: FTD
    disk: { z: 500 mm, radius: [40 mm, 160 mm] }
    mirror: true
    material: 0.005
    measures: { rphi: 7 um, r: 90 um }
  - name: strips
    cylinder: { radius: 400 mm, half_length: 1000 mm }
    material: 1 %
    measures:
      - { angle: 0 deg, sigma: 20 um }
      - { angle: 40 mrad, pitch: 20 um }
  - name: arm plane
    plane: { x: 1.2 m, y: [-10 cm, 10 cm], z: [-20 cm, 20 cm] }
    material: 0
    measures: { u: 16 um }
  - name: TPC
    cylinder: { radius: [850 mm, 2450 mm], half_length: 2500 mm }
    repeat: 160
    material: 0.0036 %
    pitch: { rphi: 0.8 mm, z: 1 mm }
)",
                                             "its2.yaml");
  CHECK(input.warnings.empty());
  const Detector& d = input.detector;
  CHECK(d.name == "ALICE ITS2");
  CHECK(d.source == std::vector<std::string>{"ALICE-TDR-017", "Table 1.1"});
  CHECK(d.field.kind == FieldKind::solenoid);
  CHECK(d.field.bz == 0.5 * unit::T);
  CHECK(d.file == "its2.yaml");
  REQUIRE(d.layers.size() == 166);

  const Layer& pipe = d.layers[0];
  CHECK(pipe.surface.shape == Shape::cylinder);
  CHECK(pipe.surface.position == 18.6);
  CHECK(pipe.surface.v.lower == -400);
  CHECK(pipe.surface.v.upper == 400);
  CHECK(pipe.group == "pipe");
  CHECK(pipe.note == "central part");
  CHECK_FALSE(pipe.measures());
  REQUIRE(pipe.material.size() == 3);
  CHECK(pipe.material[0].material == "beryllium");
  CHECK(pipe.material[0].thickness == 0.8);
  CHECK(pipe.material[1].x_over_x0 == doctest::Approx(0.01));
  // X0(Be) = 35.28 cm [PDG24], to its four digits
  CHECK(pipe.x_over_x0() ==
        doctest::Approx(0.8 / 352.8 + 0.01 + 0.001).epsilon(1e-4));
  CHECK(pipe.place.line == 9);
  CHECK(pipe.place.column == 5);

  const Layer& l0 = d.layers[1];
  CHECK(l0.surface.v.lower == -100);
  CHECK(l0.efficiency == doctest::Approx(0.99));
  REQUIRE(l0.coordinates.size() == 2);
  CHECK(l0.coordinates[0].angle == 0);
  CHECK(l0.coordinates[0].sigma == doctest::Approx(5e-3));
  CHECK(l0.coordinates[1].angle == doctest::Approx(unit::pi / 2));
  CHECK(l0.coordinates[1].sigma == doctest::Approx(6e-3));

  CHECK(d.layers[2].name == "FTD");
  CHECK(d.layers[2].surface.shape == Shape::disk);
  CHECK(d.layers[2].surface.position == 500);
  CHECK(d.layers[2].surface.v.upper == 160);
  CHECK(d.layers[3].name == "FTD (-z)");
  CHECK(d.layers[3].surface.position == -500);

  CHECK(d.layers[4].coordinates[1].angle == doctest::Approx(0.04));
  CHECK(d.layers[4].coordinates[1].sigma ==
        doctest::Approx(20e-3 / std::sqrt(12.0)));

  const Layer& arm = d.layers[5];
  CHECK(arm.surface.shape == Shape::plane);
  CHECK(arm.surface.normal == Axis::x);
  CHECK(arm.surface.position == 1200);
  CHECK(arm.surface.u.upper == 100);
  CHECK(arm.surface.v.upper == 200);
  CHECK(arm.coordinates.size() == 1);

  CHECK(d.layers[6].name == "TPC[0]");
  CHECK(d.layers[6].surface.position == 850);
  CHECK(d.layers[165].name == "TPC[159]");
  CHECK(d.layers[165].surface.position == 2450);
  CHECK(d.layers[7].surface.position - 850 ==
        doctest::Approx(1600.0 / 159).epsilon(1e-12));
  CHECK(d.layers[165].coordinates[0].sigma ==
        doctest::Approx(0.8 / std::sqrt(12.0)));
}

TEST_CASE("planes: the local axes follow the normal in cyclic order") {
  const Detector d = parsed(
      "  - { name: Y, plane: { y: -1 m, x: [0 m, 1 m], z: [2 m, 3 m] }, "
      "material: 0, measures: { z: 1 um, x: 2 um } }\n"
      "  - { name: Z, plane: { z: 9 m, x: [0 m, 1 m], y: [2 m, 3 m] }, "
      "mirror: true, material: 0, measures: { y: 3 um } }\n");
  const Layer& y = d.layers[0];
  CHECK(y.surface.normal == Axis::y);
  CHECK(y.surface.u.lower == 2000);  // z
  CHECK(y.surface.v.lower == 0);     // x
  CHECK(y.coordinates[0].angle == 0);
  CHECK(y.coordinates[0].sigma == doctest::Approx(1e-3));
  CHECK(y.coordinates[1].sigma == doctest::Approx(2e-3));
  CHECK(d.layers[1].surface.u.lower == 0);     // x
  CHECK(d.layers[1].surface.v.lower == 2000);  // y
  CHECK(d.layers[1].coordinates[0].angle == doctest::Approx(unit::pi / 2));
  CHECK(d.layers[2].surface.position == -9000);
}

TEST_CASE("cones: by the radii at both ends, or by radius and slope") {
  const Detector d = parsed(
      "  - { name: E, cone: { z: [300 mm, 500 mm], radius: [90 mm, 40 mm] }, "
      "mirror: true, material: 0, measures: { rphi: 1 um, v: 2 um } }\n"
      "  - { name: S, cone: { z: [1 m, 3 m], radius: [1 m, 2 m], slope: 0.25 "
      "}, "
      "repeat: 3, material: 0, measures: { u: 1 um } }\n");
  REQUIRE(d.layers.size() == 8);
  const Surface &ends = d.layers[0].surface, &image = d.layers[1].surface;
  CHECK(ends.position == 65);
  CHECK(ends.slope == doctest::Approx(-0.25));
  CHECK(image.position == 65);
  CHECK(image.slope == -ends.slope);
  CHECK(image.v.lower == -500);
  CHECK(image.v.upper == -300);
  CHECK(d.layers[0].coordinates[1].angle == doctest::Approx(unit::pi / 2));
  CHECK(d.layers[0].coordinates[1].sigma == doctest::Approx(2e-3));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(d.layers[2 + i].surface.position ==
          1000 + 500 * static_cast<double>(i));
    CHECK(d.layers[2 + i].surface.slope == 0.25);
  }
}

TEST_CASE("repeat: disks and planes too, with mirror and exact ends") {
  const Detector d = parsed(
      "  - { name: D, disk: { z: [3 m, 4 m], radius: [1 cm, 2 cm] }, repeat: "
      "3, mirror: true, material: 0, measures: { r: 1 um } }\n"
      "  - { name: P, plane: { normal: z, z: [5 m, 6 m], x: [0 m, 1 m], y: [0 "
      "m, 1 m] }, repeat: 2, material: 0, measures: { x: 1 um } }\n");
  REQUIRE(d.layers.size() == 11);
  CHECK(d.layers[1].name == "D[1]");
  CHECK(d.layers[1].surface.position == 3500);
  CHECK(d.layers[5].name == "D[2] (-z)");
  CHECK(d.layers[5].surface.position == -4000);
  CHECK(d.layers[7].name == "P[1]");
  CHECK(d.layers[7].surface.position == 6000);
}

TEST_CASE("mirror: a barrel at one side has an image, an arm has not") {
  const Detector d = parsed(
      "  - { name: F, cylinder: { radius: 5 mm, z: [-3 m, -1 m] }, mirror: "
      "true, material: 0, measures: { z: 1 um } }\n");
  CHECK(d.layers[1].name == "F (+z)");
  CHECK(d.layers[1].surface.v.lower == 1000);
  CHECK(d.layers[1].surface.v.upper == 3000);
  CHECK(contains(
      answer("  - { name: P, plane: { x: 9 m, y: [0 m, 1 m], z: [0 m, 1 m] }, "
             "mirror: true, material: 0 }\n"),
      "layers[0].mirror: only a layer on one side of z = 0 can have"));
}

TEST_CASE("measures: pitch inside measures and instead of it") {
  const Detector d = parsed(
      "  - { name: P, cylinder: { radius: 5 mm, half_length: 1 m }, material: "
      "0, measures: { rphi: 5 um, pitch: { z: 12 um } } }\n"
      "  - { name: Q, cylinder: { radius: 6 mm, half_length: 1 m }, material: "
      "0, measures: { z: 5 um }, pitch: { u: 12 um } }\n");
  CHECK(d.layers[0].coordinates[0].sigma == doctest::Approx(5e-3));
  CHECK(d.layers[0].coordinates[1].sigma ==
        doctest::Approx(12e-3 / std::sqrt(12.0)));
  CHECK(d.layers[1].coordinates[0].sigma ==
        doctest::Approx(12e-3 / std::sqrt(12.0)));
}

TEST_CASE("field: none, and zero is none; the sign is kept") {
  const std::string none = "gttf-detector: 1\nname: x\nfield: none\n";
  CHECK(parsed("", none).field.kind == FieldKind::none);
  const std::string zero =
      "gttf-detector: 1\nname: x\nfield: { solenoid: 0 T }\n";
  CHECK(parsed("", zero).field.kind == FieldKind::none);
  const std::string negative =
      "gttf-detector: 1\nname: x\nfield: { solenoid: -15 kG }\n";
  CHECK(parsed("", negative).field.bz == doctest::Approx(-1.5 * unit::T));
}

TEST_CASE("yaml: anchors and merge keys give the same as writing it out") {
  const std::string anchors =
      "x-defaults: &pixel { material: 1 %, measures: { rphi: 5 um, z: 5 um } "
      "}\n";
  const Detector d = parsed(
      "  - { <<: *pixel, name: P, cylinder: &c { radius: 5 mm, half_length: 1 "
      "m } }\n"
      "  - { <<: *pixel, name: Q, material: 2 %, cylinder: { <<: *c, radius: 6 "
      "mm } }\n",
      anchors + head);
  CHECK(d.layers[0].x_over_x0() == doctest::Approx(0.01));
  CHECK(d.layers[1].x_over_x0() == doctest::Approx(0.02));
  CHECK(d.layers[1].coordinates.size() == 2);
  CHECK(d.layers[1].surface.position == 6);
  CHECK(d.layers[1].surface.v.upper == 1000);
}

TEST_CASE("hits: two measuring layers are enough without a field") {
  const std::string none = "gttf-detector: 1\nname: x\nfield: none\nlayers:\n";
  const std::string lines = three.substr(0, three.find("  - { name: C"));
  CHECK(parse_detector(none + lines, "f").detector.layers.size() == 2);
  // a beam spot may be the third hit
  const DetectorInput two = parse_detector(head + "layers:\n" + lines, "f");
  CHECK(contains(test::text_of(two.warnings), "2 measuring layers"));
  CHECK(parse_detector(head + "layers:\n" + lines, "f", {}, true)
            .warnings.empty());
  const std::string line = lines.substr(0, lines.find("  - { name: B"));
  CHECK(contains(
      reported([&] { parse_detector(head + "layers:\n" + line, "f"); }),
      "1 measuring layer, at least 3 are needed for a curvature"));
}

TEST_CASE("model: the file may choose scattering and energy loss") {
  const Detector none = parsed("");
  CHECK_FALSE(none.model.scattering);
  CHECK_FALSE(none.model.energy_loss);
  const Detector both = parsed(
      "", head + "model: { scattering: highland-total, energy_loss: mean }\n");
  CHECK(both.model.scattering == Scattering::highland_total);
  CHECK(both.model.energy_loss == EnergyLoss::mean);
  CHECK(parsed("", head + "model: { energy_loss: straggling-variance }\n")
            .model.energy_loss == EnergyLoss::straggling_variance);
  const Detector one = parsed("", head + "model: { scattering: off }\n");
  CHECK(one.model.scattering == Scattering::off);
  CHECK_FALSE(one.model.energy_loss);
  const std::string wrong =
      answer("", head + "model: { scattering: highlnd, loss: mean }\n");
  CHECK(contains(wrong, "f.yaml:4:"));
  CHECK(contains(wrong, "highland"));
  CHECK(contains(wrong, "loss"));
}

TEST_CASE("hash: of the bytes, and of the overrides") {
  const std::string text = head + "layers:\n" + three;
  CHECK(parse_detector(text, "f").detector.sha256 == sha256(text));
  const std::vector<std::string> overrides = {"name=other"};
  CHECK(parse_detector(text, "f", overrides).detector.sha256 != sha256(text));
}

TEST_CASE("limits: a description of very many surfaces is rejected") {
  CHECK(contains(
      answer("  - { name: T, cylinder: { radius: [1 mm, 9 mm], half_length: 1 "
             "m }, repeat: 40000, material: 0, measures: { z: 1 um } }\n"
             "  - { name: U, cylinder: { radius: [11 mm, 19 mm], half_length: "
             "1 m }, repeat: 40000, material: 0, measures: { z: 1 um } }\n"),
      "more than 50000 surfaces"));
}

TEST_CASE("read_detector: a study is recognised") {
  CHECK(contains(
      reported([] { parse_detector("gttf-study: 1\ndetectors: [x]\n", "f"); }),
      "f:1:13: error: gttf-study: this is a study, but a detector file is "
      "expected"));
}

TEST_CASE("read: the material of a layer for energy loss") {
  const auto material = [](const std::string& text) {
    const std::string layer = "  - { cylinder: { radius: ";
    const std::string rest =
        " cm, half_length: 9 cm }, measures: { rphi: 5 um, z: 5 um }, "
        "material: ";
    return parse_detector(
               "gttf-detector: 1\nname: x\nfield: { solenoid: 1 T }"
               "\nlayers:\n" +
                   layer + "1" + rest + text + ", name: A }\n" + layer + "2" +
                   rest + "0, name: B }\n" + layer + "3" + rest +
                   "0, name: C }\n",
               "x.yaml")
        .detector.layers[0]
        .material;
  };
  const auto given = material("{ x_over_x0: 0.5 %, dE: 0.12 MeV }");
  REQUIRE(given.size() == 1);
  CHECK(given[0].x_over_x0 == doctest::Approx(0.005));
  CHECK(given[0].mean_loss == doctest::Approx(0.12 * unit::MeV));
  CHECK(material("{ x_over_x0: 0.5 %, dE: 0 MeV }")[0].mean_loss == 0);
  CHECK_FALSE(material("{ x_over_x0: 0.5 % }")[0].mean_loss);
  // half the density is half of the radiation lengths
  const auto plain = material("{ of: carbon, thickness: 2 mm }");
  const auto foam =
      material("{ of: carbon, thickness: 2 mm, density: 1.105 g/cm3 }");
  CHECK(foam[0].x_over_x0 == doctest::Approx(0.5 * plain[0].x_over_x0));
  CHECK(foam[0].density == doctest::Approx(1.105));
  CHECK(material("[{ of: Al, thickness: 1 mm, dE: 1 MeV }, 0.1 %]").size() ==
        2);
}

}  // namespace gttf::test::GTTF_TEST_FILE
