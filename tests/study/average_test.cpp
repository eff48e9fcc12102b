// SPDX-License-Identifier: Apache-2.0
// Averages over azimuth, vertices and lost hits, against sums over single
// tracks.
#include "gttf/study/scan/average.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "gttf/core/statistics.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/missing_hits.hpp"
#include "gttf/study/scan/average_sample.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "support/compare.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr const char* head =
    "gttf-detector: 1\nname: d\nfield: { solenoid: 2 T }\nlayers:\n";

Detector parse(const std::string& layers) {
  return parse_detector(head + layers, "d.yaml").detector;
}

/// "cN": a cylinder at that radius.
std::string cylinder(int radius, const std::string& more = "") {
  return "  - { name: c" + std::to_string(radius) +
         ", cylinder: { radius: " + std::to_string(radius) +
         " mm, half_length: 900 mm }, material: 1 %, measures: { rphi: 5 um, "
         "z: "
         "10 um }" +
         more + " }\n";
}

/// A ring of 12 modules with gaps between cylinders.
std::string ring(double phi = 0, const std::string& more = "") {
  return "  - { name: r, ring: { radius: 120 mm, z: 0 mm, count: 12, size: [50 "
         "mm, 700 mm], turn: 5 deg, phi: " +
         std::to_string(phi) +
         " deg }, material: 2 %, measures: { u: 5 um, v: 20 um }" + more +
         " }\n";
}

Detector with_gaps() {
  return parse(cylinder(30) + cylinder(60) + ring() + cylinder(200));
}

StudyRequest request(bool vertex = false) {
  StudyRequest r;
  r.momentum.values = {0.7, 20};
  r.angle.values = {60 * unit::deg, 90 * unit::deg};
  r.phi = 0.3;
  r.average = AverageRequest{.phi = true, .vertex = vertex, .tracks = 0};
  return r;
}

Table averages(const StudyRequest& request, const Detector& detector,
               unsigned threads = 1) {
  ScanOptions options;
  options.threads = threads;
  return scan_table(request, detector, options).rows;
}

const Reals& column(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  REQUIRE(found != table.columns.end());
  return std::get<Reals>(found->cells);
}

std::string method(const Table& table, std::size_t row = 0) {
  return std::get<Texts>(table.find("method")->cells)[row];
}

/// The detector without the hits of these layers.
Detector without(Detector detector, const std::vector<std::size_t>& lost) {
  for (const std::size_t l : lost) detector.layers[l].coordinates.clear();
  return detector;
}

/// Mean, rms, q95 of sigma(d0) in um, efficiency, by all patterns.
struct Summed {
  WeightedNumbers d0;
  double efficiency = 0, hits = 0;
};
Summed sum_patterns(const Detector& detector, const Track& track) {
  std::vector<double> efficiencies;
  for (const Layer& l : detector.layers) efficiencies.push_back(l.efficiency);
  Summed sum;
  for_each_hit_pattern(
      efficiencies, efficiencies.size(),
      [&](const std::vector<std::size_t>& lost, double probability) {
        if (probability == 0) return;
        const Detector own = without(detector, lost);
        const Resolution r = resolve(TrackingGeometry(own), track);
        sum.hits += probability * r.n_hits;
        if (r.status != Status::ok) return;
        sum.efficiency += probability;
        sum.d0.add(std::sqrt(r.perigee(0, 0)) / unit::um, probability);
      });
  sum.d0.sort();
  return sum;
}

}  // namespace

TEST_CASE("averages: patterns of hits are summed up with their weights") {
  const Detector d = parse(cylinder(30, ", efficiency: 90 %") + cylinder(60) +
                           cylinder(90, ", efficiency: 0.7") +
                           cylinder(120, ", efficiency: 95 %") +
                           cylinder(200, ", efficiency: 60 %"));
  const StudyRequest r = request();
  const Table table = averages(r, d);
  REQUIRE(table.rows() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Summed sum = sum_patterns(d, grid_track(r, grid_point(r, i)));
    CHECK(method(table, i) == "exact");
    CHECK(std::get<Integers>(table.find("tracks")->cells)[i] == 16);
    const auto same = [&](const std::string& name, double expected) {
      CHECK(std::abs(column(table, name)[i] - expected) <=
            1e-11 * std::abs(expected));
    };
    same("efficiency", sum.efficiency);
    CHECK(column(table, "efficiency_error")[i] == 0);
    same("n_hits", sum.hits);
    same("sigma_d0_um", sum.d0.mean());
    same("sigma_d0_um_rms", sum.d0.width());
    same("sigma_d0_um_q16", sum.d0.quantile(0.16));
    same("sigma_d0_um_q50", sum.d0.quantile(0.5));
    same("sigma_d0_um_q84", sum.d0.quantile(0.84));
    same("sigma_d0_um_q95", sum.d0.quantile(0.95));
    CHECK(column(table, "sigma_d0_um_error")[i] == 0);
  }
}

TEST_CASE("averages: are those of --drop, for any number of layers") {
  std::string layers;
  for (int i = 0; i < 9; ++i)
    layers += cylinder(30 + 20 * i, ", efficiency: 85 %");
  const Detector d = parse(layers);
  StudyRequest r = request();
  r.momentum.values = {3};
  const Table table = averages(r, d);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const EfficiencyAverage drop =
        average_over_efficiencies(d, grid_track(r, grid_point(r, i)), Model());
    CHECK(std::abs(column(table, "efficiency")[i] - drop.measured) < 1e-12);
    CHECK(std::abs(column(table, "sigma_pt_rel")[i] / drop.mean[Parameter::pt] -
                   1) < 1e-11);
    CHECK(std::abs(std::hypot(column(table, "sigma_d0_um")[i],
                              column(table, "sigma_d0_um_rms")[i]) *
                       unit::um / drop.rms[Parameter::d0] -
                   1) < 1e-11);
  }
}

TEST_CASE("averages: azimuths of a sample, and its error") {
  const Detector d = with_gaps();
  const TrackingGeometry geometry(d);
  StudyRequest r = request();
  r.average->tracks = 50;
  const Table table = averages(r, d);
  const AverageSample sample(r, d, 50, false);
  REQUIRE(sample.slices() == 8);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(method(table, i) == "sample");
    Track track = grid_track(r, grid_point(r, i));
    WeightedNumbers pt;
    std::vector<double> sums(8), weights(8);
    double hits = 0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      track.phi = sample.phi(k);
      const Resolution one = resolve(geometry, track);
      pt.add(one.sigma_pt_rel, 1);
      hits += one.n_hits / 50.0;
      sums[sample.slice_of(k)] += one.sigma_pt_rel;
      weights[sample.slice_of(k)] += 1;
    }
    pt.sort();
    double squares = 0;
    for (std::size_t s = 0; s < 8; ++s)
      squares += std::pow(sums[s] - pt.mean() * weights[s], 2);
    const auto close = [&](const std::string& name, double expected,
                           double precision) {
      CHECK(std::abs(column(table, name)[i] / expected - 1) < precision);
    };
    close("sigma_pt_rel", pt.mean(), 1e-12);
    close("sigma_pt_rel_rms", pt.width(), 1e-8);
    close("sigma_pt_rel_q84", pt.quantile(0.84), 1e-12);
    close("sigma_pt_rel_error", std::sqrt(8.0 / 7 * squares) / 50, 1e-8);
    close("n_hits", hits, 1e-12);
    CHECK(column(table, "efficiency")[i] == 1);
    CHECK(column(table, "efficiency_error")[i] == 0.01);
  }
}

// Straight tracks cross the gaps as seen from the axis: edges of modules
// that are turned by t are at atan((r sin t -+ w/2)/(r cos t)) + t.
TEST_CASE("averages: the share of tracks with a hit is that of the modules") {
  const Detector d = with_gaps();
  StudyRequest r = request();
  r.momentum.values = {1e4};
  constexpr std::size_t n = 20000;
  r.average->tracks = n;
  const Table table = averages(r, d, 2);
  const double turn = 5 * unit::deg, across = 120 * std::sin(turn),
               depth = 120 * std::cos(turn);
  const double seen =
      std::atan((across + 25) / depth) - std::atan((across - 25) / depth);
  const double expected = 3 + seen / (30 * unit::deg);
  // a sequence of golden angles covers an arc to within a few points
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const double mean = column(table, "n_hits")[i];
    CHECK(std::abs(mean - expected) < 24. * 3 / n);
    // slices of 2500 tracks do so as well
    CHECK(column(table, "n_hits_error")[i] > 0);
    CHECK(column(table, "n_hits_error")[i] < 24. * 3 * 3 / n);
  }
}

TEST_CASE("averages: dead regions lose hits, not material") {
  const std::string first = cylinder(60) + cylinder(90) + cylinder(200);
  const Detector whole = parse(cylinder(30) + first);
  const Detector dead =
      parse(cylinder(30,
                     ", dead: [{ phi: [10 deg, 30 deg] }, { phi: [350 deg, 364 "
                     "deg] }]") +
            first);
  StudyRequest r = request();
  r.momentum.values = {1e4};  // straight
  r.angle.values = {90 * unit::deg};
  r.average->tracks = 4096;
  const Table table = averages(r, dead);
  CHECK(std::abs(column(table, "n_hits")[0] - (4 - 34. / 360)) < 6. / 4096);
  CHECK(column(table, "x_over_x0_rms")[0] < 1e-9);
  // what a single track has
  Track track = grid_track(r, {0, 0});
  for (const double phi : {20.0, 40.0, 355.0, -8.0, 6.0}) {
    track.phi = phi * unit::deg;
    const bool in = phi == 20 || phi == 355 || phi == -8;
    const Resolution a = resolve(TrackingGeometry(dead), track),
                     b = resolve(
                         TrackingGeometry(in ? without(whole, {0}) : whole),
                         track);
    CHECK(a.n_hits == (in ? 3 : 4));
    CHECK(a.x_over_x0 == b.x_over_x0);
    CHECK(a.crossings.size() == 4);
    CHECK((a.perigee - b.perigee).norm() == 0);
    CHECK(a.crossings[0].measured == !in);
  }
  // and without field and helix
  Model lossy;
  lossy.loss = EnergyLoss::mean;
  track.p = 1;
  track.phi = 20 * unit::deg;
  CHECK(resolve(TrackingGeometry(dead), track, lossy).n_hits == 3);
}

TEST_CASE("averages: a detector that is turned has the same ones") {
  const auto turned = [](double angle) {
    const auto region = [angle](double from, double to) {
      return ", dead: { phi: [" + std::to_string(from + angle) + " deg, " +
             std::to_string(to + angle) + " deg] }";
    };
    return parse(cylinder(30, ", efficiency: 90 %" + region(10, 30)) +
                 cylinder(60, ", efficiency: 80 %") +
                 ring(angle, ", efficiency: 0.7") + cylinder(200) +
                 cylinder(250, region(100, 200)));
  };
  StudyRequest r = request(true);
  r.luminous_region = {0.02, 0.02, 50};
  r.average->tracks = 128;
  r.vertex = {0.5, 0, 3};
  const Table first = averages(r, turned(0));
  CHECK(method(first) == "sample");
  for (const double angle : {17.25, 213.5}) {
    StudyRequest own = r;
    const double a = angle * unit::deg;
    own.vertex = {0.5 * std::cos(a), 0.5 * std::sin(a), 3};
    own.phi += a;
    const Table second = averages(own, turned(angle));
    for (std::size_t c = 0; c < first.columns.size(); ++c) {
      const auto* x = std::get_if<Reals>(&first.columns[c].cells);
      if (x == nullptr) continue;
      const auto& y = std::get<Reals>(second.columns[c].cells);
      const std::string& name = first.columns[c].name;
      // errors and widths that are rounding themselves
      const bool spread = name.ends_with("_error") || name.ends_with("_rms");
      // x and y are not turned
      if (name.starts_with("sigma_x") || name.starts_with("sigma_y") ||
          name.starts_with("sigma_t"))
        continue;
      for (std::size_t i = 0; i < x->size(); ++i) {
        const std::string mean(averaged_column(name));
        const double scale = spread ? column(first, mean)[i] : (*x)[i];
        INFO(name);
        CHECK(std::abs((*x)[i] - y[i]) <= 1e-12 * std::abs(scale) + 1e-15);
      }
    }
  }
}

TEST_CASE("averages: a sample of lost hits agrees with the sum over all") {
  std::string layers;
  for (int i = 0; i < 13; ++i)
    layers += cylinder(30 + 20 * i, ", efficiency: 80 %");
  const Detector d = parse(layers);
  StudyRequest r = request();
  r.momentum.values = {2};
  r.angle.values = {90 * unit::deg};
  const Summed sum = sum_patterns(d, grid_track(r, {0, 0}));
  for (const std::size_t n : {256U, 1024U}) {
    r.average->tracks = n;
    const Table table = averages(r, d);
    CHECK(method(table) == "sample");
    const double error = column(table, "sigma_d0_um_error")[0];
    const double off = column(table, "sigma_d0_um")[0] - sum.d0.mean();
    CHECK(std::abs(off) < 3 * error);
    // no worse than independent tracks by more than the error's own error
    CHECK(error < 2 * sum.d0.width() / std::sqrt(static_cast<double>(n)));
    CHECK(error > 0);
    CHECK(std::abs(column(table, "n_hits")[0] - sum.hits) <
          13. / static_cast<double>(n));
    CHECK(std::abs(column(table, "efficiency")[0] - sum.efficiency) <=
          3 * column(table, "efficiency_error")[0]);
  }
}

TEST_CASE("averages: do not depend on threads; vertices of the region") {
  const Detector d =
      parse(cylinder(30, ", efficiency: 95 %") + cylinder(60) +
            ring(0, ", efficiency: 95 %, dead: { module: 3 }") + cylinder(200));
  StudyRequest r = request(true);
  r.luminous_region = {0.02, 0.01, 60};
  r.average->tracks = 96;
  const Table one = averages(r, d, 1), two = averages(r, d, 2);
  for (std::size_t c = 0; c < one.columns.size(); ++c)
    if (const auto* cells = std::get_if<Reals>(&one.columns[c].cells))
      CHECK(same_bits(*cells, std::get<Reals>(two.columns[c].cells)));
    else
      CHECK(one.columns[c].cells == two.columns[c].cells);
  const AverageSample sample(r, d, 4096, false);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double mean = 0, squares = 0;
    for (std::size_t k = 0; k < sample.size(); ++k)
      mean += sample.vertex(k)[axis] / 4096;
    for (std::size_t k = 0; k < sample.size(); ++k)
      squares += std::pow(sample.vertex(k)[axis] - mean, 2) / 4096;
    const double sigma = (*r.luminous_region)[axis];
    CHECK(std::abs(mean) < 2e-3 * sigma);
    CHECK(std::abs(std::sqrt(squares) / sigma - 1) < 2e-3);
  }
}

TEST_CASE("averages: one azimuth where all look the same") {
  const Detector round = parse(cylinder(30) + cylinder(60) + cylinder(90));
  const Table table = averages(request(), round);
  const TrackingGeometry geometry(round);
  const StudyRequest r = request();
  for (std::size_t i = 0; i < table.rows(); ++i) {
    CHECK(method(table, i) == "exact");
    CHECK(std::get<Integers>(table.find("tracks")->cells)[i] == 1);
    const Resolution one = resolve(geometry, grid_track(r, grid_point(r, i)));
    CHECK(std::abs(column(table, "sigma_pt_rel")[i] / one.sigma_pt_rel - 1) <
          1e-12);
  }
  // not if the tracks do not start on the axis
  StudyRequest beside = request();
  beside.vertex[0] = 1;
  CHECK(method(averages(beside, round)) == "sample");
  // only planes for vertices
  StudyRequest along = request(true);
  along.luminous_region = {0, 0, 50};
  CHECK(method(averages(along, round)) == "sample");
  CHECK(reference_azimuth(round, along) == std::nullopt);
}

TEST_CASE("averages: names of columns are those of the rows") {
  StudyRequest r = request();
  const Table table = averages(r, with_gaps());
  const std::vector<std::string> names = average_column_names(r);
  REQUIRE(names.size() == table.columns.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK(table.columns[i].name == names[i]);
  CHECK(table.find("phi_deg") == nullptr);
  r.average->phi = false;
  CHECK(averages(r, with_gaps()).find("phi_deg") != nullptr);
  CHECK(averaged_column("sigma_d0_um_q95") == "sigma_d0_um");
  CHECK(averaged_column("sigma_d0_um") == "sigma_d0_um");
}

TEST_CASE("averages: stratified numbers fill all parts, also in slices") {
  for (const std::size_t n : {8U, 50U, 256U, 1001U}) {
    const std::vector<double> numbers = stratified_numbers(n, 8, 5);
    REQUIRE(numbers.size() == n);
    const auto parts = [](std::vector<double> list, std::size_t of) {
      std::ranges::sort(list);
      std::vector<int> count(of);
      for (const double x : list) {
        REQUIRE(x > 0);
        REQUIRE(x < 1);
        ++count[static_cast<std::size_t>(x * static_cast<double>(of))];
      }
      return count;
    };
    for (const int count : parts(numbers, n)) CHECK(count == 1);
    if (n % 8 != 0) continue;
    for (std::size_t s = 0; s < 8; ++s) {
      const auto begin =
          numbers.begin() + static_cast<std::ptrdiff_t>(s * n / 8);
      for (const int count :
           parts({begin, begin + static_cast<std::ptrdiff_t>(n / 8)}, n / 8))
        CHECK(count == 1);
    }
    CHECK(stratified_numbers(n, 8, 6) != numbers);
    CHECK(stratified_numbers(n, 8, 5) == numbers);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
