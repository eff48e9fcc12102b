// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/markdown.hpp"

#include <algorithm>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

// Text that markdown would take for markup or for the end of the cell.
std::string markdown_escaped(std::string_view text) {
  std::string out;
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
    else {
      const bool link =
          c.code == ']' && (next == '(' || next == '[' || next == ':');
      if (c.code == '|' || c.code == '\\' || c.code == '*' || c.code == '`' ||
          c.code == '~' || link)
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
    MarkdownWriter writer(out, own);
    writer.write(section.table);
    writer.finish();
  }
  out.flush();
}

}  // namespace gttf
