// SPDX-License-Identifier: Apache-2.0
// Fits of exact hits of tracks that turn back give their parameters, with the
// errors expected from their resolution.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gttf/resolution/resolution.hpp"
#include "support/crossing_hits.hpp"
#include "support/fitted_files.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

struct Recurling {
  Particle particle;
  Track track;
};

Recurling recurling(const char* particle, double pt, double theta, double phi) {
  Recurling r{*find_particle(particle), {}};
  r.track.p = pt / std::sin(theta);
  r.track.theta = theta;
  r.track.phi = phi;
  r.track.charge = r.particle.charge;
  r.track.mass = r.particle.mass;
  return r;
}

/// Of all particles, from those that stop to those that hardly lose energy.
std::vector<Recurling> random_tracks(int n) {
  std::mt19937_64 engine(3);
  const auto uniform = [&engine](double a, double b) {
    return a + (b - a) * std::ldexp(static_cast<double>(engine() >> 11), -53);
  };
  std::vector<Recurling> tracks;
  for (int i = 0; i < n; ++i) {
    constexpr const char* names[] = {"muon", "pion", "kaon", "proton",
                                     "electron"};
    const double cosine = uniform(-0.8, 0.8), log_pt = uniform(-3.5, -0.5),
                 phi = uniform(-unit::pi, unit::pi);
    tracks.push_back(
        recurling(names[i % 5], std::exp(log_pt), std::acos(cosine), phi));
  }
  return tracks;
}

/// The turn at the last hit, rad.
double turn_of(const Resolution& r, const TrackingGeometry& geometry) {
  double turn = 0, at_hit = 0, path = 0;
  for (const CrossingInfo& c : r.crossings) {
    turn += std::abs(geometry.bz()) * (c.path - path) / c.p;
    path = c.path;
    if (c.measured) at_hit = turn;
  }
  return at_hit;
}

/// @param all_hits  of the resolution are fitted, and its error is compared
/// @return  the status, after a comparison of the parameters if it is ok
std::string fit_exact_hits(const Detector& d, const Recurling& r,
                           const Resolution& expected, const Model& model,
                           bool all_hits = true) {
  StudyRequest request;
  request.particle = r.particle;
  request.energy_loss = model.loss;
  request.turns = model.turns;
  const Fitted found = fit(hits_of(d, expected), d, request);
  const auto& t = found.tracks;
  if (t.text("status") != "ok") return t.text("status");
  constexpr double small = 1e-3;  // standard deviations
  // the same material, with the width of its losses
  if (all_hits)
    CHECK(t.real("sigma_p_rel") ==
          doctest::Approx(expected.sigma_p_rel).epsilon(0.02));
  const double sigma_p = t.real("sigma_p_rel") * t.real("p_GeV");
  CHECK(std::abs(t.real("p_GeV") - r.track.p) < small * sigma_p);
  const double phi = t.real("phi0_rad") - r.track.phi;
  CHECK(std::abs(std::remainder(phi, 2 * unit::pi)) / unit::mrad <
        small * t.real("sigma_phi0_mrad"));
  CHECK(std::abs(t.real("theta_rad") - r.track.theta) / unit::mrad <
        small * t.real("sigma_theta_mrad"));
  CHECK(std::abs(t.real("d0_um")) < small * t.real("sigma_d0_um"));
  CHECK(std::abs(t.real("z0_um")) < small * t.real("sigma_z0_um"));
  return "ok";
}

}  // namespace

// Surfaces without a hit are crossed twice, the last hit of some tracks is more
// than a turn behind the one before it or beyond the surfaces that a first
// guess of the momentum reaches, and after a turn a start that is wrong by its
// error leads elsewhere.
TEST_CASE("recurling fits: exact hits, with energy loss or without") {
  struct Sample {
    const char* detector;
    EnergyLoss loss;
    double turns;
    int n_tracks, n_fitted;
  };
  const auto off = EnergyLoss::off, mean = EnergyLoss::mean,
             straggling = EnergyLoss::straggling;
  for (const Sample& sample :
       {Sample{"cld", off, 1, 80, 60}, Sample{"cld", mean, 1, 120, 60},
        Sample{"cld", straggling, 1, 60, 30}, Sample{"cld", mean, 2, 60, 30},
        Sample{"alice_its2", mean, 1, 100, 10},
        Sample{"belle2", mean, 1, 60, 20}, Sample{"mu3e", mean, 1, 150, 30},
        Sample{"mu3e", mean, 2, 80, 20}}) {
    CAPTURE(sample.detector);
    CAPTURE(static_cast<int>(sample.loss));
    CAPTURE(sample.turns);
    const Detector d = shipped(sample.detector);
    const TrackingGeometry geometry(d);
    Model model;
    model.loss = sample.loss;
    model.turns = sample.turns;
    int n_fitted = 0;
    for (const Recurling& r : random_tracks(sample.n_tracks)) {
      CAPTURE(r.particle.name);
      CAPTURE(r.track.p);
      CAPTURE(r.track.theta);
      CAPTURE(r.track.phi);
      const Resolution expected = resolve(geometry, r.track, model);
      if (expected.status != Status::ok ||
          turn_of(expected, geometry) < half_a_turn)
        continue;
      const std::string status = fit_exact_hits(d, r, expected, model);
      if (status == "ok") {
        ++n_fitted;
        continue;
      }
      // the error means nothing if a particle slower by it stops before
      CHECK(status == "stops");
      Track slower = r.track;
      slower.p /= 1 + expected.sigma_p_rel;
      const Resolution stopped = resolve(geometry, slower, model);
      CHECK((stopped.stopped && stopped.n_hits < expected.n_hits));
    }
    CHECK(n_fitted >= sample.n_fitted);
  }
}

// With missing hits the first ones may be more than half a turn apart, later
// ones more than a turn, and several crossings of a layer may be those of a
// hit.
TEST_CASE("recurling fits: exact hits of which a quarter is missing") {
  struct Sample {
    const char* detector;
    double turns;
    int n_tracks;
  };
  for (const Sample& sample :
       {Sample{"cld", 0.5, 60}, Sample{"cld", 1, 150}, Sample{"cld", 2, 150},
        Sample{"alice_its2", 1, 100}, Sample{"mu3e", 1, 150},
        Sample{"barrel", 1, 150}}) {
    CAPTURE(sample.detector);
    CAPTURE(sample.turns);
    const Detector d = shipped(sample.detector);
    const TrackingGeometry geometry(d);
    Model model;
    model.turns = sample.turns;
    std::mt19937_64 engine(5);
    int n_fitted = 0, n_tracks = 0;
    for (const Recurling& r : random_tracks(sample.n_tracks)) {
      CAPTURE(r.particle.name);
      CAPTURE(r.track.p);
      CAPTURE(r.track.theta);
      CAPTURE(r.track.phi);
      Resolution expected = resolve(geometry, r.track, model);
      if (expected.status != Status::ok) continue;
      int n_hits = 0;
      double first_turn = 0;
      for (CrossingInfo& c : expected.crossings) {
        if (c.measured && engine() % 4 == 0) c.measured = false;
        if (!c.measured) continue;
        if (n_hits++ == 0) first_turn = std::abs(geometry.bz()) * c.path / c.p;
      }
      // the parameters are those of the perigee before the first hit
      if (n_hits < 4 || first_turn > half_a_turn) continue;
      ++n_tracks;
      const std::string status = fit_exact_hits(d, r, expected, model, false);
      if (status == "ok") ++n_fitted;
      // hits in two double layers may be on two straight lines only
      else
        CHECK(status == "not_determined");
    }
    CHECK(n_fitted >= 0.97 * n_tracks);
    CHECK(n_tracks >= sample.n_tracks / 2);
  }
}

TEST_CASE("recurling fits: passive layers are crossed again") {
  const Detector d = shipped("cld");
  const TrackingGeometry geometry(d);
  Model model;
  model.loss = EnergyLoss::mean;
  model.turns = 1;
  for (const Recurling& r :
       {recurling("pion", 0.263075, 117.8 * unit::deg, 80.6159 * unit::deg),
        recurling("muon", 0.238431, 117.778 * unit::deg,
                  23.7695 * unit::deg)}) {
    CAPTURE(r.particle.name);
    const Resolution expected = resolve(geometry, r.track, model);
    REQUIRE(fit_exact_hits(d, r, expected, model) == "ok");
  }
}

TEST_CASE("recurling fits: hits far from any track are not ok") {
  const Detector d = shipped("cld");
  const TrackingGeometry geometry(d);
  for (const EnergyLoss loss : {EnergyLoss::off, EnergyLoss::mean}) {
    Model model;
    model.loss = loss;
    model.turns = 1;
    const Recurling r =
        recurling("pion", 0.263075, 117.8 * unit::deg, 80.6159 * unit::deg);
    StudyRequest request;
    request.particle = r.particle;
    request.energy_loss = loss;
    request.turns = 1;
    const Resolution expected = resolve(geometry, r.track, model);
    const auto status = [&](double shift) {
      return fit(hits_of(d, expected, shift), d, request).tracks.text("status");
    };
    CAPTURE(static_cast<int>(loss));
    REQUIRE(status(0) == "ok");
    CHECK(status(0.2) == "not_converged");  // mm: a chi2 of 24,000
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
