// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <utility>

#include "gttf/core/version.hpp"
#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

// Wrong usage: exit code 2, this text on standard error, nothing on output.
void check_error(const std::string& command, const std::string& text) {
  const Outcome r = run(command);
  INFO(command);
  CHECK(r.code == 2);
  CHECK(r.out == "");
  CHECK(r.err == "gttf-design: error: " + text + "\n");
}

const std::string in_scan = "\nsee 'gttf-design help scan'";

}  // namespace

TEST_CASE("usage: without a verb the help goes to standard error") {
  const Outcome r = run("gttf-design");
  CHECK(r.code == 2);
  CHECK(r.out == "");
  CHECK(has(r.err, "Usage: gttf-design VERB"));
}

TEST_CASE(
    "usage: help lists the verbs, help VERB and VERB --help its options") {
  const Outcome all = run("gttf-design help");
  CHECK(all.code == 0);
  for (const char* verb :
       {"init", "validate", "show", "resolve", "scan", "toy", "fit", "report",
        "plot", "import", "export", "completion", "help", "version"}) {
    CHECK(has(all.out, std::string("\n  ") + verb + " "));
    const Outcome one = run(std::string("gttf-design help ") + verb);
    CHECK(one.code == 0);
    CHECK(one.err == "");
    CHECK(has(one.out, std::string("Usage: gttf-design ") + verb));
    CHECK(run(std::string("gttf-design ") + verb + " --help").out == one.out);
  }
  CHECK(run("gttf-design --help").out == all.out);
  CHECK(run("gttf-design -h").out == all.out);
  CHECK(has(run("gttf-design help scan").out, "--scattering highland|"));
}

TEST_CASE("usage: version in both ways") {
  const std::string expected =
      "gttf-design " + std::string(gttf::version()) + "\nsimd: ";
  const std::string out = run("gttf-design version").out;
  CHECK(out.starts_with(expected));
  CHECK(has(out, " of scalar"));
  CHECK(run("gttf-design --version").out == out);
  CHECK(run("GTTF_SIMD=scalar gttf-design version")
            .out.starts_with(expected + "scalar of scalar"));
}

TEST_CASE("usage: an unknown verb gets the nearest one") {
  check_error("gttf-design scn",
              "unknown verb \"scn\"; did you mean \"scan\"?");
  check_error(
      "gttf-design xyzzy",
      "unknown verb \"xyzzy\"; the verbs are init, validate, show, resolve, "
      "scan, sweep, regimes, budget, sensitivity, compare, baseline, check, "
      "optimise, decay, toy, "
      "fit, report, plot, explore, import, export, "
      "completion, help, "
      "version");
  check_error("gttf-design help shwo",
              "unknown verb \"shwo\"; did you mean \"show\"?\n"
              "see 'gttf-design help'");
  check_error("gttf-design --quiet scan",
              "the verb comes first: gttf-design VERB [OPTIONS]");
}

TEST_CASE("usage: an unknown option gets the nearest one") {
  check_error("gttf-design scan --thta 90deg",
              "unknown option \"--thta\"; did you mean \"--theta\"?" + in_scan);
  check_error("gttf-design scan --thta=90deg",
              "unknown option \"--thta\"; did you mean \"--theta\"?" + in_scan);
  check_error("gttf-design scan -pt 1GeV",
              "unknown option \"-pt\"; did you mean \"--pt\"?" + in_scan);
  check_error(
      "gttf-design scan --json x.json",
      "unknown option \"--json\"; did you mean \"--format json\"?" + in_scan);
  check_error("gttf-design scan --completely-else",
              "unknown option \"--completely-else\"" + in_scan);
}

TEST_CASE("usage: a value that begins with a dash is a value") {
  const Outcome r =
      run("gttf-design resolve $DETECTORS/barrel.yaml --p 1GeV --theta 90deg "
          "--vertex -1mm,0mm,-2mm --charge -1 --format json");
  CHECK(r.code == 0);
  CHECK(has(r.out, "\"vertex_mm\": [-1, 0, -2]"));
}

TEST_CASE("usage: wrong values of options are reported with the right ones") {
  check_error(
      "gttf-design scan $CONFIGS/barrel.yaml --format cvs",
      "--format: unknown value \"cvs\"; did you mean \"csv\"?" + in_scan);
  check_error("gttf-design scan $CONFIGS/barrel.yaml --format xml",
              "--format: unknown value \"xml\"; it is one of table, csv, json, "
              "markdown, npz" +
                  in_scan);
  check_error("gttf-design scan $CONFIGS/barrel.yaml --engine tripelt",
              "--engine: unknown value \"tripelt\"; did you mean "
              "\"triplet\"?" +
                  in_scan);
  check_error("gttf-design scan $CONFIGS/barrel.yaml --precision 0",
              "--precision: Value 0 not in range 1 to 17" + in_scan);
  check_error("gttf-design scan $CONFIGS/barrel.yaml --precision 18",
              "--precision: Value 18 not in range 1 to 17" + in_scan);
  check_error(
      "gttf-design scan $CONFIGS/barrel.yaml --columns eta,p_gev",
      "--columns: unknown value \"p_gev\"; did you mean \"p_GeV\"?" + in_scan);
  check_error("gttf-design completion tcsh",
              "SHELL: unknown value \"tcsh\"; it is one of bash, zsh, fish\n"
              "see 'gttf-design help completion'");
}

TEST_CASE("usage: a control character is to be removed from an option") {
  const Outcome r =
      run("gttf-design resolve $DETECTORS/barrel.yaml --theta 90deg --p "
          "\"$(printf '1\\033GeV')\"");
  CHECK(r.code == 2);
  CHECK(has(r.err, "control character 0x1b at byte 2; remove it"));
}

TEST_CASE("usage: a beam spot is the third hit of two layers") {
  const Folder folder;
  folder.write("two.yaml",
               "gttf-detector: 1\nname: two\nfield: { solenoid: 2 T }\n"
               "layers:\n"
               "  - { name: A, cylinder: { radius: 3 cm, half_length: 50 cm }, "
               "material: 0.3 %, measures: { rphi: 10 um, z: 10 um } }\n"
               "  - { name: B, cylinder: { radius: 10 cm, half_length: 50 cm "
               "}, material: 0.3 %, measures: { rphi: 10 um, z: 10 um } }\n");
  const std::string track = " two.yaml --p 1GeV --theta 90deg";
  const std::string warning = "a curvature needs 3";
  CHECK(has(run(folder, "gttf-design validate two.yaml").err, warning));
  for (const std::string verb : {"scan", "resolve"}) {
    CAPTURE(verb);
    const std::string call = "gttf-design " + verb + track;
    CHECK(has(run(folder, call).err, warning));
    CHECK(has(run(folder, call + " --beam-spot off").err, warning));
    CHECK(run(folder, call + " --beam-spot 10um,10um,1mm").err == "");
  }
}

TEST_CASE("usage: what is missing or too much") {
  check_error("gttf-design scan",
              "nothing to scan: give a detector or a study file" + in_scan);
  const Outcome two =
      run("cd $CONFIGS && gttf-design scan barrel.yaml cld.yaml");
  CHECK(two.code == 2);
  CHECK(two.err ==
        "gttf-design: error: one study at a time, got barrel.yaml, cld.yaml" +
            in_scan + "\n");
  check_error("gttf-design scan a.yaml --p",
              "--p: 1 required VALUES missing" + in_scan);
  check_error("gttf-design scan a.yaml --p 1GeV --p 2GeV",
              "--p: given more than once" + in_scan);
  check_error("gttf-design resolve",
              "DETECTOR is required\nsee 'gttf-design help resolve'");
  check_error("gttf-design show",
              "DETECTOR is required\nsee 'gttf-design help show'");
  check_error("gttf-design validate",
              "FILE is required\nsee 'gttf-design help validate'");
  check_error(
      "gttf-design scan $CONFIGS/barrel.yaml --full",
      "--full is for json: add --format json or -o FILE.json" + in_scan);
  check_error(
      "gttf-design scan $CONFIGS/barrel.yaml --full --format json "
      "--columns eta",
      "--full writes everything; --columns cannot be used with it" + in_scan);
}

TEST_CASE("usage: detectors and studies are arguments of every verb") {
  const std::string track = " --p 1GeV --theta 90deg --no-provenance -o ";
  for (const char* verb :
       {"scan", "regimes", "budget", "sensitivity", "toy --toys 20"}) {
    INFO(verb);
    const gttf::test::Folder folder;
    const std::string head = std::string("gttf-design ") + verb;
    const std::string barrel = " $DETECTORS/barrel.yaml";
    const std::string its = " $DETECTORS/alice_its2.yaml";
    const std::string command =
        head + barrel + its + track + "words.csv && " +  //
        head + " --detector" + barrel + " --detector" + its + track +
        "options.csv && " +  //
        head + barrel + " --detector" + its + track + "mixed.csv && " +
        "cat $DETECTORS/barrel.yaml | " + head + " -" + its + track +
        "stdin.csv";
    const Outcome r = run(folder, command);
    CHECK(r.code == 0);
    CHECK(r.err == "");
    const std::string words = folder.read("words.csv");
    CHECK(has(words, "\n"));
    CHECK(folder.read("options.csv") == words);
    CHECK(folder.read("mixed.csv") == words);
    CHECK(folder.read("stdin.csv") == words);
  }
}

TEST_CASE("usage: an argument is a study if it has the keys of one") {
  const gttf::test::Folder folder;
  const Outcome r = run(
      folder,
      "gttf-design scan $CONFIGS/first-plot.yaml --no-provenance -o file.csv; "
      "gttf-design scan $CONFIGS/first-plot.yaml $DETECTORS/alice_its2.yaml "
      "--no-provenance -o other.csv; "
      "gttf-design scan $CONFIGS/first-plot.yaml --detector "
      "$DETECTORS/alice_its2.yaml --no-provenance -o option.csv");
  CHECK(r.err == "");
  CHECK(folder.read("other.csv") == folder.read("option.csv"));
  CHECK(folder.read("other.csv") != folder.read("file.csv"));
}

TEST_CASE("usage: a pipe is read once, whatever is asked of it") {
  const std::string scan = " --pt 1GeV --no-provenance --format csv";
  const std::string expected =
      run("gttf-design scan $DETECTORS/barrel.yaml" + scan).out;
  REQUIRE(expected.size() > 100);
  for (const std::string name : {"-", "/dev/stdin", "/dev/fd/0"}) {
    CAPTURE(name);
    const Outcome r =
        run("cat $DETECTORS/barrel.yaml | gttf-design scan " + name + scan);
    CHECK(r.out == expected);
    CHECK(r.err == "");
  }
  // names in it start from the folder of the run
  CHECK(run("cd $CONFIGS && cat first-plot.yaml |"
            "gttf-design scan /dev/stdin --format csv")
            .code == 0);
  CHECK(run("cat $CONFIGS/first-plot.yaml | sed \"s#[.][.]/#$DETECTORS/../#\" |"
            "gttf-design scan /dev/stdin --format csv")
            .code == 0);
}

TEST_CASE("usage: --detector replaces the argument DETECTOR") {
  const std::string track =
      " --p 1GeV --theta 90deg --format json --no-provenance";
  const Outcome word =
      run("gttf-design resolve $DETECTORS/barrel.yaml" + track);
  const Outcome option =
      run("gttf-design resolve --detector $DETECTORS/barrel.yaml" + track);
  CHECK(word.code == 0);
  CHECK(option.out == word.out);
  const std::string its2 = "$DETECTORS/alice_its2.yaml";
  const std::string hits = " $CONFIGS/its2-hits.csv --format csv";
  const Outcome fitted = run("gttf-design fit " + its2 + hits);
  CHECK(fitted.code == 0);
  CHECK(has(run("gttf-design fit" + hits + " --detector " + its2).out,
            fitted.out.substr(fitted.out.find("\ntrack"))));
}

TEST_CASE("usage: a file may be called like a verb") {
  const gttf::test::Folder folder;
  const Outcome r =
      run(folder, "cp $DETECTORS/barrel.yaml scan; gttf-design validate scan");
  CHECK(r.code == 0);
  CHECK(r.out == "scan: good (detector, 7 layers, 6 measuring)\n");
}

TEST_CASE("usage: errors of an input are text with exit code 2") {
  const gttf::test::Folder folder;
  const Outcome r = run(folder, "gttf-design show none.yaml");
  CHECK(r.code == 2);
  CHECK(r.out == "");
  CHECK(has(r.err, "none.yaml: error: no such file"));
}

TEST_CASE("usage: no colours without a terminal") {
  for (const char* command :
       {"gttf-design show none.yaml", "gttf-design help nope",
        "gttf-design scan $CONFIGS/first-plot.yaml"}) {
    const Outcome r = run(command);
    CHECK_FALSE(has(r.out + r.err, "\033"));
  }
}

TEST_CASE("usage: a unit after a space is not taken for a file") {
  for (const char* command :
       {"scan $DETECTORS/barrel.yaml --pt 1 GeV",
        "resolve $DETECTORS/barrel.yaml --pt 1 GeV --theta 20 deg",
        "budget --pt 1 GeV $DETECTORS/barrel.yaml"}) {
    CAPTURE(command);
    const auto r = run(std::string("gttf-design ") + command);
    CHECK(r.code == 2);
    CHECK(has(r.err, "\"GeV\" is a unit, not a file"));
    CHECK(has(r.err, "as in --pt 1GeV"));
  }
  const auto r = run(
      "gttf-design show $DETECTORS/barrel.yaml --set layers[L1].material=1 %");
  CHECK(r.code == 2);
  CHECK(has(r.err, "as in --set layers[L1].material=1%"));
}

TEST_CASE("usage: a file in the place of the decay is reported as one") {
  const auto r = run("gttf-design decay $DETECTORS/cld.yaml --p 10GeV");
  CHECK(r.code == 2);
  CHECK(has(r.err, "cld.yaml\" is a file, not a decay: write the decay first"));
}

TEST_CASE("usage: --set names the detector that does not accept it") {
  const auto r = run(
      "gttf-design scan $DETECTORS/barrel.yaml $DETECTORS/cld.yaml --p 1GeV "
      "--set 'layers[VTX1].material=1 %'");
  CHECK(r.code == 2);
  CHECK(has(r.err, "there is no layer \"VTX1\" in "));
  CHECK(has(r.err, "barrel.yaml"));
  CHECK_FALSE(has(r.err, "cld.yaml"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
