// SPDX-License-Identifier: Apache-2.0
// Random detectors changed in ways whose effect is known exactly.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/population.hpp"

namespace gttf::test::GTTF_TEST_FILE {
namespace {

using Change = std::function<void(Description&)>;
using Wanted = std::function<bool(const Description&)>;

/// How a sigma follows a change: by a factor, or it must not grow.
struct Law {
  double lengths = 1;      ///< factor of d0 and z0
  double others = 1;       ///< factor of p, phi0 and theta
  bool not_worse = false;  ///< instead of the factors Relative; where the fit
                           ///< is as ill-conditioned as a track can be. The
  /// determination of a parameter by 1e-3 of its own error costs 6 digits.
  double tolerance = 1e-7;
};

struct Options {
  Wanted wanted = {};
  std::string before = {}, after = {};  ///< options of the scans
  std::function<std::string(std::string)> grid_after = {};
};

double factor_of(const Law& law, const std::string& column) {
  return column == "sigma_d0_um" || column == "sigma_z0_um" ? law.lengths
                                                            : law.others;
}

void compare(const Json& a, const Json& b, const Law& law) {
  for (const std::string& column : sigma_columns()) {
    const double x = number(a, column) * factor_of(law, column);
    const double y = number(b, column);
    CAPTURE(column);
    CAPTURE(x);
    CAPTURE(y);
    if (law.not_worse) {
      // what was not measured may be now
      if (!std::isnan(x)) CHECK(y <= x * (1 + law.tolerance));
      continue;
    }
    REQUIRE(std::isnan(x) == std::isnan(y));
    if (!std::isnan(x)) CHECK(std::abs(y - x) <= law.tolerance * x);
  }
}

/// Checks the law on every row; returns how many had a resolution.
int holds(const Change& change, const Law& law, const Options& options = {}) {
  const Population plain(options.wanted), changed(options.wanted, change);
  const auto before = plain.scan(options.before);
  const auto after = changed.scan(options.after, options.grid_after);
  int compared = 0;
  for (const Description& d : plain.detectors()) {
    INFO(recipe(d));
    const Rows &a = before.at(d.name), &b = after.at(d.name);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO(a[i]["input"].dump());
      if (!law.not_worse) CHECK(status_of(a[i]) == status_of(b[i]));
      if (!has_resolution(a[i])) continue;
      // barely determined: rounding is all that would be compared
      if (number(a[i], "sigma_p_rel") > 1) continue;
      compare(a[i], b[i], law);
      ++compared;
    }
  }
  return compared;
}

bool round_z(const Description& d) {
  return d.family == Family::barrel || d.family == Family::no_field ||
         d.family == Family::map;
}

/// The grid with momenta four times as large, `--p 1GeV,2GeV` to `4GeV,8GeV`.
std::string four_times(std::string grid) {
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{
           {"--p 0.4GeV,2GeV,50GeV", "--p 1.6GeV,8GeV,200GeV"},
           {"--p 1GeV,5GeV,50GeV", "--p 4GeV,20GeV,200GeV"}})
    if (const auto at = grid.find(from); at != grid.npos)
      return grid.replace(at, from.size(), to);
  FAIL("another grid: " << grid);
  return grid;
}

std::string opposite(std::string grid) {
  const auto begin = grid.find("--theta ") + 8;
  const auto end = std::min(grid.find(' ', begin), grid.size());
  std::string list;
  for (std::size_t i = begin; i < end;) {
    const auto next = std::min(grid.find(',', i), end);
    if (!list.empty()) list += ',';
    list += std::to_string(180 - std::stod(grid.substr(i, next - i))) + "deg";
    i = next + 1;
  }
  return grid.replace(begin, end - begin, list);
}

}  // namespace

TEST_CASE("law: twice as large in half the field, lengths double") {
  CHECK(holds(
            [](Description& d) {
              enlarge(d, 2);
              scale_field(d, 1, 2);
            },
            {.lengths = 2}) > 0);
}

TEST_CASE("law: without scattering errors follow those of the hits") {
  const Options off{.before = "--scattering off", .after = "--scattering off"};
  CHECK(holds(
            [](Description& d) {
              for (LayerText& l : d.layers)
                for (CoordinateText& c : l.measures) c.sigma *= 3;
            },
            {.lengths = 3, .others = 3}, off) > 0);
}

TEST_CASE("law: four times the momentum in four times the field") {
  const Options off{.before = "--scattering off",
                    .after = "--scattering off",
                    .grid_after = four_times};
  CHECK(holds([](Description& d) { scale_field(d, 4, 1); }, {}, off) > 0);
}

TEST_CASE("law: cylinders and disks look the same from every side") {
  CHECK(holds({}, {}, {.wanted = round_z, .after = "--phi 73deg"}) > 0);
}

TEST_CASE("law: in a mirror across the beam tracks go the other way") {
  CHECK(holds(mirror_z, {}, {.wanted = round_z, .grid_after = opposite}) > 0);
}

TEST_CASE("law: in a mirror along the beam charges are opposite") {
  const auto wanted = [](const Description& d) { return d.magnets.empty(); };
  Options options{.wanted = wanted, .after = "--charge 1"};
  options.grid_after = [](std::string grid) {
    const auto at = grid.find("--phi 33deg");
    return at == grid.npos ? grid : grid.replace(at, 11, "--phi -33deg");
  };
  CHECK(holds(mirror_y, {}, options) > 0);
}

TEST_CASE("law: the order of layers in the file means nothing") {
  CHECK(holds([](Description& d) { std::ranges::reverse(d.layers); },
              {.tolerance = 0}) > 0);
}

TEST_CASE("law: one more measurement never hurts") {
  CHECK(holds(
            [](Description& d) {
              for (LayerText& l : d.layers) {
                if (l.measures.size() == 2) continue;
                l.measures.push_back(
                    {l.measures.empty() ? 0 : right_angle, 50000});
                if (l.measures[0].angle == right_angle) l.measures[1].angle = 0;
                return;
              }
            },
            {.not_worse = true}) > 0);
}

TEST_CASE("law: better hits never increase an error") {
  CHECK(holds(
            [](Description& d) {
              for (LayerText& l : d.layers)
                if (l.name.back() % 2 == 0)
                  for (CoordinateText& c : l.measures) c.sigma /= 2;
            },
            {.not_worse = true}) > 0);
}

TEST_CASE("law: less material never hurts") {
  CHECK(holds(
            [](Description& d) {
              for (LayerText& l : d.layers)
                if (l.name.back() % 2 == 0)
                  for (SlabText& s : l.material) s.amount /= 2;
            },
            {.not_worse = true}) > 0);
}

TEST_CASE("law: both engines are the same fit") {
  CHECK(holds({}, {.tolerance = 1e-6}, {.after = "--engine triplet"}) > 0);
}

TEST_CASE("law: a change by --set is a change of the file") {
  const auto solenoid = [](const Description& d) { return d.millitesla != 0; };
  CHECK(holds([](Description& d) { d.millitesla = 1500; }, {.tolerance = 0},
              {.wanted = solenoid,
               .before = "--set 'field.solenoid=1500 mT'"}) > 0);
}

}  // namespace gttf::test::GTTF_TEST_FILE
