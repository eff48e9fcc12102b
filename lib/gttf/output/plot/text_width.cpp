// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/text_width.hpp"

#include <array>

#include "gttf/config/text.hpp"
#include "gttf/core/rich_text.hpp"

namespace gttf {
namespace {

// Thousandths of the font size, characters 32 to 126.
constexpr std::array<int, 95> widths{
    278, 278, 355, 556, 556,  889, 667, 191, 333, 333, 389, 584, 278, 333,
    278, 278, 556, 556, 556,  556, 556, 556, 556, 556, 556, 556, 278, 278,
    584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722,  778, 667, 778, 722, 667, 611, 722, 667, 944,
    667, 667, 611, 278, 278,  278, 469, 556, 333, 556, 556, 500, 556, 556,
    278, 556, 556, 222, 222,  500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500,  500, 500, 334, 260, 334, 584};
constexpr double other_width = 0.584;  // of Greek letters, signs
constexpr double slack = 1.03;
constexpr double bold_factor = 1.06;

double width_of(std::string_view text) {
  double sum = 0;
  for (std::size_t i = 0; i < text.size();) {
    const detail::Character c = detail::character_at(text, i);
    if (c.code >= 32 && c.code < 127)
      sum += widths[static_cast<std::size_t>(c.code - 32)] * 1e-3;
    else
      sum += other_width * detail::display_width(c.code);
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
  return sum * font_size * slack * (weight == Weight::bold ? bold_factor : 1);
}

}  // namespace gttf
