// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/variant.hpp"

#include <doctest/doctest.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

namespace gttf::test::GTTF_TEST_FILE {
namespace {

/// Counts those that live; copies fail on demand.
struct Fragile {
  static inline int living = 0;
  static inline bool fails = false;

  explicit Fragile(int v) : value(v) { ++living; }
  Fragile(const Fragile& other) : value(other.value) {
    if (fails) throw std::bad_alloc();
    ++living;
  }
  Fragile(Fragile&& other) noexcept : value(other.value) { ++living; }
  Fragile& operator=(const Fragile&) = default;
  Fragile& operator=(Fragile&&) noexcept = default;
  ~Fragile() { --living; }
  int value;
};

}  // namespace

TEST_CASE("variant: a copy that fails destroys nothing that was not made") {
  using V = Variant<std::string, Fragile>;
  {
    const V first(Fragile(7));
    V second(std::string("second"));
    Fragile::fails = true;
    CHECK_THROWS_AS(V{first}, std::bad_alloc);
    CHECK(Fragile::living == 1);
    CHECK_THROWS_AS(second = first, std::bad_alloc);
    CHECK(std::get<std::string>(second) == "second");
    Fragile::fails = false;
    second = first;
    CHECK(std::get<Fragile>(second).value == 7);
    CHECK(Fragile::living == 2);
    const V third = std::move(second);
    CHECK(std::visit([](const auto& v) { return sizeof v; }, third) ==
          sizeof(Fragile));
  }
  CHECK(Fragile::living == 0);
}

TEST_CASE("variant: is constructible from its alternatives") {
  Variant<int, std::vector<int>> v;
  CHECK(std::get<int>(v) == 0);
  v = std::vector<int>{1, 2};
  auto copy = v;  // from one that is not const
  v = 3;
  CHECK(v.index() == 0);
  CHECK(std::get_if<std::vector<int>>(&copy)->size() == 2);
}

}  // namespace gttf::test::GTTF_TEST_FILE
