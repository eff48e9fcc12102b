// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/source.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "support/reported.hpp"

using namespace gttf;
using test::contains;
using test::text_of;
namespace fs = std::filesystem;

namespace {

/// A folder that is removed again.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gttf-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string answer(const std::string& path) {
  Diagnostics diagnostics;
  CHECK(read_source(path, diagnostics) == nullptr);
  return text_of(diagnostics);
}

std::string answer_to_text(const std::string& text) {
  Diagnostics diagnostics;
  CHECK_FALSE(check_text(Source("f.yaml", text), diagnostics));
  return text_of(diagnostics);
}

}  // namespace

TEST_CASE("source: a missing file is answered with the nearest name") {
  const Folder folder;
  folder.file("barrel.yaml", "a: 1");
  const std::string wanted = (folder.path() / "barel.yaml").string();
  CHECK(answer(wanted) == wanted + ": error: no such file; did you mean \"" +
                              (folder.path() / "barrel.yaml").string() +
                              "\"?\n");
  const std::string bare = (folder.path() / "barrel").string();
  CHECK(contains(answer(bare), "did you mean \"" + bare + ".yaml\"?"));
  CHECK(contains(answer((folder.path() / "no/x.yaml").string()),
                 "there is no folder"));
}

TEST_CASE("source: a directory is answered with a file in it") {
  const Folder folder;
  const std::string path = folder.path().string();
  CHECK(answer(path) == path + ": error: is a directory, a file is expected\n");
  const std::string file = folder.file("b.yaml", "a: 1");
  CHECK(contains(answer(path), "; for example " + file));
}

TEST_CASE("source: an unreadable file says why") {
  const Folder folder;
  const std::string path = folder.file("secret.yaml", "a: 1");
  REQUIRE(chmod(path.c_str(), 0) == 0);
  if (geteuid() == 0) return;  // root reads everything
  CHECK(answer(path) == path + ": error: cannot be read: Permission denied\n");
}

TEST_CASE("source: a folder in place of a file on the way says why") {
  const Folder folder;
  const std::string path = folder.file("file.yaml", "a: 1") + "/x.yaml";
  CHECK(contains(answer(path), "cannot be read: Not a directory"));
}

TEST_CASE("source: a 100 MB file is refused by its size") {
  const Folder folder;
  const std::string path = folder.file("huge.yaml", "");
  fs::resize_file(path, 100'000'000);  // sparse: takes no room
  CHECK(answer(path) ==
        path +
            ": error: the text is too large: 100000000 bytes (100 MB), the "
            "limit is 1048576 bytes (1 MiB); use \"repeat\" for layers that "
            "are alike\n");
}

TEST_CASE("source: an endless stream is refused after the limit") {
  if (!fs::exists("/dev/zero")) return;
  CHECK(contains(answer("/dev/zero"), "more than 1048576 bytes"));
}

TEST_CASE("source: the limit itself is still read") {
  const Folder folder;
  Diagnostics diagnostics;
  CHECK(read_source(folder.file("a.yaml", std::string(max_text_bytes, 'x')),
                    diagnostics));
  CHECK(diagnostics.empty());
  CHECK(contains(answer_to_text(std::string(max_text_bytes + 1, 'x')),
                 "too large"));
}

TEST_CASE("source: binary data is refused with its place") {
  using namespace std::string_literals;
  CHECK(answer_to_text("a: 1\nb: \0"s) ==
        "f.yaml:2:4: error: this is not a text: control character 0x00 at byte "
        "9, line 2; give a YAML file\n");
  CHECK(contains(answer_to_text("\x7F"
                                "ELF\x02"),
                 "0x7f at byte 1, line 1"));
  CHECK(contains(answer_to_text("a\rb\r"), "carriage return"));
}

TEST_CASE("source: text that is not UTF-8 is refused with its place") {
  CHECK(answer_to_text("a: 1\nb: caf\xE9\n") ==
        "f.yaml:2:7: error: the text is not UTF-8: 0xe9 at byte 12, line 2; "
        "save the file as UTF-8\n");
  CHECK(contains(answer_to_text("\xFF\xFE"
                                "a"),
                 "UTF-16"));
}

TEST_CASE("source: columns count characters, a byte order mark does not") {
  const Source source("f.yaml", "\xEF\xBB\xBF\u00B5: 1\r\nb: 2\r\n");
  const Diagnostic d = source.at(7, 1);  // the 1 behind mark, two bytes, ": "
  CHECK(d.line == 1);
  CHECK(d.column == 4);
  CHECK(d.source_line == "\u00B5: 1");
  CHECK(source.at(10).line == 2);
  CHECK(source.at(1000).line == 2);
}

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
  for (const auto& [n, digits] : expected) {
    const auto bytes = n;  // clang 14 captures no binding
    CAPTURE(bytes);
    CHECK(sha256(std::string_view(text).substr(0, n)) == digits);
    CHECK(sha256_of_file(folder.file("x", text.substr(0, n))) == digits);
  }
  CHECK(sha256_of_file("/dev/null").empty());
}
