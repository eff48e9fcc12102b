// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/sha256.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace gttf::test::GTTF_TEST_FILE {
namespace {

Document sample(const Document& value) {
  return Document().set("a", 1).set("list", Document::List{value, "text"});
}

}  // namespace

TEST_CASE("checksum: that of the content, however it is written") {
  const std::string one = checksum_of(sample(1));
  CHECK(one.size() == 64);
  CHECK(checksum_of(sample(1.0)) == one);
  CHECK(checksum_of(sample(0)) == checksum_of(sample(-0.0)));
  const std::int64_t large = std::int64_t{1} << 60;
  CHECK(checksum_of(sample(large)) ==
        checksum_of(sample(static_cast<double>(large))));
  CHECK(checksum_of(sample(std::numeric_limits<double>::infinity())) ==
        checksum_of(sample(Document())));
  CHECK(checksum_of(sample(1).set("provenance", "x").set("checksum", "y")) ==
        one);
}

TEST_CASE("checksum: every change is another one") {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  const std::vector<Document> values{1,
                                     2,
                                     1.0000000000000002,
                                     Document(),
                                     true,
                                     false,
                                     "",
                                     "1",
                                     "x",
                                     large,
                                     large + 1,
                                     Document::List{},
                                     Document(Document::Members{}),
                                     Document::List{1}};
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      CHECK(checksum_of(sample(values[i])) != checksum_of(sample(values[k])));
  CHECK(checksum_of(Document().set("ab", "c")) !=
        checksum_of(Document().set("a", "bc")));
  CHECK(checksum_of(Document::List{"a", "b"}) !=
        checksum_of(Document::List{"b", "a"}));
}

TEST_CASE("checksum: an error is reported") {
  const Document whole = with_checksum(sample(7));
  CHECK_FALSE(checksum_error(whole));
  CHECK(checksum_error(sample(7)) == "there is no \"checksum\"");
  Document changed = sample(8);
  changed.set("checksum", *whole.find("checksum"));
  CHECK(checksum_error(changed) ==
        "it was changed or damaged after it was written: the checksum differs");
}

}  // namespace gttf::test::GTTF_TEST_FILE
