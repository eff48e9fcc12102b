// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/legend.hpp"

#include <fmt/format.h>

#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/text_width.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf {
namespace {

constexpr double key_width = 26, key_height = 11, text_size = 12.5;
constexpr double line_height = 20, entry_gap = 18, text_gap = 6;

std::string line_key(const std::string& paint, Dash dash, double from,
                     double to) {
  const char* classes = dash == Dash::dashed        ? " dash"
                        : dash == Dash::dotted      ? " dot"
                        : dash == Dash::long_dashed ? " long"
                                                    : "";
  return fmt::format("<path class=\"ln {}{}\" d=\"M{} 5.5H{}\"/>", paint,
                     classes, coordinate(from), coordinate(to));
}

// The sign of an entry in a box of 26 x 11 px.
std::string key_of(const LegendEntry& entry) {
  const std::string paint = paint_class(entry.paint);
  const std::string box = fmt::format(
      "<rect class=\"ar {}\" x=\"4\" width=\"18\" height=\"11\"/>", paint);
  switch (entry.key) {
    case LegendEntry::Key::line:
      return line_key(paint, entry.dash, 1, 25);
    case LegendEntry::Key::two_lines:
      return line_key(paint, Dash::dashed, 0, 12) +
             line_key(paint, Dash::dotted, 15, 26);
    case LegendEntry::Key::box:
      return box;
    case LegendEntry::Key::hatched_box:
      return box + "<path class=\"hatch paper\" d=\"M6 11l8-11M12 11l8-11\"/>";
    case LegendEntry::Key::ring:
      return fmt::format(
          "<path class=\"mk {}\" stroke-width=\"7.4\" d=\"M13 5.5h0\"/>"
          "<path class=\"mk paper\" stroke-width=\"4.4\" d=\"M13 5.5h0\"/>",
          paint);
  }
  return box;
}

std::string joined_ids(const std::vector<std::string>& ids) {
  std::string out;
  for (const std::string& id : ids) out += (out.empty() ? "" : " ") + id;
  return out;
}

}  // namespace

SvgLegend svg_legend(const std::vector<LegendEntry>& entries, double width) {
  if (entries.empty()) return {};
  std::vector<std::pair<double, double>> places;  // x, line
  double x = 0, line = 0;
  for (const LegendEntry& entry : entries) {
    const double size =
        key_width + text_gap + text_width(entry.text, text_size);
    if (x > 0 && x + size > width) {
      x = 0;
      ++line;
    }
    places.emplace_back(x, line);
    x += size + entry_gap;
  }
  SvgLegend legend;
  legend.height = (line + 1) * line_height + 4;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [left, at] = places[i];
    const double top = at * line_height + 4 - legend.height;
    legend.elements += fmt::format(
        "<g class=\"entry\" data-t=\"{}\"{}><g transform=\"translate({} "
        "{})\">{}</g>{}</g>",
        escaped(joined_ids(entries[i].ids)),
        entries[i].on ? "" : " display=\"none\"", coordinate(left),
        coordinate(top), key_of(entries[i]),
        svg_text(left + key_width + text_gap, top + key_height - 1,
                 entries[i].text, {"tx ink2", Anchor::start, text_size}));
  }
  return legend;
}

std::string html_legend(const std::vector<LegendEntry>& entries) {
  if (entries.empty()) return "";
  std::string out =
      "<div class=\"lg\" role=\"group\" aria-label=\"Show or hide\">";
  for (const LegendEntry& entry : entries) {
    const std::string inside = fmt::format(
        "<svg viewBox=\"0 0 26 11\" aria-hidden=\"true\">{}</svg><span>{}"
        "</span>",
        key_of(entry), html_runs(entry.text));
    if (entry.ids.empty())
      out += "<span class=\"key\">" + inside + "</span>";
    else
      out += fmt::format(
          "<button type=\"button\" aria-pressed=\"{}\" data-t=\"{}\">{}"
          "</button>",
          entry.on, escaped(joined_ids(entry.ids)), inside);
  }
  return out + "</div>";
}

}  // namespace gttf
