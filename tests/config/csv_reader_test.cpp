// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/csv_reader.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <future>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "support/reported.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& text) {
  const Folder folder;
  CsvReader reader(folder.write("t.csv", text), "a,b");
  Rows rows;
  CsvBlock block;
  while (reader.next(block)) {
    CsvLines lines(block, reader.separator());
    while (const CsvLine* line = lines.next())
      rows.emplace_back(line->cells.begin(), line->cells.end());
  }
  return rows;
}

std::string fault_of(const std::string& text) {
  const Folder folder;
  const std::string file = folder.write("t.csv", text);
  std::string what = reported([&] { CsvReader(file, "a,b"); });
  // The name of the folder is another one each time.
  for (auto i = what.find(file); i != what.npos; i = what.find(file))
    what.replace(i, file.size(), "t.csv");
  return what;
}

}  // namespace

TEST_CASE("csv reader: commas, semicolons and tabs separate cells") {
  const Rows expected{{"1", "2"}, {"3", "4"}};
  CHECK(rows_of("a,b\n1,2\n3,4\n") == expected);
  CHECK(rows_of("a;b\n1;2\n3;4") == expected);
  CHECK(rows_of("a\tb\n1\t2\n3\t4\n") == expected);
  CHECK(rows_of("a;b\n1,5;2\n") == Rows{{"1,5", "2"}});
}

TEST_CASE("csv reader: comments, empty lines, CRLF and a BOM change nothing") {
  CHECK(rows_of("\xEF\xBB\xBF# made by\r\n\r\na, b\r\n 1 , 2\r\n  # no\r\n"
                "\r\n3,\r\n") == Rows{{"1", "2"}, {"3", ""}});
  CHECK(rows_of("\r\r\na,b\r\r\n1,2\r\r\n\r\r") == Rows{{"1", "2"}});
  CHECK(test::contains(fault_of("\r\r"), "the file is empty"));
}

TEST_CASE("csv reader: quoted cells keep separators, spaces and quotes") {
  CHECK(rows_of("a,b\n\"x, y\",\" z \"\n\"say \"\"hi\"\"\" , 2\n") ==
        Rows{{"x, y", " z "}, {"say \"hi\"", "2"}});
}

TEST_CASE("csv reader: errors of quotes have their place") {
  const Folder folder;
  CsvReader reader(folder.write("t.csv", "a,b\n1,\"2\n1,\"2\"3\n1,2\"\n"),
                   "a,b");
  CsvBlock block;
  REQUIRE(reader.next(block));
  CsvLines lines(block, ',');
  const auto next_fault = [&] {
    const Diagnostic d = lines.next()->at_problem("t");
    return std::to_string(d.line) + ":" + std::to_string(d.column) + " " +
           d.problem;
  };
  CHECK(next_fault() == "2:3 the quote is not closed in this line");
  CHECK(next_fault() == "3:6 text after a quoted cell");
  CHECK(next_fault() == "4:4 a quote within a cell");
}

TEST_CASE("csv reader: input that is not a table is reported with advice") {
  CHECK(fault_of("") ==
        "t.csv:1:1: error: the file is empty; begin with \"a,b\"\n");
  CHECK(fault_of("# nothing\n\n") ==
        "t.csv:1:1: error: the file is empty; begin with \"a,b\"\n");
  CHECK(fault_of("1,2\n") ==
        "t.csv:1:1: error: the first line is not a header\n"
        "    1 | 1,2\n"
        "      | ^ begin with \"a,b\"\n");
  CHECK(fault_of("# x\na b c\n") ==
        "t.csv:2:1: error: one column only: \"a b c\"\n"
        "    2 | a b c\n"
        "      | ^~~~~ separate the cells by commas, semicolons or tabs\n");
  CHECK(fault_of("a,\"b\n") ==
        "t.csv:1:3: error: the quote is not closed in this line\n"
        "    1 | a,\"b\n"
        "      |   ^\n");
  CHECK(fault_of("\xFF\xFEx") ==
        "t.csv:1:1: error: the text is UTF-16, but must be UTF-8; save the "
        "file as UTF-8\n");
  CHECK(fault_of("\x1F\x8B\x08") ==
        "t.csv:1:1: error: the file is compressed; write zcat t.csv | "
        "gttf-design ... -\n");
  CHECK(fault_of(std::string("a,b\n1\0\n", 7)) ==
        "t.csv:2:1: error: this is not a text file: it contains bytes of value "
        "0; give a "
        "CSV file\n");
  CHECK(fault_of(std::string(400000, 'x')) ==
        "t.csv:1:1: error: a line is longer than 65536 bytes; is this a table "
        "with one hit per line?\n");
}

TEST_CASE("csv reader: a missing file and a folder are reported") {
  const Folder folder;
  folder.write("hits.csv", "a,b\n");
  CHECK(test::contains(reported([&] { CsvReader(folder / "hist.csv", "a,b"); }),
                       "no such file; did you mean"));
  CHECK(test::contains(reported([&] { CsvReader(folder.path(), "a,b"); }),
                       "is a directory, but a file is expected"));
}

TEST_CASE("csv reader: blocks are whole lines with their numbers") {
  std::string text = "# head\na,b\n";
  constexpr int n = 100000;  // 1.2 MB: several blocks
  for (int i = 0; i < n; ++i) text += std::to_string(i) + ",abcde\n";
  const Folder folder;
  CsvReader reader(folder.write("t.csv", text), "a,b");
  CHECK(reader.size() == text.size());
  CsvBlock block;
  int i = 0, blocks = 0;
  bool good = true;
  while (reader.next(block)) {
    ++blocks;
    CsvLines lines(block, ',');
    while (const CsvLine* line = lines.next()) {
      good = good && line->cells[0] == std::to_string(i) &&
             line->number == i + 3 && line->cells[1] == "abcde";
      ++i;
    }
  }
  CHECK(good);
  CHECK(i == n);
  CHECK(blocks > 3);
  CHECK(reader.bytes_read() == text.size());
}

TEST_CASE("csv reader: the hash is that of all bytes of the file") {
  const Folder folder;
  for (const std::size_t bytes : {0u, 1u, 300000u, (1u << 18) - 12, 1u << 18})
    for (const char* head : {"a,b\n", "\xEF\xBB\xBF# note\r\na,b\r\n"}) {
      CAPTURE(bytes);
      std::string text = head;
      for (std::size_t i = 0; i < bytes; ++i) text += i % 50 == 49 ? '\n' : '7';
      const std::string path = folder.write("t.csv", text);
      const auto hash_of = [&path](bool hashed) {
        CsvReader reader(path, "a,b", hashed);
        const auto hash = reader.sha256();
        for (CsvBlock block; reader.next(block);) continue;
        REQUIRE(hash.wait_for(std::chrono::seconds(0)) ==
                std::future_status::ready);
        return hash.get();
      };
      CHECK(hash_of(true) == sha256(text));
      CHECK(hash_of(false).empty());
    }
}

TEST_CASE("csv reader: numbers in the forms that programs write") {
  double x = 0;
  const auto value = [&x](const char* text) {
    CHECK(parse_number(text, x) == nullptr);
    return x;
  };
  CHECK(value("12.5") == 12.5);
  CHECK(value(" +1e-3 ") == 1e-3);
  CHECK(value("-.5") == -0.5);
  CHECK(value("1E+2") == 100);
  CHECK(std::isnan(value("nan")));
  CHECK(std::isinf(value("-inf")));
  CHECK(std::string(parse_number("", x)) == "an empty cell");
  CHECK(std::string(parse_number("1,5", x)) == "a decimal comma");
  CHECK(std::string(parse_number("12 mm", x)) == "not a number");
  CHECK(std::string(parse_number("0x10", x)) == "not a number");
  CHECK(std::string(parse_number("--1", x)) == "not a number");
  CHECK(std::string(parse_number("1e999", x)) ==
        "too large or too small for a number");
}

}  // namespace gttf::test::GTTF_TEST_FILE
