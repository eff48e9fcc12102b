// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch_regimes.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "gttf/core/simd.hpp"
#include "support/at_level.hpp"
#include "support/batch.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test {

namespace {

/// What find_regimes() gives.
struct RegimeOutput : RegimeColumns {
  using RegimeColumns::RegimeColumns;

  /// Of one track and its triplets.
  std::vector<double> numbers_of(std::size_t t) const {
    std::vector<double> own{mu_phi[t], mu_theta[t],      xi[t],
                            xi_ms[t],  p_significant[t], biases[t].local};
    for (const TripletRegime& r : triplets.of_track(t))
      own.insert(own.end(),
                 {r.gamma_phi, r.gamma_theta, r.gamma_phi_theta, r.sigma_ms,
                  r.b_ms, r.length, r.arms[0], r.mu_phi, r.mu_theta, r.xi,
                  r.xi_ms, r.xi_ms_limit, r.p_significant});
    return own;
  }

  BatchStatistics statistics;
};

RegimeOutput regimes(const TrackingGeometry& geometry, const TrackList& tracks,
                     const Model& model = {},
                     TripletChoice choice = TripletChoice::consecutive,
                     unsigned threads = 1) {
  RegimeOutput out(tracks.size());
  out.statistics = find_regimes(geometry, tracks.views(), model, {},
                                out.views(), &out.triplets, choice, threads);
  return out;
}

/// Momenta and angles of a scan, from tracks that curl up to 100 GeV.
TrackList grid(std::array<double, 3> vertex = {}) {
  TrackList tracks;
  for (const double theta : {90., 80., 61., 45., 33., 20., 12., 150.})
    for (const double p : {0.06, 0.2, 0.7, 3., 20., 150.}) {
      Track t;
      t.p = p;
      t.theta = theta * unit::deg;
      t.phi = 0.1;
      t.vertex = vertex;
      tracks.add(t);
    }
  return tracks;
}

/// Compares relative to `scale`, unless both are infinite or do not exist.
class Comparison {
 public:
  void add(double got, double expected) { add(got, expected, expected); }
  void add(double got, double expected, double scale) {
    REQUIRE(std::isnan(got) == std::isnan(expected));
    if (std::isnan(got) || got == expected) return;
    worst = std::max(worst, std::abs((got - expected) / scale));
  }
  double worst = 0;
};

struct Deviation {
  Comparison numbers, momenta;
};

/// From find_regime(); what is not a number must be equal.
void compare(const TrackRegime& one, const RegimeOutput& r, std::size_t t,
             Deviation& deviation) {
  const Resolution& resolution = one.resolution;
  REQUIRE(r.status[t] == resolution.status);
  REQUIRE(r.n_hits[t] == resolution.n_hits);
  CHECK(r.regime[t] == resolution.regime);
  CHECK(r.fit[t] == one.fit);
  Comparison& numbers = deviation.numbers;
  // a share of 1
  numbers.add(r.mu_phi[t], resolution.mu_phi, 1);
  numbers.add(r.mu_theta[t], resolution.mu_theta, 1);
  numbers.add(r.xi[t], resolution.xi);
  numbers.add(r.xi_ms[t], one.xi_ms);
  numbers.add(r.biases[t].common_pull, one.biases.common_pull);
  numbers.add(r.biases[t].local, one.biases.local);
  deviation.momenta.add(r.p_significant[t], one.p_significant);
  const std::vector<TripletRegime> triplets = r.triplets.of_track(t);
  REQUIRE(triplets.size() == one.triplets.size());
  for (std::size_t i = 0; i < triplets.size(); ++i) {
    CAPTURE(i);
    const TripletRegime &a = triplets[i], &b = one.triplets[i];
    REQUIRE(a.layers == b.layers);
    CHECK(a.recurls == b.recurls);
    CHECK(a.regime == b.regime);
    numbers.add(a.gamma_phi, b.gamma_phi);
    numbers.add(a.gamma_theta, b.gamma_theta);
    numbers.add(a.gamma_phi_theta, b.gamma_phi_theta,
                std::sqrt(b.gamma_phi * b.gamma_theta));
    numbers.add(a.sigma_ms, b.sigma_ms);
    numbers.add(a.b_ms, b.b_ms);
    numbers.add(a.arms[0], b.arms[0]);
    numbers.add(a.length, b.length);
    numbers.add(a.mu_phi, b.mu_phi);
    numbers.add(a.mu_theta, b.mu_theta);
    numbers.add(a.xi, b.xi);
    numbers.add(a.xi_ms, b.xi_ms);
    numbers.add(a.xi_ms_limit, b.xi_ms_limit);
    deviation.momenta.add(a.p_significant, b.p_significant);
  }
}

Deviation deviation_from_scalar(const TrackingGeometry& geometry,
                                const TrackList& tracks, const Model& model,
                                const RegimeOutput& r, TripletChoice choice) {
  Deviation deviation;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    CAPTURE(t);
    compare(find_regime(geometry, tracks.views().track(t), model, {}, choice),
            r, t, deviation);
  }
  return deviation;
}

void check_as_scalar(const TrackingGeometry& geometry, const TrackList& tracks,
                     const Model& model = {},
                     TripletChoice choice = TripletChoice::consecutive) {
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel at(level);
    const RegimeOutput r = regimes(geometry, tracks, model, choice);
    const Deviation d =
        deviation_from_scalar(geometry, tracks, model, r, choice);
    CHECK(d.numbers.worst < 1e-10);
    // twice the tolerance of the search
    CHECK(d.momenta.worst < 2e-10);
    CHECK(r.statistics.tracks == tracks.size());
  }
}

}  // namespace

TEST_CASE("batch of regimes: every shipped solenoid gives find_regime()") {
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    check_as_scalar(geometry, grid());
    CHECK(regimes(geometry, grid()).statistics.unsupported == 0);
  }
}

TEST_CASE("batch of regimes: off the axis, and starts of both kinds mixed") {
  const TrackingGeometry geometry(shipped_detectors().front());
  TrackList mixed;
  const TrackList on = grid(), off = grid({0.3, -0.2, 5});
  for (std::size_t t = 0; t < on.size(); ++t) {
    mixed.add(on.views().track(t));
    mixed.add(off.views().track(t));
  }
  check_as_scalar(geometry, mixed);
}

TEST_CASE("batch of regimes: all models of scattering; none: xi_MS is none") {
  const TrackingGeometry geometry(make_barrel(6, 30, 1000, 2, 0.01, 0.01));
  for (const Scattering model :
       {Scattering::highland_total, Scattering::highland_1991,
        Scattering::rossi, Scattering::off})
    check_as_scalar(geometry, grid(), {.scattering = model});
  const RegimeOutput r =
      regimes(geometry, grid(), {.scattering = Scattering::off});
  CHECK(r.triplets.sigma_ms[0] == 0);
  CHECK(std::isnan(r.triplets.xi_ms[0]));
  CHECK(r.triplets.p_significant[0] > 0);
}

TEST_CASE(
    "batch of regimes: all triplets, single coordinates, passive layers") {
  Detector d = make_barrel(6, 30, 600, 2, 0.01, 0.01);
  d.layers[3].coordinates.pop_back();
  d.layers.push_back(make_layer("a", make_cylinder(200, {-1e5, 1e5}), 0.02));
  d.layers.push_back(make_layer("b", make_disk(700, {20, 900}), 0.01));
  const TrackingGeometry geometry(d);
  check_as_scalar(geometry, grid(), {}, TripletChoice::all);
  const RegimeOutput r = regimes(geometry, grid());
  std::size_t without = 0;
  for (const double xi : r.triplets.xi) without += std::isnan(xi);
  CHECK(without > 0);
  CHECK(without < r.triplets.size());
}

TEST_CASE("batch of regimes: no field, too few hits, tracks along the axis") {
  Detector d = make_barrel(6, 30, 1000, 2, 0.01, 0.01);
  TrackList tracks = grid();
  tracks.add({.theta = 0});
  tracks.add({.p = 0.001});
  check_as_scalar(TrackingGeometry(d), tracks);
  CHECK(regimes(TrackingGeometry(d), tracks).statistics.unsupported == 1);
  d.field = {};
  check_as_scalar(TrackingGeometry(d), tracks);
  const RegimeOutput r = regimes(TrackingGeometry(d), tracks);
  CHECK(r.triplets.size() == 0);
  CHECK(r.regime[0] == Regime::unknown);
  CHECK(r.mu_theta[0] > 0);
}

TEST_CASE("batch of regimes: what lanes cannot do is done one by one") {
  const TrackingGeometry geometry(make_barrel(6, 30, 1000, 2, 0.01, 0.01));
  TrackList tracks;
  for (const double p : {0.1, 0.5, 2.0, 7.0, 30.0, 90.0}) tracks.add({.p = p});
  const auto check = [&](const Model& model, TripletChoice choice) {
    const RegimeOutput r = regimes(geometry, tracks, model, choice, 2);
    CHECK(r.statistics.tracks == tracks.size());
    CHECK(r.statistics.unsupported == tracks.size());
    const Deviation d =
        deviation_from_scalar(geometry, tracks, model, r, choice);
    CHECK(d.numbers.worst == 0);
    CHECK(d.momenta.worst == 0);
  };
  check({.beam_spot = BeamSpot{0.01, 0.01, 30}}, TripletChoice::consecutive);
  check({.loss = EnergyLoss::mean}, TripletChoice::consecutive);
  check({.engine = Engine::triplet}, TripletChoice::consecutive);
  check({}, TripletChoice::recurling);
}

TEST_CASE("batch of regimes: neighbours and threads do not change a bit") {
  const TrackingGeometry geometry(
      read_detector(GTTF_SOURCE_DIR "/detectors/cld.yaml").detector);
  RandomLayouts random(11);
  TrackList tracks;
  for (int i = 0; i < 1100; ++i) tracks.add(random.track());
  const std::size_t n = tracks.size();
  TrackList reversed;
  for (std::size_t t = n; t-- > 0;) reversed.add(tracks.views().track(t));
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel at(level);
    const RegimeOutput whole =
        regimes(geometry, tracks, {}, TripletChoice::consecutive, 3);
    const RegimeOutput backwards = regimes(geometry, reversed);
    bool equal = true;
    for (std::size_t t = 0; t < n; ++t)
      equal = equal &&
              same_bits(whole.numbers_of(t), backwards.numbers_of(n - 1 - t));
    CHECK(equal);
    for (const std::size_t t : {std::size_t{0}, std::size_t{317}}) {
      TrackList one;
      one.add(tracks.views().track(t));
      CHECK(
          same_bits(whole.numbers_of(t), regimes(geometry, one).numbers_of(0)));
    }
  }
}

TEST_CASE("batch of regimes: momenta are those of the direction, the largest") {
  const TrackingGeometry geometry(
      read_detector(GTTF_SOURCE_DIR "/detectors/cld.yaml").detector);
  TrackList tracks;
  for (const double p : {1.0, 10.0, 1000.0}) tracks.add({.p = p, .theta = 1.3});
  const RegimeOutput r = regimes(geometry, tracks);
  CHECK(r.p_significant[0] == r.p_significant[1]);
  CHECK(r.p_significant[0] == r.p_significant[2]);
  TrackList around;
  for (const double factor : {0.999, 1.0, 1.001, 2.0, 10.0})
    around.add({.p = factor * r.p_significant[0], .theta = 1.3});
  const RegimeOutput x = regimes(geometry, around);
  CHECK(x.xi[0] > 3);
  CHECK(x.xi[1] == doctest::Approx(3).epsilon(1e-9));
  for (const std::size_t t : {2u, 3u, 4u}) CHECK(x.xi[t] < 3);
  const std::vector<TripletRegime> first = r.triplets.of_track(0);
  for (const TripletRegime& t : first) {
    // a significant triplet is so up to at least its own momentum
    if (t.xi >= 3) CHECK(t.p_significant >= 1);
  }
}

TEST_CASE("batch of triplets: those of some layers, as find_triplets()") {
  const TrackingGeometry geometry(make_barrel(8, 30, 600, 2, 0.01, 0.01));
  const TrackList tracks = grid();
  const std::size_t some[] = {0, 2, 3, 5};
  const TripletArrays found = find_triplets(geometry, tracks.views(), {}, some);
  REQUIRE(found.begin.size() == tracks.size() + 1);
  Comparison numbers;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const auto one = find_triplets(geometry, tracks.views().track(t), {}, some);
    const auto own = found.of_track(t);
    REQUIRE(own.size() == one.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      CHECK(own[i].layers == one[i].layers);
      CHECK(std::isnan(own[i].p_significant));
      numbers.add(own[i].xi, one[i].xi);
    }
  }
  CHECK(numbers.worst < 1e-10);
  CHECK(found.size() > 50);
}

}  // namespace gttf::test
