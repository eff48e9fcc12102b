// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "gttf/detector/field_map.hpp"
#include "gttf/detector/read.hpp"
#include "support/folder.hpp"
#include "support/magnets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::string telescope(const std::string& field) {
  std::string text =
      "gttf-detector: 1\nname: t\nfield: " + field + "\nlayers:\n";
  for (const char* z : {"0 mm", "50 cm", "1 m"})
    text += std::string("  - name: z") + z[0] + "\n    plane: { z: " + z +
            ", x: [-10 cm, 10 cm], y: [-10 cm, 10 cm] }\n"
            "    material: 1 %\n    measures: { x: 5 um, y: 5 um }\n";
  return text;
}

Field field_of(const std::string& text,
               const std::vector<std::string>& overrides = {}) {
  const DetectorInput input =
      parse_detector(telescope(text), "t.yaml", overrides);
  CHECK(input.warnings.empty());
  return input.detector.field;
}

}  // namespace

TEST_CASE("read field: a dipole between layers or from entrance to exit") {
  const Field between = field_of(
      "{ dipole: { between: [z5, z0], field: -0.57 T, direction: x } }");
  CHECK(between.kind == FieldKind::dipole);
  REQUIRE(between.dipoles.size() == 1);
  CHECK(between.dipoles[0].normal == Axis::z);
  CHECK(between.dipoles[0].extent.lower == 0);
  CHECK(between.dipoles[0].extent.upper == 500);
  CHECK(between.dipoles[0].direction == Axis::x);
  CHECK(between.dipoles[0].field == -0.57 * unit::T);
  CHECK(between.reference == -0.57 * unit::T);
  CHECK(between.axis == Axis::x);
  CHECK(between.bz == 0);
  const Field faces = field_of(
      "{ dipole: [{ entrance: 10 cm, exit: 20 cm, field: 1 T, direction: y },"
      " { entrance: 20 cm, exit: 0.9 m, field: 2 T, direction: x }] }");
  REQUIRE(faces.dipoles.size() == 2);
  CHECK(faces.dipoles[1].extent.upper == 900);
  CHECK(faces.reference == 2 * unit::T);
  CHECK(faces.axis == Axis::x);
  const Field side = field_of(
      "{ dipole: { entrance: 10 cm, exit: 20 cm, normal: x, field: 1 T, "
      "direction: z } }");
  CHECK(side.dipoles[0].normal == Axis::x);
  CHECK(field_of("{ dipole: { between: [z0, z5], field: 0 T, direction: x } }")
            .kind == FieldKind::none);
}

TEST_CASE("read field: options change dipoles") {
  const std::string text =
      "{ dipole: { between: [z0, z5], field: 1 T, direction: x } }";
  CHECK(field_of(text, {"field.dipole.field=0.4 T"}).dipoles[0].field ==
        0.4 * unit::T);
  CHECK(field_of(text, {"field.dipole.between=[z5, z1]"})
            .dipoles[0]
            .extent.upper == 1000);
  CHECK(field_of("none", {"field.solenoid=2 T"}).kind == FieldKind::solenoid);
}

TEST_CASE("read field: a map next to the detector file, scaled and moved") {
  const Folder folder;
  const FringeDipole magnet;
  const auto grid = sample(
      magnet,
      {axis_from(-200, 200, 5), axis_from(0, 200, 11), axis_from(0, 1500, 76)});
  folder.write("m.csv", text_of(grid));
  const std::string file = folder.write(
      "t.yaml", telescope("{ map: m.csv, scale: -2, offset: [0 mm, 1 cm, 50 "
                          "cm], symmetry: dipole y }"));
  const DetectorInput input = read_detector(file);
  CHECK(input.warnings.empty());
  const Field& field = input.detector.field;
  REQUIRE(field.kind == FieldKind::map);
  CHECK(field.axis == Axis::y);
  CHECK(field.reference == field.map->largest());
  Vector3 b;
  const Vector3 x(30, -40, 100);
  REQUIRE(field.map->at(x, b));
  CHECK((b + 2 * magnet(x - Vector3(0, 10, 500))).norm() <
        1e-5 * field.reference);
  // its content is part of what the detector is
  folder.write("m.csv",
               text_of(sample(
                   [&](const Vector3& at) { return Vector3(1.5 * magnet(at)); },
                   grid.axes)));
  const DetectorInput other = read_detector(file);
  CHECK(other.detector.sha256 != input.detector.sha256);
  const std::vector<std::string> overrides = {"field.scale=1"};
  CHECK(read_detector(file, overrides).detector.field.reference ==
        doctest::Approx(0.75 * field.reference));
  const std::vector<std::string> path = {"field.map=" + (folder / "m.csv")};
  CHECK(read_detector(file, path).detector.field.reference ==
        doctest::Approx(1.5 * field.reference));
}

}  // namespace gttf::test::GTTF_TEST_FILE
