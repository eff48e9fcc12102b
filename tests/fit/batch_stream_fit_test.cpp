// SPDX-License-Identifier: Apache-2.0
// Fits of single coordinates as vectors.
#include <doctest/doctest.h>

#include "gttf/core/simd.hpp"
#include "gttf/core/units.hpp"
#include "gttf/fit/batch_fit.hpp"
#include "support/at_level.hpp"
#include "support/batch_difference.hpp"
#include "support/layouts.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr Wanted all_fits[] = {
    {FitKind::general, WeightSource::estimate},
    {FitKind::general, WeightSource::local},
    {FitKind::general, WeightSource::update},
    {FitKind::general, WeightSource::shared},
    {FitKind::hits, WeightSource::estimate},
};

/// Pixels, wires under both stereo angles, strips that measure z and, between
/// and before them, passive layers.
Detector mixed_detector() {
  Detector d;
  d.name = "mixed";
  d.field = {FieldKind::solenoid, 2 * unit::T};
  const auto barrel = [&d](double r, double x_over_x0,
                           std::vector<Coordinate> coordinates) {
    d.layers.push_back(make_layer("L" + std::to_string(d.layers.size()),
                                  make_cylinder(r, {-1e5, 1e5}), x_over_x0,
                                  std::move(coordinates)));
  };
  barrel(20, 0.002, {});
  for (const double r : {30., 60., 90.}) barrel(r, 0.005, pixel(0.005, 0.01));
  barrel(120, 0.01, {});
  for (int i = 0; i < 12; ++i)
    barrel(200 + 50 * i, 1e-4, {{i % 2 == 0 ? 0.05 : -0.05, 0.1}});
  barrel(820, 0.02, {});
  barrel(850, 0, {{0.5 * unit::pi, 0.2}});
  barrel(900, 0.01, {{0, 0.02}});
  return d;
}

std::vector<std::pair<std::string, TrackingGeometry>> geometries() {
  return {{"IDEA", TrackingGeometry(shipped("idea"))},
          {"mixed", TrackingGeometry(mixed_detector())}};
}

}  // namespace

TEST_CASE("batched single coordinates: every fit equals TrackFitter") {
  for (const auto& [name, geometry] : geometries()) {
    const std::string label = name;  // clang 14 captures no binding
    CAPTURE(label);
    HitList list(geometry, 37, 1, 30);
    at_all_levels(
        all_fits, [&](const Wanted& wanted, const FitOptions& options) {
          FitOutput out(list.size());
          const BatchStatistics s =
              fit(list.views(), wanted.kind, options, out.views());
          CHECK(s.vectorised == list.size());
          CHECK(largest_difference(list, out, wanted, options) < 1e-9);
        });
  }
}

TEST_CASE("batched single coordinates: other fits have no result") {
  HitList list(TrackingGeometry(mixed_detector()), 5, 1, 30);
  for (const SimdLevel level : available_simd_levels()) {
    const AtLevel use(level);
    FitOutput out(5);
    fit(list.views(), FitKind::scattering, {}, out.views());
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(out.status[i] == FitStatus::not_determined);
      CHECK(std::isnan(out.kappa[i]));
      CHECK(std::isnan(out.covariance[i]));
    }
  }
}

TEST_CASE("batched single coordinates: the same bits next to any tracks") {
  HitList list(TrackingGeometry(mixed_detector()), 600, 0.5, 5);
  check_any_company(list, all_fits);
}

TEST_CASE("batched single coordinates: bad tracks get TrackFitter's status") {
  HitList list(TrackingGeometry(mixed_detector()), 20, 1, 5);
  list.hit(0, 2, 3) = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t axis = 0; axis < 3; ++axis)
    list.hit(axis, 2, 11) = list.hit(axis, 1, 11);  // coincident
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel use(level);
    FitOutput out(20);
    const BatchStatistics s =
        fit(list.views(), FitKind::general, {}, out.views());
    CHECK(s.doubtful == 2);
    CHECK(out.status[3] == FitStatus::not_finite);
    CHECK(out.status[11] == FitStatus::coincident_hits);
    CHECK(largest_difference(list, out, all_fits[0], {}) < 1e-9);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
