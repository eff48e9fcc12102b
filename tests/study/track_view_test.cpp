// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/show/track_view.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector example(const std::string& field) {
  return parse_detector("gttf-detector: 1\nname: Example\nfield: " + field +
                            R"(
layers:
  - name: rows
    cylinder: { radius: [100 mm, 500 mm], half_length: 400 mm }
    repeat: 5
    material: 1 %
    measures: { rphi: 10 um, z: 20 um }
)",
                        "example.yaml")
      .detector;
}

StudyRequest one_track() {
  StudyRequest request;
  request.momentum.values = {2};
  request.angle.values = {80 * unit::deg};
  return request;
}

Document document_of(const Detector& detector) {
  const StudyRequest request = one_track();
  return track_document(
      detector, request, {},
      resolve(TrackingGeometry(detector), grid_track(request, {})));
}

double number(const Document& d) { return std::get<double>(d.value()); }

double entry(const Document& covariance, std::size_t i, std::size_t j) {
  const auto& rows =
      std::get<Document::List>(covariance.find("matrix")->value());
  return number(std::get<Document::List>(rows[i].value())[j]);
}

}  // namespace

TEST_CASE("track view: the document has the members of the contract") {
  const Document d = document_of(example("{ solenoid: 2 T }"));
  for (const char* name :
       {"input", "crossings", "resolution", "covariance_perigee",
        "covariance_perigee_without_inner_material", "covariance_first_hit"})
    CHECK_MESSAGE(d.find(name) != nullptr, name);
  CHECK(number(*d.find("input")->find("p_GeV")) == 2);
  CHECK(number(*d.find("input")->find("theta_deg")) == 80);
  CHECK(std::get<Document::List>(d.find("crossings")->value()).size() == 5);
}

TEST_CASE("track view: columns and covariance give the same errors") {
  const Document d = document_of(example("{ solenoid: 2 T }"));
  const Document& r = *d.find("resolution");
  const Document& c = *d.find("covariance_perigee");
  constexpr double rounding = 1e-12;
  CHECK(number(*r.find("sigma_d0_um")) ==
        doctest::Approx(1e3 * std::sqrt(entry(c, 0, 0))).epsilon(rounding));
  CHECK(number(*r.find("sigma_theta_mrad")) ==
        doctest::Approx(1e3 * std::sqrt(entry(c, 3, 3))).epsilon(rounding));
  // |q/p| = 1/(2 GeV)
  CHECK(number(*r.find("sigma_p_rel")) ==
        doctest::Approx(2 * std::sqrt(entry(c, 4, 4))).epsilon(rounding));
}

TEST_CASE("track view: without a field q/p has no value, the rest has") {
  const Document d = document_of(example("none"));
  for (const char* name :
       {"covariance_perigee", "covariance_perigee_without_inner_material",
        "covariance_first_hit"}) {
    const Document& c = *d.find(name);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j)
        CHECK(std::isfinite(entry(c, i, j)) == (i < 4 && j < 4));
  }
}

TEST_CASE("track view: the summary of a track without hits has no errors") {
  const Detector d = example("{ solenoid: 2 T }");
  StudyRequest request = one_track();
  request.angle.values = {5 * unit::deg};
  const Resolution r = resolve(TrackingGeometry(d), grid_track(request, {}));
  const Summary s = track_summary(d, request, {}, r);
  REQUIRE(s.sections.size() == 2);
  CHECK(s.sections[0].facts[0].second == "too few hits");
  CHECK(s.sections[1].table.rows() == r.crossings.size());
}

TEST_CASE("track view: a track that curls up is marked, measured or not") {
  const Detector d = example("{ solenoid: 2 T }");
  StudyRequest request = one_track();
  for (const double p : {0.1, 0.05}) {  // turns back at 0.33 m, at 0.16 m
    request.momentum.values = {p};
    const Resolution r = resolve(TrackingGeometry(d), grid_track(request, {}));
    CHECK((r.status == Status::ok) == (p == 0.1));
    CHECK(crossing_section(d, r).title.ends_with("; then the track curls up)"));
  }
  request.momentum.values = {1};
  const Resolution r = resolve(TrackingGeometry(d), grid_track(request, {}));
  CHECK(crossing_section(d, r).title.find("curls") == std::string::npos);
}

TEST_CASE("track view: a track is printed with its units") {
  StudyRequest request = one_track();
  CHECK(track_text(request, grid_track(request, {})) ==
        "pion, p = 2 GeV, theta = 80 deg, phi = 0 deg");
  request.vertex = {0, 0, 5};
  CHECK(track_text(request, grid_track(request, {})) ==
        "pion, p = 2 GeV, theta = 80 deg, phi = 0 deg, from (0, 0, 5) mm");
}

TEST_CASE("track view: a full scan has the order and number of a scan") {
  StudyRequest request;
  request.momentum.values = {1, 2, 3};
  request.angle.values = {90 * unit::deg, 5 * unit::deg};
  const std::vector<Detector> detectors{example("{ solenoid: 2 T }")};
  std::vector<double> momenta;
  std::size_t last_done = 0;
  ScanOptions options;
  options.progress = [&](std::size_t done, std::size_t total) {
    CHECK(total == 6);
    last_done = done;
  };
  const std::size_t evaluated =
      scan_documents(request, detectors, options, [&](const Document& d) {
        momenta.push_back(number(*d.find("input")->find("p_GeV")));
      });
  CHECK(evaluated == 3);  // at 5 deg no layer is hit
  CHECK(last_done == 6);
  CHECK(momenta == std::vector<double>{1, 2, 3, 1, 2, 3});
}

TEST_CASE("particle text: a particle without a name is described") {
  CHECK(particle_text(Particle{}) == "pion");
  CHECK(particle_text({"custom", 3.7, 2}) ==
        "custom particle (3.7 GeV, charge 2)");
}

}  // namespace gttf::test::GTTF_TEST_FILE
