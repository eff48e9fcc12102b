// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "gttf/detector/read.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::contains;

namespace {

std::string layer(const std::string& name, const std::string& shape) {
  std::string text = "  - { name: ";
  text += name;
  text += ", ";
  text += shape;
  text += ", material: 0, measures: { u: 5 um } }\n";
  return text;
}

/// Errors or warnings of a detector with these layers and three far ones.
std::string answer(const std::string& layers) {
  std::string text =
      "gttf-detector: 1\nname: x\nfield: { solenoid: 1 T }\nlayers:\n";
  text += layers;
  text += layer("A", "cylinder: { radius: 7 m, half_length: 1 m }");
  text += layer("B", "cylinder: { radius: 8 m, half_length: 1 m }");
  text += layer("C", "cylinder: { radius: 9 m, half_length: 1 m }");
  std::string warnings;
  const std::string errors = test::reported(
      [&] { warnings = test::text_of(parse_detector(text, "f").warnings); });
  return errors + warnings;
}

}  // namespace

TEST_CASE("coincidence: same radius and overlapping z, in any unit") {
  const std::string a =
      layer("P", "cylinder: { radius: 1 cm, z: [0 mm, 10 mm] }");
  CHECK(contains(
      answer(a + layer("Q", "cylinder: { radius: 10 mm, z: [9 mm, 20 mm] }")),
      "the surface of \"Q\" coincides with \"P\" (line 5)"));
  // they may touch, and half a nanometre apart is the same place
  CHECK(answer(a + layer("Q", "cylinder: { radius: 1 cm, z: [10 mm, 20 mm] }"))
            .empty());
  CHECK(contains(
      answer(a + layer("Q",
                       "cylinder: { radius: 10.0000005 mm, z: [0 mm, 1 mm] }")),
      "coincides"));
  CHECK(
      answer(a + layer("Q", "cylinder: { radius: 10.01 mm, z: [0 mm, 1 mm] }"))
          .empty());
}

TEST_CASE("coincidence: not for adjacent disks, but for overlapping rings") {
  const std::string a = layer("P", "disk: { z: 2 m, radius: [1 cm, 2 cm] }");
  CHECK(
      answer(a + layer("Q", "disk: { z: 2 m, radius: [2 cm, 3 cm] }")).empty());
  CHECK(contains(
      answer(a + layer("Q", "disk: { z: 2 m, radius: [15 mm, 3 cm] }")),
      "coincides"));
}

TEST_CASE("coincidence: planes by rectangle, and with a disk by distance") {
  const std::string a =
      layer("P", "plane: { z: 2 m, x: [1 cm, 2 cm], y: [-1 cm, 1 cm] }");
  CHECK(answer(a + layer("Q",
                         "plane: { z: 2 m, x: [2 cm, 3 cm], y: [-1 cm, 1 "
                         "cm] }"))
            .empty());
  CHECK(contains(answer(a + layer("Q",
                                  "plane: { z: 2 m, x: [0 cm, 3 cm], y: "
                                  "[0 cm, 1 cm] }")),
                 "coincides"));
  CHECK(
      answer(a + layer("Q", "disk: { z: 2 m, radius: [1 mm, 9 mm] }")).empty());
  CHECK(contains(
      answer(a + layer("Q", "disk: { z: 2 m, radius: [1 mm, 11 mm] }")),
      "coincides"));
}

TEST_CASE("coincidence: rows of repeated layers are found, once") {
  const std::string text = answer(
      "  - { name: T, cylinder: { radius: [1 cm, 2 cm], half_length: 1 "
      "m }, repeat: 11, material: 0, measures: { u: 1 mm } }\n"
      "  - { name: S, cylinder: { radius: [1 cm, 2 cm], half_length: 1 "
      "m }, repeat: 6, material: 0, measures: { u: 1 mm } }\n");
  CHECK(contains(text, "the surface of \"S[0]\" coincides with \"T[0]\""));
  CHECK_FALSE(contains(text, "S[1]"));
}

TEST_CASE("cut: a disk through a barrel warns, outside or inside it does not") {
  const std::string barrel =
      layer("P", "cylinder: { radius: 10 cm, half_length: 50 cm }");
  CHECK(contains(
      answer(barrel + layer("D", "disk: { z: 40 cm, radius: [5 cm, 20 cm] }")),
      "warning: layers[1].disk: the disk \"D\" cuts through the barrel \"P\" "
      "(line 5)"));
  CHECK(answer(barrel + layer("D", "disk: { z: 60 cm, radius: [5 cm, 20 cm] }"))
            .empty());
  CHECK(answer(barrel + layer("D", "disk: { z: 40 cm, radius: [5 cm, 9 cm] }"))
            .empty());
  CHECK(answer(barrel + layer("D", "disk: { z: 50 cm, radius: [5 cm, 20 cm] }"))
            .empty());
}

TEST_CASE("names: also those that repeat and mirror make are unique") {
  CHECK(contains(
      answer(layer("\"T[1]\"", "cylinder: { radius: 5 cm, half_length: 1 m }") +
             "  - { name: T, cylinder: { radius: [1 cm, 2 cm], half_length: 1 "
             "m }, repeat: 2, material: 0, measures: { u: 1 mm } }\n"),
      "the name \"T[1]\" is taken by the layer in line 5"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
