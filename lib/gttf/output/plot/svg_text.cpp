// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/svg_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "gttf/config/text.hpp"
#include "gttf/core/rich_text.hpp"

namespace gttf {
namespace {

// Thousandths of the font size, characters 32 to 126: the wider of Helvetica
// and DejaVu Sans.
constexpr std::array<int, 95> widths{
    318, 401, 460, 838, 636,  950, 780, 275, 390, 390, 500, 838, 318, 361,
    318, 337, 636, 636, 636,  636, 636, 636, 636, 636, 636, 636, 337, 337,
    838, 838, 838, 556, 1015, 684, 686, 722, 770, 667, 611, 778, 752, 295,
    500, 667, 557, 863, 748,  787, 667, 787, 722, 667, 611, 732, 684, 989,
    685, 667, 685, 390, 337,  390, 838, 556, 500, 613, 635, 550, 635, 615,
    352, 635, 634, 278, 278,  579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592,  592, 525, 636, 337, 636, 838};
constexpr double sign_width = 0.838;  // of mathematical signs
constexpr double other_width = 0.68;  // of Greek letters and the rest
constexpr double bold_factor = 1.13;

bool is_sign(char32_t c) {
  return c == U'\u2212' || c == U'\u00d7' || c == U'\u00b1' ||
         (c >= U'\u2190' && c <= U'\u22ff');
}

double width_of(std::string_view text) {
  double sum = 0;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    if (c.code >= 32 && c.code < 127)
      sum += widths[static_cast<std::size_t>(c.code - 32)] * 1e-3;
    else
      sum += (is_sign(c.code) ? sign_width : other_width) *
             detail::display_width(c.code);
    i += c.bytes;
  }
  return sum;
}

}  // namespace

double text_width(std::string_view markup, double font_size, Weight weight) {
  double sum = 0;
  for (const TextRun& run : text_runs(markup)) {
    const bool script = run.style == TextStyle::subscript ||
                        run.style == TextStyle::superscript;
    sum += width_of(run.text) * (script ? script_size : 1);
  }
  return sum * font_size * (weight == Weight::bold ? bold_factor : 1);
}

namespace {

// Far outside every figure: preserves steep lines and keeps numbers short.
constexpr double limit = 2e4;

long in_tenths(double px) {
  return std::lround(std::clamp(px, -limit, limit) * 10);
}

}  // namespace

void SvgPath::append(long tenths) {
  const char last = data_.empty() ? 'M' : data_.back();
  const bool letter = last == 'M' || last == 'l' || last == 'h';
  if (tenths < 0)
    data_ += '-';
  else if (!letter)
    data_ += ' ';
  const long size = std::labs(tenths);
  if (size >= 10 || size == 0) data_ += std::to_string(size / 10);
  if (size % 10 != 0) data_ += '.' + std::to_string(size % 10);
}

void SvgPath::to(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return lift();
  const long new_x = in_tenths(x), new_y = in_tenths(y);
  if (down_) {
    if (new_x == x_ && new_y == y_) return;
    data_ += 'l';
    append(new_x - x_);
    append(new_y - y_);
  } else {
    data_ += 'M';
    append(new_x);
    append(new_y);
  }
  x_ = new_x;
  y_ = new_y;
  down_ = true;
}

void SvgPath::close() {
  if (down_) data_ += 'z';
  lift();
}

void SvgPath::line(double x0, double y0, double x1, double y1) {
  lift();
  to(x0, y0);
  to(x1, y1);
  lift();
}

void SvgPath::dot(double x, double y) {
  lift();
  to(x, y);
  if (down_) data_ += "h0";
  lift();
}

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
  std::size_t first = detail::command_at_begin(text);
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    const std::string_view bytes = text.substr(i, c.bytes);
    const bool command = i == first || detail::is_command(text, i);
    i += c.bytes;
    if (c.code == '\n') {
      first = detail::command_at_begin(text.substr(i));
      if (first != text.npos) first += i;
    }
    switch (c.code) {
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
        const bool blank = c.code == '\n' || c.code == '\t';
        if (!c.valid || c.code == 0xFFFE || c.code == 0xFFFF)
          out += "\uFFFD";
        else if (detail::is_invisible(c.code) && !blank)
          detail::append_escape(out, c.code);
        else if (command)
          out += bytes == ":" ? "&#58;" : "&#35;";
        else
          out += bytes;
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
