// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/import.hpp"

#include <algorithm>
#include <cstdint>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "gttf/detector/decimal.hpp"
#include "gttf/detector/import/export.hpp"
#include "gttf/detector/read.hpp"
#include "support/broken.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

// Three layers, without which no track has a curvature.
const std::string outer =
    "1 X -0.3 0.3 0.9 0.001 0.0937 2 0 1.5708 1e-05 1e-05 1\n"
    "1 Y -0.3 0.3 1.0 0.001 0.0937 2 0 1.5708 1e-05 1e-05 1\n"
    "1 Z -0.3 0.3 1.1 0.001 0.0937 2 0 1.5708 1e-05 1e-05 1\n";

/// A card with these rows and three outer layers.
std::string card(const std::string& rows) {
  return "set B 3.8\nmodule TrackCovariance T {\n  set Bz $B\n  set "
         "DetectorGeometry {\n" +
         rows + outer + "  }\n}\n";
}

Detector imported(const std::string& text, const ImportOptions& options = {}) {
  return parse_detector(import_text(text, "file", options).text, "yaml")
      .detector;
}

ImportOptions in_field(double tesla) {
  ImportOptions options;
  options.tesla = tesla;
  return options;
}

}  // namespace

TEST_CASE("broken imports: every error is reported with exactly this text") {
  std::size_t n = 0;
  for (const char* ending : {".tcl", ".ini", ".txt", ".xml"})
    n += test::check_broken(
        "import",
        [](const std::string& file) {
          const bool warns =
              std::filesystem::path(file).filename().string().starts_with(
                  "warn_");
          std::string text;
          try {
            // an .ini has no field
            const auto result = import_detector(
                file, file.ends_with(".ini") ? in_field(2) : ImportOptions{});
            for (const Diagnostic& d : result.notes.items()) text += to_text(d);
            CHECK(warns);  // only what is named so may be read
          } catch (const InputError& e) {
            text = e.what();
            CHECK_FALSE(warns);
          }
          return text;
        },
        ending);
  CHECK(n >= 35);
}

TEST_CASE("decimal: shifting the point does not round") {
  CHECK(detail::shifted_text(0.0137, 3) == "13.7");
  CHECK(detail::shifted_text(3e-06, 6) == "3");
  CHECK(detail::shifted_text(-2.125, 3) == "-2125");
  CHECK(detail::shifted_text(0, 3) == "0");
  CHECK(detail::shifted_text(100, 3) == "100000");
  CHECK(detail::shifted_text(1.5e-9, 0) == "1.5e-9");
  CHECK(detail::shifted_text(12.5, -3) == "0.0125");
  CHECK(detail::shifted_text(1e300, 3) == "1e303");
  CHECK(detail::shifted(0.0137, 3) == 13.7);
  CHECK(detail::computed_text(0.1 + 0.2) == "0.3");
}

TEST_CASE("delphes: a row becomes a layer in mm with its two coordinates") {
  const Detector d = imported(
      card("1 VTX -0.125 0.125 0.0175 4.5e-005 0.0937 2 0 1.5708 3e-06 9e-5 "
           "1\n"));
  REQUIRE(d.layers.size() == 4);
  const Layer& layer = d.layers[0];
  CHECK(layer.name == "VTX");
  CHECK(layer.group == "VTX");
  CHECK(layer.surface.position == 17.5);
  CHECK(layer.surface.v.lower == -125);
  CHECK(layer.surface.v.upper == 125);
  CHECK(layer.x_over_x0() == doctest::Approx(0.045 / 93.7).epsilon(1e-14));
  REQUIRE(layer.coordinates.size() == 2);
  CHECK(layer.coordinates[0].angle == 0);
  CHECK(layer.coordinates[0].sigma == doctest::Approx(3e-3).epsilon(1e-15));
  CHECK(layer.coordinates[1].angle == 90 * unit::deg);
  CHECK(layer.coordinates[1].sigma == doctest::Approx(9e-2).epsilon(1e-15));
  CHECK(d.field.bz == doctest::Approx(3.8 * unit::T).epsilon(1e-15));
}

TEST_CASE("delphes: a wire measures cos(a) rphi - sin(a) z") {
  const Detector d = imported(
      card("1 DCH -2 2 0.36 0.0147748 579 1 0.0203738 0 0.0001 0 0.9\n"));
  REQUIRE(d.layers[0].coordinates.size() == 1);
  CHECK(d.layers[0].coordinates[0].angle ==
        doctest::Approx(-0.0203738).epsilon(1e-15));
  CHECK(d.layers[0].efficiency == 0.9);
}

TEST_CASE("delphes: the flag 0 makes a layer passive") {
  const Detector d =
      imported(card("1 A -1 1 0.1 0 1 2 0 1.5708 1e-6 1e-6 0\n"));
  CHECK_FALSE(d.layers[0].measures());
  CHECK(d.layers[0].x_over_x0() == 0);
}

TEST_CASE("delphes: disks alike at z and -z are one layer and its mirror") {
  const std::string tail = " 0.0003 0.0937 2 0 1.5708 7e-06 9e-05 1\n";
  const std::string rows = "2 D 0.1 0.5 -1" + tail + "2 D 0.1 0.5 1" + tail +
                           "2 D 0.1 0.6 -2" + tail + "2 D 0.1 0.5 2" + tail;
  const Imported result = import_text(card(rows), "file");
  CHECK(result.rows == 7);
  CHECK(result.layers == 6);
  const Detector d = parse_detector(result.text, "yaml").detector;
  REQUIRE(d.layers.size() == 7);
  CHECK(d.layers[0].name == "D1");
  CHECK(d.layers[0].surface.position == 1000);
  CHECK(d.layers[1].name == "D1 (-z)");
  CHECK(d.layers[2].surface.position == -2000);
  CHECK(d.layers[3].surface.position == 2000);
}

TEST_CASE("delphes: labels that repeat are numbered without a clash") {
  const std::string tail = " 0.0003 0.0937 0 0 0 0 0 0\n";
  const Detector d = imported(
      card("1 L -1 1 0.1" + tail + "1 L -1 1 0.2" + tail + "1 L1 -1 1 0.3" +
           tail + "1 M2 -1 1 0.4" + tail + "1 M2 -1 1 0.5" + tail));
  CHECK(d.layers[0].name == "L2");
  CHECK(d.layers[1].name == "L3");
  CHECK(d.layers[2].name == "L1");
  CHECK(d.layers[3].name == "M2_1");
  CHECK(d.layers[4].name == "M2_2");
}

TEST_CASE("delphes: bare rows are read with a field from the caller") {
  const std::string rows =
      "# type label ...\n1 PIPE -1 1 0.01 0.001 0.35276 0 0 0 0 0 0\n" + outer;
  CHECK(imported(rows, in_field(2)).layers[0].name == "PIPE");
  CHECK_THROWS_WITH_AS(
      imported(rows),
      doctest::Contains("the file does not specify the magnetic field"),
      InputError);
}

TEST_CASE("import: the field of the caller wins over that of the file") {
  const Detector d = imported(
      card("1 PIPE -1 1 0.01 0.001 0.35276 0 0 0 0 0 0\n"), in_field(1));
  CHECK(d.field.bz == doctest::Approx(unit::T).epsilon(1e-15));
}

namespace {

std::string fasttracker_layer(const std::string& name, int radius) {
  return name + ".r: " + std::to_string(radius) + "\n" + name + ".z: 100\n" +
         name + ".x0: 0.01\n" + name + ".resRPhi: 1e-3\n" + name +
         ".resZ: 1e-3\n" + name + ".eff: 1\n" + name + ".type: 1\n";
}

}  // namespace

TEST_CASE("fasttracker: centimetres and x/X0 become a layer") {
  const Detector d = imported(
      "B0.r: 0.5 # cm\nB0.z: 250\nB0.x0: 0.001\nB0.resRPhi: 0.00025\n"
      "B0.resZ: 0.0005\nB0.eff: 0.98\nB0.type: 1\n" +
          fasttracker_layer("B1", 20) + fasttracker_layer("B2", 40),
      in_field(2));
  const Layer& layer = d.layers.at(0);
  CHECK(layer.surface.position == 5);
  CHECK(layer.surface.v.upper == 2500);
  CHECK(layer.x_over_x0() == doctest::Approx(0.001).epsilon(1e-15));
  CHECK(layer.coordinates.at(0).sigma == doctest::Approx(2.5e-3));
  CHECK(layer.coordinates.at(1).sigma == doctest::Approx(5e-3));
  CHECK(layer.efficiency == 0.98);
}

TEST_CASE("slac: four columns in metres become endless cylinders") {
  const Detector d = imported(
      "0.02 7.22e-6 2.89e-5 0.028\n\n0 1e-6 1e-6 0.069\n0.1 1e-4 1 1\n",
      in_field(3));
  REQUIRE(d.layers.size() == 3);
  CHECK(d.layers[0].surface.position == 28);
  CHECK(d.layers[0].x_over_x0() == doctest::Approx(0.02).epsilon(1e-15));
  CHECK(d.layers[0].coordinates[0].sigma == doctest::Approx(7.22e-3));
  CHECK(d.layers[0].coordinates[1].sigma == doctest::Approx(2.89e-2));
  CHECK(d.layers[1].x_over_x0() == 0);
}

TEST_CASE("export: what Delphes cannot express is reported for each layer") {
  const std::string text =
      "gttf-detector: 1\nname: X\nfield: none\nlayers:\n"
      "  - { name: P, plane: { x: 1 m, y: [-1 m, 1 m], z: [-1 m, 1 m] }, "
      "material: 0, measures: { y: 1 um } }\n"
      "  - { name: R, disk: { z: 1 m, radius: [1 cm, 1 m] }, material: 0, "
      "measures: { r: 1 um } }\n"
      "  - { name: E, cylinder: { radius: 1 m, half_length: 50 cm }, "
      "material: 0, measures: { rphi: 1 um }, efficiency: 0.5 }\n"
      "  - { name: M, ring: { radius: [50 mm, 60 mm], z: [1 cm, 9 cm], count: "
      "8, size: [4 cm, 4 cm] }, mirror: true, material: 0 }\n";
  const Exported g = to_delphes(parse_detector(text, "x").detector);
  REQUIRE(g.losses.items().size() == 5);  // one for the 32 modules
  std::string losses;
  for (const Diagnostic& d : g.losses.items()) losses += to_text(d);
  CHECK(losses.find("only the field of a solenoid") != losses.npos);
  CHECK(losses.find("x:5:5: error: the layer \"P\" is a plane") != losses.npos);
  CHECK(losses.find("neither r-phi nor r-phi and r") != losses.npos);
  CHECK(losses.find("efficiency 0.5") != losses.npos);
  CHECK(losses.find("the layer \"M\" is a ring of planes") != losses.npos);
  CHECK(g.text.find("1 E -0.5 0.5 1 0 1 1 0 0 1e-6 0 0.5") != g.text.npos);
}

namespace {

/// A character of every kind that means something to a reader of text: all of
/// C0 and C1, all punctuation, line separators, bidirectional controls, others.
std::vector<std::string> awkward_names() {
  std::vector<std::string> names;
  const auto utf8 = [](char32_t c) {
    std::string text;
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += static_cast<char>(0xC0 | (c >> 6));
      text += static_cast<char>(0x80 | (c & 0x3F));
    } else {
      text += static_cast<char>(0xE0 | (c >> 12));
      text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
      text += static_cast<char>(0x80 | (c & 0x3F));
    }
    return text;
  };
  std::vector<std::string> characters;
  for (char32_t c = 0; c < 0xA0; ++c) characters.push_back(utf8(c));
  for (const char32_t c :
       std::u32string{0xE5, 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A,
                      0x202E, 0x2066, 0x2069, 0x6F22, 0xFEFF})
    characters.push_back(utf8(c));
  for (const std::string& c : characters) {
    names.push_back("x" + c);
    names.push_back(c + "x");
    names.push_back("x" + c + c + "y");
  }
  for (const char* name : {"x\nexec\ftouch\fpwned\n#",
                           "x\r[exec touch pwned]",
                           "} ; exec touch p; {",
                           "$::env(HOME)",
                           "\\",
                           "x\\\n",
                           "#",
                           "{",
                           "}",
                           "\"",
                           "a b",
                           "%41",
                           "50%25",
                           "_",
                           "[exit]",
                           "x[3]",
                           "[12][exit]",
                           "x[3",
                           "x[]",
                           "[3;exit]",
                           "#[0]",
                           "x\\u000aexec touch pwned"})
    names.emplace_back(name);
  std::uint64_t state = 1;  // any sequence will do
  for (int i = 0; i < 300; ++i) {
    std::string name;
    for (int n = 0; n < 8; ++n) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      name += characters[(state >> 33) % characters.size()];
    }
    names.push_back(name);
  }
  return names;
}

Detector named(const std::string& detector, const std::string& layer) {
  Detector d = imported(card(""));
  d.name = detector;
  d.layers[0].name = layer;
  return d;
}

/// Whether Tcl, or a list of Tcl, takes the line as words and nothing else; the
/// index of a repeated layer, [3], names no command.
bool is_inert(std::string line) {
  line = std::regex_replace(line, std::regex("\\[[0-9]+\\]"), "");
  return std::ranges::all_of(line, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           std::string(" _-+.:,/()=@%#").find(c) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("export: no name of a detector or a layer is a command of Tcl") {
  const std::string plain = to_delphes(named("X", "X")).text;
  const auto lines = std::ranges::count(plain, '\n');
  for (const std::string& name : awkward_names()) {
    const std::string text = to_delphes(named(name, name)).text;
    INFO(text);
    CHECK(std::ranges::count(text, '\n') == lines);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      if (line != "  set DetectorGeometry {" && line != "  }")
        CHECK(is_inert(line));
  }
}

TEST_CASE(
    "import: the names that export wrote are restored, spaces as underscores") {
  for (const std::string& name : awkward_names()) {
    INFO(to_delphes(named("X", name)).text);
    const Detector d = imported(to_delphes(named("X", name)).text);
    REQUIRE(d.layers.size() == 3);
    std::string expected = name;
    std::ranges::replace(expected, ' ', '_');
    CHECK(d.layers[0].name == expected);
  }
}

TEST_CASE("import: a percent sign of another program means itself") {
  const auto name_of = [](const std::string& label) {
    return imported(
               card("1 " + label + " -1 1 0.01 0.001 0.35276 0 0 0 0 0 0\n"))
        .layers[0]
        .name;
  };
  CHECK(name_of("50%") == "50%");
  CHECK(name_of("a%41") == "a%41");      // A needs no escape
  CHECK(name_of("a%e5%2") == "a%e5%2");  // export writes capital digits
  CHECK(name_of("a%FF") == "a%FF");      // not UTF-8
  CHECK(name_of("a%20b") == "a%20b");    // export writes a_b
  CHECK(name_of("a%C3%A5b") == "a\u00e5b");
}

TEST_CASE("import: no name breaks out of a comment or a text of the YAML") {
  for (const std::string& name : awkward_names()) {
    ImportOptions options;
    options.name = name;
    INFO(import_text(card(""), "file", options).text);
    const Detector d = imported(card(""), options);
    CHECK(d.name == name);
    CHECK(d.layers.size() == 3);
  }
}

TEST_CASE("import: more layers than a detector file holds are one error") {
  std::string rows, parameters;
  for (int i = 0; i < 5001; ++i) {
    rows += "1 1e-6 1e-6 " + std::to_string(i + 1) + "\n";
    parameters += "L" + std::to_string(i) + ".r: 1\n";
  }
  CHECK_THROWS_WITH_AS(
      import_text(rows, "f", in_field(2)),
      doctest::Contains("f:5001:1: error: more than 5000 layers"), InputError);
  CHECK_THROWS_WITH_AS(
      import_text(parameters, "f", in_field(2)),
      doctest::Contains("f:5001:1: error: more than 5000 layers"), InputError);
}

}  // namespace gttf::test::GTTF_TEST_FILE
