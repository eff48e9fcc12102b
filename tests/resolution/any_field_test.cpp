// SPDX-License-Identifier: Apache-2.0
// One resolution path: traced tracks against helices and against dense fits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/resolution/any_track.hpp"
#include "gttf/resolution/resolution.hpp"
#include "support/compare.hpp"
#include "support/layouts.hpp"
#include "support/resolved_planes.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using detail::AnyTrack;

/// The resolution by way of a traced track in a given frame.
Resolution resolve_traced(const TrackingGeometry& geometry, const Track& track,
                          const Model& model, Axis polar) {
  return detail::resolve(AnyTrack(geometry, track,
                                  trace(geometry, track, model.scattering,
                                        model.loss, Frame{polar})),
                         model);
}

bool measured(const Resolution& r) {
  return r.status == Status::ok || r.status == Status::no_field;
}

/// Everything that a resolution consists of.
double worst_of(const Resolution& a, const Resolution& b) {
  const int n = b.status == Status::ok ? 5 : 4;
  double w =
      std::max({worst(a.perigee, b.perigee, n),
                worst(a.perigee_without_inner, b.perigee_without_inner, n),
                worst(a.first_hit, b.first_hit, n),
                relative_if_any(a.sigma_p_rel, b.sigma_p_rel),
                relative_if_any(a.sigma_pt_rel, b.sigma_pt_rel),
                relative_if_any(a.sigma_p_rel_hit_only, b.sigma_p_rel_hit_only),
                relative_if_any(a.sigma_p_rel_ms_only, b.sigma_p_rel_ms_only),
                relative_if_any(a.mu_phi, b.mu_phi),
                relative_if_any(a.mu_theta, b.mu_theta)});
  if (std::isfinite(b.start_plane(0, 0)))
    w = std::max(w, worst(a.start_plane, b.start_plane, n));
  return w;
}

/// Three stations of two planes, a magnet between the second and the third;
/// strips under small angles, a passive plate, a beam window.
Detector spectrometer() {
  Detector d;
  d.name = "spectrometer";
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::z, {1500, 2700}, Axis::y, 0.57 * unit::T}};
  const Interval wide{-500, 500};
  const auto add = [&](const char* name, double z, double x0,
                       std::vector<Coordinate> coordinates) {
    d.layers.push_back(make_layer(name, make_plane(Axis::z, z, wide, wide), x0,
                                  std::move(coordinates)));
  };
  const std::vector<Coordinate> stereo{{0.02, 0.016}, {-0.02, 0.016}};
  add("window", 50, 0.003, {});
  add("A1", 100, 0.02, stereo);
  add("A2", 140, 0.02, stereo);
  add("B1", 1300, 0.02, stereo);
  add("B2", 1340, 0.02, {{0.02, 0.016}});
  add("plate", 2000, 0.01, {});
  add("C1", 2900, 0.02, stereo);
  add("C2", 2940, 0.02, pixel(0.02, 0.4));
  add("face", 4000, 0, {});
  return d;
}

Track beam_track(double p, double theta, double phi) {
  Track t;
  t.p = p;
  t.theta = theta;
  t.phi = phi;
  t.mass = 0.10565837;
  return t;
}

PlaneLeastSquares::Field box(const DipoleGap& gap) {
  return [gap](const Eigen::Vector3d& x) -> Eigen::Vector3d {
    const bool inside = gap.extent.contains(x.z());
    return {0, inside ? gap.field : 0, 0};
  };
}

}  // namespace

TEST_CASE("any field: a solenoid traced is the solenoid's closed form") {
  double error = 0;
  int tracks = 0;
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    for (const Track& t : some_tracks()) {
      Model model;
      if (tracks % 3 == 0) model.beam_spot = BeamSpot{0.02, 0.01, 20};
      const Resolution closed = resolve(geometry, t, model);
      const Resolution traced = resolve_traced(geometry, t, model, Axis::z);
      CHECK(traced.status == closed.status);
      if (!measured(closed)) continue;
      error = std::max(error, worst_of(traced, closed));
      ++tracks;
    }
  }
  CAPTURE(error);
  CHECK(error < 1e-9);
  CHECK(tracks > 80);
}

TEST_CASE("any field: the frame of the fit changes no result") {
  double error = 0;
  int tracks = 0;
  for (const Detector& d : shipped_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    for (Track t : some_tracks()) {
      if (t.p < 0.3) continue;
      t.phi = 0.8;  // away from the polar axes of all frames
      Model model;
      if (tracks % 3 == 0) model.beam_spot = BeamSpot{0.02, 0.01, 20};
      const Resolution closed = resolve(geometry, t, model);
      if (!measured(closed)) continue;
      for (const Axis polar : {Axis::x, Axis::y}) {
        const Resolution turned = resolve_traced(geometry, t, model, polar);
        error = std::max(error, worst_of(turned, closed));
      }
      ++tracks;
    }
  }
  CAPTURE(error);
  CHECK(error < 1e-8);
  CHECK(tracks > 50);
}

TEST_CASE(
    "any field: a spectrometer against a dense fit in extended precision") {
  const Detector d = spectrometer();
  for (const Track& t : {beam_track(5, 0, 0), beam_track(60, 0.04, 1.1),
                         beam_track(300, 0.02, -2.5)}) {
    Model model;
    model.at = AtLayer{};
    const TrackingGeometry geometry(d);
    const Resolution r = resolve(geometry, t, model);
    REQUIRE(r.status == Status::ok);
    REQUIRE(r.crossings.size() == d.layers.size());
    const auto planes = planes_of(d, r);
    const auto dense = [&](int omit) {
      return PlaneLeastSquares(state_of(t), 0, planes,
                               box(d.field.dipoles.front()), {1500, 2700}, true,
                               omit);
    };
    const PlaneLeastSquares all = dense(-1);
    CHECK(worst(r.start_plane, all.at_start()) < 1e-8);
    CHECK(r.sigma_p_rel ==
          doctest::Approx(std::sqrt(all.at_start()(4, 4)) * t.p).epsilon(1e-8));
    for (std::size_t k = 0; k < r.crossings.size(); ++k) {
      CAPTURE(k);
      CHECK(r.crossings[k].position.x() ==
            doctest::Approx(double(all.reference[k][0])).epsilon(1e-9));
      for (const bool own_hit : {true, false}) {
        model.at = AtLayer{r.crossings[k].layer, own_hit};
        const Resolution there = resolve(geometry, t, model);
        REQUIRE(there.at->exists);
        const Matrix5 expected =
            own_hit ? all.before(k) : dense(static_cast<int>(k)).before(k);
        CHECK(worst(there.at->slopes, expected) < 1e-8);
      }
    }
  }
}

TEST_CASE("any field: turning detector, field and track changes nothing") {
  const Detector upright = spectrometer();
  Detector turned = upright;
  // x -> y -> z -> x
  const auto next = [](Axis a) {
    return a == Axis::x ? Axis::y : a == Axis::y ? Axis::z : Axis::x;
  };
  Vector3 direction(0.03, -0.02, 1);
  direction.normalize();
  Model model;
  const Resolution reference = [&] {
    model.at = AtLayer{8, true};
    return resolve(TrackingGeometry(upright),
                   beam_track(20, std::acos(direction.z()),
                              std::atan2(direction.y(), direction.x())),
                   model);
  }();
  REQUIRE(reference.status == Status::ok);
  for (int i = 0; i < 2; ++i) {
    for (Layer& layer : turned.layers)
      layer.surface.normal = next(layer.surface.normal);
    for (DipoleGap& gap : turned.field.dipoles) {
      gap.normal = next(gap.normal);
      gap.direction = next(gap.direction);
    }
    direction = Vector3(direction.z(), direction.x(), direction.y());
    const Resolution r =
        resolve(TrackingGeometry(turned),
                beam_track(20, std::acos(direction.z()),
                           std::atan2(direction.y(), direction.x())),
                model);
    REQUIRE(r.status == Status::ok);
    CHECK(relative_if_any(r.sigma_p_rel, reference.sigma_p_rel) < 1e-10);
    CHECK(relative_if_any(r.sigma_p_rel_hit_only,
                          reference.sigma_p_rel_hit_only) < 1e-10);
    CHECK(relative_if_any(r.sigma_p_rel_ms_only,
                          reference.sigma_p_rel_ms_only) < 1e-10);
    CHECK(relative_if_any(r.mu_phi, reference.mu_phi) < 1e-10);
    CHECK(worst(r.at->slopes, reference.at->slopes) < 1e-9);
  }
}

TEST_CASE("any field: both engines agree") {
  const TrackingGeometry geometry(spectrometer());
  for (const Track& t : {beam_track(5, 0.01, 0.3), beam_track(60, 0.04, 1.1),
                         beam_track(300, 0.02, -2.5)})
    for (const bool spot : {false, true}) {
      Model model;
      if (spot) model.beam_spot = BeamSpot{0.02, 0.01, 20};
      const Resolution a = resolve(geometry, t, model);
      model.engine = Engine::triplet;
      const Resolution b = resolve(geometry, t, model);
      REQUIRE(b.status == Status::ok);
      CHECK(worst_of(b, a) < 1e-9);
    }
}

TEST_CASE("any field: a straight track along the beam needs no azimuth") {
  // one reference: two lines through n planes, no scattering
  Detector d;
  const Interval wide{-10, 10};
  for (int k = 0; k < 6; ++k)
    d.layers.push_back(
        make_layer("P" + std::to_string(k),
                   make_plane(Axis::z, 100.0 * k + 50, wide, wide), 0,
                   pixel(0.003, 0.005)));
  d.layers.push_back(
      make_layer("dut", make_plane(Axis::z, 275, wide, wide), 0));
  const TrackingGeometry geometry(d);
  Model model;
  model.at = AtLayer{6, true};
  const Resolution r = resolve(geometry, beam_track(5, 0, 0), model);
  CHECK(r.status == Status::no_field);
  REQUIRE(r.at->exists);
  // straight line fit: variance sigma^2 (1/n + (z - mean)^2/sum (z_i - mean)^2)
  const double sum = 2 * 1e4 * (0.25 + 2.25 + 6.25);
  const double middle = 1.0 / 6 + 25 * 25 / sum, slope = 1 / sum;
  CHECK(std::sqrt(r.at->slopes(0, 0)) ==
        doctest::Approx(0.003 * std::sqrt(middle)).epsilon(1e-12));
  CHECK(std::sqrt(r.at->slopes(1, 1)) ==
        doctest::Approx(0.005 * std::sqrt(middle)).epsilon(1e-12));
  CHECK(std::sqrt(r.at->slopes(2, 2)) ==
        doctest::Approx(0.003 * std::sqrt(slope)).epsilon(1e-12));
  CHECK(std::isnan(r.at->covariance(OnSurface::phi, OnSurface::phi)));
  CHECK(std::isnan(r.perigee(Perigee::z0, Perigee::z0)));
  const double start = 1.0 / 6 + 300 * 300 / sum;
  CHECK(std::sqrt(r.start_plane(0, 0)) ==
        doctest::Approx(0.003 * std::sqrt(start)).epsilon(1e-12));
  CHECK(std::sqrt(r.start_plane(3, 3)) ==
        doctest::Approx(0.005 * std::sqrt(slope)).epsilon(1e-12));
}

}  // namespace gttf::test::GTTF_TEST_FILE
