// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

// Two detectors, so that a shard reaches across both.
const std::string scan =
    "gttf-design scan --detector $DETECTORS/alice_its2.yaml --detector "
    "$DETECTORS/cld.yaml --p 0.1GeV:100GeV:7 --theta 20deg:90deg:9 ";

std::string error_of(const std::string& arguments) {
  const Outcome r = run(arguments);
  CHECK(r.code == 2);
  CHECK(r.out == "");
  return r.err;
}

}  // namespace

TEST_CASE("scan: shards merged give the bytes of the whole") {
  const Folder folder;
  const std::string plain = "--no-provenance ";
  REQUIRE(run(folder, scan + plain + "-o whole.csv -o whole.json").code == 0);
  for (const std::string k : {"1", "2", "3", "4", "5"})
    REQUIRE(run(folder, scan + "--threads " + k + " --shard " + k +
                            "/5 -o part" + k + ".csv")
                .code == 0);
  const Outcome merged = run(folder,
                             "gttf-design scan merge part3.csv part1.csv "
                             "part5.csv part4.csv part2.csv " +
                                 plain + "-o merged.csv -o merged.json");
  CHECK(merged.err == "");
  REQUIRE(merged.code == 0);
  CHECK(folder.read("merged.csv") == folder.read("whole.csv"));
  CHECK(folder.read("merged.json") == folder.read("whole.json"));
  for (const std::string columns : {"", "--columns eta,sigma_p_rel "}) {
    CAPTURE(columns);
    REQUIRE(run(folder, scan + plain + columns + "--quiet -o whole.md").code ==
            0);
    REQUIRE(
        run(folder, scan + columns + "--quiet --shard 1/1 -o only.csv").code ==
        0);
    REQUIRE(
        run(folder, "gttf-design scan merge only.csv " + plain + "-o merged.md")
            .code == 0);
    CHECK(folder.read("merged.md") == folder.read("whole.md"));
  }

  SUBCASE("a merged file records the hashes of its parts") {
    run(folder, "gttf-design scan merge part?.csv -o named.csv");
    const Outcome sum = run(folder, "sha256sum part2.csv | cut -d' ' -f1");
    CHECK(
        has(folder.read("named.csv"), "# input: part2.csv sha256:" + sum.out));
  }
  SUBCASE("a part is missing") {
    const Outcome r = run(folder, "gttf-design scan merge part1.csv part3.csv");
    CHECK(r.code == 2);
    CHECK(has(r.err, "the rows 26 to 50 are missing: give all parts"));
  }
  SUBCASE("a part is given twice") {
    const Outcome r = run(folder, "gttf-design scan merge part1.csv part1.csv");
    CHECK(r.code == 2);
    CHECK(has(r.err, "overlap: both have row 1"));
  }
  SUBCASE("a part is of another study") {
    run(folder, scan + "--phi 10deg --shard 2/5 -o part2.csv");
    const Outcome r = run(folder, "gttf-design scan merge part1.csv part2.csv");
    CHECK(r.code == 2);
    CHECK(has(r.err, "are not of the same study: their phi_rad differs"));
  }
  SUBCASE("a part was made with other vector instructions") {
    run(folder, scan + "--simd scalar --shard 2/5 -o part2.csv");
    run(folder, "GTTF_SIMD=scalar " + scan + "--shard 1/5 -o part1.csv");
    run(folder, scan +
                    "--set 'field.solenoid=0.4 T' --simd scalar --shard 3/5 -o "
                    "part3.csv");
    CHECK(has(run(folder, "gttf-design scan merge part1.csv part2.csv").err,
              "missing"));
    CHECK(has(run(folder, "gttf-design scan merge part2.csv part3.csv").err,
              "their detectors[0].sha256 differs"));
  }
  SUBCASE("a part is cut within its last cell, changed or in disorder") {
    for (const char* damage :
         {"head -c -90 part5.csv", "head -c -1 part5.csv",
          "sed '$!s/0\\.5/0.6/' part5.csv",
          "awk '/^#/{print;next}!h{h=$0;print;next}!a{a=$0;next}!b{b=1;print;"
          "print a;next}{print}' part5.csv"}) {
      CAPTURE(damage);
      run(folder, "cp part5.csv kept && " + std::string(damage) +
                      " > new; mv new part5.csv");
      const Outcome r =
          run(folder, "gttf-design scan merge part?.csv -o m.csv");
      CHECK(r.code == 2);
      CHECK(has(r.err, "\"part5.csv\" is damaged: it"));
      run(folder, "mv kept part5.csv");
    }
  }
  SUBCASE("a part is truncated") {
    run(folder, "head -n -1 part5.csv > cut && mv cut part5.csv");
    const Outcome r = run(folder, "gttf-design scan merge part?.csv -o m.csv");
    CHECK(r.code == 2);
    CHECK(
        has(r.err, "\"part5.csv\" is damaged: it is truncated: the checksum"));
    CHECK(run(folder, "test -e m.csv").code != 0);
  }
}

TEST_CASE("scan: invalid shards and parts are rejected") {
  CHECK(has(error_of(scan + "--shard 2"), "expected k/N as in 2/8"));
  CHECK(has(error_of(scan + "--shard 1/2"), "write it with -o PART.csv"));
  CHECK(has(error_of(scan + "--shard 1/2 --format csv --precision 3"),
            "without --precision"));
  CHECK(has(error_of("gttf-design scan merge"), "nothing to merge"));
  CHECK(has(error_of("gttf-design scan merge $DETECTORS/cld.yaml"),
            "is not part of a scan"));
  CHECK(has(error_of("gttf-design scan $CONFIGS/barrel.yaml $CONFIGS/cld.yaml"),
            "one study at a time"));
  CHECK(has(error_of(scan + "--simd sse2"), "--simd: unknown value \"sse2\""));
  CHECK(has(error_of("GTTF_SIMD=mmx " + scan),
            "GTTF_SIMD: unknown level \"mmx\"; known: auto, scalar, "));
}

TEST_CASE("scan: statistics count all tracks") {
  const Outcome r =
      run("gttf-design scan --detector $DETECTORS/cld.yaml --p "
          "0.02GeV:100GeV:7 --theta 20deg:90deg:9 --stats --format csv "
          "--columns p_GeV");
  CHECK(r.code == 0);
  CHECK(has(r.err, "63 tracks, "));
  CHECK(has(r.err, "vectorised with tracks that cross the same surfaces"));
  CHECK(has(r.err, " not fitted: too few hits"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
