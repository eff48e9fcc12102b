// SPDX-License-Identifier: Apache-2.0
// Averages over azimuth against single tracks.
#include "gttf/study/scan/average.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <variant>

#include "gttf/detector/read.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "support/compare.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// A ring of 12 modules with gaps between cylinders.
Detector with_gaps() {
  return parse_detector(R"(gttf-detector: 1
name: gaps
field: { solenoid: 2 T }
layers:
  - { name: a, cylinder: { radius: 30 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: b, cylinder: { radius: 60 mm, half_length: 300 mm }, material: 1 %, measures: { rphi: 5 um, z: 10 um } }
  - { name: c, ring: { radius: 120 mm, z: 0 mm, count: 12, size: [50 mm, 700 mm], turn: 5 deg }, material: 2 %, measures: { u: 5 um, v: 20 um } }
  - { name: d, cylinder: { radius: 200 mm, half_length: 600 mm }, material: 1 %, measures: { rphi: 10 um, z: 20 um } }
)",
                        "gaps.yaml")
      .detector;
}

StudyRequest request() {
  StudyRequest r;
  r.momentum.values = {0.7, 20};
  r.angle.values = {60 * unit::deg, 90 * unit::deg};
  r.phi = 0.3;
  return r;
}

Table averages(const StudyRequest& request, const Detector& detector,
               std::size_t azimuths, unsigned threads) {
  KeptRows collector;
  ScanOptions options;
  options.threads = threads;
  scan_averages(request, {&detector, 1}, options, azimuths, collector);
  return collector.rows;
}

const Reals& column(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  REQUIRE(found != table.columns.end());
  return std::get<Reals>(found->cells);
}

}  // namespace

TEST_CASE("averages: equal the mean and the spread of single tracks") {
  const Detector d = with_gaps();
  const TrackingGeometry geometry(d);
  const StudyRequest r = request();
  constexpr std::size_t n = 50;
  const Table table = averages(r, d, n, 1);
  REQUIRE(table.rows() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    Track track = grid_track(r, grid_point(r, i));
    double sum = 0, squares = 0, hits = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double turns = static_cast<double>(k) * (std::sqrt(5.0) - 1) / 2;
      track.phi = r.phi + 2 * unit::pi * (turns - std::floor(turns));
      const Resolution one = resolve(geometry, track, Model());
      sum += one.sigma_pt_rel;
      squares += one.sigma_pt_rel * one.sigma_pt_rel;
      hits += one.n_hits;
    }
    const double mean = sum / n;
    CHECK(std::abs(column(table, "sigma_pt_rel")[i] / mean - 1) < 1e-12);
    // a difference of squares that are 10 to 1000 times as large
    CHECK(std::abs(column(table, "sigma_pt_rel_rms")[i] /
                       std::sqrt(squares / n - mean * mean) -
                   1) < 1e-8);
    CHECK(std::abs(column(table, "n_hits_mean")[i] - hits / n) < 1e-12);
    CHECK(column(table, "resolved")[i] == 1);
    CHECK(column(table, "n_hits_mean")[i] > 3.5);
    CHECK(column(table, "n_hits_mean")[i] < 4);
  }
}

// Straight tracks of 20 GeV see the gaps as they are seen from the axis: edges
// of modules that are turned by t are at atan((r sin t -+ w/2)/(r cos t)) + t.
TEST_CASE("averages: the share of tracks with a hit is that of the modules") {
  const Detector d = with_gaps();
  StudyRequest r = request();
  r.momentum.values = {1e4};
  constexpr std::size_t n = 20000;
  const Table table = averages(r, d, n, 2);
  const double turn = 5 * unit::deg, across = 120 * std::sin(turn),
               depth = 120 * std::cos(turn);
  const double seen =
      std::atan((across + 25) / depth) - std::atan((across - 25) / depth);
  const double expected = 3 + seen / (30 * unit::deg);
  // a sequence of golden angles covers an arc but for a few points
  for (const double mean : column(table, "n_hits_mean"))
    CHECK(std::abs(mean - expected) < 24. * 3 / n);
}

TEST_CASE("averages: do not depend on threads; more azimuths, same mean") {
  const Detector d = with_gaps();
  const StudyRequest r = request();
  const Table one = averages(r, d, 64, 1), two = averages(r, d, 64, 2);
  for (std::size_t c = 0; c < one.columns.size(); ++c)
    if (const auto* cells = std::get_if<Reals>(&one.columns[c].cells))
      CHECK(same_bits(*cells, std::get<Reals>(two.columns[c].cells)));
    else
      CHECK(one.columns[c].cells == two.columns[c].cells);
  const Table many = averages(r, d, 4096, 2);
  for (const char* name : {"sigma_d0_um", "sigma_pt_rel", "sigma_z0_um"})
    for (std::size_t i = 0; i < one.rows(); ++i)
      CHECK(std::abs(column(one, name)[i] - column(many, name)[i]) <
            column(many, std::string(name) + "_rms")[i] / 8);
}

TEST_CASE("averages: names of columns are those of the rows") {
  const Table table = averages(request(), with_gaps(), 2, 1);
  const std::vector<std::string> names = average_column_names();
  REQUIRE(names.size() == table.columns.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK(table.columns[i].name == names[i]);
}

}  // namespace gttf::test::GTTF_TEST_FILE
