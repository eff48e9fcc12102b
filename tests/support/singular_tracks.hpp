// SPDX-License-Identifier: Apache-2.0
// SingularTracks: random detectors and tracks at the limits of what can be
// measured.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "support/layouts.hpp"

namespace gttf::test {

struct SingularTrack {
  Detector detector;
  Track track;
  std::optional<BeamSpot> spot;
};

/// Few coordinates, all of one direction or parallel, layers at one place or
/// nearly so, no material or much, momenta from 1 keV to 1e300 GeV, beam spots,
/// displaced starts; solenoids, dipoles, no field. Extreme tracks also have hit
/// errors from 1e-9 mm to 1 m in one detector, stereo angles and distances of
/// layers down to 1e-9, tilted modules, material from 1e-12 to 100 X0. Long
/// tracks have 2 to 300 layers with errors from 1e-12 mm to 1 m.
class SingularTracks : public RandomLayouts {
 public:
  enum class Kind { usual, extreme, many_layers };

  explicit SingularTracks(unsigned seed, Kind kind = Kind::usual)
      : RandomLayouts(seed, kind == Kind::extreme ? 0.3 : 0),
        extreme_(kind == Kind::extreme),
        many_(kind == Kind::many_layers) {}

  SingularTrack next() {
    SingularTrack c;
    set_layers(c.detector);
    set_track(c.track);
    if (chance(0.25))
      c.spot = BeamSpot{log_uniform(1e-3, 10), log_uniform(1e-3, 10),
                        log_uniform(1e-3, 100)};
    return c;
  }

 private:
  enum Layout : int {
    any,
    spread,
    even,
    planes,
    same_place,
    disks,
    count,
    modules = count
  };
  static constexpr double right_angle = 0.5 * unit::pi;

  bool chance(double p) { return uniform(0, 1) < p; }
  int whole(int a, int b) {
    return std::min(b, a + static_cast<int>(uniform(0, b - a + 1)));
  }

  double sigma() {
    if (many_) return log_uniform(1e-12, 1e3);
    return extreme_ && chance(0.3) ? log_uniform(1e-9, 1e3)
                                   : log_uniform(1e-4, 1);
  }
  double stereo_angle() {
    return extreme_ ? (chance(0.5) ? 1 : -1) * log_uniform(1e-9, 0.3)
                    : uniform(-0.3, 0.3);
  }

  /// @param kind  0 to 5; more: any of these for every layer
  std::vector<Coordinate> measured(int kind) {
    const double a = sigma(), b = sigma();
    switch (kind) {
      case 0:
        return {{0, a}};
      case 1:
        return {{right_angle, a}};
      case 2:
        return pixel(a, b);
      case 3:
        return {{0, a}, {stereo_angle(), b}};
      case 4:
        return {{uniform(-0.1, 0.1), a}};
      case 5:
        return coordinates();
      default:
        return measured(whole(0, 5));
    }
  }

  double x_over_x0(int kind) {
    if (extreme_ && chance(0.2)) return log_uniform(1e-12, 100);
    switch (kind) {
      case 0:
        return 0;
      case 1:
        return chance(0.3) ? 0 : log_uniform(1e-6, 0.1);
      case 2:
        return log_uniform(1e-4, 0.05);
      default:
        return log_uniform(1e-3, 2);
    }
  }

  Surface next_surface(double gap, double& radius) {
    const Interval wide{-4e3, 4e3};
    switch (layout_) {
      case spread:
        return make_cylinder(radius += log_uniform(0.01, 100), wide);
      case even:
        return make_cylinder(radius += gap, wide);
      case planes:
        return make_plane(Axis::z, radius += gap, {-1e4, 1e4}, {-1e4, 1e4});
      case modules: {
        // across the track's direction, tilted by up to 60 degrees
        const auto tilt = direction();
        std::array<double, 3> normal{}, u{}, centre{};
        for (std::size_t i = 0; i < 3; ++i) {
          normal[i] = towards_[i] + 0.86 * tilt[i];
          centre[i] = radius * towards_[i];
        }
        radius += gap;
        const double size = std::hypot(normal[0], normal[1], normal[2]);
        for (double& x : normal) x /= size;
        const double across = std::hypot(normal[0], normal[1]);
        u = {-normal[1] / across, normal[0] / across, 0};
        return make_inclined_plane(centre, normal, u, {1e4, 1e4});
      }
      case same_place:
        return make_cylinder(radius + (chance(0.3) ? 0 : uniform(0, 1) * gap),
                             wide);
      case disks:
        if (chance(0.5))
          return make_disk((chance(0.5) ? 1 : -1) * log_uniform(20, 3000),
                           {1, 2500});
        return make_plane(chance(0.5) ? Axis::x : Axis::y,
                          log_uniform(20, 2000), wide, wide);
      default:
        return surface();
    }
  }

  void set_layers(Detector& d) {
    d.name = "singular";
    layout_ =
        many_
            ? static_cast<Layout>(whole(spread, planes))
            : static_cast<Layout>(whole(0, Layout::count - (extreme_ ? 0 : 1)));
    if (layout_ == modules) towards_ = direction();
    const int n = many_ ? static_cast<int>(log_uniform(2, 300)) : whole(2, 12);
    const int kind = whole(0, 8), material = whole(0, 3);
    const double gap =
        many_ ? log_uniform(0.1, 10) : log_uniform(extreme_ ? 1e-9 : 1e-3, 300);
    double radius = log_uniform(5, 300);
    if (!chance(0.2)) d.field = {FieldKind::solenoid, uniform(-4, 4) * unit::T};
    for (int i = 0; i < n; ++i)
      d.layers.push_back(make_layer("L" + std::to_string(i),
                                    next_surface(gap, radius),
                                    x_over_x0(material), measured(kind)));
    // derivatives of traced tracks are doubles: nothing below a nanometre
    const bool may_be_traced = !extreme_ || gap > 1e-4;
    if (layout_ == planes && may_be_traced && chance(0.5)) {
      const double before =
          d.layers[static_cast<std::size_t>(whole(0, n - 2))].surface.position;
      DipoleGap dipole;
      dipole.extent = {before + 0.1 * gap, before + 0.9 * gap};
      dipole.direction = chance(0.7) ? Axis::y : Axis::x;
      dipole.field = uniform(-2, 2) * unit::T;
      d.field = {};
      d.field.kind = FieldKind::dipole;
      d.field.dipoles.push_back(dipole);
    }
    set_reference(d.field);
  }

  void set_track(Track& t) {
    const double momentum = uniform(0, 1);
    t.p = momentum < 0.6    ? log_uniform(0.1, 1000)
          : momentum < 0.8  ? log_uniform(1e-6, 0.1)
          : momentum < 0.95 ? log_uniform(1e3, 1e15)
                            : log_uniform(1e15, 1e300);
    if (layout_ == planes)
      t.theta = chance(0.2) ? 0 : uniform(0, 1.2);
    else if (layout_ == modules)
      t.theta = std::acos(towards_[2]);
    else
      t.theta = chance(0.1) ? right_angle : std::acos(uniform(-0.99, 0.99));
    t.phi = layout_ == modules ? std::atan2(towards_[1], towards_[0])
            : chance(0.1)      ? 0
                               : uniform(-unit::pi, unit::pi);
    t.charge = (chance(0.5) ? -1 : 1) * (chance(0.1) ? 2 : 1);
    constexpr std::array masses = {0.000511, 0.1057, 0.1396, 0.938, 2.8};
    t.mass = masses[static_cast<std::size_t>(whole(0, 4))];
    const double start = uniform(0, 1);
    if (start < 0.4)
      t.vertex = {uniform(-10, 10), uniform(-10, 10), uniform(-50, 50)};
    else if (start < 0.5)
      t.vertex = {uniform(-1e3, 1e3), uniform(-1e3, 1e3), uniform(-2e3, 2e3)};
  }

  bool extreme_, many_;
  Layout layout_ = any;
  std::array<double, 3> towards_{};  ///< the modules
};

}  // namespace gttf::test
