// SPDX-License-Identifier: Apache-2.0
// The shipped detectors: they read without a warning, and CLD is its card.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const std::filesystem::path source_dir = GTTF_SOURCE_DIR;

/// Decimal numbers in other units differ by rounding only.
bool close(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

/// Whether a layer lies on the surface of a card entry and has its material
/// and resolutions; `lower`, `upper` limit its extent (mm).
bool same(const Layer& layer, const nlohmann::json& entry, double lower,
          double upper) {
  const bool barrel = entry["type"] == "barrel";
  if ((layer.surface.shape == Shape::cylinder) != barrel) return false;
  if (!close(layer.surface.position, entry["pos_m"].get<double>() * 1e3) ||
      !close(layer.surface.v.lower, lower) ||
      !close(layer.surface.v.upper, upper))
    return false;
  if (!close(layer.x_over_x0(),
             entry["thickness_m"].get<double>() / entry["X0_m"].get<double>()))
    return false;
  if (entry["n_meas"] == 0) return !layer.measures();
  return layer.coordinates.size() == 2 &&
         close(layer.coordinates[0].sigma,
               entry["res_up_m"].get<double>() * 1e3) &&
         close(layer.coordinates[1].sigma,
               entry["res_low_m"].get<double>() * 1e3);
}

bool found(const Detector& detector, const nlohmann::json& entry, double lower,
           double upper) {
  return std::any_of(
      detector.layers.begin(), detector.layers.end(),
      [&](const Layer& l) { return same(l, entry, lower, upper); });
}

}  // namespace

TEST_CASE("shipped detectors: read without a warning, every layer grouped") {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_dir / "detectors")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    CAPTURE(entry.path().filename().string());
    const auto input = gttf::read_detector(entry.path().string());
    CHECK(input.warnings.empty());
    CHECK_FALSE(input.detector.source.empty());
    for (const Layer& layer : input.detector.layers) {
      CAPTURE(layer.name);
      CHECK_FALSE(layer.group.empty());
      CHECK(layer.x_over_x0() > 0);
    }
  }
  CHECK(files == 19);
}

TEST_CASE("shipped detectors: CLD has the layers of its Delphes card") {
  const Detector cld = shipped("cld");
  std::ifstream file(source_dir /
                     "tests/reference/delphes/CLD_2023_fbceebd.json");
  const auto card = nlohmann::json::parse(file)["layers"];
  int split = 0;
  for (const auto& entry : card) {
    CAPTURE(entry.dump());
    const double lower = entry["min_m"].get<double>() * 1e3;
    const double upper = entry["max_m"].get<double>() * 1e3;
    if (found(cld, entry, lower, upper)) continue;
    // Two disks per side are written as rings that meet at a barrel radius.
    const bool first = close(upper, 112), second = close(upper, 686);
    REQUIRE((first || second));
    const double meet = first ? 111.5 : 685.5;
    CHECK(found(cld, entry, lower, meet));
    CHECK(found(cld, entry, meet, upper));
    ++split;
  }
  CHECK(split == 4);
  CHECK(cld.layers.size() == card.size() + 4);
}

TEST_CASE("shipped detectors: IDEA has 112 wire layers of alternating sign") {
  const Detector idea = shipped("idea");
  std::vector<const Layer*> wires;
  double gas = 0;
  for (const Layer& layer : idea.layers)
    if (layer.group == "drift chamber") {
      wires.push_back(&layer);
      gas += layer.x_over_x0();
    }
  REQUIRE(wires.size() == 112);
  std::sort(wires.begin(), wires.end(), [](const Layer* a, const Layer* b) {
    return a->surface.position < b->surface.position;
  });
  for (std::size_t i = 0; i < wires.size(); ++i) {
    CAPTURE(i);
    REQUIRE(wires[i]->coordinates.size() == 1);
    const double angle = wires[i]->coordinates[0].angle;
    CHECK((angle < 0) == (i % 2 == 0));
    // Hyperboloids: tan(angle) grows in proportion to the radius; the source
    // gives six digits and cells of equal size, hence the tolerance.
    CHECK(
        std::tan(std::abs(angle)) ==
        doctest::Approx(std::tan(20.3738e-3) / 360 * wires[i]->surface.position)
            .epsilon(1e-5));
  }
  // 14.7748 mm of 579 m, 112 times.
  CHECK(gas == doctest::Approx(112 * 14.7748 / 579e3).epsilon(1e-12));
}

TEST_CASE("shipped detectors: the TPC of ILD has 220 rows, 6 mm apart") {
  std::vector<double> rows;
  for (const Layer& layer : shipped("ild").layers)
    if (layer.group == "TPC") rows.push_back(layer.surface.position);
  REQUIRE(rows.size() == 220);
  std::sort(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i)
    CHECK(rows[i] == doctest::Approx(375.1 + 6.0 * double(i)).epsilon(1e-12));
}

}  // namespace gttf::test::GTTF_TEST_FILE
