// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/regime.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Three or more pixel cylinders of the given radii.
Detector cylinders(const std::vector<double>& radii, double tesla,
                   double x_over_x0, double sigma) {
  Detector d;
  d.field = {FieldKind::solenoid, tesla * unit::T};
  for (const double r : radii)
    d.layers.push_back(make_layer("r" + std::to_string(r),
                                  make_cylinder(r, {-1e5, 1e5}), x_over_x0,
                                  pixel(sigma, sigma)));
  return d;
}

/// Light-like particle at 90 deg, scattering without logarithm: the paper's
/// convention.
TrackRegime regime(const Detector& d, double p, double theta = 90 * unit::deg) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.mass = 0;
  return find_regime(TrackingGeometry(d), t, {.scattering = Scattering::rossi});
}

}  // namespace

TEST_CASE("triplets equal those of regimes except for momenta") {
  const Detector d = cylinders({20, 40, 80, 160, 320}, 2, 0.01, 0.01);
  Track t;
  t.p = 5;
  t.mass = 0;
  t.theta = 1.2;
  const TrackingGeometry geometry(d);
  const TrackRegime whole = find_regime(geometry, t);
  const auto alone = find_triplets(geometry, arrays_of(t))[0];
  REQUIRE(alone.size() == 3);
  REQUIRE(whole.triplets.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(alone[i].layers == whole.triplets[i].layers);
    CHECK(alone[i].xi == whole.triplets[i].xi);
    CHECK(std::isnan(alone[i].p_significant));
    CHECK(whole.triplets[i].p_significant > 0);
  }
}

TEST_CASE("regimes: momenta with energy loss are those of every triplet") {
  Model model;
  model.loss = EnergyLoss::mean;
  // from where losses bend a track to where it is straight
  Detector d = make_barrel(36, 20, 900, 2, 0.01, 0.03);
  for (Layer& layer : d.layers) layer.material[0].material = "silicon";
  for (const double theta : {1.5, 0.7}) {
    Track t;
    t.p = 1;
    t.theta = theta;
    t.phi = 0.3;
    const TrackingGeometry geometry(d);
    const TrackRegime r = find_regime(geometry, t, model);
    REQUIRE(r.triplets.size() == 34);
    int found = 0;
    for (const TripletRegime& triplet : r.triplets) {
      if (!std::isfinite(triplet.p_significant)) continue;
      ++found;
      Track there = t;
      there.p = triplet.p_significant;
      const auto all = find_triplets(geometry, arrays_of(there), model);
      for (const TripletRegime& own : all[0])
        if (own.layers == triplet.layers)
          CHECK(own.xi == doctest::Approx(3).epsilon(1e-9));
    }
    CHECK(found > 20);
  }
}

TEST_CASE("triplets of some layers: the others are skipped, but scatter") {
  const std::vector<double> radii{20, 40, 80, 160, 320};
  const Detector d = cylinders(radii, 2, 0.01, 0.01);
  Track t;
  t.p = 5;
  t.mass = 0;
  const std::size_t some[] = {0, 2, 4};
  const auto found =
      find_triplets(TrackingGeometry(d), arrays_of(t), {}, some)[0];
  REQUIRE(found.size() == 1);
  CHECK(found[0].layers == std::array<std::size_t, 3>{0, 2, 4});
  const Detector three = cylinders({20, 80, 320}, 2, 0.01, 0.01);
  const auto bare = find_triplets(TrackingGeometry(three), arrays_of(t))[0];
  CHECK(found[0].gamma_phi == doctest::Approx(bare[0].gamma_phi));
  CHECK(found[0].sigma_ms > 1.05 * bare[0].sigma_ms);
}

TEST_CASE("regime: xi_MS of the detectors of the paper") {
  // Computed once from [GTTF] eq:curvature_significance_MS2 with the radii,
  // thicknesses and fields of docs/theory/paper-numbers.md; all digits given.
  const auto limit = [](const Detector& d, double p) {
    return regime(d, p).triplets.at(0).xi_ms_limit;
  };
  const double straight = 1e5;  // GeV
  CHECK(limit(cylinders({23.4, 31.5, 39.3}, 0.5, 0.0035, 0.005), straight) ==
        doctest::Approx(1.481).epsilon(4e-4));
  CHECK(limit(cylinders({194.5, 244, 342.4}, 0.5, 0.01, 0.005), straight) ==
        doctest::Approx(8.150).epsilon(7e-5));
  CHECK(limit(cylinders({39, 99, 160}, 2, 0.015, 0.0144), straight) ==
        doctest::Approx(21.78).epsilon(3e-4));
  const Detector mu3e = cylinders({29.8, 73.9, 86.3}, 1, 0.0011, 0.0231);
  CHECK(limit(mu3e, straight) == doctest::Approx(18.78).epsilon(3e-4));
  CHECK(regime(mu3e, 0.053).triplets.at(0).xi_ms ==
        doctest::Approx(18.93).epsilon(3e-4));
}

TEST_CASE(
    "regime: xi = xi_MS sqrt(1 - mu_phi^2) in the limit of small bending") {
  struct Point {
    double deviation, turn;
  };
  const auto at = [](double p) {
    const Detector d = cylinders({30, 70, 120}, 2, 0.01, 0.02);
    const TripletRegime t = regime(d, p, 60 * unit::deg).triplets.at(0);
    return Point{
        std::abs(t.xi / (t.xi_ms * std::sqrt(1 - t.mu_phi * t.mu_phi)) - 1),
        t.length * 2 * unit::T / p};
  };
  // the deviation is of second order in the turning angle
  for (const double p : {0.2, 1.0, 10.0, 100.0, 1000.0}) {
    CAPTURE(p);
    CHECK(at(p).deviation < 0.1 * at(p).turn * at(p).turn);
  }
  CHECK(at(0.2).deviation > 1e-6);
  CHECK(at(1000).deviation < 1e-9);
}

TEST_CASE("regime: xi_MS is a sin(theta)/(2 b_MS) for small bending") {
  const Detector d = cylinders({30, 70, 120}, 2, 0.01, 0.02);
  for (const double theta : {90.0, 60.0, 30.0}) {
    const TripletRegime t = regime(d, 1e4, theta * unit::deg).triplets.at(0);
    CHECK(t.xi_ms == doctest::Approx(t.xi_ms_limit).epsilon(1e-8));
    CHECK(t.length == doctest::Approx(90 / std::sin(theta * unit::deg)));
  }
}

TEST_CASE("regime: the local fit of three layers is the fit of the track") {
  const Detector d = cylinders({30, 70, 120}, 2, 0.01, 0.02);
  for (const double p : {0.05, 0.3, 5.0, 100.0})
    for (const double theta : {90.0, 50.0}) {
      const TrackRegime r = regime(d, p, theta * unit::deg);
      REQUIRE(r.triplets.size() == 1);
      CHECK(r.triplets[0].xi == doctest::Approx(r.xi).epsilon(1e-9));
      CHECK(r.triplets[0].xi_ms == doctest::Approx(r.xi_ms).epsilon(1e-9));
    }
}

TEST_CASE("regime: passive layers between the hits, by their levers") {
  Detector d = cylinders({30, 70, 120}, 2, 0.001, 1e-4);
  d.layers.push_back(make_layer("a", make_cylinder(50, {-1e5, 1e5}), 0.02));
  d.layers.push_back(make_layer("b", make_cylinder(110, {-1e5, 1e5}), 0.01));
  const TrackRegime r = regime(d, 20, 70 * unit::deg);
  REQUIRE(r.triplets.size() == 1);
  // the levers are exact for a straight track
  CHECK(r.triplets[0].xi == doctest::Approx(r.xi).epsilon(1e-4));
}

TEST_CASE("regime: consecutive triplets, or all") {
  const Detector d = cylinders({30, 70, 120, 170, 220}, 2, 0.01, 0.02);
  const Track t;
  const TrackingGeometry geometry(d);
  CHECK(find_regime(geometry, t).triplets.size() == 3);
  const auto all = find_regime(geometry, t, {}, {}, TripletChoice::all);
  CHECK(all.triplets.size() == 10);
  // the longest lever is the best of all, and weaker than the track
  double best = 0;
  for (const TripletRegime& triplet : all.triplets)
    best = std::max(best, triplet.xi);
  CHECK(best < all.xi);
  CHECK(all.weakest()->xi < best);
}

TEST_CASE("regime: xi is 3 at the momentum up to which it is") {
  for (const double p : {0.1, 1.0, 300.0}) {
    const Detector d = cylinders({30, 70, 120, 200}, 2, 0.01, 0.02);
    const TrackRegime r = regime(d, p);
    CHECK(regime(d, r.p_significant).xi == doctest::Approx(3));
    const double of_triplet = r.triplets[0].p_significant;
    CHECK(regime(d, of_triplet).triplets[0].xi == doctest::Approx(3));
    CHECK(of_triplet < r.p_significant);
  }
  // the inner ITS2 by itself: xi_MS is below 3 at all momenta
  const TrackRegime never =
      regime(cylinders({23.4, 31.5, 39.3}, 0.5, 0.0035, 0.005), 0.2);
  CHECK(std::isnan(never.p_significant));
}

TEST_CASE("regime: thresholds are the user's") {
  const Detector d = cylinders({30, 70, 120, 200}, 2, 0.01, 0.002);
  Track t;
  t.p = 0.5;
  const TrackingGeometry geometry(d);
  const TrackRegime usual = find_regime(geometry, t);
  CHECK(usual.regime == Regime::scattering);
  CHECK(usual.fit == RecommendedFit::scattering);
  const TrackRegime strict = find_regime(geometry, t, {}, {.mu_small = 0.01});
  CHECK(strict.regime == Regime::mixed);
  CHECK(strict.fit == RecommendedFit::general);
  CHECK(std::isnan(strict.biases.local));
  const TrackRegime careful =
      find_regime(geometry, t, {}, {.xi_unbiased = 1000});
  CHECK(careful.fit == RecommendedFit::common_curvature);
  const TrackRegime weak =
      find_regime(geometry, t, {}, {.xi_significant = 1000});
  CHECK(weak.regime == Regime::weak);
}

TEST_CASE("regime: predicted biases of the scattering fits, two triplets") {
  const TrackRegime r =
      regime(cylinders({30, 70, 120, 170}, 1, 0.01, 0.002), 0.2);
  REQUIRE(r.mu_phi < 0.15);
  const double s = 1 / r.xi;
  CHECK(r.biases.local == doctest::Approx(-2 * s * s));
  CHECK(r.biases.regularised == doctest::Approx(3 * s * s));
  CHECK(r.biases.common == 0);
  CHECK(r.biases.common_pull == doctest::Approx(-s));
}

TEST_CASE("regime: a triplet of single coordinates has none, the track has") {
  Detector d = cylinders({30, 70, 120, 170}, 2, 0.01, 0.02);
  d.layers[3].coordinates.pop_back();
  const TrackRegime r = regime(d, 1);
  REQUIRE(r.triplets.size() == 2);
  CHECK(r.triplets[0].exists());
  CHECK_FALSE(r.triplets[1].exists());
  CHECK(r.xi > 0);
}

TEST_CASE("regime: recurling positrons of Mu3e, scattering only") {
  // xi_MS of the triplets through the outer arc, 53 MeV, computed apart
  const Detector d = cylinders({23.3, 29.8, 73.9, 86.3}, 1, 0.0011, 1e-6);
  const auto at = [&](double theta) {
    Track t;
    t.p = 0.053;
    t.theta = theta * unit::deg;
    t.mass = 0;
    return find_regime(TrackingGeometry(d), t,
                       {.scattering = Scattering::rossi}, {},
                       TripletChoice::recurling)
        .triplets;
  };
  const struct {
    double theta, inner, outer, recurl;
  } cases[] = {
      {85, 17.0, 18.9, 59.8}, {70, 16.5, 18.4, 84.5}, {60, 15.9, 17.6, 118}};
  for (const auto& c : cases) {
    CAPTURE(c.theta);
    const auto list = at(c.theta);
    REQUIRE(list.size() == 6);  // L1..L4 and back to L1
    CHECK(list[0].xi_ms == doctest::Approx(c.inner).epsilon(4e-3));
    CHECK(list[1].xi_ms == doctest::Approx(c.outer).epsilon(4e-3));
    for (const std::size_t i : {2u, 3u}) {
      CHECK(list[i].recurls);
      CHECK(list[i].xi_ms == doctest::Approx(c.recurl).epsilon(5e-3));
    }
    CHECK(list[2].layers == std::array<std::size_t, 3>{2, 3, 3});
  }
}

TEST_CASE("regime: no field, no regime") {
  const TrackRegime r = regime(cylinders({30, 70, 120}, 0, 0.01, 0.02), 1);
  CHECK(r.regime == Regime::unknown);
  CHECK(r.triplets.empty());
  CHECK(r.weakest() == nullptr);
}

}  // namespace gttf::test::GTTF_TEST_FILE
