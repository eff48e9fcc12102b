// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/document.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <new>
#include <string>

namespace {

// Allocations of this program until one fails; negative: none does.
thread_local long left_until_failure = -1;

}  // namespace

void* operator new(std::size_t size) {
  if (left_until_failure >= 0 && left_until_failure-- == 0)
    throw std::bad_alloc();
  if (void* p = std::malloc(size > 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("document: memory may run out at any moment of a copy") {
  const std::string text = "a text that is too long to be kept in place";
  Document inner;
  inner.set(text + " 1", text).set(text + " 2", 2.5);
  Document outer;
  outer.set("list", Document::List{inner, inner}).set(text, inner);
  long failures = 0;
  for (bool whole = false; !whole; ++failures) {
    left_until_failure = failures;
    try {
      const Document copy = outer;
      left_until_failure = -1;
      whole = copy.find(text)->find(text + " 2") != nullptr;
      REQUIRE(whole);
    } catch (const std::bad_alloc&) {
      left_until_failure = -1;
    }
  }
  CHECK(failures > 10);
}

}  // namespace gttf::test::GTTF_TEST_FILE
