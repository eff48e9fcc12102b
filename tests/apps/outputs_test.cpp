// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::string scan = "gttf-design scan $CONFIGS/first-plot.yaml ";

// A field of 2 T along z, as a map.
std::string uniform_map() {
  std::string text = "x[mm],y[mm],z[mm],bx[T],by[T],bz[T]\n";
  const auto nodes = {"-1200", "-600", "0", "600", "1200"};
  for (const std::string x : nodes)
    for (const std::string y : nodes)
      for (const std::string z : nodes)
        text.append(x + "," + y + "," + z + ",0,0,2\n");
  return text;
}

// A file of every kind that a run may read, most of them named by others.
void write_inputs(const Folder& folder) {
  folder.write("map.csv", uniform_map());
  folder.write("study.yaml",
               "gttf-study: 1\ndetectors: [d.yaml]\npt: 1 GeV\ntheta: 90 deg\n"
               "requirements: r.yaml\ntoys: 20\n");
  folder.write("r.yaml",
               "gttf-requirements: 1\nstudy: study.yaml\nbaseline: b.json\n"
               "requirements:\n"
               "  - { what: sigma_d0, relative_to_baseline: 5 % }\n");
  // requirements whose study is of a detector that is replaced
  folder.write("r2.yaml",
               "gttf-requirements: 1\nstudy: s2.yaml\n"
               "requirements:\n  - { what: sigma_d0, max: 1 mm }\n");
  folder.write(
      "s2.yaml",
      "gttf-study: 1\ndetectors: [e.yaml]\npt: 1 GeV\ntheta: 90 deg\n");
  folder.write(
      "opt.yaml",
      "gttf-optimisation: 1\ndetector: start.yaml\n"
      "requirements: r2.yaml\n"
      "vary: { 'layers[L2].cylinder.radius': { from: 50 mm, to: 70 mm } "
      "}\n"
      "minimise: { what: sigma_d0, at: { pt: 1 GeV, theta: 90 deg } "
      "}\n");
  folder.write("hits.csv",
               "track,layer,x_mm,y_mm,z_mm\n1,L1,30,0,0\n1,L2,60,0,0\n"
               "1,L3,90,0,0\n1,L4,200,0,0\n");
  folder.write("card.txt",
               "0.01 1e-5 1e-5 0.1\n0.01 1e-5 1e-5 0.2\n0.01 1e-5 1e-5 0.3\n");
  const Outcome made =
      run(folder,
          "set -e\n"
          "sed 's/^field: .*/field: { map: map.csv }/' $DETECTORS/barrel.yaml "
          "> d.yaml\n"
          "cp $DETECTORS/published.csv p.csv\n"
          "cp $DETECTORS/barrel.yaml start.yaml\n"
          "cp $DETECTORS/barrel.yaml e.yaml\n"
          "gttf-design baseline study.yaml -o b.json --quiet\n"
          "cp b.json b2.json\n"
          "gttf-design scan study.yaml --shard 1/1 -o part.csv --quiet\n"
          "gttf-design toy study.yaml --shard 1/1 -o toys.json --quiet\n");
  INFO(made.err);
  REQUIRE(made.code == 0);
}

// All files of the folder, so that any change shows.
std::map<std::string, std::string> contents(const Folder& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    files[name] = folder.read(name);
  }
  return files;
}

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
  const Outcome r = run(
      folder, scan + "-o a.csv -o a.json -o a.md -o a.txt -o a.npz -o B.CSV");
  CHECK(r.code == 0);
  CHECK(r.out == "");
  CHECK(r.err == "");
  CHECK(has(folder.read("a.csv"), "\ndetector,particle,p_GeV,pt_GeV,"));
  CHECK(nlohmann::json::parse(folder.read("a.json"))["rows"].size() == 8);
  CHECK(folder.read("a.md").starts_with("<!--\ngttf-design "));
  CHECK(folder.read("a.txt").starts_with("# gttf-design "));
  CHECK(folder.read("a.npz").starts_with("PK\x03\x04"));
  CHECK(folder.read("B.CSV") == folder.read("a.csv"));
}

TEST_CASE("outputs: --format wins over the ending") {
  const Folder folder;
  CHECK(run(folder, scan + "-o a.dat --format csv").code == 0);
  CHECK(has(folder.read("a.dat"), "\ndetector,particle,"));
}

TEST_CASE("outputs: unwritable files are rejected before the work") {
  const Folder folder;
  check_refused(folder, scan + "-o a.xls",
                "-o \"a.xls\": the ending \".xls\" is not a known format; use "
                ".csv, .json, .md, .npz or .txt, or give --format");
  check_refused(folder, scan + "-o results",
                "-o \"results\": the name has no extension; use .csv, .json, "
                ".md, .npz or .txt, or give --format");
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
                "-o \"link.csv\": would overwrite the input \"d.yaml\" "
                "(detector)");
  check_refused(folder, "gttf-design show d.yaml -o d.yaml --format json",
                "-o \"d.yaml\": would overwrite the input \"d.yaml\" "
                "(detector)");
  CHECK(folder.read("d.yaml") == before);
}

TEST_CASE(
    "outputs: no verb overwrites a file that it reads, whoever named it") {
  struct Case {
    std::string command;  // ends where the name of the output follows
    std::string ending;   // of that name
    std::vector<std::string> inputs;
  };
  const std::string point = "--pt 1GeV --theta 90deg ";
  const std::vector<std::string> detector = {"d.yaml", "map.csv"};
  const std::vector<std::string> study = {"study.yaml", "d.yaml", "map.csv"};
  const std::vector<std::string> check = {"r.yaml", "study.yaml", "b.json",
                                          "d.yaml", "map.csv"};
  const std::vector<std::string> report = {"study.yaml", "r.yaml",  "b.json",
                                           "d.yaml",     "map.csv", "p.csv"};
  const std::vector<std::string> fit = {"hits.csv", "d.yaml", "map.csv"};
  const std::vector<std::string> optimise = {"opt.yaml", "start.yaml",
                                             "r2.yaml", "s2.yaml", "e.yaml"};
  // of which some are replaced on the command line
  const std::vector<std::string> other = {"study.yaml", "r.yaml", "d.yaml",
                                          "start.yaml"};
  const std::vector<Case> cases = {
      {"validate study.yaml r.yaml d.yaml -o", "txt", check},
      {"show d.yaml -o", "txt", detector},
      {"resolve d.yaml " + point + "-o", "json", detector},
      {"scan study.yaml -o", "csv", study},
      {"scan --detector d.yaml " + point + "-o", "csv", detector},
      {"scan study.yaml --full -o", "json", study},
      {"scan merge part.csv -o", "csv", {"part.csv"}},
      {"regimes study.yaml -o", "csv", study},
      {"budget study.yaml -o", "csv", study},
      {"sensitivity study.yaml -o", "csv", study},
      {"compare study.yaml --change 'layers[L1].material=1 %' -o", "csv",
       study},
      {"baseline study.yaml -o", "json", study},
      {"check r.yaml -o", "csv", check},
      {"check r.yaml --junit", "xml", check},
      {"check r.yaml --gitlab", "json", check},
      {"check r.yaml --markdown", "md", check},
      {"check r.yaml --baseline b2.json -o", "csv", {"b.json", "b2.json"}},
      {"check r2.yaml --detector start.yaml -o",
       "csv",
       {"r2.yaml", "s2.yaml", "e.yaml", "start.yaml"}},
      {"optimise opt.yaml -o", "yaml", optimise},
      {"optimise opt.yaml -o", "json", optimise},
      {"optimise opt.yaml -o", "html", optimise},
      {"optimise opt.yaml --history", "csv", optimise},
      {"optimise opt.yaml --checkpoint", "state", optimise},
      {"optimise opt.yaml --shard 1/2 -o", "json", optimise},
      {"scan study.yaml --detector start.yaml -o", "csv", other},
      {"sweep study.yaml --vary 'layers[L1].material=0.5 %,1 %' -o", "csv",
       study},
      {"toy study.yaml --detector start.yaml -o", "csv", other},
      {"report study.yaml --detector start.yaml -o", "html", other},
      {"plot study.yaml --detector start.yaml -o", "svg", other},
      {"toy study.yaml -o", "csv", study},
      {"toy study.yaml --save-toys", "csv", study},
      {"toy study.yaml --checkpoint", "state", study},
      {"toy merge toys.json -o", "csv", {"toys.json"}},
      {"fit d.yaml hits.csv -o", "csv", fit},
      {"fit d.yaml hits.csv --residuals", "csv", fit},
      {"report study.yaml --published p.csv -o", "html", report},
      {"plot study.yaml --published p.csv -o", "svg", {"study.yaml", "p.csv"}},
      {"import card.txt --field 2T -o", "yaml", {"card.txt"}},
      {"export d.yaml --to delphes --lossy -o", "tcl", detector},
      {"export d.yaml --to lut " + point + "-o", "csv", detector},
  };
  const Folder folder;
  write_inputs(folder);
  for (const Case& c : cases)
    for (const std::string& input : c.inputs)
      for (const bool symbolic : {true, false}) {
        const std::string out = "out." + c.ending;
        if (symbolic)
          std::filesystem::create_symlink(input, folder / out);
        else
          std::filesystem::create_hard_link(folder / input, folder / out);
        const auto before = contents(folder);
        // given by a path that is spelled in another way than those read
        const Outcome r =
            run(folder, "here=$(basename \"$PWD\")\ngttf-design " + c.command +
                            " \"../$here/./" + out + "\"");
        INFO(c.command);
        INFO(input);
        INFO(symbolic);
        INFO(r.err);
        CHECK(r.code == 2);
        CHECK(has(r.err, ": would overwrite the input \""));
        CHECK(has(r.err, input + "\""));
        CHECK(contents(folder) == before);
        std::filesystem::remove(folder / out);
      }
  // given by a descriptor that the shell has opened
  for (const Case& c : cases)
    for (const std::string& input : c.inputs) {
      const auto before = contents(folder);
      const Outcome r =
          run(folder, "gttf-design " + c.command + " /dev/fd/7 7>> " + input);
      INFO(c.command);
      INFO(input);
      INFO(r.err);
      CHECK(r.code == 2);
      CHECK(contents(folder) == before);
    }
}

TEST_CASE("outputs: standard output is not appended to an input") {
  const Folder folder;
  write_inputs(folder);
  const auto before = contents(folder);
  for (const std::string command :
       {"scan d.yaml --pt 1GeV", "show d.yaml", "validate d.yaml",
        "fit d.yaml hits.csv", "export d.yaml --to delphes --lossy",
        "report d.yaml -o -", "baseline d.yaml --pt 1GeV",
        "scan - --pt 1GeV"}) {
    const std::string input =
        command.starts_with("fit") ? "hits.csv" : "d.yaml";
    const Outcome r =
        run(folder, "gttf-design " + command + " < d.yaml >> " + input);
    INFO(command);
    INFO(r.err);
    CHECK(r.code == 2);
    CHECK(has(r.err, "standard output: would overwrite the input \""));
    CHECK(contents(folder) == before);
  }
  // standard output and standard error may share a file
  CHECK(run(folder, "gttf-design scan d.yaml --pt 1GeV -o - > log 2>&1").code ==
        0);
  const Outcome both =
      run(folder, "gttf-design scan d.yaml --pt 1GeV -o a.csv -o - >> a.csv");
  CHECK(both.code == 2);
  CHECK(has(both.err, "is the same file as "));
}

TEST_CASE("outputs: what is not open for writing is refused") {
  const Folder folder;
  write_inputs(folder);
  const auto before = contents(folder);
  for (const std::string given :
       {"- --p 1GeV --format csv -o /dev/stdin < d.yaml",
        "d.yaml --p 1GeV --format csv -o /dev/stdin < hits.csv",
        "d.yaml --p 1GeV --format csv -o /dev/fd/5 5< hits.csv",
        "d.yaml --p 1GeV --format csv -o /proc/self/fd/0 < /dev/null"}) {
    const Outcome r = run(folder, "gttf-design scan " + given);
    INFO(given);
    INFO(r.err);
    CHECK(r.code == 2);
    CHECK(r.out == "");
    CHECK(has(r.err, "gttf-design: error: "));
    CHECK(contents(folder) == before);
  }
  CHECK(has(run(folder,
                "gttf-design scan d.yaml --p 1GeV -o /dev/stdin "
                "< hits.csv")
                .err,
            "cannot write \"/dev/stdin\": it is open for reading only\n"));
  // another process has it open, but it has no name
  CHECK(has(run(folder,
                "exec 5>> x\nrm x\ngttf-design scan d.yaml --p 1GeV --format "
                "csv -o /proc/$$/fd/5")
                .err,
            ": it is an open file without a name\n"));
  CHECK(contents(folder) == before);
}

TEST_CASE("outputs: the message names the output, the input and its role") {
  const Folder folder;
  write_inputs(folder);
  check_refused(folder,
                "gttf-design scan --detector d.yaml --pt 1GeV --theta 90deg "
                "-o map.csv",
                "-o \"map.csv\": would overwrite the input \"map.csv\" "
                "(field map)\n");
  check_refused(folder, "gttf-design check r.yaml --junit study.yaml",
                "--junit \"study.yaml\": would overwrite the input "
                "\"study.yaml\" (study)\n");
  check_refused(folder,
                "gttf-design scan - -o study.yaml --format csv "
                "< study.yaml",
                "-o \"study.yaml\": would overwrite the input \"<stdin>\" "
                "(study)\n");
}

TEST_CASE("outputs: two of one run are never the same file") {
  const Folder folder;
  write_inputs(folder);
  run(folder,
      "echo old > old.csv; ln -s old.csv link.csv; ln old.csv hard.csv; "
      "ln -s new.csv dangling.csv; mkdir sub; ln -s . here");
  const auto twice = [&](const std::string& first, const std::string& second) {
    check_refused(
        folder, "gttf-design scan study.yaml -o " + first + " -o " + second,
        "-o \"" + second + "\": is the same file as -o \"" + first + "\"\n");
  };
  twice("a.csv", "./a.csv");
  twice("a.csv", "sub/../a.csv");
  twice("a.csv", "here/a.csv");
  twice("old.csv", "link.csv");
  twice("old.csv", "hard.csv");
  twice("new.csv", "dangling.csv");
  check_refused(folder,
                "gttf-design toy study.yaml --checkpoint a.json -o ./a.json",
                "--checkpoint \"a.json\": is the same file as -o "
                "\"./a.json\"\n");
  check_refused(folder,
                "gttf-design toy study.yaml --save-toys ./a.csv -o a.csv",
                "--save-toys \"./a.csv\": is the same file as -o \"a.csv\"\n");
  check_refused(folder,
                "gttf-design fit d.yaml hits.csv --residuals ./a.csv -o a.csv",
                "--residuals \"./a.csv\": is the same file as -o \"a.csv\"\n");
  check_refused(folder, "gttf-design check r.yaml --junit a --gitlab ./a",
                "--gitlab \"./a\": is the same file as --junit \"a\"\n");
}

TEST_CASE("outputs: a second run replaces the files of the first") {
  const Folder folder;
  write_inputs(folder);
  for (const char* command :
       {"scan study.yaml -o a.csv -o a.json", "check r.yaml -o c.csv --junit j",
        "toy study.yaml --checkpoint t.state -o t.json",
        "report study.yaml -o a.html", "baseline study.yaml -o b.json"}) {
    INFO(command);
    for (int i = 0; i < 2; ++i) {
      const Outcome r = run(folder, std::string("gttf-design ") + command);
      INFO(r.err);
      CHECK(r.code == 0);
    }
  }
  // a summary that grows is read and written
  folder.write("summary.md", "before\n");
  CHECK(run(folder,
            "export GITHUB_STEP_SUMMARY=summary.md\ngttf-design check "
            "r.yaml --markdown \"$GITHUB_STEP_SUMMARY\"")
            .code == 0);
  CHECK(folder.read("summary.md").starts_with("before\n\n"));
  // devices and pipes are not files
  CHECK(run(folder,
            "cat study.yaml | gttf-design scan - -o /dev/null -o "
            "/dev/stdout | cat")
            .code == 0);
}

TEST_CASE("outputs: an invalid input leaves the old output as it was") {
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

TEST_CASE("outputs: devices are written directly") {
  CHECK(run(scan + "-o /dev/null").code == 0);
  CHECK(run(scan + "-o -").out == run(scan + "-o - --format table").out);
  CHECK(has(run(scan + "-o /dev/stdout --format csv").out, "\ndetector,"));
  if (std::filesystem::exists("/dev/full")) {
    const Outcome r = run(scan + "> /dev/full");
    CHECK(r.code == 71);
    CHECK(r.err ==
          "gttf-design: error: cannot write \"standard output\": no "
          "space left on device\n");
  }
}

TEST_CASE("outputs: a reader that closes the pipe is not an error") {
  const Outcome r =
      run("{ gttf-design scan $CONFIGS/alice_its2-grid.yaml --format csv; "
          "echo code $? >&2; } | head -n 1");
  CHECK(r.out.starts_with("# gttf-design "));
  CHECK(r.err == "code 0\n");
}

TEST_CASE("outputs: precision rounds if requested") {
  const Outcome r = run(scan +
                        "--format csv --no-provenance --precision 2 "
                        "--columns pt_GeV,n_hits,sigma_pt_rel");
  CHECK(r.out.starts_with("pt_GeV,n_hits,sigma_pt_rel\n0.2,6,0.0"));
  CHECK(has(run(scan + "--columns p_GeV,sigma_qop_per_GeV --precision 6").out,
            "[1/GeV]"));
}

TEST_CASE("outputs: no bar and no notes if standard error is not a terminal") {
  const Outcome r =
      run("gttf-design scan $CONFIGS/alice_its2-grid.yaml "
          "--format csv");
  CHECK(r.code == 0);
  CHECK(r.err == "");
}

}  // namespace gttf::test::GTTF_TEST_FILE
