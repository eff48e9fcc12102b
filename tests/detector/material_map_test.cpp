// SPDX-License-Identifier: Apache-2.0
// Maps of material: bins and their values, tables, and layers that name them.
#include <doctest/doctest.h>

#include <numbers>
#include <string>

#include "gttf/config/diagnostics.hpp"
#include "gttf/core/units.hpp"
#include "gttf/detector/material_map.hpp"
#include "gttf/detector/read.hpp"
#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using C = MapCoordinate;

MapPlace place(C first, double value, double phi = 0) {
  MapPlace p{};
  p[static_cast<std::size_t>(first)] = value;
  p[static_cast<std::size_t>(C::phi)] = phi;
  return p;
}

Detector detector_with(const Folder& folder, const std::string& shape,
                       const std::string& material) {
  return read_detector(
             folder.write("d.yaml",
                          "gttf-detector: 1\nname: m\n"
                          "field: none\nlayers:\n"
                          "  - { name: A, " +
                              shape + ", material: " + material +
                              ", measures: { u: 5 um, v: 5 um } }\n"
                              "  - { name: B, disk: { z: 3 m, radius: [1 "
                              "mm, 1 m] }, material: 0, measures: { u: 5 "
                              "um, v: 5 um } }\n"))
      .detector;
}

}  // namespace

TEST_CASE("material map: bins end halfway between their centres") {
  const MaterialMap map({{C::z, {-10, 0, 20}}}, {1, 2, 4});
  const MaterialMap::Bins& z = map.axes().front();
  CHECK(z.lower(0) == -15);
  CHECK(z.lower(1) == -5);
  CHECK(z.lower(2) == 10);
  CHECK(z.upper(2) == 30);
  // mean over lengths of 10, 15 and 20 mm
  CHECK(map.mean() == doctest::Approx((10 * 1 + 15 * 2 + 20 * 4) / 45.));
  const auto value = [&](double at) {
    return map.relative(place(C::z, at)) * map.mean();
  };
  CHECK(value(-5.001) == doctest::Approx(1));
  CHECK(value(-4.999) == doctest::Approx(2));
  CHECK(value(9.999) == doctest::Approx(2));
  CHECK(value(10.001) == doctest::Approx(4));
  // beyond the edges the outermost values go on
  CHECK(value(-1e4) == doctest::Approx(1));
  CHECK(value(1e4) == doctest::Approx(4));
}

TEST_CASE("material map: azimuths border on each other over the full turn") {
  const double deg = unit::deg;
  const MaterialMap map({{C::r, {20, 40}}, {C::phi, {0, 90 * deg, 270 * deg}}},
                        {1, 2, 3, 4, 5, 6});
  const auto value = [&](double r, double phi) {
    return map.relative(place(C::r, r, phi * deg)) * map.mean();
  };
  for (const double turn : {-360., 0., 720.}) {
    CHECK(value(25, turn) == doctest::Approx(1));
    CHECK(value(25, turn + 44) == doctest::Approx(1));
    CHECK(value(25, turn + 46) == doctest::Approx(2));
    CHECK(value(25, turn + 179) == doctest::Approx(2));
    CHECK(value(25, turn + 181) == doctest::Approx(3));
    CHECK(value(25, turn + 314) == doctest::Approx(3));
    CHECK(value(25, turn - 44) == doctest::Approx(1));
    CHECK(value(35, turn + 200) == doctest::Approx(6));
  }
  // rings from 10 to 30 and 30 to 50 mm count by their areas
  const double inner = (90 * 1 + 135 * 2 + 135 * 3) / 360.,
               outer = (90 * 4 + 135 * 5 + 135 * 6) / 360.;
  CHECK(map.mean() == doctest::Approx((800 * inner + 1600 * outer) / 2400));
}

TEST_CASE("material map: a map in a mirror") {
  const MaterialMap map({{C::z, {10, 20}}, {C::phi, {0, 3}}}, {1, 2, 3, 4});
  const MaterialMap other = map.mirrored({C::z});
  for (const double z : {5., 12., 17., 40.})
    for (const double phi : {0., 3.})
      CHECK(other.relative(place(C::z, -z, phi)) ==
            doctest::Approx(map.relative(place(C::z, z, phi))));
  CHECK_FALSE(other == map);
  CHECK(other.mirrored({C::z}) == map);
}

TEST_CASE("material map: a table") {
  const Folder folder;
  const std::string path = folder.write(
      "m.csv",
      "# services\nphi_deg, z_mm, x_over_x0\n0,-5,0.01\n180,-5,0.02\n\n"
      "180,5,4e-2\n0,5,0\n");
  Diagnostics diagnostics;
  const auto map = read_material_map(path, diagnostics);
  REQUIRE(map);
  CHECK(diagnostics.empty());
  CHECK(map->path() == path);
  CHECK(map->axes().size() == 2);
  CHECK(map->mean() == doctest::Approx(0.0175));
  CHECK(map->smallest() == 0);
  CHECK(map->largest() == 0.04);
  const auto value = [&](double z, double phi) {
    return map->relative(place(C::z, z, phi)) * map->mean();
  };
  CHECK(value(-1, 0) == doctest::Approx(0.01));
  CHECK(value(-1, std::numbers::pi) == doctest::Approx(0.02));
  CHECK(value(1, std::numbers::pi) == doctest::Approx(0.04));
  CHECK(value(1, 0) == 0);
}

TEST_CASE("material map: layers name it, scale it and mirror it") {
  const Folder folder;
  folder.write("m.csv", "z_mm,x_over_x0\n100,0.01\n200,0.03\n");
  const auto cone = [&](const std::string& more) {
    return detector_with(
        folder, "cone: { z: [50 mm, 250 mm], radius: [20 mm, 60 mm] }" + more,
        "[{ map: m.csv, of: silicon, scale: 2 }, 0.5 %]");
  };
  const Detector d = cone("");
  const Layer& layer = d.layers.front();
  REQUIRE(layer.has_map());
  CHECK(layer.material[0].material == "silicon");
  CHECK(layer.material[0].x_over_x0 == doctest::Approx(0.04));
  CHECK(layer.material[0].thickness ==
        doctest::Approx(0.04 * find_material("silicon")->radiation_length));
  CHECK(layer.x_over_x0() == doctest::Approx(0.045));
  CHECK_FALSE(d.layers.back().has_map());
  CHECK_FALSE(same_maps(layer, d.layers.back()));

  const Detector pair = cone(", mirror: true");
  CHECK(pair.layers[1].material[0].map->relative(place(C::z, -200)) ==
        doctest::Approx(layer.material[0].map->relative(place(C::z, 200))));

  // the content of the map counts
  folder.write("m.csv", "z_mm,x_over_x0\n100,0.01\n200,0.04\n");
  const Detector other = cone("");
  CHECK(other.sha256 != d.sha256);
  CHECK_FALSE(same_maps(other.layers[0], layer));
  CHECK(same_maps(layer, layer));
}

TEST_CASE("material map: a surface that is beyond the bins is reported") {
  const Folder folder;
  folder.write("m.csv", "r_mm,x_over_x0\n100,0.01\n200,0.03\n");
  const std::string text =
      "gttf-detector: 1\nname: m\nfield: none\nlayers:\n"
      "  - { name: A, disk: { z: 1 m, radius: [50 mm, 400 mm] }, material: { "
      "map: m.csv }, measures: { u: 5 um, v: 5 um } }\n"
      "  - { name: B, disk: { z: 3 m, radius: [1 mm, 1 m] }, material: 0, "
      "measures: { u: 5 um, v: 5 um } }\n";
  const DetectorInput input = read_detector(folder.write("d.yaml", text));
  REQUIRE(input.warnings.items().size() == 1);
  const std::string& problem = input.warnings.items()[0].problem;
  CHECK(problem.find("from 50 to 250 mm") != problem.npos);
  CHECK(problem.find("from 50 to 400 mm") != problem.npos);
}

}  // namespace gttf::test::GTTF_TEST_FILE
