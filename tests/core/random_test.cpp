// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/random.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "gttf/core/random_words.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

using Words = std::array<std::uint64_t, 4>;
__extension__ using Wide = unsigned __int128;

/// Philox4x64-10 as its paper describes it, [Salmon11] section 3.3.
Words philox(Words counter, std::array<std::uint64_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const Wide first = Wide{0xD2E7470EE14C6C93} * counter[0];
    const Wide second = Wide{0xCA5A826395121157} * counter[2];
    counter = {static_cast<std::uint64_t>(second >> 64) ^ counter[1] ^ key[0],
               static_cast<std::uint64_t>(second),
               static_cast<std::uint64_t>(first >> 64) ^ counter[3] ^ key[1],
               static_cast<std::uint64_t>(first)};
    key[0] += 0x9E3779B97F4A7C15;
    key[1] += 0xBB67AE8584CAA73B;
  }
  return counter;
}

TEST_CASE("philox: the published test vectors") {
  // kat_vectors of Random123
  CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
        Words{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
              0x7e68b68aec7ba23b});
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) ==
        Words{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6,
              0xa09caebf594f0ba0});
  CHECK(philox({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
                0x082efa98ec4e6c89},
               {0x452821e638d01377, 0xbe5466cf34e90c6c}) ==
        Words{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5,
              0x57bd43b5e52b7fe6});
}

TEST_CASE("random: a block is Philox of seed, stream, index and block") {
  CHECK(random_block({0, 0, 0}, 0) == philox({0, 0, 0, 0}, {0, 0}));
  const RandomPlace place{0x0123456789abcdef, 42, 0xfedcba9876543210};
  for (const std::uint64_t block : {0u, 1u, 7u})
    CHECK(random_block(place, block) ==
          philox({place.index, block, 0, 0}, {place.seed, place.stream}));
}

TEST_CASE("random: a branch has the blocks of its own number") {
  const RandomPlace place{5, 6, 7};
  RandomBranch branch(place, 3);
  for (const std::uint64_t block : {0u, 1u, 2u})
    for (const std::uint64_t word :
         philox({place.index, block, 3, 0}, {place.seed, place.stream}))
      CHECK(branch.uniform() == detail::Uniform<double>::of(&word));
  double mean = 0, square = 0;
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) {
    const double x = branch.normal();
    mean += x / n;
    square += x * x / n;
  }
  // five standard errors
  CHECK(std::abs(mean) < 0.036);
  CHECK(std::abs(square - 1) < 0.05);
}

TEST_CASE("random: a longer sequence begins with the shorter one") {
  const RandomPlace place{1, 2, 3};
  std::vector<double> all(23);
  fill_normals(place, all);
  for (std::size_t n = 0; n <= all.size(); ++n) {
    std::vector<double> some(n);
    fill_normals(place, some);
    CHECK(std::equal(some.begin(), some.end(), all.begin()));
  }
}

// Errors of the moments of n normal numbers: 1/sqrt(n) times 1, sqrt(2),
// sqrt(15), sqrt(96). The seed is fixed; by chance, 5 sigma would fail once in
// 1.7 million.
TEST_CASE("random: the numbers are standard normal") {
  const std::size_t toys = 100000, each = 10;
  std::array<double, 4> sum{};
  double largest = 0;
  std::vector<double> x(each);
  for (std::uint64_t i = 0; i < toys; ++i) {
    fill_normals({5, 0, i}, x);
    for (const double v : x) {
      sum[0] += v;
      sum[1] += v * v;
      sum[2] += v * v * v;
      sum[3] += v * v * v * v;
      largest = std::max(largest, std::abs(v));
    }
  }
  const double n = static_cast<double>(toys * each), limit = 5 / std::sqrt(n);
  CHECK(std::abs(sum[0] / n) < limit);
  CHECK(std::abs(sum[1] / n - 1) < limit * std::sqrt(2));
  CHECK(std::abs(sum[2] / n) < limit * std::sqrt(15));
  CHECK(std::abs(sum[3] / n - 3) < limit * std::sqrt(96));
  CHECK(largest > 4.3);  // of a million: 4.9 +- 0.2
  CHECK(largest < 8.6);
}

TEST_CASE("random: neighbours in every direction are independent") {
  const int n = 100000;
  std::array<double, 5> sum{};
  std::vector<double> here(4), other(4);
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    fill_normals({9, 3, index}, here);
    sum[0] += here[0] * here[1];
    sum[1] += here[1] * here[2];
    fill_normals({9, 3, index + 1}, other);
    sum[2] += here[0] * other[0];
    fill_normals({9, 4, index}, other);
    sum[3] += here[0] * other[0];
    fill_normals({10, 3, index}, other);
    sum[4] += here[0] * other[0];
  }
  for (const double s : sum) CHECK(std::abs(s) < 5 * std::sqrt(n));
}

TEST_CASE("random: words of many positions give the normal numbers of each") {
  constexpr std::size_t places = 3, words = 6;
  std::vector<std::uint64_t> bits(places * words);
  fill_random_words({4, 7, 20}, places, bits);
  std::vector<double> numbers(words);
  for (std::size_t k = 0; k < places; ++k) {
    fill_normals({4, 7, 20 + k}, numbers);
    for (std::size_t w = 0; w < words; w += 2) {
      const auto pair = detail::normal_pair<double>(
          &bits[w * places + k], &bits[(w + 1) * places + k]);
      CHECK(pair.first == numbers[w]);
      CHECK(pair.second == numbers[w + 1]);
    }
  }
}

}  // namespace
}  // namespace gttf::test::GTTF_TEST_FILE
