// SPDX-License-Identifier: Apache-2.0
// HitParser: converts lines of a file of hits to numbers, and reports errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/study/hits/hit_file.hpp"

namespace gttf::detail {

/// Reads most lines in one pass, without splitting them first: cells without
/// quotes and outer spaces, known layers, plain numbers. Everything else,
/// including errors, is left to HitParser.
class PlainHits {
 public:
  PlainHits(char separator, const HitColumns& columns,
            const Detector& detector);

  struct Row {
    std::string_view track, event{};  ///< cells
    int last_layer =
        MeasuredHit::nearest;  ///< of the previous hit, then of this one
    /// The layer that last followed each layer.
    std::vector<int> followers;
  };

  /// The state before the first line.
  Row first_row() const;

  /// Reads the line that begins at text[from]; `row` is the one before. Sets
  /// `hit` except its line.
  /// @return its length with the line end; 0: it is not plain, and only the
  ///         layer of `row` is valid
  std::size_t read(std::string_view text, std::size_t from, Row& row,
                   MeasuredHit& hit) const;

 private:
  static constexpr std::size_t most_columns = 32;

  /// The bytes of a short name as a word.
  struct Beginning {
    std::uint64_t word = 0, mask = 0;  ///< no mask: too long
  };

  static bool is_plain(std::string_view cell);
  // the text extends to `end`
  static bool read_text(std::string_view text, const char* end,
                        std::string_view& cell);
  bool read_layer(std::string_view text, const char* end, Row& row) const;
  template <class Cells>
  std::size_t read_cells(const char* begin, const char* end, Row& row,
                         MeasuredHit& hit) const;

  char separator_;
  bool possible_;              ///< columns of errors, modules are not plain
  std::size_t count_, track_;  ///< of columns; which one
  std::optional<std::size_t> event_, layer_;
  std::array<LengthColumn, 3> position_;
  std::vector<std::size_t> others_;
  std::vector<std::string_view> layers_;  ///< names
  std::vector<Beginning> cells_of_layers_;
  std::vector<char> measures_;
};

/// Result for a block of lines. Tracks may continue in the next one.
struct ParsedBlock {
  HitBlock tracks;
  Diagnostics errors;  ///< the first HitFile::max_errors
  std::size_t n_errors = 0;
};

/// Immutable and thread-safe.
class HitParser {
 public:
  HitParser(const CsvReader& file, const HitColumns& columns,
            const Detector& detector);

  ParsedBlock parse(const CsvBlock& block) const;
  const std::string& file() const { return file_; }

 private:
  class Row;

  std::string file_;
  char separator_;
  HitColumns columns_;
  const Detector& detector_;
  PlainHits plain_;
  std::map<std::string, int, std::less<>> layers_;
  std::vector<std::array<bool, 2>> measures_;  // per layer, along u and v
};

}  // namespace gttf::detail
