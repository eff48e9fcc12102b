// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/svg_plot.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace gttf::test::GTTF_TEST_FILE {

namespace {

FigureAxis axis(double lower, double upper, bool log) {
  FigureAxis a;
  a.lower = lower;
  a.upper = upper;
  if (log) a.scale = AxisScale::logarithmic;
  return a;
}

// "0 0.5 1": the labels of an axis.
std::string labels(const FigureAxis& a, double length) {
  std::string out;
  for (const AxisTick& tick : axis_ticks(a, length))
    if (!tick.label.empty()) out += (out.empty() ? "" : " ") + tick.label;
  return out;
}

}  // namespace

TEST_CASE("axis: linear labels have steps of 1, 2, 5") {
  CHECK(labels(axis(0, 1, false), 400) == "0 0.2 0.4 0.6 0.8 1");
  CHECK(labels(axis(0, 2.5, false), 400) == "0 0.5 1 1.5 2 2.5");
  CHECK(labels(axis(-20, 20, false), 300) == "−20 −10 0 10 20");
  CHECK(labels(axis(0.9, 1.3, false), 300) == "0.9 1 1.1 1.2 1.3");
}

TEST_CASE("axis: labels above each other may be closer") {
  int count = 0;
  for (const AxisTick& tick :
       axis_ticks(axis(0, 1, false), 220, label_distance_up))
    count += !tick.label.empty();
  CHECK(labels(axis(0, 1, false), 220) == "0 0.5 1");
  CHECK(count == 6);
}

TEST_CASE("axis: a single label does not show the scale") {
  CHECK(labels(axis(0.954, 1.046, false), 138) == "0.96 0.98 1 1.02 1.04");
  CHECK(labels(axis(-0.4, 0.4, false), 90) == "−0.4 −0.2 0 0.2 0.4");
}

TEST_CASE("axis: a wanted step is taken") {
  FigureAxis a = axis(0, 100, false);
  a.step = 25;
  CHECK(labels(a, 100) == "0 25 50 75 100");
}

TEST_CASE("axis: the space decides which digits of a decade are labelled") {
  const FigureAxis a = axis(0.5, 100, true);
  CHECK(labels(a, 400) == "0.5 1 2 5 10 20 50 100");
  CHECK(labels(a, 130) == "1 3 10 30 100");
  CHECK(labels(a, 90) == "1 10 100");
}

TEST_CASE("axis: less than a decade has linear labels") {
  CHECK(labels(axis(0.2, 0.5, true), 400) == "0.2 0.3 0.4 0.5");
}

TEST_CASE("axis: very many decades leave labels out") {
  const auto ticks = axis_ticks(axis(1e-12, 1e12, true), 200);
  int count = 0;
  for (const AxisTick& tick : ticks) count += !tick.label.empty();
  CHECK(count >= 5);
  CHECK(count <= 14);  // 200 px hold no more
}

TEST_CASE("axis: ticks outside 0.001 to 9999 are powers of ten") {
  CHECK(tick_label(0.001, 1e4) == "0.001");
  CHECK(tick_label(5000, 1e4) == "5000");
  CHECK(tick_label(1e4, 1e4) == "10^{4}");
  CHECK(tick_label(1e4, 1e5) == "10000");
  CHECK(tick_label(-1e-5, 1e4) == "−10^{−5}");
  CHECK(tick_label(2e-4, 1e4) == "2×10^{−4}");
}

TEST_CASE("axis: the map meets both ends and the middle") {
  const AxisMap log(axis(1, 100, true), 50, 250);
  CHECK(log(1) == doctest::Approx(50));
  CHECK(log(10) == doctest::Approx(150));
  CHECK(log(100) == doctest::Approx(250));
  const AxisMap down(axis(0, 4, false), 300, 100);
  CHECK(down(1) == doctest::Approx(250));
}

TEST_CASE("axis: explicit ticks are kept if they are in range") {
  FigureAxis a = axis(1, 10, true);
  a.ticks = {{0.5, true, "x"}, {2, true, "two"}};
  CHECK(labels(a, 100) == "two");
}

}  // namespace gttf::test::GTTF_TEST_FILE
