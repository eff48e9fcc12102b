// SPDX-License-Identifier: Apache-2.0
// PlainHits: lines of a file of hits without anything unusual, read fast.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gttf/study/hit_file.hpp"

namespace gttf::detail {

/// Reads most lines in one go, without taking them apart first: cells without
/// quotes and outer spaces, known layers, plain numbers. Anything else, faults
/// among it, is left to HitParser.
class PlainHits {
 public:
  PlainHits(char separator, const HitColumns& columns,
            const Detector& detector);

  struct Row {
    FileHit hit;                        ///< but for its line
    std::string_view track, event{};    ///< cells
    int last_layer = FileHit::nearest;  ///< of the hit before, then of this one
    /// Which layer came behind nearest, 0, 1 ... the last time.
    std::vector<int> followers;
  };

  /// What goes before the first line.
  Row first_row() const;

  /// Reads the line that `text` begins with; `row` is the one before.
  /// @return  its bytes with the line end; 0: it is not plain, and `row` means
  ///          nothing but for the layer
  std::size_t read(std::string_view text, Row& row) const;

 private:
  enum class Cell : unsigned char { other, track, event, layer, x, y, z };

  /// The bytes that a cell and what ends it begin a word of text with.
  struct Beginning {
    std::uint64_t word = 0, mask = 0;  ///< no mask: too long
  };

  bool ends_cell(char c) const {
    return c == separator_ || c == '\n' || c == '\r';
  }
  /// The cell at `at`, plain and not empty; nullptr: it is not.
  const char* text_end(const char* at, const char* end) const;
  const char* read_text(const char* at, const char* end,
                        std::string_view& cell) const;
  const char* read_layer(const char* at, const char* end, Row& row) const;

  char separator_;
  bool possible_ = true;  ///< columns of errors are for HitParser
  std::vector<Cell> cells_;
  double unit_[3];
  std::vector<std::string_view> layers_;    ///< names
  std::vector<Beginning> cells_of_layers_;  ///< with the separator
  std::vector<char> measures_;
};

}  // namespace gttf::detail
