// SPDX-License-Identifier: Apache-2.0
// Prints what docs/columns.sh puts into the reference: the columns of a table
// as Markdown, or the JSON Schema of all rows.
// Usage: columns_page TABLE | --schema
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/core/document.hpp"
#include "gttf/output/json.hpp"
#include "gttf/study/decay/decay.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "gttf/study/scan/average.hpp"
#include "gttf/study/scan/regimes.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/toys/toy_table.hpp"

namespace {

using gttf::DescribedColumn;
using gttf::Document;
using Columns = std::vector<DescribedColumn>;

// Of a list, either the ones that are always there or those of a layer.
Columns part_of(std::span<const gttf::ColumnOf<gttf::TrackRow>> all,
                bool at_layer) {
  Columns list;
  for (const auto& column : all)
    if ((column.parts != 0) == at_layer)
      list.push_back(gttf::described(std::vector{column}).front());
  return list;
}

// "x_q95": the columns of averages for any number x of a scan.
Columns average_part() {
  static std::vector<std::string> names;
  Columns list = gttf::described_average_columns();
  names.reserve(gttf::average_numbers().size());
  for (const gttf::AverageNumber& number : gttf::average_numbers()) {
    names.push_back("x" + std::string(number.ending));
    list.push_back({{names.back(), "that of x", number.definition, "no value"},
                    DescribedColumn::Kind::real});
  }
  return list;
}

Columns columns_of(std::string_view table) {
  if (table == "scan") return part_of(gttf::scan_columns(), false);
  if (table == "at") return part_of(gttf::scan_columns(), true);
  if (table == "covariances") return part_of(gttf::covariance_columns(), false);
  if (table == "covariances_at")
    return part_of(gttf::covariance_columns(), true);
  if (table == "average") return average_part();
  if (table == "fit") return gttf::described_fit_columns();
  if (table == "residuals") return gttf::described_residual_columns();
  if (table == "regimes") return gttf::described_regime_columns();
  if (table == "triplets") return gttf::described_triplet_columns();
  if (table == "decay") return gttf::decay_columns();
  if (table == "toys") return gttf::described_toy_columns();
  throw std::invalid_argument("no table " + std::string(table));
}

// A name that ends with "_" is followed by that of a parameter.
std::string shown_name(std::string_view name) {
  return std::string(name) + (name.ends_with('_') ? "P" : "");
}

void print_table(const Columns& columns) {
  std::puts("| column | unit | definition | empty |\n|---|---|---|---|");
  for (const auto& [text, kind] : columns)
    std::printf("| `%s` | %s | %s | %s |\n", shown_name(text.name).c_str(),
                std::string(text.unit).c_str(),
                std::string(text.definition).c_str(),
                std::string(text.empty).c_str());
}

Document row_schema(const Columns& columns) {
  using Kind = DescribedColumn::Kind;
  Document properties(Document::Members{});
  for (const auto& [text, kind] : columns) {
    const char* type = kind == Kind::real      ? "number"
                       : kind == Kind::integer ? "integer"
                                               : "string";
    Document property;
    property.set("type", Document::List{type, "null"});
    std::string description(text.definition);
    if (!text.unit.empty() && text.unit != "1")
      description += " [" + std::string(text.unit) + "]";
    if (!text.empty.empty())
      description += "; null: " + std::string(text.empty);
    if (!description.empty()) property.set("description", description);
    properties.set(std::string(text.name), std::move(property));
  }
  return Document()
      .set("type", "object")
      .set("properties", std::move(properties));
}

void print_schema() {
  Columns scan = part_of(gttf::scan_columns(), false);
  const Columns at = part_of(gttf::scan_columns(), true);
  scan.insert(scan.end(), at.begin(), at.end());
  Document rows(Document::Members{});
  rows.set("scan", row_schema(scan))
      .set("fit", row_schema(columns_of("fit")))
      .set("residuals", row_schema(columns_of("residuals")))
      .set("regimes", row_schema(columns_of("regimes")))
      .set("triplets", row_schema(columns_of("triplets")))
      .set("decay", row_schema(columns_of("decay")))
      .set("toy", row_schema(gttf::all_toy_columns()));
  const Document schema =
      Document()
          .set("$schema", "http://json-schema.org/draft-07/schema#")
          .set("title", "Rows that gttf-design writes, by verb")
          .set("definitions", std::move(rows));
  std::string text;
  gttf::append_json(text, schema);
  std::puts(text.c_str());
}

}  // namespace

int main(int count, char** words) try {
  if (count != 2) throw std::invalid_argument("expected TABLE or --schema");
  if (std::strcmp(words[1], "--schema") == 0)
    print_schema();
  else
    print_table(columns_of(words[1]));
} catch (const std::exception& e) {
  std::fprintf(stderr, "columns_page: %s\n", e.what());
  return 2;
}
