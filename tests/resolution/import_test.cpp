// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/import.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "gttf/detector/import/export.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/resolution.hpp"
#include "support/layouts.hpp"
#include "support/reference.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector imported(const std::string& block) {
  return parse_detector(import_text(block, "card.tcl").text, "imported")
      .detector;
}

std::string card_of(const std::string& rows) {
  return "set B 2.0\nmodule TrackCovariance TrackSmearing {\n"
         "  set Bz $B\n  set DetectorGeometry {\n" +
         rows + "  }\n}\n";
}

/// The card of CLD from the layers that Delphes' own reader saw.
std::string cld_card() {
  std::string rows;
  const auto file = read_json("delphes/CLD_2023_fbceebd.json");
  for (const auto& l : file.at("layers"))
    rows += fmt::format(
        "    {} {} {} {} {} {} {} {} {} {} {} {} {}\n",
        l.at("type").get<std::string>() == "barrel" ? 1 : 2,
        l.at("label").get<std::string>(), l.at("min_m").get<double>(),
        l.at("max_m").get<double>(), l.at("pos_m").get<double>(),
        l.at("thickness_m").get<double>(), l.at("X0_m").get<double>(),
        l.at("n_meas").get<int>(), l.at("stereo_up_rad").get<double>(),
        l.at("stereo_low_rad").get<double>(), l.at("res_up_m").get<double>(),
        l.at("res_low_m").get<double>(),
        l.at("flag_or_efficiency").get<double>());
  return card_of(rows);
}

/// The rows of IDEA from the numbers of its shipped description, in metres and
/// as cards have them: pi/2 as 1.5708, disks on both sides. (A separate writer,
/// so that the writer of the program cannot hide an error of the reader.)
std::string idea_card() {
  const Detector idea = shipped("idea");
  std::string rows;
  for (const Layer& layer : idea.layers) {
    const Surface& s = layer.surface;
    const Slab& slab = layer.material.at(0);
    const Material* material = find_material(slab.material, idea.materials);
    REQUIRE(material != nullptr);
    double stereo[2] = {}, sigma[2] = {};
    const std::size_t n = layer.coordinates.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = layer.coordinates[i].angle;
      stereo[i] = std::abs(angle) > 1.5 ? 1.5708 : -angle;
      sigma[i] = layer.coordinates[i].sigma / 1000;
    }
    rows += fmt::format(
        "    {} {} {:.12g} {:.12g} {:.12g} {:.12g} {:.12g} {} {:.12g} {:.12g} "
        "{:.12g} {:.12g} {}\n",
        s.shape == Shape::disk ? 2 : 1, layer.name.substr(0, 3),
        s.v.lower / 1000, s.v.upper / 1000, s.position / 1000,
        slab.thickness / 1000, material->radiation_length / 1000, n, stereo[0],
        stereo[1], sigma[0], sigma[1], n > 0 ? 1 : 0);
  }
  return card_of(rows);
}

/// Demands equal hits and resolutions of the two over all of the acceptance.
/// The tolerance is rounding: the sums run over the same layers, and layers at
/// equal path may come in another order.
void check_equal(const Detector& a, const Detector& b,
                 double tolerance = 1e-12) {
  const TrackingGeometry one(a), other(b);
  int compared = 0;
  for (const Scattering scattering :
       {Scattering::highland, Scattering::highland_total})
    for (const double p : {0.3, 1.0, 10.0, 100.0})
      for (const double theta : {90.0, 70.0, 45.0, 30.0, 20.0, 14.0}) {
        Track t;
        t.p = p;
        t.theta = theta * unit::deg;
        t.phi = 0.1;
        Model model;
        model.scattering = scattering;
        const Resolution x = resolve(one, t, model),
                         y = resolve(other, t, model);
        CAPTURE(p);
        CAPTURE(theta);
        CHECK(x.status == y.status);
        CHECK(x.n_hits == y.n_hits);
        CHECK(x.crossings.size() == y.crossings.size());
        if (x.status != Status::ok) continue;
        for (int i = 0; i < 5; ++i)
          CHECK(std::sqrt(x.perigee(i, i)) ==
                doctest::Approx(std::sqrt(y.perigee(i, i))).epsilon(tolerance));
        CHECK(x.sigma_pt_rel ==
              doctest::Approx(y.sigma_pt_rel).epsilon(tolerance));
        ++compared;
      }
  CHECK(compared >= 24);
}

}  // namespace

TEST_CASE("import: the card of CLD resolves as the shipped CLD does") {
  check_equal(imported(cld_card()), shipped("cld"));
}

TEST_CASE("import: the rows of IDEA resolve as the shipped IDEA does") {
  check_equal(imported(idea_card()), shipped("idea"));
}

TEST_CASE("import: detectors exported to Delphes are restored") {
  for (const char* name : {"cld", "idea", "barrel", "alice_its2", "atlas_itk",
                           "ild", "alice_its3"}) {
    CAPTURE(name);
    const Detector detector = shipped(name);
    const Exported geometry = to_delphes(detector);
    for (const Diagnostic& d : geometry.losses.items()) {
      CAPTURE(to_text(d));
      CHECK(d.problem.find("efficiency") != d.problem.npos);
    }
    const Detector back = imported(geometry.text);
    CHECK(back.layers.size() == detector.layers.size());
    CHECK(back.field.bz == doctest::Approx(detector.field.bz).epsilon(1e-14));
    check_equal(back, detector);
  }
}

TEST_CASE("import: a list of modules restores the same crossings") {
  // rings are joined again: their numbers are those of the modules except for
  // rounding
  constexpr double rounding = 1e-10;
  for (const char* name : {"cms_phase2_modules", "belle2_modules", "cld"}) {
    CAPTURE(name);
    const Detector detector = shipped(name);
    const Exported list = to_module_list(detector);
    CHECK(list.losses.empty());
    CHECK(list.rows == detector.layers.size());
    const Imported again = import_text(list.text, "list.csv");
    CHECK(again.rows == list.rows);
    CHECK(again.layers < 1300);  // of the 26,400 modules of CMS
    const Detector back = parse_detector(again.text, "imported").detector;
    CHECK(back.layers.size() == detector.layers.size());
    CHECK(back.field.bz == detector.field.bz);
    check_equal(back, detector, rounding);
  }
}

TEST_CASE("import: a list of modules restores all names") {
  const std::vector<std::string> names = {"a\"b",     "a_b",    "a,b",   "#a",
                                          "a # b",    " a ",    "a\\b",  "a\nb",
                                          "\x1b[31m", "\u202e", "\u00e9"};
  Detector detector;
  detector.name = "names";
  for (const std::string& name : names)
    detector.layers.push_back(make_layer(
        name,
        make_cylinder(30. + 10 * double(detector.layers.size()), {-1e3, 1e3}),
        0.01, pixel(0.01, 0.01)));
  const Imported again = import_text(to_module_list(detector).text, "list.csv");
  const Detector back = parse_detector(again.text, "imported").detector;
  REQUIRE(back.layers.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK(back.layers[i].name == names[i]);
}

TEST_CASE("export: a list of modules reports what it cannot express") {
  const Exported drift = to_module_list(shipped("ild_drift"));
  REQUIRE(drift.losses.items().size() == 1);  // one entry, 220 rows
  CHECK(drift.losses.items()[0].problem.find("depend on the track") !=
        std::string::npos);
  CHECK(drift.losses.items()[0].line > 0);
  const Exported dipole = to_module_list(shipped("lhcb"));
  CHECK(dipole.losses.has_errors());
  const Exported none = to_module_list(shipped("desy_telescope"));
  CHECK(none.text.find(", no field\n") != std::string::npos);
  CHECK(import_text(none.text, "list.csv").text.find("field: none") !=
        std::string::npos);
}

namespace {

/// A surface as ACTS writes it.
std::string acts_surface(int layer, int sensitive, const std::string& type,
                         const std::string& transform,
                         const std::string& bounds,
                         const std::string& material = "") {
  return fmt::format(
      "{{\"volume\": 1, \"layer\": {}, \"sensitive\": {}, \"value\": "
      "{{\"type\": \"{}\", \"transform\": {{{}}}, \"bounds\": {{{}}}{}}}}}",
      layer, sensitive, type, transform, bounds, material);
}

/// x/X0 of 1 % and 3 % on two bins along z.
const std::string two_bins =
    R"(, "material": {"type": "binned", "mapMaterial": true, "binUtility":
    {"binningdata": [{"bins": 1, "min": -3.2, "max": 3.2, "option": "closed",
    "type": "equidistant", "value": "AxisPhi"}, {"bins": 2, "min": -200,
    "max": 400, "option": "open", "type": "equidistant", "value": "binZ"}]},
    "data": [[{"material": [100, 400, 28, 14, 1e-4], "thickness": 1}],
             [{"material": [100, 400, 28, 14, 1e-4], "thickness": 3}]]})";

/// Twelve planes at the radius 40 mm, turned by 10 deg as a windmill, as the
/// columns of rotations.
std::string acts_windmill() {
  std::string list;
  for (int k = 0; k < 12; ++k) {
    const double f = 2 * unit::pi * k / 12, g = f + 10 * unit::deg;
    // the columns are u, v = z and the normal
    list += fmt::format(
        "{},\n",
        acts_surface(
            4, k + 1, "PlaneSurface",
            fmt::format("\"translation\": [{}, {}, 0], \"rotation\": "
                        "[{}, 0, {}, {}, 0, {}, 0, 1, 0]",
                        40 * std::cos(f), 40 * std::sin(f), -std::sin(g),
                        std::cos(g), std::cos(g), std::sin(g)),
            R"("type": "RectangleBounds", "values": [-13, -150, 13,
                     150])"));
  }
  return list;
}

}  // namespace

TEST_CASE("import: surfaces of ACTS resolve as the same ones written by hand") {
  const std::string whole = R"("translation": null, "rotation": null)";
  const std::string table = std::filesystem::temp_directory_path() /
                            fmt::format("acts-{}.csv", ::getpid());
  std::ofstream(table) << "volume,layer,sigma_u_um,sigma_v_um\n"
                          "1,,5,20\n1,9,8,\n";
  const std::string text =
      "{\"Surfaces\": {\"entries\": [\n" +
      acts_surface(2, 0, "CylinderSurface", whole,
                   R"("type": "CylinderBounds", "values": [25, 400, 3.1415927,
                   0, 0, 0])",
                   two_bins) +
      ",\n" + acts_windmill() +
      acts_surface(6, 1, "CylinderSurface",
                   R"("translation": [0, 0, 10], "rotation": null)",
                   R"("type": "CylinderBounds", "values": [90, 500])") +
      ",\n" +
      acts_surface(7, 1, "ConeSurface",
                   R"("translation": [0, 0, -100], "rotation": null)",
                   R"("type": "ConeBounds", "values": [0.32175055439664219,
                   330, 900, 3.1415927, 0])") +
      ",\n" +
      acts_surface(9, 1, "DiscSurface",
                   R"("translation": [0, 0, 900], "rotation": [0, 1, 0, 1, 0, 0,
                   0, 0, -1])",
                   R"("type": "RadialBounds", "values": [30, 400, 3.1415927,
                   0])") +
      ",\n" +
      acts_surface(8, 1, "CylinderSurface", whole,
                   R"("type": "CylinderBounds", "values": [500, 900])") +
      "\n]}}";
  const Imported imported =
      import_text(text, "acts.json",
                  {.format = {}, .tesla = 2, .name = "", .table = table});
  std::filesystem::remove(table);
  CHECK(imported.notes.empty());
  CHECK(imported.rows == 17);
  CHECK(imported.layers == 7);  // two parts of the pipe, one ring
  const Detector by_hand = parse_detector(R"(
gttf-detector: 1
name: by hand
field: { solenoid: 2 T }
layers:
  - { name: a, cylinder: { radius: 25 mm, z: [-400 mm, 100 mm] }, material: 1 % }
  - { name: b, cylinder: { radius: 25 mm, z: [100 mm, 400 mm] }, material: 3 % }
  - name: ring
    ring: { radius: 40 mm, z: 0 mm, count: 12, size: [26 mm, 300 mm], turn: 10 deg }
    material: 0
    measures: { u: 5 um, v: 20 um }
  - { name: c, cylinder: { radius: 90 mm, z: [-490 mm, 510 mm] }, material: 0, measures: { u: 5 um, v: 20 um } }
  - { name: d, cone: { z: [230 mm, 800 mm], radius: [110 mm, 300 mm] }, material: 0, measures: { u: 5 um, v: 20 um } }
  - { name: e, disk: { z: 900 mm, radius: [30 mm, 400 mm] }, material: 0, measures: { u: 8 um } }
  - { name: f, cylinder: { radius: 500 mm, half_length: 900 mm }, material: 0, measures: { u: 5 um, v: 20 um } }
)",
                                          "by_hand.yaml")
                               .detector;
  const Detector acts = parse_detector(imported.text, "acts.yaml").detector;
  CHECK(acts.layers.size() == by_hand.layers.size());
  check_equal(acts, by_hand, 1e-10);
}

}  // namespace gttf::test::GTTF_TEST_FILE
