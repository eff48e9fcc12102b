// SPDX-License-Identifier: Apache-2.0
#include "gttf/config/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "gttf/config/text.hpp"

namespace gttf {
namespace {

constexpr int widest_line = 100;  // terminal columns shown of a source line
constexpr int context_before = 40;
constexpr std::size_t most_around = 2000;    // bytes, see set_source_line()
constexpr std::ptrdiff_t most_listed = 100;  // see Diagnostics

struct Palette {
  std::string_view bold, error, warning, mark, off;
};
constexpr Palette no_colours{"", "", "", "", ""};
constexpr Palette ansi{"\x1b[1m", "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;32m",
                       "\x1b[0m"};

/// A character as displayed: control characters and invalid bytes are replaced,
/// so that a file cannot send commands to a terminal or a workflow.
struct Glyph {
  std::string text;
  int width = 1;
};

std::vector<Glyph> glyphs(std::string_view line) {
  std::vector<Glyph> result;
  for (std::size_t i = 0; i < line.size();) {
    const detail::Character c = detail::character_at(line, i);
    if (c.code == '\t') {
      result.push_back({" ", 1});
    } else if (!c.valid || detail::is_invisible(c.code)) {
      result.push_back({"\uFFFD", 1});
    } else if (detail::is_command(line, i)) {
      std::string escape;
      detail::append_escape(escape, c.code);
      const int width = static_cast<int>(escape.size());
      result.push_back({std::move(escape), width});
    } else {
      result.push_back({std::string(line.substr(i, c.bytes)),
                        detail::display_width(c.code)});
    }
    i += c.bytes;
  }
  return result;
}

/// Text of a message, which may quote names from a file, sanitised likewise.
std::string clean(std::string_view text) {
  std::string result;
  for (const Glyph& glyph : glyphs(text)) result += glyph.text;
  return result;
}

/// The part of a line around the caret, and the caret's columns in it.
struct Excerpt {
  std::string text;
  int before = 0;      ///< columns before the caret
  int underlined = 1;  ///< columns of the caret
};

/// @param is_cut  before the line, whose first column is 1
Excerpt excerpt(std::string_view line, int column, int length, bool is_cut) {
  const std::vector<Glyph> all = glyphs(line);
  const int n = static_cast<int>(all.size());
  const auto width = [&](int from, int to) {
    int sum = 0;
    for (int i = from; i < to; ++i)
      sum += all[static_cast<std::size_t>(i)].width;
    return sum;
  };
  const int caret = std::clamp(column - 1, 0, n);
  int end = std::clamp(caret + length, caret, n);
  int first = 0, last = n;
  if (width(0, n) > widest_line) {
    first = caret;
    while (first > 0 && width(first - 1, caret) <= context_before) --first;
    last = std::max(first, std::min(caret + 1, n));
    while (last < n && width(first, last + 1) <= widest_line) ++last;
    end = std::min(end, last);
  }
  Excerpt e;
  if (first > 0 || is_cut) e.text += "...", e.before += 3;
  for (int i = first; i < last; ++i)
    e.text += all[static_cast<std::size_t>(i)].text;
  if (last < n) e.text += "...";
  e.before += width(first, caret);
  e.underlined = std::max(1, width(caret, end));
  return e;
}

}  // namespace

void Diagnostic::set_source_line(std::string_view text, std::size_t offset) {
  std::size_t begin = offset > most_around ? offset - most_around : 0;
  while (begin < offset && detail::continues_character(text[begin])) ++begin;
  const std::string_view before = text.substr(begin, offset - begin);
  cut = column - 1 - static_cast<int>(detail::character_count(before));
  source_line = text.substr(begin, before.size() + most_around);
}

void Diagnostics::add(Diagnostic d) {
  if (d.unlisted > 0) return add_unlisted(d, d.unlisted);
  const auto place = [](const Diagnostic& x) {
    return std::tuple(x.line, x.column);
  };
  auto at = items_.end();
  if (d.line > 0)
    while (at != items_.begin() && std::prev(at)->file == d.file &&
           (std::prev(at)->unlisted > 0 || place(*std::prev(at)) > place(d)))
      --at;
  const auto same_place = [&](const Diagnostic& x) {
    return x.file == d.file && place(x) == place(d) &&
           (d.line > 0 || x.source_line == d.source_line);
  };
  for (auto it = at; it != items_.begin() && same_place(*std::prev(it)); --it) {
    const Diagnostic& other = *std::prev(it);
    if (other.problem == d.problem && (d.line > 0 || other.path == d.path))
      return;
  }
  const auto is_like = [file = d.file, severity = d.severity](const auto& x) {
    return x.severity == severity && x.unlisted == 0 && x.file == file;
  };
  items_.insert(at, std::move(d));
  if (std::ranges::count_if(items_, is_like) <= most_listed) return;
  const auto last =
      std::prev(std::find_if(items_.rbegin(), items_.rend(), is_like).base());
  const Diagnostic removed = std::move(*last);
  items_.erase(last);
  add_unlisted(removed, 1);
}

void Diagnostics::add_unlisted(const Diagnostic& d, std::size_t n) {
  auto at = std::ranges::find_if(items_, [&d](const Diagnostic& x) {
    return x.unlisted > 0 && x.severity == d.severity && x.file == d.file;
  });
  if (at == items_.end()) {
    const auto of_file = [&d](const Diagnostic& x) { return x.file == d.file; };
    at = std::find_if(items_.rbegin(), items_.rend(), of_file).base();
    Diagnostic rest;
    rest.severity = d.severity;
    rest.file = d.file;
    at = items_.insert(at, std::move(rest));
  }
  at->unlisted += n;
  const bool error = d.severity == Severity::error;
  at->problem =
      fmt::format("{} more {}{}, not listed", at->unlisted,
                  error ? "error" : "warning", at->unlisted == 1 ? "" : "s");
}

std::size_t Diagnostics::count(Severity severity) const {
  std::size_t n = 0;
  for (const Diagnostic& d : items_)
    if (d.severity == severity) n += std::max(d.unlisted, std::size_t{1});
  return n;
}

void Diagnostics::add(const Diagnostics& others) {
  for (const Diagnostic& d : others.items()) add(d);
}

bool Diagnostics::has_errors() const {
  return std::ranges::any_of(items_, [](const Diagnostic& d) {
    return d.severity == Severity::error;
  });
}

std::string to_text(const Diagnostic& d, bool colour) {
  const Palette& paint = colour ? ansi : no_colours;
  std::string place = detail::without_commands(clean(d.file));
  if (d.line > 0) place += fmt::format(":{}:{}", d.line, d.column);
  const bool error = d.severity == Severity::error;
  std::string text = fmt::format(
      "{}{}{}{}{}{}:{} {}{}", paint.bold, place, place.empty() ? "" : ": ",
      paint.off, error ? paint.error : paint.warning,
      error ? "error" : "warning", paint.off,
      d.path.empty() ? "" : clean(d.path) + ": ", clean(d.problem));
  if (d.source_line.empty()) {
    if (!d.suggestion.empty()) text += "; " + clean(d.suggestion);
    return text + '\n';
  }
  const Excerpt e =
      excerpt(d.source_line, d.column - d.cut, d.length, d.cut > 0);
  const std::string number = d.line > 0 ? std::to_string(d.line) : "";
  text += fmt::format("\n{:>5} | {}\n", number, e.text);
  text += fmt::format("{:>5} | {:{}}{}^{:~<{}}{}{}{}\n", "", "", e.before,
                      paint.mark, "", e.underlined - 1,
                      d.suggestion.empty() ? "" : " ", clean(d.suggestion),
                      paint.off);
  return text;
}

InputError::InputError(Diagnostics diagnostics)
    : std::runtime_error([&] {
        std::string text;
        for (const Diagnostic& d : diagnostics.items()) text += to_text(d);
        return text;
      }()),
      diagnostics_(std::move(diagnostics)) {}

}  // namespace gttf
