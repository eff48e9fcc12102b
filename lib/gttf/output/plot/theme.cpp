// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/theme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gttf {
namespace {

// Lines that are compared ("s") and ordered lines ("o"): found by a search for
// the largest least distance in OKLab for normal, protanopic, deuteranopic and
// tritanopic sight (matrices of Machado, Oliveira and Fernandes 2009), 0.15
// between the four hues, 0.09 between ordered colours, whose lightness grows.
// Fills: the light scheme of Tol. Text of lines ("t", "u"), fills ("g") and
// outlines ("e").
constexpr ThemeColour colours[] = {
    {"paper", "#ffffff", "#14171b"}, {"ink", "#1a1e23", "#e8eaed"},
    {"ink2", "#4a525c", "#b4bbc3"},  {"ink3", "#656e78", "#949ca6"},
    {"rule", "#cfd4da", "#3b424b"},  {"hair", "#e7eaee", "#262b32"},
    {"wash", "#f6f7f9", "#1b1f25"},  {"s0", "#0d3cb7", "#72a6fd"},
    {"s1", "#f25d10", "#e18e28"},    {"s2", "#02a591", "#b5f8bc"},
    {"s3", "#7d1a57", "#8c5587"},    {"t0", "#0d3cb7", "#72a6fd"},
    {"t1", "#c94901", "#e18e28"},    {"t2", "#098373", "#b5f8bc"},
    {"t3", "#7d1a57", "#a86fa3"},    {"o0", "#210d39", "#f3f5a6"},
    {"o1", "#3c2391", "#b6d528"},    {"o2", "#385586", "#29d3b8"},
    {"o3", "#427982", "#619cc8"},    {"o4", "#139f67", "#895ae2"},
    {"o5", "#c77100", "#a04987"},    {"u0", "#210d39", "#f3f5a6"},
    {"u1", "#3c2391", "#b6d528"},    {"u2", "#385586", "#29d3b8"},
    {"u3", "#427982", "#619cc8"},    {"u4", "#0b8555", "#9567f0"},
    {"u5", "#ab6105", "#be64a3"},    {"g0", "#b4bac1", "#6b747e"},
    {"g1", "#77aadd", "#4f86bf"},    {"g2", "#44bb99", "#2f9479"},
    {"g3", "#eedd88", "#b9a24a"},    {"g4", "#ee8866", "#c9663f"},
    {"g5", "#c6a3d8", "#8d6aa5"},    {"g6", "#a9bf4e", "#7f9432"},
    {"g7", "#e79fb3", "#b46a80"},    {"e0", "#656e78", "#a7afb8"},
    {"e1", "#2f6ea8", "#7fb3e6"},    {"e2", "#167a60", "#4fc3a2"},
    {"e3", "#7d6a14", "#d8c46d"},    {"e4", "#b84a2a", "#f0946c"},
    {"e5", "#7a4a96", "#c9a4de"},    {"e6", "#5e7014", "#bcd25e"},
    {"e7", "#a2425f", "#eba3b8"},    {"hits", "#dfe6ee", "#222b36"},
    {"scat", "#f0e8db", "#2e2920"},  {"less", "#9fc3e0", "#4d7ea6"},
    {"more", "#e39a6b", "#c07a4c"},  {"good", "#8fd0b8", "#2f7d63"},
    {"bad", "#e8a29a", "#9b4840"},   {"ok", "#00704f", "#62d3b1"},
    {"wrong", "#b2182b", "#f4866f"}, {"neg", "#2166ac", "#6baed6"},
    {"pos", "#b2182b", "#f4866f"},   {"on-colour", "#ffffff", "#0d0f12"},
};

std::string variables(std::string_view ThemeColour::*value) {
  std::string out;
  for (const ThemeColour& c : colours)
    out += fmt::format("--{}:{};", c.name, c.*value);
  return out;
}

int channel(std::string_view colour, std::size_t i) {
  int value = 0;
  const char* at = colour.data() + 1 + 2 * i;
  std::from_chars(at, at + 2, value, 16);
  return value;
}

}  // namespace

std::span<const ThemeColour> theme_colours() { return colours; }

std::string paint_class(Paint paint) {
  const int series = paint.index % n_series_paints;
  const int group = paint.index % n_group_paints;
  switch (paint.tone) {
    case Tone::ink:
      return "ink";
    case Tone::second:
      return "ink2";
    case Tone::third:
      return "ink3";
    case Tone::series:
      return fmt::format("s{}", series);
    case Tone::ordered:
      return fmt::format("o{}", paint.index % n_ordered_paints);
    case Tone::group:
      return fmt::format("g{}", group);
    case Tone::pale_group:
      return fmt::format("g{} pale", group);
    case Tone::edge:
      return fmt::format("e{}", group);
    case Tone::hits:
      return "hits";
    case Tone::scattering:
      return "scat";
    case Tone::less:
      return "less";
    case Tone::more:
      return "more";
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
  }
  return "ink";
}

std::string text_class(Paint paint) {
  switch (paint.tone) {
    case Tone::series:
      return fmt::format("t{}", paint.index % n_series_paints);
    case Tone::ordered:
      return fmt::format("u{}", paint.index % n_ordered_paints);
    case Tone::group:
    case Tone::pale_group:
      return fmt::format("e{}", paint.index % n_group_paints);
    default:
      return paint_class(paint);
  }
}

std::string light_variables() { return variables(&ThemeColour::light); }
std::string dark_variables() { return variables(&ThemeColour::dark); }

std::string paint_rules() {
  std::string out;
  for (const ThemeColour& c : colours)
    out += fmt::format(".{0}{{color:var(--{0})}}", c.name);
  return out;
}

std::string with_light_colours(std::string_view css) {
  std::string out;
  for (;;) {
    const std::size_t at = css.find("var(--");
    out += css.substr(0, at);
    if (at == css.npos) return out;
    const std::size_t end = css.find(')', at);
    const std::string_view name = css.substr(at + 6, end - at - 6);
    const auto* colour =
        std::find_if(std::begin(colours), std::end(colours),
                     [&](const ThemeColour& c) { return c.name == name; });
    out += colour == std::end(colours) ? "#000000" : colour->light;
    css.remove_prefix(end + 1);
  }
}

std::string mixed_colour(std::string_view a, std::string_view b,
                         double fraction) {
  std::string out = "#";
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = channel(a, i), y = channel(b, i);
    out += fmt::format("{:02x}", std::lround(x + (y - x) * fraction));
  }
  return out;
}

std::string scale_colour(double fraction) {
  // Every eighth of matplotlib's map "viridis" (CC0).
  constexpr std::array<std::string_view, 9> stops{
      "#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c",
      "#28ae80", "#5ec962", "#addc30", "#fde725"};
  const double at = std::clamp(fraction, 0.0, 1.0) * (stops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  return mixed_colour(stops[i], stops[i + 1], at - static_cast<double>(i));
}

}  // namespace gttf
