// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/text.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <sstream>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string text(const Table& table, TableStyle style = {}) {
  std::ostringstream out;
  TextWriter writer(out, std::move(style));
  writer.write(table);
  writer.finish();
  return out.str();
}

Table example() {
  Table table;
  table.add("detector", Texts{"A", "long name"});
  table.add("p_GeV", Reals{0.1, 10});
  table.add("sigma_pt_rel", Reals{0.012345, none});
  table.add("status", Texts{"ok", "too few hits"});
  return table;
}

}  // namespace

TEST_CASE("text: aligned under headings above a rule") {
  CHECK(text(example()) ==
        "                  sigma\n"
        "               p     pt\n"
        "detector   [GeV]    [%]  status\n"
        "---------  -----  -----  ------------\n"
        "A            0.1   1.23  ok\n"
        "long name     10      -  too few hits\n");
}

TEST_CASE("text: a ratio near 1 has as many decimals above as below") {
  Table table;
  table.add("B_ratio_d0", Reals{1.0041, 0.99612, 1, 0.67, 12.345});
  const std::string shown = text(table);
  for (const char* number :
       {"1.004\n", "0.996\n", "1.000\n", "0.670\n", "12.35\n"}) {
    INFO(number);
    CHECK(shown.find(number) != std::string::npos);
  }
}

TEST_CASE("text: precision counts significant digits") {
  TableStyle style;
  style.precision = 5;
  style.columns = {"sigma_pt_rel"};
  CHECK(text(example(), style) ==
        " sigma\n"
        "    pt\n"
        "   [%]\n"
        "------\n"
        "1.2345\n"
        "     -\n");
}

TEST_CASE("text: title and provenance come first") {
  TableStyle style;
  style.columns = {"status"};
  style.title = "A title";
  style.provenance = Provenance{};
  style.provenance->version = "1";
  CHECK(text(example(), style)
            .starts_with("# gttf-design 1\n# command: \nA title\n\nstatus\n"));
}

TEST_CASE("text: colour is for headings, and only on request") {
  TableStyle style;
  style.columns = {"status"};
  CHECK(text(example(), style).find('\033') == std::string::npos);
  style.colour = true;
  CHECK(text(example(), style).starts_with("\033[1mstatus\033[0m\n"));
}

TEST_CASE("text: a cell stays in its line") {
  Table table;
  table.add("name", Texts{"two\nlines", "tab\there"});
  CHECK(text(table) == "name\n---------\ntwo lines\ntab here\n");
}

TEST_CASE("text: letters beyond ASCII count once") {
  Table table;
  table.add("name", Texts{"\u00b5\u00b5\u00b5", "abcd"});
  table.add("n", Integers{1, 2});
  CHECK(text(table) == "name  n\n----  -\n\u00b5\u00b5\u00b5   1\nabcd  2\n");
}

TEST_CASE("text: rows far down are not kept back, and wide ones are whole") {
  std::ostringstream out;
  TextWriter writer(out, {});
  Table block;
  block.add("name", Texts(1000, "x"));
  writer.write(block);
  block.columns.clear();
  block.add("name", Texts{"much wider than before"});
  writer.write(block);
  writer.finish();
  CHECK(out.str().ends_with("x\nmuch wider than before\n"));
}

TEST_CASE("text: a summary has headings, facts and tables") {
  Summary summary;
  summary.title = "Title";
  summary.sections.push_back({"", {{"a", "1"}, {"long", "2"}}, {}});
  Section section{"Second", {}, {}, 4};
  section.table.add("x_mm", Reals{1.23456});
  summary.sections.push_back(section);
  std::ostringstream out;
  write_text(out, summary, {});
  CHECK(out.str() ==
        "Title\n"
        "  a     1\n"
        "  long  2\n"
        "\n"
        "Second\n"
        "    x\n"
        " [mm]\n"
        "-----\n"
        "1.235\n");
}

}  // namespace gttf::test::GTTF_TEST_FILE
