// SPDX-License-Identifier: Apache-2.0
// ColumnOf: a column of a table, described once: name, unit, meaning, and the
// function that computes a cell from a row.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gttf/core/table.hpp"

namespace gttf {

/// Documentation of a column.
struct ColumnText {
  std::string_view name;        ///< with its unit: "sigma_d0_um"
  std::string_view unit;        ///< "um", "1"; empty: counts and texts
  std::string_view definition;  ///< Markdown
  std::string_view empty = {};  ///< when there is no value; empty: never
};

/// A column of tables whose rows are made from a `Row`.
template <class Row>
struct ColumnOf {
  using Real = double (*)(const Row&);
  using Integer = std::int64_t (*)(const Row&);
  using Text = std::string (*)(const Row&);

  ColumnText text;
  std::variant<Real, Integer, Text> cell;
  /// Bits; the column is present only in tables that have one of them.
  unsigned parts = 0;

  /// @param get  function object without data: Row -> number or text, whose
  ///             type determines the type of the column
  template <class Get>
  constexpr ColumnOf(ColumnText of, Get get, unsigned only_in = 0)
      : text(of), cell(cell_of(get)), parts(only_in) {}

  constexpr bool is_in(unsigned table_parts) const {
    return parts == 0 || (parts & table_parts) != 0;
  }

 private:
  template <class Get>
  static constexpr std::variant<Real, Integer, Text> cell_of(Get) {
    static_assert(std::is_empty_v<Get>, "a lambda without captures");
    using Cell = std::invoke_result_t<Get, const Row&>;
    if constexpr (std::floating_point<Cell>)
      return Real([](const Row& row) { return Get()(row); });
    else if constexpr (std::integral<Cell>)
      // counts, all far below 2^63
      return Integer(
          [](const Row& row) { return static_cast<std::int64_t>(Get()(row)); });
    else
      return Text([](const Row& row) { return std::string(Get()(row)); });
  }
};

/// Concatenates lists of columns. By index: a tuple of a hundred columns takes
/// g++ ten seconds.
template <class Row, std::size_t n, std::size_t m, class... More>
constexpr auto joined_columns(const std::array<ColumnOf<Row>, n>& first,
                              const std::array<ColumnOf<Row>, m>& second,
                              const More&... more) {
  const auto both = [&]<std::size_t... i, std::size_t... k>(
      std::index_sequence<i...>, std::index_sequence<k...>) {
    return std::array<ColumnOf<Row>, n + m>{first[i]..., second[k]...};
  }
  (std::make_index_sequence<n>(), std::make_index_sequence<m>());
  if constexpr (sizeof...(more) > 0)
    return joined_columns(both, more...);
  else
    return both;
}

/// Collects rows.
template <class Row>
class RowTable {
 public:
  /// @param columns  must outlive it
  /// @param parts    parts to include; see ColumnOf::parts
  explicit RowTable(std::span<const ColumnOf<Row>> columns,
                    unsigned parts = 0) {
    for (const ColumnOf<Row>& column : columns) {
      if (!column.is_in(parts)) continue;
      shown_.push_back(&column);
      const std::string name(column.text.name);
      switch (column.cell.index()) {
        case 0:
          table_.add<Reals>(name);
          break;
        case 1:
          table_.add<Integers>(name);
          break;
        default:
          table_.add<Texts>(name);
      }
    }
  }

  void reserve(std::size_t rows) {
    for (Column& column : table_.columns)
      std::visit([rows](auto& cells) { cells.reserve(rows); }, column.cells);
  }

  void add(const Row& row) {
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      auto& cells = table_.columns[i].cells;
      const auto& cell = shown_[i]->cell;
      if (const auto* real = std::get_if<0>(&cell))
        std::get<Reals>(cells).push_back((*real)(row));
      else if (const auto* integer = std::get_if<1>(&cell))
        std::get<Integers>(cells).push_back((*integer)(row));
      else
        std::get<Texts>(cells).push_back(std::get<2>(cell)(row));
    }
  }

  std::size_t rows() const { return table_.rows(); }
  Table take() && { return std::move(table_); }

 private:
  std::vector<const ColumnOf<Row>*> shown_;
  Table table_;
};

/// A column as documented in the reference page and the JSON Schema.
struct DescribedColumn {
  enum class Kind { real, integer, text };
  ColumnText text;
  Kind kind = Kind::real;
};

/// @param columns  range of ColumnOf
template <class Columns>
std::vector<DescribedColumn> described(const Columns& columns) {
  std::vector<DescribedColumn> list;
  for (const auto& column : columns)
    list.push_back(
        {column.text, static_cast<DescribedColumn::Kind>(column.cell.index())});
  return list;
}

/// The names of the columns of tables with these parts.
template <class Columns>
std::vector<std::string> names_of(const Columns& columns, unsigned parts) {
  std::vector<std::string> names;
  for (const auto& column : columns)
    if (column.is_in(parts)) names.emplace_back(column.text.name);
  return names;
}

}  // namespace gttf
