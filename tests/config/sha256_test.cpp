// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/sha256.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("sha256: the value of the standard") {
  // FIPS 180-2, appendix B.1
  CHECK(sha256("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // the same, of many blocks
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: any length, of a text and of a file") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 1 << 19; ++i) text += static_cast<char>(i * 7 + i / 64);
  // Python's hashlib
  const std::vector<std::pair<std::size_t, std::string>> expected{
      {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
      {55, "576a1bf8d4478657e6dc4af9398544765c2a92cde28478b019235cfed315fc09"},
      {56, "9b20501dfd1d99161c257950f3444f3e49230c351c5c8e0943ef369f85f5205d"},
      {63, "30b345906b493f06f69444b6521113511c242f30e29840462950035043682f1e"},
      {64, "d8bc63b4fc1156e5e7d95a418b9bf54cd3174bedbc2db40f74895349b229b3c0"},
      {65, "480da1d144fd8387b206317a63d7e97552dfc887816faf41b336cdf1394064ab"},
      {128, "3521a19d9a7984ba3ac7ee3ace12ecfef007cbc1008a3ccd9fb9baf7a168eb8c"},
      {1000,
       "eef63ab082b12aab1c213064dcd6ea4b43b9a3d86d3952834cccc0556073133c"},
      {131071,
       "20543c7c0ac7228e76e34ae5f25b07e21af01509d632fc07d587c81bd39d608c"},
      {131072,
       "7d35137088c3f2143d2f26d893e1e7416f19ca34ee1783e9393b955f5ca5a66c"},
      {262221,
       "a1140db060cedf15579c4d1469c2334d1ca1ae6e216f84ef0a1cd594e5547f63"}};
  for (const auto& one : expected) {
    const auto& [n, digits] = one;
    CAPTURE(one.first);
    CHECK(sha256(std::string_view(text).substr(0, n)) == digits);
    CHECK(sha256_of_file(folder.write("x", text.substr(0, n))) == digits);
  }
  CHECK(sha256_of_file("/dev/null").empty());
}

}  // namespace gttf::test::GTTF_TEST_FILE
