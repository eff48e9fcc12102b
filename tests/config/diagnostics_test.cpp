// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/diagnostics.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Diagnostic error_at(int line, int column) {
  Diagnostic d;
  d.file = "barrel.yaml";
  d.line = line;
  d.column = column;
  d.length = 2;
  d.path = "layers[3].radius";
  d.problem = "missing unit";
  d.suggestion = "add a unit, for example \"22 mm\"";
  d.source_line = "    radius: 22";
  return d;
}

}  // namespace

TEST_CASE("to_text: place, path, problem, line and caret with suggestion") {
  CHECK(to_text(error_at(14, 13)) ==
        "barrel.yaml:14:13: error: layers[3].radius: missing unit\n"
        "   14 |     radius: 22\n"
        "      |             ^~ add a unit, for example \"22 mm\"\n");
}

TEST_CASE("to_text: an error without a place is one line") {
  Diagnostic d;
  d.file = "x.yaml";
  d.problem = "no such file";
  CHECK(to_text(d) == "x.yaml: error: no such file\n");
  d.suggestion = "did you mean \"y.yaml\"?";
  d.severity = Severity::warning;
  CHECK(to_text(d) ==
        "x.yaml: warning: no such file; did you mean \"y.yaml\"?\n");
}

TEST_CASE("to_text: an option shows its text without a line number") {
  Diagnostic d;
  d.file = "--p";
  d.problem = "missing unit";
  d.column = 3;
  d.source_line = "1:2";
  CHECK(to_text(d) == "--p: error: missing unit\n      | 1:2\n      |   ^\n");
}

TEST_CASE("to_text: colours change nothing but colours") {
  std::string text = to_text(error_at(14, 13), true);
  CHECK(text.find("\x1b[1;31merror") != std::string::npos);
  for (auto at = text.find('\x1b'); at != std::string::npos;
       at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  CHECK(text == to_text(error_at(14, 13)));
}

TEST_CASE("to_text: the caret is below wide and combining characters") {
  Diagnostic d = error_at(1, 4);
  d.path.clear();
  d.suggestion.clear();
  d.length = 1;
  d.source_line = "\u6E2C\u5B9A x";  // two wide characters, a space, x
  CHECK(to_text(d) ==
        "barrel.yaml:1:4: error: missing unit\n"
        "    1 | \u6E2C\u5B9A x\n"
        "      |      ^\n");
  d.source_line = "e\u0301: x";
  d.column = 5;
  CHECK(to_text(d) ==
        "barrel.yaml:1:5: error: missing unit\n"
        "    1 | e\u0301: x\n"
        "      |    ^\n");
}

TEST_CASE("to_text: escape sequences in a file are not passed on") {
  Diagnostic d = error_at(1, 1);
  d.path = "a\x1b[2J";
  d.suggestion = "b\x1b[2J";
  d.source_line = "\x1b[2J";
  CHECK(to_text(d).find('\x1b') == std::string::npos);
}

TEST_CASE("diagnostics: sorted by location, the same error kept once") {
  Diagnostics all;
  all.add(error_at(20, 1));
  all.add(error_at(3, 9));
  all.add(error_at(3, 2));
  all.add(error_at(3, 9));
  REQUIRE(all.items().size() == 3);
  CHECK(all.items()[0].column == 2);
  CHECK(all.items()[1].column == 9);
  CHECK(all.items()[2].line == 20);
  CHECK(all.has_errors());
  const InputError error(all);
  CHECK(std::string(error.what()) == to_text(error_at(3, 2)) +
                                         to_text(error_at(3, 9)) +
                                         to_text(error_at(20, 1)));
}

TEST_CASE("to_text: of a line of a megabyte the part around the caret") {
  constexpr int before = 1000000;
  Diagnostic d = error_at(1, before + 1);
  d.path.clear();
  d.suggestion.clear();
  d.length = 3;
  d.set_source_line(std::string(before, 'x') + "abc" + std::string(before, 'y'),
                    before);
  CHECK(d.source_line.size() < 10000);
  const std::string text = to_text(d);
  CHECK(text.size() < 400);
  CHECK(text.find("...xxx") != text.npos);
  CHECK(text.find("xxxabcyyy") != text.npos);
  CHECK(text.find("^~~\n") != text.npos);
}

TEST_CASE("diagnostics: the caret is right where a character is cut") {
  // U+00B5 has two bytes: any number of bytes before the caret cuts one
  for (const int shift : {0, 1}) {
    std::string line(static_cast<std::size_t>(shift), 'x');
    for (int i = 0; i < 3000; ++i) line += "\u00B5";
    Diagnostic d = error_at(1, 3001 + shift);
    d.set_source_line(line + "error", line.size());
    const std::string text = to_text(d);
    CHECK(text.find("\uFFFD") == text.npos);
    const auto second = text.find('\n') + 1,
               third = text.find('\n', second) + 1;
    // columns, not bytes
    std::string row = text.substr(second, third - second);
    for (auto at = row.find("\u00B5"); at != row.npos; at = row.find("\u00B5"))
      row.replace(at, 2, "u");
    CHECK(row.find("error") == text.find('^') - third);
  }
}

TEST_CASE("diagnostics: the first 100 errors are listed, the rest counted") {
  Diagnostics all;
  for (int line = 1000; line > 0; --line) {
    all.add(error_at(line, 1));
    Diagnostic warning = error_at(line, 2);
    warning.severity = Severity::warning;
    if (line <= 101) all.add(warning);
  }
  Diagnostic other = error_at(1, 1);
  other.file = "other.yaml";
  all.add(other);
  REQUIRE(all.items().size() == 203);
  CHECK(all.count(Severity::error) == 1001);
  CHECK(all.count(Severity::warning) == 101);
  CHECK(all.items()[199].line == 100);
  CHECK(all.items()[202].file == "other.yaml");
  std::string text;
  for (const Diagnostic& d : all.items()) text += to_text(d);
  CHECK(text.find("\nbarrel.yaml: error: 900 more errors, not listed\n") !=
        text.npos);
  CHECK(text.find("\nbarrel.yaml: warning: 1 more warning, not listed\n") !=
        text.npos);
  // the same if lists are joined
  Diagnostics joined;
  for (int part = 0; part < 2; ++part) {
    Diagnostics half;
    for (int line = 1; line <= 150; ++line)
      half.add(error_at(2 * line + part, 1));
    joined.add(half);
  }
  CHECK(joined.items().size() == 101);
  CHECK(joined.count(Severity::error) == 300);
}

TEST_CASE("diagnostics: warnings are not errors") {
  Diagnostics all;
  CHECK(all.empty());
  Diagnostic d = error_at(1, 1);
  d.severity = Severity::warning;
  all.add(d);
  CHECK_FALSE(all.has_errors());
}

}  // namespace gttf::test::GTTF_TEST_FILE
