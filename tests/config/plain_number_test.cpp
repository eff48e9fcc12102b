// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/plain_number.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>
#include <system_error>

using gttf::read_plain_number;

namespace {

/// Reads `text` with `behind` following it; how many characters were read, -1:
/// it was refused. What is read is what std::from_chars reads, to the bit.
std::ptrdiff_t length_read(const std::string& text,
                           const std::string& behind = "") {
  CAPTURE(text);
  const std::string all = text + behind;
  const char *const first = all.data(), *const end = first + all.size();
  double value = 0, expected = 0;
  const char* const last = read_plain_number(first, end, value);
  if (last == nullptr) return -1;
  const auto [ptr, error] = std::from_chars(first, end, expected);
  CHECK(error == std::errc());
  CHECK(ptr == last);
  CHECK(std::bit_cast<std::uint64_t>(value) ==
        std::bit_cast<std::uint64_t>(expected));
  return last - first;
}

}  // namespace

TEST_CASE("plain number: the nearest double, as std::from_chars has it") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto digits = [&](std::uint64_t most) {
      std::string text;
      for (std::uint64_t n = 1 + random() % most; n > 0; --n)
        text += static_cast<char>('0' + random() % 10);
      return text;
    };
    std::string text = random() % 2 == 0 ? "-" : "";
    text += digits(i % 3 == 0 ? 20 : 5);
    if (random() % 4 != 0) text += '.' + digits(i % 5 == 0 ? 25 : 9);
    if (random() % 8 == 0)
      text += "e" + std::to_string(static_cast<int>(random() % 41) - 20);
    CHECK(length_read(text, random() % 2 == 0 ? ",12.5,3\n" : "") ==
          static_cast<std::ptrdiff_t>(text.size()));
  }
}

TEST_CASE("plain number: ends where the digits end") {
  for (const char* text :
       {"0", "-0", "-0.0", "1.5", "12345678", "123456789", "1234567.12345678",
        "00000000000000000001.5", "9007199254740993", "0.1", "1e5", "1.25E-3",
        "4.9406564584124654e-324"})
    for (const char* behind : {"", ",", "\n", " ", ";7", "\t8", "/", ":", "x"})
      CHECK(length_read(text, behind) ==
            static_cast<std::ptrdiff_t>(std::string(text).size()));
}

TEST_CASE("plain number: what is written in another way is refused") {
  for (const char* text : {"", "-", "+1", " 1", ".5", "5.", "5.,", "nan", "inf",
                           "-inf", "abc", "1e999", "1e-999", "--1", ",1"})
    CHECK(length_read(text) == -1);
}
