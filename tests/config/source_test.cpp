// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/source.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "gttf/config/text.hpp"
#include "support/folder.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

using test::contains;
using test::Folder;
using test::text_of;
namespace fs = std::filesystem;

namespace {

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

TEST_CASE("source: a missing file is reported with the nearest name") {
  const Folder folder;
  folder.write("barrel.yaml", "a: 1");
  const std::string wanted = folder / "barel.yaml";
  CHECK(answer(wanted) == wanted + ": error: no such file; did you mean \"" +
                              folder / "barrel.yaml" + "\"?\n");
  const std::string bare = folder / "barrel";
  CHECK(contains(answer(bare), "did you mean \"" + bare + ".yaml\"?"));
  CHECK(contains(answer(folder / "no/x.yaml"), "does not exist either"));
}

TEST_CASE("source: a directory is reported with a file in it") {
  const Folder folder;
  const std::string path = folder.path();
  CHECK(answer(path) ==
        path + ": error: is a directory, but a file is expected\n");
  const std::string file = folder.write("b.yaml", "a: 1");
  CHECK(contains(answer(path), "; for example " + file));
}

TEST_CASE("source: an unreadable file is reported with the reason") {
  const Folder folder;
  const std::string path = folder.write("secret.yaml", "a: 1");
  REQUIRE(chmod(path.c_str(), 0) == 0);
  if (geteuid() == 0) return;  // root reads everything
  CHECK(answer(path) == path + ": error: cannot be read: Permission denied\n");
}

TEST_CASE("source: a file used as a folder is reported with the reason") {
  const Folder folder;
  const std::string path = folder.write("file.yaml", "a: 1") + "/x.yaml";
  CHECK(contains(answer(path), "cannot be read: Not a directory"));
}

TEST_CASE("source: a 100 MB file is rejected by its size") {
  const Folder folder;
  const std::string path = folder.write("huge.yaml", "");
  fs::resize_file(path, 100'000'000);  // sparse: takes no space
  CHECK(answer(path) ==
        path +
            ": error: the text is too large: 100000000 bytes (100 MB), the "
            "limit is 4194304 bytes (4 MiB); use \"repeat\" for layers that "
            "are alike\n");
}

TEST_CASE("source: an endless stream is rejected after the limit") {
  if (!fs::exists("/dev/zero")) return;
  CHECK(contains(answer("/dev/zero"), "more than 4194304 bytes"));
}

TEST_CASE("source: the limit itself is still read") {
  const Folder folder;
  Diagnostics diagnostics;
  CHECK(read_source(folder.write("a.yaml", std::string(max_text_bytes, 'x')),
                    diagnostics));
  CHECK(diagnostics.empty());
  CHECK(contains(answer_to_text(std::string(max_text_bytes + 1, 'x')),
                 "too large"));
}

TEST_CASE("source: binary data is rejected with its location") {
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
  const Diagnostic d =
      source.at(7, 1);  // the 1 after the mark, two bytes, ": "
  CHECK(d.line == 1);
  CHECK(d.column == 4);
  CHECK(d.source_line == "\u00B5: 1");
  CHECK(source.at(10).line == 2);
  CHECK(source.at(1000).line == 2);
}

TEST_CASE(
    "source: columns in a long line are those of a count from its start") {
  std::string line = "first\n";
  for (int i = 0; i < 20000; ++i) line += i % 3 == 0 ? "\u6E2C" : "x";
  const Source source("f.yaml", line + "end\nlast");
  for (const std::size_t offset : {2100, 4096, 12345, 30000}) {
    std::size_t at = 6 + offset;
    while (detail::continues_character(line[at])) ++at;
    const Diagnostic d = source.at(at, 40000);
    CAPTURE(at);
    CHECK(d.line == 2);
    CHECK(d.column == 1 + static_cast<int>(detail::character_count(
                              std::string_view(line).substr(6, at - 6))));
    CHECK(d.cut + static_cast<int>(detail::character_count(d.source_line)) <=
          20003);
    CHECK(d.source_line.size() < 5000);
    CHECK(d.length > 500);
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
