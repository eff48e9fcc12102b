// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/detector_view.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "gttf/detector/material_map.hpp"
#include "gttf/detector/read.hpp"
#include "support/magnets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector example() {
  return parse_detector(R"(gttf-detector: 1
name: Example
source: [one, two]
field: { solenoid: 2 T }
layers:
  - name: pipe
    cylinder: { radius: 20 mm, half_length: 300 mm }
    material: { of: beryllium, thickness: 0.8 mm }
    group: pipe
  - name: rows
    cylinder: { radius: [100 mm, 500 mm], half_length: 400 mm }
    repeat: 5
    material: 1 %
    measures: { rphi: 10 um, z: 2 mm }
    group: rows
  - name: disk
    disk: { z: 800 mm, radius: [40 mm, 160 mm] }
    measures:
      - { angle: 40 mrad, sigma: 20 um }
      - { angle: 30 deg, sigma: 20 um }
    note: stereo
)",
                        "example.yaml")
      .detector;
}

const Texts& texts(const Table& table, const char* name) {
  return std::get<Texts>(table.find(name)->cells);
}
const Reals& reals(const Table& table, const char* name) {
  return std::get<Reals>(table.find(name)->cells);
}

}  // namespace

TEST_CASE("detector view: the table has every layer as the file lists it") {
  const Table t = layer_table(example());
  REQUIRE(t.rows() == 7);
  CHECK(texts(t, "layer")[0] == "pipe");
  CHECK(texts(t, "shape")[0] == "cylinder");
  CHECK(texts(t, "measures")[0].empty());
  CHECK(reals(t, "position_mm")[1] == 100);
  CHECK(reals(t, "position_mm")[5] == 500);
  CHECK(reals(t, "v_min_mm")[1] == -400);
  CHECK(reals(t, "x_over_x0")[1] == 0.01);
  CHECK(texts(t, "measures")[1] == "rphi 10 um, z 2 mm");
  CHECK(texts(t, "shape")[6] == "disk");
  CHECK(texts(t, "measures")[6] == "40 mrad 20 um, 30 deg 20 um");
  CHECK(texts(t, "note")[6] == "stereo");
  CHECK(texts(t, "group")[0] == "pipe");
}

TEST_CASE("detector view: layers of even spacing share a row for reading") {
  const Summary s = detector_summary(example());
  CHECK(s.title == "Example");
  const Table& t = s.sections[1].table;
  REQUIRE(t.rows() == 3);
  CHECK(std::get<Integers>(t.find("n_layers")->cells)[1] == 5);
  CHECK(reals(t, "at_mm")[1] == 100);
  CHECK(reals(t, "last_mm")[1] == 500);
}

TEST_CASE("detector view: layers of uneven spacing keep their rows") {
  Detector d = example();
  d.layers[3].surface.position += 1;
  CHECK(detector_summary(d).sections[1].table.rows() == 7);
}

TEST_CASE("detector view: sums count the layers of each group") {
  const Summary s = detector_summary(example());
  const Table& groups = s.sections[2].table;
  REQUIRE(groups.rows() == 2);
  CHECK(texts(groups, "group")[1] == "rows");
  CHECK(std::get<Integers>(groups.find("n_layers")->cells)[1] == 5);
  CHECK(layer_count_text(example()) == "7 layers, 6 measuring");
}

TEST_CASE("detector view: the document agrees with the table") {
  const Document d = detector_document(example());
  CHECK(std::get<std::string>(d.find("name")->value()) == "Example");
  CHECK(std::get<double>(d.find("field")->find("bz_T")->value()) ==
        doctest::Approx(2));
  const auto& layers = std::get<Document::List>(d.find("layers")->value());
  REQUIRE(layers.size() == 7);
  const auto& slab =
      std::get<Document::List>(layers[0].find("material")->value())[0];
  CHECK(std::get<std::string>(slab.find("of")->value()) == "beryllium");
  CHECK(std::get<double>(slab.find("thickness_mm")->value()) ==
        doctest::Approx(0.8));
  CHECK(
      std::get<Document::List>(layers[1].find("coordinates")->value()).size() ==
      2);
}

TEST_CASE("detector view: describes dipoles and their frame") {
  Field field;
  field.kind = FieldKind::dipole;
  field.dipoles = {{Axis::z, {100, 600}, Axis::x, -0.57 * unit::T},
                   {Axis::z, {700, 900}, Axis::y, 0.2 * unit::T}};
  set_reference(field);
  const auto facts = field_facts(field);
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].second == "dipole -0.57 T along x, z = 100 to 600 mm");
  CHECK(facts[1].second == "dipole 0.2 T along y, z = 700 to 900 mm");
  CHECK(facts[2].first == "polar axis");
  CHECK(facts[2].second.starts_with("x, "));
  const Document d = field_document(field);
  CHECK(std::get<std::string>(d.find("kind")->value()) == "dipole");
  const auto& gaps = std::get<Document::List>(d.find("dipoles")->value());
  CHECK(std::get<double>(gaps[1].find("field_T")->value()) ==
        doctest::Approx(0.2));
}

TEST_CASE("detector view: layers with a map of their material are marked") {
  Detector d = example();
  CHECK(texts(layer_table(d), "map")[0].empty());
  CHECK(detector_summary(d).sections[1].table.find("map") == nullptr);
  d.layers[0].material[0].map = std::make_shared<MaterialMap>(
      std::vector<MaterialMap::Bins>{{MapCoordinate::z, {-100, 0, 100}},
                                     {MapCoordinate::phi, {0, 3}}},
      std::vector<double>{0.01, 0.02, 0.01, 0.02, 0.01, 0.02},
      "folder/tube.csv");
  const std::string expected = "tube.csv, 3 z x 2 phi";
  CHECK(texts(layer_table(d), "map")[0] == expected);
  CHECK(texts(layer_table(d), "map")[1].empty());
  CHECK(texts(detector_summary(d).sections[1].table, "map")[0] == expected);
}

TEST_CASE("detector view: describes the grid of a map and its position") {
  test::FringeDipole magnet;
  FieldMap::Placement placement;
  placement.offset = {0, 0, 1000};
  placement.symmetry = MirrorSymmetry{Axis::y};
  const Field field =
      test::map_field(test::sample(magnet, {test::axis_from(-100, 100, 5),
                                            test::axis_from(0, 200, 11),
                                            test::axis_from(-1000, 800, 91)}),
                      placement);
  const auto facts = field_facts(field);
  REQUIRE(facts.size() == 3);
  CHECK(facts[1].second ==
        "x = -100 to 100 mm in steps of 50 mm, y = 0 to 200 mm in steps of 20 "
        "mm and its mirror image, z = 0 to 1800 mm in steps of 20 mm");
  const Document d = field_document(field);
  const auto& grid = std::get<Document::List>(d.find("grid")->value());
  REQUIRE(grid.size() == 3);
  CHECK(std::get<bool>(grid[1].find("mirrored")->value()));
  CHECK(std::get<std::string>(grid[2].find("axis")->value()) == "z");
}

}  // namespace gttf::test::GTTF_TEST_FILE
