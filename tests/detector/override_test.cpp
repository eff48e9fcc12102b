// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/override.hpp"

#include <doctest/doctest.h>

#include "gttf/core/units.hpp"
#include "gttf/detector/read.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::contains;

namespace {

const std::string text = R"(gttf-detector: 1
name: test
field: none
x-m: &m { rphi: 5 um, z: 5 um }
layers:
  - { name: beam pipe, cylinder: { radius: 1 cm, half_length: 1 m }, material: { of: Be, thickness: 1 mm } }
  - { name: L0, cylinder: { radius: 2 cm, half_length: 1 m }, material: 1 %, measures: *m }
  - { name: L1, cylinder: { radius: 3 cm, half_length: 1 m }, material: 1 %, measures: *m }
  - { name: L2, cylinder: { radius: 4 cm, half_length: 1 m }, material: 1 %, measures: *m }
  - { name: T, cylinder: { radius: [5 cm, 6 cm], half_length: 1 m }, repeat: 3, material: 1 %, measures: *m }
)";

Detector with(const std::vector<std::string>& overrides) {
  return parse_detector(text, "f.yaml", overrides).detector;
}

std::string answer(const std::string& override_text) {
  const std::vector<std::string> overrides = {override_text};
  return test::reported([&] { parse_detector(text, "f.yaml", overrides); });
}

}  // namespace

TEST_CASE("set: a layer by name, with spaces, or by index") {
  CHECK(with({"layers[L0].material=0.5 %"}).layers[1].x_over_x0() ==
        doctest::Approx(0.005));
  CHECK(with({"layers[2].material = 0.5 %"}).layers[2].x_over_x0() ==
        doctest::Approx(0.005));
  CHECK(with({"layers[beam pipe].material.thickness=2 mm"})
            .layers[0]
            .material[0]
            .thickness == 2);
  CHECK(with({"layers[beam pipe].cylinder.radius=15 mm"})
            .layers[0]
            .surface.position == 15);
}

TEST_CASE("set: what shares an anchor is not changed along") {
  const Detector d = with({"layers[L0].measures.rphi=9 um"});
  CHECK(d.layers[1].coordinates[0].sigma == doctest::Approx(9e-3));
  CHECK(d.layers[2].coordinates[0].sigma == doctest::Approx(5e-3));
}

TEST_CASE("set: ranges and all layers") {
  const Detector some = with({"layers[L1:L2].material=3 %"});
  CHECK(some.layers[1].x_over_x0() == doctest::Approx(0.01));
  CHECK(some.layers[2].x_over_x0() == doctest::Approx(0.03));
  CHECK(some.layers[3].x_over_x0() == doctest::Approx(0.03));
  CHECK(some.layers[4].x_over_x0() == doctest::Approx(0.01));
  for (const Layer& layer : with({"layers[*].material=3 %"}).layers)
    CHECK(layer.x_over_x0() == doctest::Approx(0.03));
  CHECK(with({"layers[0:1].note=x"}).layers[1].note == "x");
}

TEST_CASE("set: YAML values, new keys, removed keys and layers") {
  const Detector d =
      with({"layers[L0].measures={rphi: 4 um, z: 3 um}",
            "layers[L1].efficiency=0.9", "field.solenoid=1 T",
            "layers[L2].measures=null", "layers[beam pipe]=null"});
  CHECK(d.layers[0].name == "L0");
  CHECK(d.layers[0].coordinates[1].sigma == doctest::Approx(3e-3));
  CHECK(d.layers[1].efficiency == doctest::Approx(0.9));
  CHECK(d.field.bz == 1 * unit::T);
  CHECK_FALSE(d.layers[2].measures());
  CHECK(with({"materials[My.Foam].radiation_length=2 m",
              "layers[L0].material={of: My.Foam, thickness: 2 cm}"})
            .layers[1]
            .x_over_x0() == doctest::Approx(0.01));
}

TEST_CASE("set: later ones see what earlier ones did") {
  CHECK(with({"layers[L0].name=first", "layers[first].material=7 %"})
            .layers[1]
            .x_over_x0() == doctest::Approx(0.07));
}

TEST_CASE("set: a layer that is not there is answered with the nearest") {
  CHECK(answer("layers[L9].material=0.5 %") ==
        "--set: error: there is no layer \"L9\"\n"
        "      | layers[L9].material=0.5 %\n"
        "      |        ^~ did you mean \"L0\"?\n");
  CHECK(contains(answer("layers[T[1]].material=1 %"),
                 "\"T[1]\" is one of the repeated surfaces of layer \"T\""));
  CHECK(
      contains(answer("layers[17].material=1 %"), "there is no layer \"17\""));
  CHECK(contains(answer("layers[L2:L0].material=1 %"), "there is no layer"));
}

TEST_CASE("set: faults of the value are placed in the option") {
  CHECK(answer("layers[L0].material=0.5 mm") ==
        "--set: error: layers[1].material: expected x/X0, got a length (\"0.5 "
        "mm\")\n"
        "      | layers[L0].material=0.5 mm\n"
        "      |                     ^~~~~~ write { of: silicon, thickness: "
        "0.5 mm }\n");
  CHECK(contains(answer("layers[L0].efficency=1"),
                 "did you mean "
                 "\"efficiency\"?"));
  CHECK(contains(answer("feild.solenoid=1 T"), "did you mean \"field\"?"));
  CHECK(contains(answer("layers[L0].measures={rphi: 4 um"),
                 "the brace \"{\" is not closed"));
}

TEST_CASE("set: a malformed option says how to write it") {
  for (const char* bad :
       {"", "layers", "=1", "layers[L0=1", "layers[].x=1", "a..b=1"}) {
    INFO(bad);
    CHECK(contains(answer(bad), "write KEY=VALUE"));
  }
  CHECK(contains(answer("name="), "no value after \"=\"\n"));
  CHECK(contains(answer("name="), "write null to remove the key"));
  CHECK(contains(answer("layers.material=1 %"), "say which item"));
  CHECK(contains(answer("layers[L0].material.of=Si"),
                 "there is no \"of\" in the value \"1 %\""));
  CHECK(contains(answer("layer[L0].material=1 %"), "did you mean \"layers\"?"));
  CHECK(contains(answer("layers[L0].note=null"), "there is no key \"note\""));
}

}  // namespace gttf::test::GTTF_TEST_FILE
