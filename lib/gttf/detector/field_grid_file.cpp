// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/field_grid_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gttf/config/opened_files.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"
#include "gttf/core/parallel.hpp"
#include "gttf/detector/binary_field_map.hpp"

// Parts of the reader of field maps: errors, and the header line.
namespace gttf::detail {

/// The first error in a map; thrown.
struct GridError {
  std::string_view where;  ///< part of the text
  std::string problem, suggestion;
};

inline constexpr std::string_view example_grid_header =
    "x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]";

/// Separators between the numbers of a line.
inline bool is_grid_separator(char c) {
  static constexpr auto separators = [] {
    std::array<bool, 256> is{};
    for (const char one : {' ', '\t', ',', ';', '\r'})
      is[static_cast<unsigned char>(one)] = true;
    return is;
  }();
  return separators[static_cast<unsigned char>(c)];
}

/// Meaning of the columns of a map.
struct GridColumns {
  struct Column {
    int target = -1;  ///< index in `names`, -1: not read
    double unit = 1;
  };
  bool around_z = false;
  std::vector<std::string> names;  ///< x y z Bx By Bz or r z Br Bz
  std::vector<Column> columns;     ///< in the order of the file

  std::size_t coordinates() const { return around_z ? 2 : 3; }
};

/// Whether the line names the columns of a map. Otherwise a comment is ignored.
bool names_grid_columns(std::string_view line);

/// Reads a header line. Throws GridError.
GridColumns read_grid_columns(std::string_view line);

namespace {

constexpr std::array<std::string_view, 6> cartesian = {"x",  "y",  "z",
                                                       "Bx", "By", "Bz"};
constexpr std::array<std::string_view, 4> around_z = {"r", "z", "Br", "Bz"};
constexpr std::size_t most_columns = 64;

/// Words of a header; a unit in brackets belongs to the preceding word.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_grid_separator(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && !is_grid_separator(line[i])) ++i;
    if (i == begin) break;
    const std::string_view word = line.substr(begin, i - begin);
    if (!words.empty() && (word[0] == '[' || word[0] == '(')) {
      const char* from = words.back().data();
      words.back() = {
          from, static_cast<std::size_t>(word.data() + word.size() - from)};
    } else {
      words.push_back(word);
    }
  }
  return words;
}

std::string name_of(std::string_view word) {
  return lower_case(trimmed(word.substr(0, word.find_first_of("[("))));
}

/// Index of the name of the word, ignoring case; the size if not found.
template <class Names>
std::size_t index_of(std::string_view word, const Names& names) {
  const std::string name = name_of(word);
  return static_cast<std::size_t>(
      std::ranges::find_if(
          names, [&](std::string_view n) { return lower_case(n) == name; }) -
      names.begin());
}

double unit_of(std::string_view word, bool is_length) {
  const std::size_t open = word.find_first_of("[(");
  if (open == word.npos)
    throw GridError{word,
                    fmt::format("the column {} has no unit", in_quotes(word)),
                    fmt::format("write the unit in brackets: {}[{}]", word,
                                is_length ? "mm" : "T")};
  const std::size_t end = word.find(word[open] == '[' ? ']' : ')', open);
  const std::string_view unit =
      word.substr(open + 1, end == word.npos ? word.npos : end - open - 1);
  const auto parsed =
      parse_quantity(fmt::format("1 {}", unit),
                     is_length ? Dimension::length : Dimension::field);
  if (end == word.npos || !parsed)
    throw GridError{word,
                    fmt::format("{} is not a unit of a {}", in_quotes(unit),
                                is_length ? "length" : "magnetic field"),
                    is_length ? "use nm, um, mm, cm or m" : "use T, kG or mT"};
  return parsed.value;
}

}  // namespace

bool names_grid_columns(std::string_view line) {
  const auto words = words_of(line);
  return std::ranges::count_if(words, [](std::string_view word) {
           return index_of(word, cartesian) < cartesian.size() ||
                  index_of(word, around_z) < around_z.size();
         }) >= 4;
}

GridColumns read_grid_columns(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() > most_columns)
    throw GridError{line, fmt::format("more than {} columns", most_columns),
                    ""};
  GridColumns grid;
  grid.around_z = std::ranges::any_of(words, [](std::string_view word) {
    return name_of(word) == "r" || name_of(word) == "br";
  });
  if (grid.around_z)
    grid.names.assign(around_z.begin(), around_z.end());
  else
    grid.names.assign(cartesian.begin(), cartesian.end());
  std::vector<bool> seen(grid.names.size());
  for (const std::string_view word : words) {
    const std::size_t i = index_of(word, grid.names);
    GridColumns::Column& column = grid.columns.emplace_back();
    if (i == grid.names.size()) continue;
    if (seen[i])
      throw GridError{
          word, fmt::format("the column {} is given twice", in_quotes(word)),
          ""};
    seen[i] = true;
    column.target = static_cast<int>(i);
    column.unit = unit_of(word, i < grid.coordinates());
  }
  for (std::size_t i = 0; i < grid.names.size(); ++i)
    if (!seen[i])
      throw GridError{
          line,
          fmt::format("the column {} is missing", in_quotes(grid.names[i])),
          grid.around_z ? "a map has the columns r z Br Bz"
                        : "a map has the columns x y z Bx By Bz"};
  return grid;
}

}  // namespace gttf::detail

namespace gttf {

namespace {

using detail::example_grid_header;
using detail::GridColumns;
using detail::GridError;
using detail::is_grid_separator;
using detail::names_grid_columns;
using detail::read_grid_columns;

/// Tolerance of node positions relative to the spacing: files round.
constexpr double off_place = 1e-3;
constexpr std::size_t max_map_bytes = std::size_t{1} << 30;
/// Text read at once, parsed by one thread.
constexpr std::size_t block_bytes = std::size_t{1} << 18;
/// Bytes of a map for which starting threads pays.
constexpr std::size_t worth_threads = std::size_t{1} << 20;

/// The file cannot be read at all; thrown.
struct Unreadable {
  std::string problem;
};

/// A file in blocks of whole lines, any number of times: a pipe, which can be
/// read only once, is kept in memory.
class TextBlocks {
 public:
  explicit TextBlocks(const std::string& path)
      : file_(open_input(path, "field map")) {
    if (!file_)
      throw Unreadable{fmt::format("the field map cannot be opened: {}",
                                   std::strerror(errno))};
    struct stat info {};
    if (fstat(fileno(file_.get()), &info) == 0 && S_ISREG(info.st_mode)) {
      size_ = static_cast<std::size_t>(info.st_size);
      if (size_ > max_map_bytes) refuse(too_long());
    } else {
      FileText all = read_text(file_.get(), max_map_bytes);
      if (!all.problem.empty()) refuse(all.problem);
      kept_ = std::move(all.text);
      if (kept_.empty()) kept_ = "\n";  // not a stream of no bytes
      size_ = kept_.size();
      file_.reset(fmemopen(kept_.data(), size_, "rb"));
      if (!file_) refuse(std::strerror(errno));
    }
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // straight into the blocks
  }

  std::size_t size() const { return size_; }

  void rewind() {
    std::rewind(file_.get());
    carry_.clear();
    at_end_ = false;
    bytes_ = 0;
  }

  /// The next lines; false after the last.
  bool next(std::string& block) {
    block = std::exchange(carry_, {});
    while (!at_end_) {
      const std::size_t had = block.size();
      block.resize(had + block_bytes);
      errno = 0;
      const std::size_t n =
          std::fread(block.data() + had, 1, block_bytes, file_.get());
      if (std::ferror(file_.get()) != 0) refuse(std::strerror(errno));
      block.resize(had + n);
      bytes_ += n;
      if (bytes_ > max_map_bytes) refuse(too_long());  // it grew
      if (std::memchr(block.data() + had, 0, n) != nullptr)
        refuse("not a text file: it contains bytes of value 0");
      at_end_ = n < block_bytes;
      if (at_end_) break;
      const std::size_t end = std::string_view(block).substr(had).rfind('\n');
      if (end == std::string_view::npos) continue;
      carry_ = block.substr(had + end + 1);
      block.resize(had + end + 1);
      break;
    }
    return !block.empty();
  }

 private:
  static std::string too_long() {
    return fmt::format("it is longer than {} MiB", max_map_bytes >> 20);
  }
  [[noreturn]] static void refuse(const std::string& why) {
    throw Unreadable{"the field map cannot be read: " + why};
  }

  FileHandle file_;
  std::string kept_;
  std::size_t size_ = 0, bytes_ = 0;
  std::string carry_;  // incomplete last line of the previous block
  bool at_end_ = false;
};

/// The lines of a block that are not empty.
class GridLines {
 public:
  explicit GridLines(std::string_view text) : rest_(text) {}

  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      whole_ = line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      while (!line_.empty() && is_grid_separator(line_.front()))
        line_.remove_prefix(1);
      while (!line_.empty() && is_grid_separator(line_.back()))
        line_.remove_suffix(1);
      if (line_.empty()) continue;
      const std::size_t mark = line_.front() == '#'      ? 1
                               : line_.front() == '%'    ? 1
                               : line_.front() == '!'    ? 1
                               : line_.starts_with("//") ? 2
                                                         : 0;
      is_comment_ = mark > 0;
      line_.remove_prefix(mark);
      return true;
    }
    return false;
  }

  /// Without separators at both ends and the mark of a comment.
  std::string_view line() const { return line_; }
  bool is_comment() const { return is_comment_; }
  /// As in the file, without its end.
  std::string_view whole() const { return whole_; }
  /// Number of the line in the block, from 1; at the end the number of lines.
  std::size_t number() const { return number_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_, line_, whole_;
  std::size_t number_ = 0;
  bool is_comment_ = false;
};

/// A line of the file, kept for errors.
struct KeptLine {
  static constexpr std::size_t most = 300;  // characters shown

  KeptLine() = default;
  KeptLine(std::string_view whole, std::size_t line)
      : text(whole.substr(0, most)), number(line) {}

  std::string text;
  std::size_t number = 1;  ///< from 1

  Diagnostic at(const std::string& path, std::size_t offset,
                std::size_t length) const {
    Diagnostic d =
        Source(path, text).at(offset, std::max<std::size_t>(1, length));
    d.line = static_cast<int>(number);
    return d;
  }
};

/// A coordinate of consecutive nodes, as runs of equal values: grids repeat
/// them.
class Runs {
 public:
  void add(double value) {
    if (values_.empty() || values_.back() != value) {
      values_.push_back(value);
      ends_.push_back(size());
    }
    ++ends_.back();
  }
  void append(const Runs& next) {
    const std::uint32_t before = size();
    std::size_t from = 0;
    if (!values_.empty() && values_.back() == next.values_.front()) {
      ends_.back() += next.ends_.front();
      from = 1;
    }
    for (std::size_t i = from; i < next.values_.size(); ++i) {
      values_.push_back(next.values_[i]);
      ends_.push_back(before + next.ends_[i]);
    }
  }

  std::uint32_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  double at(std::size_t node) const {
    const auto run = std::ranges::upper_bound(ends_, node);
    return values_[static_cast<std::size_t>(run - ends_.begin())];
  }
  /// The first node with another value than the first one; the size if none.
  std::size_t first_change() const { return ends_.front(); }

  /// Values of the nodes one after the other.
  class Cursor {
   public:
    explicit Cursor(const Runs& runs) : runs_(&runs) {}
    double next() {
      if (node_ == runs_->ends_[run_]) ++run_;
      ++node_;
      return runs_->values_[run_];
    }

   private:
    const Runs* runs_;
    std::size_t run_ = 0;
    std::uint32_t node_ = 0;
  };

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> ends_;  ///< node after the run
};

/// The nodes of a block of lines.
struct NodeBlock {
  std::vector<double> values;  ///< of the field
  std::array<Runs, 3> coordinates;
  std::size_t lines = 0;
  std::optional<Diagnostic> error;  ///< the first; its line counts from 1
};

/// One coordinate in the order of the lines.
struct Loop {
  double first = 0, spacing = 0;
  std::size_t count = 1;   ///< different values
  std::size_t period = 1;  ///< number of lines until it changes
};

class GridReader {
 public:
  explicit GridReader(const std::string& path) : path_(path), file_(path) {}

  /// Throws Diagnostic, Unreadable.
  FieldGrid read() {
    std::string block;
    const std::string_view first_nodes = read_header(block);
    read_nodes(first_nodes);
    if (values_.empty())
      fail(header_.at(path_, header_offset_, header_length_),
           "no nodes below the names of the columns",
           "write one line per node");
    find_loops();
    check_order();
    check_radii();
    return grid();
  }

 private:
  [[noreturn]] static void fail(Diagnostic where, std::string problem,
                                std::string suggestion = {}) {
    where.problem = std::move(problem);
    where.suggestion = std::move(suggestion);
    throw where;
  }

  Diagnostic located(const GridLines& lines, std::size_t lines_before,
                     const GridError& error) const {
    const KeptLine line(lines.whole(), lines_before + lines.number());
    Diagnostic d = line.at(
        path_,
        static_cast<std::size_t>(error.where.data() - lines.whole().data()),
        error.where.size());
    d.problem = error.problem;
    d.suggestion = error.suggestion;
    return d;
  }

  /// Reads up to the names of columns, in `block`; returns the rest of it.
  std::string_view read_header(std::string& block) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    const std::string example =
        fmt::format("begin with a line \"{}\"", example_grid_header);
    KeptLine first;
    while (file_.next(block)) {
      std::string_view text = block;
      if (lines_ == 0) {
        first = KeptLine(text.substr(0, text.find('\n')), 1);
        if (text.starts_with(byte_order_mark))
          text.remove_prefix(byte_order_mark.size());
      }
      GridLines lines(text);
      try {
        while (lines.next()) {
          if (names_grid_columns(lines.line())) {
            columns_ = read_grid_columns(lines.line());
            header_ = {lines.whole(), lines_ + lines.number()};
            header_offset_ = static_cast<std::size_t>(lines.line().data() -
                                                      lines.whole().data());
            header_length_ = lines.line().size();
            lines_ += lines.number();
            return lines.rest();
          }
          if (!lines.is_comment())
            throw GridError{lines.line(),
                            "the names of the columns are missing", example};
        }
      } catch (const GridError& error) {
        throw located(lines, lines_, error);
      }
      lines_ += lines.number();
    }
    fail(first.at(path_, 0, 1), "the field map is empty", example);
  }

  std::size_t coordinates() const { return columns_.coordinates(); }
  const std::string& shown(std::size_t i) const { return columns_.names[i]; }

  /// Blocks are parsed in parallel, and joined in their order.
  void read_nodes(std::string_view first_nodes) {
    bool is_first = true;
    const auto source = [&]() -> std::optional<std::string> {
      if (std::exchange(is_first, false)) return std::string(first_nodes);
      std::string block;
      if (!file_.next(block)) return std::nullopt;
      return block;
    };
    const unsigned threads = file_.size() > worth_threads ? thread_count(0) : 1;
    stream_in_order(
        source, threads, std::size_t{2} * threads,
        [this](const std::string& text, unsigned) { return parse(text); },
        [this](NodeBlock block) { join(std::move(block)); });
  }

  NodeBlock parse(std::string_view text) const {
    const std::size_t n = coordinates();
    NodeBlock block;
    constexpr std::size_t short_line = 32;  // bytes
    block.values.reserve(n * (text.size() / short_line));
    std::vector<std::string_view> last(columns_.columns.size());
    std::vector<double> last_value(columns_.columns.size());
    std::array<double, 6> node;
    GridLines lines(text);
    try {
      while (lines.next()) {
        if (lines.is_comment()) continue;
        read_node(lines.line(), last, last_value, node);
        for (std::size_t j = 0; j < n; ++j) block.coordinates[j].add(node[j]);
        for (std::size_t j = 0; j < n; ++j) block.values.push_back(node[n + j]);
      }
    } catch (const GridError& error) {
      block.error = located(lines, 0, error);
    }
    block.lines = lines.number();
    return block;
  }

  /// @param last, last_value  of each column; coordinates repeat from line to
  ///                          line
  void read_node(std::string_view line, std::vector<std::string_view>& last,
                 std::vector<double>& last_value,
                 std::array<double, 6>& node) const {
    const char* p = line.data();
    const char* const end = p + line.size();
    std::size_t k = 0;
    for (;; ++k) {
      while (p < end && is_grid_separator(*p)) ++p;
      if (p == end || k == columns_.columns.size()) break;
      const char* begin = p;
      while (p < end && !is_grid_separator(*p)) ++p;
      const GridColumns::Column& column = columns_.columns[k];
      if (column.target < 0) continue;
      const std::string_view word(begin, static_cast<std::size_t>(p - begin));
      if (word != last[k]) {
        last[k] = word;
        last_value[k] = number(word) * column.unit;
      }
      node[static_cast<std::size_t>(column.target)] = last_value[k];
    }
    if (k < columns_.columns.size() || p < end)
      throw GridError{line,
                      fmt::format("{} than the {} columns in the header",
                                  k < columns_.columns.size() ? "fewer numbers"
                                                              : "more numbers",
                                  columns_.columns.size()),
                      "write one node per line"};
  }

  static double number(std::string_view word) {
    double value = 0;
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw GridError{word, fmt::format("{} is not a number", in_quotes(word)),
                      word.find_first_of("dD") != word.npos
                          ? "write exponents with an E: 1.5E-3"
                          : ""};
    if (!std::isfinite(value))
      throw GridError{
          word, fmt::format("{} is not a finite number", in_quotes(word)),
          "give every node a value, or leave out that part of the grid"};
    return value;
  }

  void join(NodeBlock block) {
    if (block.error) {
      block.error->line += static_cast<int>(lines_);
      throw *block.error;
    }
    if (values_.empty() && block.lines > 0) {
      // the lines of a map have about the same length
      const std::size_t blocks = file_.size() / block_bytes + 1;
      values_.reserve(block.values.size() * (blocks + blocks / 16 + 1));
    }
    lines_ += block.lines;
    if (block.values.empty()) return;
    values_.insert(values_.end(), block.values.begin(), block.values.end());
    for (std::size_t j = 0; j < coordinates(); ++j)
      runs_[j].append(block.coordinates[j]);
  }

  std::size_t nodes() const { return runs_[0].size(); }

  /// The line of a node, for errors: searched for in the file.
  Diagnostic place_of(std::size_t node) {
    file_.rewind();
    std::string block;
    for (std::size_t before = 0; file_.next(block);) {
      GridLines lines(block);
      while (lines.next()) {
        const std::size_t number = before + lines.number();
        if (number <= header_.number || lines.is_comment() || node-- > 0)
          continue;
        std::string_view whole = lines.whole();
        if (whole.ends_with('\r')) whole.remove_suffix(1);
        const auto begin =
            static_cast<std::size_t>(lines.line().data() - whole.data());
        return KeptLine(whole, number).at(path_, begin, whole.size() - begin);
      }
      before += lines.number();
    }
    throw Unreadable{"the field map changed while it was read"};
  }

  /// Number of steps and spacing of each coordinate.
  void find_loops() {
    for (std::size_t j = 0; j < coordinates(); ++j) {
      const Runs& runs = runs_[j];
      Loop& loop = loops_[j];
      loop.first = runs.at(0);
      const std::size_t k = runs.first_change();
      if (k == nodes())
        fail(place_of(0), fmt::format("all nodes have the same {}", shown(j)),
             "a grid has at least two values of each coordinate");
      loop.period = k;
      loop.spacing = runs.at(k) - loop.first;
      // until it starts again
      const double tolerance = off_place * std::abs(loop.spacing);
      for (loop.count = 1; loop.count * k < nodes(); ++loop.count)
        if (std::abs(runs.at(loop.count * k) - loop.first) <= tolerance) break;
      const double last = runs.at((loop.count - 1) * k);
      const double step =
          (last - loop.first) / static_cast<double>(loop.count - 1);
      // the average is more precise than the first step, unless irregular
      if (std::abs(step - loop.spacing) <= tolerance) loop.spacing = step;
      order_.push_back(j);
    }
    std::ranges::sort(order_, {},
                      [&](std::size_t j) { return loops_[j].period; });
  }

  /// Indices of a node along each axis, advanced as by nested loops.
  void advance(std::array<std::size_t, 3>& index) const {
    for (const std::size_t j : order_) {
      if (++index[j] < loops_[j].count) break;
      index[j] = 0;
    }
  }

  /// Checks that every node has the position given by nested loops.
  void check_order() {
    std::size_t expected = 1;
    for (const std::size_t j : order_) expected *= loops_[j].count;
    std::array<std::size_t, 3> index{};
    std::vector<Runs::Cursor> at;
    for (std::size_t j = 0; j < coordinates(); ++j) at.emplace_back(runs_[j]);
    for (std::size_t node = 0; node < nodes(); ++node) {
      for (std::size_t j = 0; j < coordinates(); ++j) {
        const Loop& loop = loops_[j];
        const double is = at[j].next();
        const double place =
            loop.first + static_cast<double>(index[j]) * loop.spacing;
        if (std::abs(is - place) > off_place * std::abs(loop.spacing))
          misplaced(node, j, is, place);
      }
      advance(index);
    }
    if (nodes() != expected) {
      std::string counts;
      for (std::size_t j = 0; j < coordinates(); ++j)
        counts += fmt::format("{}{} {}", j > 0 ? " x " : "", loops_[j].count,
                              shown(j));
      fail(place_of(nodes() - 1),
           fmt::format("{} nodes, but the grid of {} has {}", nodes(), counts,
                       expected),
           nodes() < expected ? "the file is truncated, or nodes are missing"
                              : "there are too many nodes");
    }
  }

  void check_radii() {
    if (!columns_.around_z) return;
    Runs::Cursor at(runs_[0]);
    for (std::size_t node = 0; node < nodes(); ++node)
      if (const double r = at.next(); r < 0)
        fail(place_of(node), fmt::format("a radius below 0: r = {:.9g} mm", r),
             "keep the nodes with r >= 0");
  }

  [[noreturn]] void misplaced(std::size_t node, std::size_t j, double is,
                              double place) {
    const double steps = (is - loops_[j].first) / loops_[j].spacing;
    if (std::abs(steps - std::round(steps)) > off_place)
      fail(place_of(node),
           fmt::format("{0} = {1:.9g} mm, but the spacing of the first "
                       "nodes makes {0} = {2:.9g} mm",
                       shown(j), is, place),
           "the nodes must be evenly spaced along each axis; interpolate "
           "the map to a regular grid");
    fail(place_of(node),
         fmt::format("the node at {0} = {1:.9g} mm is found where {0} = "
                     "{2:.9g} mm is expected",
                     shown(j), is, place),
         "sort the nodes as nested loops over the coordinates write "
         "them, evenly spaced, none twice and none left out");
  }

  FieldGrid grid() {
    const std::size_t n = coordinates();
    FieldGrid grid;
    grid.around_z = columns_.around_z;
    std::array<std::size_t, 3> stride{};
    std::size_t nodes_so_far = 1;
    bool in_order = true;  // of the grid
    for (std::size_t j = n; j-- > 0;) {
      const Loop& loop = loops_[j];
      in_order = in_order && loop.period == nodes_so_far && loop.spacing > 0;
      stride[j] = nodes_so_far;
      nodes_so_far *= loop.count;
      const double last =
          loop.first + static_cast<double>(loop.count - 1) * loop.spacing;
      grid.axes.insert(grid.axes.begin(),
                       {std::min(loop.first, last), std::abs(loop.spacing),
                        static_cast<int>(loop.count)});
    }
    runs_ = {};  // its memory is used for the values
    if (in_order) {
      grid.values = std::move(values_);
      return grid;
    }
    grid.values.resize(values_.size());
    std::array<std::size_t, 3> index{};
    for (std::size_t node = 0; node * n < values_.size(); ++node) {
      std::size_t to = 0;
      for (std::size_t j = 0; j < n; ++j)
        to +=
            stride[j] *
            (loops_[j].spacing > 0 ? index[j] : loops_[j].count - 1 - index[j]);
      for (std::size_t c = 0; c < n; ++c)
        grid.values[to * n + c] = values_[node * n + c];
      advance(index);
    }
    return grid;
  }

  std::string path_;
  TextBlocks file_;
  std::size_t lines_ = 0;  ///< that were read
  KeptLine header_;
  std::size_t header_offset_ = 0, header_length_ = 0;
  GridColumns columns_;
  std::vector<double> values_;      ///< of the field, in the order of the lines
  std::array<Runs, 3> runs_;        ///< per coordinate
  std::array<Loop, 3> loops_;       ///< per coordinate
  std::vector<std::size_t> order_;  ///< coordinates, the fastest first
};

}  // namespace

std::optional<FieldGrid> read_field_grid(const std::string& path,
                                         Diagnostics& diagnostics) {
  if (is_binary_field_map(path))
    return read_binary_field_map(path, diagnostics);
  try {
    return GridReader(path).read();
  } catch (const Unreadable& why) {
    Diagnostic d;
    d.file = path;
    d.problem = why.problem;
    d.suggestion = suggest_file(path);
    diagnostics.add(std::move(d));
  } catch (const Diagnostic& error) {
    diagnostics.add(error);
  }
  return std::nullopt;
}

}  // namespace gttf
