// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/toys/toy_study.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/output/json.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/toys/toy_state.hpp"
#include "gttf/study/toys/toy_table.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

struct Study {
  StudyRequest request;
  std::vector<Detector> detectors;

  Study(const std::string& detector, std::vector<double> momenta,
        std::vector<double> angles, std::uint64_t toys) {
    detectors.push_back(shipped(detector));
    request.momentum.values = std::move(momenta);
    for (const double a : angles) request.angle.values.push_back(a * unit::deg);
    request.toys.toys = toys;
  }

  ToyState run(const Shard& shard = {}, unsigned threads = 1) const {
    ToyState state = plan_toys(request, detectors, shard);
    ToyRunOptions options;
    options.threads = threads;
    run_toys(request, detectors, options, state);
    return state;
  }
};

std::string text_of_state(const ToyState& state) {
  std::string text;
  append_json(text, to_document(state));
  return text;
}

Study small() {
  Study s("alice_its2", {0.5, 2}, {90, 70}, 1001);
  s.request.toys.fits = {{FitKind::general, WeightSource::estimate},
                         {FitKind::scattering, WeightSource::local}};
  return s;
}

/// Passive layers between hits, fits that share their equations.
Study sharing() {
  Study s("cld", {1, 20}, {90, 50}, 1001);
  s.request.toys.fits = {{FitKind::general, WeightSource::shared},
                         {FitKind::scattering, WeightSource::shared}};
  return s;
}

TEST_CASE("toy study: the same bits for any number of threads") {
  for (const Study& s : {small(), sharing()}) {
    const std::string one = text_of_state(s.run({}, 1));
    CHECK(one == text_of_state(s.run({}, 2)));
    CHECK(one == text_of_state(s.run({}, 5)));
  }
}

TEST_CASE(
    "toy study: shards of fits that share their equations are the whole") {
  const Study s = sharing();
  CHECK(text_of_state(merge_toys({s.run({1, 2}), s.run({2, 2})}, {"1", "2"})) ==
        text_of_state(s.run()));
}

TEST_CASE("toy study: passive layers are vectorised, except local weights") {
  for (const bool local : {false, true}) {
    Study s = sharing();
    s.request.toys.fits.push_back(
        {FitKind::scattering,
         local ? WeightSource::local : WeightSource::update});
    ToyState state = plan_toys(s.request, s.detectors, {});
    ToyRunOptions options;
    BatchStatistics counts;
    options.statistics = &counts;
    run_toys(s.request, s.detectors, options, state);
    CHECK((counts.vectorised > 0) == !local);
    CHECK(counts.unsupported == (local ? counts.tracks : 0));
  }
}

TEST_CASE("toy study: merged shards are the whole, in any order") {
  const Study s = small();
  const std::string whole = text_of_state(s.run());
  for (const std::uint64_t n : {1u, 2u, 3u, 7u}) {
    std::vector<ToyState> parts;
    std::vector<std::string> names;
    for (std::uint64_t k = n; k >= 1; --k) {
      parts.push_back(s.run({k, n}));
      names.push_back(std::to_string(k));
    }
    CHECK(text_of_state(merge_toys(std::move(parts), names)) == whole);
  }
}

TEST_CASE("toy study: more shards than toys leave some of them empty") {
  Study s = small();
  s.request.toys.toys = 3;
  std::vector<ToyState> parts;
  for (std::uint64_t k = 1; k <= 5; ++k) parts.push_back(s.run({k, 5}));
  const ToyState sum = merge_toys(std::move(parts), {"1", "2", "3", "4", "5"});
  CHECK(text_of_state(sum) == text_of_state(s.run()));
}

TEST_CASE("toy study: an interrupted run continues to the same bits") {
  const Study s = small();
  const std::string whole = text_of_state(s.run());
  // more toys than one wave, so that there is a middle
  Study longer = small();
  longer.request.toys.toys = 20000;
  longer.request.momentum.values = {1};
  longer.request.toys.fits.resize(1);
  struct Stop {};
  std::string stored;
  ToyRunOptions options;
  options.threads = 1;
  int calls = 0;
  options.checkpoint = [&](const ToyState& state) {
    stored = text_of_state(state);
    if (++calls == 2) throw Stop();
  };
  ToyState state = plan_toys(longer.request, longer.detectors, {});
  CHECK_THROWS_AS(run_toys(longer.request, longer.detectors, options, state),
                  Stop);
  ToyState again = toy_state_of(read_json(stored, "stored"), "stored");
  CHECK(again.done() > 0);
  CHECK_FALSE(again.is_complete());
  check_same_run(plan_toys(longer.request, longer.detectors, {}), again, "x");
  run_toys(longer.request, longer.detectors, {}, again);
  CHECK(again.is_complete());
  CHECK(text_of_state(again) == text_of_state(longer.run()));
}

std::string merge_error(std::vector<ToyState> parts) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i)
    names.push_back("part" + std::to_string(i));
  try {
    merge_toys(std::move(parts), names);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("toy merge: parts that do not belong together are rejected") {
  Study s = small();
  s.request.toys.toys = 30;
  const ToyState a = s.run({1, 3}), b = s.run({2, 3}), c = s.run({3, 3});
  CHECK(merge_error({a, c}) ==
        "the toys 10 to 19 of every point are missing: give all parts");
  CHECK(merge_error({a, b}) ==
        "the toys 20 to 29 of every point are missing: give all parts");
  CHECK(merge_error({b, c}) ==
        "the toys 0 to 9 of every point are missing: give all parts");
  CHECK(merge_error({a, b, b, c}) ==
        "\"part1\" and \"part2\" overlap: both have toy 10 of every point");
  CHECK(merge_error({a, b, plan_toys(s.request, s.detectors, {3, 3})}) ==
        "\"part2\" is not finished: it has 0 of 40 toys; run that shard again "
        "with its checkpoint");
  Study other = s;
  other.request.toys.seed = 2;
  CHECK(merge_error({a, b, other.run({3, 3})}) ==
        "\"part0\" and \"part2\" are not of the same study: their seed "
        "differs");
  other = s;
  other.detectors[0].sha256[0] ^= 1;
  CHECK(merge_error({a, b, other.run({3, 3})}) ==
        "\"part0\" and \"part2\" are not of the same study: their "
        "detectors[0].sha256 differs");
  other = s;
  other.request.toys.fits.pop_back();
  CHECK(merge_error({a, b, other.run({3, 3})}) ==
        "\"part0\" and \"part2\" are not of the same study: their fits "
        "differs");
  const SimdLevel usual = simd_level();
  set_simd_level(SimdLevel::scalar);
  const ToyState scalar = s.run({3, 3});
  set_simd_level(std::nullopt);
  if (usual == SimdLevel::scalar) return;  // the only one here
  CHECK(merge_error({a, b, scalar}) ==
        "\"part0\" and \"part2\" are not of the same study: their simd "
        "differs");
  CHECK_THROWS_WITH_AS(
      check_same_run(plan_toys(s.request, s.detectors, {3, 3}), scalar, "x"),
      ("\"x\" was started with --simd scalar, this run has " +
       std::string(to_string(usual)) +
       ": last digits differ; give --simd scalar, or remove the file to start "
       "again")
          .c_str(),
      FileError);
}

TEST_CASE("toy state: a damaged file is rejected with a reason") {
  const ToyState state = [] {
    Study s = small();
    s.request.toys.toys = 5;
    return s.run();
  }();
  const std::string text = text_of_state(state);
  const auto problem = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    try {
      toy_state_of(read_json(changed, "f"), "f");
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(problem("\"gttf-toys\": 1", "\"gttf-toys\": 2") ==
        "\"f\": version 2 of the format is not known; this program reads "
        "version 1");
  CHECK(problem("\"gttf-toys\": 1", "\"other\": 1") ==
        "\"f\" is not a part or checkpoint of toys");
  CHECK(problem("\"simulated\": 5", "\"simulated\": 6") ==
        "\"f\" is damaged: a point has too many toys");
  CHECK(problem("\"missed\"", "\"mist\"") ==
        "\"f\" is damaged: there is no \"missed\"");
  CHECK(problem("\"count\": 5", "\"count\": -5") ==
        "\"f\" is damaged: a number is negative");
  CHECK(problem("\"sums\": [\"", "\"sums\": [\"x") ==
        "\"f\" is damaged: a sum is not a whole number");
  const std::string differs =
      "\"f\" is damaged: it was changed or damaged after it was written: the "
      "checksum differs";
  CHECK(problem("\"simulated\": 5", "\"simulated\": 4") == differs);
  CHECK(problem("\"beyond_limit\": 0", "\"beyond_limit\": 1") == differs);
  CHECK(problem("\"missed\": 0", "\"missed\": 1") == differs);
  CHECK(problem("\"checksum\"", "\"sum\"") ==
        "\"f\" is damaged: there is no \"checksum\"");
  for (std::size_t cut : {text.size() - 1, text.size() / 2, std::size_t{0}})
    CHECK_THROWS_AS(read_json(text.substr(0, cut), "f"), FileError);
}

TEST_CASE("toy study: points that cannot be fitted have rows all the same") {
  Study s("alice_its2", {0.001, 1}, {90}, 50);
  const ToyState state = s.run();
  const Table table = toy_table(state);
  REQUIRE(table.rows() == 2);
  CHECK(std::get<Texts>(table.find("status")->cells) ==
        Texts{"curls up", "ok"});
  CHECK(std::get<Integers>(table.find("n_toys")->cells) == Integers{0, 50});
  CHECK(std::isnan(std::get<Reals>(table.find("chi2_per_ndf")->cells)[0]));
  CHECK(fitted_toys(state) == 50);
}

TEST_CASE("toy study: a row gives the reason if all fits failed") {
  Study s("mu3e", {0.02}, {75}, 20);
  s.request.particle = {"electron", 0.51099895e-3, -1};
  s.request.turns = 1;
  s.request.toys.fits = {{FitKind::general, WeightSource::estimate},
                         {FitKind::scattering, WeightSource::local}};
  const Table table = toy_table(s.run());
  CHECK(std::get<Texts>(table.find("status")->cells) == Texts{"ok", "recurls"});
}

/// Largest deviation of the pulls, relative widths and chi2/ndf from 1.
double worst(const ToyState& state) {
  double largest = 0;
  const auto look = [&largest](double x) {
    largest = std::max(largest, std::abs(x - 1));
  };
  for (const ToyPoint& point : state.points) {
    const FitStatistics& s = point.statistics.fits.front();
    CHECK(s.fitted == state.toys);
    look(s.chi2_per_ndf.moments.mean());
    for (std::size_t i = 0; i < n_toy_parameters; ++i) {
      look(s.pulls[i].moments.width());
      look(s.residuals[i].moments.width());
    }
  }
  return largest;
}

/// Three pixel layers, then strips: axial ones and at a stereo angle of 70
/// mrad.
Study strips() {
  Study s("alice_its2", {1}, {60}, 100000);
  Detector& d = s.detectors[0];
  d = test::make_barrel(7, 20, 620, 1.5, 0.005, 0.01);
  for (std::size_t i = 3; i < 7; ++i)
    d.layers[i].coordinates = {{i % 2 == 0 ? 0 : 0.07, 0.05}};
  return s;
}

// 1e5 toys measure a width to 0.0022 and chi2/ndf to 0.0015 (ndf = 9): 0.01 is
// 4.5 standard errors. With the 55 numbers of the points below, another seed
// would fail by chance once in 2700; the seed is fixed.
TEST_CASE("toy study: pulls, widths and chi2/ndf are 1.00 +- 0.01") {
  CHECK(worst(Study("alice_its2", {0.3, 20}, {90}, 100000).run({}, 2)) < 0.01);
  CHECK(worst(Study("cld", {5}, {50, 20}, 100000).run({}, 2)) < 0.01);
  CHECK(worst(strips().run({}, 2)) < 0.01);
  Study shared("cld", {5}, {50, 20}, 100000);
  shared.request.toys.fits = {{FitKind::general, WeightSource::shared}};
  CHECK(worst(shared.run({}, 2)) < 0.01);
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
