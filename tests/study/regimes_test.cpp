// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/regimes.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gttf/detector/read.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

StudyRequest request(double p) {
  StudyRequest r;
  r.momentum.values = {p};
  r.angle.values = {90 * unit::deg};
  return r;
}

}  // namespace

TEST_CASE("regime tables: one row per track, one per triplet") {
  const Detector d = make_barrel(5, 30, 300, 2, 0.01, 0.01);
  const StudyRequest r = request(0.5);
  const TrackRegime regime =
      find_regime(TrackingGeometry(d), grid_track(r, {}));
  RegimeTable tracks;
  tracks.add(d, r, {}, regime);
  const Table t = std::move(tracks).take();
  CHECK(t.rows() == 1);
  CHECK(std::get<Texts>(t.find("regime")->cells)[0] == "scattering");
  CHECK(std::get<Texts>(t.find("recommended_fit")->cells)[0] == "scattering");
  TripletTable triplets;
  triplets.add(d, r, {}, regime);
  const Table u = std::move(triplets).take();
  REQUIRE(u.rows() == 3);
  CHECK(std::get<Texts>(u.find("triplet")->cells)[1] == "L1-L2-L3");
  const auto& b = std::get<Reals>(u.find("b_ms_mm")->cells);
  const auto& sigma = std::get<Reals>(u.find("sigma_ms_mrad")->cells);
  CHECK(b[0] == doctest::Approx(sigma[0] * unit::mrad / (2 * unit::T / 0.5)));
}

TEST_CASE("regime document: the track with its triplets") {
  const Detector d = make_barrel(4, 30, 300, 2, 0.01, 0.01);
  const StudyRequest r = request(5);
  const Document document = regime_document(
      d, r, {}, find_regime(TrackingGeometry(d), grid_track(r, {})));
  CHECK(std::get<Document::List>(document.find("triplets")->value()).size() ==
        2);
  CHECK(document.find("p_significant_GeV") != nullptr);
}

TEST_CASE("regimes of the paper's detectors: values of its formulas") {
  const auto triplet = [](const char* file, double p, double mass) {
    const Detector d =
        read_detector(std::string(GTTF_SOURCE_DIR "/configs/paper/detectors/") +
                      file)
            .detector;
    Track t;
    t.p = p;
    t.mass = mass;
    return find_regime(TrackingGeometry(d), t,
                       {.scattering = Scattering::rossi})
        .triplets;
  };
  // docs/theory/paper-numbers.md
  CHECK(triplet("its2-inner.yaml", 1e4, 0)[0].xi_ms_limit ==
        doctest::Approx(1.481).epsilon(4e-4));
  CHECK(triplet("its2-outer.yaml", 1e4, 0)[0].xi_ms_limit ==
        doctest::Approx(8.150).epsilon(7e-5));
  CHECK(triplet("itk.yaml", 1e4, 0)[0].xi_ms_limit ==
        doctest::Approx(21.78).epsilon(3e-4));
  CHECK(triplet("mu3e.yaml", 0.053, 0)[1].xi_ms ==
        doctest::Approx(18.93).epsilon(3e-4));
}

}  // namespace gttf::test::GTTF_TEST_FILE
