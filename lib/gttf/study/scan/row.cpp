// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/row.hpp"

#include <limits>
#include <utility>

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

double number_of(const Document& value) {
  if (const auto* x = std::get_if<double>(&value.value())) return *x;
  // a real number that was written and read back as an integer
  if (const auto* n = std::get_if<std::int64_t>(&value.value()))
    return static_cast<double>(*n);
  return std::numeric_limits<double>::quiet_NaN();
}

double number_of(const Document& row, std::string_view name) {
  const Document* member = row.find(name);
  return member == nullptr ? std::numeric_limits<double>::quiet_NaN()
                           : number_of(*member);
}

std::string text_of(const Document& row, std::string_view name) {
  const Document* member = row.find(name);
  const auto* text =
      member != nullptr ? std::get_if<std::string>(&member->value()) : nullptr;
  return text != nullptr ? *text : std::string();
}

Document rows_of(const Table& table) {
  Document::List list;
  list.reserve(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i)
    list.push_back(row_of(table, i));
  return list;
}

Document one_or_rows(Document::List documents) {
  if (documents.size() == 1) return std::move(documents.front());
  return Document().set("rows", std::move(documents));
}

}  // namespace gttf
