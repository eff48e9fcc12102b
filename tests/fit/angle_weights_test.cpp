// SPDX-License-Identifier: Apache-2.0
// The momentum whose scattering angles a fit takes.
#include "gttf/fit/streaming/angle_weights.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using detail::AngleWeights;

/// Fits of a track whose angles are `wider` than those of the curvature, in
/// variance; a part of chi2 is that of hits.
struct Track {
  double wider, sigma, share = 1, power = 4, ndf = 9;

  AngleWeights::Fit fit(double widening) const {
    const double g = std::pow(widening, share);
    const double chi2 = wider * (ndf + 1) / g;
    return {.chi2 = chi2,
            .ndf = ndf,
            .chi2_angles = share * chi2,
            .sigma = sigma * std::sqrt(g)};
  }

  /// The weights after repeated fits.
  AngleWeights weights() const {
    AngleWeights w(power);
    int n = 0;
    while (w.improve(fit(w.widening()))) REQUIRE(++n < 10);
    return w;
  }

  /// What the weights minimise.
  double sum(double x) const {
    const AngleWeights::Fit f = fit(std::exp(power * x));
    const double moved = std::expm1(x) / f.sigma;
    return f.chi2 + (ndf + 1) * share * power * x + moved * moved;
  }
};

}  // namespace

TEST_CASE("angle weights: usual angles are those of the curvature") {
  for (const double wider : {0.0, 0.5, 1.0})
    CHECK(Track{.wider = wider, .sigma = 0.1}.weights().ratio() == 1);
  // a precise curvature
  CHECK(Track{.wider = 2, .sigma = 0.01}.weights().ratio() == 1);
  // chi2 is that of the hits
  CHECK(Track{.wider = 10, .sigma = 0.1, .share = 0}.weights().ratio() == 1);
}

TEST_CASE("angle weights: wide angles are those of the greatest likelihood") {
  for (const double share : {1.0, 0.7})
    for (const double wider : {2.0, 4.0}) {
      CAPTURE(share);
      CAPTURE(wider);
      const Track track{.wider = wider, .sigma = 0.1, .share = share};
      const AngleWeights w = track.weights();
      CHECK(w.ratio() > 1.05);
      CHECK(w.widening() == doctest::Approx(std::pow(w.ratio(), track.power)));
      const double x = std::log(w.ratio());
      constexpr double step = 0.04;
      CHECK(track.sum(x) < track.sum(x - step));
      CHECK(track.sum(x) < track.sum(x + step));
    }
}

TEST_CASE("angle weights: within three errors of the curvature") {
  // a wrong hit
  const Track track{.wider = 1000, .sigma = 0.02, .power = 2};
  const AngleWeights w = track.weights();
  CHECK(w.ratio() > 1.05);
  CHECK(w.ratio() - 1 < 3 * track.fit(w.widening()).sigma * 1.05);
}

}  // namespace gttf::test::GTTF_TEST_FILE
