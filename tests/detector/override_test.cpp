// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/override.hpp"

#include <doctest/doctest.h>

#include <cmath>

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

TEST_CASE("set: other users of an anchor are not changed") {
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

TEST_CASE("set: later changes apply after earlier ones") {
  CHECK(with({"layers[L0].name=first", "layers[first].material=7 %"})
            .layers[1]
            .x_over_x0() == doctest::Approx(0.07));
}

TEST_CASE("set: a missing layer is reported with the nearest") {
  CHECK(answer("layers[L9].material=0.5 %") ==
        "--set: error: there is no layer \"L9\"\n"
        "      | layers[L9].material=0.5 %\n"
        "      |        ^~ did you mean \"L0\"?\n");
  CHECK(contains(answer("layers[T[3]].material=1 %"),
                 "layer \"T\" has no surface \"T[3]\""));
  CHECK(
      contains(answer("layers[17].material=1 %"), "there is no layer \"17\""));
  CHECK(contains(answer("layers[L2:L0].material=1 %"), "there is no layer"));
}

TEST_CASE("set: errors of the value are placed in the option") {
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

TEST_CASE("set: a malformed option is reported with the correct form") {
  for (const char* bad :
       {"", "layers", "=1", "layers[L0=1", "layers[].x=1", "a..b=1"}) {
    INFO(bad);
    CHECK(contains(answer(bad), "write KEY=VALUE"));
  }
  CHECK(contains(answer("name="), "no value after \"=\"\n"));
  CHECK(contains(answer("name="), "write null to remove the key"));
  CHECK(contains(answer("layers.material=1 %"), "select an item"));
  CHECK(contains(answer("layers[L0].material.of=Si"),
                 "there is no \"of\" in the value \"1 %\""));
  CHECK(contains(answer("layer[L0].material=1 %"), "did you mean \"layers\"?"));
  CHECK(contains(answer("layers[L0].note=null"), "there is no key \"note\""));
}

namespace {

/// `text` with one more layer.
Detector with_layer(const std::string& layer,
                    const std::vector<std::string>& overrides) {
  return parse_detector(text + "  - " + layer, "f.yaml", overrides).detector;
}

}  // namespace

TEST_CASE("set: one surface of a repeated layer") {
  const Detector d =
      with({"layers[T[1]].material=3 %", "layers[T[2]].cylinder.radius=61 mm"});
  REQUIRE(d.layers.size() == 7);
  for (std::size_t i = 4; i < 7; ++i)
    CHECK(d.layers[i].name == "T[" + std::to_string(i - 4) + "]");
  CHECK(d.layers[4].x_over_x0() == doctest::Approx(0.01));
  CHECK(d.layers[5].x_over_x0() == doctest::Approx(0.03));
  CHECK(d.layers[5].surface.position == 55);
  CHECK(d.layers[6].surface.position == 61);
  CHECK(d.layers[5].place.line == d.layers[4].place.line);
}

TEST_CASE(
    "set: the surfaces of a repeated layer, as they are, change nothing") {
  const Detector plain = with({}), split = with({"layers[T[0]].note=x"});
  REQUIRE(split.layers.size() == plain.layers.size());
  for (std::size_t i = 0; i < plain.layers.size(); ++i) {
    CHECK(split.layers[i].name == plain.layers[i].name);
    CHECK(split.layers[i].surface.position == plain.layers[i].surface.position);
    CHECK(split.layers[i].x_over_x0() == plain.layers[i].x_over_x0());
  }
}

TEST_CASE("set: a repeated layer is addressed whole, in part, by index") {
  const auto material = [](const std::vector<std::string>& overrides) {
    std::vector<double> list;
    for (const Layer& layer : with(overrides).layers)
      list.push_back(layer.x_over_x0());
    return std::vector<double>(list.begin() + 3, list.end());
  };
  using List = std::vector<double>;
  // earlier changes of a single surface do not matter
  CHECK(material({"layers[T[1]].note=x", "layers[T].material=0.5"}) ==
        List{0.01, 0.5, 0.5, 0.5});
  CHECK(material({"layers[T[1]].note=x", "layers[4].material=0.5"}) ==
        List{0.01, 0.5, 0.5, 0.5});
  CHECK(material({"layers[T[0]:T[1]].material=0.5"}) ==
        List{0.01, 0.5, 0.5, 0.01});
  CHECK(material({"layers[L2:T[1]].material=0.5"}) ==
        List{0.5, 0.5, 0.5, 0.01});
  CHECK(material({"layers[T[2]].note=x", "layers[*].material=0.5"}) ==
        List{0.5, 0.5, 0.5, 0.5});
  CHECK(material({"layers[T[1]]=null"}) == List{0.01, 0.01, 0.01});
  CHECK(material({"layers[T[1]].note=x", "layers[T]=null"}) == List{0.01});
  CHECK(material({"layers[T[0]]=null", "layers[T[1]]=null",
                  "layers[T[2]]=null"}) == List{0.01});
}

TEST_CASE("set: copies of disks, planes and mirrored layers") {
  const std::string disk =
      "{ name: D, disk: { z: [-30 cm, -20 cm], radius: [1 cm, 9 cm] }, "
      "repeat: 2, mirror: true, material: 1 %, pitch: { rphi: 50 um } }\n";
  const Detector d = with_layer(disk, {"layers[D[1]].disk.z=-25 cm"});
  REQUIRE(d.layers.size() == 11);
  double sum = 0;
  for (std::size_t i = 7; i < 11; ++i) {
    CHECK(d.layers[i].name.starts_with(i < 9 ? "D[0]" : "D[1]"));
    sum += std::abs(d.layers[i].surface.position);
  }
  CHECK(sum == doctest::Approx(2 * (300 + 250)));
  const std::string plane =
      "{ name: P, plane: { x: [-1 m, 1 m], y: [-1 m, 1 m], z: [2 m, 3 m], "
      "normal: z }, repeat: 3, material: 1 %, measures: { u: 5 um } }\n";
  const Detector e = with_layer(
      plane, {"layers[P[1]].plane.z=2.6 m", "layers[P[1]].measures.x=7 um"});
  REQUIRE(e.layers.size() == 10);
  CHECK(e.layers[8].surface.position == 2600);
  REQUIRE(e.layers[8].coordinates.size() == 1);
  CHECK(e.layers[8].coordinates[0].sigma == doctest::Approx(7e-3));
  CHECK(e.layers[9].coordinates[0].sigma == doctest::Approx(5e-3));
  const std::vector<std::string> image{"layers[D[1] (+z)].material=2 %"};
  CHECK(contains(test::reported([&] { with_layer(disk, image); }),
                 "is the mirror image of layer \"D[1]\""));
}

TEST_CASE("set: a hit error replaces any notation") {
  const auto errors = [](const std::string& layer, const std::string& key) {
    const Detector d = with_layer(
        "{ name: X, cylinder: { radius: 9 cm, half_length: 1 m }, material: 1 "
        "%, " +
            layer + " }\n",
        {"layers[X]." + key});
    std::vector<double> list;
    for (const Coordinate& c : d.layers.back().coordinates)
      list.push_back(std::round(c.sigma * 1e6) / 1e3);
    return list;
  };
  using List = std::vector<double>;
  const double pitch = 28.868;  // 100 um / sqrt(12)
  CHECK(errors("pitch: { rphi: 100 um, z: 100 um }", "measures.z=7 um") ==
        List{pitch, 7});
  CHECK(errors("measures: { pitch: { rphi: 100 um, z: 100 um } }",
               "measures.rphi=7 um") == List{7, pitch});
  CHECK(errors("measures: { u: 5 um, v: 6 um }", "measures.z=7 um") ==
        List{5, 7});
  CHECK(errors("measures: { rphi: 5 um, z: 6 um }", "pitch.z=100 um") ==
        List{5, pitch});
  CHECK(errors("measures: [{ angle: 0 deg, pitch: 100 um }, "
               "{ angle: 90 deg, sigma: 6 um }]",
               "measures.rphi=7 um") == List{7, 6});
  CHECK(errors("measures: [{ angle: 0 deg, sigma: 5 um }]",
               "measures.z=7 um") == List{5, 7});
  CHECK(errors("measures: [{ angle: 0 deg, sigma: 5 um }, "
               "{ angle: 40 mrad, pitch: 100 um }]",
               "measures[1].sigma=7 um") == List{5, 7});
  CHECK(errors("pitch: { rphi: 100 um, z: 100 um }", "measures.z=null") ==
        List{pitch});
  CHECK(errors("measures: [{ angle: 0 deg, sigma: 5 um }, "
               "{ angle: 90 deg, sigma: 6 um }]",
               "measures.rphi=null") == List{6});
  CHECK(errors("measures: { rphi: 5 um }", "measures.z=7 um") == List{5, 7});
}

TEST_CASE("set: extents and gaps replace any notation") {
  const auto extent = [](const std::string& shape, const std::string& key) {
    const Surface s =
        with_layer("{ name: X, cylinder: { radius: 9 cm, " + shape +
                       " }, material: 1 %, measures: { z: 5 um } }\n",
                   {"layers[X].cylinder." + key})
            .layers.back()
            .surface;
    return std::vector<double>{s.v.lower, s.v.upper};
  };
  using List = std::vector<double>;
  CHECK(extent("half_length: 1 m", "z=[-1 m, 2 m]") == List{-1000, 2000});
  CHECK(extent("z: [-1 m, 2 m]", "half_length=3 m") == List{-3000, 3000});
  for (const char* gap :
       {"{ field: 1 T, direction: y, entrance: 1 m, exit: 2 m }",
        "[{ field: 1 T, direction: y, entrance: 1 m, exit: 2 m }]"})
    for (const char* key : {"field.dipole.field", "field.dipole[0].field"}) {
      CAPTURE(gap);
      CAPTURE(key);
      const Detector d = with({"layers[L2]=null", "layers[T]=null",
                               std::string("field={dipole: ") + gap + "}",
                               std::string(key) + "=3 T"});
      REQUIRE(d.field.dipoles.size() == 1);
      CHECK(d.field.dipoles[0].field == doctest::Approx(3 * unit::T));
    }
}

}  // namespace gttf::test::GTTF_TEST_FILE
