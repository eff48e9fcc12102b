// SPDX-License-Identifier: Apache-2.0
// Rows of a table as documents.
#pragma once

#include <cstddef>

#include "gttf/core/document.hpp"
#include "gttf/core/table.hpp"

namespace gttf {

/// A row as members named like the columns; empty text is "no value".
Document row_of(const Table& table, std::size_t row);

/// All rows as a list.
Document rows_of(const Table& table);

}  // namespace gttf
