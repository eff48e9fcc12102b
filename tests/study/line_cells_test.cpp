// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/hits/line_cells.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace gttf::test::GTTF_TEST_FILE {

using namespace gttf::detail;

namespace {

/// Where the cells of a line begin, and one past its end; empty: rejected.
template <class Cells>
std::vector<std::ptrdiff_t> begins(const std::string& text, std::size_t from,
                                   char separator, std::size_t count) {
  std::array<const char*, 20> all{};
  const Cells cells(text.data() + from, text.data() + text.size(), separator);
  if (!cells.find(count, all.data())) return {};
  std::vector<std::ptrdiff_t> result;
  for (std::size_t i = 0; i <= count; ++i)
    result.push_back(all[i] - text.data());
  return result;
}

using Begins = std::vector<std::ptrdiff_t>;

}  // namespace

TEST_CASE("line cells: begin behind separators, and the line ends") {
  const std::string text = "17,L0,1.5,,3\n18,L0";
  CHECK(begins<SearchedCells>(text, 0, ',', 5) == Begins{0, 3, 6, 10, 11, 13});
  CHECK(begins<SearchedCells>(text, 13, ',', 2) == Begins{13, 16, 19});
  CHECK(begins<SearchedCells>(text, 0, ',', 4).empty());
  CHECK(begins<SearchedCells>(text, 0, ',', 6).empty());
  CHECK(begins<SearchedCells>("1\t2\r\n", 0, '\t', 2) == Begins{0, 2, 4});
}

TEST_CASE("line cells: a number fills its cell, and begins with a digit") {
  const auto read = [](const std::string& text, double& value) {
    return read_plain_number(text.data(), text.data() + text.size(), value);
  };
  double value = 0;
  CHECK(read("-12.5", value));
  CHECK(value == -12.5);
  CHECK(read("1e2", value));
  CHECK(value == 100);
  for (const char* text :
       {"", "-", ".5", "+1", "nan", "inf", "1 ", "1,2", "--1"})
    CHECK_FALSE(read(text, value));
}

#if defined(__SSE2__)

TEST_CASE("line cells: found at once as found one after the other") {
  std::mt19937_64 random(11);
  constexpr std::string_view characters = "0123456789.,;\t- \"\r\n\x7f\x80\xff";
  std::size_t found = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    const std::size_t usual = i % 2 == 0 ? 11 : characters.size();
    while (text.size() < 70) {
      text += characters[random() % usual];
      if (random() % 6 == 0) text += ",;\t"[i % 3];
      if (random() % 40 == 0) text += '\n';
    }
    const char separator = ",;\t"[i % 3];
    const std::size_t count = 1 + random() % 8;
    const Begins one = begins<SearchedCells>(text, 0, separator, count);
    const Begins all = begins<MarkedCells>(text, 0, separator, count);
    if (one.empty() || one.back() <= 64) {
      if (one != all) FAIL(text);
      found += one.empty() ? 0 : 1;
    } else {
      CHECK(all.empty());
    }
  }
  CHECK(found > 10000);
}

TEST_CASE("line cells: numbers are read the same either way") {
  const std::string before(MarkedCells::before, '9');
  for (const std::string number :
       {"0.0", "-0.0", "-19.90767", "123456.789", "1", "-1", "17e3", "1.5e-3",
        "12345678901234567.25", "0.12345678901234567890", "-.5", "1.", ".",
        "1.2.3", "", "-", "nan", "99999999999999.9"}) {
    const std::string text =
        before + "1.5," + number + ",2.5\n" + std::string(64, '8');
    const char* const line = text.data() + before.size();
    const MarkedCells cells(line, nullptr, ',');
    const char* const begin = line + 4;
    const char* const end = begin + number.size();
    double a = 1, b = 1;
    CAPTURE(number);
    CHECK(cells.read_number(begin, end, a) == read_plain_number(begin, end, b));
    if (read_plain_number(begin, end, b)) {
      CHECK(std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b));
    }
  }
}

#endif

}  // namespace gttf::test::GTTF_TEST_FILE
