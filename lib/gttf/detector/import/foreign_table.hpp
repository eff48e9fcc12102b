// SPDX-License-Identifier: Apache-2.0
// ForeignTable: a table with a header in another program's file, with places.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "gttf/detector/import/foreign_text.hpp"

namespace gttf::detail {

/// A table of cells between commas, by names of columns. Empty lines and
/// comments (#) do not count.
class ForeignTable {
 public:
  /// @param names  of the columns that are needed; a column may have more
  ///               behind its name: "tiltAngle_deg/D"
  ForeignTable(const ForeignFile& file, std::span<const std::string_view> names,
               std::string_view advice);

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  bool is_good() const { return good_; }
  /// The place of a column among the cells of a row.
  std::size_t find(std::string_view name) const;
  /// f(cells) of every row that is complete; false from f: no more.
  template <class F>
  void for_each_row(const F& f) const {
    for (std::size_t k = 1; k < lines_.size(); ++k) {
      const std::vector<ForeignWord> cells = cells_of_row(k);
      if (!cells.empty() && !f(cells)) return;
    }
  }
  /// The cell of the column that was asked for as number `i`.
  const ForeignWord& cell(const std::vector<ForeignWord>& cells,
                          std::size_t i) const {
    return cells[index_[i]];
  }

 private:
  /// Empty, with an error, if their number is wrong.
  std::vector<ForeignWord> cells_of_row(std::size_t row) const;

  const ForeignFile& file_;
  std::vector<ForeignWord> lines_, header_;
  std::vector<std::size_t> index_;
  bool good_ = false;
};

}  // namespace gttf::detail
