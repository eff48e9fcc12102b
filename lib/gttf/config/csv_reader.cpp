// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"

namespace gttf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t read_at_once = std::size_t{1} << 18;

bool is_space(char c) { return c == ' ' || c == '\t'; }

bool is_number(std::string_view text) {
  double value = 0;
  return parse_number(text, value) == nullptr;
}

std::size_t characters(std::string_view text) {
  return detail::character_count(text);
}

/// Number of line ends, counted in bytes so that the loop vectorises.
std::int64_t count_lines(std::string_view text) {
  constexpr std::size_t at_once = 255;
  std::int64_t n = 0;
  for (std::size_t i = 0; i < text.size(); i += at_once) {
    unsigned char sum = 0;
    for (const char c : text.substr(i, at_once))
      sum = static_cast<unsigned char>(sum + (c == '\n' ? 1 : 0));
    n += sum;
  }
  return n;
}

}  // namespace

Diagnostic CsvLine::at(const std::string& file, std::size_t cell) const {
  const bool exists = cell < cells.size();
  const std::size_t offset = exists ? offsets[cell] : text.size();
  Diagnostic d;
  d.file = file;
  d.line = static_cast<int>(number);
  d.column = 1 + static_cast<int>(characters(text.substr(0, offset)));
  d.length =
      exists ? std::max(1, static_cast<int>(characters(cells[cell]))) : 1;
  d.set_source_line(text, offset);
  return d;
}

Diagnostic CsvLine::at_problem(const std::string& file) const {
  Diagnostic d = at(file, cells.size());
  d.column = 1 + static_cast<int>(characters(text.substr(0, problem_at)));
  d.set_source_line(text, problem_at);
  d.problem = problem;
  return d;
}

const CsvLine* CsvLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    line_.number = number_++;
    while (text.ends_with('\r')) text.remove_suffix(1);
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == text.npos || text[first] == '#') continue;
    line_.text = text;
    line_.cells.clear();
    line_.offsets.clear();
    line_.problem.clear();
    if (text.find('"') == text.npos)
      split();
    else
      split_quoted();
    return &line_;
  }
  return nullptr;
}

CsvBlock CsvLines::rest() const {
  CsvBlock block;
  block.bytes = std::make_unique_for_overwrite<char[]>(rest_.size());
  std::ranges::copy(rest_, block.bytes.get());
  block.text = {block.bytes.get(), rest_.size()};
  block.first_line = number_;
  return block;
}

void CsvLines::split() {
  const std::string_view text = line_.text;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(separator_, begin), text.size());
    std::size_t first = begin, last = end;
    while (first < last && is_space(text[first])) ++first;
    while (last > first && is_space(text[last - 1])) --last;
    line_.cells.push_back(text.substr(first, last - first));
    line_.offsets.push_back(first);
    if (end == text.size()) return;
    begin = end + 1;
  }
}

void CsvLines::split_quoted() {
  const std::string_view text = line_.text;
  const auto error = [&](std::size_t at, const char* problem) {
    if (!line_.problem.empty()) return;
    line_.problem = problem;
    line_.problem_at = at;
  };
  line_.unquoted_.clear();
  std::size_t i = 0;
  while (true) {
    while (i < text.size() && is_space(text[i]) && text[i] != separator_) ++i;
    if (i < text.size() && text[i] == '"') {
      const std::size_t open = i++;
      std::string cell;
      bool closed = false;
      while (i < text.size() && !closed) {
        if (text[i] != '"') {
          cell += text[i++];
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
          cell += '"';
          i += 2;
        } else {
          closed = true;
          ++i;
        }
      }
      if (!closed) error(open, "the quote is not closed in this line");
      line_.cells.push_back(line_.unquoted_.emplace_back(std::move(cell)));
      line_.offsets.push_back(open);
      const std::size_t end = std::min(text.find(separator_, i), text.size());
      if (!trimmed(text.substr(i, end - i)).empty())
        error(i, "text after a quoted cell");
      i = end;
    } else {
      const std::size_t end = std::min(text.find(separator_, i), text.size());
      const std::string_view cell = trimmed(text.substr(i, end - i));
      if (const std::size_t q = cell.find('"'); q != cell.npos)
        error(i + q, "a quote within a cell");
      line_.cells.push_back(cell);
      line_.offsets.push_back(i);
      i = end;
    }
    if (i == text.size()) return;
    ++i;
  }
}

CsvReader::CsvReader(const std::string& path, std::string_view example,
                     bool hashed, std::string_view role)
    : name_(path == "-" ? "<stdin>" : path) {
  open(path, hashed, role);
  read_header(example);
}

void CsvReader::fail(std::string problem, std::string suggestion,
                     int line) const {
  Diagnostic d;
  d.file = name_;
  d.line = line;
  d.column = line > 0 ? 1 : 0;
  d.problem = std::move(problem);
  d.suggestion = std::move(suggestion);
  Diagnostics all;
  all.add(std::move(d));
  throw InputError(std::move(all));
}

void CsvReader::open(const std::string& path, bool hashed,
                     std::string_view role) {
  if (path == "-") {
    stream_ = stdin;
    record_input(fileno(stdin), name_, role);
    hash_done_.set_value("");
    return;
  }
  if (path.empty()) fail("the name of the file is empty");
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail("is a directory, but a file is expected");
  opened_ = open_input(path, role);
  if (!opened_) {
    const int why = errno;
    if (why == ENOENT) fail("no such file", suggest_file(path));
    fail(fmt::format("cannot be read: {}", std::strerror(why)));
  }
  stream_ = opened_.get();
  std::setvbuf(stream_, nullptr, _IONBF, 0);  // straight into the blocks
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, ignored);
    if (!ignored) size_ = size;
    if (hashed) hash_.emplace();
  }
  if (!hash_) hash_done_.set_value("");
}

/// Reads up to so many bytes; fewer only at the end of the file.
std::size_t CsvReader::fill(char* to, std::size_t bytes) {
  const std::size_t n = std::fread(to, 1, bytes, stream_);
  if (std::ferror(stream_) != 0)
    fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  bytes_read_ += n;
  at_end_ = n < bytes;
  if (hash_) {
    hash_->add({to, n});
    if (at_end_) hash_done_.set_value(hash_->digits());
  }
  return n;
}

bool CsvReader::read(CsvBlock& block) {
  std::size_t n = carry_.size();
  block.bytes = std::make_unique_for_overwrite<char[]>(read_at_once);
  std::ranges::copy(carry_, block.bytes.get());
  if (!at_end_) n += fill(block.bytes.get() + n, read_at_once - n);
  block.text = {block.bytes.get(), n};
  block.first_line = next_line_;
  carry_.clear();
  if (!at_end_) {
    const std::size_t end = block.text.rfind('\n') + 1;  // npos + 1 = 0
    carry_ = block.text.substr(end);
    block.text = block.text.substr(0, end);
  }
  next_line_ += count_lines(block.text);
  if (carry_.size() > max_line_bytes)
    fail(fmt::format("a line is longer than {} bytes", max_line_bytes),
         "is this a table with one hit per line?",
         static_cast<int>(next_line_));
  return !block.text.empty();
}

void CsvReader::check_start(const CsvBlock& block) const {
  const std::string_view text = block.text.empty() ? carry_ : block.text;
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    fail("the text is UTF-16, but must be UTF-8", "save the file as UTF-8", 1);
  if (text.starts_with("\x1F\x8B"))
    fail("the file is compressed",
         name_ == "<stdin>"
             ? "decompress it first: zcat FILE | ..."
             : fmt::format("write zcat {} | gttf-design ... -", name_),
         1);
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    const auto lines = std::ranges::count(text.substr(0, zero), '\n');
    fail("this is not a text file: it contains bytes of value 0",
         "give a CSV file", static_cast<int>(lines) + 1);
  }
}

void CsvReader::read_header(std::string_view example) {
  const std::string suggestion = fmt::format("begin with \"{}\"", example);
  CsvBlock block;
  bool first = true;
  while (read(block)) {
    if (std::exchange(first, false)) {
      check_start(block);
      if (block.text.starts_with(detail::utf8_mark))
        block.text.remove_prefix(detail::utf8_mark.size());
    }
    // Split at no separator, to find the line.
    CsvLines lines(block, '\n');
    const CsvLine* line = lines.next();
    if (line == nullptr) continue;
    header_text_ = line->text;
    header_block_ = {header_text_, line->number};
    pending_ = lines.rest();
    for (const char c : {',', ';', '\t'})
      if (header_text_.find(c) != std::string::npos) {
        separator_ = c;
        break;
      }
    header_lines_ = std::make_unique<CsvLines>(header_block_, separator_);
    header_ = header_lines_->next();
    Diagnostics errors;
    if (!header_->problem.empty()) {
      errors.add(header_->at_problem(name_));
    } else if (std::ranges::any_of(header_->cells, is_number)) {
      Diagnostic d = header_->at(name_, 0);
      d.problem = "the first line is not a header";
      d.suggestion = suggestion;
      errors.add(std::move(d));
    } else if (header_->cells.size() == 1) {
      Diagnostic d = header_->at(name_, 0);
      d.problem =
          fmt::format("one column only: {}", in_quotes(header_->cells.front()));
      d.suggestion = "separate the cells by commas, semicolons or tabs";
      errors.add(std::move(d));
    }
    if (!errors.empty()) throw InputError(std::move(errors));
    return;
  }
  fail("the file is empty", suggestion, 1);
}

bool CsvReader::next(CsvBlock& block) {
  if (!pending_.text.empty()) {
    block = std::exchange(pending_, {});
    return true;
  }
  return read(block);
}

const char* parse_number(std::string_view text, double& value) {
  text = trimmed(text);
  if (text.empty()) return "an empty cell";
  if (text.front() == '+') text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc() && end == last) return nullptr;
  if (error == std::errc::result_out_of_range)
    return "too large or too small for a number";
  if (end != last && *end == ',' && error == std::errc())
    return "a decimal comma";
  return "not a number";
}

}  // namespace gttf
