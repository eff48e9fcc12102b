// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/budget.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gttf/detector/read.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector detector() {
  return parse_detector(R"(
gttf-detector: 1
name: test
field: { solenoid: 2 T }
layers:
  - name: pixel
    group: inner
    cylinder: { radius: [30 mm, 60 mm], half_length: 1 m }
    repeat: 3
    material: 1 %
    measures: { rphi: 10 um, z: 20 um }
  - name: strip
    group: outer
    cylinder: { radius: 200 mm, half_length: 1 m }
    material: 2 %
    measures:
      - { angle: 20 mrad, sigma: 20 um }
      - { angle: -20 mrad, sigma: 20 um }
)",
                        "test.yaml")
      .detector;
}

StudyRequest request() {
  StudyOptions options;
  options.detectors = {"test.yaml"};
  options.p = "1 GeV";
  options.theta = "70 deg";
  return read_request("", options);
}

Budget budget() {
  return make_budget(TrackingGeometry(detector()), grid_track(request(), {}));
}

std::vector<std::string> names(Grouping grouping) {
  std::vector<std::string> list;
  for (const BudgetRow& row : budget_rows(detector(), budget(), grouping))
    list.push_back(row.layer + "|" + row.cause + "|" + row.coordinate);
  return list;
}

}  // namespace

TEST_CASE("budget rows: surfaces, entries of the file, groups") {
  CHECK(names(Grouping::surface).size() == 4 * 3 + 1);
  CHECK(names(Grouping::surface)[3] == "pixel[1]|scattering|");
  CHECK(names(Grouping::layer) ==
        std::vector<std::string>{"pixel|scattering|", "pixel|hit|rphi",
                                 "pixel|hit|z", "strip|scattering|",
                                 "strip|hit|20 mrad", "strip|hit|-20 mrad",
                                 "|total|"});
  CHECK(names(Grouping::group) ==
        std::vector<std::string>{"inner|scattering|", "inner|hit|",
                                 "outer|scattering|", "outer|hit|", "|total|"});
}

TEST_CASE("budget rows: the last one is the sum, for any grouping") {
  for (const Grouping g :
       {Grouping::surface, Grouping::layer, Grouping::group}) {
    PerParameter sum;
    const auto rows = budget_rows(detector(), budget(), g);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i)
      for (const Parameter q : all_parameters) sum[q] += rows[i].share[q];
    for (const Parameter q : all_parameters) {
      CHECK(sum[q] == doctest::Approx(1).epsilon(1e-12));
      CHECK(rows.back().share[q] == doctest::Approx(1).epsilon(1e-12));
    }
  }
}

TEST_CASE("budget table: sigma of the total is the resolution of scan") {
  BudgetTable table;
  table.add(detector(), request(), {}, budget(), Grouping::layer);
  const Table t = std::move(table).take();
  REQUIRE(t.rows() == 7);
  const auto last = [&](const char* name) {
    return std::get<Reals>(t.find(name)->cells).back();
  };
  const Resolution r =
      resolve(TrackingGeometry(detector()), grid_track(request(), {}));
  CHECK(last("sigma_p_rel") == doctest::Approx(r.sigma_p_rel).epsilon(1e-12));
  CHECK(last("sigma_d0_um") ==
        doctest::Approx(sigmas(r)[Parameter::d0] / unit::um).epsilon(1e-12));
  CHECK(last("x_over_x0") == doctest::Approx(r.x_over_x0));
  CHECK(last("p_GeV") == 1);
}

TEST_CASE("budget section: one parameter, scattering and hits side by side") {
  const Section s = budget_section(detector(), request(), {}, budget(),
                                   Grouping::layer, Parameter::d0);
  REQUIRE(s.table.rows() == 3);
  const auto& sum = std::get<Reals>(s.table.find("sum_percent")->cells);
  CHECK(sum[0] + sum[1] == doctest::Approx(100));
  CHECK(sum[2] == doctest::Approx(100));
  REQUIRE(s.facts.size() == 1);
  CHECK(s.facts[0].first == "sigma(d0)");
}

TEST_CASE("budget document: the rows add up to the total") {
  const Document d =
      budget_document(detector(), request(), {}, budget(), Grouping::layer);
  double sum = 0;
  for (const Document& row :
       std::get<Document::List>(d.find("budget")->value())) {
    sum += std::get<double>(row.find("share_d0")->value());
    CHECK(std::get<std::string>(row.find("cause")->value()) != "total");
  }
  CHECK(sum == doctest::Approx(1));
  CHECK(std::get<double>(d.find("total")->find("share_d0")->value()) ==
        doctest::Approx(1));
}

TEST_CASE("budget document: no resolution, no rows, a reason") {
  StudyRequest weak = request();
  weak.momentum.values = {0.001};
  const Budget none =
      make_budget(TrackingGeometry(detector()), grid_track(weak, {}));
  const Document d =
      budget_document(detector(), weak, {}, none, Grouping::layer);
  CHECK(std::get<Document::List>(d.find("budget")->value()).empty());
  CHECK(std::get<std::string>(d.find("resolution")->find("status")->value()) ==
        "curls up");
}

}  // namespace gttf::test::GTTF_TEST_FILE
