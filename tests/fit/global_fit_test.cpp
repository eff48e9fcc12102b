// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/global_fit.hpp"

#include <doctest/doctest.h>

#include "support/fit_tracks.hpp"

namespace gttf::test {

namespace {

double relative(double a, double b) { return std::abs(a / b - 1); }

}  // namespace

TEST_CASE("global fit: reference track to twelve digits") {
  const auto file = read_json("golden-triplets.json");
  const auto& reference = file.at("tracks").at(0);
  const TrackHits track = golden_track(reference);
  FitOptions all;
  all.detail = FitDetail::hits;
  const GlobalFit f = fit_global(track, FitKind::general, all);
  REQUIRE(f.status == FitStatus::ok);
  CHECK(f.ndf == 5);
  // the condition of K^-1 here is about 100
  CHECK(relative(f.kappa, reference.at("kappa")) < 1e-12);
  CHECK(relative(f.sigma, reference.at("sigma")) < 1e-12);
  CHECK(relative(f.chi2, reference.at("chi2")) < 1e-12);
  for (std::size_t k = 0; k < f.hits.size(); ++k) {
    const Vector3 delta = track.points[k].u * f.hits[k].residual[0] +
                          track.points[k].v * f.hits[k].residual[1];
    for (int i = 0; i < 3; ++i)
      CHECK(std::abs(delta[i] - reference.at("delta")
                                    .at(3 * k + static_cast<std::size_t>(i))
                                    .get<double>()) < 1e-13);
  }
  const GlobalFit s = fit_global(track, FitKind::scattering);
  CHECK(relative(s.kappa, reference.at("kappa_MS")) < 1e-12);
  CHECK(relative(s.sigma, reference.at("sigma_MS_fit")) < 1e-12);
  CHECK(relative(s.chi2, reference.at("chi2_MS")) < 1e-12);
}

}  // namespace gttf::test
