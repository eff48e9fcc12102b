// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/triplet/reflection.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "gttf/core/double_double.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr std::size_t n_rows = 4;
using Column = std::array<double, n_rows>;

std::vector<Column> random_columns(std::size_t n, double scale) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  std::vector<Column> columns(n);
  for (Column& c : columns)
    for (double& x : c) x = scale * normal(random);
  return columns;
}

double covariance(const std::vector<Column>& columns, std::size_t i,
                  std::size_t k) {
  double sum = 0;
  for (const Column& c : columns) sum += c[i] * c[k];
  return sum;
}

}  // namespace

TEST_CASE("reflections: fewer errors with the same covariances") {
  const auto columns = random_columns(9, 1);
  auto fewer = columns;
  const std::size_t n = detail::compress<0, n_rows>(std::span(fewer));
  REQUIRE(n == n_rows);
  fewer.resize(n);
  for (std::size_t i = 0; i < n_rows; ++i)
    for (std::size_t k = 0; k < n_rows; ++k)
      CHECK(covariance(fewer, i, k) ==
            doctest::Approx(covariance(columns, i, k)).epsilon(1e-14));
}

TEST_CASE("reflections: a function of the first error, at any size") {
  // squares of 1e-170 and 1e170 are not doubles
  for (const double scale : {1e-170, 1., 1e170}) {
    CAPTURE(scale);
    auto columns = random_columns(5, scale);
    double size = 0;
    for (const Column& c : columns) size = std::hypot(size, c[1]);
    REQUIRE(detail::reflect<0, n_rows>(1, std::span(columns)));
    CHECK(std::abs(columns[0][1]) == doctest::Approx(size).scale(0));
    for (std::size_t c = 1; c < columns.size(); ++c) CHECK(columns[c][1] == 0);
  }
}

TEST_CASE("reflections: a function of no error") {
  std::vector<Column> columns(3, Column{1, 0, 2, 3});
  CHECK_FALSE(detail::reflect<0, n_rows>(1, std::span(columns)));
  CHECK(columns[2] == Column{1, 0, 2, 3});
  std::vector<Column> one(3, Column{0, 5, 0, 0});
  CHECK(detail::compress<0, n_rows>(std::span(one)) == 1);
}

}  // namespace gttf::test::GTTF_TEST_FILE
