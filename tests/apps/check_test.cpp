// SPDX-License-Identifier: Apache-2.0
// The verb check: exit codes, reports, annotations.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Requirements on ITS2 at one point: the lines of the list.
std::string on_its2(const std::string& list) {
  return "cat > r.yaml << 'END'\ngttf-requirements: 1\nname: gate\ndetectors: "
         "[its2.yaml]\npt: 1 GeV\nrequirements:\n" +
         list + "END\ncp \"$DETECTORS/alice_its2.yaml\" its2.yaml\n";
}
const std::string good_list = "  - { what: sigma_d0, max: 30 um }\n";
const std::string bad_list = "  - { what: sigma_d0, max: 20 um }\n";
const std::string reports =
    "gttf-design check r.yaml --junit j.xml --gitlab q.json --markdown s.md "
    "-o t.csv -o t.json";

/// A gate against the baseline of the shipped ITS2.
const std::string with_baseline =
    "cp \"$DETECTORS/alice_its2.yaml\" its2.yaml\n"
    "gttf-design baseline its2.yaml --pt 1GeV --theta 90deg -o b.json\n"
    "cat > r.yaml << 'END'\ngttf-requirements: 1\ndetectors: [its2.yaml]\n"
    "baseline: b.json\nrequirements:\n"
    "  - { what: [sigma_d0, sigma_pt_rel], relative_to_baseline: 0.1 % "
    "}\nEND\n";

}  // namespace

TEST_CASE("check: exit code 0 if all is met, 1 if not, results on both") {
  CHECK(run(on_its2(good_list) + "gttf-design check r.yaml").code == 0);
  const Outcome bad = run(on_its2(bad_list) + "gttf-design check r.yaml");
  CHECK(bad.code == 1);
  CHECK(has(bad.out, "gate: 0 of 1 requirement met"));
  CHECK(has(bad.out,
            "FAIL     sigma_d0_um <= 20 um  pt = 1 GeV, theta = 90 "
            "deg  24.05 um  <= 20 um"));
  CHECK(has(bad.out, "L0 scattering"));
  CHECK(bad.err.empty());
}

TEST_CASE("check: exit code 3 if no track has a resolution, with results") {
  const Outcome none =
      run(on_its2(good_list) + "sed -i 's/pt: 1 GeV/pt: 1 MeV/' r.yaml\n" +
          reports + "\ncode=$?\ncat j.xml\nexit $code");
  CHECK(none.code == 3);
  CHECK(has(none.out, "does not exist (curls up)"));
  CHECK(none.err ==
        "gttf-design: no track has a resolution; see the result for the "
        "reason\n");
}

TEST_CASE("check: wrong input is exit code 2 and writes nothing") {
  const Folder folder;
  const std::size_t before = folder.entries();
  const Outcome wrong =
      run(folder, on_its2("  - { what: sigma_d0, max: 30 }\n") + reports);
  CHECK(wrong.code == 2);
  CHECK(folder.entries() == before + 2);  // r.yaml and its2.yaml
  CHECK(wrong.err ==
        "r.yaml:6:28: error: requirements[0].max: missing unit: expected a "
        "length, got \"30\"\n"
        "    6 |   - { what: sigma_d0, max: 30 }\n"
        "      |                            ^~ add a unit, for example \"30 "
        "um\"\n");
}

TEST_CASE("check: all reports are written, whole, also on failure") {
  for (const std::string& list : {good_list, bad_list}) {
    const Folder folder;
    const Outcome outcome = run(folder, on_its2(list) + reports);
    const bool failed = list == bad_list;
    CHECK(outcome.code == failed);
    CHECK(folder.entries() == 7);  // and no temporary file
    CHECK(folder.read("j.xml").ends_with("</testsuites>\n"));
    CHECK(has(folder.read("j.xml"), "<failure") == failed);
    const auto quality = nlohmann::json::parse(folder.read("q.json"));
    CHECK(quality.size() == failed);
    CHECK(has(folder.read("s.md"), failed ? "| FAIL" : "| pass"));
    CHECK(nlohmann::json::parse(folder.read("t.json"))["passed"] == !failed);
    CHECK(has(folder.read("t.csv"), "requirement,line,detector,"));
  }
}

TEST_CASE("check: reports cannot go where another output or an input is") {
  const auto refused = [](const std::string& options) {
    const Outcome outcome =
        run(on_its2(bad_list) + "gttf-design check r.yaml " + options);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(has(refused("--junit a --gitlab a"), "--gitlab \"a\": given twice"));
  CHECK(has(refused("-o a.csv --junit a.csv"), "--junit \"a.csv\": given"));
  CHECK(has(refused("--junit its2.yaml"), "would overwrite the input"));
  CHECK(has(refused("--junit r.yaml"), "would overwrite the input"));
  CHECK(has(refused("--junit no/such/folder.xml"), "cannot write"));
}

TEST_CASE("check: JUnit of a real failure validates against the schema") {
  const Outcome outcome =
      run(on_its2(bad_list) + "gttf-design check r.yaml --junit j.xml\n" +
          "command -v xmllint > /dev/null || exit 77\n"
          "xmllint --noout --schema '" GTTF_SOURCE_DIR
          "/tests/reference/junit/junit.xsd' j.xml");
  CHECK((outcome.code == 0 || outcome.code == 77));
}

TEST_CASE("check: an annotation is located at the changed number") {
  struct Change {
    std::string from, to, place, key;
  };
  // of anchors it is the definition that was changed, of others their own line
  for (const Change& c :
       {Change{"radius: 23.4 mm", "radius: 24.4 mm", "line=23,col=25",
               "layers[L0].cylinder.radius: 23.4 mm -> 24.4 mm"},
        Change{"solenoid: 0.5 T", "solenoid: 0.4 T", "line=11,col=20",
               "field.solenoid: 0.5 T -> 0.4 T"},
        Change{"thickness: 0.8 mm", "thickness: 1.8 mm", "line=17,col=15",
               "layers[beam pipe].material"}}) {
    CAPTURE(c.key);
    const Outcome outcome =
        run(with_baseline + "sed -i 's/" + c.from + "/" + c.to +
            "/' its2.yaml\ngttf-design check r.yaml --github -o out.csv");
    CHECK(outcome.code == 1);
    CHECK(has(outcome.err, "::error file=its2.yaml," + c.place));
    CHECK(has(outcome.err, "likely cause: " + c.key));
  }
}

TEST_CASE("check: without a key to blame the requirement is annotated") {
  const std::string place = "::error file=r.yaml,line=";
  CHECK(has(run(on_its2(bad_list) + "gttf-design check r.yaml --github").err,
            place + "6,col=5,"));
  // a change by an option has no place in the file
  const Outcome set =
      run(with_baseline +
          "gttf-design check r.yaml --github --set 'layers[L0].material=1 %'");
  CHECK(has(set.err, place + "5,col=5,"));
  CHECK(has(set.err, "layers[L0].material: 0.35 %25 -> 1 %25"));
  // nor has a layer that is gone
  const Outcome lost =
      run(with_baseline +
          "gttf-design check r.yaml --github --set 'layers[L1]=null'");
  CHECK(has(lost.err, place + "5,col=5,"));
  CHECK(has(lost.err, "likely cause: layers[L1]: "));
}

TEST_CASE("check: errors of the input are annotated, too") {
  const Outcome wrong = run(on_its2("  - { what: sigma_d0, max: 30 }\n") +
                            "gttf-design check $PWD/r.yaml --github");
  CHECK(wrong.code == 2);
  CHECK(wrong.err.starts_with("::error file=r.yaml,line=6,col=28::"));
}

TEST_CASE("check: the summary of a step of GitHub is added to, others not") {
  const std::string twice =
      on_its2(good_list) +
      "echo '# mine' > s.md\n"
      "gttf-design check r.yaml --markdown s.md > /dev/null\n"
      "gttf-design check r.yaml --markdown s.md > /dev/null\n"
      "grep -c '^# ' s.md\n";
  CHECK(run(twice).out == "1\n");
  CHECK(run("export GITHUB_STEP_SUMMARY=s.md\n" + twice).out == "3\n");
}

TEST_CASE("check: --all prints every point, csv always does") {
  const std::string file =
      on_its2(good_list) + "sed -i 's/pt: 1 GeV/pt: [1 GeV, 2 GeV]/' r.yaml\n";
  CHECK_FALSE(has(run(file + "gttf-design check r.yaml").out, "2 GeV"));
  CHECK(has(run(file + "gttf-design check r.yaml --all").out, "pt = 2 GeV"));
  CHECK(run(file + "gttf-design check r.yaml --format csv --no-provenance | "
                   "cut -d, -f 2,6,10,11")
            .out ==
        "line,pt_GeV,quantity,unit\n"
        "6,1,sigma_d0_um,um\n6,2,sigma_d0_um,um\n");
}

TEST_CASE("check: the same bytes for any number of threads and any time") {
  const std::string each =
      "gttf-design check r.yaml --junit j$n.xml --format json --all "
      "--no-provenance --threads $n > o$n.json\n";
  const Outcome outcome = run(
      on_its2(bad_list) +
      "sed -i 's/pt: 1 GeV/pt: 0.2GeV:50GeV:300/; s/0.2GeV.*/{ from: 0.2 GeV, "
      "to: 50 GeV, points: 300 }/' r.yaml\n"
      "for n in 1 2 5; do " +
      each +
      "done\ncmp j1.xml j2.xml && cmp j1.xml j5.xml && cmp o1.json o2.json && "
      "cmp o1.json o5.json && echo same");
  CHECK(outcome.out == "same\n");
}

TEST_CASE("check: another detector and another baseline by option") {
  const Outcome outcome =
      run(with_baseline +
          "sed 's/material: 0.35 %/material: 0.5 %/' its2.yaml > new.yaml\n"
          "gttf-design baseline new.yaml --pt 1GeV --theta 90deg -o new.json\n"
          "gttf-design check r.yaml --detector new.yaml > /dev/null; echo $?\n"
          "gttf-design check r.yaml --detector new.yaml --baseline new.json > "
          "/dev/null; echo $?");
  CHECK(outcome.out == "1\n0\n");
}

TEST_CASE("validate: a file of requirements is one of its kinds") {
  const Outcome outcome =
      run(on_its2(good_list) + "gttf-design validate r.yaml");
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "r.yaml: good (requirements, 1 limit, 1 detector)\n");
  CHECK(run(on_its2("  - { what: n_hits }\n") + "gttf-design validate r.yaml")
            .code == 2);
}

TEST_CASE("baseline: its bytes depend neither on the folder nor on -o") {
  const auto r = run(
      "mkdir -p a/b && cp $DETECTORS/alice_its2.yaml a/b/its2.yaml\n"
      "gttf-design baseline a/b/its2.yaml --pt 1GeV --theta 90deg -o x.json\n"
      "cd a/b && gttf-design baseline --pt 1GeV --theta 90deg its2.yaml "
      "--threads 1 -o y.json --quiet\n"
      "gttf-design baseline $PWD/its2.yaml --pt 1GeV --theta 90deg > z.json\n"
      "sed -i /command_line/d ../../x.json y.json z.json\n"
      "cmp y.json ../../x.json && cmp y.json z.json");
  CHECK(r.code == 0);
  CHECK(r.out == "");
  const auto same = run(
      "mkdir -p a/b && cp $DETECTORS/alice_its2.yaml a/b/its2.yaml\n"
      "gttf-design baseline a/b/its2.yaml --pt 1GeV --theta 90deg -o x.json\n"
      "cd a/b && gttf-design baseline its2.yaml --pt 1GeV --theta 90deg -o "
      "other.json && cmp other.json ../../x.json");
  CHECK(same.code == 0);
}

TEST_CASE("baseline: a changed digit is found") {
  const auto r = run(with_baseline +
                     "sed -i '/\"rows\"/,$s/0\\.\\([0-9]*\\)1/0.\\12/' "
                     "b.json; gttf-design check r.yaml its2.yaml");
  CAPTURE(r.err);
  CHECK(r.code == 2);
  CHECK(has(r.err, "the baseline is damaged: it was changed or damaged"));
}

TEST_CASE("check: points that the baseline lacks are reported as in the file") {
  const auto r =
      run(with_baseline +
          "sed -i 's/baseline: b.json/&\\npt: [1 GeV, 2 GeV, 3 GeV]\\neta: [0, "
          "0.5]/' r.yaml; gttf-design check r.yaml its2.yaml");
  CAPTURE(r.err);
  CHECK(r.code == 2);
  CHECK(has(r.err, "has no pion, pT = "));
  CHECK(has(r.err, " GeV, eta = 0"));
  CHECK(has(r.err, "nor 4 more of the 6 points"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
