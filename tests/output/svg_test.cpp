// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

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
  // Helvetica: i 0.222, W 0.944, with 3 % of room
  CHECK(text_width("i", 100) == doctest::Approx(22.2 * 1.03));
  CHECK(text_width("W", 100) == doctest::Approx(94.4 * 1.03));
  CHECK(text_width("a_{a}", 100) ==
        doctest::Approx(55.6 * (1 + script_size) * 1.03));
}

TEST_CASE("svg: a file stands alone") {
  const std::string svg = figure_file(line_figure());
  CHECK(svg.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg"));
  CHECK(has(svg, "A &amp; B"));
  CHECK(has(svg, "a &lt; b"));    // the legend
  CHECK_FALSE(has(svg, "var("));  // librsvg knows no variables
  CHECK_FALSE(has(svg, "color-mix"));
  CHECK(svg == figure_file(line_figure()));
  CHECK_FALSE(has(svg, "<metadata>"));
}

TEST_CASE("svg: a file tells what made it") {
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
  CHECK(right < 300 - 20);  // room for the label at the end
  CHECK(has(svg, "d=\"M" + coordinate(left) + " "));
}

TEST_CASE("svg: in a page the legend waits to be saved") {
  CHECK(has(figure_in_page(line_figure()),
            "<g class=\"legend\" display=\"none\""));
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
