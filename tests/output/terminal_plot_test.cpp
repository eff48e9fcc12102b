// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/terminal_plot.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "gttf/output/plot/figure_change.hpp"
#include "gttf/output/text.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Figure rising() {
  Figure figure;
  figure.id = "rising";
  figure.title = "*σ*(*p*_{T})";
  figure.conditions = "CLD · muon";
  Plot plot;
  plot.x.title = "*p*_{T} [GeV]";
  plot.x.unit = "GeV";
  plot.x.scale = AxisScale::logarithmic;
  plot.x.lower = 1;
  plot.x.upper = 100;
  Panel panel;
  panel.y.upper = 10;
  for (int k = 0; k < 2; ++k) {
    const LineStyle style = ordered_style(static_cast<std::size_t>(k), 2);
    Curve curve{.id = "c" + std::to_string(k), .x = {1, 10, 100}};
    curve.y = {1.0 + k, 4.0 + k, 9.0 - 3 * k};
    curve.paint = style.paint;
    curve.dash = style.dash;
    curve.column = static_cast<std::size_t>(k + 1);
    figure.legend.push_back({.text = "line " + std::to_string(k),
                             .paint = style.paint,
                             .ids = {curve.id}});
    panel.curves.push_back(curve);
  }
  plot.panels.push_back(panel);
  figure.content = plot;
  return figure;
}

}  // namespace

TEST_CASE("terminal plot: axes, letters, legend and conditions") {
  const std::string text = terminal_plot(rising(), {60, 10, false, true});
  const auto lines = lines_of(text);
  CHECK(lines.front() == "σ(pT)");
  CHECK(lines.back() == "CLD · muon");
  CHECK(has(text, "A line 0   B line 1"));
  CHECK(has(text, "pT [GeV]"));
  for (const std::string& line : lines) CHECK(text_width(line) <= 60);
  // the upper curve ends above: A is in a line before that of B
  const auto line_with = [&](const std::string& end) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].ends_with(end)) return i;
    return lines.size();
  };
  CHECK(line_with(" A") < line_with(" B"));
  CHECK(line_with(" B") < lines.size());
  CHECK_FALSE(has(text, "\033"));
  CHECK(has(terminal_plot(rising(), {60, 10, true, true}), "\033["));
  // also where both end in one line
  Figure close = rising();
  auto& curves = std::get<Plot>(close.content).panels.front().curves;
  curves[0].y.back() = 5;
  curves[1].y.back() = 5.01;
  const auto others = lines_of(terminal_plot(close, {60, 10, false, true}));
  const auto ends_with = [&](const char* end) {
    return std::ranges::find_if(
        others, [end](const std::string& line) { return line.ends_with(end); });
  };
  REQUIRE(ends_with(" A") != others.end());
  CHECK(ends_with(" B") < ends_with(" A"));
}

TEST_CASE("terminal plot: without UTF-8 there is ASCII only") {
  const std::string text = terminal_plot(rising(), {60, 10, false, false});
  for (const char c : text) CHECK(static_cast<unsigned char>(c) < 128);
  CHECK(has(text, "sigma(pT)"));
  CHECK(has(text, "*"));
}

TEST_CASE("terminal plot: it is as wide as the terminal") {
  std::size_t before = 0;
  for (const std::size_t width : {40u, 80u, 120u}) {
    std::size_t widest = 0;
    for (const std::string& line :
         lines_of(terminal_plot(rising(), {width, 10, false, true})))
      widest = std::max(widest, text_width(line));
    CHECK(widest <= width);
    CHECK(widest > before);
    before = widest;
  }
}

TEST_CASE("terminal plot: bars are as long as their values") {
  Figure figure;
  figure.title = "shares";
  BarChart chart;
  chart.columns = {{"layer"}};
  chart.panels = {{.title = "share [%]", .upper = 100}};
  for (const double share : {100.0, 50.0}) {
    ChartRow row;
    row.cells = {"L"};
    row.bars = {{{share}}};
    chart.rows.push_back(row);
  }
  figure.content = chart;
  const auto lines = lines_of(terminal_plot(figure, {60, 10, false, false}));
  const auto bar = [&](std::size_t i) {
    return std::count(lines[i].begin(), lines[i].end(), '#');
  };
  CHECK(bar(2) > 20);
  CHECK(bar(3) * 2 - bar(2) <= 1);
  CHECK(bar(3) * 2 - bar(2) >= -1);
}

TEST_CASE("terminal plot: areas have letters and names") {
  Figure figure = rising();
  Panel& panel = std::get<Plot>(figure.content).panels.front();
  panel.bands.push_back({.x = {1, 100},
                         .lower = {0, 0},
                         .upper = {2, 3},
                         .label = "scattering, vertex"});
  panel.bands.push_back({.x = {1, 100},
                         .lower = {0, 0},
                         .upper = {1, 1},
                         .behind = true,
                         .label = "out of reach"});
  const std::string text = terminal_plot(figure, {60, 10, false, true});
  CHECK(has(text, "A scattering, vertex   B line 0   C line 1"));
  CHECK_FALSE(has(text, "out of reach"));
  const auto lines = lines_of(text);
  CHECK(std::ranges::any_of(
      lines, [](const std::string& line) { return line.ends_with(" A"); }));
}

TEST_CASE("terminal plot: a map has a legend of its shades") {
  Figure figure;
  figure.title = "map";
  Plot plot;
  plot.x.upper = 2;
  Panel panel;
  panel.map = HeatMap{.x = {0, 1, 2},
                      .y = {0, 0.5, 1},
                      .values = {1, 90, 5e4, 1},
                      .lower = 1,
                      .upper = 100000,
                      .title = "*σ* [%]"};
  plot.panels.push_back(panel);
  figure.content = plot;
  const std::string map = terminal_plot(figure, {60, 5, false, false});
  CHECK(has(map, "sigma [%]:   . 1 to 10   : 10 to 1e+02"));
  CHECK(has(map, "..::"));
  CHECK(has(map, "##.."));
  CHECK(map.find("##..") < map.find("..::"));  // the larger y is above
  // linear: 90 is far below a fifth of the range
  std::get<Plot>(figure.content).panels.front().map->scale = AxisScale::linear;
  const std::string linear = terminal_plot(figure, {60, 5, false, false});
  CHECK(has(linear, "...."));
  CHECK_FALSE(has(linear, "..::"));
}

TEST_CASE("terminal plot: correlations have no negative zero") {
  Figure figure;
  figure.title = "correlations";
  figure.content = MatrixChart{.names = {"a", "b"},
                               .matrices = {{.rows = {{1}, {-0.001, 1}}}}};
  const std::string text = terminal_plot(figure, {60, 10, false, false});
  CHECK(has(text, "b         0.00   1.00"));
}

TEST_CASE("terminal plot: conditions are broken between facts") {
  Figure figure = rising();
  figure.conditions = "CLD · solenoid 2 T · muon · no energy loss";
  const std::string text = terminal_plot(figure, {30, 10, false, true});
  CHECK(text.ends_with("\nCLD · solenoid 2 T · muon\nno energy loss\n"));
}

TEST_CASE("figure change: ends of axes with and without unit") {
  FigureAxis axis;
  axis.unit = "GeV";
  CHECK(parse_ends("1:50", axis) == AxisEnds{1, 50});
  CHECK(parse_ends("500MeV:50GeV", axis) == AxisEnds{0.5, 50});
  axis.unit = "µm";
  CHECK(parse_ends("0.01mm:1mm", axis).second == doctest::Approx(1000));
  for (const char* wrong :
       {"1", "5:1", "1:1", "a:b", "1mm:2GeV", ":", "1:nan"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_ends(wrong, axis), FigureError);
  }
}

TEST_CASE("figure change: a logarithmic axis begins above 0") {
  Figure figure = rising();
  const auto y = [&figure]() -> FigureAxis& {
    return std::get<Plot>(figure.content).panels.front().y;
  };
  FigureChange change;
  change.y_scale = AxisScale::logarithmic;
  apply(change, figure);
  CHECK(y().lower > 0);
  change.y = AxisEnds{0, 5};
  CHECK_THROWS_AS(apply(change, figure), FigureError);
  change.y = AxisEnds{2, 5};
  change.width = 300;
  apply(change, figure);
  CHECK(y().lower == 2);
  CHECK(y().upper == 5);
  CHECK(figure.width == 300);
  figure.content = BarChart{};
  CHECK_THROWS_AS(apply(change, figure), FigureError);
}

}  // namespace gttf::test::GTTF_TEST_FILE
