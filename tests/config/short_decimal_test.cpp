// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/short_decimal.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <random>
#include <string>

using gttf::read_short_decimal;

namespace {

struct Read {
  std::size_t length;  // 0: not read
  std::uint64_t bits;
};

Read fast(const std::string& text) {
  double value = 0;
  const char* const begin = text.data();
  const char* stop = read_short_decimal(begin, begin + text.size(), value);
  return {stop ? static_cast<std::size_t>(stop - begin) : 0,
          std::bit_cast<std::uint64_t>(value)};
}

Read library(const std::string& text) {
  double value = 0;
  const char* const begin = text.data();
  const auto result = std::from_chars(begin, begin + text.size(), value);
  return {static_cast<std::size_t>(result.ptr - begin),
          std::bit_cast<std::uint64_t>(value)};
}

constexpr const char* behind = ",next line\n12345678";

}  // namespace

TEST_CASE("short decimal: numbers of up to eight digits are those of C++") {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> digit(0, 9);
  for (int n = 1; n <= 8; ++n)
    for (int whole = 1; whole <= n; ++whole)
      for (int k = 0; k < 4000; ++k) {
        std::string text;
        for (int i = 0; i < n; ++i) {
          if (i == whole) text += '.';
          // more zeros and nines than chance gives
          text += static_cast<char>('0' + (k % 5 == 0   ? digit(random) / 9 * 9
                                           : k % 7 == 0 ? 9
                                                        : digit(random)));
        }
        if (k % 3 == 0 && whole == n) text += '.';
        if (k % 2 == 0) text = '-' + text;
        CAPTURE(text);
        for (const char separator : {',', ';', '\t', '\n', '\r', ' '}) {
          const Read got = fast(text + separator + behind);
          if (whole == 8) {
            REQUIRE(got.length == 0);
            continue;
          }
          REQUIRE(got.length == text.size());
          REQUIRE(got.bits == library(text).bits);
        }
      }
}

TEST_CASE("short decimal: what is written in another way is not read") {
  for (const char* text :
       {"",           "-",        "+1",         ".5",        "-.5",
        "1e5",        "1.5e5",    "1.5E-5",     "123456789", "1.23456789",
        "12345678.9", "1.5.2",    "1x",         "1.5x",      "0x10",
        "nan",        "inf",      "--1",        "-+1",       " 1",
        "1\xC2\xA0",  "\xC2\xB9", "1.\xC2\xB9", "1:2",       "1/2"})
    CHECK(fast(std::string(text) + behind).length == 0);
}

TEST_CASE("short decimal: nothing is read at the end of a text") {
  CHECK(fast("1.5").length == 0);
  CHECK(fast("123.4567,890,12").length == 0);
  CHECK(fast("123.4567,890,123").length == 8);
}

TEST_CASE("short decimal: random bytes are read as the library does or not") {
  std::mt19937_64 random(2);
  constexpr std::string_view bytes = "0123456789012345678900..--,;eE+ \n\xB1";
  std::uniform_int_distribution<std::size_t> which(0, bytes.size() - 1);
  int n_read = 0;
  for (int k = 0; k < 300000; ++k) {
    std::string text(24, ' ');
    for (char& c : text) c = bytes[which(random)];
    const Read got = fast(text);
    if (got.length == 0) continue;
    ++n_read;
    CAPTURE(text);
    REQUIRE(got.length == library(text).length);
    REQUIRE(got.bits == library(text).bits);
  }
  CHECK(n_read > 10000);
}
