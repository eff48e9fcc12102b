// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/json.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string json(const Document& document, int precision = 0) {
  std::string text;
  append_json(text, document, precision);
  return text;
}

std::string json(const Table& table, TableStyle style = {}) {
  std::ostringstream out;
  JsonWriter writer(out, std::move(style));
  writer.write(table);
  writer.finish();
  return out.str();
}

Document::List list_of(std::initializer_list<double> values) {
  return Document::List(values.begin(), values.end());
}

}  // namespace

TEST_CASE("json: values") {
  CHECK(json(Document()) == "null");
  CHECK(json(true) == "true");
  CHECK(json(7) == "7");
  CHECK(json(0.1) == "0.1");
  CHECK(json(none) == "null");
  CHECK(json(infinity) == "null");
  CHECK(json("text") == "\"text\"");
  CHECK(json(Document(Document::List{})) == "[]");
  CHECK(json(Document(Document::Members{})) == "{}");
  CHECK(json(1.0 / 3, 3) == "0.333");
}

TEST_CASE("json: numbers read back exactly") {
  for (const double value :
       {0.1, 1.0 / 3, 1e-300, 5e-324, 1e308, 123456789.123456789})
    CHECK(nlohmann::json::parse(json(value)).get<double>() == value);
}

TEST_CASE("json: texts are escaped, and invalid UTF-8 is replaced") {
  CHECK(json("a\"b\\c") == R"("a\"b\\c")");
  CHECK(json("line\nend") == R"("line\nend")");
  CHECK(json("\x01") == R"("\u0001")");
  CHECK(json("\u00b5m") == "\"\u00b5m\"");
  CHECK(json("bad \xff") == "\"bad \uFFFD\"");
}

TEST_CASE("json: short values stay in a line, a matrix in its rows") {
  Document document;
  document.set("a", 1).set("b", Document(list_of({1, 2})));
  CHECK(json(document) == R"({"a": 1, "b": [1, 2]})");
  const Document matrix =
      Document::List{Document(list_of({1, 2})), Document(list_of({3, 4}))};
  CHECK(json(matrix) == "[\n  [1, 2],\n  [3, 4]\n]");
  Document outer;
  outer.set("m", matrix);
  outer.set("long", std::string(90, 'x'));
  CHECK(json(outer) ==
        "{\n  \"m\": [\n    [1, 2],\n    [3, 4]\n  ],\n"
        "  \"long\": \"" +
            std::string(90, 'x') + "\"\n}");
}

TEST_CASE("json: a list of numbers stays in one line however long") {
  const Document numbers = Document::List(100, Document(0.25));
  CHECK(json(numbers).find('\n') == std::string::npos);
}

TEST_CASE("json: a table is a list of rows with the names of the columns") {
  Table table;
  table.add("detector", Texts{"A", ""});
  table.add("n_hits", Integers{7, 0});
  table.add("sigma_p_rel", Reals{0.5, none});
  const std::string text = json(table);
  CHECK(text ==
        "{\n  \"rows\": [\n"
        "    {\"detector\": \"A\", \"n_hits\": 7, \"sigma_p_rel\": 0.5},\n"
        "    {\"detector\": null, \"n_hits\": 0, \"sigma_p_rel\": null}\n"
        "  ]\n}\n");
}

TEST_CASE("json: provenance is the first member") {
  TableStyle style;
  style.provenance = Provenance{};
  style.provenance->version = "1.2.3";
  style.provenance->inputs = {{"a.yaml", "ff"}};
  Table table;
  table.add("x", Reals{1});
  const auto parsed = nlohmann::json::parse(json(table, style));
  CHECK(parsed["provenance"]["version"] == "1.2.3");
  CHECK(parsed["provenance"]["inputs"][0]["sha256"] == "ff");
  CHECK(parsed["rows"][0]["x"] == 1);

  std::ostringstream out;
  write_json(out, Document().set("x", 1), style);
  CHECK(nlohmann::json::parse(out.str())["provenance"]["version"] == "1.2.3");
  CHECK(out.str().find("provenance") < out.str().find("\"x\""));
}

TEST_CASE("json: without rows it is still valid") {
  Table table;
  table.add("x", Reals{});
  CHECK(nlohmann::json::parse(json(table))["rows"].empty());
  std::ostringstream out;
  JsonRows rows(out, {});
  rows.finish();
  CHECK(nlohmann::json::parse(out.str())["rows"].empty());
}

TEST_CASE("json: rows of documents are written immediately") {
  std::ostringstream out;
  JsonRows rows(out, {});
  for (int i = 0; i < 3; ++i) rows.write(Document().set("i", i));
  rows.finish();
  const auto parsed = nlohmann::json::parse(out.str());
  REQUIRE(parsed["rows"].size() == 3);
  CHECK(parsed["rows"][2]["i"] == 2);
}

}  // namespace gttf::test::GTTF_TEST_FILE
