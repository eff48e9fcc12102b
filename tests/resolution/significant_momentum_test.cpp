// SPDX-License-Identifier: Apache-2.0
#include "gttf/resolution/momentum_searches.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Found {
  double p = 0;
  int calls = 0;
};

template <class Xi>
Found search(double start, const Xi& xi) {
  detail::SignificantMomentum s(start, 3);
  Found found;
  for (; !s.done(); ++found.calls) s.take(xi(s.momentum()));
  found.p = s.result();
  return found;
}

/// Scattering only, and hit errors only at 1 GeV.
double two_parts(double xi_ms, double xi_hit, double p) {
  return 1 / std::hypot(1 / xi_ms, p / xi_hit);
}

}  // namespace

TEST_CASE("significant momentum: a handful of evaluations from anywhere") {
  for (const double start : {1e-3, 0.1, 30.0, 100.0, 1e6})
    for (const double root : {0.02, 1.0, 99.0, 101.0, 5e4})
      for (const double xi_ms : {4.0, 20.0, 300.0}) {
        CAPTURE(start);
        CAPTURE(root);
        CAPTURE(xi_ms);
        const double xi_hit = root / std::sqrt(1. / 9 - 1 / (xi_ms * xi_ms));
        const Found found = search(start, [&](double p) {
          // bending: not quite a line in p^2
          return two_parts(xi_ms, xi_hit, p) *
                 (1 + 0.1 / (1 + p * p / root / root));
        });
        const double at = two_parts(xi_ms, xi_hit, found.p) *
                          (1 + 0.1 / (1 + found.p * found.p / root / root));
        CHECK(at == doctest::Approx(3).epsilon(1e-9));
        CHECK(found.calls <= 13);
      }
}

TEST_CASE("significant momentum: the largest, if xi falls at low momenta too") {
  // a slow particle scatters more
  const auto xi = [](double p) {
    return two_parts(5, 90, p) * p / std::hypot(p, 0.5);
  };
  CHECK(xi(0.2) < 3);
  const Found found = search(100, xi);
  CHECK(found.p > 10);
  CHECK(xi(found.p) == doctest::Approx(3).epsilon(1e-9));
}

TEST_CASE("significant momentum: none, any, or up to where there is no xi") {
  CHECK(std::isnan(search(100, [](double p) {
                     return p < 0.05 ? none : two_parts(2.9, 90, p);
                   }).p));
  CHECK(std::isnan(search(100, [](double) { return 0.0; }).p));
  CHECK(std::isnan(search(100, [](double) { return none; }).p));
  CHECK(std::isinf(search(100, [](double) { return 20.0; }).p));
  const auto ends = [](double p) { return p > 47 ? none : 20 * 47 / p; };
  CHECK(search(1, ends).p == doctest::Approx(47).epsilon(1e-9));
}

TEST_CASE("significant momentum: xi that jumps to the other side") {
  // a layer more below 5 GeV
  const auto xi = [](double p) { return (p < 5 ? 1.5 : 0.7) * 10 / p; };
  for (const double start : {1.0, 100.0})
    CHECK(search(start, xi).p == doctest::Approx(5).epsilon(1e-9));
}

TEST_CASE("significant momentum: just above where the track is lost") {
  // far down in one step, then back to look for a place in between
  const auto xi = [](double p) {
    return p < 0.2 ? none : p < 0.3 ? 4.0 : 0.1 / p;
  };
  CHECK(search(100, xi).p == doctest::Approx(0.3).epsilon(1e-9));
}

}  // namespace gttf::test::GTTF_TEST_FILE
