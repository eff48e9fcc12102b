// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/svg_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gttf/output/plot/text_width.hpp"

namespace gttf {
namespace {

// Shifts of the base line and the width of a space, in units of the font size.
constexpr double subscript_shift = 0.24;
constexpr double superscript_shift = -0.36;
constexpr double space_width = 0.278;

double shift_of(TextStyle style) {
  if (style == TextStyle::subscript) return subscript_shift;
  return style == TextStyle::superscript ? superscript_shift : 0;
}

bool is_script(TextStyle style) { return shift_of(style) != 0; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
          out += c;
    }
  }
  return out;
}

std::string coordinate(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string svg_runs(std::string_view markup, double font_size) {
  std::string out;
  double shift = 0;
  bool space_before = false;
  for (const TextRun& run : text_runs(markup)) {
    const double wanted = shift_of(run.style) * font_size;
    std::string_view text = run.text;
    const bool border = !out.empty();
    bool space = space_before;
    if (border && text.starts_with(' ')) {
      space = true;
      text.remove_prefix(1);
    }
    space_before = text.ends_with(' ');
    if (space_before) text.remove_suffix(1);

    std::string attributes;
    if (std::abs(wanted - shift) > 1e-9)
      attributes += fmt::format(" dy=\"{}\"", coordinate(wanted - shift, 2));
    if (space)
      attributes +=
          fmt::format(" dx=\"{}\"", coordinate(space_width * font_size));
    if (is_script(run.style))
      attributes +=
          fmt::format(" font-size=\"{}\"", coordinate(script_size * font_size));
    if (run.style == TextStyle::italic) attributes += " font-style=\"italic\"";
    shift = wanted;
    if (attributes.empty())
      out += escaped(text);
    else
      out += fmt::format("<tspan{}>{}</tspan>", attributes, escaped(text));
  }
  return out;
}

std::string html_runs(std::string_view markup) {
  std::string out;
  for (const TextRun& run : text_runs(markup)) {
    const char* tag = run.style == TextStyle::italic        ? "i"
                      : run.style == TextStyle::subscript   ? "sub"
                      : run.style == TextStyle::superscript ? "sup"
                                                            : nullptr;
    out += tag == nullptr
               ? escaped(run.text)
               : fmt::format("<{0}>{1}</{0}>", tag, escaped(run.text));
  }
  return out;
}

std::string svg_text(double x, double y, std::string_view markup,
                     const SvgTextStyle& style) {
  constexpr const char* anchors[] = {"", " text-anchor=\"middle\"",
                                     " text-anchor=\"end\""};
  std::string attributes = anchors[static_cast<int>(style.anchor)];
  if (style.rotation != 0)
    attributes +=
        fmt::format(" transform=\"rotate({} {} {})\"",
                    coordinate(-style.rotation), coordinate(x), coordinate(y));
  if (!style.id.empty())
    attributes += fmt::format(" data-s=\"{}\"", escaped(style.id));
  return fmt::format(
      "<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\"{}>{}</text>",
      style.classes, coordinate(x), coordinate(y), coordinate(style.size),
      attributes, svg_runs(markup, style.size));
}

}  // namespace gttf
