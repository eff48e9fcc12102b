// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/coarse_hits.hpp"

#include <doctest/doctest.h>

#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/resolution/resolution.hpp"
#include "support/fit_tracks.hpp"
#include "support/layouts.hpp"
#include "support/reference_hits.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Scattered and smeared hits of a track in a barrel of cylinders.
TrackHits smear(const Detector& d, const Track& track, RandomTracks& random) {
  const TrackingGeometry geometry(d);
  const auto found = find_crossings(geometry, track, Scattering::highland);
  TrackHits t = make_reference_hits(make_triplet_track(geometry, track, found));
  HelixState<double> s{{track.vertex[0], track.vertex[1], track.vertex[2]},
                       track.phi,
                       track.theta};
  for (std::size_t i = 0; i < t.points.size(); ++i) {
    TrackHit& h = t.points[i];
    h.curved = true;
    const double r = h.position.head<2>().norm();
    double length = 0;
    HelixState<double> there = s;
    for (int k = 0; k < 12; ++k) {
      there = propagate(s, t.kappa_ref, length);
      const double x = there.position.x, y = there.position.y;
      const double slope = std::sin(there.theta) *
                           (x * std::cos(there.phi) + y * std::sin(there.phi));
      length -= 0.5 * (x * x + y * y - r * r) / slope;
      if (k == 0) length = (r - std::hypot(x, y)) / std::sin(s.theta);
    }
    s = propagate(s, t.kappa_ref, length);
    const double phi = std::atan2(s.position.y, s.position.x);
    double shift_u = 0, shift_v = 0;
    if (h.n_coordinates == 2) {
      shift_u = std::sqrt(h.coordinates[0].variance) * random.normal();
      shift_v = std::sqrt(h.coordinates[1].variance) * random.normal();
    } else {
      // the wire is known, not the place along it: move it to z = 0
      const CoordinateAxis& a = h.coordinates[0];
      shift_v = -s.position.z;
      shift_u = (std::sqrt(a.variance) * random.normal() - a.sine * shift_v) /
                a.cosine;
    }
    const double at = phi + shift_u / r;
    h.position = {r * std::cos(at), r * std::sin(at), s.position.z + shift_v};
    h.u = {-std::sin(at), std::cos(at), 0};
    h.v = Vector3::UnitZ();
    const double sigma = std::sqrt(h.theta0_2);
    s.phi += sigma / std::sin(track.theta) * random.normal();
    s.theta += sigma * random.normal();
  }
  return t;
}

/// Mean and spread over toys.
struct Sample {
  double sum = 0, squares = 0;
  int n = 0;

  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  double mean() const { return sum / n; }
  double spread() const { return std::sqrt(squares / n - mean() * mean()); }
};

}  // namespace

// As the rows of a TPC: 1 mm along z every 6 mm. Triplets linearised once at a
// helix fitted beforehand are 0.07 sigma away from the minimum, up to 0.7.
TEST_CASE("coarse hits: the first fit is that at which steps converge") {
  RandomTracks random(52);
  Detector d = make_barrel(200, 400, 1600, 3.5, 5e-5, 0.1);
  for (Layer& layer : d.layers) layer.coordinates = pixel(0.1, 1);
  Track track;
  track.p = 5;
  track.theta = 50 * unit::deg;
  FitOptions steps;
  steps.relinearisations = 12;
  double worst = 0;
  for (int i = 0; i < 20; ++i) {
    const TrackHits hits = smear(d, track, random);
    const GlobalFit first = fit_global(hits, FitKind::general);
    const GlobalFit best = fit_global(hits, FitKind::general, steps);
    REQUIRE(first.status == FitStatus::ok);
    REQUIRE(best.status == FitStatus::ok);
    worst = std::max(worst, std::abs(first.kappa - best.kappa) / best.sigma);
  }
  CHECK(worst < 1e-3);
}

// A macro-pixel next to a strip whose hit is far away along the strip.
TEST_CASE("long strips: their errors do not affect those of neighbours") {
  Detector d = make_barrel(3, 30, 90, 4, 0.01, 0.01);
  const auto add = [&d](const char* name, double r, double sigma_z) {
    d.layers.push_back(make_layer(name, make_cylinder(r, {-1e3, 1e3}), 0.01,
                                  pixel(0.03, sigma_z)));
  };
  add("pixels", 513.2, 0.42);
  add("strips", 514.8, 6.8);
  add("outside", 700, 6.8);
  const TrackingGeometry geometry(d);
  Track track;
  track.p = 5;
  track.theta = 87 * unit::deg;
  const auto found = find_crossings(geometry, track, Scattering::highland);
  TrackHits t = make_reference_hits(make_triplet_track(geometry, track, found));
  t.points[3].position.z() += 0.75;
  t.points[4].position.z() += 25;  // the pixels measure it to 2 % of that
  const GlobalFit fit = fit_global(t, FitKind::general);
  CHECK(fit.status == FitStatus::ok);
  // next to nothing but these two errors
  const double expected = std::pow(0.75 / 0.42, 2) + std::pow(25 / 6.8, 2);
  CHECK(fit.chi2 == doctest::Approx(expected).epsilon(0.1));
}

TEST_CASE("long strips: chi2 and pulls are right from the first step on") {
  RandomTracks random(51);
  for (const int layers : {4, 10}) {
    Detector d = make_barrel(layers, 30, layers == 4 ? 180 : 1000, 2, 0.01, 1);
    for (Layer& layer : d.layers) layer.coordinates = pixel(0.02, 50);
    Track track;
    track.p = 1;
    track.theta = 60 * unit::deg;
    track.phi = 0.3;
    Sample chi2, streamed, pull;
    constexpr int toys = 600;
    int failed = 0;
    for (int i = 0; i < toys; ++i) {
      const TrackHits t = smear(d, track, random);
      const GlobalFit f = fit_global(t, FitKind::general);
      const GlobalFit g = StreamingFitter().fit(t);
      if (f.status != FitStatus::ok || g.status != FitStatus::ok) {
        ++failed;
        continue;
      }
      chi2.add(f.chi2);
      streamed.add(g.chi2);
      // strips measure c = kappa/sin(theta)
      const double theta = f.perigee[Perigee::theta];
      const double sine = std::sin(theta), cot = std::cos(theta) / sine;
      Eigen::Vector2d slope(-f.kappa * cot / sine, 1 / sine);
      const Eigen::Matrix2d c = f.perigee_covariance.bottomRightCorner<2, 2>();
      pull.add((f.kappa / sine - t.kappa_ref / std::sin(track.theta)) /
               std::sqrt(slope.dot(c * slope)));
    }
    const int ndf = 2 * layers - 5;
    CAPTURE(layers);
    CHECK(failed < toys / 100);
    const double error = std::sqrt(2.0 * ndf / toys);
    CHECK(std::abs(chi2.mean() - ndf) < 4 * error + 0.02 * ndf);
    CHECK(std::abs(streamed.mean() - ndf) < 4 * error + 0.02 * ndf);
    CHECK(std::abs(pull.mean()) < 0.2);
    CHECK(std::abs(pull.spread() - 1) < 0.12);
  }
}

TEST_CASE("long strips: the raw hits are not a valid linearisation point") {
  RandomTracks random(52);
  Detector d = make_barrel(6, 30, 400, 2, 0.01, 1);
  for (Layer& layer : d.layers) layer.coordinates = pixel(0.02, 50);
  Track track;
  track.theta = 60 * unit::deg;
  const TrackHits t = smear(d, track, random);
  detail::KinkSystem system;
  REQUIRE(system.take(t) == FitStatus::ok);
  CHECK(detail::is_coarse(system));
  double kappa = 0;
  REQUIRE(detail::put_on_prefit(t, system, kappa) == FitStatus::ok);
  for (const auto& h : system.hits) {
    CHECK(h.removed[0] == 0);  // the precise coordinate stays
    CHECK(h.removed[1] != 0);
  }
  CHECK(kappa == doctest::Approx(t.kappa_ref).epsilon(0.2));
  for (Layer& layer : d.layers) layer.coordinates = pixel(0.02, 0.02);
  REQUIRE(system.take(smear(d, track, random)) == FitStatus::ok);
  CHECK_FALSE(detail::is_coarse(system));
}

// 20 um across strips at +-20 mrad are 0.5 mm along them, half the distance of
// two layers; so are hits of overlapping modules.
TEST_CASE("stereo strips: an error counts by how far it moves the hit") {
  RandomTracks random(54);
  Detector d = make_barrel(6, 30, 400, 2, 0.01, 1);
  for (Layer& layer : d.layers)
    layer.coordinates = {{0.02, 0.02}, {-0.02, 0.02}};
  Track track;
  track.theta = 60 * unit::deg;
  detail::KinkSystem system;
  REQUIRE(system.take(smear(d, track, random)) == FitStatus::ok);
  CHECK_FALSE(detail::is_coarse(system));
  d.layers[3].surface.position = d.layers[2].surface.position + 1;
  REQUIRE(system.take(smear(d, track, random)) == FitStatus::ok);
  CHECK(detail::is_coarse(system));
}

TEST_CASE("wires: one coordinate per layer is enough, z from the stereo") {
  RandomTracks random(53);
  Detector d = make_barrel(40, 300, 1500, 2, 1e-4, 1);
  int i = 0;
  for (Layer& layer : d.layers) {
    const double angle = (i++ / 2 % 2 ? 1 : -1) * 4 * unit::deg;
    layer.coordinates = {{angle, 0.1}};
  }
  for (const double theta : {90.0, 55.0}) {
    Track track;
    track.p = 3;
    track.theta = theta * unit::deg;
    track.phi = -1.2;
    track.vertex = {0.2, -0.1, 4};
    const Resolution r = resolve(TrackingGeometry(d), track);
    REQUIRE(r.status == Status::ok);
    Sample chi2, pull;
    constexpr int toys = 150;
    for (int k = 0; k < toys; ++k) {
      const TrackHits t = smear(d, track, random);
      const GlobalFit f = fit_global(t, FitKind::general);
      REQUIRE(f.status == FitStatus::ok);
      CHECK(f.ndf == 35);
      chi2.add(f.chi2);
      pull.add((f.kappa - t.kappa_ref) / f.sigma);
      // the promised errors, except that the track differs
      if (k < 5)
        CHECK(std::sqrt(f.perigee_covariance(1, 1)) ==
              doctest::Approx(std::sqrt(r.perigee(1, 1))).epsilon(0.05));
      CHECK(fit_global(t, FitKind::scattering).status ==
            FitStatus::not_determined);
    }
    CHECK(std::abs(chi2.mean() - 35) < 4 * std::sqrt(70.0 / toys));
    CHECK(std::abs(pull.mean()) < 4 / std::sqrt(toys));
    CHECK(std::abs(pull.spread() - 1) < 4 / std::sqrt(2.0 * toys));
  }
}

TEST_CASE("wires: axial wires do not measure z") {
  RandomTracks random(54);
  Detector d = make_barrel(20, 300, 1500, 2, 1e-4, 1);
  for (Layer& layer : d.layers) layer.coordinates = {{0, 0.1}};
  const TrackHits t = smear(d, Track{}, random);
  CHECK(fit_global(t, FitKind::general).status == FitStatus::not_determined);
}

}  // namespace gttf::test::GTTF_TEST_FILE
