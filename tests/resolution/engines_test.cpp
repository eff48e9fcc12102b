// SPDX-License-Identifier: Apache-2.0
// The two engines against each other on random layouts of every kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "gttf/resolution/resolution.hpp"
#include "support/compare.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("engines: agree on random layouts, with and without field") {
  RandomLayouts usual(77), with_leaning(77, 0.3);
  int with = 0, without = 0, loose = 0, status_differs = 0;
  for (int i = 0; i < 1200; ++i) {
    RandomLayouts& random = i % 2 == 0 ? usual : with_leaning;
    Detector d = random.detector();
    Track t = random.track();
    if (i % 3 == 0) d.field = {};
    if (i % 5 == 0) t.charge *= 2;
    Model triplet;
    triplet.engine = Engine::triplet;
    const TrackingGeometry geometry(d);
    const Resolution a = resolve(geometry, t);
    const Resolution b = resolve(geometry, t, triplet);
    if (a.status != b.status) {
      ++status_differs;
      continue;
    }
    const bool field = a.status == Status::ok;
    if (!field && a.status != Status::no_field) continue;
    // barely determined tracks measure conditioning, not the engines
    if (!(a.perigee(2, 2) < 1e-2) || (field && a.sigma_p_rel > 1)) continue;
    const int n = field ? 5 : 4;
    ++(field ? with : without);
    const double error =
        std::max({worst(b.perigee, a.perigee, n),
                  worst(b.perigee_without_inner, a.perigee_without_inner, n),
                  worst(b.first_hit, a.first_hit, n)});
    CHECK(error < 1e-6);
    loose += error > 1e-9;
    if (!field) continue;
    CHECK(b.sigma_p_rel == doctest::Approx(a.sigma_p_rel).epsilon(1e-6));
    if (std::isfinite(a.sigma_p_rel_hit_only) &&
        std::isfinite(b.sigma_p_rel_hit_only) && a.sigma_p_rel_hit_only < 1)
      CHECK(b.sigma_p_rel_hit_only ==
            doctest::Approx(a.sigma_p_rel_hit_only).epsilon(1e-6));
  }
  CHECK(with > 100);
  CHECK(without > 60);
  // single coordinates with lever arms of every size amplify rounding
  CHECK(loose <= (with + without) / 50);
  // at most where a parameter is determined only by rounding
  CHECK(status_differs <= 12);
}

}  // namespace gttf::test::GTTF_TEST_FILE
