// SPDX-License-Identifier: Apache-2.0
// sweep: the numbers of scan for many values of some keys.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/run_json.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

const std::string plain = " --format csv --no-provenance";

/// The rows of a sweep of two keys are those of scan with --set, to the last
/// digit, after the values.
void check_rows(const std::string& detector, const std::string& track,
                const std::string& key, const std::vector<std::string>& values,
                const std::string& other,
                const std::vector<std::string>& others) {
  const auto list = [](const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& t : texts) text += (text.empty() ? "" : ",") + t;
    return text;
  };
  const std::string what = " $DETECTORS/" + detector + track;
  const Outcome all =
      run("gttf-design sweep" + what + " --vary '" + key + "=" + list(values) +
          "' --vary '" + other + "=" + list(others) + "'" + plain);
  INFO(detector, all.err);
  REQUIRE(all.code == 0);
  const std::vector<std::string> rows = lines_of(all.out);
  std::size_t next = 1;
  for (const std::string& a : values)
    for (const std::string& b : others) {
      const Outcome one =
          run("gttf-design scan" + what + " --set '" + key + "=" + a +
              "' --set '" + other + "=" + b + "'" + plain);
      const std::vector<std::string> wanted = lines_of(one.out);
      REQUIRE(wanted.size() > 1);
      CHECK(rows[0].ends_with("," + wanted[0]));
      for (std::size_t i = 1; i < wanted.size(); ++i, ++next) {
        REQUIRE(next < rows.size());
        CHECK(rows[next].ends_with("," + wanted[i]));
      }
    }
  CHECK(next == rows.size());
}

}  // namespace

TEST_CASE("sweep: rows are those of scan with --set") {
  check_rows("alice_its2.yaml", " --p 0.2GeV,1GeV,10GeV --eta 0,0.5,1.1",
             "layers[L0].cylinder.radius", {"21mm", "2.4cm"},
             "layers[*].material", {"0.3%", "1%"});
  check_rows("cld.yaml", " --pt 1GeV,10GeV --theta 20deg,60deg,90deg",
             "field.solenoid", {"1T", "3.5T"}, "layers[0:2].material",
             {"0.2%", "0.5%"});
  check_rows("alice_its2.yaml",
             " --p 0.3GeV,3GeV --energy-loss mean --scattering rossi",
             "field.solenoid", {"0.2T", "0.5T"}, "layers[L3].material",
             {"0.5%", "1%"});
  check_rows("barrel.yaml", " --p 1GeV --engine triplet", "model.scattering",
             {"highland", "rossi"}, "layers[0].material", {"0.5%", "1%", "2%"});
}

TEST_CASE("sweep: ranges keep the unit, and round numbers stay round") {
  const json rows = json_of(
      "gttf-design sweep $DETECTORS/alice_its2.yaml --p 1GeV --no-provenance "
      "--vary 'layers[L0].cylinder.radius=20mm:3cm:11' --vary "
      "'layers[L1].material=0.1%:10%:3:log'")["rows"];
  REQUIRE(rows.size() == 33);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i]["layers[L0].cylinder.radius_mm"] ==
          20.0 + static_cast<double>(i / 3));
    CHECK(rows[i]["layers[L1].material_percent"] ==
          std::vector<double>{0.1, 1, 10}[i % 3]);
  }
}

TEST_CASE("sweep: the same bytes for any number of threads") {
  const std::string sweep =
      "gttf-design sweep $DETECTORS/cld.yaml --p 0.5GeV:50GeV:20 --theta "
      "10deg:90deg:15 --vary field.solenoid=1T:4T:9 --vary "
      "'layers[0:2].material=0.2%,0.4%'" +
      plain;
  const Outcome one = run(sweep + " --threads 1");
  REQUIRE(one.code == 0);
  CHECK(lines_of(one.out).size() == 1 + 9 * 2 * 20 * 15);
  CHECK(run(sweep + " --threads 3").out == one.out);
  const Outcome mean = run(sweep + " --threads 1 --reduce mean");
  CHECK(lines_of(mean.out).size() == 1 + 9 * 2);
  CHECK(run(sweep + " --threads 3 --reduce mean").out == mean.out);
}

TEST_CASE("sweep: more tracks than a block has") {
  const std::string track =
      " $DETECTORS/barrel.yaml --p 1GeV:10GeV:5000 --columns "
      "p_GeV,sigma_d0_um";
  const Outcome one =
      run("gttf-design scan" + track + " --set " + "field.solenoid=1T" + plain);
  const Outcome all =
      run("gttf-design sweep" + track + " --vary field.solenoid=2T,1T" + plain);
  const auto wanted = lines_of(one.out), rows = lines_of(all.out);
  REQUIRE(rows.size() == 10001);
  for (std::size_t i = 1; i <= 5000; ++i)
    CHECK(rows[5000 + i] == "1," + wanted[i]);
}

TEST_CASE("sweep: mean and worst of the tracks of a combination") {
  const std::string what =
      " $DETECTORS/barrel.yaml --p 0.2GeV:20GeV:7 --theta 50deg:90deg:4 "
      "--no-provenance --vary field.solenoid=1T,3T";
  const json all = json_of("gttf-design sweep" + what)["rows"];
  const json mean = json_of("gttf-design sweep" + what + " --reduce mean");
  const json worst = json_of("gttf-design sweep" + what + " --reduce worst");
  REQUIRE(all.size() == 56);
  for (std::size_t k = 0; k < 2; ++k)
    for (const char* column :
         {"sigma_d0_um", "sigma_pt_rel", "x_over_x0", "sigma_p_rel_ms_only"}) {
      double sum = 0, largest = 0;
      int least = 1000;
      for (std::size_t i = 0; i < 28; ++i) {
        const json& row = all[28 * k + i];
        sum += row[column].get<double>();
        largest = std::max(largest, row[column].get<double>());
        least = std::min(least, row["n_hits"].get<int>());
      }
      INFO(column);
      const json &m = mean["rows"][k], &w = worst["rows"][k];
      CHECK(m[column].get<double>() ==
            doctest::Approx(sum / 28).epsilon(1e-14));
      // what no column needs is left out, which may round differently
      CHECK(w[column].get<double>() == doctest::Approx(largest).epsilon(1e-12));
      CHECK(m["tracks"] == 28);
      CHECK(m["n_hits"] == least);
      CHECK(m["status"] == "ok");
    }

  SUBCASE("a track without a value leaves none for all") {
    const json lost = json_of(
        "gttf-design sweep $DETECTORS/barrel.yaml --p 10MeV,1GeV "
        "--no-provenance --vary field.solenoid=0.1T,3T --reduce mean")["rows"];
    CHECK(lost[0]["status"] == "ok");
    CHECK(lost[0]["sigma_d0_um"].is_number());
    CHECK(lost[1]["status"] == "curls up");
    CHECK(lost[1]["sigma_d0_um"].is_null());
  }
}

TEST_CASE("sweep: only requested columns, with the same numbers") {
  const std::string what =
      " $DETECTORS/cld.yaml --p 0.5GeV:50GeV:9 --theta 15deg:90deg:8 --vary "
      "field.solenoid=2T,4T ";
  const std::string chosen = "--columns p_GeV,sigma_pt_rel,sigma_d0_um,status";
  const json few =
      json_of("gttf-design sweep" + what + chosen + " --no-provenance")["rows"];
  const json all =
      json_of("gttf-design sweep" + what + " --no-provenance")["rows"];
  REQUIRE(few.size() == all.size());
  for (std::size_t i = 0; i < few.size(); ++i) {
    CHECK(few[i].size() == 5);
    for (const char* column : {"sigma_pt_rel", "sigma_d0_um"})
      CHECK(few[i][column].get<double>() ==
            doctest::Approx(all[i][column].get<double>()).epsilon(1e-12));
    CHECK(few[i]["status"] == all[i]["status"]);
  }
}

TEST_CASE("sweep: keys of other layers, and of the same") {
  // reading each value by itself gives the same as reading all together
  check_rows("cld.yaml", " --pt 1GeV,10GeV --theta 20deg,60deg,90deg",
             "layers[ITK1].cylinder.radius", {"125mm", "13cm"},
             "layers[VTX1].measures.rphi", {"2um", "5um"});
  check_rows("cld.yaml", " --p 1GeV --energy-loss mean",
             "layers[VTX1].material.thickness", {"20um", "0.1mm"},
             "layers[VTX1].cylinder.half_length", {"100mm", "12cm"});
  check_rows("lhcb.yaml", " --p 10GeV --theta 5deg", "layers[0].material",
             {"1%", "2%"}, "layers[1].material", {"1%", "2%"});
}

TEST_CASE("sweep: two keys that meet are read together") {
  const Outcome r =
      run("gttf-design sweep $DETECTORS/barrel.yaml --p 1GeV --no-provenance "
          "--vary 'layers[1].cylinder.radius=25mm,3cm' --vary "
          "'layers[2].cylinder.radius=30mm,40mm' --format json");
  CHECK(r.code == 0);
  CHECK(has(r.err, "1 of 4 combinations are not valid detectors"));
  const json rows = json::parse(r.out)["rows"];
  CHECK(has(rows[2]["status"], "coincides"));
  CHECK(rows[3]["status"] == "ok");
}

TEST_CASE("sweep: lengths and supports follow a radius") {
  const Folder folder;
  folder.write("study.yaml", R"(gttf-study: 1
detectors: [$DETECTORS/alice_its2.yaml]
momentum: [0.3 GeV, 3 GeV]
theta: [90 deg, 45 deg]
vary:
  layers[L0].cylinder.radius: [21 mm, 2.5 cm]
  layers[L5].material: [1 %, 1.2 %]
follow:
  layers[L0,L1].cylinder.half_length: 2 * radius + 60 mm
  layers[L1].cylinder.radius: layers[L0].cylinder.radius + 9 mm
)");
  const Outcome all = run(folder,
                          "sed -i \"s=.DETECTORS=$DETECTORS=\" study.yaml; "
                          "gttf-design sweep study.yaml" +
                              plain);
  INFO(all.err);
  REQUIRE(all.code == 0);
  const std::vector<std::string> rows = lines_of(all.out);
  REQUIRE(rows.size() == 1 + 2 * 2 * 4);
  std::size_t next = 1;
  for (const auto& [l0, h0, l1, h1] :
       {std::array{"21 mm", "102 mm", "30 mm", "120 mm"},
        std::array{"25 mm", "110 mm", "34 mm", "128 mm"}})
    for (const char* material : {"1 %", "1.2 %"}) {
      const Outcome one =
          run(std::string("gttf-design scan $DETECTORS/alice_its2.yaml --p "
                          "0.3GeV,3GeV --theta 90deg,45deg") +
              " --set 'layers[L0].cylinder.radius=" + l0 +
              "' --set 'layers[L0].cylinder.half_length=" + h0 +
              "' --set 'layers[L1].cylinder.radius=" + l1 +
              "' --set 'layers[L1].cylinder.half_length=" + h1 +
              "' --set 'layers[L5].material=" + material + "'" + plain);
      const std::vector<std::string> wanted = lines_of(one.out);
      REQUIRE(wanted.size() == 5);
      for (std::size_t i = 1; i < wanted.size(); ++i, ++next)
        CHECK(rows[next].ends_with("," + wanted[i]));
    }

  SUBCASE("options give the same, instead of those of the study") {
    const Outcome r =
        run("gttf-design sweep $DETECTORS/alice_its2.yaml --p 0.3GeV,3GeV "
            "--theta 90deg,45deg --vary 'layers[L0].cylinder.radius=21mm,25mm' "
            "--vary 'layers[L5].material=1%,1.2%' "
            "--follow 'layers[L0,L1].cylinder.half_length=2 * radius + 60 mm' "
            "--follow 'layers[L1].cylinder.radius = "
            "layers[L0].cylinder.radius + 9 mm'" +
            plain);
    INFO(r.err);
    const std::vector<std::string> same = lines_of(r.out);
    REQUIRE(same.size() == rows.size());
    const auto after_keys = [](const std::string& line) {
      return line.substr(line.find(',', line.find(',') + 1));
    };
    for (std::size_t i = 1; i < rows.size(); ++i)
      CHECK(after_keys(same[i]) == after_keys(rows[i]));
    const Outcome other =
        run(folder,
            "gttf-design sweep study.yaml --follow "
            "'layers[L0].cylinder.half_length=radius + 100 mm'" +
                plain);
    CHECK(other.code == 0);
    CHECK(other.out != all.out);
  }

  SUBCASE("errors of options have their place") {
    const auto message_of = [](const std::string& options) {
      const Outcome r =
          run("gttf-design sweep $DETECTORS/alice_its2.yaml --p 1GeV --vary "
              "'layers[L0].cylinder.radius=21mm,25mm' " +
              options);
      CHECK(r.code == 2);
      return r.err;
    };
    CHECK(has(message_of("--follow 'layers[L0].cylinder.half_length'"),
              "--follow: error: expected KEY=FORMULA"));
    CHECK(
        has(message_of("--follow 'layers[L0].cylinder.half_length=2 * radus'"),
            "unknown name \"radus\""));
    CHECK(has(message_of("--follow 'layers[L1].cylinder.radius=40 mm' --follow "
                         "'layers[L1].cylinder.radius=41 mm'"),
              "is given twice"));
    CHECK(has(
        message_of("--follow 'layers[L1].cylinder.radius=layers[L9].cylinder."
                   "radius'"),
        "--follow: error: follow[layers[L1].cylinder.radius]: there is no "
        "layer \"L9\""));
  }

  SUBCASE("errors of formulas have their place") {
    const auto message_of = [&](const std::string& line) {
      const Outcome r = run(folder, "sed -i 's=^follow.*=&\\n  " + line +
                                        "=' study.yaml; gttf-design sweep "
                                        "study.yaml");
      CHECK(r.code == 2);
      return r.err;
    };
    CHECK(has(message_of("layers[L2].cylinder.half_length: 2 * radus"),
              "study.yaml:9:40: error: "));
    CHECK(has(message_of("layers[L0].cylinder.radius: 30 mm"),
              "sets the same number as \"layers[L0].cylinder.radius\""));
    CHECK(run(folder, "gttf-design validate study.yaml").code == 2);
  }
}

TEST_CASE("sweep: keys in which a detector is not linear, with followers") {
  const Folder folder;
  folder.write("parts.yaml", R"(gttf-detector: 1
name: parts
field: { solenoid: 2 T }
layers:
  - { name: A, cylinder: { radius: 30 mm, half_length: 400 mm }, material: 1 %, measures: { rphi: 5 um, z: 5 um } }
  - { name: B, cylinder: { radius: 60 mm, half_length: 400 mm }, material: 1 %, measures: { rphi: 5 um, z: 5 um } }
  - { name: K, cone: { z: [10 mm, 300 mm], radius: [100 mm, 130 mm] }, material: 1 %, measures: { u: 5 um, v: 5 um } }
  - { name: T, ring: { radius: 200 mm, z: 30 mm, tilt: 10 deg, count: 8, size: [150 mm, 200 mm] }, material: 1 %, measures: { u: 5 um, v: 5 um } }
)");
  for (const std::string change :
       {"layers[T].ring.tilt=20 deg", "layers[K].cone.z[1]=400 mm"}) {
    INFO(change);
    const Outcome all =
        run(folder,
            std::string("gttf-design sweep parts.yaml --p 1GeV --theta "
                        "80deg --vary '") +
                change +
                "' --vary 'layers[A].cylinder.radius=25mm,35mm' --follow "
                "'layers[B].cylinder.radius=layers[A].cylinder.radius * 2'" +
                plain);
    INFO(all.err);
    REQUIRE(all.code == 0);
    const std::vector<std::string> rows = lines_of(all.out);
    REQUIRE(rows.size() == 3);
    for (const std::size_t i : {1, 2}) {
      const Outcome one =
          run(folder, std::string("gttf-design scan parts.yaml --p 1GeV "
                                  "--theta 80deg --set '") +
                          change + "' --set 'layers[A].cylinder.radius=" +
                          (i == 1 ? "25 mm" : "35 mm") +
                          "' --set 'layers[B].cylinder.radius=" +
                          (i == 1 ? "50 mm" : "70 mm") + "'" + plain);
      CHECK(rows[i].ends_with("," + lines_of(one.out).at(1)));
    }
  }
}

TEST_CASE("sweep: combinations that are not valid detectors") {
  const std::string what =
      "gttf-design sweep $DETECTORS/barrel.yaml --p 1GeV --no-provenance ";
  const Outcome some = run(what + "--vary 'layers[0].cylinder.radius=" +
                           "-5mm,0mm,20mm' --format json");
  CHECK(some.code == 0);
  CHECK(has(some.err, "2 of 3 combinations are not valid detectors"));
  CHECK(has(some.err, "layers[0].cylinder.radius=-5mm"));
  const json rows = json::parse(some.out)["rows"];
  REQUIRE(rows.size() == 3);
  CHECK(has(rows[0]["status"], "invalid: "));
  CHECK(rows[0]["sigma_d0_um"].is_null());
  CHECK(rows[0]["x_over_x0"].is_null());
  CHECK(rows[2]["status"] == "ok");

  const Outcome none = run(what + "--vary 'layers[nowhere].material=1%,2%'");
  CHECK(none.code == 2);
  CHECK(none.out == "");
  CHECK(has(none.err, "--vary: error: there is no layer \"nowhere\""));
}

TEST_CASE("sweep: a study defines what varies; --vary replaces it") {
  const Folder folder;
  folder.write("study.yaml",
               "gttf-study: 1\ndetectors: [" GTTF_SOURCE_DIR
               "/detectors/barrel.yaml]\nmomentum: 1 GeV\nvary:\n"
               "  field.solenoid: { from: 1 T, to: 3 T, points: 3 }\n"
               "  layers[0].material: [0.5 %, 1 %]\n");
  const json rows = json_of(folder, "gttf-design sweep study.yaml")["rows"];
  REQUIRE(rows.size() == 6);
  CHECK(rows[3]["field.solenoid_T"] == 2);
  CHECK(rows[3]["layers[0].material_percent"] == 1);
  const json other = json_of(
      folder,
      "gttf-design sweep study.yaml --vary model.scattering=rossi")["rows"];
  REQUIRE(other.size() == 1);
  CHECK(other[0]["model.scattering"] == "rossi");

  const Outcome scan = run(folder, "gttf-design scan study.yaml");
  CHECK(scan.code == 0);
  CHECK(has(scan.err, "only 'sweep' varies the keys under \"vary\""));
}

TEST_CASE("sweep: --plot draws a curve for each other value") {
  const Folder folder;
  const std::string what =
      "gttf-design sweep $DETECTORS/alice_its2.yaml --p 1GeV,10GeV --vary "
      "'layers[L0].cylinder.radius=20mm:30mm:6' --vary "
      "'layers[L0].material=0.2%,0.4%' --columns sigma_d0_um ";
  const Outcome r = run(folder, what + "--plot d0.svg -o d0.csv");
  CHECK(r.err == "");
  REQUIRE(r.code == 0);
  const std::string svg = folder.read("d0.svg");
  CHECK(svg.starts_with("<?xml"));
  for (const char* text : {"layers[L0].cylinder.radius [mm]",
                           "layers[L0].material = 0.2%, p = 1 GeV",
                           "layers[L0].material = 0.4%, p = 10 GeV"})
    CHECK(has(svg, text));
  CHECK(lines_of(folder.read("d0.csv")).size() > 24);

  const auto error_of = [&](const std::string& options) {
    const Outcome e = run(folder, what + options + " -o no.csv");
    CHECK(e.code == 2);
    CHECK(run(folder, "ls no.csv").code != 0);
    return e.err;
  };
  CHECK(has(error_of("--theta 90deg,75deg,60deg,50deg,45deg --plot d0.svg"),
            "20 curves"));
  const Outcome none =
      run("gttf-design sweep $DETECTORS/barrel.yaml --p 1GeV --vary "
          "field.solenoid=1T:2T:3 --columns status --plot d0.svg");
  CHECK(none.code == 2);
  CHECK(has(none.err, "none of the columns"));
  CHECK(has(error_of("--plot d0.gif"), "a figure is .svg, .pdf or .png"));
  CHECK(has(error_of("--plot no.csv"), "no.csv"));
}

TEST_CASE("sweep: all errors in --vary are reported") {
  const std::string what = "gttf-design sweep $DETECTORS/barrel.yaml --p 1GeV ";
  const auto error_of = [&](const std::string& options) {
    const Outcome r = run(what + options);
    CHECK(r.code == 2);
    CHECK(r.out == "");
    return r.err;
  };
  CHECK(has(error_of(""), "nothing to vary"));
  const std::string several = error_of(
      "--vary x --vary field.solenoid=3T:1T:5 --vary a=1,1 --vary a=2mm,3mm "
      "--vary b=1mm:2mm:1 --vary c=1mm:2:5 --vary d=0mm:2mm:5:log");
  CHECK(has(several, "expected KEY=VALUES"));
  CHECK(has(several, "the range from \"3T\" to \"1T\" is inverted"));
  CHECK(has(several, "the value \"1\" is given twice"));
  CHECK(has(several, "the key \"a\" is given twice"));
  CHECK(has(several, "a range has from 2 to"));
  CHECK(has(several, "missing unit"));
  CHECK(has(several, "logarithmic spacing begins above 0"));
  CHECK(has(error_of("--vary a=1:2:100000 --vary b=1:2:100000"),
            "more than 1000000000 combinations"));
  CHECK(has(error_of("--vary field.solenoid=1T,2T --reduce mean --columns "
                     "p_GeV"),
            "p_GeV"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
