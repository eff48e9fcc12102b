// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/text.hpp"

#include <algorithm>
#include <string_view>

#include "gttf/config/text.hpp"
#include "gttf/output/table_style.hpp"

namespace gttf {
namespace {

constexpr std::size_t rows_for_widths = 1000;
constexpr int usual_digits = 3;

// Words in lines of at most `width` characters, each with its end.
std::string in_lines(std::string_view text, std::size_t width) {
  std::string out, line;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word(text.substr(from, end - from));
    from = end + 1;
    if (!line.empty() && text_width(line) + 1 + text_width(word) > width) {
      out += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line + '\n';
}

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string aligned(std::string_view text, std::size_t width, bool left) {
  const std::size_t own = text_width(text);
  const std::string fill(width > own ? width - own : 0, ' ');
  return left ? std::string(text) + fill : fill + std::string(text);
}

void AlignedWriter::lay_out(const Table& block) {
  shown_ = shown_columns(block, style_);
  for (const std::size_t i : shown_) {
    const Column& column = block.columns[i];
    ColumnLayout layout;
    layout.heading = heading_of(column.name);
    layout.text = std::holds_alternative<Texts>(column.cells);
    layout.width = heading_width(layout);
    columns_.push_back(std::move(layout));
  }
}

void AlignedWriter::write(const Table& block) {
  if (columns_.empty()) lay_out(block);
  const int digits = style_.precision > 0 ? style_.precision : usual_digits;
  const std::size_t rows = block.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    Row cells(shown_.size());
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const auto& values = block.columns[shown_[i]].cells;
      const Heading& heading = columns_[i].heading;
      if (const auto* reals = std::get_if<Reals>(&values)) {
        const double value = (*reals)[row] * heading.factor;
        constexpr int longest = 17;
        // the same number of decimals above 1 as below
        const bool more = heading.ratio && digits < longest && value >= 0.9995;
        cells[i] = readable(value, digits + (more ? 1 : 0), heading.zeros);
      } else if (const auto* integers = std::get_if<Integers>(&values)) {
        cells[i] = std::to_string((*integers)[row]);
      } else {
        const std::string& text = std::get<Texts>(values)[row];
        cells[i] = text.empty() ? "-" : cell_text(text);
      }
    }
    if (released_) {
      append_row(buffer_, cells);
    } else {
      for (std::size_t i = 0; i < cells.size(); ++i)
        columns_[i].width = std::max(columns_[i].width, text_width(cells[i]));
      waiting_.push_back(std::move(cells));
      if (waiting_.size() == rows_for_widths) release();
    }
    if (buffer_.size() > detail::flush_above) {
      out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      buffer_.clear();
    }
  }
}

// From the right, except for the first column.
void AlignedWriter::leave_out_columns() {
  const std::size_t gap = gap_width();
  if (style_.width == 0 || gap == 0) return;
  std::size_t width = 0, fitting = 0;
  for (; fitting < columns_.size(); ++fitting) {
    width += columns_[fitting].width + (fitting > 0 ? gap : 0);
    if (width > style_.width && fitting > 0) break;
  }
  for (std::size_t i = fitting; i < columns_.size(); ++i)
    left_out_.push_back(one_line(columns_[i].heading));
  columns_.resize(fitting);
  shown_.resize(fitting);
  for (Row& row : waiting_) row.resize(fitting);
}

void AlignedWriter::release() {
  released_ = true;
  leave_out_columns();
  append_head(buffer_);
  for (const Row& row : waiting_) append_row(buffer_, row);
  waiting_ = {};
}

void AlignedWriter::finish() {
  if (!released_) release();
  if (!left_out_.empty()) {
    std::string line = "not shown, the line is full:";
    for (const std::string& name : left_out_)
      line += (&name == &left_out_.front() ? " " : ", ") + name;
    buffer_ += in_lines(line, style_.width);
  }
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  out_.flush();
}

namespace {

constexpr std::string_view gap = "  ";
constexpr std::string_view bold = "\033[1m";
constexpr std::string_view plain = "\033[0m";

// Lines of a heading: name, then unit.
std::vector<std::string> lines_of(const Heading& heading) {
  std::vector<std::string> lines = heading.words;
  if (!heading.unit.empty()) lines.push_back("[" + heading.unit + "]");
  return lines;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line;
  out += '\n';
}

void append_emphasised(std::string& out, std::string_view text, bool colour) {
  if (colour) out += bold;
  out += text;
  if (colour) out += plain;
}

// A cell is one line for any text.
std::string in_one_line(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return visible(out);
}

}  // namespace

std::size_t TextWriter::heading_width(const ColumnLayout& column) const {
  std::size_t width = 0;
  for (const std::string& line : lines_of(column.heading))
    width = std::max(width, text_width(line));
  return width;
}

std::string TextWriter::cell_text(const std::string& text) const {
  return in_one_line(text);
}

void TextWriter::append_head(std::string& out) const {
  if (style().provenance) out += to_lines(*style().provenance, "# ");
  if (!style().title.empty()) out += in_one_line(style().title) + "\n\n";
  std::size_t height = 0;
  for (const ColumnLayout& column : columns())
    height = std::max(height, lines_of(column.heading).size());
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (const ColumnLayout& column : columns()) {
      const std::vector<std::string> own = lines_of(column.heading);
      const std::size_t above = height - own.size();  // directly above the rule
      if (&column != &columns().front()) text += gap;
      text += aligned(line < above ? "" : own[line - above], column.width,
                      column.text);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    append_emphasised(out, text, style().colour);
    out += '\n';
  }
  std::string rule;
  for (const ColumnLayout& column : columns()) {
    if (&column != &columns().front()) rule += gap;
    rule.append(column.width, '-');
  }
  append_line(out, rule);
}

std::size_t TextWriter::gap_width() const { return gap.size(); }

void TextWriter::append_row(std::string& out, const Row& row) const {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += gap;
    text += aligned(row[i], columns()[i].width, columns()[i].text);
  }
  append_line(out, text);
}

void write_text(std::ostream& out, const Summary& summary,
                const TableStyle& style) {
  std::string text;
  const auto flush = [&] {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  };
  if (style.provenance) text += to_lines(*style.provenance, "# ");
  if (!summary.title.empty()) {
    append_emphasised(text, in_one_line(summary.title), style.colour);
    text += '\n';
  }
  for (const Section& section : summary.sections) {
    if (!section.title.empty()) {
      text += '\n';
      append_emphasised(text, in_one_line(section.title), style.colour);
      text += '\n';
    }
    std::size_t width = 0;
    for (const auto& [name, value] : section.facts)
      width = std::max(width, text_width(in_one_line(name)));
    for (const auto& [name, value] : section.facts)
      append_line(text, "  " + aligned(in_one_line(name), width, true) + "  " +
                            in_one_line(value));
    if (section.table.columns.empty()) continue;
    flush();
    TableStyle own;
    own.colour = style.colour;
    own.precision = style.precision > 0 ? style.precision : section.digits;
    own.width = style.width;
    TextWriter writer(out, own);
    writer.write(section.table);
    writer.finish();
  }
  flush();
  out.flush();
}

namespace {

// Escapes text that is markup or ends the cell in Markdown.
std::string markdown_escaped(std::string_view text) {
  std::string out;
  const std::size_t command = detail::command_at_begin(text);
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool entity = next == '#' || (next >= 'A' && next <= 'Z') ||
                        (next >= 'a' && next <= 'z');
    if (c.code == '\n')
      out += "<br>";
    else if (c.code == '\r' || c.code == '\t')
      out += ' ';
    else if (!c.valid)
      out += "\uFFFD";
    else if (detail::is_invisible(c.code)) {
      out += '\\';  // of the backslash that follows
      detail::append_escape(out, c.code);
    } else if (c.code == '<')
      out += "&lt;";
    else if (c.code == '&' && entity)
      out += "&amp;";
    else if (detail::is_command(text, i)) {
      out += "#\\";  // the second "#" follows
    } else {
      const bool link =
          c.code == ']' && (next == '(' || next == '[' || next == ':');
      if (c.code == '|' || c.code == '\\' || c.code == '*' || c.code == '`' ||
          c.code == '~' || link || i == command)
        out += '\\';
      out += text.substr(i, c.bytes);
    }
    i += c.bytes;
  }
  return out;
}

std::string comment(const Provenance& provenance) {
  std::string lines = to_lines(provenance, "");
  // "-->" would end the comment.
  for (std::size_t i = lines.find("-->"); i != lines.npos;
       i = lines.find("-->", i))
    lines.replace(i, 3, "--&gt;");
  return "<!--\n" + lines + "-->\n\n";
}

std::string heading_text(const Heading& heading) {
  return markdown_escaped(one_line(heading));
}

}  // namespace

std::size_t MarkdownWriter::heading_width(const ColumnLayout& column) const {
  constexpr std::size_t shortest_rule = 3;  // "--:"
  return std::max(shortest_rule, text_width(heading_text(column.heading)));
}

std::string MarkdownWriter::cell_text(const std::string& text) const {
  return markdown_escaped(text);
}

void MarkdownWriter::append_head(std::string& out) const {
  if (style().provenance) out += comment(*style().provenance);
  if (!style().title.empty()) out += markdown_escaped(style().title) + "\n\n";
  std::string rule = "|";
  out += '|';
  for (const ColumnLayout& column : columns()) {
    out += ' ';
    out += aligned(heading_text(column.heading), column.width, column.text);
    out += " |";
    rule += ' ';
    rule.append(column.width - 1, '-');
    rule += column.text ? "- |" : ": |";
  }
  out += '\n';
  out += rule;
  out += '\n';
}

void MarkdownWriter::append_row(std::string& out, const Row& row) const {
  out += '|';
  for (std::size_t i = 0; i < row.size(); ++i) {
    out += ' ';
    out += aligned(row[i], columns()[i].width, columns()[i].text);
    out += " |";
  }
  out += '\n';
}

void write_markdown(std::ostream& out, const Summary& summary,
                    const TableStyle& style) {
  if (style.provenance) out << comment(*style.provenance);
  if (!summary.title.empty())
    out << "# " << markdown_escaped(summary.title) << '\n';
  for (const Section& section : summary.sections) {
    if (!section.title.empty())
      out << "\n## " << markdown_escaped(section.title) << '\n';
    if (!section.facts.empty()) out << '\n';
    for (const auto& [name, value] : section.facts)
      out << "- " << markdown_escaped(name) << ": " << markdown_escaped(value)
          << '\n';
    if (section.table.columns.empty()) continue;
    out << '\n';
    TableStyle own;
    own.precision = style.precision > 0 ? style.precision : section.digits;
    own.width = style.width;
    MarkdownWriter writer(out, own);
    writer.write(section.table);
    writer.finish();
  }
  out.flush();
}

}  // namespace gttf
