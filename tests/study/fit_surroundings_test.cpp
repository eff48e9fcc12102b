// SPDX-License-Identifier: Apache-2.0
// Fits of files: what is around the hits, a beam spot, layers, the vertex.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "support/fitted_files.hpp"
#include "support/measured_tracks.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("fit: a beam spot improves the impact parameter") {
  const Detector detector = shipped("alice_its2");
  Normals random(13);
  const std::string text =
      header + csv_lines("1", simulate(its2(), 1, 0.5, random));
  StudyRequest request;
  request.beam_spot = BeamSpot{1e-3, 1e-3, 10};
  const Fitted free = fit(text, detector), tied = fit(text, detector, request);
  REQUIRE(tied.tracks.text("status") == "ok");
  CHECK(tied.tracks.integer("n_hits") == 7);
  CHECK(tied.tracks.integer("ndf") == free.tracks.integer("ndf") + 2);
  CHECK(tied.tracks.real("sigma_d0_um") < 1.001);
  CHECK(free.tracks.real("sigma_d0_um") > 10);
}

TEST_CASE("fit: a layer without a hit scatters") {
  const Detector detector = shipped("alice_its2");
  Normals random(14);
  MeasuredTrack track = simulate(its2(), 0.5, 0.5, random);
  track.hits.erase(track.hits.begin() + 4);  // L4
  const Fitted missing = fit(header + csv_lines("1", track), detector);
  Detector empty = detector;
  for (Layer& layer : empty.layers)
    if (layer.name == "L4") layer.material.clear();
  const Fitted clear = fit(header + csv_lines("1", track), empty);
  REQUIRE(missing.tracks.text("status") == "ok");
  CHECK(missing.tracks.integer("n_hits") == 6);
  CHECK(missing.tracks.real("sigma_p_rel") >
        1.01 * clear.tracks.real("sigma_p_rel"));
}

TEST_CASE("fit: the vertex is where impact parameters count from") {
  const Detector detector = shipped("alice_its2");
  Normals random(15);
  const MeasuredTrack truth = simulate(its2(), 1, 0.5, random, 0, 0);
  StudyRequest request;
  request.vertex = {0.3, -0.2, 5};
  const Fitted f = fit(header + csv_lines("1", truth), detector, request);
  // To first order in the small shift of the vertex; the second is 1 um.
  const double d0 = 0.3 * std::sin(truth.phi) + 0.2 * std::cos(truth.phi);
  CHECK(f.tracks.real("d0_um") == doctest::Approx(1000 * d0).epsilon(0.01));
}

}  // namespace gttf::test::GTTF_TEST_FILE
