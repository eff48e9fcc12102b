// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/field_grid_file.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/opened_files.hpp"
#include "gttf/config/quantity.hpp"
#include "gttf/config/source.hpp"
#include "gttf/config/text.hpp"

// Parts of the reader of field maps: errors, and the header line.
namespace gttf::detail {

/// The first error in a map; thrown.
struct GridFault {
  std::string_view where;  ///< part of the text
  std::string problem, suggestion;
};

inline constexpr std::string_view example_grid_header =
    "x[mm] y[mm] z[mm] Bx[T] By[T] Bz[T]";

/// Separators between the numbers of a line.
inline bool is_grid_separator(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
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

/// Reads a header line. Throws GridFault.
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
    throw GridFault{word,
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
    throw GridFault{word,
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
    throw GridFault{line, fmt::format("more than {} columns", most_columns),
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
      throw GridFault{
          word, fmt::format("the column {} is given twice", in_quotes(word)),
          ""};
    seen[i] = true;
    column.target = static_cast<int>(i);
    column.unit = unit_of(word, i < grid.coordinates());
  }
  for (std::size_t i = 0; i < grid.names.size(); ++i)
    if (!seen[i])
      throw GridFault{
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
using detail::GridFault;
using detail::is_grid_separator;
using detail::names_grid_columns;
using detail::read_grid_columns;

/// Tolerance of node positions relative to the spacing: files round.
constexpr double off_place = 1e-3;
constexpr std::size_t max_map_bytes = std::size_t{1} << 30;

std::optional<std::string> read_all(const std::string& path,
                                    Diagnostics& diagnostics) {
  const auto refuse = [&](std::string problem) {
    Diagnostic d;
    d.file = path;
    d.problem = std::move(problem);
    d.suggestion = suggest_file(path);
    diagnostics.add(std::move(d));
    return std::nullopt;
  };
  const FileHandle file = open_input(path, "field map");
  if (!file)
    return refuse(fmt::format("the field map cannot be opened: {}",
                              std::strerror(errno)));
  FileText read = read_text(file.get(), max_map_bytes);
  if (!read.problem.empty())
    return refuse("the field map cannot be read: " + read.problem);
  return std::move(read.text);
}

/// One coordinate in the order of the lines.
struct Run {
  double first = 0, spacing = 0;
  std::size_t count = 1;   ///< different values
  std::size_t period = 1;  ///< number of lines until it changes
};

class GridReader {
 public:
  explicit GridReader(std::string_view text) : text_(text) {}

  FieldGrid read() {
    read_header();
    read_nodes();
    if (values_.empty())
      throw fault(header_, "no nodes below the names of the columns",
                  "write one line per node");
    find_runs();
    check_order();
    check_radii();
    return grid();
  }

 private:
  /// The next line that is not empty; false at the end. `comment` is set if it
  /// is a comment, and its mark is removed.
  bool next_line(std::string_view& line, bool& comment) {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line = text_.substr(at_, end - at_);
      at_ = end + 1;
      while (!line.empty() && is_grid_separator(line.front()))
        line.remove_prefix(1);
      while (!line.empty() && is_grid_separator(line.back()))
        line.remove_suffix(1);
      if (line.empty()) continue;
      const std::size_t mark = line.front() == '#'      ? 1
                               : line.front() == '%'    ? 1
                               : line.front() == '!'    ? 1
                               : line.starts_with("//") ? 2
                                                        : 0;
      comment = mark > 0;
      line.remove_prefix(mark);
      return true;
    }
    return false;
  }

  static GridFault fault(std::string_view where, std::string problem,
                         std::string suggestion = {}) {
    return {where, std::move(problem), std::move(suggestion)};
  }

  void read_header() {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    bool comment = false;
    while (next_line(header_, comment)) {
      if (names_grid_columns(header_)) {
        columns_ = read_grid_columns(header_);
        return;
      }
      if (comment) continue;
      throw fault(header_, "the names of the columns are missing",
                  fmt::format("begin with a line \"{}\"", example_grid_header));
    }
    throw fault(text_.substr(0, 0), "the field map is empty",
                fmt::format("begin with a line \"{}\"", example_grid_header));
  }

  std::size_t coordinates() const { return columns_.coordinates(); }
  const std::string& shown(std::size_t i) const { return columns_.names[i]; }

  void read_nodes() {
    const std::size_t width = columns_.names.size();
    // an estimate for numbers of about ten characters
    values_.reserve(text_.size() / 10);
    std::vector<std::string_view> last(columns_.columns.size());
    std::vector<double> last_value(columns_.columns.size());
    std::string_view line;
    bool comment = false;
    while (next_line(line, comment)) {
      if (comment) continue;
      lines_.push_back(static_cast<std::size_t>(line.data() - text_.data()));
      const std::size_t node = values_.size();
      values_.resize(node + width);
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
        // coordinates repeat from line to line
        if (word != last[k]) {
          last[k] = word;
          last_value[k] = number(word) * column.unit;
        }
        values_[node + static_cast<std::size_t>(column.target)] = last_value[k];
      }
      if (k < columns_.columns.size() || p < end)
        throw fault(line,
                    fmt::format("{} than the {} columns in the header",
                                k < columns_.columns.size() ? "fewer numbers"
                                                            : "more numbers",
                                columns_.columns.size()),
                    "one line holds one node");
    }
  }

  double number(std::string_view word) const {
    double value = 0;
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw fault(word, fmt::format("{} is not a number", in_quotes(word)),
                  word.find_first_of("dD") != word.npos
                      ? "write exponents with an E: 1.5E-3"
                      : "");
    if (!std::isfinite(value))
      throw fault(
          word, fmt::format("{} is not a finite number", in_quotes(word)),
          "give every node a value, or leave out that part of the grid");
    return value;
  }

  std::size_t nodes() const { return lines_.size(); }
  double coordinate(std::size_t node, std::size_t j) const {
    return values_[node * columns_.names.size() + j];
  }
  std::string_view line_at(std::size_t node) const {
    const std::size_t begin = lines_[node];
    std::string_view line = text_.substr(begin);
    line = line.substr(0, line.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  /// Number of steps and spacing of each coordinate.
  void find_runs() {
    runs_.assign(coordinates(), {});
    for (std::size_t j = 0; j < coordinates(); ++j) {
      Run& run = runs_[j];
      run.first = coordinate(0, j);
      std::size_t k = 1;
      while (k < nodes() && coordinate(k, j) == run.first) ++k;
      if (k == nodes())
        throw fault(line_at(0),
                    fmt::format("all nodes have the same {}", shown(j)),
                    "a grid has at least two values of each coordinate");
      run.period = k;
      run.spacing = coordinate(k, j) - run.first;
      // until it starts again
      const double tolerance = off_place * std::abs(run.spacing);
      for (run.count = 1; run.count * k < nodes(); ++run.count)
        if (std::abs(coordinate(run.count * k, j) - run.first) <= tolerance)
          break;
      const double last = coordinate((run.count - 1) * k, j);
      const double step =
          (last - run.first) / static_cast<double>(run.count - 1);
      // the average is more precise than the first step, unless irregular
      if (std::abs(step - run.spacing) <= tolerance) run.spacing = step;
    }
    order_.resize(coordinates());
    for (std::size_t j = 0; j < order_.size(); ++j) order_[j] = j;
    std::ranges::sort(order_, {},
                      [&](std::size_t j) { return runs_[j].period; });
  }

  /// Checks that every node has the position given by nested loops.
  void check_order() const {
    std::size_t expected = 1;
    std::vector<std::size_t> index(coordinates());
    for (const std::size_t j : order_) expected *= runs_[j].count;
    for (std::size_t node = 0; node < nodes(); ++node) {
      for (std::size_t j = 0; j < coordinates(); ++j) {
        const Run& run = runs_[j];
        const double place =
            run.first + static_cast<double>(index[j]) * run.spacing;
        if (std::abs(coordinate(node, j) - place) >
            off_place * std::abs(run.spacing))
          misplaced(node, j, place);
      }
      for (const std::size_t j : order_) {
        if (++index[j] < runs_[j].count) break;
        index[j] = 0;
      }
    }
    if (nodes() != expected) {
      std::string counts;
      for (std::size_t j = 0; j < coordinates(); ++j)
        counts += fmt::format("{}{} {}", j > 0 ? " x " : "", runs_[j].count,
                              shown(j));
      throw fault(line_at(nodes() - 1),
                  fmt::format("{} nodes, but the grid of {} has {}", nodes(),
                              counts, expected),
                  nodes() < expected
                      ? "the file is cut off, or nodes are missing"
                      : "there are nodes too many");
    }
  }

  void check_radii() const {
    if (!columns_.around_z) return;
    for (std::size_t node = 0; node < nodes(); ++node)
      if (coordinate(node, 0) < 0)
        throw fault(
            line_at(node),
            fmt::format("a radius below 0: r = {:.9g} mm", coordinate(node, 0)),
            "keep the nodes with r >= 0");
  }

  [[noreturn]] void misplaced(std::size_t node, std::size_t j,
                              double place) const {
    const double is = coordinate(node, j);
    const double steps = (is - runs_[j].first) / runs_[j].spacing;
    if (std::abs(steps - std::round(steps)) > off_place)
      throw fault(
          line_at(node),
          fmt::format("{0} = {1:.9g} mm, but the spacing of the first "
                      "nodes makes {0} = {2:.9g} mm",
                      shown(j), is, place),
          "the nodes must be evenly spaced along each axis; interpolate "
          "the map to a regular grid");
    throw fault(line_at(node),
                fmt::format("the node at {0} = {1:.9g} mm is found where {0} = "
                            "{2:.9g} mm is expected",
                            shown(j), is, place),
                "sort the nodes as nested loops over the coordinates write "
                "them, evenly spaced, none twice and none left out");
  }

  FieldGrid grid() const {
    const std::size_t n = coordinates(), components = n;
    FieldGrid grid;
    grid.around_z = columns_.around_z;
    std::vector<std::size_t> stride(n), start(n);
    std::size_t nodes_so_far = 1;
    for (std::size_t j = n; j-- > 0;) {
      const Run& run = runs_[j];
      stride[j] = nodes_so_far;
      nodes_so_far *= run.count;
      const double last =
          run.first + static_cast<double>(run.count - 1) * run.spacing;
      grid.axes.insert(grid.axes.begin(),
                       {std::min(run.first, last), std::abs(run.spacing),
                        static_cast<int>(run.count)});
    }
    grid.values.resize(nodes() * components);
    std::vector<std::size_t> index(n);
    for (std::size_t node = 0; node < nodes(); ++node) {
      std::size_t to = 0;
      for (std::size_t j = 0; j < n; ++j)
        to += stride[j] *
              (runs_[j].spacing > 0 ? index[j] : runs_[j].count - 1 - index[j]);
      for (std::size_t c = 0; c < components; ++c)
        grid.values[to * components + c] = values_[node * 2 * n + n + c];
      for (const std::size_t j : order_) {
        if (++index[j] < runs_[j].count) break;
        index[j] = 0;
      }
    }
    return grid;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view header_;
  GridColumns columns_;
  std::vector<double> values_;      ///< per node, in the order of the names
  std::vector<std::size_t> lines_;  ///< start of the lines of nodes
  std::vector<Run> runs_;           ///< per coordinate
  std::vector<std::size_t> order_;  ///< coordinates, the fastest first
};

}  // namespace

std::optional<FieldGrid> read_field_grid(const std::string& path,
                                         Diagnostics& diagnostics) {
  const auto text = read_all(path, diagnostics);
  if (!text) return std::nullopt;
  try {
    return GridReader(*text).read();
  } catch (const GridFault& fault) {
    // of the whole text, only the current line is kept
    const std::size_t end =
        static_cast<std::size_t>(fault.where.data() - text->data());
    const std::size_t newline =
        end == 0 ? text->npos : text->rfind('\n', end - 1);
    const std::size_t begin = newline == text->npos ? 0 : newline + 1;
    const std::size_t stop = std::min(text->find('\n', begin), text->size());
    Diagnostic d =
        Source(path,
               text->substr(begin, std::min<std::size_t>(stop - begin, 300)))
            .at(end - begin, std::max<std::size_t>(1, fault.where.size()));
    d.line += static_cast<int>(std::count(
        text->begin(), text->begin() + static_cast<long>(begin), '\n'));
    d.problem = fault.problem;
    d.suggestion = fault.suggestion;
    diagnostics.add(std::move(d));
    return std::nullopt;
  }
}

}  // namespace gttf
