// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/regime.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "gttf/core/simd.hpp"
#include "gttf/fit/triplet/local_fit.hpp"
#include "gttf/resolution/any_track.hpp"
#include "support/at_level.hpp"
#include "support/batch.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// What find_regimes() gives.
struct RegimeOutput {
  std::vector<TrackRegime> tracks;
  BatchStatistics statistics;

  /// Of one track and its triplets.
  std::vector<double> numbers_of(std::size_t t) const {
    const TrackRegime& one = tracks[t];
    std::vector<double> own{one.mu_phi, one.mu_theta,      one.xi,
                            one.xi_ms,  one.p_significant, one.biases.local};
    for (const TripletRegime& r : one.triplets)
      own.insert(own.end(),
                 {r.gamma_phi, r.gamma_theta, r.gamma_phi_theta, r.sigma_ms,
                  r.b_ms, r.length, r.arms[0], r.mu_phi, r.mu_theta, r.xi,
                  r.xi_ms, r.xi_ms_limit, r.p_significant});
    return own;
  }
};

RegimeOutput regimes(const TrackingGeometry& geometry, const TrackList& tracks,
                     const Model& model = {},
                     TripletChoice choice = TripletChoice::consecutive,
                     unsigned threads = 1) {
  RegimeOutput out{std::vector<TrackRegime>(tracks.size()), {}};
  out.statistics = find_regimes(geometry, tracks.views(), model, {}, out.tracks,
                                choice, threads);
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

/// What is not a number must be equal.
void compare(const TrackRegime& one, const TrackRegime& r,
             Deviation& deviation) {
  REQUIRE(r.status == one.status);
  REQUIRE(r.n_hits == one.n_hits);
  CHECK(r.regime == one.regime);
  CHECK(r.fit == one.fit);
  Comparison& numbers = deviation.numbers;
  // a share of 1
  numbers.add(r.mu_phi, one.mu_phi, 1);
  numbers.add(r.mu_theta, one.mu_theta, 1);
  numbers.add(r.xi, one.xi);
  numbers.add(r.xi_ms, one.xi_ms);
  numbers.add(r.biases.common_pull, one.biases.common_pull);
  numbers.add(r.biases.local, one.biases.local);
  deviation.momenta.add(r.p_significant, one.p_significant);
  REQUIRE(r.triplets.size() == one.triplets.size());
  for (std::size_t i = 0; i < r.triplets.size(); ++i) {
    CAPTURE(i);
    const TripletRegime &a = r.triplets[i], &b = one.triplets[i];
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

/// From find_regime() with double instead of vectors.
Deviation deviation_from_scalar(const TrackingGeometry& geometry,
                                const TrackList& tracks, const Model& model,
                                const RegimeOutput& r, TripletChoice choice) {
  const AtLevel at(SimdLevel::scalar);
  Deviation deviation;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    CAPTURE(t);
    compare(find_regime(geometry, tracks.views().track(t), model, {}, choice),
            r.tracks[t], deviation);
  }
  return deviation;
}

/// The triplet of the first three hits of a track, as
/// fit/triplet/local_fit.hpp has it, from its crossings.
TripletRegime first_triplet(const TrackingGeometry& geometry,
                            const Track& track, const Model& model) {
  const TripletTrack t =
      detail::AnyTrack(geometry, track, model).triplets({}, false);
  std::vector<std::size_t> hits;
  for (std::size_t k = 0; k < t.crossings.size() && hits.size() < 3; ++k)
    if (t.crossings[k].measures()) hits.push_back(k);
  if (hits.size() < 3) return {};
  std::array<detail::LocalHit<double>, 3> local;
  for (std::size_t i = 0; i < 3; ++i) {
    const TripletPoint& x = t.crossings[hits[i]];
    local[i] = {cartesian(x.position),
                {{x.u.x(), x.u.y(), x.u.z()}, {x.v.x(), x.v.y(), x.v.z()}},
                detail::hit_covariance(axes_in_doubles(x.coordinates))};
  }
  detail::LocalTriplet<double> triplet = detail::helix_triplet(local);
  for (std::size_t k = hits[0] + 1; k < hits[2]; ++k)
    triplet.variance +=
        t.crossings[k].kink_variance *
        detail::squared_lever(cartesian(t.crossings[k].position),
                              local[k <= hits[1] ? 0 : 2].at, local[1].at);
  const auto fit = detail::fit_locally(triplet, t.kappa);
  TripletRegime r;
  r.gamma_phi = triplet.hits.phi;
  r.sigma_ms = fit.sigma_ms;
  r.mu_theta = fit.mu_theta;
  r.xi = fit.xi;
  r.xi_ms_limit = fit.xi_ms_limit;
  return r;
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

TEST_CASE("batch of regimes: all models of scattering; off: no xi_MS") {
  const TrackingGeometry geometry(make_barrel(6, 30, 1000, 2, 0.01, 0.01));
  for (const Scattering model :
       {Scattering::highland_total, Scattering::highland_1991,
        Scattering::rossi, Scattering::off})
    check_as_scalar(geometry, grid(), {.scattering = model});
  const RegimeOutput r =
      regimes(geometry, grid(), {.scattering = Scattering::off});
  const TripletRegime& triplet = r.tracks[3].triplets.at(0);
  CHECK(triplet.sigma_ms == 0);
  CHECK(std::isnan(triplet.xi_ms));
  CHECK(triplet.p_significant > 0);
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
  std::size_t all = 0, without = 0;
  for (const TrackRegime& one : r.tracks)
    for (const TripletRegime& t : one.triplets) {
      ++all;
      without += !t.exists();
    }
  CHECK(without > 0);
  CHECK(without < all);
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
  CHECK(r.tracks[0].triplets.empty());
  CHECK(r.tracks[0].regime == Regime::unknown);
  CHECK(r.tracks[0].mu_theta > 0);
}

TEST_CASE("batch of regimes: triplets are local fits to the crossings") {
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    const TrackList tracks = grid();
    const RegimeOutput r = regimes(geometry, tracks);
    Comparison numbers;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      if (r.tracks[t].triplets.empty()) continue;
      const TripletRegime& got = r.tracks[t].triplets[0];
      const TripletRegime expected =
          first_triplet(geometry, tracks.views().track(t), {});
      numbers.add(got.gamma_phi, expected.gamma_phi);
      numbers.add(got.sigma_ms, expected.sigma_ms);
      numbers.add(got.mu_theta, expected.mu_theta);
      numbers.add(got.xi, expected.xi);
      numbers.add(got.xi_ms_limit, expected.xi_ms_limit);
    }
    CHECK(numbers.worst < 1e-10);
  }
}

TEST_CASE("batch of regimes: unsupported tracks are as single ones") {
  const TrackingGeometry geometry(make_barrel(6, 30, 1000, 2, 0.01, 0.01));
  TrackList tracks;
  for (const double p : {0.1, 0.5, 2.0, 7.0, 30.0, 90.0}) tracks.add({.p = p});
  const auto check = [&](const Model& model, TripletChoice choice,
                         bool vectorised = false) {
    const RegimeOutput r = regimes(geometry, tracks, model, choice, 2);
    CHECK(r.statistics.tracks == tracks.size());
    CHECK(r.statistics.unsupported == (vectorised ? 0 : tracks.size()));
    const Deviation d =
        deviation_from_scalar(geometry, tracks, model, r, choice);
    CHECK(d.numbers.worst < 1e-10);
    CHECK(d.momenta.worst < 2e-10);
  };
  check({.beam_spot = BeamSpot{0.01, 0.01, 30}}, TripletChoice::consecutive,
        true);
  check({.loss = EnergyLoss::mean}, TripletChoice::consecutive);
  check({.engine = Engine::triplet}, TripletChoice::consecutive);
  check({}, TripletChoice::recurling);
}

TEST_CASE("batch of regimes: neighbours and threads do not change a bit") {
  const TrackingGeometry geometry(shipped("cld"));
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
  const TrackingGeometry geometry(shipped("cld"));
  TrackList tracks;
  for (const double p : {1.0, 10.0, 1000.0}) tracks.add({.p = p, .theta = 1.3});
  const RegimeOutput r = regimes(geometry, tracks);
  const double momentum = r.tracks[0].p_significant;
  CHECK(momentum == r.tracks[1].p_significant);
  CHECK(momentum == r.tracks[2].p_significant);
  TrackList around;
  for (const double factor : {0.999, 1.0, 1.001, 2.0, 10.0})
    around.add({.p = factor * momentum, .theta = 1.3});
  const RegimeOutput x = regimes(geometry, around);
  CHECK(x.tracks[0].xi > 3);
  CHECK(x.tracks[1].xi == doctest::Approx(3).epsilon(1e-9));
  for (const std::size_t t : {2u, 3u, 4u}) CHECK(x.tracks[t].xi < 3);
  for (const TripletRegime& t : r.tracks[0].triplets) {
    // a significant triplet is so up to at least its own momentum
    if (t.xi >= 3) CHECK(t.p_significant >= 1);
  }
}

TEST_CASE("batch of triplets: those of some layers, as of one track") {
  const TrackingGeometry geometry(make_barrel(8, 30, 600, 2, 0.01, 0.01));
  const TrackList tracks = grid();
  const std::size_t some[] = {0, 2, 3, 5};
  const auto found = find_triplets(geometry, tracks.views(), {}, some);
  REQUIRE(found.size() == tracks.size());
  const AtLevel at(SimdLevel::scalar);
  Comparison numbers;
  std::size_t all = 0;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const Track track = tracks.views().track(t);
    const auto one = find_triplets(geometry, arrays_of(track), {}, some)[0];
    REQUIRE(found[t].size() == one.size());
    all += one.size();
    for (std::size_t i = 0; i < one.size(); ++i) {
      CHECK(found[t][i].layers == one[i].layers);
      CHECK(std::isnan(found[t][i].p_significant));
      numbers.add(found[t][i].xi, one[i].xi);
    }
  }
  CHECK(numbers.worst < 1e-10);
  CHECK(all > 50);
}

}  // namespace gttf::test::GTTF_TEST_FILE
