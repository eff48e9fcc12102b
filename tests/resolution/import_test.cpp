// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/import/import.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "gttf/detector/import/export_delphes.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/resolution.hpp"
#include "support/reference.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Detector shipped(const std::string& name) {
  return read_detector(std::string(GTTF_SOURCE_DIR) + "/detectors/" + name +
                       ".yaml")
      .detector;
}

Detector imported(const std::string& block) {
  return parse_detector(import_text(block, "card.tcl").text, "imported")
      .detector;
}

std::string card_of(const std::string& rows) {
  return "set B 2.0\nmodule TrackCovariance TrackSmearing {\n"
         "  set Bz $B\n  set DetectorGeometry {\n" +
         rows + "  }\n}\n";
}

/// The card of CLD from the layers that Delphes' own reader saw.
std::string cld_card() {
  std::string rows;
  const auto file = read_json("delphes/CLD_2023_fbceebd.json");
  for (const auto& l : file.at("layers"))
    rows += fmt::format(
        "    {} {} {} {} {} {} {} {} {} {} {} {} {}\n",
        l.at("type").get<std::string>() == "barrel" ? 1 : 2,
        l.at("label").get<std::string>(), l.at("min_m").get<double>(),
        l.at("max_m").get<double>(), l.at("pos_m").get<double>(),
        l.at("thickness_m").get<double>(), l.at("X0_m").get<double>(),
        l.at("n_meas").get<int>(), l.at("stereo_up_rad").get<double>(),
        l.at("stereo_low_rad").get<double>(), l.at("res_up_m").get<double>(),
        l.at("res_low_m").get<double>(),
        l.at("flag_or_efficiency").get<double>());
  return card_of(rows);
}

/// The rows of IDEA from the numbers of its shipped description, in metres and
/// as cards have them: pi/2 as 1.5708, disks on both sides. (A writer of its
/// own, so that one of the program cannot hide a fault of the reader.)
std::string idea_card() {
  const Detector idea = shipped("idea");
  std::string rows;
  for (const Layer& layer : idea.layers) {
    const Surface& s = layer.surface;
    const Slab& slab = layer.material.at(0);
    const Material* material = find_material(slab.material, idea.materials);
    REQUIRE(material != nullptr);
    double stereo[2] = {}, sigma[2] = {};
    const std::size_t n = layer.coordinates.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = layer.coordinates[i].angle;
      stereo[i] = std::abs(angle) > 1.5 ? 1.5708 : -angle;
      sigma[i] = layer.coordinates[i].sigma / 1000;
    }
    rows += fmt::format(
        "    {} {} {:.12g} {:.12g} {:.12g} {:.12g} {:.12g} {} {:.12g} {:.12g} "
        "{:.12g} {:.12g} {}\n",
        s.shape == Shape::disk ? 2 : 1, layer.name.substr(0, 3),
        s.v.lower / 1000, s.v.upper / 1000, s.position / 1000,
        slab.thickness / 1000, material->radiation_length / 1000, n, stereo[0],
        stereo[1], sigma[0], sigma[1], n > 0 ? 1 : 0);
  }
  return card_of(rows);
}

/// Demands equal hits and resolutions of the two over all of the acceptance.
/// The tolerance is rounding: the sums run over the same layers, and layers at
/// equal path may come in another order.
void check_equal(const Detector& a, const Detector& b) {
  constexpr double tolerance = 1e-12;
  const TrackingGeometry one(a), other(b);
  int compared = 0;
  for (const Scattering scattering :
       {Scattering::highland, Scattering::highland_total})
    for (const double p : {0.3, 1.0, 10.0, 100.0})
      for (const double theta : {90.0, 70.0, 45.0, 30.0, 20.0, 14.0}) {
        Track t;
        t.p = p;
        t.theta = theta * unit::deg;
        t.phi = 0.1;
        Model model;
        model.scattering = scattering;
        const Resolution x = resolve(one, t, model),
                         y = resolve(other, t, model);
        CAPTURE(p);
        CAPTURE(theta);
        CHECK(x.status == y.status);
        CHECK(x.n_hits == y.n_hits);
        CHECK(x.crossings.size() == y.crossings.size());
        if (x.status != Status::ok) continue;
        for (int i = 0; i < 5; ++i)
          CHECK(std::sqrt(x.perigee(i, i)) ==
                doctest::Approx(std::sqrt(y.perigee(i, i))).epsilon(tolerance));
        CHECK(x.sigma_pt_rel ==
              doctest::Approx(y.sigma_pt_rel).epsilon(tolerance));
        ++compared;
      }
  CHECK(compared >= 24);
}

}  // namespace

TEST_CASE("import: the card of CLD resolves as the shipped CLD does") {
  check_equal(imported(cld_card()), shipped("cld"));
}

TEST_CASE("import: the rows of IDEA resolve as the shipped IDEA does") {
  check_equal(imported(idea_card()), shipped("idea"));
}

TEST_CASE("import: what is exported to Delphes comes back as it was") {
  for (const char* name : {"cld", "idea", "barrel", "alice_its2", "atlas_itk",
                           "ild", "alice_its3"}) {
    CAPTURE(name);
    const Detector detector = shipped(name);
    const DelphesGeometry geometry = to_delphes(detector);
    for (const Diagnostic& d : geometry.losses.items()) {
      CAPTURE(to_text(d));
      CHECK(d.problem.find("efficiency") != d.problem.npos);
    }
    const Detector back = imported(geometry.text);
    CHECK(back.layers.size() == detector.layers.size());
    CHECK(back.field.bz == doctest::Approx(detector.field.bz).epsilon(1e-14));
    check_equal(back, detector);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
