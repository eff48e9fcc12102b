// SPDX-License-Identifier: Apache-2.0
// Draws detectors: barrels with disks and wires, arms, telescopes, magnets,
// field maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/description.hpp"

namespace gttf::test {
namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  Description detector(unsigned seed) {
    Description d;
    d.seed = seed;
    d.family = static_cast<Family>(seed % family_count);
    d.name = fmt::format("{} {}", to_string(d.family), seed);
    d.radiation_length = whole(9, 400) * 1000;
    switch (d.family) {
      case Family::barrel:
        d.millitesla = (chance(0.3) ? -4 : 4) * whole(125, 1000);
        barrel(d);
        break;
      case Family::no_field:
        barrel(d);
        break;
      case Family::arm:
        d.millitesla = 4 * whole(100, 800);
        arm(d);
        break;
      case Family::telescope:
        beam(d, whole(4, 9), 2000, 60000);
        break;
      case Family::spectrometer:
        beam(d, whole(8, 14), 50000, 400000);
        magnets(d);
        break;
      case Family::map:
        barrel(d);
        map(d);
        break;
    }
    std::shuffle(d.layers.begin(), d.layers.end(), engine_);
    return d;
  }

 private:
  double uniform(double a, double b) {
    return a + (b - a) * std::generate_canonical<double, 53>(engine_);
  }
  long whole(long a, long b) {
    return std::min(b, a + static_cast<long>(uniform(0, 1) *
                                             static_cast<double>(b - a + 1)));
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  /// Many small ones, few large ones; even.
  long log_whole(double a, double b) {
    return 2 *
           std::lround(std::exp(uniform(std::log(a), std::log(b))) / 2 + 0.5);
  }

  std::vector<SlabText> material(double most) {
    std::vector<SlabText> slabs;
    do {
      if (chance(0.3))
        slabs.push_back({true, log_whole(20, 500)});
      else
        slabs.push_back({false, log_whole(100, most)});
    } while (chance(0.25));
    return slabs;
  }

  std::vector<CoordinateText> two_coordinates() {
    const long sigma = log_whole(2000, 200000);
    if (chance(0.25)) {  // strips under a stereo angle
      const long angle = whole(10, 300);
      return {{0, sigma}, {chance(0.5) ? angle : -angle, sigma}};
    }
    return {{0, sigma}, {right_angle, log_whole(2000, 1000000)}};
  }
  std::vector<CoordinateText> one_coordinate() {
    if (chance(0.2)) return {{whole(-500, 500), log_whole(5000, 300000)}};
    return {{chance(0.7) ? 0 : right_angle, log_whole(5000, 300000)}};
  }

  /// Three layers at least measure both coordinates.
  void instrument(LayerText& l, std::size_t index) {
    if (index < 3 || chance(0.5))
      l.measures = two_coordinates();
    else if (chance(0.8))
      l.measures = one_coordinate();
    l.pitch = chance(0.3);
  }

  void barrel(Description& d) {
    const auto n = static_cast<std::size_t>(whole(4, 9));
    long radius = whole(15, 40) * 1000;
    const bool long_barrel = chance(0.5);
    LayerText pipe;
    pipe.name = "pipe";
    pipe.position = radius - whole(2, 8) * 1000;
    pipe.a_to = 4000000;
    pipe.a_from = -pipe.a_to;
    pipe.material = material(3000);
    d.layers.push_back(pipe);
    long longest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      LayerText l;
      l.name = fmt::format("B{}", i);
      l.position = radius;
      l.a_to = (long_barrel ? 5 : 2) * radius + whole(0, 100) * 1000;
      l.a_from = chance(0.8) ? -l.a_to : -l.a_to / 2;
      l.material = material(20000);
      instrument(l, i);
      longest = std::max(longest, l.a_to);
      radius = radius * whole(120, 200) / 100;
      d.layers.push_back(l);
    }
    if (chance(0.4)) wires(d, radius);
    if (chance(0.5)) disks(d, longest, radius);
  }

  void wires(Description& d, long radius) {
    LayerText l;
    l.name = "wires";
    l.repeat = static_cast<int>(whole(5, 20));
    l.position = radius;
    l.last = radius * 2;
    l.a_to = 2 * radius;
    l.a_from = -l.a_to;
    l.material = {{false, whole(10, 200)}};
    l.measures = {{whole(-200, 200), 100000}};
    d.layers.push_back(l);
  }

  void disks(Description& d, long z, long radius) {
    const long n = whole(2, 6);
    const bool mirror = chance(0.7);
    for (long i = 0; i < n; ++i) {
      z += whole(20, 300) * 1000;
      LayerText l;
      l.name = fmt::format("D{}", i);
      l.shape = Shape::disk;
      l.position = z;
      l.a_from = d.layers.front().position + whole(1, 5) * 1000;  // pipe
      l.a_to = radius;
      l.mirror = mirror;
      l.material = material(20000);
      instrument(l, 0);
      d.layers.push_back(l);
    }
  }

  void arm(Description& d) {
    const auto n = static_cast<std::size_t>(whole(4, 8));
    long x = whole(10, 50) * 1000;
    for (std::size_t i = 0; i < n; ++i) {
      LayerText l;
      l.name = fmt::format("A{}", i);
      l.shape = Shape::plane_x;
      l.position = x;
      l.a_to = l.b_to = x + 50000;
      l.a_from = l.b_from = -l.a_to;
      l.material = material(20000);
      instrument(l, i);
      d.layers.push_back(l);
      x += whole(10, 200) * 1000;
    }
  }

  void beam(Description& d, long n, long least_gap, long widest_gap) {
    long z = whole(1, 100) * 1000;
    for (long i = 0; i < n; ++i) {
      LayerText l;
      l.name = fmt::format("P{}", i);
      l.shape = Shape::plane_z;
      l.position = z;
      l.a_to = l.b_to = 1000000;
      l.a_from = l.b_from = -l.a_to;
      l.material = material(5000);
      // on both sides of a magnet
      instrument(l, i < 3 || i + 3 >= n ? 0 : 9);
      d.layers.push_back(l);
      z += log_whole(static_cast<double>(least_gap),
                     static_cast<double>(widest_gap));
    }
  }

  /// One or two, in gaps between the third plane and the third last one.
  void magnets(Description& d) {
    const std::size_t n = d.layers.size();
    const bool two = n > 10 && chance(0.5);
    const char direction = chance(0.7) ? 'y' : 'x';
    for (std::size_t i = 0; i < (two ? 2u : 1u); ++i) {
      const std::size_t before = i == 0 ? 2 : n - 4;
      const long from = d.layers[before].position;
      const long to = d.layers[before + 1].position;
      const long margin = (to - from) / 10;
      d.magnets.push_back({from + margin, to - margin,
                           (chance(0.5) ? -4 : 4) * whole(100, 500),
                           direction});
    }
  }

  /// A field that holds the detector; the steps of the grid are whole.
  void map(Description& d) {
    long r = 0, z = 0;
    for (const LayerText& l : d.layers) {
      const bool disk = l.shape == Shape::disk;
      r = std::max({r, l.last, disk ? l.a_to : l.position});
      z = std::max({z, -l.a_from, disk ? l.position : l.a_to});
    }
    MapText& m = d.map;
    m.nodes_r = whole(5, 12);
    m.nodes_z = 2 * whole(5, 12) + 1;
    m.last_r = (r / (m.nodes_r - 1) + 20000) * (m.nodes_r - 1);
    m.last_z = (z / (m.nodes_z - 1) + 20000) * (m.nodes_z - 1);
    m.millitesla = (chance(0.3) ? -4 : 4) * whole(125, 1000);
    m.percent = whole(-40, 40);
  }

  std::mt19937_64 engine_;
};

}  // namespace

std::string to_string(Family family) {
  switch (family) {
    case Family::barrel:
      return "barrel";
    case Family::no_field:
      return "straight";
    case Family::arm:
      return "arm";
    case Family::telescope:
      return "telescope";
    case Family::map:
      return "map";
    case Family::spectrometer:
      break;
  }
  return "spectrometer";
}

std::string grid_of(Family family) {
  switch (family) {
    case Family::barrel:
    case Family::no_field:
    case Family::map:
      return " --p 0.4GeV,2GeV,50GeV --theta 90deg,65deg,20deg";
    case Family::arm:
      return " --p 0.4GeV,2GeV,50GeV --theta 90deg,80deg";
    case Family::telescope:
    case Family::spectrometer:
      break;
  }
  return " --p 1GeV,5GeV,50GeV --theta 0.5deg,2deg --phi 33deg";
}

Description random_description(unsigned seed) {
  return Draw(seed).detector(seed);
}

}  // namespace gttf::test
