// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/run.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using nlohmann::json;

namespace {

const std::string toy =
    "gttf-design toy --detector $DETECTORS/alice_its2.yaml --p 1GeV ";

std::string error_of(const std::string& options) {
  const Outcome r = run(toy + options);
  CHECK(r.code == 2);
  CHECK(r.out == "");
  return r.err;
}

}  // namespace

TEST_CASE("toy: a row per point and fit") {
  const Outcome r =
      run(toy +
          "--toys 2000 --theta 90deg,70deg --fits general,ms,common "
          "--format json");
  REQUIRE(r.code == 0);
  const json result = json::parse(r.out);
  CHECK(result["provenance"]["seed"] == 1);
  REQUIRE(result["rows"].size() == 6);
  const json& row = result["rows"][0];
  CHECK(row["fit"] == "general");
  CHECK(row["n_toys"] == 2000);
  CHECK(row["efficiency"] == 1);
  // 2000 toys measure a width to 1.6 %
  CHECK(row["pull_width_d0"].get<double>() == doctest::Approx(1).epsilon(0.08));
  long inside = 0;
  for (const json& n : row["histograms"]["pull_qop"]["counts"])
    inside += n.get<long>();
  CHECK(inside == 2000);
  CHECK(result["rows"][1]["fit"] == "scattering");
  CHECK(result["rows"][2]["fit"] == "common-curvature");
}

TEST_CASE("toy: keys of the study file, and options before them") {
  const Folder folder;
  folder.write("s.yaml",
               "gttf-study: 1\ndetectors: [d.yaml]\nmomentum: 1 GeV\n"
               "toys: 300\nseed: 7\nfits: [general, regularised]\n");
  run("cp $DETECTORS/alice_its2.yaml " + folder.path() + "/d.yaml");
  const Outcome r = run(folder, "gttf-design toy s.yaml --format json");
  REQUIRE(r.code == 0);
  const json result = json::parse(r.out);
  CHECK(result["study"]["seed"] == 7);
  CHECK(result["study"]["toys"] == 300);
  CHECK(result["rows"].size() == 2);
  const Outcome other =
      run(folder, "gttf-design toy s.yaml --seed 8 --toys 50 --format json");
  CHECK(json::parse(other.out)["study"]["seed"] == 8);
  CHECK(json::parse(other.out)["study"]["toys"] == 50);
}

TEST_CASE("toy: shards and merge give the whole file") {
  const Folder folder;
  const std::string end = " --no-provenance ";
  CHECK(run(folder, toy + end + "--toys 2000 --threads 2 -o all.json").code ==
        0);
  for (const char* k : {"1", "2", "3"})
    CHECK(run(folder,
              toy + "--toys 2000 --shard " + k + "/3 -o part" + k + ".json")
              .code == 0);
  CHECK(run(folder, "gttf-design toy merge part3.json part1.json part2.json" +
                        end + "-o merged.json && cmp all.json merged.json")
            .code == 0);
}

TEST_CASE("toy: single toys are saved, a row per fit") {
  const Folder folder;
  CHECK(run(folder, toy + "--toys 20 --fits general,hits --save-toys t.csv "
                          "--no-provenance")
            .code == 0);
  const Outcome r = run(folder, "cat t.csv");
  CHECK(has(r.out, "detector,p_GeV,theta_deg,toy,fit,chi2,ndf,true_d0_um,"));
  CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 41);
}

TEST_CASE("toy: errors, and what to write instead") {
  CHECK(has(error_of("--fits generl"), "did you mean \"general\"?"));
  CHECK(has(error_of("--fits general,general"), "given twice"));
  CHECK(has(error_of("--toys 0"), "must be between 1 and"));
  CHECK(has(error_of("--toys many"), "expected a whole number"));
  CHECK(has(error_of("--seed -1"), "must not be negative"));
  CHECK(has(error_of("--shard 2"), "expected k/N as in 2/8, got \"2\""));
  CHECK(has(error_of("--shard 0/4"), "there are the shards 1 to 4"));
  CHECK(has(error_of("--shard 5/4"), "there are the shards 1 to 4"));
  CHECK(has(error_of("--shard 1/0"), "number of shards"));
  CHECK(has(error_of("--shard 1/2"), "write it with -o PART.json"));
  CHECK(has(error_of("--shard 1/2 -o /dev/null --format csv"),
            "write it with -o PART.json"));
  CHECK(has(error_of("-o t.csv --save-toys t.csv"),
            "--save-toys \"t.csv\": given twice"));
  CHECK(has(error_of("--save-toys -"), "--save-toys \"-\": given twice"));
  CHECK(has(error_of("--checkpoint c --save-toys t.csv"),
            "--save-toys cannot be used with --checkpoint"));
  CHECK(has(run("gttf-design toy").err, "nothing to simulate"));
  CHECK(has(run("gttf-design toy $CONFIGS/barrel.yaml $CONFIGS/cld.yaml").err,
            "one study at a time"));
  CHECK(has(run("gttf-design toy merge").err, "nothing to merge"));
  CHECK(has(run("gttf-design toy merge none.json").err,
            "cannot read \"none.json\": No such file or directory"));
  CHECK(has(run("gttf-design toy merge $DETECTORS/barrel.yaml").err,
            "not valid JSON, or truncated, at byte"));
}

TEST_CASE("toy: a checkpoint of something else is rejected and kept") {
  const Folder folder;
  CHECK(run(folder, toy + "--toys 500 --checkpoint c -o /dev/null").code == 0);
  const std::string before = run(folder, "cksum c").out;
  const Outcome seed = run(folder, toy + "--toys 500 --checkpoint c --seed 2");
  CHECK(seed.code == 2);
  CHECK(has(seed.err,
            "\"c\" belongs to another study: its seed differs; give another "
            "file, or remove it to start again"));
  const Outcome shard =
      run(folder, toy + "--toys 500 --checkpoint c --shard 1/2 --format json");
  CHECK(shard.code == 2);
  CHECK(has(shard.err, "\"c\" belongs to another shard"));
  CHECK(run(folder, "cksum c").out == before);
}

TEST_CASE("toy: no track to fit is exit code 3") {
  const Outcome r =
      run("gttf-design toy --detector $DETECTORS/alice_its2.yaml --p 1MeV "
          "--toys 10");
  CHECK(r.code == 3);
  CHECK(has(r.err, "no toy could be fitted"));
  CHECK(has(r.out, "curls up"));
}

TEST_CASE(
    "toy: the table has the variables of the grid and names its detector") {
  const Outcome r = run(
      "gttf-design toy --detector $DETECTORS/barrel.yaml --pt 1GeV --eta 0.5 "
      "--toys 100");
  CHECK(r.code == 0);
  CHECK(has(r.out, "\n  detector        teaching barrel\n"));
  CHECK(has(r.out, "\n  particle        pion\n"));
  CHECK(has(r.out, "   pt       "));
  CHECK(has(r.out, "eta"));
  CHECK_FALSE(has(r.out, "[deg]"));
}

}  // namespace gttf::test::GTTF_TEST_FILE
