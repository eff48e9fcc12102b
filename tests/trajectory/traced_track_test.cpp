// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/traced_track.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "support/layouts.hpp"
#include "support/shipped.hpp"
#include "support/trace_differences.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr Frame upright{Axis::z};

struct Differences {
  double path = 0, material = 0, rows = 0, kinks = 0;
  int crossings = 0, tracks_apart = 0;
};

/// The general flight against the closed form of a helix about z.
void compare(const TrackingGeometry& geometry, const Track& track,
             Differences& d) {
  const auto closed = find_crossings(geometry, track, Scattering::highland);
  const auto traced =
      trace(geometry, track, Scattering::highland, EnergyLoss::off, upright);
  CHECK(traced.end == closed.end);
  CHECK(traced.first == closed.first);
  CHECK(traced.last == closed.last);
  CHECK(traced.n_measuring == closed.n_measuring);
  REQUIRE(traced.list.size() == closed.list.size());
  for (std::size_t k = 0; k < closed.list.size(); ++k) {
    const auto& a = traced.list[k];
    const auto& b = closed.list[k];
    REQUIRE(a.surface == b.surface);
    const Line<double>& l = closed.line;
    const SurfaceRecord& s = geometry.surfaces()[a.surface];
    const double path = b.at.arc * l.inv_sin_theta;
    // near grazing incidence everything moves with 1/cos
    const double ease = a.cos_incidence;
    const auto differ = [&](double x, double y) {
      return ease * std::abs(x - y) / std::abs(y);
    };
    d.path = std::max(d.path, differ(a.path, path));
    d.material = std::max(
        {d.material, differ(a.x_over_x0, b.at.x_over_x0),
         b.theta0_2 > 0 ? differ(a.theta0_2, b.theta0_2) : a.theta0_2});
    auto jacobian = surface_jacobian(l, s, b.at);
    if (!geometry.has_field()) jacobian[2][4] = 0;  // kappa has no meaning
    d.rows =
        std::max({d.rows,
                  ease * row_difference(a.coordinate_row(1, 0),
                                        coordinate_row(l, s, b.at, 1, 0), path),
                  ease * row_difference(a.coordinate_row(0, 1),
                                        coordinate_row(l, s, b.at, 0, 1), path),
                  ease * row_difference(a.on_surface[2], jacobian[2], path),
                  ease * row_difference(a.on_surface[3], jacobian[3], path),
                  geometry.has_field()
                      ? row_difference(a.on_surface[4], jacobian[4], path)
                      : 0});
    const Kink<double> kinks = kink(l, b.at);
    const Row<double> theta = {kinks.theta[0], kinks.theta[1], kinks.theta[2],
                               1, 0};
    const Row<double> phi = {kinks.phi[0], kinks.phi[1], kinks.phi[2], 0, 0};
    for (std::size_t i = 0; i < 5; ++i) {
      const double unit = i < 2 ? path : i < 4 ? 1 : 1 / path;
      d.kinks = std::max({d.kinks, std::abs(a.theta_kink[i] - theta[i]) / unit,
                          std::abs(a.phi_kink[i] - phi[i]) / unit});
    }
    ++d.crossings;
  }
}

/// Planes along z on both sides of two gaps, one bending in x, one in y.
Detector spectrometer() {
  Detector d;
  const Interval wide{-2e3, 2e3};
  for (const double z : {0.0, 100.0, 400.0, 1100.0, 1200.0, 1900.0, 2000.0})
    d.layers.push_back(make_layer("z" + std::to_string(z),
                                  make_plane(Axis::z, z, wide, wide), 0.01,
                                  pixel(0.01, 0.01)));
  d.layers.push_back(
      make_layer("side", make_plane(Axis::x, 150, {-3e3, 3e3}, {-3e3, 3e3}),
                 0.01, pixel(0.01, 0.01)));
  d.layers.push_back(make_layer("pipe", make_cylinder(400, {-3e3, 3e3}), 0.01,
                                pixel(0.01, 0.01)));
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::z, {300, 1000}, Axis::y, 1.2 * unit::T},
                     {Axis::z, {1400, 1700}, Axis::x, -0.7 * unit::T}};
  return d;
}

Track beam(double p, double theta, double phi) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  t.vertex = {20, -10, -50};
  return t;
}

}  // namespace

TEST_CASE("trace: equals the closed form on every shipped detector") {
  Differences d;
  for (const Detector& detector : shipped_detectors()) {
    CAPTURE(detector.name);
    const TrackingGeometry geometry(detector);
    for (Track track : some_tracks()) {
      compare(geometry, track, d);
      track.vertex = {3, -7, 20};
      compare(geometry, track, d);
    }
  }
  CHECK(d.crossings > 4000);
  // rounding, and in the kinks that of a 5x5 inverse
  CHECK(d.path < 1e-14);
  CHECK(d.material < 1e-13);
  CHECK(d.rows < 1e-12);
  CHECK(d.kinks < 1e-12);
}

TEST_CASE("trace: equals the closed form in random layouts") {
  RandomLayouts usual(5), with_leaning(5, 0.5);
  Differences d;
  for (int i = 0; i < 600; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    Detector detector = random.detector();
    if (i % 5 == 0) detector.field = {};
    compare(TrackingGeometry(detector), random.track(), d);
  }
  CHECK(d.crossings > 1000);
  // rounding, and in the kinks that of a 5x5 inverse
  CHECK(d.path < 1e-14);
  CHECK(d.material < 1e-13);
  CHECK(d.rows < 1e-12);
  CHECK(d.kinks < 1e-12);
}

TEST_CASE("trace: rows equal differences of traces, through any gaps") {
  const TrackingGeometry geometry(spectrometer());
  for (const Frame frame : {Frame{Axis::y}, Frame{Axis::x}})
    for (const double p : {1.5, 4.0, 100.0})
      for (const double theta : {0.0, 0.1, 0.3}) {
        CAPTURE(p);
        CAPTURE(theta);
        // truncation h^4 of the differences
        CHECK(worst_difference(geometry, beam(p, theta, 0.4), frame) < 1e-9);
      }
}

TEST_CASE("trace: rows equal differences in a solenoid and without field") {
  RandomLayouts usual(6), with_leaning(6, 0.5);
  for (int i = 0; i < 40; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    Detector d = random.detector();
    if (i % 4 == 0) d.field = {};
    Track t = random.track();
    t.p += 1;
    std::erase_if(d.layers, [&](const Layer& layer) {
      // grazing incidence is not smooth on the scale of the differences
      Detector one = d;
      one.layers = {layer};
      const auto x = trace(TrackingGeometry(one), t, Scattering::off);
      return x.list.empty() || x.list[0].cos_incidence < 0.5;
    });
    const Frame frame =
        choose_frame(d.field, {std::sin(t.theta), 0, std::cos(t.theta)});
    CHECK(worst_difference(TrackingGeometry(d), t, frame) < 1e-8);
  }
}

TEST_CASE("trace: a dipole's gap bends as its closed form") {
  Detector d;
  const Interval wide{-1e4, 1e4};
  for (const double y : {0.0, 1000.0})
    d.layers.push_back(make_layer("y", make_plane(Axis::y, y, wide, wide), 0.01,
                                  pixel(0.01, 0.01)));
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::y, {100, 600}, Axis::z, 1.1 * unit::T}};
  for (const double phi1 : {-0.3, 0.0, 0.2})
    for (const double pt : {0.4, 2.0}) {
      Track t;
      t.theta = 1.1;
      t.p = pt / std::sin(t.theta);
      t.phi = 90 * unit::deg - phi1;  // azimuth from y towards x
      t.charge = 1;
      t.vertex = {0, -1, 0};
      const auto traced = trace(TrackingGeometry(d), t, Scattering::off);
      REQUIRE(traced.list.size() == 2);
      const Vector3 x = traced.list[1].position - traced.list[0].position;
      // clockwise around +z for a positive charge: towards +x
      const double radius = pt / (1.1 * unit::T);
      const double phi2 = std::asin(std::sin(phi1) + 500 / radius);
      const double turn = phi2 - phi1;
      const double x12 = 100 * std::tan(phi1) +
                         500 * std::tan(phi1 + 0.5 * turn) +
                         400 * std::tan(phi2);
      const double arc =
          100 / std::cos(phi1) + radius * turn + 400 / std::cos(phi2);
      CHECK(x.x() == doctest::Approx(x12).epsilon(1e-13));
      CHECK(x.z() == doctest::Approx(arc / std::tan(t.theta)).epsilon(1e-13));
    }
}

TEST_CASE("trace: a kink is what moves the track outside of its crossing") {
  const TrackingGeometry geometry(spectrometer());
  const auto traced = trace(geometry, beam(2, 0.2, 0.4), Scattering::off);
  for (std::size_t k = 0; k < traced.list.size(); ++k) {
    const TracedCrossing& x = traced.list[k];
    const Row<double>* kinks[] = {&x.phi_kink, &x.theta_kink, &x.loss_kink};
    for (std::size_t kink = 0; kink < 3; ++kink)
      for (std::size_t row = 0; row < 5; ++row) {
        double sum = 0, scale = 0;
        for (std::size_t i = 0; i < 5; ++i) {
          sum += x.on_surface[row][i] * (*kinks[kink])[i];
          scale += std::abs(x.on_surface[row][i] * (*kinks[kink])[i]);
        }
        CHECK(std::abs(sum - (row == kink + 2)) <= 1e-13 * (1 + scale));
      }
  }
}

TEST_CASE("trace: gives the same track in every frame") {
  const TrackingGeometry geometry(spectrometer());
  const Track track = beam(3, 0.2, 0.4);
  const auto in = [&](Axis polar) {
    return trace(geometry, track, Scattering::highland, EnergyLoss::off,
                 Frame{polar});
  };
  const TracedTrack z = in(Axis::z);
  for (const Axis polar : {Axis::x, Axis::y}) {
    const TracedTrack t = in(polar);
    REQUIRE(t.list.size() == z.list.size());
    for (std::size_t k = 0; k < t.list.size(); ++k)
      for (std::size_t row = 0; row < 2; ++row)
        for (int i = 0; i < 5; ++i) {
          // rows are in s; those in s of the frame z follow
          double sum = 0, scale = 0;
          for (std::size_t j = 0; j < 5; ++j) {
            const double part = z.list[k].on_surface[row][j] *
                                t.user_parameters(static_cast<int>(j), i);
            sum += part;
            scale += std::abs(part);
          }
          CHECK(std::abs(
                    sum -
                    t.list[k].on_surface[row][static_cast<std::size_t>(i)]) <=
                1e-12 * scale);
        }
  }
}

TEST_CASE("trace: a beam along z has a frame across it") {
  Detector d = spectrometer();
  for (const FieldKind kind : {FieldKind::dipole, FieldKind::none}) {
    if (kind == FieldKind::none) d.field = {};
    Track t = beam(5, 0, 0);
    const auto traced = trace(TrackingGeometry(d), t, Scattering::highland);
    CHECK(traced.frame.polar == Axis::y);
    CHECK(traced.n_measuring == 7);
    for (const TracedCrossing& x : traced.list) {
      CHECK(std::isfinite(x.phi_kink[0]));
      CHECK(std::isfinite(x.on_surface[2][4]));
    }
    CHECK(std::isnan(traced.user_parameters(1, 0)));
    CHECK(std::isfinite(traced.user_parameters(0, 0)));
  }
}

TEST_CASE("trace: the curvature of no momentum is too small for a dipole") {
  const TrackingGeometry geometry(
      read_detector(GTTF_SOURCE_DIR "/detectors/faser.yaml").detector);
  Track track{.p = 1e10, .theta = 5 * unit::deg, .phi = 30 * unit::deg};
  const auto path = [&] {
    return trace(geometry, track, Scattering::highland, EnergyLoss::off,
                 upright);
  };
  const TracedTrack expected = path();
  REQUIRE(expected.n_measuring > 0);
  for (const double p : {1e100, 1e150, 1e155, 1e160, 1e200, 1e300}) {
    CAPTURE(p);
    track.p = p;
    const TracedTrack found = path();
    CHECK(found.end == expected.end);
    CHECK(found.n_measuring == expected.n_measuring);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
