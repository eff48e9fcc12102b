// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/what_if.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/layouts.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

StudyRequest request() {
  StudyRequest r;
  r.momentum.values = {1};
  r.angle.values = {90 * unit::deg};
  return r;
}

const Texts& texts(const Table& t, const char* name) {
  return std::get<Texts>(t.find(name)->cells);
}

}  // namespace

TEST_CASE("requirement: names and units as people write them") {
  const auto d0 = parse_requirement("--limit", "sigma_d0=30 um");
  CHECK(d0.parameter == Parameter::d0);
  CHECK(d0.limit == doctest::Approx(30 * unit::um));
  CHECK(parse_requirement("--limit", "pt <= 1 %").limit ==
        doctest::Approx(0.01));
  CHECK(parse_requirement("--limit", "sigma_p_rel<0.02").limit ==
        doctest::Approx(0.02));
  CHECK(parse_requirement("--limit", "sigma_phi0_mrad=1mrad").parameter ==
        Parameter::phi0);
  const auto tx = parse_requirement("--limit", "sigma(tx) <= 0.1 mrad");
  CHECK(tx.parameter == Parameter::tx);
  CHECK(tx.limit == doctest::Approx(1e-4));
  CHECK(requirement_text(tx) == "sigma(tx) <= 0.1 mrad");
  CHECK(parse_requirement("--limit", "x = 5 um").parameter == Parameter::x);
  CHECK(parse_requirement("--limit", "sigma_y_um = 5 um").limit ==
        doctest::Approx(5 * unit::um));
  CHECK(requirement_text(d0) == "sigma(d0) <= 30 um");
}

TEST_CASE("requirement: errors are shown") {
  const auto fault = [](const char* text) {
    return reported([&] { parse_requirement("--limit", text); });
  };
  CHECK(contains(fault("sigma_d0"), "there is no \"=\""));
  CHECK(contains(fault("sigma_u=3 um"), "unknown parameter \"sigma_u\""));
  CHECK(contains(fault("sigma_d0=30"), "add a unit"));
  CHECK(contains(fault("sigma_d0=1 GeV"), "length"));
  CHECK(contains(fault("sigma_d0=-3 um"), "positive"));
}

TEST_CASE("headroom table: a status for every number") {
  Detector d = make_barrel(4, 30, 120, 2, 0.005, 0.01);
  d.layers.push_back(make_layer("coil", make_cylinder(300, {-1e5, 1e5}), 0.5));
  const StudyRequest r = request();
  const WhatIf what{d, r, {}};
  const double now =
      sigmas(resolve(TrackingGeometry(d), what.track()))[Parameter::d0];
  const auto status = [&](double limit) {
    const Requirement wanted{Parameter::d0, limit};
    return texts(headroom_table(what, {&wanted, 1}), "status");
  };
  CHECK(status(1.02 * now).front() == "ok");
  CHECK(status(0.98 * now).front() == "violated");
  CHECK(status(0.01 * now).front() == "cannot meet it");
  const auto list = status(1.02 * now);
  CHECK(std::count(list.begin(), list.end(), "no limit") >= 2);  // the coil
}

TEST_CASE("headroom table: the smallest change comes first") {
  const Detector d = make_barrel(4, 30, 120, 2, 0.005, 0.01);
  const StudyRequest r = request();
  const WhatIf what{d, r, {}};
  const double now =
      sigmas(resolve(TrackingGeometry(d), what.track()))[Parameter::d0];
  for (const double factor : {0.8, 1.2}) {
    const Requirement wanted{Parameter::d0, factor * now};
    const Table t = headroom_table(what, {&wanted, 1});
    const Texts& status = texts(t, "status");
    const auto& change = std::get<Reals>(t.find("factor")->cells);
    const auto rank = [&](std::size_t i) {
      return status[i] == "cannot meet it" ? 2 : status[i] == "no limit";
    };
    for (std::size_t i = 1; i < t.rows(); ++i) {
      CHECK(rank(i) >= rank(i - 1));
      if (rank(i) == 0)
        CHECK(std::abs(std::log(change[i])) >=
              std::abs(std::log(change[i - 1])));
    }
    // the lever arm of the innermost layer
    CHECK(texts(t, "layer").front() == "L0");
    CHECK(texts(t, "quantity").front() == "radius");
    CHECK(texts(t, "key").front() == "layers[L0].cylinder.radius");
    CHECK(texts(t, "between").front() == "... L1");
    const auto sections = headroom_sections(t);
    REQUIRE(sections.size() == 1);
    for (const std::string& s : texts(sections[0].table, "status"))
      CHECK(s == (factor > 1 ? "ok" : "violated"));
    CHECK(sections[0].table.rows() < t.rows());
  }
}

TEST_CASE("names: few surfaces of a repeated layer singly, many together") {
  for (const std::size_t n :
       {std::size_t{2}, most_listed_singly, most_listed_singly + 1}) {
    Detector d;
    for (std::size_t i = 0; i < n; ++i) {
      d.layers.push_back(
          make_layer("B[" + std::to_string(i) + "]",
                     make_cylinder(30 + static_cast<double>(i), {-1, 1}), 0));
      d.layers.back().place = {3, 5};
    }
    const bool singly = n <= most_listed_singly;
    CHECK(names_by(d, Grouping::large)[1] == (singly ? "B[1]" : "B"));
    CHECK(names_by(d, Grouping::layer)[1] == "B");
    CHECK(names_by(d, Grouping::surface)[1] == "B[1]");
  }
}

TEST_CASE("lost layers: a row with and without each layer's material") {
  Detector d = make_barrel(4, 30, 120, 2, 0.005, 0.01);
  d.layers.push_back(make_layer("pipe", make_cylinder(20, {-1e5, 1e5}), 0.01));
  const StudyRequest r = request();
  const Table t = lost_layer_table({d, r, {}});
  REQUIRE(t.rows() == 1 + 1 + 2 * 4);
  CHECK(texts(t, "case")[1] == "without layer");
  CHECK(texts(t, "layer")[1] == "pipe");
  const auto& ratio = std::get<Reals>(t.find("ratio_d0")->cells);
  CHECK(ratio[0] == 1);
  CHECK(ratio[1] < 1);
  CHECK(ratio[2] > 1);
}

TEST_CASE("lost layers: averages where layers are inefficient") {
  Detector d = make_barrel(4, 30, 120, 2, 0.005, 0.01);
  d.layers[2].efficiency = 0.9;
  const StudyRequest r = request();
  const Table t = lost_layer_table({d, r, {}});
  REQUIRE(t.rows() == 1 + 2 * 4 + 2);
  CHECK(texts(t, "case")[9] == "mean");
  CHECK(texts(t, "case")[10] == "rms");
  CHECK(std::get<Reals>(t.find("probability")->cells)[9] == doctest::Approx(1));
}

}  // namespace gttf::test::GTTF_TEST_FILE
