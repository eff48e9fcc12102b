// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/diagnostics.hpp"

#include <doctest/doctest.h>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

Diagnostic fault(int line, int column) {
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
  CHECK(to_text(fault(14, 13)) ==
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
  std::string text = to_text(fault(14, 13), true);
  CHECK(text.find("\x1b[1;31merror") != std::string::npos);
  for (auto at = text.find('\x1b'); at != std::string::npos;
       at = text.find('\x1b'))
    text.erase(at, text.find('m', at) - at + 1);
  CHECK(text == to_text(fault(14, 13)));
}

TEST_CASE("to_text: the caret is below wide and combining characters") {
  Diagnostic d = fault(1, 4);
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
  Diagnostic d = fault(1, 1);
  d.path = "a\x1b[2J";
  d.suggestion = "b\x1b[2J";
  d.source_line = "\x1b[2J";
  CHECK(to_text(d).find('\x1b') == std::string::npos);
}

TEST_CASE("diagnostics: sorted by location, the same error kept once") {
  Diagnostics all;
  all.add(fault(20, 1));
  all.add(fault(3, 9));
  all.add(fault(3, 2));
  all.add(fault(3, 9));
  REQUIRE(all.items().size() == 3);
  CHECK(all.items()[0].column == 2);
  CHECK(all.items()[1].column == 9);
  CHECK(all.items()[2].line == 20);
  CHECK(all.has_errors());
  const InputError error(all);
  CHECK(std::string(error.what()) ==
        to_text(fault(3, 2)) + to_text(fault(3, 9)) + to_text(fault(20, 1)));
}

TEST_CASE("to_text: of a line of a megabyte the part around the caret") {
  constexpr int before = 1000000;
  Diagnostic d = fault(1, before + 1);
  d.path.clear();
  d.suggestion.clear();
  d.length = 3;
  d.source_line = std::string(before, 'x') + "abc" + std::string(before, 'y');
  const std::string text = to_text(d);
  CHECK(text.size() < 400);
  CHECK(text.find("...xxx") != text.npos);
  CHECK(text.find("xxxabcyyy") != text.npos);
  CHECK(text.find("^~~\n") != text.npos);
}

TEST_CASE("diagnostics: a long line with many errors is stored a few times") {
  Diagnostics all;
  for (int column = 1; column <= 2000; ++column) {
    Diagnostic d = fault(1, column);
    d.source_line = std::string(100000, 'x');
    all.add(std::move(d));
  }
  REQUIRE(all.items().size() == 2000);
  std::size_t stored = 0;
  for (const Diagnostic& d : all.items()) stored += d.source_line.size();
  CHECK(stored < 20'000'000);
  CHECK(all.items().front().source_line.size() == 100000);
}

TEST_CASE("diagnostics: warnings are not errors") {
  Diagnostics all;
  CHECK(all.empty());
  Diagnostic d = fault(1, 1);
  d.severity = Severity::warning;
  all.add(d);
  CHECK_FALSE(all.has_errors());
}

}  // namespace gttf::test::GTTF_TEST_FILE
