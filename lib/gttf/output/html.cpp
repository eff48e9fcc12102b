// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/html.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "gttf/config/sha256.hpp"
#include "gttf/config/text.hpp"
#include "gttf/output/json.hpp"
#include "gttf/output/page_assets.hpp"
#include "gttf/output/plot/label_layout.hpp"
#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {

std::string script_hash(std::string_view script) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = sha256(script);
  std::string out;
  unsigned bits = 0, held = 0;
  for (const char c : hex) {
    bits = bits << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    held += 4;
    if (held < 6) continue;
    held -= 6;
    out += digits[bits >> held & 63];
  }
  // 256 bits are 42 digits and 4 bits more
  out += digits[bits << (6 - held) & 63];
  return "sha256-" + out + '=';
}

std::string script_json(const Document& document) {
  std::string text;
  append_compact_json(text, document);
  // only "</" could end the element; "<!--" would start a comment
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<')
      out += "\\u003c";
    else if (detail::is_command(text, i))
      out += "\\u0023";
    else
      out += text[i];
  }
  return out;
}

namespace {

std::string heading(const RichText& title, const RichText& subtitle,
                    const std::string& tools) {
  std::string out = "<div class=\"fh\"><h3>" + html_runs(title) + "</h3>";
  if (!subtitle.empty())
    out += "<span class=\"sub\">" + html_runs(subtitle) + "</span>";
  return out + tools + "</div>";
}

// Buttons that save `what` in these formats.
std::string save_buttons(std::string_view what, const Table& data, bool drawn) {
  std::string out = fmt::format(
      "<span class=\"tools\" role=\"group\" aria-label=\"Save {}\">", what);
  const auto add = [&out](std::string_view key, std::string_view name) {
    out += fmt::format("<button type=\"button\" data-k=\"{}\">{}</button>", key,
                       name);
  };
  if (drawn)
    out +=
        "<button type=\"button\" data-k=\"reset\" hidden>Reset zoom</button>";
  if (!data.columns.empty()) add("csv", "CSV");
  if (drawn) {
    add("svg", "SVG");
    add("png", "PNG");
  }
  return out + "</span>";
}

std::string html_figure(const Figure& figure) {
  std::string out = fmt::format("<figure id=\"{}\">", figure.id) +
                    heading(figure.title, figure.subtitle,
                            save_buttons("figure", figure.data, true)) +
                    html_legend(figure.legend) + "<div class=\"sv\">" +
                    figure_in_page(figure) + "</div>";
  if (!figure.caption.empty())
    out += "<figcaption>" + html_runs(figure.caption) + "</figcaption>";
  return out + "</figure>\n";
}

std::string html_block(const PageBlock& block) {
  if (const auto* paragraph = std::get_if<Paragraph>(&block))
    return fmt::format("<p{}>{}</p>\n",
                       paragraph->lead ? " class=\"lede\"" : "",
                       html_runs(paragraph->text));
  if (const auto* table = std::get_if<PageTable>(&block)) {
    if (table->folded) return html_table(*table);
    const bool saved = !table->data.columns.empty();
    std::string out =
        saved ? fmt::format("<section id=\"{}\">", table->id) : "<section>";
    if (!table->title.empty())
      out += heading(table->title, table->subtitle,
                     saved ? save_buttons("table", table->data, false) : "");
    return out + html_table(*table) + "</section>\n";
  }
  if (const auto* aside = std::get_if<Aside>(&block)) {
    std::string out =
        "<section class=\"aside\">" + heading(aside->title, "", "");
    for (const RichText& text : aside->paragraphs)
      out += "<p>" + html_runs(text) + "</p>";
    return out + "</section>\n";
  }
  return html_figure(std::get<Figure>(block));
}

std::string html_row(const PageRow& row) {
  std::string out;
  for (std::size_t i = 0; i < row.blocks.size(); ++i) {
    const bool column = row.split == PageRow::Split::wide_first && i == 1;
    if (column) out += "<div>";
    out += html_block(row.blocks[i]);
  }
  if (row.split == PageRow::Split::wide_first && row.blocks.size() > 1)
    out += "</div>";
  const char* split = row.split == PageRow::Split::full     ? "r1"
                      : row.split == PageRow::Split::halves ? "r2"
                                                            : "r21";
  return fmt::format("<div class=\"row {}\">{}</div>\n", split, out);
}

std::string head(const Page& page) {
  // The dark colours apply if the system of the reader is dark, unless light is
  // chosen; also without the script.
  const std::string dark = dark_variables();
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "\n<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'; script-src '{}'; img-src "
      "data: blob:; base-uri 'none'; form-action 'none'\">\n"
      "<link rel=\"icon\" href=\"data:,\"><title>{}</title>\n"
      "<style>:root{{{}}}\n@media screen and (prefers-color-scheme:dark)"
      "{{:root:not([data-theme=light]){{{}}}}}\n@media screen{{[data-theme="
      "dark]{{{}}}}}\n{}</style>\n<style id=\"figure-css\">{}{}</style></head>"
      "\n",
      script_hash(assets::report_js), escaped(plain_text(page.title)),
      light_variables(), dark, dark, assets::report_css, assets::figure_css,
      paint_rules());
}

std::string navigation(const Page& page) {
  std::string out = "<nav aria-label=\"Sections\">";
  for (const PageSection& section : page.sections)
    if (!section.short_title.empty())
      out += fmt::format("<a href=\"#{}\">{}</a>", section.id,
                         html_runs(section.short_title));
  return out +
         "<button class=\"theme\" type=\"button\">Theme: auto</button></nav>";
}

std::string facts(const Page& page,
                  const std::optional<Provenance>& provenance) {
  std::string out = "<footer id=\"provenance\"><h2>Provenance</h2><dl>";
  const auto add = [&out](const std::string& name, const std::string& html) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(name), html);
  };
  if (provenance) {
    add("Program", escaped(provenance->program + " " + provenance->version));
    add("Command", "<code>" + escaped(provenance->command_line) + "</code>");
    for (const InputFile& input : provenance->inputs) {
      const std::string& hash = input.hash();
      add("Input",
          "<code>" + escaped(input.file) + "</code>" +
              (hash.empty() ? "" : " · sha256 <code>" + hash + "</code>"));
    }
    for (const std::string& model : provenance->models)
      add("Model", escaped(model));
    if (provenance->seed) add("Seed", std::to_string(*provenance->seed));
  }
  for (const auto& [name, text] : page.facts) add(name, html_runs(text));
  return out + "</dl></footer>\n";
}

Document page_data(const Page& page) {
  Document figures, tables, colours;
  for (const PageSection& section : page.sections)
    for (const PageRow& row : section.rows)
      for (const PageBlock& block : row.blocks) {
        if (const auto* figure = std::get_if<Figure>(&block))
          figures.set(figure->id, figure_document(*figure));
        if (const auto* table = std::get_if<PageTable>(&block);
            table && !table->data.columns.empty())
          tables.set(table->id, table_document(*table));
      }
  for (const ThemeColour& colour : theme_colours())
    colours.set(std::string(colour.name), colour.light);
  return Document()
      .set("light", std::move(colours))
      .set("figures", std::move(figures))
      .set("tables", std::move(tables));
}

}  // namespace

void write_html(std::ostream& out, const Page& page,
                const std::optional<Provenance>& provenance) {
  out << head(page) << "<body>\n<header><div class=\"top\"><span>gttf-design "
      << "report</span>" << navigation(page) << "</div>\n<h1>"
      << html_runs(page.title) << "</h1>\n<p class=\"meta\">"
      << html_runs(page.conditions) << "</p></header>\n<main>\n";
  for (const PageSection& section : page.sections) {
    out << fmt::format("<h2 id=\"{}\">{}</h2>\n", section.id,
                       html_runs(section.title));
    for (const PageRow& row : section.rows) out << html_row(row);
  }
  out << "</main>\n"
      << facts(page, provenance)
      << "<div id=\"tip\" aria-hidden=\"true\"></div>"
         "<div id=\"live\" class=\"vh\" aria-live=\"polite\"></div>\n"
         "<script type=\"application/json\" id=\"data\">"
      << script_json(page_data(page)) << "</script>\n<script>"
      << assets::report_js << "</script></body></html>\n";
}

namespace {

// "+4.3 %", "−0.0021 %", "−830 %": only significant digits.
std::string percent_text(double fraction) {
  constexpr double small = 1, large = 100;
  const double percent = 100 * fraction, size = std::abs(percent);
  if (size == 0) return "0 %";
  const RichText number = size < small   ? rich_number(percent, 2)
                          : size < large ? fixed_number(percent, 1)
                                         : fixed_number(percent, 0);
  return (fraction >= 0 ? "+" : "") + number + " %";
}

// A bar from the middle: a positive margin to the right, a negative one to the
// left. Half the scale is 50 %; longer bars are truncated.
std::string html_margin(const MarginBar& margin) {
  constexpr double zero = 100, longest = 44, full = 0.5;
  const double length = std::clamp(margin.value / full, -1.0, 1.0) * longest;
  const bool good = margin.value >= 0;
  const double end = zero + length;
  const std::string text = percent_text(margin.value);
  return fmt::format(
      "<td class=\"mb\"><svg viewBox=\"0 0 200 16\" role=\"img\" aria-label=\""
      "{5}\"><rect class=\"ar {0}\" x=\"{1}\" y=\"2.5\" width=\"{2}\" "
      "height=\"11\"/><path class=\"fr\" d=\"M{3} 0v16\"/>{4}</svg></td>",
      good ? "good" : "bad", coordinate(std::min(zero, end)),
      coordinate(std::abs(length)), coordinate(zero),
      svg_text(end + (good ? 6 : -6), 12.2, text,
               {"tx ink", good ? Anchor::start : Anchor::end, 12.5}),
      text);
}

// The sign makes it readable without colour.
std::string html_verdict(const Verdict& verdict) {
  const bool good = verdict.state == Verdict::State::good;
  const char* sign = good                                   ? "✓"
                     : verdict.state == Verdict::State::bad ? "✗"
                                                            : "?";
  return fmt::format("<td class=\"l verdict {}\">{} {}</td>",
                     good ? "ok" : "wrong", sign, escaped(verdict.word));
}

std::string html_cell(const PageCell& cell, const PageColumn& column,
                      bool head) {
  if (const auto* margin = std::get_if<MarginBar>(&cell))
    return html_margin(*margin);
  if (const auto* verdict = std::get_if<Verdict>(&cell))
    return html_verdict(*verdict);
  const std::string text = html_runs(std::get<RichText>(cell));
  const char* side = column.right ? "" : " class=\"l\"";
  return head ? fmt::format("<th scope=\"row\"{}>{}</th>", side, text)
              : fmt::format("<td{}>{}</td>", side, text);
}

std::string html_head(const PageTable& table) {
  const bool two_lines = std::any_of(
      table.columns.begin(), table.columns.end(),
      [](const PageColumn& column) { return !column.span.empty(); });
  std::string first, second;
  for (std::size_t i = 0; i < table.columns.size();) {
    const PageColumn& column = table.columns[i];
    if (column.span.empty()) {
      first += fmt::format(
          "<th scope=\"col\"{}{}>{}</th>", column.right ? "" : " class=\"l\"",
          two_lines ? " rowspan=\"2\"" : "", html_runs(column.title));
      ++i;
      continue;
    }
    std::size_t end = i;
    for (; end < table.columns.size() && table.columns[end].span == column.span;
         ++end)
      second += fmt::format("<th scope=\"col\">{}</th>",
                            html_runs(table.columns[end].title));
    first += fmt::format(
        "<th scope=\"colgroup\" class=\"span\" colspan=\"{}\">{}</th>", end - i,
        html_runs(column.span));
    i = end;
  }
  std::string out = "<thead><tr>" + first + "</tr>";
  if (two_lines) out += "<tr>" + second + "</tr>";
  return out + "</thead>";
}

}  // namespace

std::string html_table(const PageTable& table) {
  std::string out = "<div class=\"tw\"><table>" + html_head(table) + "<tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    const std::size_t name =
        !row.empty() && std::holds_alternative<Verdict>(row[0]) ? 1 : 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      out += html_cell(row[i], table.columns[i], i == name);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>";
  if (!table.caption.empty())
    out += "<p class=\"note\">" + html_runs(table.caption) + "</p>";
  if (!table.folded) return out;
  return "<details><summary>" + html_runs(table.title) + "</summary>" + out +
         "</details>";
}

}  // namespace gttf
