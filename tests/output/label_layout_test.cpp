// SPDX-License-Identifier: Apache-2.0
#include "gttf/output/plot/label_layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("label layout: labels that are apart stay") {
  const std::array wanted{10.0, 80.0, 40.0};
  const auto placed = spread_apart(wanted, 14, 0, 100);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(placed[i] == doctest::Approx(wanted[i]));
}

TEST_CASE("label layout: labels at one place are spread around it") {
  const std::array wanted{50.0, 50.0, 50.0};
  const auto placed = spread_apart(wanted, 14, 0, 100);
  CHECK(placed[0] == doctest::Approx(36));
  CHECK(placed[1] == doctest::Approx(50));
  CHECK(placed[2] == doctest::Approx(64));
}

TEST_CASE("label layout: gaps hold, order is kept, ends are respected") {
  const std::array wanted{97.0, 12.0, 99.0, 11.0, 96.0, 10.0, 95.0};
  const auto placed = spread_apart(wanted, 14, 5, 100);
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6};
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return wanted[a] < wanted[b]; });
  CHECK(placed[order.front()] >= 5 - 1e-9);
  CHECK(placed[order.back()] <= 100 + 1e-9);
  for (std::size_t k = 1; k < order.size(); ++k)
    CHECK(placed[order[k]] - placed[order[k - 1]] >= 14 - 1e-9);
}

TEST_CASE("label layout: a segment crosses a box it passes through only") {
  const Box box{10, 10, 20, 20};
  CHECK(crosses({0, 0, 30, 30}, box));
  CHECK(crosses({12, 12, 13, 13}, box));
  CHECK_FALSE(crosses({0, 0, 5, 30}, box));
  CHECK_FALSE(crosses({0, 22, 22, 30}, box));  // past the corner
}

TEST_CASE("label layout: a band is named where it is fattest") {
  std::array<double, 101> x{}, upper{}, lower{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i);
    upper[i] = 0;
    lower[i] = i >= 60 ? 40 : 18;
  }
  const auto place = place_in_band(x, upper, lower, 30, 12, 0, 100);
  REQUIRE(place);
  CHECK(place->x >= 75);
  CHECK(place->y == doctest::Approx(20));
  CHECK_FALSE(place_in_band(x, upper, lower, 30, 50, 0, 100));
}

TEST_CASE("label layout: a band with a gap is not named across it") {
  std::array<double, 41> x{}, upper{}, lower{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i);
    lower[i] = i == 20 ? std::numeric_limits<double>::quiet_NaN() : 30;
  }
  CHECK_FALSE(place_in_band(x, upper, lower, 30, 12, 0, 40));
}

TEST_CASE("label layout: labels in one line do not touch") {
  LabelPlacer placer(Box{0, 0, 100, 100});
  placer.add_obstacle(Box{0, 0, 20, 10});
  const std::array touching{Box{20, 0, 40, 10}}, below{Box{20, 10, 40, 20}};
  const std::array apart{Box{26, 0, 46, 10}};
  CHECK_FALSE(placer.take(touching, false));
  CHECK(placer.take(apart, false) == 0);
  CHECK(placer.take(below, false) == 0);
}

TEST_CASE("label layout: a label gets the first free position") {
  LabelPlacer placer(Box{0, 0, 100, 100});
  placer.add_obstacle(LineSegment{0, 10, 100, 10});
  const std::array places{Box{0, 5, 20, 15}, Box{0, 20, 20, 30}};
  CHECK(placer.take(places, false) == 1);
  // that place is taken; what is left meets a line
  CHECK(placer.take(places, false) == 0);
  CHECK_FALSE(placer.take(places, false));
}

TEST_CASE("label layout: a thin line is rather covered than a heavy one") {
  LabelPlacer placer(Box{0, 0, 100, 100});
  placer.add_obstacle(LineSegment{0, 10, 100, 10, 1.8});
  placer.add_obstacle(LineSegment{0, 25, 100, 25, 0.6});
  placer.add_obstacle(LineSegment{0, 26, 100, 26, 0.6});
  const std::array places{Box{0, 5, 20, 15}, Box{0, 20, 20, 30}};
  CHECK(placer.take(places, false) == 1);
}

TEST_CASE("label layout: labels that must fit are omitted, not on a line") {
  LabelPlacer placer(Box{0, 0, 100, 100});
  placer.add_obstacle(LineSegment{0, 10, 100, 10});
  const std::array places{Box{0, 5, 20, 15}, Box{90, 20, 120, 30}};
  CHECK_FALSE(placer.take(places, true));
}

}  // namespace gttf::test::GTTF_TEST_FILE
