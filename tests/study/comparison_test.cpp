// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/compare/comparison.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

StudyRequest request() {
  StudyOptions options;
  options.detectors = {"barrel.yaml"};
  options.p = "0.5GeV,2GeV,10GeV";
  options.theta = "90deg,60deg";
  return read_request("", options);
}

DetectorInput barrel(const std::vector<std::string>& changes = {}) {
  return read_detector(GTTF_SOURCE_DIR "/detectors/barrel.yaml", changes);
}

const std::string material = "layers[L1].material=0.6 %";
const std::string field = "field.solenoid=3 T";

const std::span<const Parameter> all = compared_parameters(false, false);
constexpr std::array only_pt{Parameter::pt}, only_d0{Parameter::d0};

}  // namespace

TEST_CASE("comparison: values side by side, ratios to the first") {
  const std::vector<Detector> designs{
      barrel().detector, barrel({material}).detector, barrel({field}).detector};
  const Comparison c = compare(request(), designs, {});
  CHECK(c.designs == 3);
  CHECK(c.table.rows() == 6);
  CHECK(c.all_ok());
  CHECK(c.table.find("detector") == nullptr);
  const struct {
    const char *column, *ratio;
  } cases[] = {{"sigma_p_rel", "ratio_p"},
               {"sigma_pt_rel", "ratio_pt"},
               {"sigma_qop_per_GeV", "ratio_qop"},
               {"sigma_d0_um", "ratio_d0"},
               {"sigma_theta_mrad", "ratio_theta"},
               {"sigma_p_rel_hit_only", "ratio_p_hit_only"},
               {"sigma_p_rel_ms_only", "ratio_p_ms_only"},
               {"mu_phi", "ratio_mu_phi"},
               {"x_over_x0", "ratio_x_over_x0"}};
  for (const auto& [column, ratio] : cases) {
    CHECK(ratio_name(column) == ratio);
    for (const std::size_t d : {1u, 2u})
      for (std::size_t i = 0; i < c.table.rows(); ++i)
        CHECK(c.values(d, ratio)[i] ==
              c.values(d, column)[i] / c.values(0, column)[i]);
  }
  CHECK(c.table.find("A_ratio_p") == nullptr);
  CHECK(c.table.find("C_status") != nullptr);
}

TEST_CASE("comparison: the worst point is the largest ratio") {
  const std::vector<Detector> designs{barrel().detector,
                                      barrel({material}).detector};
  const Comparison c = compare(request(), designs, {});
  const auto worst = worst_point(c, request(), 1, all);
  REQUIRE(worst);
  for (const char* ratio : {"ratio_p", "ratio_pt", "ratio_d0", "ratio_z0",
                            "ratio_phi0", "ratio_theta"})
    for (const double r : c.values(1, ratio)) CHECK(r <= worst->ratio);
  CHECK(worst->ratio > 1);
  CHECK(worst->point.momentum == 0);
  CHECK(worst_point(c, request(), 1, only_pt)->parameter == Parameter::pt);
}

TEST_CASE("comparison: if nothing got worse the worst point is the best") {
  const std::vector<Detector> designs{
      barrel().detector, barrel({"layers[L1].material=0.1 %"}).detector};
  const Comparison c = compare(request(), designs, {});
  const auto best = worst_point(c, request(), 1, only_d0);
  REQUIRE(best);
  CHECK(best->ratio < 1);
  for (const double r : c.values(1, "ratio_d0")) CHECK(r >= best->ratio);
}

TEST_CASE("comparison: no point where one detector has no resolution") {
  const std::vector<Detector> designs{barrel().detector,
                                      barrel({"field=none"}).detector};
  const Comparison c = compare(request(), designs, {});
  CHECK_FALSE(c.all_ok());
  CHECK_FALSE(worst_point(c, request(), 1, only_pt));
  CHECK(worst_point(c, request(), 1, all)->parameter != Parameter::p);
}

TEST_CASE("comparison: columns for readers and for files") {
  const std::vector<Detector> two{barrel().detector,
                                  barrel({material}).detector};
  std::vector<Detector> three = two;
  three.push_back(barrel({field}).detector);
  const std::vector<std::string> columns{"sigma_d0_um", "regime"};
  using Names = std::vector<std::string>;
  CHECK(columns_for_reading(compare(request(), two, {}), request(), columns) ==
        Names{"p_GeV", "theta_deg", "A_sigma_d0_um", "B_sigma_d0_um",
              "B_ratio_d0", "A_regime", "B_regime"});
  const Comparison c = compare(request(), three, {});
  CHECK(columns_for_reading(c, request(), columns) ==
        Names{"p_GeV", "theta_deg", "A_sigma_d0_um", "B_ratio_d0", "C_ratio_d0",
              "A_regime", "B_regime", "C_regime"});
  CHECK(columns_of(c, columns).size() == 6 + 5 + 3);
}

TEST_CASE("comparison: attributions of a grid are those of its points") {
  const std::vector<DetectorInput> designs{barrel(), barrel({material}),
                                           barrel({field, material})};
  for (const unsigned threads : {1u, 3u}) {
    const auto list =
        attribute_grid(request(), designs, {Engine::streaming, threads, {}});
    REQUIRE(list.size() == 12);
    CHECK(list[5].design == 1);
    CHECK(list[6].design == 2);
    for (const AttributedPoint& item : list) {
      const Attribution a =
          attribute(designs[0].detector, designs[item.design].detector,
                    grid_track(request(), item.point), {}, Parameter::phi0);
      const Attribution& own =
          item.of[static_cast<std::size_t>(Parameter::phi0)];
      CHECK(own.total == a.total);
      REQUIRE(own.changes.size() == a.changes.size());
      CHECK(own.changes[0].share == a.changes[0].share);
      CHECK(own.changes[0].place.line == 0);  // it is an override
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
