// SPDX-License-Identifier: Apache-2.0
// The verbs compare and baseline.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/run_json.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The text of a shipped detector with another field; `line` is set to where.
std::string with_field(const std::string& file, const std::string& field,
                       int& line) {
  std::string text;
  int n = 0;
  for (std::string one : lines_of(run("cat $DETECTORS/" + file).out)) {
    ++n;
    const std::size_t i = one.find("field: { solenoid: ");
    if (i == 0) {
      one = "field: { solenoid: " + field + " }";
      line = n;
    }
    text += one + '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("compare: a changed file of each shipped detector is explained") {
  int detectors = 0;
  for (const std::string& file :
       lines_of(run("cd $DETECTORS && ls *.yaml").out)) {
    CAPTURE(file);
    const Folder folder;
    int line = 0;
    folder.write("new.yaml", with_field(file, "2.5 T", line));
    if (line == 0) continue;  // spectrometers and telescopes
    const json c = json_of(folder, "gttf-design compare $DETECTORS/" + file +
                                       " new.yaml --p 0.4GeV,2GeV "
                                       "--theta 85deg --parameter pt");
    CHECK(c["rows"].size() == 2);
    for (const json& row : c["rows"])
      CHECK(row["B_ratio_pt"].get<double>() ==
            row["B_sigma_pt_rel"].get<double>() /
                row["A_sigma_pt_rel"].get<double>());
    REQUIRE(c["attribution"].size() == 2);
    for (const json& point : c["attribution"]) {
      const json& a = point["parameters"].at(0);
      REQUIRE(a["changes"].size() == 1);
      const json& change = a["changes"][0];
      CHECK(change["key"] == "field.solenoid");
      CHECK(change["after"] == "2.5 T");
      CHECK(change["line"] == line);
      CHECK(change["column"] == 20);
    }
    ++detectors;
  }
  CHECK(detectors > 5);
}

TEST_CASE("compare: tables for readers fit into 100 columns") {
  for (const char* pair : {"alice_its2.yaml $DETECTORS/alice_its3.yaml",
                           "barrel.yaml $DETECTORS/cld.yaml"}) {
    const Outcome r = run("gttf-design compare $DETECTORS/" +
                          std::string(pair) + " --p 1GeV,10GeV");
    CHECK(r.code == 0);
    CHECK(has(r.out, "\ntotal "));
    for (const std::string& line : lines_of(r.out)) CHECK(line.size() <= 100);
  }
}

TEST_CASE("compare: --change needs no second file, also from a pipe") {
  const std::string change =
      " --p 1GeV --change 'layers[L1].material=0.6 %' --parameter d0";
  const Outcome r = run("gttf-design compare $DETECTORS/barrel.yaml" + change);
  CHECK(r.code == 0);
  CHECK(has(r.out, "with layers[L1].material=0.6 %"));
  CHECK(has(r.out, "layers[L1].material  0.3 %   0.6 %"));
  CHECK(has(r.out, "where it is worst"));
  const Outcome piped =
      run("cat $DETECTORS/barrel.yaml | gttf-design compare -" + change);
  CHECK(piped.code == 0);
  CHECK(has(piped.out, "layers[L1].material  0.3 %   0.6 %"));
}

TEST_CASE("compare: equal designs are reported") {
  const Outcome r =
      run("gttf-design compare $DETECTORS/barrel.yaml $DETECTORS/barrel.yaml "
          "--p 1GeV");
  CHECK(r.code == 0);
  CHECK(has(r.out, "no difference"));
}

TEST_CASE("compare: a study gives detectors and grid") {
  const Outcome r =
      run("gttf-design compare $CONFIGS/gaseous-trackers.yaml --format csv "
          "--no-provenance --columns sigma_pt_rel");
  CHECK(r.code == 0);
  CHECK(lines_of(r.out).front() ==
        "particle,p_GeV,pt_GeV,theta_deg,eta,phi_deg,A_sigma_pt_rel,"
        "B_sigma_pt_rel,B_ratio_pt");
  const Outcome option = run(
      "gttf-design compare --study $CONFIGS/gaseous-trackers.yaml --format csv "
      "--no-provenance --columns sigma_pt_rel");
  CHECK(option.out == r.out);
  const Outcome other =
      run("gttf-design compare $DETECTORS/alice_its2.yaml "
          "$DETECTORS/alice_its3.yaml --study $CONFIGS/first-plot.yaml "
          "--format csv --no-provenance | wc -l");
  CHECK(other.out == "9\n");
}

TEST_CASE("compare: keys and remainder add up to the total in csv") {
  const Outcome r = run(
      "gttf-design compare $DETECTORS/barrel.yaml --p 1GeV,5GeV --attribution "
      "--change 'field.solenoid=3 T' --change 'layers[beam pipe]=null' "
      "--format csv --no-provenance");
  CHECK(r.code == 0);
  double sum = 0;
  int totals = 0;
  for (const std::string& line : lines_of(r.out)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
      cells.push_back(cell);
    // a description with a comma is in quotes; the number is third from the end
    if (has(line, ",total,")) {
      CHECK(std::abs(sum - std::stod(cells.end()[-2])) < 1e-15);
      sum = 0;
      ++totals;
    } else if (has(line, ",remainder,")) {
      sum += std::stod(cells.end()[-2]);
    } else if (has(line, ",key,") && !has(line, "before")) {
      sum += std::stod(cells.end()[-3]);
    }
  }
  CHECK(totals == 12);  // two points, six parameters exist at 90 deg
}

TEST_CASE("compare: the attribution of one track") {
  const Outcome r =
      run("gttf-design compare $DETECTORS/alice_its2.yaml "
          "$DETECTORS/alice_its3.yaml --p 1GeV,10GeV --eta 0,0.5 "
          "--at-point 3GeV,0.2");
  CHECK(r.code == 0);
  CHECK(has(r.out, "B against A: pion, p = 3 GeV, theta = 78.6"));
  const Outcome two =
      run("gttf-design compare $DETECTORS/alice_its2.yaml "
          "$DETECTORS/alice_its3.yaml --p 1GeV --eta 0,0.5 --at-point 3GeV");
  CHECK(two.code == 2);
  CHECK(has(two.err, "one track is expected"));
}

TEST_CASE("compare: wrong usage is reported") {
  const struct {
    const char *arguments, *message;
  } cases[] = {
      {"$DETECTORS/barrel.yaml --p 1GeV",
       "nothing to compare: give a second detector"},
      {"$DETECTORS/barrel.yaml $DETECTORS/cld.yaml", "no momentum"},
      {"--p 1GeV", "no detector"},
      {"$DETECTORS/barrel.yaml $DETECTORS/cld.yaml --p 1GeV --columns d0",
       "--columns"},
      {"$DETECTORS/barrel.yaml $DETECTORS/cld.yaml --p 1GeV --parameter d",
       "--parameter"},
      {"$DETECTORS/barrel.yaml $DETECTORS/cld.yaml --p 1GeV --attribution",
       "--attribution is for csv and npz"},
      {"$DETECTORS/barrel.yaml --p 1GeV --change 'layers[L9].material=1 %'",
       "--change: error: there is no layer \"L9\""},
      {"$DETECTORS/barrel.yaml --p 1GeV --set 'layers[L9].material=1 %' "
       "--change 'layers[L1].material=1 %'",
       "--set: error: there is no layer \"L9\""},
  };
  for (const auto& [arguments, message] : cases) {
    const std::string told = arguments;  // clang 14 captures no binding
    CAPTURE(told);
    const Outcome r = run("gttf-design compare " + std::string(arguments));
    CHECK(r.code == 2);
    CHECK(has(r.err, message));
    CHECK(r.out.empty());
  }
  CHECK(run("gttf-design compare $DETECTORS/barrel.yaml $DETECTORS/cld.yaml "
            "--p 0.1MeV")
            .code == 3);
}

TEST_CASE("baseline: the same study gives the same bytes, in one piece") {
  const Folder folder;
  const std::string command =
      "gttf-design baseline $CONFIGS/first-plot.yaml "
      "--set 'layers[L1].material=0.4 %'";
  const Outcome first = run(folder, command + " -o a.json && mv a.json b.json");
  CHECK(first.code == 0);
  CHECK(first.out.empty());
  CHECK(run(folder, command + " -o a.json --threads 1").code == 0);
  const json a = json::parse(folder.read("a.json"));
  const json b = json::parse(folder.read("b.json"));
  CHECK(a["detectors"] == b["detectors"]);
  CHECK(run(folder, command).out == run(folder, command).out);

  CHECK(a["gttf-baseline"] == 1);
  CHECK(a["provenance"]["inputs"].size() == 2);
  CHECK(a["study"]["pt_GeV"].size() == 8);
  const json& detector = a["detectors"][0];
  CHECK(detector["overrides"][0] == "layers[L1].material=0.4 %");
  CHECK(detector["rows"].size() == 8);
  CHECK(detector["rows"][0].size() == a["columns"].size());
  std::string text;
  for (const json& line : detector["description"])
    text += line.get<std::string>() + '\n';
  text.pop_back();
  CHECK(text == run("cat $DETECTORS/barrel.yaml").out);
  // the numbers are those of scan, which rounds as its vectors do
  const json scan = json_of(folder,
                            "gttf-design scan $CONFIGS/first-plot.yaml "
                            "--set 'layers[L1].material=0.4 %'");
  const auto& columns = a["columns"];
  const auto at = static_cast<std::size_t>(
      std::find(columns.begin(), columns.end(), "sigma_d0_um") -
      columns.begin());
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(detector["rows"][i][at].get<double>() ==
          doctest::Approx(scan["rows"][i]["sigma_d0_um"].get<double>())
              .epsilon(1e-12));
}

TEST_CASE("baseline: a detector and options; without any resolution code 3") {
  const Outcome r =
      run("gttf-design baseline $DETECTORS/barrel.yaml --p 0.1MeV,0.2MeV");
  CHECK(r.code == 3);
  const json b = json::parse(r.out);
  CHECK(b["detectors"][0]["rows"].size() == 2);
  const Outcome wrong = run("gttf-design baseline $DETECTORS/barrel.yaml");
  CHECK(wrong.code == 2);
  CHECK(has(wrong.err, "no momentum"));
  CHECK(run("gttf-design baseline nothing.yaml --p 1GeV").code == 2);
  const Folder folder;
  const Outcome csv = run(
      folder, "gttf-design baseline $DETECTORS/barrel.yaml --p 1GeV -o b.csv");
  CHECK(csv.code == 2);
  CHECK(has(csv.err, "a baseline is JSON; use .json"));
  CHECK(folder.entries() == 0);
}

TEST_CASE("compare: explains the change in the table, also with energy loss") {
  const std::string command =
      "gttf-design compare $DETECTORS/alice_its2.yaml --change "
      "'layers[L3].material=8 %' --particle proton --p 0.4GeV --energy-loss "
      "straggling --quiet --parameter p --no-provenance ";
  const Outcome shown = run(command);
  const Outcome rows =
      run(command + "--format csv --columns p_GeV,sigma_p_rel | cut -d, -f7,8");
  REQUIRE(shown.code == 0);
  double before = 0, after = 0;
  const std::string numbers = rows.out.substr(rows.out.find('\n') + 1);
  REQUIRE(std::sscanf(numbers.c_str(), "%lf,%lf", &before, &after) == 2);
  char change[32];
  std::snprintf(change, sizeof change, "sigma(p)/p  %+.3g %%",
                100 * (after / before - 1));
  CHECK(has(shown.out, change));
}

TEST_CASE("compare: columns of the track may be named, and all of them") {
  const std::string command =
      "gttf-design compare $DETECTORS/alice_its2.yaml "
      "$DETECTORS/alice_its3.yaml --p 1GeV --no-provenance --quiet ";
  for (const std::string name : {"p_GeV", "eta", "particle", "detector"}) {
    CAPTURE(name);
    for (const std::string format : {"csv", "json", "table"})
      CHECK(
          run(command + "--columns sigma_d0_um," + name + " --format " + format)
              .code == 0);
  }
  const Outcome eta = run(command + "--columns eta,sigma_d0_um");
  CHECK(has(eta.out, "  eta  "));
  const Outcome all = run(command + "--columns all --format csv | head -n 1");
  CHECK(all.out == run(command + "--format csv | head -n 1").out);
  CHECK(run(command + "--columns all").code == 0);
}

TEST_CASE("compare: missing values have no ratio") {
  const Outcome r =
      run("gttf-design compare $DETECTORS/mu3e.yaml $DETECTORS/barrel.yaml --p "
          "1GeV --theta 5deg --format csv --no-provenance --columns "
          "x_over_x0,n_hits | tail -n 1 | cut -d, -f7-9");
  CHECK(r.out.starts_with("0,0.0"));  // no layer is crossed in A
  CHECK(r.out.ends_with(",\n"));      // an empty cell, not inf
}

}  // namespace gttf::test::GTTF_TEST_FILE
