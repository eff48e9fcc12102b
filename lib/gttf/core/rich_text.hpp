// SPDX-License-Identifier: Apache-2.0
// Rich text: a simple markup for quantities in figures and pages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gttf {

/// Text with markup: `*italic*`, `_{subscript}`, `^{superscript}`; a backslash
/// escapes `* _ ^ \`. UTF-8.
using RichText = std::string;

enum class TextStyle { upright, italic, subscript, superscript };

/// A piece of text in one style.
struct TextRun {
  std::string text;
  TextStyle style = TextStyle::upright;
};

/// The runs of `markup`. Unclosed markup is taken literally.
std::vector<TextRun> text_runs(std::string_view markup);

/// `text` escaped so that text_runs() returns it: for names chosen by users.
RichText literal_text(std::string_view text);

/// Without markup: "sigma(p_T)/p_T" for files and read-outs.
std::string plain_text(std::string_view markup);

/// `value` with `digits` (1 to 17) significant digits and a true minus sign,
/// plain from 1e-4 to 1e5, else "1.50×10^{−7}". NaN gives an en dash.
RichText rich_number(double value, int digits = 3);

/// `value` with `decimals` digits after the point and a true minus sign. NaN
/// gives an en dash.
RichText fixed_number(double value, int decimals);

/// Numbers below or next to each other, all with the same number of decimals:
/// as many as the smallest needs for `digits` digits, but not so many that the
/// largest has more than two digits more. As rich_number() if they span more
/// than that allows.
std::vector<RichText> aligned_numbers(std::span<const double> values,
                                      int digits = 3);

}  // namespace gttf
