// SPDX-License-Identifier: Apache-2.0
// Names with any content have no effect on a terminal or a page, and every
// parser restores them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gttf/config/csv_reader.hpp"
#include "gttf/config/diagnostics.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/rich_text.hpp"
#include "gttf/output/ci_report.hpp"
#include "gttf/output/csv.hpp"
#include "gttf/output/html.hpp"
#include "gttf/output/json.hpp"
#include "gttf/output/text.hpp"
#include "support/folder.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xE0 | c >> 12);
    } else {
      put(0xF0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3F));
    }
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

/// Names of all that may hurt, and of any other characters.
std::vector<std::string> names() {
  std::vector<std::string> all{"]]>",
                               "-->",
                               "</script><b>",
                               "\"'`$(x){}[]",
                               "a\\nb\\x1b\\u009b\\\\",
                               "::error::",
                               "%0A%",
                               "[a](javascript:b)",
                               "# x",
                               "*x* _y_ |z|",
                               "\x1b]0;title\x07",
                               "=1+1",
                               "&lt;",
                               " a "};
  std::mt19937 random(20270131);
  const std::vector<char32_t> hurting{
      '\n',   '\r',     '\t',   0x1B, 0x7F,   0x9B,   0x9D,   0x202E, 0x2066,
      0x2028, '"',      '\'',   '<',  '&',    '\\',   '{',    '}',    '[',
      ']',    '$',      ';',    ',',  '|',    '%',    ':',    '#',    '`',
      0xFFFE, 0x10FFFF, 0xFEFF, 0xAD, 0x200B, 0x2060, 0xE0041};
  for (int n = 0; n < 400; ++n) {
    std::string name = "n";
    for (int k = 0; k < 12; ++k) {
      char32_t c = hurting[random() % hurting.size()];
      if (k % 3 == 1) c = static_cast<char32_t>(1 + random() % 0x2FF);
      if (k % 3 == 2) c = static_cast<char32_t>(1 + random() % 0x1FFFF);
      if (c >= 0xD800 && c < 0xE000) c = 'x';
      append_utf8(name, c);
    }
    all.push_back(name + "e");
  }
  for (char32_t c = 1; c < 0xA0; ++c) append_utf8(all.emplace_back("n"), c);
  return all;
}

/// The first character of `text` that must not reach a terminal.
std::string first_invisible(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    if (!c.valid) return "no UTF-8";
    if (c.code != '\n' && c.code != '\t' && detail::is_invisible(c.code))
      return std::to_string(static_cast<unsigned>(c.code));
    i += c.bytes;
  }
  return "";
}

Table table_of(const std::string& name) {
  Table table;
  table.add("name", Texts{name, "next"});
  table.add("n", Integers{1, 2});
  return table;
}

template <class Writer>
std::string written(const Table& table) {
  std::ostringstream out;
  Writer writer(out, {});
  writer.write(table);
  writer.finish();
  return out.str();
}

}  // namespace

TEST_CASE("borders: no control character passes a writer for readers") {
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Table table = table_of(name);
    const auto lines = [](const std::string& text) {
      return std::count(text.begin(), text.end(), '\n');
    };
    const std::string text = written<TextWriter>(table);
    CHECK(first_invisible(text) == "");
    CHECK(lines(text) == 4);
    const std::string markdown = written<MarkdownWriter>(table);
    CHECK(first_invisible(markdown) == "");
    CHECK(lines(markdown) == 4);
    const std::string csv = written<CsvWriter>(table);
    CHECK(first_invisible(csv) == "");
    CHECK(lines(csv) == 3);
    CHECK(first_invisible(written<JsonWriter>(table)) == "");
    CHECK(first_invisible(visible(name)) == "");
    CHECK(first_invisible(visible_lines(name)) == "");
    CHECK(first_invisible(in_quotes(name)) == "");

    Diagnostic d;
    d.file = d.path = d.problem = d.suggestion = d.source_line = name;
    d.line = d.column = 1;
    CHECK(first_invisible(to_text(d)) == "");
    Diagnostics all;
    all.add(d);
    std::ostringstream github;
    write_github(github, all);
    CHECK(first_invisible(github.str()) == "");
    CHECK(lines(github.str()) == 1);
    CHECK(first_invisible(xml_escaped(name, XmlPlace::attribute)) == "");
    CHECK(first_invisible(shell_quoted({&name, 1})) == "");

    Page page;
    page.title = literal_text(name);
    page.facts.emplace_back(name, literal_text(name));
    std::ostringstream html;
    write_html(html, page, {});
    CHECK(first_invisible(html.str()) == "");
    CHECK(html.str().find("</script><b>") == std::string::npos);
  }
}

TEST_CASE("borders: parsers restore the original text") {
  const Folder folder;
  for (const std::string& name : names()) {
    CAPTURE(name);
    const std::string json = written<JsonWriter>(table_of(name));
    CHECK(nlohmann::json::parse(json)["rows"][0]["name"] == name);
    CHECK(backslash_unescaped(backslash_escaped(name)) == name);

    folder.write("t.csv", written<CsvWriter>(table_of(name)));
    CsvReader reader(folder / "t.csv", "name,n");
    CsvBlock block;
    REQUIRE(reader.next(block));
    CsvLines lines(block, reader.separator());
    const CsvLine* line = lines.next();
    REQUIRE(line != nullptr);
    REQUIRE(line->cells.size() == 2);
    CHECK(backslash_unescaped(line->cells[0]) == name);
  }
  const std::string bytes = "\xFF\xC2 a\x80";
  CHECK(backslash_unescaped(backslash_escaped(bytes)) == bytes);
}

}  // namespace gttf::test::GTTF_TEST_FILE
