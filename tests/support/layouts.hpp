// SPDX-License-Identifier: Apache-2.0
// Detectors for tests: simple barrels, and random layouts of every kind.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "gttf/detector/detector.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf::test {

inline Layer make_layer(std::string name, Surface surface, double x_over_x0,
                        std::vector<Coordinate> coordinates = {}) {
  Layer layer;
  layer.name = std::move(name);
  layer.surface = surface;
  if (x_over_x0 > 0) layer.material.push_back({"", 0, x_over_x0});
  layer.coordinates = std::move(coordinates);
  return layer;
}

/// Two coordinates along the surface's axes.
inline std::vector<Coordinate> pixel(double sigma_u, double sigma_v) {
  return {{0, sigma_u}, {0.5 * unit::pi, sigma_v}};
}

/// n pixel cylinders evenly from `inner` to `outer` radius.
inline Detector make_barrel(int n, double inner, double outer, double tesla,
                            double x_over_x0, double sigma) {
  Detector d;
  d.name = "barrel";
  d.field = {tesla == 0 ? FieldKind::none : FieldKind::solenoid,
             tesla * unit::T};
  for (int i = 0; i < n; ++i) {
    const double r = inner + (outer - inner) * i / (n - 1);
    d.layers.push_back(make_layer("L" + std::to_string(i),
                                  make_cylinder(r, {-1e5, 1e5}), x_over_x0,
                                  pixel(sigma, sigma)));
  }
  return d;
}

/// The solenoid's field as a dipole whose gap holds everything: its tracks are
/// traced.
inline Detector in_gap(Detector d) {
  const double bz = d.field.bz;
  d.field = {};
  d.field.kind = FieldKind::dipole;
  d.field.dipoles = {{Axis::x, {-1e6, 1e6}, Axis::z, bz}};
  return d;
}

/// Reproducible random layouts: cylinders, disks and planes of every
/// orientation along the axes, and a fraction of slanted surfaces, half of them
/// cones and half planes anywhere; passive or measuring one or two coordinates
/// at any angle.
class RandomLayouts {
 public:
  explicit RandomLayouts(unsigned seed, double leaning = 0)
      : engine_(seed), leaning_(leaning) {}

  double uniform(double a, double b) {
    return a + (b - a) * std::generate_canonical<double, 53>(engine_);
  }
  double log_uniform(double a, double b) {
    return std::exp(uniform(std::log(a), std::log(b)));
  }

  /// A cone that opens or closes.
  Surface cone() {
    const double z = uniform(-2000, 1500), length = log_uniform(50, 2500);
    const double first = log_uniform(20, 1500), last = log_uniform(20, 1500);
    return make_cone({z, z + length}, first, last);
  }

  /// A unit vector in any direction.
  std::array<double, 3> direction() {
    const double z = uniform(-1, 1), phi = uniform(-unit::pi, unit::pi);
    const double r = std::sqrt(1 - z * z);
    return {r * std::cos(phi), r * std::sin(phi), z};
  }

  /// A plane anywhere, within 2.5 m of the origin.
  Surface inclined_plane() {
    const auto at = direction();
    const double distance = log_uniform(20, 1500);
    const auto n = direction(), other = direction();
    const double along = n[0] * other[0] + n[1] * other[1] + n[2] * other[2];
    std::array<double, 3> centre{}, u{};
    double length2 = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      centre[i] = distance * at[i];
      u[i] = other[i] - along * n[i];
      length2 += u[i] * u[i];
    }
    for (double& x : u) x /= std::sqrt(length2);
    const double width = log_uniform(50, 4000), height = log_uniform(50, 4000);
    return make_inclined_plane(centre, n, u, {width, height});
  }

  Surface surface() {
    if (leaning_ > 0 && uniform(0, 1) < leaning_)
      return uniform(0, 1) < 0.5 ? cone() : inclined_plane();
    const double kind = uniform(0, 1);
    if (kind < 0.5) return make_cylinder(log_uniform(20, 2000), {-3e3, 3e3});
    const double sign = uniform(0, 1) < 0.5 ? -1 : 1;
    const double position = sign * log_uniform(50, 2500);
    if (kind < 0.7) return make_disk(position, {5, 2500});
    const Interval wide{-2500, 2500};
    const Axis axes[] = {Axis::x, Axis::y, Axis::z};
    return make_plane(axes[static_cast<int>(uniform(0, 3))], position, wide,
                      wide);
  }

  std::vector<Coordinate> coordinates() {
    const double kind = uniform(0, 1);
    const double angle = uniform(0, 1) < 0.4 ? 0 : uniform(-1, 1) * unit::pi;
    if (kind < 0.2) return {};
    if (kind < 0.45) return {{angle, log_uniform(3e-3, 0.2)}};
    return {{angle, log_uniform(3e-3, 0.2)},
            {angle + 0.5 * unit::pi, log_uniform(3e-3, 0.2)}};
  }

  /// A short cylinder or narrow disk that many tracks miss.
  Surface small_surface() {
    const double length = log_uniform(1, 1000);
    const double middle = uniform(-2000, 2000);
    if (uniform(0, 1) < 0.5)
      return make_cylinder(log_uniform(20, 2000),
                           {middle - length, middle + length});
    const double inner = log_uniform(5, 2000);
    return make_disk(middle, {inner, inner + length});
  }

  Detector detector() {
    Detector d;
    d.name = "random";
    d.field = {FieldKind::solenoid, uniform(-4, 4) * unit::T};
    const int n = 6 + static_cast<int>(uniform(0, 20));
    for (int i = 0; i < n; ++i) {
      // one after the other: compilers differ in the order of arguments
      const Surface shape = surface();
      const double x_over_x0 =
          uniform(0, 1) < 0.1 ? 0 : log_uniform(1e-4, 0.05);
      d.layers.push_back(
          make_layer("L" + std::to_string(i), shape, x_over_x0, coordinates()));
    }
    return d;
  }

  Track track() {
    Track t;
    t.p = log_uniform(0.3, 100);
    t.theta = uniform(0.3, unit::pi - 0.3);
    t.phi = uniform(-unit::pi, unit::pi);
    t.charge = uniform(0, 1) < 0.5 ? -1 : 1;
    if (uniform(0, 1) < 0.5)
      t.vertex = {uniform(-10, 10), uniform(-10, 10), uniform(-50, 50)};
    return t;
  }

 private:
  std::mt19937_64 engine_;
  double leaning_;
};

}  // namespace gttf::test
