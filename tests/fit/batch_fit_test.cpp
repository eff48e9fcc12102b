// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/batch_fit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gttf/core/simd.hpp"
#include "gttf/core/units.hpp"
#include "support/at_level.hpp"
#include "support/batch_difference.hpp"
#include "support/hit_list.hpp"
#include "support/shipped.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr Wanted all_fits[] = {
    {FitKind::general, WeightSource::estimate},
    {FitKind::general, WeightSource::local},
    {FitKind::general, WeightSource::update},
    {FitKind::hits, WeightSource::estimate},
    {FitKind::scattering, WeightSource::estimate},
    {FitKind::scattering, WeightSource::local},
    {FitKind::scattering, WeightSource::update},
    {FitKind::regularised, WeightSource::estimate},
    {FitKind::common_curvature, WeightSource::estimate},
};

}  // namespace

// between the hits of cld lie passive layers, in the first gap as well
TEST_CASE("batched fits: with passive layers between hits as without") {
  const TrackingGeometry geometry(shipped("cld"));
  HitList list(geometry, 37, 1, 30);
  const HitArrays hits = list.views();
  CHECK(std::ranges::count_if(hits.surfaces, [](const FitSurface& s) {
          return s.n_coordinates == 0;
        }) > 5);
  at_all_levels(all_fits, [&](const Wanted& wanted, const FitOptions& options) {
    FitOutput out(list.size());
    const BatchStatistics s = fit(hits, wanted.kind, options, out.views());
    if (wanted.weights == WeightSource::local) {
      CHECK(s.unsupported == list.size());
      return;
    }
    CHECK(s.vectorised + s.doubtful == list.size());
    CHECK(s.vectorised > 30);
    // without scattering the residuals are hundreds of standard deviations
    const bool wrong = wanted.kind == FitKind::hits;
    CHECK(largest_difference(list, out, wanted, options) <
          (wrong ? 1e-7 : 1e-9));
  });
}

TEST_CASE("batched fits: every fit at every level is that of TrackFitter") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  HitList list(geometry, 37, 0.3, 20);
  at_all_levels(all_fits, [&](const Wanted& wanted, const FitOptions& options) {
    FitOutput out(list.size());
    const BatchStatistics s =
        fit(list.views(), wanted.kind, options, out.views());
    CHECK(s.tracks == list.size());
    CHECK(s.vectorised + s.doubtful == list.size());
    CHECK(s.vectorised > 30);
    // rounding, and the square of the condition of K^-1
    CHECK(largest_difference(list, out, wanted, options) < 1e-9);
  });
}

TEST_CASE("batched fits: a track does not depend on the others or threads") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  HitList list(geometry, 1100, 0.5, 5), few(geometry, 3, 0.5, 5);
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel use(level);
    FitOutput one(1100), two(1100), part(3);
    fit(list.views(), FitKind::general, {}, one.views(), 1);
    fit(list.views(), FitKind::general, {}, two.views(), 3);
    fit(few.views(), FitKind::general, {}, part.views());
    CHECK(one.kappa == two.kappa);
    CHECK(one.covariance == two.covariance);
    // the first tracks of both lists are the same
    for (std::size_t t = 0; t < 3; ++t) {
      CHECK(part.kappa[t] == one.kappa[t]);
      CHECK(part.chi2[t] == one.chi2[t]);
      CHECK(part.covariance[t] == one.covariance[t]);
    }
  }
}

TEST_CASE("batched fits: a track has the same bits in any company") {
  const auto check = [](const char* detector, double p_least) {
    const TrackingGeometry geometry(shipped(detector));
    HitList list(geometry, 250, p_least, 30);
    check_any_company(list, all_fits);
  };
  check("alice_its2", 0.2);
  check("cld", 1);
}

TEST_CASE("batched fits: bad tracks get the status of TrackFitter") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  HitList list(geometry, 20, 0.5, 5);
  list.hit(0, 2, 3) = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::swap(list.hit(axis, 0, 7), list.hit(axis, 5, 7));  // wrong order
    list.hit(axis, 4, 11) = list.hit(axis, 3, 11);          // coincident
  }
  for (const SimdLevel level : available_simd_levels()) {
    CAPTURE(to_string(level));
    const AtLevel use(level);
    FitOutput out(20);
    const BatchStatistics s =
        fit(list.views(), FitKind::general, {}, out.views());
    CHECK(s.doubtful == 3);
    CHECK(s.vectorised == 17);
    CHECK(out.status[3] == FitStatus::not_finite);
    CHECK(out.status[7] != FitStatus::ok);
    CHECK(out.status[11] == FitStatus::coincident_hits);
    CHECK(largest_difference(list, out, all_fits[0], {}) < 1e-9);
  }
}

TEST_CASE("batched fits: other surfaces and options take the scalar path") {
  const TrackingGeometry geometry(shipped("alice_its2"));
  HitList list(geometry, 5, 0.5, 5);
  FitOutput out(5);
  FitOptions again;
  again.relinearisations = 1;
  CHECK(fit(list.views(), FitKind::general, again, out.views()).unsupported ==
        5);
  CHECK(largest_difference(list, out, all_fits[0], again) == 0);
  again.relinearisations = 0;
  again.detail = FitDetail::hits;
  CHECK(fit(list.views(), FitKind::general, again, out.views()).unsupported ==
        5);
  for (FitSurface& s : list.surfaces())
    if (s.n_coordinates == 2) s.n_coordinates = 1;  // no z
  list.surfaces()[1].coordinates[0].variance = 0;
  CHECK(fit(list.views(), FitKind::general, {}, out.views()).unsupported == 5);
  CHECK(out.status[0] == FitStatus::bad_error);
}

}  // namespace gttf::test::GTTF_TEST_FILE
