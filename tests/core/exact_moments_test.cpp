// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace gttf::test::GTTF_TEST_FILE {
namespace {

std::vector<double> numbers(int n) {
  std::mt19937_64 engine(3);
  std::vector<double> x;
  for (int i = 0; i < n; ++i) {
    const double u = std::generate_canonical<double, 53>(engine);
    x.push_back((u - 0.3) * std::exp(6 * u));
  }
  return x;
}

ExactMoments moments_of(std::span<const double> x) {
  ExactMoments m;
  for (const double v : x) m.add(v);
  return m;
}

bool same(const ExactMoments& a, const ExactMoments& b) {
  return a.state().count == b.state().count &&
         a.state().beyond_limit == b.state().beyond_limit &&
         a.state().sums == b.state().sums;
}

TEST_CASE("exact moments: neither order nor parts matter, to the last bit") {
  std::vector<double> x = numbers(10000);
  const ExactMoments all = moments_of(x);
  std::ranges::reverse(x);
  CHECK(same(all, moments_of(x)));
  const std::span<const double> span(x);
  ExactMoments joined = moments_of(span.subspan(7000));
  joined.add(moments_of(span.first(7000)));
  CHECK(same(all, joined));
}

TEST_CASE("exact moments: mean, width and their errors are the usual ones") {
  const std::vector<double> x = numbers(5000);
  const ExactMoments m = moments_of(x);
  const double n = static_cast<double>(x.size());
  double mean = 0, m2 = 0, m4 = 0;
  for (const double v : x) mean += v / n;
  for (const double v : x) m2 += std::pow(v - mean, 2) / n;
  for (const double v : x) m4 += std::pow(v - mean, 4) / n;
  const double sigma = std::sqrt(m2 * n / (n - 1));
  // the powers are rounded to 2^-50 ... 2^-14
  CHECK(m.mean() == doctest::Approx(mean).epsilon(1e-12));
  CHECK(m.width() == doctest::Approx(sigma).epsilon(1e-12));
  CHECK(m.mean_error() == doctest::Approx(sigma / std::sqrt(n)));
  CHECK(
      m.width_error() ==
      doctest::Approx(std::sqrt((m4 - std::pow(sigma, 4)) / n) / (2 * sigma)));
}

TEST_CASE("exact moments: numbers beyond the limit are counted, not summed") {
  ExactMoments m = moments_of(std::vector<double>{1, 2, 3, 4});
  const double mean = m.mean();
  m.add(1e9);
  m.add(-std::numeric_limits<double>::infinity());
  m.add(std::nan(""));
  m.add(std::nextafter(ExactMoments::limit, 1e9));
  CHECK(m.count() == 4);
  CHECK(m.beyond_limit() == 4);
  CHECK(m.mean() == mean);
  m.add(-ExactMoments::limit);
  CHECK(m.count() == 5);
  CHECK(m.mean() == doctest::Approx((10 - 4096.0) / 5));
}

TEST_CASE("exact moments: no estimate from too few numbers") {
  ExactMoments m;
  CHECK(std::isnan(m.mean()));
  m.add(1);
  CHECK(m.mean() == 1);
  CHECK(std::isnan(m.width()));
  CHECK(std::isnan(m.mean_error()));
  CHECK(std::isnan(m.width_error()));
}

TEST_CASE("128-bit integers: text and back") {
  const Integer128 big = Integer128{1} << 126;
  CHECK(to_string(big) == "85070591730234615865843651857942052864");
  for (const Integer128 value : {Integer128{0}, Integer128{-7}, big, -big})
    CHECK(to_integer128(to_string(value)) == value);
  for (const char* text : {"", "-", "+1", "01", "-0", "1.5", "1e3", " 1",
                           "999999999999999999999999999999999999999"})
    CHECK_FALSE(to_integer128(text).has_value());
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
