// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "gttf/detector/read.hpp"
#include "gttf/paper/any_field.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/surface_level.hpp"
#include "gttf/trajectory/surfaces_ahead.hpp"
#include "gttf/trajectory/traced_track.hpp"
#include "support/layouts.hpp"
#include "support/magnets.hpp"
#include "support/trace_differences.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

const Interval wide{-800, 800};

/// Thick layers of silicon: planes and cylinders.
Detector silicon(const Field& field) {
  Detector d;
  d.field = field;
  for (const double z : {-400.0, -100.0, 300.0, 600.0})
    d.layers.push_back(make_layer("z" + std::to_string(z),
                                  make_plane(Axis::z, z, wide, wide), 0.02,
                                  pixel(0.01, 0.01)));
  for (const double r : {150.0, 300.0})
    d.layers.push_back(make_layer("c" + std::to_string(r),
                                  make_cylinder(r, wide), 0.02,
                                  pixel(0.01, 0.01)));
  return d;
}

std::vector<Field> fields() {
  Field gaps;
  gaps.kind = FieldKind::dipole;
  gaps.dipoles = {{Axis::z, {-50, 250}, Axis::y, 0.4 * unit::T}};
  const FieldFunction quadratic = [](const Vector3& x) {
    const double y = x.y() / 700, z = x.z() / 700;
    return Vector3(0.2 * unit::T * Vector3(0, 1 + z * z - y * y, 2 * y * z));
  };
  const GridAxis side = axis_from(-1000, 1000, 21);
  return {Field{FieldKind::solenoid, 0.8 * unit::T}, gaps,
          map_field(sample(quadratic, {side, side, side}))};
}

Track slow_proton() {
  Track t;
  t.p = 0.6;
  t.mass = 0.93827208943;
  t.charge = 1;
  t.theta = 0.45;
  t.phi = 0.3;
  t.vertex = {10, -20, -500};
  return t;
}

/// d(kappa)/d(angle) after crossing k if the angle arises everywhere in the
/// layer, in proportion to 1/(p beta)^2: by many slices, with the incidence of
/// the rotated direction in those after the angle.
double kappa_by_angle(const TrackingGeometry& geometry, const Track& track,
                      const TracedTrack& t, std::size_t k, bool by_phi) {
  const TracedCrossing& x = t.list[k];
  const Projectile particle{track.mass, track.charge};
  const SurfaceRecord& surface = geometry.surfaces()[x.surface];
  const bool cylinder = surface.kind == SurfaceRecord::Kind::cylinder;
  const Vector3 normal =
      cylinder ? Vector3(x.position.x(), x.position.y(), 0).normalized()
               : Vector3::UnitZ();
  const auto paths_at = [&](double angle) {
    const Vector3 d = t.frame.into(x.direction);
    const double theta =
        std::atan2(std::hypot(d.x(), d.y()), d.z()) + (by_phi ? 0 : angle);
    const double phi = std::atan2(d.y(), d.x()) + (by_phi ? angle : 0);
    const double sine = std::sin(theta);
    return 1 /
           std::abs(normal.dot(t.frame.out_of(
               {sine * std::cos(phi), sine * std::sin(phi), std::cos(theta)})));
  };
  const auto momentum_behind = [&](double p, double paths) {
    const double energy =
        std::hypot(p, track.mass) -
        energy_loss(geometry.slabs(x.surface), particle, p, paths).mean;
    return std::sqrt((energy - track.mass) * (energy + track.mass));
  };
  constexpr int n = 400;
  constexpr double step = 1e-4;
  double sum = 0, weights = 0;
  for (int i = 0; i < n; ++i) {
    const double ahead = (n - i - 0.5) / n;
    const double p = momentum_behind(x.p, paths_at(0) * (1 - ahead));
    const auto kappa = [&](double angle) {
      return -track.charge * t.b_ref /
             momentum_behind(p, paths_at(angle) * ahead);
    };
    const double weight = std::pow(std::hypot(p, track.mass) / (p * p), 2);
    weights += weight;
    sum += weight * (kappa(step) - kappa(-step)) / (2 * step);
  }
  return sum / weights;
}

}  // namespace

TEST_CASE("trace: flies on with the momentum that a layer leaves") {
  for (const Field& field : fields()) {
    const TrackingGeometry geometry(silicon(field));
    const Track track = slow_proton();
    const auto t =
        trace(geometry, track, Scattering::highland, EnergyLoss::mean);
    REQUIRE(t.list.size() == 6);
    CHECK(!t.stopped);
    CHECK(t.list[0].p == doctest::Approx(track.p).epsilon(1e-14));
    const Propagator propagator(geometry);
    for (std::size_t k = 0; k + 1 < t.list.size(); ++k) {
      const TracedCrossing &x = t.list[k], &next = t.list[k + 1];
      CHECK(x.energy_loss > 1e-3);
      CHECK(x.loss_variance == 0);
      const double behind = std::hypot(x.p, track.mass) - x.energy_loss;
      CHECK(std::hypot(next.p, track.mass) ==
            doctest::Approx(behind).epsilon(1e-13));
      const Arrival piece =
          propagator.to(geometry.surfaces()[next.surface],
                        {x.position, x.direction, track.charge / next.p});
      REQUIRE(piece);
      CHECK((piece.flyer.position - next.position).norm() < 1e-8);
    }
  }
}

TEST_CASE("trace: rows equal differences of traces that lose energy") {
  for (const Field& field : fields()) {
    const TrackingGeometry geometry(silicon(field));
    const Frame frame{field.kind == FieldKind::solenoid ? Axis::x : Axis::y};
    // slow particles: the loss depends on momentum and incidence
    CHECK(worst_difference(geometry, slow_proton(), frame, EnergyLoss::mean) <
          1e-6);
  }
}

TEST_CASE("trace: kinks are what moves the track after the loss") {
  // after a layer only the state there matters: a kink of the start has to
  // change it by the unit in its name; an angle also changes kappa, by the loss
  // in the rest of the layer
  double largest = 0;
  for (const Field& field : fields()) {
    const TrackingGeometry geometry(silicon(field));
    const auto t =
        trace(geometry, slow_proton(), Scattering::highland, EnergyLoss::mean);
    for (std::size_t k = 0; k + 1 < t.list.size(); ++k) {
      const TracedCrossing &x = t.list[k], &next = t.list[k + 1];
      // kappa after the layer is that before the next one
      const Row<double>* kinks[] = {&x.theta_kink, &x.phi_kink, &x.loss_kink};
      for (std::size_t i = 0; i < 3; ++i) {
        double kappa = 0, theta = 0, scale = 0;
        for (std::size_t j = 0; j < 5; ++j) {
          kappa += next.on_surface[4][j] * (*kinks[i])[j];
          theta += x.on_surface[3][j] * (*kinks[i])[j];
          scale += std::abs(next.on_surface[4][j] * (*kinks[i])[j]);
        }
        const double expected =
            i == 2 ? 1 : kappa_by_angle(geometry, slow_proton(), t, k, i == 1);
        CHECK(std::abs(kappa - expected) <
              1e-11 * (1 + scale) + 1e-4 * std::abs(i == 2 ? 0 : expected));
        if (i == 0) largest = std::max(largest, std::abs(expected / scale));
        CHECK(std::abs(theta - (i == 0 ? 1 : 0)) < 1e-9);
      }
    }
  }
  CHECK(largest > 1e-3);  // or nothing was tested
}

TEST_CASE("trace: straggling is a variance of the curvature") {
  const TrackingGeometry geometry(silicon(fields()[0]));
  const Track track = slow_proton();
  const auto t =
      trace(geometry, track, Scattering::highland, EnergyLoss::straggling);
  const TracedCrossing& x = t.list[0];
  // the stretch ends at the last hit
  double xi = 0;
  for (std::size_t k = 0; k + 1 < t.list.size(); ++k)
    xi += energy_loss(geometry.slabs(t.list[k].surface),
                      {track.mass, track.charge}, t.list[k].p,
                      1 / t.list[k].cos_incidence)
              .xi;
  CHECK(x.stretch.xi == doctest::Approx(xi).epsilon(1e-12));
  CHECK(t.list[2].stretch.depth ==
        doctest::Approx(x.x_over_x0 + t.list[1].x_over_x0).epsilon(1e-12));
  const double sigma =
      straggling(geometry.slabs(x.surface), {track.mass, track.charge}, x.p,
                 1 / x.cos_incidence, x.stretch);
  const double p = t.list[1].p, beta = p / std::hypot(p, track.mass);
  const double kappa = track.charge * t.b_ref / p;
  CHECK(std::sqrt(x.loss_variance) ==
        doctest::Approx(std::abs(kappa) * sigma / (beta * p)).epsilon(1e-12));
}

TEST_CASE("trace: a particle that keeps to a path loses energy on it") {
  for (const Field& field : fields()) {
    const TrackingGeometry geometry(silicon(field));
    Track track = slow_proton();
    const double path_momentum = 0.8;
    track.p = path_momentum;
    const auto path = trace(geometry, track, Scattering::off);
    track.p = 0.6;
    const auto t =
        trace_on_path(geometry, track, path_momentum, Scattering::highland,
                      EnergyLoss::mean, path.frame);
    REQUIRE(t.list.size() == path.list.size());
    REQUIRE(t.list.size() > 3);
    CHECK(t.list[0].p == doctest::Approx(0.6).epsilon(1e-14));
    CHECK(t.kappa == doctest::Approx(path.kappa * path_momentum / 0.6));
    for (std::size_t k = 0; k < t.list.size(); ++k) {
      const TracedCrossing &x = t.list[k], &on_path = path.list[k];
      CHECK(x.surface == on_path.surface);
      CHECK((x.position - on_path.position).norm() < 1e-9);
      CHECK((x.direction - on_path.direction).norm() < 1e-12);
      if (k + 1 == t.list.size()) break;
      const double left = std::hypot(x.p, track.mass) - x.energy_loss;
      CHECK(std::hypot(t.list[k + 1].p, track.mass) ==
            doctest::Approx(left).epsilon(1e-14));
    }
    track.p = 0.15;
    CHECK(trace_on_path(geometry, track, path_momentum, Scattering::off,
                        EnergyLoss::mean, path.frame)
              .stopped);
  }
}

TEST_CASE("trace: a particle that spends its energy stops") {
  const TrackingGeometry geometry(silicon(fields()[0]));
  Track track = slow_proton();
  track.p = 0.2;
  const auto t = trace(geometry, track, Scattering::highland, EnergyLoss::mean);
  CHECK(t.stopped);
  REQUIRE(!t.list.empty());
  CHECK(t.list.size() < 6);
  const TracedCrossing& last = t.list.back();
  CHECK(last.energy_loss ==
        doctest::Approx(std::hypot(last.p, track.mass) - track.mass));
}

TEST_CASE("trace: nothing is crossed after the layer that stops a particle") {
  // all layers within one straight or bent leg
  for (const Field& field : fields()) {
    Detector d = silicon(field);
    for (Layer& layer : d.layers)
      for (Slab& slab : layer.material) slab.x_over_x0 *= 50;
    Track track = slow_proton();
    track.p = 0.1;
    const auto t = trace(TrackingGeometry(d), track, Scattering::highland,
                         EnergyLoss::mean);
    CHECK(t.stopped);
    CHECK(t.list.size() == 1);
  }
}

/// Whether all crossings are where the surfaces are.
void check_on_surfaces(const TrackingGeometry& geometry, const Track& track) {
  for (const TracedCrossing& x :
       trace(geometry, track, Scattering::off, EnergyLoss::mean).list)
    CHECK(
        std::abs(SurfaceLevel(geometry.surfaces()[x.surface]).at(x.position)) <
        1e-6);
}

// A layer ends a leg. In the one before it, a slow track may pass the plane of
// a tilted module outside its edges, and return to it.
TEST_CASE("trace: planes that are met twice between two layers") {
  const auto rings = [](double x_over_x0) {
    Detector d;
    d.field = {FieldKind::solenoid, 1.8 * unit::T};
    for (const double r : {44., 87.})
      d.layers.push_back(make_layer("c" + std::to_string(r),
                                    make_cylinder(r, {-400, 400}), x_over_x0,
                                    pixel(0.01, 0.04)));
    for (const double tilt : {-0.38, 0.38})
      for (int k = 0; k < 20; ++k) {
        const double phi = k * unit::pi / 10, turn = phi - 0.32;
        const std::array<double, 3> normal{std::cos(tilt) * std::cos(turn),
                                           std::cos(tilt) * std::sin(turn),
                                           std::sin(tilt)};
        d.layers.push_back(make_layer(
            "t" + std::to_string(d.layers.size()),
            make_inclined_plane(
                {161 * std::cos(phi), 161 * std::sin(phi), 340 * tilt}, normal,
                {-std::sin(turn), std::cos(turn), 0}, {47, 280}),
            x_over_x0, pixel(0.01, 0.01)));
      }
    return d;
  };
  // without influence on the path, or with
  const TrackingGeometry thin(rings(1e-9)), thick(rings(0.02));
  RandomLayouts random(57);
  int crossed = 0;
  for (int i = 0; i < 60'000; ++i) {
    Track track;
    track.mass = 0.1056583755;
    track.charge = i % 2 == 0 ? 1 : -1;
    track.p = random.log_uniform(0.025, 0.15);
    track.theta = random.uniform(0.4, 2.7);
    track.phi = random.uniform(-3.14, 3.14);
    CAPTURE(track.p);
    CAPTURE(track.theta);
    CAPTURE(track.phi);
    const auto expected = find_crossings(thin, track, Scattering::off);
    const TracedTrack traced =
        trace(thin, track, Scattering::off, EnergyLoss::mean);
    REQUIRE(traced.list.size() == expected.list.size());
    for (std::size_t k = 0; k < expected.list.size(); ++k) {
      CHECK(traced.list[k].surface == expected.list[k].surface);
      ++crossed;
    }
    check_on_surfaces(thick, track);
  }
  CHECK(crossed > 120'000);

  // where many neighbouring tracks do so
  const TrackingGeometry three(parse_detector(R"(gttf-detector: 1
name: two cylinders and a ring
field: { solenoid: 1.82 T }
layers:
  - { name: c0, cylinder: { radius: 44 mm, half_length: 400 mm }, material: 1.13 %, measures: { rphi: 10 um, z: 40 um } }
  - { name: c1, cylinder: { radius: 86.93 mm, half_length: 400 mm }, material: 1.25 %, measures: { rphi: 10 um, z: 40 um } }
  - { name: ring, ring: { radius: 161 mm, z: 129.632 mm, count: 20, size: [46.886 mm, 279.729 mm], tilt: -21.547 deg, turn: -18.141 deg, phi: 272.594 deg }, material: 0.8 %, measures: { u: 10 um, v: 10 um } }
)",
                                              "three.yaml")
                                   .detector);
  Track electron;
  electron.mass = 0.51099895e-3;
  electron.charge = -1;
  electron.theta = 90 * unit::deg;
  electron.phi = 0.3698064;
  for (int i = 0; i <= 20; ++i) {
    electron.p = 0.0324 + 1e-5 * i;
    CAPTURE(electron.p);
    check_on_surfaces(three, electron);
  }
}

TEST_CASE("trace: tests a surface when it gets near, not in each leg") {
  // every layer ends a leg: looking at all of them in each would be quadratic
  const auto detector = [](const Field& field, int n) {
    Detector d;
    d.field = field;
    for (int i = 1; i <= n; ++i)
      d.layers.push_back(make_layer("r" + std::to_string(i),
                                    make_cylinder(1000. * i / n, {-4e3, 4e3}),
                                    1e-4, pixel(0.01, 0.01)));
    for (int i = 1; i <= n; ++i)
      d.layers.push_back(make_layer("z" + std::to_string(i),
                                    make_disk(4010 + 1000. * i / n, {0, 1e3}),
                                    1e-4, pixel(0.01, 0.01)));
    return d;
  };
  std::vector<Field> all = fields();
  for (const Field& field : {all[0], Field{}}) {
    for (const double theta : {1.5, 0.7, 0.3}) {
      for (const double p : {0.5, 50.0}) {
        Track track;
        track.p = p;
        track.mass = 0.13957039;
        track.theta = theta;
        track.phi = 0.2;
        std::size_t looks[2];
        for (const int many : {0, 1}) {
          const int n = many ? 2000 : 200;
          const TrackingGeometry geometry(detector(field, n));
          const auto t =
              trace(geometry, track, Scattering::highland, EnergyLoss::mean);
          REQUIRE(t.list.size() >= static_cast<std::size_t>(n));
          looks[many] = looks_at_surfaces(geometry, track, EnergyLoss::mean);
          CHECK(looks[many] < static_cast<std::size_t>(12 * n));
        }
        CAPTURE(theta);
        CAPTURE(p);
        CAPTURE(looks[0]);
        CAPTURE(looks[1]);
        const double exponent = std::log10(static_cast<double>(looks[1]) /
                                           static_cast<double>(looks[0]));
        CHECK(std::abs(exponent - 1) < 0.05);
      }
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
