// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "gttf/detector/read.hpp"
#include "gttf/resolution/batch.hpp"
#include "support/batch.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("batch: errors of all parameters are those of single tracks") {
  // FASER's field is not for lanes; some tracks of the others have no fit
  for (const char* name : {"alice_its2", "cld", "datura", "faser"}) {
    CAPTURE(name);
    const Detector detector = read_detector(std::string(GTTF_SOURCE_DIR) +
                                            "/detectors/" + name + ".yaml")
                                  .detector;
    const TrackingGeometry geometry(detector);
    TrackList tracks;
    for (int i = 0; i < 40; ++i) {
      Track t;
      t.p = 0.05 * std::pow(2000., i / 39.);
      t.theta = (i % 4 == 0 ? 0.1 : 30 + 3 * i) * unit::deg;
      tracks.add(t);
    }
    const std::vector<PerParameter> all =
        sigmas(geometry, tracks.views(), {}, 2);
    REQUIRE(all.size() == tracks.size());
    int compared = 0;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      const PerParameter one =
          sigmas(resolve(geometry, tracks.views().track(i), {}));
      for (std::size_t q = 0; q < n_parameters; ++q) {
        const double a = all[i].values[q], b = one.values[q];
        CHECK(std::isnan(a) == std::isnan(b));
        if (std::isnan(a) || std::isinf(b)) continue;
        ++compared;
        CHECK(std::abs(a - b) <= 1e-11 * std::abs(b));
      }
    }
    CHECK(compared > 20);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
