// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/output/table_style.hpp"
#include "gttf/study/hits/fit_table.hpp"
#include "gttf/study/scan/regimes.hpp"
#include "gttf/study/scan/scan_columns.hpp"
#include "gttf/study/toys/toy_table.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

std::vector<std::vector<DescribedColumn>> all_tables() {
  return {described(scan_columns()),    described_fit_columns(),
          described_residual_columns(), described_regime_columns(),
          described_triplet_columns(),  all_toy_columns()};
}

/// The unit shown above a column of that name, and the unit in CSV.
bool is_unit_of(std::string_view name, std::string_view unit) {
  const Heading heading = heading_of(name);
  if (heading.unit.empty()) return unit.empty() || unit == "1" || unit == "e";
  if (heading.unit == "%") return unit == "1";
  if (heading.unit == "1/GeV") return unit == "e/GeV" || unit == "1/GeV";
  return unit == heading.unit || unit == heading.unit + "^2";
}

}  // namespace

TEST_CASE("columns: a name ends with the unit of its column") {
  for (const auto& table : all_tables())
    for (const DescribedColumn& column : table) {
      if (column.text.name.ends_with("_rad2")) continue;
      CAPTURE(column.text.name);
      CHECK(is_unit_of(column.text.name, column.text.unit));
    }
}

TEST_CASE("columns: names are unique in a table") {
  for (const auto& table : all_tables()) {
    std::set<std::string_view> names;
    for (const DescribedColumn& column : table)
      CHECK(names.insert(column.text.name).second);
    CHECK(names.size() >= 15);
  }
}

TEST_CASE("columns: those of a part are there only in tables that have it") {
  const auto always = scan_column_names(false);
  const auto with_layer = scan_column_names(true);
  CHECK(std::ranges::find(always, "at_layer") == always.end());
  CHECK(std::ranges::find(with_layer, "at_layer") != with_layer.end());
  CHECK(std::equal(always.begin(), always.end(), with_layer.begin()));
}

}  // namespace gttf::test::GTTF_TEST_FILE
