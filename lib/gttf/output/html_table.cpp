// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gttf/output/plot/svg_text.hpp"

namespace gttf {
namespace {

// "+4.3 %", "−0.0021 %", "−830 %": as many digits as tell something.
std::string percent_text(double fraction) {
  constexpr double small = 1, large = 100;
  const double percent = 100 * fraction, size = std::abs(percent);
  if (size == 0) return "0 %";
  const RichText number = size < small   ? rich_number(percent, 2)
                          : size < large ? fixed_number(percent, 1)
                                         : fixed_number(percent, 0);
  return (fraction >= 0 ? "+" : "") + number + " %";
}

// A bar from the middle: to the right what is to spare, to the left what lacks.
// Half a scale is 50 %; longer bars are cut.
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

// The sign tells it to those who do not see the colour.
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
