// SPDX-License-Identifier: Apache-2.0
#include "gttf/core/rich_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace gttf {
namespace {

constexpr std::string_view special = "*_^\\";
constexpr const char* minus = "\u2212";
constexpr const char* en_dash = "\u2013";

// Where the run that begins at `i` with an opening mark ends, npos if it does
// not close.
std::size_t closing(std::string_view markup, std::size_t i, char mark) {
  for (; i < markup.size(); ++i) {
    if (markup[i] == '\\')
      ++i;
    else if (markup[i] == mark)
      return i;
  }
  return std::string_view::npos;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        special.find(text[i + 1]) != special.npos;
    out += text[escape ? ++i : i];
  }
  return out;
}

void append(std::vector<TextRun>& runs, std::string text, TextStyle style) {
  if (text.empty()) return;
  if (!runs.empty() && runs.back().style == style)
    runs.back().text += text;
  else
    runs.push_back({std::move(text), style});
}

std::string with_true_minus(std::string text) {
  if (!text.empty() && text.front() == '-') text.replace(0, 1, minus);
  return text;
}

}  // namespace

std::vector<TextRun> text_runs(std::string_view markup) {
  std::vector<TextRun> runs;
  std::size_t begin = 0;  // of upright text not yet appended
  const auto flush = [&](std::size_t end) {
    append(runs, unescaped(markup.substr(begin, end - begin)),
           TextStyle::upright);
  };
  for (std::size_t i = 0; i < markup.size(); ++i) {
    if (markup[i] == '\\') {
      ++i;
      continue;
    }
    const bool italic = markup[i] == '*';
    const bool script = (markup[i] == '_' || markup[i] == '^') &&
                        i + 1 < markup.size() && markup[i + 1] == '{';
    if (!italic && !script) continue;
    const std::size_t first = i + (italic ? 1 : 2);
    const std::size_t last = closing(markup, first, italic ? '*' : '}');
    if (last == markup.npos) continue;
    flush(i);
    append(runs, unescaped(markup.substr(first, last - first)),
           italic             ? TextStyle::italic
           : markup[i] == '_' ? TextStyle::subscript
                              : TextStyle::superscript);
    begin = last + 1;
    i = last;
  }
  flush(markup.size());
  return runs;
}

RichText literal_text(std::string_view text) {
  RichText out;
  for (const char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

std::string plain_text(std::string_view markup) {
  std::string out;
  for (const TextRun& run : text_runs(markup)) {
    if (run.style == TextStyle::superscript) out += '^';
    out += run.text;
  }
  return out;
}

RichText rich_number(double value, int digits) {
  assert(digits >= 1 && digits <= 17);
  if (std::isnan(value)) return en_dash;
  if (std::isinf(value)) return value > 0 ? "∞" : std::string(minus) + "∞";
  if (value == 0) return "0";
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t e = scientific.find('e');
  const int exponent = std::atoi(scientific.c_str() + e + 1);
  if (exponent >= -4 && exponent < 5)
    return with_true_minus(
        fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent)));
  return with_true_minus(scientific.substr(0, e)) + "×10^{" +
         with_true_minus(std::to_string(exponent)) + "}";
}

RichText fixed_number(double value, int decimals) {
  if (std::isnan(value)) return en_dash;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // a rounded "-0.0" has no sign
  if (text.find_first_not_of("-0.") == text.npos && text.front() == '-')
    text.erase(0, 1);
  return with_true_minus(std::move(text));
}

std::vector<RichText> aligned_numbers(std::span<const double> values,
                                      int digits) {
  int smallest = 0, largest = 0;
  bool any = false;
  for (const double v : values) {
    if (v == 0 || !std::isfinite(v)) continue;
    const std::string text = fmt::format("{:.{}e}", v, digits - 1);
    const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
    smallest = any ? std::min(smallest, exponent) : exponent;
    largest = any ? std::max(largest, exponent) : exponent;
    any = true;
  }
  constexpr int more = 2;
  const int decimals =
      std::max(0, std::min(digits - 1 - smallest, digits - 1 + more - largest));
  // one digit of the smallest must remain
  const bool fits =
      any && smallest + decimals >= 0 && largest < 5 && smallest >= -4;
  std::vector<RichText> texts;
  for (const double v : values)
    texts.push_back(fits && std::isfinite(v) ? fixed_number(v, decimals)
                                             : rich_number(v, digits));
  return texts;
}

}  // namespace gttf
