// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/scan_columns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/study/scan/point_columns.hpp"
#include "gttf/study/scan/row.hpp"
#include "gttf/study/scan/scan.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "support/layouts.hpp"
#include "support/reported.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector telescope() {
  Detector d;
  d.name = "telescope";
  const Interval wide{-10, 10};
  for (int k = 0; k < 4; ++k)
    d.layers.push_back(make_layer(
        "P" + std::to_string(k), make_plane(Axis::z, 50.0 * k + 50, wide, wide),
        0.001, pixel(0.003, 0.005)));
  d.layers.push_back(
      make_layer("dut", make_plane(Axis::z, 120, wide, wide), 0));
  d.layers.push_back(
      make_layer("aside", make_plane(Axis::x, 300, wide, wide), 0));
  return d;
}

StudyRequest request_at(const std::string& layer, bool own_hit = true) {
  StudyRequest request;
  request.momentum.values = {5};
  request.angle.values = {0};
  request.at = AtRequest{layer, own_hit};
  return request;
}

Document row_at(const std::string& layer, bool own_hit = true) {
  const Detector d = telescope();
  const StudyRequest request = request_at(layer, own_hit);
  return row_of(scan_row(d, request, {},
                         resolve(TrackingGeometry(d), grid_track(request, {}),
                                 model_of(request, d))),
                0);
}

}  // namespace

TEST_CASE("at: a surface without material has position and slopes") {
  const Document row = row_at("dut");
  CHECK(text_of(row, "at_layer") == "dut");
  CHECK(text_of(row, "at_status") == "ok");
  CHECK(number_of(row, "p_at_GeV") == 5);
  CHECK(number_of(row, "sigma_v_at_um") > number_of(row, "sigma_u_at_um"));
  CHECK(number_of(row, "sigma_tu_at_mrad") > 0);
  CHECK(std::isnan(number_of(row, "sigma_phi_at_mrad")));
  CHECK(std::isnan(number_of(row, "sigma_p_at_rel")));
}

TEST_CASE("at: without its own hit, a layer is measured less precisely") {
  CHECK(number_of(row_at("P1", false), "sigma_u_at_um") >
        1.2 * number_of(row_at("P1"), "sigma_u_at_um"));
}

TEST_CASE("at: a layer that the track does not cross has empty cells") {
  const Document row = row_at("aside");
  CHECK(text_of(row, "status") == "no field: momentum not measured");
  CHECK(text_of(row, "at_status") == "not crossed");
  CHECK(std::isnan(number_of(row, "sigma_u_at_um")));
  CHECK(std::isnan(number_of(row, "p_at_GeV")));
}

TEST_CASE("at: an unknown layer is reported with the nearest name") {
  const std::string answer =
      reported([] { model_of(request_at("dit"), telescope()); });
  CHECK(contains(answer, "telescope has no layer \"dit\""));
  CHECK(contains(answer, "did you mean \"dut\"?"));
}

TEST_CASE("at: columns exist only if a layer is requested") {
  CHECK(empty_scan_table(true).find("at_layer") != nullptr);
  CHECK(empty_scan_table(false).find("at_layer") == nullptr);
}

TEST_CASE("track_end: states where a track leaves the map or stops") {
  const Detector d = telescope();
  const StudyRequest request = request_at("dut");
  const auto end_of = [&](const Resolution& r) {
    return text_of(row_of(scan_row(d, request, {}, r), 0), "track_end");
  };
  Resolution r = resolve(TrackingGeometry(d), grid_track(request, {}));
  CHECK(end_of(r) == "leaves");
  r.stopped = true;
  CHECK(end_of(r) == "stops in P3");
  r.left_map = Vector3(1.5, 0, 1600);
  CHECK(end_of(r) == "leaves the field map at (1.5, 0, 1600) mm");
}

TEST_CASE("track_end: grids state where tracks stop, as single tracks do") {
  const Detector d = shipped("barrel");
  StudyRequest request;
  request.particle = *find_particle("proton");
  request.energy_loss = EnergyLoss::mean;
  request.chosen.energy_loss = true;
  for (int k = 0; k < 40; ++k)
    request.momentum.values.push_back(0.05 + 0.01 * k);
  request.angle.values = {1.2};
  const Table rows = scan_table(request, d, {}).rows;
  int stopped = 0, with_resolution = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const GridPoint point{i, 0};
    const Document row = row_of(rows, i);
    const Document single =
        row_of(scan_row(d, request, point,
                        resolve(TrackingGeometry(d), grid_track(request, point),
                                model_of(request, d))),
               0);
    const std::string end = text_of(row, "track_end");
    CHECK(end == text_of(single, "track_end"));
    if (!end.starts_with("stops in ")) continue;
    ++stopped;
    with_resolution += text_of(row, "status") == "ok";
  }
  CHECK(stopped > 10);
  CHECK(with_resolution > 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
