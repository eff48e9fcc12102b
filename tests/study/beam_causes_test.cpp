// SPDX-License-Identifier: Apache-2.0
// What changed the errors of tracks along a beam: keys, places, texts.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/study/compare/attribution.hpp"
#include "gttf/study/compare/comparison.hpp"
#include "gttf/study/scan/budget.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/scan/sensitivity.hpp"
#include "support/requirements.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using P = Parameter;
const std::string faser = shipped_file("faser");
const std::string grid =
    "p: 300 GeV\ntheta: 0 deg\nparticle: muon\n"
    "vertex: { x: 0 mm, y: 0 mm, z: -1.6 m }\n";
constexpr std::array beam{P::p, P::x, P::y, P::tx, P::ty};

Track beam_track() {
  Track t;
  t.p = 300;
  t.theta = 0;
  t.vertex = {0, 0, -1600};
  return t;
}

/// One number changed on a separate line in the file of FASER.
struct Change {
  std::string key, override, line_with, from, to;
};

/// A magnet, a hit error, material: what may change between two versions.
std::vector<Change> changes() {
  return {{"field.dipole[1].field", "field.dipole[1].field=0.5 T",
           "{ entrance: 0.095 m", "0.57 T", "0.5 T"},
          {"field.dipole[2].exit", "field.dipole[2].exit=2.2 m",
           "{ entrance: 1.285 m", "2.285 m", "2.2 m"},
          {"layers[S2L2].plane.z", "layers[S2L2].plane.z=1180 mm", "name: S2L2",
           "1190 mm", "1180 mm"},
          {"layers[S3L2].material", "layers[S3L2].material=1.4 %", "", "", ""},
          {"layers[S1L1].measures[1].sigma",
           "layers[S1L1].measures[1].sigma=20 um", "", "", ""}};
}

/// The file with that change, and the line it is on.
std::string changed_text(const Change& change, int& line) {
  std::string text = read_file(faser);
  const std::size_t begin = text.find(change.line_with);
  const std::size_t at = text.find(change.from, begin);
  text.replace(at, change.from.size(), change.to);
  line = 1 + static_cast<int>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                 '\n'));
  return text;
}

}  // namespace

TEST_CASE("beam: a comparison names the one number that was changed") {
  const Detector before = read_detector(faser).detector;
  for (const Change& change : changes()) {
    CAPTURE(change.key);
    const Detector after =
        read_detector(faser, std::vector{change.override}).detector;
    const auto all = attribute_all(before, after, beam_track(), {});
    for (const P q : beam) {
      const Attribution& a = all[static_cast<std::size_t>(q)];
      CAPTURE(to_string(q));
      REQUIRE(a.changes.size() == 1);
      CHECK(a.changes[0].key == change.key);
      CHECK(std::isfinite(a.total));
      // third order of a change of 10 to 100 %
      CHECK(std::abs(a.changes[0].share - a.total) <
            0.02 * std::abs(a.total) + 1e-6);
    }
  }
}

TEST_CASE("beam: the key of a magnet has the line of its number") {
  const Detector before = read_detector(faser).detector;
  for (const Change& change : changes()) {
    if (change.line_with.empty()) continue;
    CAPTURE(change.key);
    int line = 0;
    const DetectorInput after =
        parse_detector(changed_text(change, line), "new.yaml", {});
    auto list = differing_keys(before, after.detector);
    REQUIRE(list.size() == 1);
    CHECK(list[0].key == change.key);
    locate(list, after);
    CHECK(list[0].place.line == line);
    CHECK(list[0].place.column > 1);
  }
}

TEST_CASE("beam: a magnet that is switched off keeps the others' keys") {
  const std::vector<std::string> off{"field.dipole[0].field=0 T"};
  const Detector before = read_detector(faser).detector;
  const Detector after = read_detector(faser, off).detector;
  const auto list = differing_keys(before, after);
  REQUIRE(list.size() == 1);
  CHECK(list[0].key == "field.dipole[0].field");
  CHECK(list[0].after == "0 T");
  // counted as in the file, not among those that are on
  std::vector<std::string> both = off;
  both.emplace_back("field.dipole[2].field=0.5 T");
  const auto other = differing_keys(after, read_detector(faser, both).detector);
  REQUIRE(other.size() == 1);
  CHECK(other[0].key == "field.dipole[2].field");
}

TEST_CASE("beam: a magnet without field does not affect a track") {
  const std::vector<std::string> set{"field.dipole[0].field=0 T"},
      without{"field.dipole[0]=null"};
  const PerParameter a = sigmas(resolve(
      TrackingGeometry(read_detector(faser, set).detector), beam_track()));
  const PerParameter b = sigmas(resolve(
      TrackingGeometry(read_detector(faser, without).detector), beam_track()));
  for (const P q : beam) CHECK(a[q] == doctest::Approx(b[q]).epsilon(1e-11));
}

TEST_CASE("beam: a failing gate names the key, on p, position and slope") {
  for (const Change& change : changes()) {
    CAPTURE(change.key);
    const Gate g = gate(faser, grid,
                        "  - { what: [sigma_p_rel, sigma_x, sigma_ty], "
                        "relative_to_baseline: { tolerance: 1e-6 % } }\n",
                        {change.override});
    CHECK_FALSE(g.outcome.passed());
    const CheckStory story = g.story();
    for (std::size_t i = 0; i < g.outcome.results.size(); ++i) {
      if (g.result(i).passed()) continue;
      REQUIRE(story.causes[i].changes.size() == 1);
      CHECK(story.causes[i].changes[0].key == change.key);
    }
  }
}

TEST_CASE("beam: a gate on a slope names the parts that limit it") {
  const Gate g = gate(faser, grid,
                      "  - { what: sigma_ty, max: 1e-9 rad }\n"
                      "  - { budget: { of: ty, kind: scattering }, min: 0 }\n"
                      "  - { budget: { of: ty, kind: hit }, min: 0 }\n");
  CHECK_FALSE(g.result(0).passed());
  const CheckStory story = g.story();
  REQUIRE(story.causes[0].limited_by.size() == 3);
  CHECK(story.causes[0].limited_by[0].share >=
        story.causes[0].limited_by[1].share);
  CHECK(g.result(1).points[0].value + g.result(2).points[0].value ==
        doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("beam: tables for readers show p, x, y, tx, ty, files show all") {
  const Detector detector = read_detector(faser).detector;
  StudyOptions options;
  options.detectors = {faser};
  options.p = "300 GeV";
  options.theta = "0 deg";
  options.vertex = "0mm,0mm,-1.6m";
  const StudyRequest request = read_request("", options);
  const Budget budget =
      make_budget(TrackingGeometry(detector), grid_track(request, {}));
  const Section s = budget_section(detector, request, {}, budget,
                                   Grouping::layer, std::nullopt);
  std::vector<std::string> names;
  for (const Column& c : s.table.columns) names.push_back(c.name);
  CHECK(names == std::vector<std::string>{"layer", "error", "p_percent",
                                          "x_percent", "y_percent",
                                          "tx_percent", "ty_percent"});
  CHECK(s.facts.size() == 5);
  BudgetTable file;
  file.add(detector, request, {}, budget, Grouping::layer);
  const Table table = std::move(file).take();
  for (const P q : all_parameters) {
    CHECK(table.find("share_" + std::string(to_string(q))) != nullptr);
    CHECK(table.find(sigma_column(q)) != nullptr);
  }
  CHECK(std::isnan(std::get<Reals>(table.find("share_pt")->cells).back()));
  CHECK(std::get<Reals>(table.find("share_tx")->cells).back() ==
        doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("beam: the worst of a comparison is a parameter that exists") {
  StudyOptions options;
  options.detectors = {faser};
  options.p = "100 GeV,300 GeV";
  options.theta = "0 deg";
  options.vertex = "0mm,0mm,-1.6m";
  const StudyRequest request = read_request("", options);
  const std::vector<Detector> designs{
      read_detector(faser).detector,
      read_detector(
          faser,
          std::vector<std::string>{"layers[S1L1].measures[0].sigma=20 um"})
          .detector};
  const Comparison c = compare(request, designs, {});
  const auto worst =
      worst_point(c, request, 1, compared_parameters(true, false));
  REQUIRE(worst);
  CHECK(worst->ratio > 1);
  for (const char* ratio :
       {"ratio_p", "ratio_x", "ratio_y", "ratio_tx", "ratio_ty"})
    for (const double r : c.values(1, ratio)) CHECK(r <= worst->ratio);
}

}  // namespace gttf::test::GTTF_TEST_FILE
