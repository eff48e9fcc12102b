// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/batch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

#include "gttf/core/simd.hpp"
#include "gttf/detector/read.hpp"
#include "gttf/resolution/budget.hpp"
#include "support/at_level.hpp"
#include "support/batch_deviation.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::vector<Detector> all_closed_detectors() {
  std::vector<Detector> detectors;
  const std::filesystem::path folder =
      std::filesystem::path(GTTF_SOURCE_DIR) / "detectors";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      if (Detector d = read_detector(entry.path().string()).detector;
          is_closed(d))
        detectors.push_back(std::move(d));
  return detectors;
}

TrackList random_tracks(RandomLayouts& random, int n) {
  TrackList tracks;
  for (int i = 0; i < n; ++i) tracks.add(random.track());
  return tracks;
}

/// Momenta and angles of a scan, from tracks that curl up to 100 GeV.
TrackList grid(double phi, std::array<double, 3> vertex = {}) {
  TrackList tracks;
  for (int j = 0; j < 23; ++j)
    for (int i = 0; i < 19; ++i) {
      Track t;
      t.p = 0.05 * std::pow(100 / 0.05, i / 18.0);
      t.theta = (8 + 164 * j / 22.0) * unit::deg;
      t.phi = phi;
      t.vertex = vertex;
      tracks.add(t);
    }
  return tracks;
}

/// Pixel layers that end at different places, and a short passive one.
Detector staggered_points() {
  Detector d;
  d.field = {FieldKind::solenoid, 2 * unit::T};
  for (int i = 0; i < 10; ++i) {
    const std::string number = std::to_string(i);
    d.layers.push_back(
        make_layer("B" + number,
                   make_cylinder(30 + 80 * i, {-200. - 90 * i, 150. + 110 * i}),
                   0.01, pixel(0.01, 0.02)));
    for (const double side : {-1., 1.})
      d.layers.push_back(make_layer(
          "D" + number,
          make_disk(side * (300 + 200 * i), {20 + 5. * i, 300 + 70. * i}), 0.01,
          pixel(0.01, 0.02)));
  }
  d.layers.push_back(make_layer("P", make_cylinder(150, {-100, 200}), 0.01));
  return d;
}

}  // namespace

TEST_CASE("batch: every shipped detector agrees with resolve()") {
  for (const Detector& d : all_closed_detectors()) {
    CAPTURE(d.name);
    const TrackingGeometry geometry(d);
    for (const TrackList& tracks : {grid(0.1), grid(-2.5, {0.3, -0.2, 5})}) {
      // rounding differs: fused multiplications, sine and logarithm
      compare_all_levels(
          geometry, tracks, {}, 0, 1e-11,
          [&](const BatchStatistics& s, const BatchOutput&) {
            CHECK(s.tracks == tracks.size());
            CHECK(s.vectorised + s.doubtful + s.not_fitted + s.unsupported ==
                  s.tracks);
            if (d.field.kind == FieldKind::solenoid ||
                d.field.kind == FieldKind::dipole)
              CHECK(s.unsupported == 0);
            else if (d.field.kind != FieldKind::none)
              CHECK(s.unsupported == s.tracks);
          });
    }
  }
}

TEST_CASE("batch: random layouts and mixed tracks agree with resolve()") {
  RandomLayouts usual(7), with_leaning(7, 0.3);
  std::size_t mixed = 0, fitted = 0;
  for (int i = 0; i < 120; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    const Detector d = random.detector();
    const TrackingGeometry geometry(d);
    const TrackList tracks = random_tracks(random, 40);
    CAPTURE(i);
    // scattering-only limits of layers without material lose digits
    compare_all_levels(geometry, tracks, {}, 0, 1e-7,
                       [&](const BatchStatistics& s, const BatchOutput&) {
                         mixed += s.mixed;
                         fitted += s.vectorised;
                       });
  }
  // only vectors mix tracks
  if (available_simd_levels().size() > 1) CHECK(mixed > 500);
  CHECK(fitted > mixed);
}

TEST_CASE("batch: levels agree within 1e-12 at ten hits") {
  const TrackingGeometry geometry(make_barrel(10, 30, 1000, 2, 0.01, 0.01));
  RandomLayouts random(3);
  TrackList tracks;
  for (int i = 0; i < 100; ++i) {
    Track t = random.track();
    t.theta = random.uniform(0.8, 2.3);
    t.p = random.log_uniform(1, 1000);
    tracks.add(t);
  }
  BatchOutput scalar(tracks.size(), 0);
  {
    const AtLevel at(SimdLevel::scalar);
    resolve(geometry, tracks.views(), {}, scalar.views());
  }
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel at(level);
    BatchOutput r(tracks.size(), 0);
    resolve(geometry, tracks.views(), {}, r.views());
    double worst = 0;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      REQUIRE(r.status[t] == Status::ok);
      worst = std::max(
          {worst, test::worst(r.perigee.matrix(t), scalar.perigee.matrix(t)),
           test::worst(r.first_hit.matrix(t), scalar.first_hit.matrix(t)),
           std::abs(r.hit_only[t] / scalar.hit_only[t] - 1),
           std::abs(r.ms_only[t] / scalar.ms_only[t] - 1),
           std::abs(r.mu_phi[t] - scalar.mu_phi[t]),
           std::abs(r.mu_theta[t] - scalar.mu_theta[t])});
    }
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("batch: neighbours and threads do not change a bit of a track") {
  Detector d = shipped("cld");
  SUBCASE("a shipped detector") {}
  SUBCASE("points of many lists, some tracks with material between") {
    d = staggered_points();
  }
  const TrackingGeometry geometry(d);
  RandomLayouts random(5);
  TrackList tracks = random_tracks(random, 700);
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel at(level);
    BatchOutput whole(tracks.size(), geometry.surfaces().size());
    const BatchStatistics s =
        resolve(geometry, tracks.views(), {}, whole.views(), 3);
    CHECK((s.mixed > 100 || level == SimdLevel::scalar));
    // one after the other, and in another order
    TrackList alone, reversed;
    for (std::size_t t = tracks.size(); t-- > 0;)
      reversed.add(tracks.views().track(t));
    BatchOutput backwards(tracks.size(), geometry.surfaces().size());
    resolve(geometry, reversed.views(), {}, backwards.views(), 1);
    const auto all = whole.every_number(), other = backwards.every_number();
    const std::size_t n = tracks.size();
    REQUIRE(all.size() % n == 0);
    bool equal = true;
    for (std::size_t i = 0; i < all.size(); ++i)
      equal = equal && same_bits({all[i]}, {other[i / n * n + n - 1 - i % n]});
    CHECK(equal);
    for (const std::size_t t : {std::size_t{0}, std::size_t{317}}) {
      TrackList one;
      one.add(tracks.views().track(t));
      BatchOutput r(1, geometry.surfaces().size());
      resolve(geometry, one.views(), {}, r.views());
      CHECK(same_bits(r.every_number(), whole.numbers_of(t)));
    }
  }
}

TEST_CASE("batch: tracks in random order share groups as sorted ones do") {
  const Detector d =
      read_detector(GTTF_SOURCE_DIR "/detectors/cld.yaml").detector;
  const TrackingGeometry geometry(d);
  RandomLayouts random(8);
  std::vector<Track> list;
  for (int i = 0; i < 20000; ++i) list.push_back(random.track());
  const auto counted = [&] {
    TrackList tracks;
    for (const Track& t : list) tracks.add(t);
    BatchOutput out(tracks.size(), 0);
    ResolutionArrays wanted;
    wanted.xi = out.xi;
    return resolve(geometry, tracks.views(), {}, wanted);
  };
  const BatchStatistics in_any_order = counted();
  std::ranges::stable_sort(list, {}, &Track::theta);
  const BatchStatistics sorted = counted();
  CHECK(in_any_order.vectorised == sorted.vectorised);
  CHECK(static_cast<double>(in_any_order.groups) <
        1.2 * static_cast<double>(sorted.groups));
}

TEST_CASE("batch: a track of NaN does not disturb others") {
  const TrackingGeometry geometry(make_barrel(10, 30, 1000, 2, 0.01, 0.01));
  for (const SimdLevel level : available_simd_levels()) {
    const AtLevel at(level);
    TrackList clean, spoilt;
    for (int i = 0; i < 64; ++i) {
      Track t;
      t.p = 1 + i;
      clean.add(t);
      if (i % 3 == 0) t.p = std::numeric_limits<double>::quiet_NaN();
      if (i % 3 == 1) t.theta = 0;
      spoilt.add(t);
    }
    BatchOutput a(64, 0), b(64, 0);
    resolve(geometry, clean.views(), {}, a.views());
    resolve(geometry, spoilt.views(), {}, b.views());
    for (std::size_t t = 0; t < 64; ++t) {
      CAPTURE(t);
      if (t % 3 == 2)
        CHECK(same_bits(a.numbers_of(t), b.numbers_of(t)));
      else  // along the field each is traced individually
        CHECK(b.status[t] == resolve(geometry, spoilt.views().track(t)).status);
    }
  }
}

TEST_CASE("batch: the budget of every layer is that of make_budget()") {
  const Detector d = shipped("idea");
  const TrackingGeometry geometry(d);
  const TrackList tracks = grid(0.3);
  const std::size_t n = tracks.size(), layers = geometry.surfaces().size();
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel at(level);
    BatchOutput r(n, layers);
    resolve(geometry, tracks.views(), {}, r.views());
    CHECK(budget_deviation_from_scalar(geometry, tracks, r, 7) < 1e-11);
  }
}

TEST_CASE("batch: a budget does not depend on the other requested ones") {
  // more crossings than one stretch of the backward pass, and tracks of all
  // kinds
  const Detector d = shipped("idea");
  const TrackingGeometry geometry(d);
  const TrackList tracks = grid(0.3);
  const std::size_t layers = geometry.surfaces().size();
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel at(level);
    BatchOutput all(tracks.size(), layers), some(tracks.size(), layers);
    const ResolutionArrays expected = all.views(), views = some.views();
    resolve(geometry, tracks.views(), {}, expected);
    ResolutionArrays wanted = views;
    wanted.hit_variance = wanted.scattering_variance = {};
    wanted.hit_variance[Parameter::d0] = views.hit_variance[Parameter::d0];
    wanted.scattering_variance[Parameter::ty] =
        views.scattering_variance[Parameter::ty];
    resolve(geometry, tracks.views(), {}, wanted);
    const auto numbers = [](std::span<const double> x) {
      return std::vector<double>(x.begin(), x.end());
    };
    CHECK(same_bits(numbers(views.hit_variance[Parameter::d0]),
                    numbers(expected.hit_variance[Parameter::d0])));
    CHECK(same_bits(numbers(views.scattering_variance[Parameter::ty]),
                    numbers(expected.scattering_variance[Parameter::ty])));
    CHECK(same_bits(some.mu_theta, all.mu_theta));
    const auto untouched = numbers(views.hit_variance[Parameter::p]);
    CHECK(std::all_of(untouched.begin(), untouched.end(),
                      [](double x) { return x == 0; }));
  }
}

TEST_CASE("batch: unsupported tracks take the scalar path, and are counted") {
  const TrackingGeometry geometry(make_barrel(6, 30, 1000, 2, 0.01, 0.01));
  TrackList tracks;
  tracks.add(Track{});
  tracks.add(Track{.p = 5});
  Model model;
  model.beam_spot = BeamSpot{0.01, 0.01, 30};
  BatchOutput r(2, 0);
  const BatchStatistics s = resolve(geometry, tracks.views(), model, r.views());
  CHECK(s.unsupported == 2);
  CHECK(r.sigma_p[1] ==
        resolve(geometry, tracks.views().track(1), model).sigma_p_rel);
}

}  // namespace gttf::test::GTTF_TEST_FILE
