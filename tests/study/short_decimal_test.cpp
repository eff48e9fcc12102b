// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/line_cells.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

#if defined(__SSE2__)
constexpr bool there = true;
#else
constexpr bool there = false;
#endif

/// Of `text`, after other digits and points; NaN: rejected.
double read(const std::string& text, std::size_t decimals) {
  const std::string all = "7.7.9999,-1.5678" + text;
  double value = 0;
  const bool good = detail::read_short_decimal(all.data() + all.size(),
                                               text.size(), decimals, value);
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

bool refused(const std::string& text, std::size_t decimals) {
  return std::isnan(read(text, decimals));
}

}  // namespace

TEST_CASE("short decimal: the same double as std::from_chars") {
  if (!there) return;
  std::mt19937_64 random(7);
  const auto digit = [&] { return static_cast<char>('0' + random() % 10); };
  for (std::size_t whole = 1; whole <= 14; ++whole)
    for (std::size_t decimals = 0; whole + decimals <= 15; ++decimals)
      for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (std::size_t k = 0; k < whole; ++k) text += digit();
        text += '.';
        for (std::size_t k = 0; k < decimals; ++k) text += digit();
        if (i == 0) text.replace(0, whole, whole, '0');
        if (i == 1)
          for (char& c : text) c = c == '.' ? '.' : '9';
        double expected = 0;
        std::from_chars(text.data(), text.data() + text.size(), expected);
        const double value = read(text, decimals);
        if (std::bit_cast<std::uint64_t>(value) !=
            std::bit_cast<std::uint64_t>(expected))
          FAIL(text, ": ", value);
      }
}

TEST_CASE("short decimal: other texts are rejected") {
  CHECK(refused("", 0));
  CHECK(refused("5", 0));
  CHECK(refused(".", 0));
  CHECK(refused(".5", 1));
  CHECK(refused("1.5", std::string::npos));  // no point in the cell
  CHECK(refused("1234567890.123456", 6));    // 16 digits
  CHECK(refused("12345678901234567.5", 1));  // longer than 16 characters
  for (const char c : {'/', ':', '-', '+', 'e', '.', ' ', '\0', '\xff', 'x'})
    for (const std::size_t at : {0u, 1u, 3u, 5u}) {
      std::string text = "12.345";
      text[at] = c;
      CAPTURE(text);
      CHECK(refused(text, 3));
    }
}

}  // namespace gttf::test::GTTF_TEST_FILE
