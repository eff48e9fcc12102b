// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/streaming/point_chain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/fit/streaming/streaming.hpp"
#include "support/layouts.hpp"
#include "support/wide.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// Variance of kappa by the chain of the measuring crossings.
template <class S>
S variance_of_kappa(const Crossings<S>& c, const HelixPath<S>& path) {
  PointChain<S> chain{};
  for (int k = path.last(); k >= path.first(); --k) {
    const auto index = static_cast<std::size_t>(k);
    const HelixKinks<S> kinks = path.kinks(index);
    const auto point = exact_point(c.line, c.list[index].at, kinks.columns);
    if (k == path.last())
      chain.start(point);
    else
      chain.add(point, S(1) / kinks.w, S(1) / kinks.w_phi);
  }
  return S(1) / chain.information;
}

/// Every surface measures a point and has material.
Detector points(RandomLayouts& random, int n) {
  Detector d;
  d.name = "points";
  d.field = {FieldKind::solenoid, random.uniform(1, 4) * unit::T};
  for (int i = 0; i < n; ++i)
    d.layers.push_back(make_layer("L" + std::to_string(i), random.surface(),
                                  random.log_uniform(1e-4, 0.05),
                                  pixel(0.01, 0.1)));
  return d;
}

}  // namespace

TEST_CASE("point chain: is the scattering-only limit of the five equations") {
  RandomLayouts random(5);
  int fits = 0, good = 0;
  for (int i = 0; i < 3000; ++i) {
    const TrackingGeometry geometry(points(random, 15));
    const Track track = random.track();
    const auto c = find_crossings(geometry, track, Scattering::highland);
    const HelixPath path(geometry, c);
    if (path.last() - path.first() < 2) continue;
    ++fits;
    const auto wide =
        with_scalar(geometry, c, make_line<Wide>(track, geometry.bz()),
                    Scattering::highland);
    const HelixPath<Wide> wide_path(geometry, wide);
    const Wide expected =
        filter<Errors::scattering_only>(wide_path).v[Perigee::kappa];
    CAPTURE(i);
    const auto deviation = [&](const Wide& v) {
      return std::abs(static_cast<double>(v / expected - 1));
    };
    CHECK(deviation(variance_of_kappa(wide, wide_path)) < 1e-20);
    const double rounding = deviation(Wide(variance_of_kappa(c, path)));
    // surfaces may be very near to each other
    CHECK(rounding < 1e-8);
    good += rounding < 1e-12;
  }
  CHECK(fits > 1500);
  CHECK(good > 0.99 * fits);
}

}  // namespace gttf::test::GTTF_TEST_FILE
