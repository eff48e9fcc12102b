// SPDX-License-Identifier: Apache-2.0
// The streaming fit in any field, by the fits that know one field only.
#include <doctest/doctest.h>

#include "gttf/fit/streaming_fit.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test {

namespace {

constexpr double b_solenoid = 2 * unit::T;

FitOptions converged() {
  FitOptions o;
  o.relinearisations = 12;
  o.detail = FitDetail::hits;
  return o;
}

const Field& solenoid() {
  static const Field field = [] {
    Field f{FieldKind::solenoid, b_solenoid};
    set_reference(f);
    return f;
  }();
  return field;
}

TrackHits in_flight(TrackHits track, Axis polar) {
  track.flight = FlightModel{&solenoid(), {polar}, 0.14, 1};
  return track;
}

void check_states(const TrackState& a, const TrackState& b) {
  for (int i = 0; i < 6; ++i) {
    CAPTURE(i);
    const double sigma = std::sqrt(b.covariance(i, i));
    CHECK(std::abs(a.parameters[i] - b.parameters[i]) < 1e-6 * (sigma + 1e-9));
    for (int j = 0; j < 6; ++j)
      CHECK(std::abs(a.covariance(i, j) - b.covariance(i, j)) <
            1e-7 * std::sqrt(b.covariance(i, i) * b.covariance(j, j)));
  }
}

}  // namespace

// Polar axes across the field are another choice of parameters of the same
// tracks: the scattering angles have the same covariance in any.
TEST_CASE("trajectory fit: a solenoid gives the fit of helices") {
  RandomTracks random(31);
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 3 + i % 8;
    o.theta = random.uniform(0.8, 2.3);
    o.bend = random.uniform(0.02, 0.3);
    o.scattering = 1e-4;
    o.passive = i % 3 == 0 ? 0.3 : 0;
    const TrackHits t = random.track(o);
    const GlobalFit b = StreamingFitter(converged()).fit(t);
    if (b.status == FitStatus::too_few_hits) continue;
    REQUIRE(b.status == FitStatus::ok);
    const GlobalFit a =
        StreamingFitter(converged()).fit(in_flight(t, Axis::z));
    REQUIRE(a.status == FitStatus::ok);
    CHECK(std::abs(a.kappa - b.kappa) < 1e-7 * b.sigma);
    CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(1e-7));
    CHECK(std::abs(a.chi2 - b.chi2) < 1e-7 * (1 + b.chi2));
    CHECK(a.ndf == b.ndf);
    for (int k = 0; k < 5; ++k) {
      const double sigma = std::sqrt(b.perigee_covariance(k, k));
      CHECK(std::abs(a.perigee[k] - b.perigee[k]) < 1e-6 * sigma);
      for (int j = 0; j < 5; ++j)
        CHECK(std::abs(a.perigee_covariance(k, j) - b.perigee_covariance(k, j)) <
              1e-7 * std::sqrt(b.perigee_covariance(k, k) *
                               b.perigee_covariance(j, j)));
    }
    REQUIRE(a.hits.size() == b.hits.size());
    for (std::size_t k = 0; k < a.hits.size(); ++k) {
      CAPTURE(k);
      check_states(a.hits[k].before, b.hits[k].before);
      check_states(a.hits[k].after, b.hits[k].after);
      CHECK((a.hits[k].residual - b.hits[k].residual).norm() < 1e-9);
      CHECK((a.hits[k].residual_covariance - b.hits[k].residual_covariance)
                .norm() < 1e-7 * b.hits[k].residual_covariance.norm() + 1e-12);
    }
  }
}

// A rotation of detector and field turns the track and nothing else.
TEST_CASE("trajectory fit: a field along y gives the same fit, turned") {
  RandomTracks random(32);
  Field along_y;
  along_y.kind = FieldKind::dipole;
  along_y.dipoles = {{Axis::z, {-1e5, 1e5}, Axis::y, b_solenoid}};
  set_reference(along_y);
  const Frame frame{Axis::y};
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    RandomTracks::Options o;
    o.n_points = 4 + i % 6;
    o.theta = random.uniform(0.8, 2.3);
    o.bend = random.uniform(0.02, 0.2);
    o.scattering = 1e-4;
    const TrackHits t = random.track(o);
    TrackHits turned = t;
    for (TrackHit& h : turned.points) {
      h.position = frame.out_of(h.position);
      h.u = frame.out_of(h.u);
      h.v = frame.out_of(h.v);
    }
    turned.origin = frame.out_of(t.origin);
    turned.flight = FlightModel{&along_y, frame, 0.14, 1};
    const GlobalFit a = StreamingFitter(converged()).fit(turned);
    const GlobalFit b = StreamingFitter(converged()).fit(t);
    REQUIRE(b.status == FitStatus::ok);
    REQUIRE(a.status == FitStatus::ok);
    CHECK(std::abs(a.kappa - b.kappa) < 1e-7 * b.sigma);
    CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(1e-7));
    CHECK(std::abs(a.chi2 - b.chi2) < 1e-7 * (1 + b.chi2));
  }
}

TEST_CASE("trajectory fit: bad tracks have a status, never a number") {
  RandomTracks random(33);
  RandomTracks::Options o;
  TrackHits good = in_flight(random.track(o), Axis::z);
  StreamingFitter fitter(converged());
  REQUIRE(fitter.fit(good).status == FitStatus::ok);
  const auto status = [&](const TrackHits& t) {
    const GlobalFit& f = fitter.fit(t);
    CHECK(std::isnan(f.kappa));
    CHECK(std::isnan(f.chi2));
    return f.status;
  };
  TrackHits t = good;
  t.points.resize(2);
  CHECK(status(t) == FitStatus::too_few_hits);
  t = good;
  t.points[2].position.x() = std::nan("");
  CHECK(status(t) == FitStatus::not_finite);
  t = good;
  t.points[3].position = t.points[2].position;
  CHECK(status(t) == FitStatus::coincident_hits);
  t = good;
  std::swap(t.points[1], t.points[4]);
  CHECK(status(t) == FitStatus::not_converged);
  t = good;
  for (TrackHit& h : t.points) h.loss = {10, 0.1, 0, 0};
  CHECK(status(t) == FitStatus::stops);
}

}  // namespace gttf::test
