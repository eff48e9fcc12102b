// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/run.hpp"

using gttf::test::Folder;
using gttf::test::has;
using gttf::test::Outcome;
using gttf::test::run;

namespace {

const std::string scan = "gttf-design scan $CONFIGS/first-plot.yaml ";

// Nothing written, exit code 2, this text.
void check_refused(const Folder& folder, const std::string& command,
                   const std::string& text) {
  const std::size_t before = folder.entries();
  const Outcome r = run(folder, command);
  INFO(command);
  CHECK(r.code == 2);
  CHECK(r.out == "");
  CHECK(has(r.err, "gttf-design: error: " + text));
  CHECK(folder.entries() == before);
}

}  // namespace

TEST_CASE("outputs: the ending of a file is its format") {
  const Folder folder;
  const Outcome r =
      run(folder, scan + "-o a.csv -o a.json -o a.md -o a.txt -o B.CSV");
  CHECK(r.code == 0);
  CHECK(r.out == "");
  CHECK(r.err == "");
  CHECK(has(folder.read("a.csv"), "\ndetector,particle,p_GeV,pt_GeV,"));
  CHECK(nlohmann::json::parse(folder.read("a.json"))["rows"].size() == 8);
  CHECK(folder.read("a.md").starts_with("<!--\ngttf-design "));
  CHECK(folder.read("a.txt").starts_with("# gttf-design "));
  CHECK(folder.read("B.CSV") == folder.read("a.csv"));
}

TEST_CASE("outputs: --format wins over the ending") {
  const Folder folder;
  CHECK(run(folder, scan + "-o a.dat --format csv").code == 0);
  CHECK(has(folder.read("a.dat"), "\ndetector,particle,"));
}

TEST_CASE("outputs: what cannot be written is refused before the work") {
  const Folder folder;
  check_refused(folder, scan + "-o a.xls",
                "-o \"a.xls\": the ending \".xls\" is of no known format; use "
                ".csv, .json, .md or .txt, or say --format");
  check_refused(folder, scan + "-o results",
                "-o \"results\": no ending tells the format; use .csv, .json, "
                ".md or .txt, or say --format");
  check_refused(folder, scan + "-o no/a.csv",
                "cannot write \"no/a.csv\": there is no folder \"no\"");
  check_refused(folder, scan + "-o . --format csv",
                "cannot write \".\": is a directory");
  check_refused(folder, scan + "-o a.csv -o ./no/b.csv",
                "cannot write \"./no/b.csv\": there is no folder \"./no\"");
  check_refused(folder, scan + "-o a.csv -o a.csv",
                "-o \"a.csv\": given twice");
}

TEST_CASE("outputs: an input is never written over") {
  const Folder folder;
  run(folder, "cp $DETECTORS/barrel.yaml d.yaml; ln -s d.yaml link.csv");
  const std::string before = folder.read("d.yaml");
  check_refused(folder,
                "gttf-design scan --detector d.yaml --p 1GeV -o link.csv",
                "-o \"link.csv\": is an input and would be written over");
  check_refused(folder, "gttf-design show d.yaml -o d.yaml --format json",
                "-o \"d.yaml\": is an input and would be written over");
  CHECK(folder.read("d.yaml") == before);
}

TEST_CASE("outputs: a faulty input leaves the old output as it was") {
  const Folder folder;
  folder.write("a.csv", "old");
  folder.write("bad.yaml", "gttf-study: 1\nmomentun: 1 GeV\n");
  CHECK(run(folder, "gttf-design scan bad.yaml -o a.csv").code == 2);
  CHECK(folder.read("a.csv") == "old");
  CHECK(folder.entries() == 2);
}

TEST_CASE("outputs: provenance in files and in data, not in tables to read") {
  const Folder folder;
  const std::string csv = run(scan + "--format csv").out;
  CHECK(csv.starts_with("# gttf-design "));
  CHECK(has(csv, "\n# command: gttf-design scan "));
  CHECK(has(csv, "first-plot.yaml sha256:"));
  CHECK(has(csv, "barrel.yaml sha256:"));
  CHECK(
      run(scan + "--format csv --no-provenance").out.starts_with("detector,"));
  CHECK_FALSE(has(run(scan).out, "sha256"));
  CHECK_FALSE(has(run(scan + "--format markdown").out, "sha256"));
  CHECK_FALSE(
      nlohmann::json::parse(run(scan + "--format json --no-provenance").out)
          .contains("provenance"));
}

TEST_CASE("outputs: devices take what they are given") {
  CHECK(run(scan + "-o /dev/null").code == 0);
  CHECK(run(scan + "-o -").out == run(scan + "-o - --format table").out);
  CHECK(has(run(scan + "-o /dev/stdout --format csv").out, "\ndetector,"));
  if (std::filesystem::exists("/dev/full")) {
    const Outcome r = run(scan + "> /dev/full");
    CHECK(r.code == 2);
    CHECK(r.err ==
          "gttf-design: error: cannot write \"standard output\": no "
          "space left on device\n");
  }
}

TEST_CASE("outputs: a reader that has enough is no error") {
  const Outcome r =
      run("{ gttf-design scan $CONFIGS/alice_its2-grid.yaml --format csv; "
          "echo code $? >&2; } | head -n 1");
  CHECK(r.out.starts_with("# gttf-design "));
  CHECK(r.err == "code 0\n");
}

TEST_CASE("outputs: precision rounds where it is asked for") {
  const Outcome r = run(scan +
                        "--format csv --no-provenance --precision 2 "
                        "--columns pt_GeV,n_hits,sigma_pt_rel");
  CHECK(r.out.starts_with("pt_GeV,n_hits,sigma_pt_rel\n0.2,6,0.0"));
  CHECK(has(run(scan + "--columns p_GeV,sigma_qop_per_GeV --precision 6").out,
            "[1/GeV]"));
}

TEST_CASE("outputs: no bar and no notes if standard error is no terminal") {
  const Outcome r =
      run("gttf-design scan $CONFIGS/alice_its2-grid.yaml "
          "--format csv");
  CHECK(r.code == 0);
  CHECK(r.err == "");
}
