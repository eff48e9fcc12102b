// SPDX-License-Identifier: Apache-2.0
// Files that are named by an input or an option, but that the run does not
// read, are not overwritten: every verb, every output, every way to name them.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

namespace fs = std::filesystem;

// Files that no run of this test reads.
const std::vector<std::string> unread = {
    "map.csv",   "named.csv", "mat.csv", "detm.yaml",  "s.yaml",    "req.yaml",
    "deep.yaml", "b.json",    "opt.csv", "copied.csv", "again.csv", "var.csv"};

void write_inputs(const Folder& folder) {
  for (const std::string& name : unread) folder.write(name, "an input\n");
  const std::string layers =
      "layers:\n"
      "  - { name: L1, cylinder: { radius: 30 mm, half_length: 1 m },\n"
      "      material: MATERIAL, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: L2, cylinder: { radius: 60 mm, half_length: 1 m },\n"
      "      material: 0.1 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: L3, cylinder: { radius: 90 mm, half_length: 1 m },\n"
      "      material: 0.1 %, measures: { rphi: 5 um, z: 5 um } }\n"
      "  - { name: L4, cylinder: { radius: 200 mm, half_length: 1 m },\n"
      "      material: 0.1 %, measures: { rphi: 5 um, z: 5 um } }\n";
  const auto detector = [&](const std::string& name, const std::string& field,
                            const std::string& material) {
    std::string text = "gttf-detector: 1\nname: t\nfield: " + field +
                       "\nx-old: { kept: { map: copied.csv } }\n" + layers;
    text.replace(text.find("MATERIAL"), 8, material);
    folder.write(name, text);
  };
  detector("det.yaml", "{ solenoid: 2 T }", "0.1 %");
  detector("replaced.yaml", "{ map: map.csv }", "[{ map: mat.csv, of: Si }]");
  // named by requirements of a study, by their study, by its detectors
  detector("detm.yaml", "{ map: map.csv }", "[{ map: mat.csv, of: Si }]");
  folder.write("s.yaml",
               "gttf-study: 1\ndetectors: detm.yaml\npt: 1 GeV\n"
               "theta: 90 deg\nvariants:\n"
               "  - { name: a, set: { field.map: named.csv } }\n"
               "  - { name: b, set: { field: '{ map: again.csv }' } }\n");
  folder.write("deep.yaml",
               "gttf-study: 1\ndetectors: [detm.yaml]\npt: 1 GeV\n"
               "theta: 90 deg\nvary: { 'field.map': 'var.csv, map.csv' }\n");
  folder.write("req.yaml",
               "gttf-requirements: 1\nstudy: deep.yaml\nbaseline: b.json\n"
               "requirements:\n  - { what: sigma_d0, max: 1 mm }\n");
  folder.write("study.yaml",
               "gttf-study: 1\ndetectors: [s.yaml, detm.yaml]\npt: 1 GeV\n"
               "theta: 90 deg\nrequirements: req.yaml\ntoys: 20\n");
  folder.write("plain.yaml",
               "gttf-study: 1\ndetectors: s.yaml\npt: 1 GeV\ntheta: 90 "
               "deg\n");
  folder.write("r.yaml",
               "gttf-requirements: 1\nstudy: study.yaml\n"
               "requirements:\n  - { what: sigma_d0, max: 1 mm }\n");
  folder.write(
      "opt.yaml",
      "gttf-optimisation: 1\ndetector: det.yaml\nrequirements: r2.yaml\n"
      "vary: { 'layers[L2].cylinder.radius': { from: 50 mm, to: 70 mm } }\n"
      "x-old: { m: { of: field.map, choose: [opt.csv, map.csv] } }\n"
      "minimise: { what: sigma_d0, at: { pt: 1 GeV, theta: 90 deg } }\n");
  folder.write("front.yaml",
               folder.read("opt.yaml") +
                   "pareto: { of: [{ what: sigma_d0, at: { pt: 1 GeV, theta: "
                   "90 deg } }, { what: sigma_z0, at: { pt: 1 GeV, theta: 90 "
                   "deg } }], points: 3 }\n");
  folder.write("r2.yaml",
               "gttf-requirements: 1\nstudy: s.yaml\n"
               "requirements:\n  - { what: sigma_d0, max: 1 mm }\n");
  folder.write("hits.csv",
               "track,layer,x_mm,y_mm,z_mm\n1,L1,30,0,0\n1,L2,60,0,0\n"
               "1,L3,90,0,0\n1,L4,200,0,0\n");
}

std::map<std::string, std::string> contents(const Folder& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    files[name] = folder.read(name);
  }
  return files;
}

// A way to name files that are not read, for DETECTOR in a command.
struct Way {
  std::string given;
  std::vector<std::string> named;
};

const std::vector<std::string> by_study = {
    "detm.yaml", "map.csv",   "mat.csv",   "s.yaml", "req.yaml",
    "deep.yaml", "named.csv", "again.csv", "b.json", "var.csv"};

const std::vector<Way> of_one_detector = {
    {"replaced.yaml --set 'field={ solenoid: 2 T }' --set "
     "'layers[L1].material=0.1 %'",
     {"map.csv", "mat.csv", "copied.csv"}},
    {"det.yaml --set 'field={ map: named.csv }' --set 'field={ solenoid: 2 T "
     "}'",
     {"named.csv", "copied.csv"}},
    {"det.yaml --set field=null --set field.map=named.csv --set field=none "
     "--set 'field={ solenoid: 2 T }'",
     {"named.csv"}},
};

const std::vector<Way> of_study = {
    {"study.yaml det.yaml", by_study},
    {"study.yaml --detector det.yaml", by_study},
};

struct Output {
  std::string command;  // ends where the name of the output follows
  std::string ending;
  bool studies = true;  // accepts studies
};

const std::string point = " --pt 1GeV --theta 90deg ";

const std::vector<Output> outputs = {
    {"show DETECTOR -o", "txt", false},
    {"resolve DETECTOR" + point + "-o", "json", false},
    {"scan DETECTOR" + point + "-o", "csv"},
    {"scan DETECTOR" + point + "--shard 1/1 -o", "csv"},
    {"scan DETECTOR" + point + "-o", "npz"},
    {"sweep DETECTOR" + point + "--vary 'layers[L2].material=0.5 %,1 %' -o",
     "csv"},
    {"sweep DETECTOR" + point + "--vary 'layers[L2].material=0.5 %,1 %' --plot",
     "svg"},
    {"regimes DETECTOR" + point + "-o", "csv"},
    {"budget DETECTOR" + point + "-o", "csv"},
    {"sensitivity DETECTOR" + point + "-o", "csv"},
    {"compare DETECTOR" + point + "--change 'layers[L2].material=1 %' -o",
     "csv"},
    {"baseline DETECTOR" + point + "-o", "json"},
    {"decay 'D0 -> K- pi+' DETECTOR --pt 3GeV --theta 90deg -o", "csv"},
    {"toy DETECTOR" + point + "--toys 20 -o", "csv"},
    {"toy DETECTOR" + point + "--toys 20 --shard 1/1 -o", "json"},
    {"toy DETECTOR" + point + "--toys 20 --save-toys", "csv"},
    {"toy DETECTOR" + point + "--toys 20 --checkpoint", "state"},
    {"fit DETECTOR hits.csv -o", "csv", false},
    {"fit DETECTOR hits.csv --residuals", "csv", false},
    {"report DETECTOR" + point + "-o", "html", false},
    {"plot DETECTOR" + point + "-o", "svg"},
    {"explore DETECTOR" + point + "-o", "html", false},
    {"export DETECTOR --to delphes --lossy -o", "tcl", false},
    {"export DETECTOR --to modules --lossy -o", "csv", false},
};

// Commands whose ways to name files are their own.
const std::vector<std::pair<Output, std::vector<std::string>>> others = {
    {{"validate det.yaml -o", "txt"}, {"copied.csv"}},
    // these read the requirements of a study
    {{"report plain.yaml det.yaml -o", "html"}, {"s.yaml", "map.csv"}},
    {{"explore plain.yaml det.yaml -o", "html"}, {"s.yaml", "named.csv"}},
    {{"check r.yaml --detector det.yaml -o", "csv"}, by_study},
    {{"check r.yaml --detector det.yaml --junit", "xml"}, by_study},
    {{"check r.yaml --detector det.yaml --gitlab", "json"}, by_study},
    {{"check r.yaml --detector det.yaml --markdown", "md"}, by_study},
    {{"optimise opt.yaml -o", "yaml"}, {"s.yaml", "detm.yaml", "opt.csv"}},
    {{"optimise opt.yaml -o", "html"}, {"s.yaml", "detm.yaml", "map.csv"}},
    {{"optimise opt.yaml --history", "csv"}, {"opt.csv", "copied.csv"}},
    {{"optimise opt.yaml --checkpoint", "state"}, {"opt.csv", "copied.csv"}},
    {{"optimise front.yaml --pareto", "csv"}, {"opt.csv", "mat.csv"}},
};

void check_refused(const Folder& folder, std::string command,
                   const std::string& given, const std::string& ending,
                   const std::string& input) {
  if (const auto at = command.find("DETECTOR"); at != command.npos)
    command.replace(at, 8, given);
  const std::string out = "out." + ending;
  fs::create_symlink(input, folder / out);
  const auto before = contents(folder);
  const Outcome r = run(folder, "gttf-design " + command + " " + out);
  INFO(command);
  INFO(input);
  INFO(r.err);
  CHECK(r.code == 2);
  CHECK(contents(folder) == before);
  // `explore` of a program that has no module for it ends before it reads
  if (!has(r.err, "this program was built without the module")) {
    CHECK(has(r.err, ": would overwrite the input \""));
    CHECK(has(r.err, input + "\""));
  }
  fs::remove(folder / out);
}

}  // namespace

TEST_CASE("named inputs: no verb overwrites what is named but not read") {
  const Folder folder;
  write_inputs(folder);
  for (const Output& output : outputs) {
    for (const Way& way : of_one_detector)
      for (const std::string& input : way.named)
        check_refused(folder, output.command, way.given, output.ending, input);
    if (!output.studies) continue;
    for (const Way& way : of_study)
      for (const std::string& input : way.named) {
        // which is what this verb writes
        if (input == "b.json" && output.command.starts_with("baseline"))
          continue;
        check_refused(folder, output.command, way.given, output.ending, input);
      }
  }
  for (const auto& [output, named] : others)
    for (const std::string& input : named)
      check_refused(folder, output.command, "", output.ending, input);
}

TEST_CASE("named inputs: every option of an output is tried") {
  std::set<std::string> tried;
  const auto add = [&tried](const std::string& command) {
    tried.insert(command.substr(0, command.find(' ')) + " " +
                 command.substr(command.rfind(' ') + 1));
  };
  for (const Output& output : outputs) add(output.command);
  for (const auto& [output, named] : others) add(output.command);
  // these have no inputs that name files
  tried.insert({"init -o", "import -o"});
  std::istringstream verbs(
      run("gttf-design --help | awk '/^  [a-z]+ / { print $1 }'").out);
  std::size_t found = 0;
  for (std::string verb; verbs >> verb;) {
    std::istringstream lines(
        run("gttf-design help " + verb +
            " | grep -oE '^  .*FILE.* [Ww]rite "
            ".*|^  .*FILE.* (Draw|Store) .*' | sed 's/ FILE.*//; s/.*,//'")
            .out);
    for (std::string option; lines >> option; ++found) {
      if (option == "--output") option = "-o";
      INFO(verb << ' ' << option);
      CHECK(tried.contains(verb + " " + option));
    }
  }
  CHECK(found >= 30);
}

TEST_CASE("named inputs: a baseline is written where requirements expect it") {
  const Folder folder;
  write_inputs(folder);
  const Outcome r =
      run(folder, "gttf-design baseline study.yaml det.yaml -o b.json");
  INFO(r.err);
  CHECK(r.code == 0);
  CHECK(has(folder.read("b.json"), "gttf-baseline"));
}

TEST_CASE("named inputs: files that nothing names are replaced") {
  const Folder folder;
  write_inputs(folder);
  folder.write("old.csv", "old");
  folder.write("t.csv", "old");  // the name of the detector is not of a file
  for (const std::string name : {"old.csv", "t.csv"}) {
    const Outcome r =
        run(folder, "gttf-design scan study.yaml det.yaml -o " + name);
    INFO(r.err);
    CHECK(r.code == 0);
    CHECK(folder.read(name) != "old");
  }
  // names in a file are relative to its folder
  CHECK(run(folder,
            "mkdir sub && cp study.yaml det.yaml req.yaml sub/ && cd sub && cp "
            "det.yaml s.yaml && cp det.yaml detm.yaml")
            .code == 0);
  folder.write("s.yaml", "old");
  const Outcome r = run(folder,
                        "gttf-design scan sub/study.yaml det.yaml --format csv "
                        "-o s.yaml");
  INFO(r.err);
  CHECK(r.code == 0);
  CHECK(folder.read("s.yaml") != "old");
}

}  // namespace gttf::test::GTTF_TEST_FILE
