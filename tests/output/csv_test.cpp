// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/csv.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <future>
#include <limits>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string csv(const Table& table, TableStyle style = {}) {
  std::ostringstream out;
  CsvWriter writer(out, std::move(style));
  writer.write(table);
  writer.finish();
  return out.str();
}

std::string cell(const std::string& text) {
  std::string out;
  append_csv_cell(out, text);
  return out;
}

Table example() {
  Table table;
  table.add("name", Texts{"a", "b, c"});
  table.add("n_hits", Integers{7, -1});
  table.add("sigma_d0_um", Reals{0.1, none});
  return table;
}

}  // namespace

TEST_CASE("csv: a header, exact numbers, an empty cell for no value") {
  CHECK(csv(example()) ==
        "name,n_hits,sigma_d0_um\n"
        "a,7,0.1\n"
        "\"b, c\",-1,\n");
}

TEST_CASE("csv: cells are quoted where RFC 4180 requires it") {
  CHECK(cell("plain text") == "plain text");
  CHECK(cell("a,b") == "\"a,b\"");
  CHECK(cell("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(cell("two\nlines") == "two\\nlines");
  CHECK(cell("a\\b\x1b\u202e, c") == "\"a\\\\b\\x1b\\xe2\\x80\\xae, c\"");
  CHECK(cell("cr\rhere") == "cr\\rhere");  // as visible text
  CHECK(cell("# no comment") == "\"# no comment\"");
  CHECK(cell(" edge ") == "\" edge \"");
  CHECK(cell("").empty());
}

TEST_CASE("csv: numbers and words that repeat another cell are its text") {
  const std::string longer(40, 'x');
  Table table;
  table.add("text", Texts{"a", "a", longer, longer, "b"});
  table.add("x", Reals{0.125, 0.5, 0.75, none, 0.1});
  table.add("n", Integers{3, 3, 3, 4, 4});
  table.add("same_but_for_ends", Reals{7, 0.5, 0.75, none, 8});
  table.add("never", Reals{1e-300, 1e-300, 0.75, 1e-300, none});
  CHECK(csv(table) ==
        "text,x,n,same_but_for_ends,never\n"
        "a,0.125,3,7,1e-300\n"
        "a,0.5,3,0.5,1e-300\n" +
            longer + ",0.75,3,0.75,0.75\n" + longer +
            ",,4,,1e-300\n"
            "b,0.1,4,8,\n");
}

TEST_CASE("csv: provenance is in comment lines before the header") {
  TableStyle style;
  style.provenance = Provenance{};
  style.provenance->version = "1";
  style.provenance->command_line = "gttf-design x";
  CHECK(csv(example(), style)
            .starts_with("# gttf-design 1\n# command: gttf-design x\nname,"));
}

TEST_CASE("csv: precision rounds on request") {
  Table table;
  table.add("x", Reals{1.0 / 3, 123456});
  TableStyle style;
  style.precision = 3;
  CHECK(csv(table, style) == "x\n0.333\n1.23e+05\n");
}

TEST_CASE("csv: shows the requested columns in the requested order") {
  TableStyle style;
  style.columns = {"sigma_d0_um", "name", "unknown"};
  CHECK(csv(example(), style) == "sigma_d0_um,name\n0.1,a\n,\"b, c\"\n");
}

TEST_CASE("csv: blocks follow each other under one header") {
  std::ostringstream out;
  CsvWriter writer(out, {});
  Table block;
  block.add("x", Reals{1, 1, 2, none, none, -0.0, 0.0});
  writer.write(block);
  writer.write(block);
  writer.finish();
  const std::string rows = "1\n1\n2\n\n\n0\n0\n";
  CHECK(out.str() == "x\n" + rows + rows);
}

TEST_CASE("csv: a table without rows is its header") {
  Table table;
  table.add("x", Reals{});
  CHECK(csv(table) == "x\n");
}

TEST_CASE("csv: rows are passed on as they come, not collected") {
  struct Largest : std::streambuf {
    std::streamsize largest = 0, total = 0;
    std::streamsize xsputn(const char*, std::streamsize n) override {
      largest = std::max(largest, n);
      total += n;
      return n;
    }
  } buffer;
  std::ostream out(&buffer);
  CsvWriter writer(out, {});
  Table block;
  Reals& x = block.add("x", Reals(1000));
  for (int i = 0; i < 200; ++i) {
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = 1.0 / (1 + i + static_cast<double>(j));
    writer.write(block);
  }
  writer.finish();
  CHECK(buffer.total > 3000000);
  CHECK(buffer.largest < 70000);  // 64 KiB and a row
}

namespace {

/// Collects text; nothing can be overwritten, as in a pipe.
class OneWay : public std::streambuf {
 public:
  std::string text;

 private:
  int_type overflow(int_type c) override {
    text += traits_type::to_char_type(c);
    return c;
  }
};

TableStyle with_input(std::shared_future<std::string> hash) {
  TableStyle style;
  Provenance& provenance = style.provenance.emplace();
  provenance.inputs = {{"x.yaml", std::string(64, '1')},
                       {"hits.csv", "", std::move(hash)},
                       {"y.yaml", std::string(64, '2')}};
  provenance.seed = 5;
  return style;
}

std::shared_future<std::string> known(const std::string& hash) {
  std::promise<std::string> promise;
  promise.set_value(hash);
  return promise.get_future().share();
}

}  // namespace

TEST_CASE("csv: a hash known only at the end is in the header") {
  const std::string hash(64, 'a');
  std::promise<std::string> promise;
  std::ostringstream out;
  CsvWriter writer(out, with_input(promise.get_future().share()));
  writer.write(example());
  CHECK(out.str().find("b, c") != std::string::npos);  // did not wait
  promise.set_value(hash);
  writer.write(example());
  writer.finish();
  out << "behind";

  std::ostringstream expected;
  CsvWriter other(expected, with_input(known(hash)));
  other.write(example());
  other.write(example());
  other.finish();
  CHECK(out.str() == expected.str() + "behind");
  CHECK(out.str().find("hits.csv sha256:" + hash + '\n') != std::string::npos);
}

TEST_CASE("csv: a hash is waited for where the head cannot be changed") {
  const std::string hash(64, 'a');
  std::shared_future<std::string> later =
      std::async(std::launch::deferred, [&] { return hash; }).share();
  OneWay buffer;
  std::ostream out(&buffer);
  CsvWriter writer(out, with_input(later));
  writer.write(example());
  CHECK(buffer.text.find("hits.csv sha256:" + hash + '\n') !=
        std::string::npos);
}

TEST_CASE("csv: a file that can no longer be read has no hash in the header") {
  std::promise<std::string> promise;
  std::ostringstream out;
  CsvWriter writer(out, with_input(promise.get_future().share()));
  writer.write(example());
  promise.set_value("");
  writer.finish();
  CHECK(out.str().find("hits.csv" + std::string(72, ' ') + "\n# input: y") !=
        std::string::npos);
}

}  // namespace gttf::test::GTTF_TEST_FILE
