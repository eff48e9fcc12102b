// SPDX-License-Identifier: Apache-2.0
// Table: named columns, the interface between studies and output formats.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/core/variant.hpp"

namespace gttf {

/// Real column; NaN means "no value" and is written as an empty cell.
using Reals = std::vector<double>;
/// Integer column.
using Integers = std::vector<std::int64_t>;
/// Text column.
using Texts = std::vector<std::string>;

/// A column: its name contains the unit (`sigma_d0_um`).
struct Column {
  std::string name;
  Variant<Reals, Integers, Texts> cells;

  std::size_t size() const {
    return std::visit([](const auto& c) { return c.size(); }, cells);
  }
};

/// Columns of equal length. A study too long for memory emits its rows as a
/// sequence of tables with the same columns (see TableSink).
struct Table {
  std::vector<Column> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }

  template <class Cells>
  Cells& add(std::string name, Cells cells = {}) {
    columns.push_back({std::move(name), std::move(cells)});
    return std::get<Cells>(columns.back().cells);
  }

  /// The column with this name, or nullptr.
  const Column* find(std::string_view name) const {
    for (const Column& c : columns)
      if (c.name == name) return &c;
    return nullptr;
  }
};

/// Output of a sink for a block in prepare(): its own text, and the text of the
/// sinks it forwards blocks to.
struct PreparedBlock {
  std::string_view text;
  std::shared_ptr<const void> storage;  ///< of the text
  std::vector<PreparedBlock> parts = {};
};

/// Receives the rows of a study block by block, in order. Writers implement it.
class TableSink {
 public:
  virtual ~TableSink() = default;
  /// `block` has the same columns in every call.
  virtual void write(const Table& block) = 0;
  /// After the last block.
  virtual void finish() = 0;

  /// The part of the work that is independent of the order: may be called for
  /// any block by any thread. write_prepared() then replaces write().
  virtual PreparedBlock prepare(const Table&) const { return {}; }
  virtual void write_prepared(const Table& block, const PreparedBlock&) {
    write(block);
  }
};

}  // namespace gttf
