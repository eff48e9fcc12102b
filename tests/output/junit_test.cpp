// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/ci_report.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::string junit(const TestReport& report) {
  std::ostringstream out;
  write_junit(out, report);
  return out.str();
}

TestReport two_suites() {
  TestReport report;
  report.name = "gate";
  report.cases.push_back({"A", "one", true, "", "", "r.yaml", 4, 5});
  report.cases.push_back({"A", "two <&>\"", false, "d0 is 4 um;\nrequired <= 3",
                          "likely cause: L0 & more\n", "a.yaml", 7, 15});
  report.cases.push_back({"B", "one", true, "", "", "r.yaml", 4, 5});
  return report;
}

/// Whether the program xmllint finds the text valid; -1: it is not there.
int lint(const std::string& text) {
  if (std::system("command -v xmllint > /dev/null 2>&1") != 0) return -1;
  const test::Folder folder;
  const std::string file = folder.write("report.xml", text);
  return std::system(("xmllint --noout --schema '" GTTF_SOURCE_DIR
                      "/tests/reference/junit/junit.xsd' '" +
                      file + "' > /dev/null 2>&1")
                         .c_str()) == 0;
}

}  // namespace

TEST_CASE("junit: suites, counts and failures are as the schema has them") {
  CHECK(junit(two_suites()) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"gate\" tests=\"3\" failures=\"1\" errors=\"0\">\n"
        "  <testsuite name=\"A\" tests=\"2\" failures=\"1\" errors=\"0\" "
        "skipped=\"0\">\n"
        "    <testcase name=\"one\" classname=\"A\"/>\n"
        "    <testcase name=\"two &lt;&amp;&gt;&quot;\" classname=\"A\">\n"
        "      <failure message=\"d0 is 4 um;&#10;required &lt;= 3\" "
        "type=\"requirement\">a.yaml:7:15\nlikely cause: L0 &amp; more\n"
        "</failure>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"B\" tests=\"1\" failures=\"0\" errors=\"0\" "
        "skipped=\"0\">\n"
        "    <testcase name=\"one\" classname=\"B\"/>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
}

TEST_CASE("junit: text that XML cannot hold is replaced, the rest is kept") {
  const auto text = [](std::string_view s) {
    return xml_escaped(s, XmlPlace::text);
  };
  CHECK(text("a\x01z\x1b[1m") == "a\uFFFDz\uFFFD[1m");
  CHECK(text("\xff\xfe") == "\uFFFD\uFFFD");
  CHECK(text("\uFFFE") == "\uFFFD");
  CHECK(text("\u00B5m \u2295") == "\u00B5m \u2295");
  CHECK(text("]]>") == "]]&gt;");
  CHECK(text("a\r\nb\tc") == "a&#13;\nb\tc");
  CHECK(xml_escaped("a\r\nb\tc", XmlPlace::attribute) == "a&#13;&#10;b&#9;c");
}

TEST_CASE("junit: the output validates against the schema") {
  if (lint("<testsuites/>") == -1) {
    MESSAGE("left out, needs xmllint");
    return;
  }
  CHECK(lint(junit(two_suites())) == 1);
  CHECK(lint(junit({"", {}})) == 1);
  TestReport odd = two_suites();
  odd.cases[1].message = "\x01\xff ]]> <!-- & --> \u2295";
  odd.cases[1].suite = "A\nB";
  CHECK(lint(junit(odd)) == 1);
  // the schema can reject
  CHECK(lint("<testsuites><testsuite name=\"A\"/></testsuites>") == 0);
  CHECK(lint("<testsuites><testcase/></testsuites>") == 0);
  CHECK(lint("<testsuites>") == 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
