// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/number.hpp"

#include <doctest/doctest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::string exact(double value) {
  std::string text;
  append_exact(text, value);
  return text;
}

std::string rounded(double value, int digits) {
  std::string text;
  append_rounded(text, value, digits);
  return text;
}

}  // namespace

TEST_CASE("number: the exact text is the shortest that reads back") {
  CHECK(exact(0.1) == "0.1");
  CHECK(exact(1) == "1");
  CHECK(exact(-0.0) == "0");  // equal, and what a reader expects
  CHECK(exact(1e-7) == "1e-07");
  CHECK(exact(1e300) == "1e+300");
  CHECK(exact(5e-324) == "5e-324");
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    CHECK(std::strtod(exact(value).c_str(), nullptr) == value);
  }
}

TEST_CASE("number: the exact text is that of std::to_chars") {
  const auto check = [](double value) {
    std::array<char, longest_number> text{};
    std::to_chars(text.data(), text.data() + text.size(), value);
    const std::string expected = text.data();
    REQUIRE(exact(value) == expected);
    REQUIRE(exact(-value) == "-" + expected);
  };
  for (int e = -8; e <= 8; ++e) {
    const double ten = std::pow(10.0, e);
    for (const double digits : {1.0, 9.0, 1.2, 1.25, 1.234, 9.9999, 1.000001}) {
      check(digits * ten);
      check(std::nextafter(digits * ten, 0));
      check(std::nextafter(digits * ten, 1e9));
    }
  }
  for (int i = 1; i <= 1 << 14; ++i) {
    check(i);
    check(i / 8.0);
    check(i / 1000.0);
  }
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-6, 6);
  std::uniform_int_distribution<int> places(0, 20);
  for (int i = 0; i < 300000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    check(value);
    const double unit = std::pow(10.0, places(random));
    check(std::max(1.0, std::round(value * unit)) / unit);
  }
  // all numbers of digits, with zeros between and after them
  for (int e = -8; e <= 8; ++e)
    for (double digits = 1; digits < 1e17; digits = digits * 10 + 1) {
      check(digits * std::pow(10.0, e));
      check(digits * 10 / std::pow(10.0, 8 - e));
    }
}

TEST_CASE("number: rounding keeps the requested digits") {
  CHECK(rounded(0.123456, 3) == "0.123");
  CHECK(rounded(123456, 3) == "1.23e+05");
  CHECK(rounded(0.1, 17) == "0.10000000000000001");
}

}  // namespace gttf::test::GTTF_TEST_FILE
