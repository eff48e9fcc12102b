// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include "gttf/fit/streaming/streaming_fit.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

TrackHits good_track() {
  RandomTracks random(31);
  RandomTracks::Options o;
  o.n_points = 5;
  return random.track(o);
}

/// Both engines must have the status `expected`, and no numbers.
void check_refused(const TrackHits& t, FitStatus expected) {
  FitOptions all;
  all.detail = FitDetail::hits;
  for (const GlobalFit& f :
       {fit_global(t, FitKind::general, all), StreamingFitter(all).fit(t)}) {
    CHECK(to_string(f.status) == to_string(expected));
    CHECK(std::isnan(f.kappa));
    CHECK(std::isnan(f.chi2));
    CHECK(std::isnan(f.perigee[0]));
    CHECK(f.hits.empty());
  }
}

}  // namespace

TEST_CASE("bad hits: the track itself is good") {
  CHECK(fit_global(good_track(), FitKind::general).status == FitStatus::ok);
}

TEST_CASE("bad hits: fewer than three are too few") {
  TrackHits t = good_track();
  t.points.resize(2);
  check_refused(t, FitStatus::too_few_hits);
  t.points.clear();
  check_refused(t, FitStatus::too_few_hits);
  // three points of which one is passive
  t = good_track();
  t.points.resize(3);
  t.points[1].n_coordinates = 0;
  check_refused(t, FitStatus::too_few_hits);
}

TEST_CASE("bad hits: NaN and infinity are reported") {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    TrackHits t = good_track();
    t.points[2].position[1] = bad;
    check_refused(t, FitStatus::not_finite);
    t = good_track();
    t.points[3].coordinates[1].variance = bad;
    check_refused(t, FitStatus::not_finite);
    t = good_track();
    t.kappa_ref = bad;
    check_refused(t, FitStatus::not_finite);
  }
}

TEST_CASE("bad hits: variances must be positive") {
  TrackHits t = good_track();
  t.points[1].coordinates[0].variance = 0;
  check_refused(t, FitStatus::bad_error);
  t = good_track();
  t.points[1].theta0_2 = -1e-6;
  check_refused(t, FitStatus::bad_error);
}

TEST_CASE("bad hits: coincident hits are reported") {
  TrackHits t = good_track();
  t.points[2].position = t.points[1].position;
  check_refused(t, FitStatus::coincident_hits);
}

TEST_CASE("bad hits: the wrong order is reported, any two hits swapped") {
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = i + 1; j < 5; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      TrackHits t = good_track();
      std::swap(t.points[i], t.points[j]);
      CHECK(fit_global(t, FitKind::general).status != FitStatus::ok);
    }
  TrackHits t = good_track();
  std::swap(t.points[1], t.points[2]);
  CHECK(fit_global(t, FitKind::general).status == FitStatus::wrong_order);
  // a whole track backwards is a track: the other charge
  t = good_track();
  std::reverse(t.points.begin(), t.points.end());
  t.kappa_ref = -t.kappa_ref;
  const GlobalFit back = fit_global(t, FitKind::general);
  CHECK(back.status == FitStatus::ok);
}

TEST_CASE("bad hits: bends up to the pole of the index are reported") {
  TrackHits t;
  t.kappa_ref = 0.01;
  HelixState<double> s{{0, 0, 0}, 0.3, 1.5};
  for (int i = 0; i < 4; ++i) {
    TrackHit h;
    h.position = {s.position.x, s.position.y, s.position.z};
    const CoordinateAxis axes[] = {{1, 0, 1e-4}, {0, 1, 1e-4}};
    h.u = {-std::sin(s.phi), std::cos(s.phi), 0};
    set_coordinates(h, axes);
    h.theta0_2 = 1e-6;
    t.points.push_back(h);
    s = propagate(s, 0.01, 310.0);  // 3.1 rad: 1/n = 0.07 at pi/2, less here
  }
  const GlobalFit f = fit_global(t, FitKind::general);
  CHECK(f.status == FitStatus::beyond_pole);
}

TEST_CASE("bad hits: without any error there are no weights") {
  TrackHits t = good_track();
  for (TrackHit& h : t.points) h.theta0_2 = 0;
  CHECK(fit_global(t, FitKind::scattering).status == FitStatus::singular);
  CHECK(fit_global(t, FitKind::general).status == FitStatus::ok);
}

TEST_CASE("bad hits: the regularised fit rejects a straight track") {
  RandomTracks random(33);
  RandomTracks::Options o;
  o.bend = 1e-7;
  TrackHits t = random.track(o);
  CHECK(fit_global(t, FitKind::regularised).status == FitStatus::no_curvature);
  t.kappa_ref = 0;
  CHECK(fit_global(t, FitKind::regularised).status == FitStatus::no_reference);
  CHECK(fit_global(t, FitKind::common_curvature).status ==
        FitStatus::no_reference);
}

TEST_CASE("bad hits: hits in another unit do not crash") {
  for (const double unit : {1e-6, 1e-3, 1e3, 1e6, 1e12}) {
    TrackHits t = good_track();
    for (TrackHit& h : t.points) h.position *= unit;
    for (const FitKind kind :
         {FitKind::general, FitKind::hits, FitKind::scattering,
          FitKind::regularised, FitKind::common_curvature}) {
      const GlobalFit f = fit_global(t, kind);
      CHECK((f.status != FitStatus::ok || std::isfinite(f.kappa + f.chi2)));
    }
    const GlobalFit s = StreamingFitter().fit(t);
    CHECK((s.status != FitStatus::ok || std::isfinite(s.kappa + s.chi2)));
  }
}

TEST_CASE("bad hits: random input never gives NaN with status ok") {
  RandomTracks random(34);
  for (int i = 0; i < 300; ++i) {
    TrackHits t;
    t.kappa_ref = random.normal();
    const int n = 3 + i % 6;
    for (int k = 0; k < n; ++k) {
      TrackHit h;
      const double scale = std::pow(10, random.uniform(-3, 4));
      h.position = {scale * random.normal(), scale * random.normal(),
                    scale * random.normal()};
      h.theta0_2 = std::abs(random.normal());
      const CoordinateAxis axes[] = {{1, 0, 1e-4}, {0, 1, 1e-4}};
      if (i % 2)
        set_coordinates(h, std::span(axes).first(1));
      else
        set_coordinates(h, axes);
      t.points.push_back(h);
    }
    for (const GlobalFit& f :
         {fit_global(t, FitKind::general), StreamingFitter().fit(t)}) {
      const bool finite = std::isfinite(f.kappa + f.sigma + f.chi2);
      CHECK(finite == (f.status == FitStatus::ok));
      CHECK((f.status != FitStatus::ok || f.chi2 >= 0));
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
