// SPDX-License-Identifier: Apache-2.0
// Rows of a table as documents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gttf/core/document.hpp"
#include "gttf/core/table.hpp"

namespace gttf {

/// A row as members named like the columns; empty text is "no value".
Document row_of(const Table& table, std::size_t row);

/// A member of a row; NaN or "" if it is missing or of another type.
double number_of(const Document& row, std::string_view name);
std::string text_of(const Document& row, std::string_view name);

/// A number, whole or not; NaN for anything else.
double number_of(const Document& value);

/// All rows as a list.
Document rows_of(const Table& table);

/// The document of a grid: of its only point, or "rows" of all points.
Document one_or_rows(Document::List documents);

}  // namespace gttf
