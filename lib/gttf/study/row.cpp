// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/row.hpp"

namespace gttf {

Document row_of(const Table& table, std::size_t row) {
  Document document;
  for (const Column& column : table.columns) {
    if (const auto* texts = std::get_if<Texts>(&column.cells)) {
      const std::string& text = (*texts)[row];
      document.set(column.name, text.empty() ? Document() : Document(text));
    } else if (const auto* reals = std::get_if<Reals>(&column.cells)) {
      document.set(column.name, (*reals)[row]);
    } else {
      document.set(column.name, std::get<Integers>(column.cells)[row]);
    }
  }
  return document;
}

Document rows_of(const Table& table) {
  Document::List list;
  list.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i)
    list.push_back(row_of(table, i));
  return list;
}

}  // namespace gttf
