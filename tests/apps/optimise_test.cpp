// SPDX-License-Identifier: Apache-2.0
// optimise as a program: shards and merge, checkpoints, interruptions.
#include <doctest/doctest.h>

#include <string>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::string its2 = "gttf-design optimise $CONFIGS/optimise/its2.yaml ";
const std::string twelve = its2 + "--starts 12 ";
const std::string plain = "--no-provenance --quiet ";

std::string error_of(const Folder& folder, const std::string& command) {
  const Outcome r = run(folder, command);
  CHECK(r.code == 2);
  CHECK(r.out == "");
  return r.err;
}

// A result without the one number that differs from run to run.
std::string without_time(const std::string& json) {
  const std::size_t at = json.find("\"cpu_s\"");
  REQUIRE(at != json.npos);
  return json.substr(0, at) + json.substr(json.find_first_of(",}", at));
}

// Waits in a shell until the checkpoint has some starts, at most 30 s.
const std::string until_some_starts =
    "for i in $(seq 3000); do test \"$(grep -c '\"place\"' state 2> "
    "/dev/null)\" -gt 2 && break; sleep 0.01; done; ";

}  // namespace

TEST_CASE("optimise: validate knows a study in JSON") {
  const Folder folder;
  folder.write("o.json", R"({"gttf-optimisation": 1, "detector": "d.yaml",
    "vary": {"layers[L2].cylinder.radius": {"from": "40 mm", "to": "80 mm"}},
    "minimise": {"what": "sigma_d0", "at": {"p": "1 GeV", "theta": "90 deg"}}})");
  const Outcome r = run(folder,
                        "cp $DETECTORS/barrel.yaml d.yaml\n"
                        "gttf-design validate o.json");
  CHECK(r.err == "");
  CHECK(r.code == 0);
  CHECK(has(r.out, "optimisation"));
}

TEST_CASE("optimise: shards merged give the bytes of one run") {
  const Folder folder;
  REQUIRE(run(folder, twelve + plain + "-o whole.json -o whole.yaml").code ==
          0);
  for (const std::string k : {"1", "2", "3"}) {
    const Outcome r =
        run(folder, twelve + "--quiet --threads " + k + " --shard " + k +
                        "/3 -o part" + k + ".json");
    CHECK(r.err == "");
    REQUIRE(r.code == 0);
  }
  const std::string merge = "gttf-design optimise merge ";
  const Outcome merged =
      run(folder, merge + "part2.json part3.json part1.json " + plain +
                      "-o merged.json -o merged.yaml");
  CHECK(merged.err == "");
  REQUIRE(merged.code == 0);
  CHECK(folder.read("merged.yaml") == folder.read("whole.yaml"));
  CHECK(without_time(folder.read("merged.json")) ==
        without_time(folder.read("whole.json")));

  SUBCASE("a part is missing, or given twice") {
    CHECK(has(error_of(folder, merge + "part1.json part3.json -o m.json"),
              "shard 2/3 is missing: give all parts"));
    CHECK(has(
        error_of(folder, merge + "part1.json part1.json part2.json -o m.json"),
        "overlap: both are shard 1/3"));
  }
  SUBCASE("a part is of another study") {
    run(folder, its2 + "--starts 11 --shard 2/3 -o part2.json");
    CHECK(has(error_of(folder, merge + "part?.json"),
              "are not of the same study: their starts differs"));
    run(folder, twelve + "--shard 2/4 -o part2.json");
    CHECK(has(error_of(folder, merge + "part?.json"),
              "\"part1.json\" is one of 3 parts, \"part2.json\" is one of 4"));
  }
  SUBCASE("a part is damaged") {
    run(folder,
        "sed 's/\"violation\": 0\\./\"violation\": 1./' part3.json > "
        "new; mv new part3.json");
    CHECK(has(error_of(folder, merge + "part?.json -o m.json"),
              "\"part3.json\" is damaged"));
    CHECK(run(folder, "test -e m.json").code != 0);
  }
  SUBCASE("the study has changed since") {
    run(folder,
        "mkdir optimise detectors; cp $CONFIGS/optimise/its2.yaml optimise; cp "
        "$DETECTORS/alice_its2.yaml detectors; sed -i "
        "'s=../../detectors=../detectors=' optimise/its2.yaml");
    run(folder,
        "gttf-design optimise optimise/its2.yaml --starts 2 --shard "
        "1/1 -o one.json");
    REQUIRE(run(folder, merge + "one.json -o one.csv").code == 0);
    run(folder, "sed -i 's/6.5 m2/6.6 m2/' optimise/its2.yaml");
    CHECK(has(error_of(folder, merge + "one.json"), "its sha256 differs"));
  }
  SUBCASE("what belongs to the parts is not given again") {
    CHECK(has(error_of(folder, merge + "part?.json --starts 12"),
              "--starts cannot be used with merge"));
  }
}

TEST_CASE("optimise: killed and resumed, the same bytes") {
  const Folder folder;
  REQUIRE(run(folder, its2 + "--starts 96 " + plain + "-o whole.yaml").code ==
          0);
  // killed as soon as some starts are finished; a fast machine may be done
  run(folder, its2 +
                  "--starts 96 --threads 1 --checkpoint state "
                  "--checkpoint-every 0 -o killed.yaml & " +
                  until_some_starts + "kill -9 $!; wait");
  const Outcome resumed = run(folder, its2 + "--starts 96 --checkpoint state " +
                                          plain + "-o resumed.yaml");
  REQUIRE(resumed.code == 0);
  CHECK(folder.read("resumed.yaml") == folder.read("whole.yaml"));
  CHECK(has(error_of(folder, its2 + "--starts 95 --checkpoint state"),
            "belongs to another study: its starts differs"));
  CHECK(has(error_of(folder, its2 + "--starts 96 --shard 1/2 --checkpoint "
                                    "state -o p.json"),
            "belongs to another shard: it is 1/1, this one is 1/2"));
}

TEST_CASE("optimise: Ctrl-C writes the best design so far with a note") {
  const Folder folder;
  const Outcome r = run(
      folder, "timeout --preserve-status -s INT 5 " + its2 +
                  "--starts 100000 --threads 1 -o best.yaml -o result.json");
  CHECK(r.code == 1);
  CHECK(has(r.err, "interrupted; the result is the best so far"));
  CHECK(has(folder.read("result.json"), "\"interrupted\": true"));
  CHECK(has(folder.read("best.yaml"), "gttf-detector: 1"));
  // a design from an interrupted search is not called the best
  CHECK_FALSE(has(folder.read("result.json"), "\"kind\": \"proven\""));
}

TEST_CASE("optimise: a time limit is kept in every part of a search") {
  const Folder folder;
  const auto timed = [&](const std::string& command) {
    return run(folder, "timeout 20 " + command + " --time-limit 0.3 -o b.yaml");
  };
  for (const std::string study :
       {"optimise/its2.yaml", "optimise/lever-arm.yaml"}) {
    const Outcome r =
        timed("gttf-design optimise $CONFIGS/" + study + " --starts 1000000");
    CHECK(r.code == 1);
    CHECK(has(r.err, "time limit reached; the result is the best so far"));
  }
}

TEST_CASE("optimise: invalid shards, parts and checkpoints are rejected") {
  const Folder folder;
  CHECK(has(error_of(folder, its2 + "--shard 2"), "expected k/N as in 2/8"));
  CHECK(has(error_of(folder, its2 + "--shard 1/2"),
            "write it with -o PART.json"));
  CHECK(has(error_of(folder, its2 + "--shard 1/2 -o p.json --local"),
            "--local cannot be used with --shard"));
  CHECK(has(error_of(folder,
                     "gttf-design optimise "
                     "$CONFIGS/optimise/telescope.yaml --shard 1/2 -o "
                     "p.json"),
            "the study has choices only, hence no starts to divide"));
  CHECK(
      has(error_of(folder, "gttf-design optimise merge"), "nothing to merge"));
  folder.write("a.json", "{\"gttf-toys\": 1}");
  CHECK(has(error_of(folder, "gttf-design optimise merge a.json"),
            "\"a.json\" is not a part or checkpoint of a search"));
  CHECK(has(error_of(folder, its2 + "--checkpoint a.json"),
            "\"a.json\" is not a part or checkpoint of a search"));
  CHECK(has(error_of(folder, its2 + its2.substr(its2.find('$'))),
            "one study is solved at a time"));
  CHECK(has(error_of(folder, its2 + "--history h.csv --checkpoint state"),
            "--history cannot be used with --checkpoint"));
}

TEST_CASE(
    "optimise: a history has each design at which derivatives were "
    "taken") {
  const Folder folder;
  REQUIRE(run(folder, its2 + "--local --history h.csv -o r.json").code == 0);
  const Outcome head = run(folder, "head -1 h.csv");
  CHECK(has(head.out, "start,evaluation,objective,violation,"));
  // the last one is the optimum
  CHECK(run(folder, "tail -1 h.csv | cut -d, -f3 | cut -c-8").out ==
        "19.51581\n");
}

TEST_CASE("optimise: warnings about the design that was found") {
  const Folder folder;
  folder.write("ends.yaml",
               "gttf-detector: 1\nname: ends\nfield: { solenoid: 2 T }\n"
               "layers:\n"
               "  - { name: B, cylinder: { radius: 100 mm, half_length: 200 mm "
               "}, measures: { rphi: 5 um, z: 5 um } }\n"
               "  - { name: D, disk: { z: 300 mm, radius: [50 mm, 150 mm] }, "
               "measures: { rphi: 5 um, r: 5 um } }\n");
  folder.write("study.yaml",
               "gttf-optimisation: 1\ndetector: ends.yaml\n"
               "vary: { 'layers[B].cylinder.half_length': { from: 150 mm, to: "
               "400 mm } }\n"
               "quantities: { short: { sum: 1 m / half_length, of: B } }\n"
               "minimise: { quantity: short }\n");
  const Outcome r =
      run(folder,
          "gttf-design optimise study.yaml -o best.yaml -o r.json "
          "-o r.md -o r.html");
  CHECK(r.code == 0);
  CHECK(has(r.err, "best.yaml:"));
  const std::string words = "the disk \"D\" cuts through the barrel \"B\"";
  CHECK(has(r.err, words));
  CHECK(has(run(folder, "grep -c 'cuts through' r.json r.html r.md").out,
            "r.json:1\nr.html:1\nr.md:1"));
  CHECK(run(folder,
            "python3 -c \"import json; print(json.load(open("
            "'r.json'))['warnings'][0])\"")
            .out.starts_with(words));
}

TEST_CASE("optimise: what a description in full lacks is reported") {
  const Folder folder;
  folder.write(
      "flow.yaml",
      "# made by hand\ngttf-detector: 1\nname: flow\nfield: { "
      "solenoid: 2 T }\nlayers: [ # in brackets\n"
      "  &inner { name: A, cylinder: { radius: 30 mm, half_length: 200 "
      "mm }, material: 1 %, measures: { rphi: 5 um, z: 5 um } },\n"
      "  { <<: *inner, name: B, cylinder: { radius: 60 mm, "
      "half_length: 200 mm } },\n"
      "  { <<: *inner, name: C, cylinder: { radius: 90 mm, "
      "half_length: 200 mm } },\n"
      "  { <<: *inner, name: D, cylinder: { radius: 120 mm, "
      "half_length: 200 mm } }]\n");
  folder.write("study.yaml",
               "gttf-optimisation: 1\ndetector: flow.yaml\n"
               "choose: { some: { of: 'layers[B..D]', exactly: 2 } }\n"
               "minimise: { what: sigma_pt_rel, at: { p: 5 GeV, theta: 90 deg "
               "} }\n");
  const Outcome r = run(folder, "gttf-design optimise study.yaml -o best.yaml");
  CHECK(r.code == 0);
  CHECK(has(r.err,
            "flow.yaml: warning: the result is written in full, without the "
            "comments in lines 1, 5 and the anchor inner"));
}

TEST_CASE("optimise: a start outside of its range is reported") {
  const Folder folder;
  folder.write("study.yaml",
               "gttf-optimisation: 1\ndetector: " GTTF_SOURCE_DIR
               "/detectors/barrel.yaml\n"
               "vary: { 'layers[L2].cylinder.radius': { from: 6.5 cm, to: 8 cm "
               "} }\n"
               "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } "
               "}\n");
  const Outcome r = run(folder, "gttf-design optimise study.yaml --local");
  CHECK(r.code == 0);
  CHECK(has(r.err,
            "warning: \"layers[L2].cylinder.radius\" is 60 mm in the "
            "description, outside of the range"));
  CHECK(has(r.out, "um, outside of the ranges\n"));
}

TEST_CASE("optimise: options that contradict each other") {
  const Folder folder;
  const Outcome starts = run(folder, its2 + "--local --starts 5");
  CHECK(starts.code == 2);
  CHECK(has(starts.err, "--starts cannot be used with --local"));
  const Outcome time = run(folder, its2 + "--time-limit 0");
  CHECK(time.code == 2);
  CHECK(has(time.err, "--time-limit"));
}

TEST_CASE("optimise: a result without a value names what has none") {
  const Folder folder;
  folder.write("study.yaml",
               "gttf-optimisation: 1\ndetector: " GTTF_SOURCE_DIR
               "/detectors/barrel.yaml\n"
               "vary: { 'layers[L2].cylinder.radius': { from: 40 mm, to: 80 mm "
               "} }\n"
               "minimise: { what: sigma_d0, at: { p: 1 GeV, theta: 90 deg } "
               "}\n"
               "subject_to: [{ what: sigma_d0, at: { p: 10 MeV, theta: 90 deg "
               "}, max: 20 um }]\n");
  const Outcome r = run(folder, "gttf-design optimise study.yaml --local");
  CHECK(r.code == 3);
  CHECK(has(r.out,
            "no design has a value: sigma_d0_um <= 20 um has no value at p = "
            "0.01 GeV, theta = 90 deg"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
