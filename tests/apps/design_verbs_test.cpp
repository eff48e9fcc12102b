// SPDX-License-Identifier: Apache-2.0
// The verbs that answer design questions: budget, sensitivity, regimes.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_json.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using nlohmann::json;

TEST_CASE("budget: every shipped detector adds up to 1 within 1e-12") {
  const Outcome list = run("cd $DETECTORS && ls *.yaml");
  std::istringstream files(list.out);
  int detectors = 0;
  for (std::string file; std::getline(files, file); ++detectors) {
    const bool barrel = run("grep -q solenoid $DETECTORS/" + file).code == 0;
    const json b = json_of("gttf-design budget $DETECTORS/" + file +
                           " --p 2GeV,30GeV --theta " +
                           (barrel ? "85deg,60deg" : "0deg,0.1deg"));
    for (const json& row : b["rows"])
      for (const auto& [name, sum] : row["sum_of_shares"].items())
        if (!sum.is_null()) CHECK(std::abs(sum.get<double>() - 1) < 1e-12);
  }
  CHECK(detectors > 5);
}

TEST_CASE("budget: one track, a table, a total") {
  const Outcome r = run("gttf-design budget $DETECTORS/barrel.yaml --p 1GeV");
  CHECK(r.code == 0);
  CHECK(has(r.out, "sigma(d0)"));
  CHECK(has(r.out, "\ntotal "));
  const Outcome d0 =
      run("gttf-design budget $DETECTORS/barrel.yaml --p 1GeV --parameter d0 "
          "--by group --format markdown");
  CHECK(has(d0.out, "| total"));
  CHECK(has(d0.out, "| group "));
  CHECK_FALSE(has(d0.out, "sigma(z0)"));
}

TEST_CASE("budget: a study gives all its points") {
  const Outcome r =
      run("gttf-design budget $CONFIGS/first-plot.yaml --by group --format csv "
          "--no-provenance | grep -c ,total,");
  CHECK(r.out == "8\n");
}

TEST_CASE("design verbs: standard input, unknown choices, no track") {
  CHECK(
      run("cat $DETECTORS/barrel.yaml | gttf-design budget - --p 1GeV").code ==
      0);
  const Outcome by =
      run("gttf-design budget $DETECTORS/barrel.yaml --p 1GeV --by layers");
  CHECK(by.code == 2);
  CHECK(has(by.err, "did you mean \"layer\"?"));
  const Outcome q = run(
      "gttf-design sensitivity $DETECTORS/barrel.yaml --p 1GeV --parameter d");
  CHECK(q.code == 2);
  for (const char* verb : {"budget", "sensitivity", "regimes"}) {
    const Outcome none = run("gttf-design " + std::string(verb) +
                             " $DETECTORS/barrel.yaml --p 1MeV");
    CHECK(none.code == 3);
    CHECK(has(none.err, "no track has a resolution: curls up"));
  }
}

TEST_CASE("sensitivity: derivatives agree with --set") {
  const std::string detector = "$DETECTORS/barrel.yaml --p 1GeV ";
  const json after = json_of("gttf-design resolve " + detector +
                             "--set 'layers[L1].material=1.001 %'");
  const json old = json_of("gttf-design resolve " + detector +
                           "--set 'layers[L1].material=1 %'");
  const json at = json_of("gttf-design sensitivity " + detector +
                          "--set 'layers[L1].material=1 %'");
  for (const json& row : at["sensitivity"])
    if (row["key"] == "layers[L1].material") {
      const double ratio = after["resolution"]["sigma_d0_um"].get<double>() /
                           old["resolution"]["sigma_d0_um"].get<double>();
      CHECK(std::log(ratio) / 1e-3 ==
            doctest::Approx(row["elasticity_d0"].get<double>()).epsilon(2e-3));
    }
}

TEST_CASE("sensitivity: headroom and lost layers") {
  const Outcome limit =
      run("gttf-design sensitivity $DETECTORS/barrel.yaml --p 1GeV "
          "--limit 'sigma_d0=1 mm' --limit 'pt=5 %'");
  CHECK(limit.code == 0);
  CHECK(has(limit.out, "sigma(d0) <= 1000 um"));
  CHECK(has(limit.out, "sigma(pt)/pt <= 5 %"));
  const Outcome wrong =
      run("gttf-design sensitivity $DETECTORS/barrel.yaml --p 1GeV "
          "--limit sigma_d0=30");
  CHECK(wrong.code == 2);
  CHECK(has(wrong.err, "--limit: error:"));
  const json drop = json_of(
      "gttf-design sensitivity $DETECTORS/barrel.yaml --p 1GeV --drop "
      "--set 'layers[*].efficiency=0.98'");
  CHECK(drop["lost_layers"][0]["case"] == "all layers");
  CHECK(drop["lost_layers"].back()["case"] == "rms");
}

TEST_CASE("regimes: tracks, triplets and thresholds") {
  const std::string detector = "$DETECTORS/barrel.yaml --p 1GeV ";
  const json usual = json_of("gttf-design regimes " + detector);
  CHECK(usual["regime"] == "scattering");
  CHECK(usual["triplets"].size() == 4);
  const json all = json_of("gttf-design regimes --all-triplets " + detector);
  CHECK(all["triplets"].size() == 20);
  CHECK(json_of("gttf-design regimes --mu 0.01 " + detector)["regime"] ==
        "mixed");
  // without scattering it sets no limit
  const json off = json_of("gttf-design regimes --scattering off " + detector);
  for (const json& triplet : off["triplets"]) {
    CHECK(triplet["xi_ms"].is_null());
    CHECK(triplet["xi_ms_limit"].is_null());
  }
  const Outcome wrong = run("gttf-design regimes --mu 2 " + detector);
  CHECK(wrong.code == 2);
}

TEST_CASE("regimes: the paper's studies run") {
  for (const char* name : {"its2-inner", "its2-outer", "itk", "mu3e"}) {
    const Outcome r = run("gttf-design regimes $CONFIGS/paper/regimes-" +
                          std::string(name) + ".yaml --triplets");
    CAPTURE(name);
    CHECK(r.code == 0);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
