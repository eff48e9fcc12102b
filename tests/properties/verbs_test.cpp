// SPDX-License-Identifier: Apache-2.0
// Random detectors through the verbs of the program: what holds for all.
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <map>
#include <set>

#include "properties/population.hpp"
#include "support/dense.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

bool along_beam(Family family) {
  return family == Family::telescope || family == Family::spectrometer;
}

/// One track that most detectors of the family measure well.
std::string track_of(Family family) {
  return along_beam(family) ? " --p 5GeV --theta 0.5deg --phi 33deg"
                            : " --p 2GeV --theta 80deg";
}

// Correlations of a covariance, up to the first parameter that has none.
Eigen::MatrixXd correlations(const Json& covariance) {
  const auto m = [&](int i, int k) -> const Json& {
    return covariance["matrix"][static_cast<std::size_t>(i)]
                     [static_cast<std::size_t>(k)];
  };
  int n = 0;
  while (n < 5 && m(n, n).is_number() && m(n, n) > 0) ++n;
  Eigen::MatrixXd c(n, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      c(i, k) = m(i, k).get<double>() /
                std::sqrt(m(i, i).get<double>() * m(k, k).get<double>());
  return c;
}

}  // namespace

TEST_CASE("random detectors: all are valid") {
  const Population all;
  std::string files;
  for (const Description& d : all.detectors())
    files += " " + Population::file_of(d);
  const Outcome r = run(all.folder(), "gttf-design validate" + files);
  INFO(r.err);
  CHECK(r.code == 0);
  MESSAGE(all.detectors().size()
          << " detectors from seed " << all.detectors().front().seed
          << " (GTTF_PROPERTY_SEED, GTTF_PROPERTY_COUNT)");
}

TEST_CASE("random detectors: show, resolve, budget and report succeed") {
  const Population all;
  int with_budget = 0, reports = 0;
  for (const Description& d : all.detectors()) {
    INFO(recipe(d));
    const std::string file = " " + Population::file_of(d) + " ";
    const std::string track = track_of(d.family);
    const std::string ending = track + " --format json --quiet";
    const Outcome shown = run(all.folder(), "gttf-design show" + file + ending);
    CHECK(shown.code == 0);
    const Outcome resolved =
        run(all.folder(), "gttf-design resolve" + file + ending);
    const Json row = Json::parse(resolved.out);
    CHECK(resolved.code == (has_resolution(row) ? 0 : 3));
    const Outcome taken_apart =
        run(all.folder(), "gttf-design budget" + file + ending);
    CHECK(taken_apart.code == resolved.code);
    const Json budget = Json::parse(taken_apart.out);
    CHECK(budget["resolution"]["status"] == status_of(row));
    // the crossings of the track are those that show prints
    CHECK(Json::parse(shown.out)["track"]["crossings"].size() ==
          row["crossings"].size());
    if (!has_resolution(row)) continue;
    ++with_budget;
    for (const std::string& column : sigma_columns())
      CHECK(budget["resolution"][column] == row["resolution"][column]);
    for (const char* name : {"p", "d0", "z0", "phi0", "theta"}) {
      const Json& sum = budget["sum_of_shares"][name];
      if (sum.is_number()) CHECK(std::abs(sum.get<double>() - 1) < 1e-6);
    }
    if (++reports > family_count) continue;  // pages take longer
    CHECK(run(all.folder(), "gttf-design report --detector" + file +
                                grid_of(d.family) + " --quiet -o r.html")
              .code == 0);
  }
  CHECK(5 * with_budget >= 4 * static_cast<int>(all.detectors().size()));
}

TEST_CASE(
    "random detectors: covariances are positive, or the status says why") {
  const Population all;
  const auto scan = all.scan();
  CHECK(scan.size() == all.detectors().size());
  const std::set<std::string> reasons{"too few hits", "curls up",
                                      "not determined"};
  std::size_t rows = 0, good = 0;
  for (const Description& d : all.detectors()) {
    INFO(recipe(d));
    for (const Json& row : scan.at(d.name)) {
      INFO(row["input"].dump());
      ++rows;
      if (!has_resolution(row)) {
        CHECK(reasons.count(status_of(row)) == 1);
        for (const std::string& column : sigma_columns())
          CHECK(row["resolution"][column].is_null());
        continue;
      }
      ++good;
      CHECK((status_of(row) == "ok") == d.has_field());
      CHECK(row["resolution"]["sigma_p_rel"].is_number() == d.has_field());
      for (const char* name :
           {"covariance_perigee", "covariance_perigee_without_inner_material",
            "covariance_first_hit"}) {
        const Eigen::MatrixXd c = correlations(row[name]);
        REQUIRE(c.rows() >= 4);
        CHECK(c == c.transpose());
        CHECK(eigenvalues(c)[0] > -1e-9);  // rounding of the elements
      }
    }
  }
  CHECK(2 * good > rows);
}

TEST_CASE("random detectors: the same bytes for any number of threads") {
  const Population all;
  for (int i = 0; i < family_count; ++i) {
    const auto family = static_cast<Family>(i);
    std::string files;
    for (const Description& d : all.detectors())
      if (d.family == family) files += " --detector " + Population::file_of(d);
    if (files.empty()) continue;
    const std::string command = "gttf-design scan" + files + grid_of(family) +
                                " --format csv --no-provenance --threads ";
    const std::string alone = run(all.folder(), command + "1").out;
    CHECK(alone.size() > 100);
    CHECK(run(all.folder(), command + "2").out == alone);
    CHECK(run(all.folder(), command + "7").out == alone);
  }
}

TEST_CASE("random detectors: each meets its own baseline exactly") {
  const Population all;
  int checked = 0;
  for (const Description& d : all.detectors()) {
    INFO(recipe(d));
    const std::string file = Population::file_of(d);
    const Outcome kept =
        run(all.folder(), "gttf-design baseline " + file + track_of(d.family) +
                              " -o b.json --quiet");
    if (kept.code == 3) continue;
    REQUIRE(kept.code == 0);
    all.folder().write(
        "r.yaml", "gttf-requirements: 1\ndetectors: [" + file +
                      "]\nbaseline: b.json\n" +
                      (along_beam(d.family) ? "phi: 33 deg\n" : "") +
                      "requirements:\n"
                      "  - { what: [sigma_d0, sigma_theta, n_hits, x_over_x0], "
                      "relative_to_baseline: 0 % }\n");
    const Outcome r = run(all.folder(), "gttf-design check r.yaml --quiet");
    INFO(r.out << r.err);
    CHECK(r.code == 0);
    if (++checked == 2 * family_count) break;
  }
  CHECK(checked > 0);
}

TEST_CASE("random detectors: a card of Delphes gives the same resolutions") {
  const Population all(
      [](const Description& d) { return d.family == Family::barrel; });
  int exported = 0;
  for (const Description& d : all.detectors()) {
    INFO(recipe(d));
    const std::string file = Population::file_of(d);
    const Outcome r = run(
        all.folder(), "gttf-design export " + file +
                          " --to delphes --quiet -o card.tcl && gttf-design "
                          "import card.tcl --quiet -o again.yaml");
    // single coordinates and strips on disks cannot be expressed in a card
    if (r.code == 2) continue;
    REQUIRE(r.code == 0);
    ++exported;
    const auto scanned = [&](const std::string& name) {
      return Json::parse(run(all.folder(), "gttf-design scan --detector " +
                                               name + grid_of(d.family) +
                                               " --format json --quiet "
                                               "--no-provenance")
                             .out)["rows"];
    };
    const Json before = scanned(file), after = scanned("again.yaml");
    REQUIRE(before.size() == after.size());
    for (std::size_t i = 0; i < before.size(); ++i)
      for (const std::string& column : sigma_columns()) {
        CAPTURE(column);
        const Json &x = before[i][column], &y = after[i][column];
        REQUIRE(x.is_number() == y.is_number());
        // metres of 15 digits
        if (x.is_number())
          CHECK(y.get<double>() ==
                doctest::Approx(x.get<double>()).epsilon(1e-9));
      }
  }
  MESSAGE(exported << " of " << all.detectors().size() << " exported");
}

TEST_CASE("random detectors: the hits of a track give the track back") {
  const Population all;
  int fitted = 0;
  for (const Description& d : all.detectors()) {
    const std::string file = Population::file_of(d);
    const Outcome r =
        run(all.folder(), "gttf-design resolve " + file + track_of(d.family) +
                              " --format json --quiet");
    const Json row = Json::parse(r.out);
    if (status_of(row) != "ok" || number(row, "sigma_p_rel") > 0.1) continue;
    INFO(recipe(d));
    std::string hits = "track,layer,x_mm,y_mm,z_mm\n";
    for (const Json& c : row["crossings"]) {
      if (!c["measured"]) continue;
      hits += "1,\"" + c["layer"].get<std::string>() + "\"";
      for (const char* axis : {"x_mm", "y_mm", "z_mm"})
        hits += "," + c[axis].dump();
      hits += "\n";
    }
    all.folder().write("h.csv", hits);
    const Outcome fit =
        run(all.folder(), "gttf-design fit " + file +
                              " h.csv --format json --quiet --columns all");
    INFO(hits << fit.out << fit.err);
    REQUIRE(fit.code == 0);
    const Json track = Json::parse(fit.out)["rows"][0];
    const double p = row["input"]["p_GeV"];
    CHECK(track["status"] == "ok");
    CHECK(track["charge"] == row["input"]["charge"]);
    // far below the error of the measurement
    CHECK(std::abs(track["p_GeV"].get<double>() / p - 1) <
          0.01 * number(row, "sigma_p_rel"));
    CHECK(track["chi2"].get<double>() < 1e-3);
    ++fitted;
  }
  CHECK(fitted > 0);
  MESSAGE(fitted << " tracks fitted");
}

}  // namespace gttf::test::GTTF_TEST_FILE
