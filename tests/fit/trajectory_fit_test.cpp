// SPDX-License-Identifier: Apache-2.0
// The streaming fit in any field, compared with the fits for one kind of field.
#include <doctest/doctest.h>

#include "gttf/fit/streaming/streaming_fit.hpp"
#include "gttf/fit/triplet/kink_system.hpp"
#include "gttf/paper/energy_loss_fit.hpp"
#include "support/fit_tracks.hpp"

namespace gttf::test::GTTF_TEST_FILE {

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

void check_states(const TrackState& a, const TrackState& b,
                  double tolerance = 1e-7) {
  for (int i = 0; i < 6; ++i) {
    CAPTURE(i);
    const double sigma = std::sqrt(b.covariance(i, i));
    CHECK(std::abs(a.parameters[i] - b.parameters[i]) < 1e-6 * (sigma + 1e-9));
    for (int j = 0; j < 6; ++j)
      CHECK(std::abs(a.covariance(i, j) - b.covariance(i, j)) <=
            tolerance * std::sqrt(b.covariance(i, i) * b.covariance(j, j)));
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
    const GlobalFit a = StreamingFitter(converged()).fit(in_flight(t, Axis::z));
    REQUIRE(a.status == FitStatus::ok);
    CHECK(std::abs(a.kappa - b.kappa) < 1e-7 * b.sigma);
    CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(1e-7));
    CHECK(std::abs(a.chi2 - b.chi2) < 1e-7 * (1 + b.chi2));
    CHECK(a.ndf == b.ndf);
    for (int k = 0; k < 5; ++k) {
      const double sigma = std::sqrt(b.perigee_covariance(k, k));
      CHECK(std::abs(a.perigee[k] - b.perigee[k]) < 1e-6 * sigma);
      for (int j = 0; j < 5; ++j)
        CHECK(
            std::abs(a.perigee_covariance(k, j) - b.perigee_covariance(k, j)) <
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

/// A track through planes across z with a magnet between them.
TrackHits spectrometer_track(const Field& field, RandomTracks& random,
                             bool loss) {
  TrackHits t;
  const double p = 2;
  t.flight = FlightModel{&field, {Axis::y}, 0.938272, 1};
  FlightState<0> s;
  s.position = {1, 2, 0};
  s.direction = Vector3(0.03, 0.02, 1).normalized();
  s.qop = 1 / p;
  t.kappa_ref = -s.qop * field.reference;
  double now = p;
  int index = 0;
  for (const double z : {100, 180, 260, 700, 1300, 1400, 1500, 1600}) {
    fly_onto(field, SurfaceLevel::plane({0, 0, z}, Vector3::UnitZ()),
             Way::forward, s);
    TrackHit h;
    h.u = Vector3::UnitX();
    h.v = Vector3::UnitY();
    h.position = s.position;
    h.theta0_2 = 1e-8;
    if (index++ != 3) {  // the fourth is passive
      h.position += Vector3(0.01 * random.normal(), 0.02 * random.normal(), 0);
      const CoordinateAxis axes[] = {{1, 0, 1e-4}, {0, 1, 4e-4}};
      set_coordinates(h, axes);
    }
    s.direction =
        (s.direction + 1e-4 * Vector3(random.normal(), random.normal(), 0))
            .normalized();
    if (loss) {
      h.loss = {0.01, now, -0.4, 0};
      const double energy = std::hypot(now, 0.938272) - 0.01;
      now = std::sqrt(energy * energy - 0.938272 * 0.938272);
      s.qop = 1 / now;
    }
    t.points.push_back(h);
  }
  return t;
}

Field magnet() {
  Field field;
  field.kind = FieldKind::dipole;
  field.dipoles = {{Axis::z, {500, 1200}, Axis::y, 0.8 * unit::T}};
  set_reference(field);
  return field;
}

void check_same(const GlobalFit& a, const GlobalFit& b, double tolerance) {
  REQUIRE(a.status == FitStatus::ok);
  REQUIRE(b.status == FitStatus::ok);
  CHECK(a.ndf == b.ndf);
  CHECK(std::abs(a.kappa - b.kappa) < tolerance * b.sigma);
  CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(tolerance));
  CHECK(std::abs(a.chi2 - b.chi2) < tolerance * (1 + b.chi2));
  for (int k = 0; k < 5; ++k) {
    CAPTURE(k);
    const double sigma = std::sqrt(b.perigee_covariance(k, k));
    CHECK(std::abs(a.perigee[k] - b.perigee[k]) < tolerance * sigma);
    for (int j = 0; j < 5; ++j)
      CHECK(std::abs(a.perigee_covariance(k, j) - b.perigee_covariance(k, j)) <
            tolerance * std::sqrt(b.perigee_covariance(k, k) *
                                  b.perigee_covariance(j, j)));
  }
}

// Two ways to write one least-squares problem: kinks of triplets, and a filter.
// Triplets take the polar angle for the kinks in a passive layer from the
// segment, the filter at the layer: a difference of a kink of 1e-4 times the
// cotangent of the angle, 0.02.
TEST_CASE("triplets in any field: the general fit equals the streaming fit") {
  RandomTracks random(35);
  const Field field = magnet();
  for (int i = 0; i < 12; ++i) {
    CAPTURE(i);
    const TrackHits t = spectrometer_track(field, random, i % 2 == 1);
    const GlobalFit a = StreamingFitter(converged()).fit(t);
    const GlobalFit b = fit_global(t, FitKind::general, converged());
    check_same(a, b, 1e-5);
    for (std::size_t k = 1; k + 1 < a.hits.size(); ++k) {
      CAPTURE(k);
      check_states(a.hits[k].before, b.hits[k].before, 1e-5);
      check_states(a.hits[k].after, b.hits[k].after, 1e-5);
    }
  }
}

// The triplets with a parameter per loss, dense, against the filter with a
// third change per layer. One linear step each from nearby places.
TEST_CASE("trajectory fit: fits losses as the combined fit of triplets does") {
  RandomTracks random(37);
  RandomTracks::Options o;
  o.n_points = 7;
  o.bend = 0.15;
  o.theta = 1.3;
  o.tilt = 0.2;
  o.scattering = 3e-4;
  o.sigma_u = o.sigma_v = 1e-3;
  for (int i = 0; i < 10; ++i) {
    CAPTURE(i);
    TrackHits t = in_flight(random.track(o), Axis::z);
    const double mass = 0.493677;
    const double p = b_solenoid / std::abs(t.kappa_ref);
    t.flight->mass = mass;
    TrackLosses losses{mass, b_solenoid, {}, {}};
    std::vector<Triplet<double>> triplets;
    std::vector<Eigen::Matrix3d> covariances;
    std::vector<double> theta0_2;
    const std::size_t n = t.points.size();
    for (std::size_t k = 0; k < n; ++k) {
      TrackHit& h = t.points[k];
      const double v = o.sigma_u * o.sigma_u;
      covariances.push_back(v *
                            (h.u * h.u.transpose() + h.v * h.v.transpose()));
      if (k == 0 || k + 1 == n) continue;
      h.loss = {2e-4 * p, p, 0, 1e-4 * p};
      losses.mean.push_back(h.loss.mean);
      losses.sigma.push_back(h.loss.sigma);
      theta0_2.push_back(h.theta0_2);
      const auto at = [&](std::size_t j) {
        return cartesian(t.points[j].position);
      };
      triplets.push_back(make_triplet(at(k - 1), at(k), at(k + 1)));
    }
    const TripletEquations equations =
        make_equations(triplets, covariances, theta0_2);
    const LossFit b = fit_track_and_losses(equations, triplets, losses);
    const GlobalFit a = StreamingFitter(converged()).fit(t);
    REQUIRE(a.status == FitStatus::ok);
    REQUIRE(b.track.status == FitStatus::ok);
    CHECK(std::abs(a.kappa - b.track.kappa) < 0.01 * b.track.sigma);
    CHECK(a.sigma == doctest::Approx(b.track.sigma).epsilon(0.002));
    CHECK(std::abs(a.chi2 - b.track.chi2) < 0.02);
    CHECK(a.ndf == b.track.ndf);
    for (std::size_t k = 0; k + 2 < n; ++k) {
      CAPTURE(k);
      const auto index = static_cast<Eigen::Index>(k);
      const double sigma = std::sqrt(b.loss_covariance(index, index));
      const HitFit& hit = a.hits[k + 1];
      CHECK(std::abs(hit.energy_loss - b.losses[k]) < 0.01 * sigma);
      CHECK(hit.sigma_energy_loss == doctest::Approx(sigma).epsilon(0.002));
      // the fit improves on the prior and is not a copy of it
      CHECK(sigma < losses.sigma[k]);
    }
  }
}

TEST_CASE("triplets in any field: every fit of a solenoid is that of helices") {
  RandomTracks random(36);
  RandomTracks::Options o;
  o.scattering = 5e-4;
  o.sigma_u = o.sigma_v = 1e-3;
  o.bend = 0.1;
  for (const FitKind kind :
       {FitKind::general, FitKind::hits, FitKind::scattering,
        FitKind::regularised, FitKind::common_curvature}) {
    CAPTURE(to_string(kind));
    const TrackHits t = random.track(o);
    FitOptions options = converged();
    if (kind != FitKind::general && kind != FitKind::hits)
      options.detail = FitDetail::perigee;
    const GlobalFit b = fit_global(t, kind, options);
    const GlobalFit a = fit_global(in_flight(t, Axis::z), kind, options);
    // those without iterations are linearised at other curvatures: second order
    const bool iterates = kind == FitKind::general || kind == FitKind::hits;
    REQUIRE(a.status == FitStatus::ok);
    CHECK(a.sigma == doctest::Approx(b.sigma).epsilon(iterates ? 1e-7 : 0.02));
    CHECK(std::abs(a.kappa - b.kappa) < (iterates ? 1e-7 : 0.02) * b.sigma);
    if (iterates) check_same(a, b, 1e-6);
  }
}

// Sixth-order differences of angles from an independent shot each.
TEST_CASE("flight segments: derivatives are those of differences") {
  const Field field = magnet();
  TrackHits t;
  t.flight = FlightModel{&field, {Axis::y}, 0.14, 1};
  const double kappa = -field.reference / 1.5;
  const Vector3 from(10, -5, 200), to(40, 30, 1700);
  const auto shoot = [&](const Vector3& a, const Vector3& b, double k) {
    detail::FlightSegment s;
    REQUIRE(detail::make_flight_segment(t, a, b,
                                        detail::SlowedCharge::at_origin(t, k),
                                        {}, s) == FitStatus::ok);
    const auto& d = s.directed;
    return std::array{d.azimuth_start, d.azimuth_end, d.polar_start,
                      d.polar_end};
  };
  const auto exact = shoot(from, to, kappa);
  const auto difference = [&](auto&& at, std::size_t angle, double h) {
    const double weights[] = {3. / 4, -3. / 20, 1. / 60};
    double sum = 0;
    for (int k = 1; k <= 3; ++k)
      sum +=
          weights[k - 1] * (at(k * h)[angle].value - at(-k * h)[angle].value);
    return sum / h;
  };
  for (std::size_t angle = 0; angle < 4; ++angle) {
    CAPTURE(angle);
    const auto& e = exact[angle];
    const double start[] = {e.at_start.x, e.at_start.y, e.at_start.z};
    const double end[] = {e.at_end.x, e.at_end.y, e.at_end.z};
    for (int i = 0; i < 3; ++i) {
      CAPTURE(i);
      const Vector3 step = Vector3::Unit(i);
      // of angles per mm: 1/1500 and less
      CHECK(std::abs(
                difference(
                    [&](double h) { return shoot(from + h * step, to, kappa); },
                    angle, 0.5) -
                start[i]) < 1e-11);
      CHECK(std::abs(
                difference(
                    [&](double h) { return shoot(from, to + h * step, kappa); },
                    angle, 0.5) -
                end[i]) < 1e-11);
    }
    CHECK(difference([&](double h) { return shoot(from, to, kappa + h); },
                     angle, 1e-2 * std::abs(kappa)) ==
          doctest::Approx(e.slope).epsilon(1e-8));
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

}  // namespace gttf::test::GTTF_TEST_FILE
