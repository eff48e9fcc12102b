// SPDX-License-Identifier: Apache-2.0
// What the program does when memory, threads or space run out.
#include <doctest/doctest.h>

#include <string>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("resources: a file that may not grow is tidied up") {
  const Folder folder;
  folder.write("a.csv", "old");
  const auto r = run(folder,
                     "ulimit -f 8; gttf-design scan $DETECTORS/barrel.yaml "
                     "--p 0.1GeV:100GeV:2000 -o a.csv");
  CAPTURE(r.err);
  CHECK(r.code == 71);
  CHECK(has(r.err, "cannot write \"a.csv\": file too large"));
  CHECK(folder.read("a.csv") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("resources: no space is 71, a wrong name 2") {
  const auto full = run("gttf-design show $DETECTORS/barrel.yaml > /dev/full");
  CHECK(full.code == 71);
  CHECK(has(full.err, "no space left"));
  CHECK(run("gttf-design show $DETECTORS/barrel.yaml -o no/such.csv").code ==
        2);
}

TEST_CASE("resources: a folder given as a file is the user's slip") {
  const Folder folder;
  for (const char* command :
       {"toy $DETECTORS/barrel.yaml --p 1GeV --toys 10 --checkpoint . -o "
        "a.json",
        "toy merge . -o a.json", "scan merge . -o a.csv",
        "check $CONFIGS/check/alice_its2.yaml --baseline .",
        "fit $DETECTORS/barrel.yaml . -o a.csv", "import . -o a.yaml",
        "report $DETECTORS/barrel.yaml --p 1GeV,2GeV --published . -o a.html",
        "toy $DETECTORS/barrel.yaml --p 1GeV --toys 10 --checkpoint "
        "/proc/self/mem/x -o a.json"}) {
    CAPTURE(command);
    const auto r = run(folder, std::string("gttf-design ") + command);
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK_FALSE(has(r.err, "bug"));
    CHECK(folder.entries() == 0);
  }
}

// AddressSanitizer reserves more addresses than these limits leave.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("resources: exhausted memory is neither a crash nor a bug") {
  constexpr int loader_gave_up = 127;     // before the program began
  const auto code_with = [](int limit) {  // kB
    CAPTURE(limit);
    const Folder folder;
    folder.write("a.json", "old");
    const auto r = run(folder, "ulimit -v " + std::to_string(limit) +
                                   "; gttf-design toy $DETECTORS/barrel.yaml "
                                   "--p 1GeV --toys 1000 -o a.json");
    CAPTURE(r.err);
    CHECK((r.code == 0 || r.code == 71 || r.code == loader_gave_up));
    if (r.code == 71) CHECK(has(r.err, "out of memory"));
    CHECK((folder.read("a.json") == "old") == (r.code != 0));
    CHECK(folder.entries() == 1);
    return r.code;
  };
  // below 15000 the program with the explorer's module itself does not fit: the
  // kernel ends it before it begins
  int least = 90000;
  for (int none = 15000; least - none > 10;) {
    const int limit = (none + least) / 2;
    (code_with(limit) == loader_gave_up ? none : least) = limit;
  }
  // libraries start; steps of less than what is kept for exceptions, 72 kB
  for (int limit = least; limit < least + 400; limit += 20) code_with(limit);
  for (const int limit :
       {15000, 16000, 25000, 30000, 34000, 38000, 45000, 60000, 90000})
    code_with(limit);
}

TEST_CASE("resources: endless input is rejected") {
  const Folder folder;
  folder.write("zero.yaml",
               "gttf-detector: 1\nname: Z\nfield: { map: /dev/zero }\n"
               "layers:\n  - { name: A, cylinder: { radius: 1 cm }, "
               "measures: { rphi: 10 um, z: 10 um } }\n");
  const std::string limited = "ulimit -v 400000; gttf-design ";
  for (const char* command :
       {"show zero.yaml", "validate /dev/zero", "toy merge /dev/zero",
        "scan merge /dev/zero", "fit $DETECTORS/barrel.yaml /dev/zero",
        "check $CONFIGS/check/alice_its2.yaml --baseline /dev/zero",
        "toy $DETECTORS/barrel.yaml --p 1GeV --toys 9 --checkpoint /dev/zero",
        "report $DETECTORS/barrel.yaml --p 1GeV,2GeV --published /dev/zero "
        "-o a.html",
        "import /dev/zero"}) {
    CAPTURE(command);
    const auto r = run(folder, limited + command);
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(has(r.err, "/dev/zero"));
  }
}

TEST_CASE("resources: endless texts and grids are rejected immediately") {
  const Folder folder;
  const auto text = run(folder,
                        "{ printf '{\"gttf-toys\": \"'; head -c 50000000 "
                        "/dev/zero | tr '\\0' x; printf '\"}'; } > long.json; "
                        "ulimit -v 600000; gttf-design toy merge long.json");
  CHECK(text.code == 2);
  CHECK(has(text.err, "a text is too long"));
  // 56 kB in one line, with errors every seven bytes
  const auto line =
      run(folder,
          "{ printf '{ gttf-detector: 1, name: x, field: none, layers: ['; yes "
          "'{a: 1},' | head -n 8000 | tr -d '\\n'; printf ']}'; } > line.yaml; "
          "ulimit -v 200000; gttf-design validate line.yaml");
  CHECK(line.code == 2);
  CHECK(has(line.err, "line.yaml:1:52: error: layers[0]: the key \"name\""));
  // two errors for each of 8000 layers
  CHECK(has(line.err, "line.yaml: error: "));
  CHECK(has(line.err, " more errors, not listed"));
  CHECK(line.err.size() < 100000);
  // a table of the 104 layers for each track, 500,000 rows at most
  for (const char* verb : {"budget", "sensitivity"}) {
    CAPTURE(verb);
    const auto r =
        run(folder, std::string("ulimit -v 400000; gttf-design ") + verb +
                        " $DETECTORS/cld.yaml --p 1GeV:100GeV:5001");
    CHECK(r.code == 2);
    CHECK(has(r.err, "at most 4807 tracks fit into memory"));
  }
  const auto toys =
      run(folder,
          "gttf-design toy $DETECTORS/barrel.yaml --p 1GeV:2GeV:11 --toys "
          "1000000000");
  CHECK(toys.code == 2);
  CHECK(has(toys.err, "11000000000 toys in one run, at most 10000000000"));
  CHECK(has(toys.err, "--checkpoint FILE"));
  for (const char* verb : {"baseline", "report", "regimes", "budget", "toy",
                           "scan", "compare $DETECTORS/cld.yaml"}) {
    CAPTURE(verb);
    const auto r =
        run(folder, std::string("ulimit -v 400000; gttf-design ") + verb +
                        " $DETECTORS/barrel.yaml --p "
                        "0.1GeV:100GeV:100000 --eta 0:1:10000" +
                        (verb == std::string("report") ? " -o r.html" : ""));
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(has(r.err, "too many tracks to "));
    CHECK(has(r.err, "100000 momenta, 10000 angles"));
  }
  const auto rows = run(folder,
                        "ulimit -v 400000; gttf-design scan "
                        "$DETECTORS/barrel.yaml --p 0.1GeV:100GeV:100000 "
                        "--eta 0:1:10000 --format csv --no-provenance | "
                        "head -n 2");
  CAPTURE(rows.err);
  CHECK(has(rows.out, "\nteaching barrel,pion,0.1,"));
}
#endif

}  // namespace gttf::test::GTTF_TEST_FILE
