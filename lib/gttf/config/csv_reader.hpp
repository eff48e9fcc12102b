// SPDX-License-Identifier: Apache-2.0
// CsvReader: reads a table of any length block by block, with locations.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/diagnostics.hpp"
#include "gttf/config/opened_files.hpp"
#include "gttf/config/sha256.hpp"

namespace gttf {

/// Whole lines of a file.
struct CsvBlock {
  std::string_view text;  ///< in `bytes`
  std::int64_t first_line = 1;
  std::unique_ptr<char[]> bytes = {};
};

/// A line split into cells.
struct CsvLine {
  std::string_view text;                ///< without the line end
  std::int64_t number = 0;              ///< from 1
  std::vector<std::string_view> cells;  ///< without quotes and outer spaces
  std::vector<std::size_t> offsets;     ///< of the cells in `text`
  std::string problem;                  ///< of the quotes; empty: none
  std::size_t problem_at = 0;           ///< its byte

  /// A diagnostic of `file` at this cell; past the last: at the line end.
  Diagnostic at(const std::string& file, std::size_t cell) const;
  /// The same at the first quoting error.
  Diagnostic at_problem(const std::string& file) const;

 private:
  friend class CsvLines;
  std::deque<std::string> unquoted_;  // cells that had doubled quotes
};

/// Iterates over the lines of a block, without empty lines and comments (lines
/// that begin with #). The block must outlive them.
class CsvLines {
 public:
  CsvLines(const CsvBlock& block, char separator)
      : rest_(block.text),
        size_(block.text.size()),
        number_(block.first_line),
        separator_(separator) {}

  /// The next line, or nullptr at the end. Valid until the next call.
  const CsvLine* next();
  /// Offset of the next line in the text of the block, and its number.
  std::size_t offset() const { return size_ - rest_.size(); }
  std::int64_t number() const { return number_; }
  /// Skips the next line, given its length in bytes including the line end.
  void pass(std::size_t bytes) {
    rest_.remove_prefix(bytes);
    ++number_;
  }
  /// The remainder of the block.
  CsvBlock rest() const;

 private:
  void split_quoted();
  void split();

  std::string_view rest_;
  std::size_t size_;
  std::int64_t number_;
  char separator_;
  CsvLine line_;
};

/// Reads a table whose cells are separated by commas, semicolons or tabs,
/// detected from the header line. Lines end in LF or CRLF; a quoted cell cannot
/// contain a line break.
class CsvReader {
 public:
  /// Longest line.
  static constexpr std::size_t max_line_bytes = std::size_t{1} << 16;

  /// Opens `path` ("-": standard input) and reads the header line. Throws
  /// InputError. `example`: a header line to suggest if there is none.
  /// `hashed`: whether sha256() will be called. `role`: as in open_input().
  CsvReader(const std::string& path, std::string_view example,
            bool hashed = false, std::string_view role = {});
  ~CsvReader() = default;
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  /// Name as shown in messages.
  const std::string& name() const { return name_; }
  char separator() const { return separator_; }
  const CsvLine& header() const { return *header_; }
  /// Thread-safe.
  std::uint64_t bytes_read() const { return bytes_read_; }
  /// Size of the file in bytes; 0: unknown (a pipe).
  std::uint64_t size() const { return size_; }

  /// Sets `block` to the next lines, about 256 KiB of them: where blocks end
  /// depends only on the file. Returns false after the last one. Throws
  /// InputError.
  bool next(CsvBlock& block);

  /// SHA-256 of the bytes of the file; ready when the last block has been read.
  /// Empty if it is not a regular file or was not requested.
  std::shared_future<std::string> sha256() const { return sha256_; }

 private:
  void open(const std::string& path, bool hashed, std::string_view role);
  std::size_t fill(char* to, std::size_t bytes);
  void check_start(const CsvBlock& block) const;
  void read_header(std::string_view example);
  bool read(CsvBlock& block);
  [[noreturn]] void fail(std::string problem, std::string suggestion = {},
                         int line = 0) const;

  std::string name_;
  FileHandle opened_;            // null: standard input
  std::FILE* stream_ = nullptr;  // file of opened_, or standard input
  std::uint64_t size_ = 0;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::optional<Sha256> hash_;  // of the bytes read
  std::promise<std::string> hash_done_;
  std::shared_future<std::string> sha256_ = hash_done_.get_future().share();
  std::string carry_;  // incomplete last line of the previous block
  std::int64_t next_line_ = 1;
  bool at_end_ = false;
  char separator_ = ',';
  std::string header_text_;
  CsvBlock header_block_;
  std::unique_ptr<CsvLines> header_lines_;
  const CsvLine* header_ = nullptr;
  CsvBlock pending_;  // the lines after the header
};

/// Parses a number in a table: decimal, spaces around it and a leading plus
/// allowed, "nan" and "inf" too. Locale independent.
/// @return  reason for failure; nullptr: `value` is set
const char* parse_number(std::string_view text, double& value);

}  // namespace gttf
