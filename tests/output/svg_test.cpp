// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gttf/output/plot/svg_plot.hpp"
#include "gttf/output/plot/svg_text.hpp"
#include "gttf/output/plot/theme.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Figure line_figure() {
  Figure figure;
  figure.id = "f";
  figure.title = "A & B";
  figure.width = 300;
  figure.height = 200;
  Plot plot;
  plot.x.title = "*x*";
  Panel panel;
  panel.y.title = "*y*_{0}";
  Curve curve{.id = "c", .x = {0, 0.5, 1}, .y = {0, 0.5, 1}};
  curve.end_label = "end";
  panel.curves.push_back(curve);
  plot.panels.push_back(panel);
  figure.content = plot;
  figure.legend.push_back({.text = "a < b", .ids = {"c"}});
  return figure;
}

}  // namespace

TEST_CASE("svg: text is escaped and free of control characters") {
  CHECK(escaped("a<b> & \"c\"\x01") == "a&lt;b&gt; &amp; &quot;c&quot;\\x01");
}

TEST_CASE("svg: coordinates are short") {
  CHECK(coordinate(12.30) == "12.3");
  CHECK(coordinate(12.0) == "12");
  CHECK(coordinate(-0.01) == "0");
  CHECK(coordinate(0.125, 2) == "0.12");
}

TEST_CASE("svg: scripts move the base line and back") {
  CHECK(svg_runs("*p*_{T} [GeV]", 10) ==
        "<tspan font-style=\"italic\">p</tspan><tspan dy=\"2.4\" "
        "font-size=\"7.4\">T</tspan><tspan dy=\"-2.4\" dx=\"2.8\">[GeV]"
        "</tspan>");
}

TEST_CASE("svg: a path has relative lines whose rounding does not add up") {
  SvgPath path;
  for (int i = 0; i <= 3; ++i) path.to(i / 3.0, 0);
  CHECK(path.data() == "M0 0l.3 0l.4 0l.3 0");
}

TEST_CASE("svg: a path breaks where there is no value") {
  SvgPath path;
  path.to(0, 0);
  path.to(1, none);
  path.to(2, 0);
  path.to(3, 0.5);
  CHECK(path.data() == "M0 0M2 0l1 .5");
}

TEST_CASE("svg: text widths follow the letters") {
  // the wider of Helvetica and DejaVu Sans: i 0.222 and 0.278, W 0.944 and
  // 0.989, S 0.667 and 0.635, a 0.556 and 0.613
  CHECK(text_width("i", 100) == doctest::Approx(27.8));
  CHECK(text_width("W", 100) == doctest::Approx(98.9));
  CHECK(text_width("S", 100) == doctest::Approx(66.7));
  CHECK(text_width("a_{a}", 100) == doctest::Approx(61.3 * (1 + script_size)));
}

TEST_CASE("svg: a file is self-contained") {
  const std::string svg = figure_file(line_figure());
  CHECK(svg.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg"));
  CHECK(has(svg, "A &amp; B"));
  CHECK(has(svg, "a &lt; b"));    // the legend
  CHECK_FALSE(has(svg, "var("));  // librsvg does not support variables
  CHECK_FALSE(has(svg, "color-mix"));
  CHECK(svg == figure_file(line_figure()));
  CHECK_FALSE(has(svg, "<metadata>"));
}

TEST_CASE("svg: a file records its command and inputs") {
  const std::vector<std::string> command{"gttf-design", "plot", "a&b.yaml"};
  Provenance provenance = make_provenance(command);
  provenance.inputs.push_back({"a&b.yaml", "0123"});
  const std::string svg = figure_file(line_figure(), provenance);
  CHECK(has(svg, "\n<metadata>\ngttf-design "));
  CHECK(has(svg, "\ncommand: gttf-design plot "));
  CHECK(has(svg, "\ninput: a&amp;b.yaml sha256:0123\n</metadata>\n"));
}

TEST_CASE("svg: a curve goes from corner to corner of its frame") {
  Figure figure = line_figure();
  const std::string svg = figure_in_page(figure);
  const Document document = figure_document(figure);
  const auto* x =
      std::get_if<Document::List>(&document.find("x")->find("r")->value());
  REQUIRE(x);
  const double left = std::get<double>((*x)[0].value());
  const double right = std::get<double>((*x)[1].value());
  CHECK(left > 20);
  CHECK(right < 300 - 20);  // space for the label at the end
  CHECK(has(svg, "d=\"M" + coordinate(left) + " "));
}

TEST_CASE("svg: in a page the legend waits to be saved") {
  CHECK(has(figure_in_page(line_figure()),
            "<g class=\"legend\" display=\"none\""));
}

TEST_CASE("svg: no line of the conditions begins with a separating dot") {
  Figure figure = line_figure();
  figure.conditions =
      "a detector with a name · solenoid 2 T · muon · no energy loss";
  for (figure.width = 200; figure.width < 400; figure.width += 2) {
    CAPTURE(figure.width);
    CHECK_FALSE(has(figure_in_page(figure), ">·"));
  }
}

TEST_CASE("svg: conditions are below a saved figure") {
  Figure figure = line_figure();
  figure.conditions = "CLD · muon · *θ* = 90°";
  CHECK(
      has(figure_in_page(figure), "<g class=\"conditions\" display=\"none\""));
  const std::string file = figure_file(figure);
  CHECK(has(file, "CLD · muon"));
  CHECK_FALSE(has(file, "display=\"none\""));
}

TEST_CASE("svg: several figures form a grid under one title") {
  std::vector<Figure> figures;
  for (const char* id : {"a", "b", "c"}) {
    figures.push_back(line_figure());
    figures.back().id = id;
  }
  const auto size = [](const std::string& svg, const std::string& name) {
    const std::size_t at = svg.find(name + "=\"", svg.find("<svg"));
    return std::stod(svg.substr(at + name.size() + 2));
  };
  PictureStyle style;
  style.columns = 2;
  style.title = "A & B";
  const std::string two = figure_file(figures, {}, style);
  style.columns = 1;
  const std::string one = figure_file(figures, {}, style);
  CHECK(size(two, "width") > 1.9 * size(one, "width"));
  CHECK(size(two, "height") < 0.8 * size(one, "height"));
  CHECK(has(two, ">A &amp; B</text>"));
  for (const char* id : {"a-c0", "b-c0", "c-c0"}) CHECK(has(two, id));
  style.scale = 0.25;
  style.unit = "mm";
  CHECK(has(figure_file(figures, {}, style), "mm\" height"));
}

TEST_CASE("svg: contours carry their values") {
  Figure figure = line_figure();
  Plot& plot = std::get<Plot>(figure.content);
  HeatMap map;
  constexpr std::size_t n = 20;
  for (std::size_t i = 0; i <= n; ++i) {
    map.x.push_back(static_cast<double>(i) / n);
    map.y.push_back(static_cast<double>(i) / n);
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      map.values.push_back(1 + static_cast<double>(i + j));
  map.lower = 1;
  map.upper = 40;
  map.contours = {10, 20};
  plot.panels.front().map = map;
  const std::string svg = figure_in_page(figure);
  CHECK(has(svg, ">10</text>"));
  CHECK(has(svg, ">20</text>"));
}

namespace {

struct Linear {
  double r, g, b;
};

Linear linear(std::string_view hex) {
  const auto channel = [hex](std::size_t i) {
    const double v =
        std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return {channel(0), channel(1), channel(2)};
}

// Machado, Oliveira and Fernandes, IEEE Trans. Vis. Comput. Graph. 15 (2009)
// 1291, severity 1: none, protanopia, deuteranopia, tritanopia.
constexpr double sights[4][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882,
     -0.048116, 1.051998},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820,
     0.042940, 0.968881},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733,
     0.691367, 0.303900}};

// OKLab, B. Ottosson 2020.
std::array<double, 3> seen(std::string_view hex, const double (&m)[9]) {
  const Linear c = linear(hex);
  const auto row = [&](std::size_t i) {
    return std::clamp(m[3 * i] * c.r + m[3 * i + 1] * c.g + m[3 * i + 2] * c.b,
                      0.0, 1.0);
  };
  const double r = row(0), g = row(1), b = row(2);
  const double l =
      std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double k =
      std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s =
      std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * k - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * k + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * k - 0.8086757660 * s};
}

std::vector<ThemeColour> colours_of(char kind) {
  std::vector<ThemeColour> list;
  for (const ThemeColour& colour : theme_colours())
    if (colour.name.size() == 2 && colour.name[0] == kind &&
        std::isdigit(static_cast<unsigned char>(colour.name[1])))
      list.push_back(colour);
  return list;
}

}  // namespace

TEST_CASE("svg: lines are distinguishable with any colour vision") {
  // a difference of 0.02 is just visible side by side
  for (const auto& [kind, least] :
       {std::pair('s', 0.15), std::pair('o', 0.09)}) {
    const auto colours = colours_of(kind);
    CHECK(colours.size() == (kind == 's' ? n_series_paints : n_ordered_paints));
    for (const auto paper : {&ThemeColour::light, &ThemeColour::dark})
      for (const auto& sight : sights)
        for (std::size_t i = 0; i < colours.size(); ++i)
          for (std::size_t j = 0; j < i; ++j) {
            const auto a = seen(colours[i].*paper, sight);
            const auto b = seen(colours[j].*paper, sight);
            CHECK(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > least);
          }
  }
}

TEST_CASE("svg: ordered colours go from that of ink to that of paper") {
  const auto colours = colours_of('o');
  for (std::size_t i = 1; i < colours.size(); ++i) {
    CHECK(seen(colours[i].light, sights[0])[0] >
          seen(colours[i - 1].light, sights[0])[0]);
    CHECK(seen(colours[i].dark, sights[0])[0] <
          seen(colours[i - 1].dark, sights[0])[0]);
  }
}

TEST_CASE("svg: sixteen curves differ by hue or line style") {
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK_FALSE(category_style(i) == category_style(j));
  for (std::size_t n = 1; n <= 6; ++n)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        CHECK_FALSE(ordered_style(i, n) == ordered_style(j, n));
}

TEST_CASE("svg: every colour of the theme replaces its variable") {
  for (const ThemeColour& colour : theme_colours())
    CHECK(with_light_colours("x{color:var(--" + std::string(colour.name) +
                             ")}") ==
          "x{color:" + std::string(colour.light) + "}");
}

TEST_CASE("svg: colours of text differ enough from paper") {
  const auto luminance = [](std::string_view hex) {
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
      double v =
          std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
      v = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
      sum += weights[i] * v;
    }
    return sum;
  };
  const auto contrast = [&](std::string_view a, std::string_view b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
  };
  const ThemeColour paper = theme_colours().front();
  REQUIRE(paper.name == "paper");
  for (const ThemeColour& colour : theme_colours()) {
    INFO(colour.name);
    const char kind = colour.name.front();
    const bool numbered = colour.name.size() == 2;
    const bool text = (numbered && (kind == 't' || kind == 'e')) ||
                      colour.name.starts_with("ink") || colour.name == "ok" ||
                      colour.name == "wrong";
    if (text) {
      CHECK(contrast(colour.light, paper.light) >= 4.5);
      CHECK(contrast(colour.dark, paper.dark) >= 4.5);
    } else if (numbered && kind == 's') {
      CHECK(contrast(colour.light, paper.light) >= 3);
      CHECK(contrast(colour.dark, paper.dark) >= 3);
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
