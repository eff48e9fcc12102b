// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/text.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <sstream>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::string markdown(const Table& table, TableStyle style = {}) {
  std::ostringstream out;
  MarkdownWriter writer(out, std::move(style));
  writer.write(table);
  writer.finish();
  return out.str();
}

}  // namespace

TEST_CASE("markdown: a pipe table, numbers to the right") {
  Table table;
  table.add("detector", Texts{"A", ""});
  table.add("sigma_pt_rel",
            Reals{0.012345, std::numeric_limits<double>::quiet_NaN()});
  table.add("n", Integers{1, 22});
  CHECK(markdown(table) ==
        "| detector | sigma(pt) [%] |   n |\n"
        "| -------- | ------------: | --: |\n"
        "| A        |          1.23 |   1 |\n"
        "| -        |             - |  22 |\n");
}

TEST_CASE("markdown: markup in cells is only text") {
  Table table;
  table.add("name", Texts{"a|b", "*x*", "<b>", "two\nlines"});
  CHECK(markdown(table) ==
        "| name         |\n"
        "| ------------ |\n"
        "| a\\|b         |\n"
        "| \\*x\\*        |\n"
        "| &lt;b>       |\n"
        "| two<br>lines |\n");
}

TEST_CASE("markdown: provenance is a comment that nothing in it can end") {
  Table table;
  table.add("x", Integers{1});
  TableStyle style;
  style.provenance = Provenance{};
  style.provenance->version = "1";
  style.provenance->command_line = "gttf-design '-->'";
  CHECK(markdown(table, style)
            .starts_with("<!--\ngttf-design 1\ncommand: gttf-design "
                         "'--&gt;'\n-->\n\n|   x |\n"));
}

TEST_CASE("markdown: a summary has headings, lists and tables") {
  Summary summary;
  summary.title = "Title";
  Section section{"Part", {{"field", "2 T"}}, {}, 0};
  section.table.add("n", Integers{1});
  summary.sections.push_back(section);
  std::ostringstream out;
  write_markdown(out, summary, {});
  CHECK(out.str() ==
        "# Title\n\n## Part\n\n- field: 2 T\n\n|   n |\n| --: |\n|   1 |\n");
}

}  // namespace gttf::test::GTTF_TEST_FILE
