// SPDX-License-Identifier: Apache-2.0
// NPZ: tables as NumPy arrays, one for each column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gttf/core/variant.hpp"
#include "gttf/output/table_style.hpp"

namespace gttf {

/// Writes a ZIP archive, without compression, of an array in the format .npy
/// for each column; numpy.load() gives access to them by name. Reals are
/// float64 (NaN for no value), integers int64, texts Unicode of a fixed width.
/// An array without dimensions, `provenance`, holds the provenance as JSON.
/// Numbers are exact for any precision of the style.
///
/// A column must be complete before the next can follow it in the archive:
/// the table is kept until finish(), up to max_npz_bytes.
class NpzWriter : public TableSink {
 public:
  NpzWriter(std::ostream& out, TableStyle style)
      : out_(out), style_(std::move(style)) {}

  /// Throws OutputError if the table grows above max_npz_bytes.
  void write(const Table& block) override;
  void finish() override;

 private:
  /// A column of texts, most of which repeat.
  struct Words {
    std::vector<std::u32string> different;
    std::unordered_map<std::string, std::uint32_t> number_of;
    std::vector<std::uint32_t> numbers;  ///< of the text of each row
    std::size_t longest = 1;             ///< NumPy has no texts of width 0

    void add(const std::string& text);
  };
  struct Array {
    std::string name;
    Variant<Reals, Integers, Words> cells;
  };
  class Archive;

  std::size_t bytes() const;

  std::ostream& out_;
  TableStyle style_;
  std::vector<Array> arrays_;
};

/// Half of what an archive without 64-bit offsets can hold.
inline constexpr std::size_t max_npz_bytes = std::size_t{1} << 31;

/// Throws OutputError if a table of so many rows and columns is certainly
/// larger: before its rows are calculated.
void check_npz_size(std::uint64_t rows, std::size_t columns);

}  // namespace gttf
