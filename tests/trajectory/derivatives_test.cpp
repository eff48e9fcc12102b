// SPDX-License-Identifier: Apache-2.0
#include "gttf/trajectory/derivatives.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gttf/trajectory/crossings.hpp"
#include "support/layouts.hpp"

namespace gttf::test::GTTF_TEST_FILE {

namespace {

/// (u, v, phi, theta, kappa) where the track meets the surface.
std::array<double, 5> on_surface(const Track& t, double bz,
                                 const SurfaceRecord& s) {
  const Line<double> l = make_line<double>(t, bz);
  const Crossing<double> x = cross(l, s);
  const double a = l.along + x.forward, b = l.across + x.sideward;
  const double px = l.cos_phi * a - l.sin_phi * b;
  const double py = l.sin_phi * a + l.cos_phi * b;
  const double z = l.z + x.arc * l.cot_theta;
  const double phi = t.phi + l.c * x.arc;
  using Kind = SurfaceRecord::Kind;
  switch (s.kind) {
    // r-phi as a length: the radius is the same for all tracks
    case Kind::cylinder:
      return {s.position * std::atan2(py, px), z, phi, t.theta, l.kappa};
    // unit vectors e_phi, e_r of the reference: see the caller
    case Kind::disk:
      return {px, py, phi, t.theta, l.kappa};
    case Kind::cone:
    case Kind::disk_plane:
      return {px, py, phi, t.theta, l.kappa};
    case Kind::inclined: {
      const auto along = [&](const std::array<double, 3>& axis) {
        return axis[0] * px + axis[1] * py + axis[2] * z;
      };
      return {along(s.u_vector), along(s.v_vector()), phi, t.theta, l.kappa};
    }
    case Kind::plane:
      break;
  }
  return s.normal == Axis::x ? std::array{py, z, phi, t.theta, l.kappa}
                             : std::array{z, px, phi, t.theta, l.kappa};
}

/// The track with start parameter i (order of Perigee) changed by h.
Track displaced(Track t, double bz, int i, double h) {
  switch (i) {
    case 0:
      t.vertex[0] -= h * std::sin(t.phi);
      t.vertex[1] += h * std::cos(t.phi);
      break;
    case 1:
      t.vertex[2] += h;
      break;
    case 2:
      t.phi += h;
      break;
    case 3:
      t.theta += h;
      break;
    case 4:
      t.p = -t.charge * bz / (-t.charge * bz / t.p + h);
      break;
  }
  return t;
}

}  // namespace

TEST_CASE("derivatives: rows equal differences of displaced tracks") {
  RandomLayouts usual(3), with_leaning(3, 0.5);
  int checked = 0, cones = 0, inclined = 0;
  double worst = 0;
  for (int n = 0; n < 400; ++n) {
    RandomLayouts& random = n % 2 == 0 ? usual : with_leaning;
    const Detector d = random.detector();
    const Track t = random.track();
    const TrackingGeometry geometry(d);
    const auto c = find_crossings(geometry, t, Scattering::off);
    for (const auto& x : c.list) {
      const SurfaceRecord& s = geometry.surfaces()[x.surface];
      // near grazing incidence, differences include the curvature of the map
      if (x.at.cos_psi < 0.3 || std::abs(c.line.cos_theta) < 0.1 ||
          std::abs(cos_incidence(c.line, s, x.at)) < 0.1)
        continue;
      const auto jacobian = surface_jacobian(c.line, s, x.at);
      const auto here = on_surface(t, d.field.bz, s);
      const double r = std::hypot(here[0], here[1]);
      for (int i = 0; i < 5; ++i) {
        const double h[] = {1e-3, 1e-3, 1e-6, 1e-6, 1e-5 / x.at.arc};
        const auto step = h[i];
        const auto up =
            on_surface(displaced(t, d.field.bz, i, step), d.field.bz, s);
        const auto down =
            on_surface(displaced(t, d.field.bz, i, -step), d.field.bz, s);
        std::array<double, 5> slope{};
        for (std::size_t k = 0; k < 5; ++k)
          slope[k] =
              std::remainder(up[k] - down[k], k == 2 ? 2 * unit::pi : 1e9) /
              (2 * step);
        if (s.kind == SurfaceRecord::Kind::disk) {
          const double dx = slope[0], dy = slope[1];
          slope[0] = (here[0] * dy - here[1] * dx) / r;
          slope[1] = (here[0] * dx + here[1] * dy) / r;
        }
        if (s.kind == SurfaceRecord::Kind::cone) {
          // along the cone: dr/dv = slope/sqrt(1 + slope^2)
          const double dx = slope[0], dy = slope[1];
          slope[0] = (here[0] * dy - here[1] * dx) / r;
          slope[1] = (here[0] * dx + here[1] * dy) / r *
                     std::hypot(1, 1 / s.slope) * (s.slope < 0 ? -1 : 1);
          ++cones;
        }
        inclined += s.kind == SurfaceRecord::Kind::inclined ? 1 : 0;
        if (s.kind == SurfaceRecord::Kind::cylinder &&
            std::abs(up[0] - down[0]) > 1)
          continue;  // atan2 wrapped
        for (std::size_t k = 0; k < 5; ++k) {
          const auto column = static_cast<std::size_t>(i);
          // scale: what a unit of this column moves over the lever arm
          const double scale[] = {1 + x.at.arc, 1};
          const double size = std::abs(jacobian[k][column]) +
                              scale[k < 2 ? 0 : 1] * (i < 2 ? 1e-3 : 1) *
                                  (i == 4 ? x.at.arc : 1);
          worst =
              std::max(worst, std::abs(slope[k] - jacobian[k][column]) / size);
        }
        ++checked;
      }
    }
  }
  CHECK(checked > 2000);
  CHECK(cones > 250);
  CHECK(inclined > 250);
  CAPTURE(worst);
  // truncation of the central difference, (step/radius)^2 over cos^3
  CHECK(worst < 2e-6);
}

TEST_CASE("derivatives: no kink moves the track at its own crossing") {
  RandomLayouts random(4);
  for (int n = 0; n < 100; ++n) {
    const Detector d = random.detector();
    const Track t = random.track();
    const TrackingGeometry geometry(d);
    const auto c = find_crossings(geometry, t, Scattering::off);
    for (const auto& x : c.list) {
      const Kink<double> b = kink(c.line, x.at);
      for (const Mixture<double> m : {Mixture<double>{1, 0}, {0, 1}}) {
        const Row<double> a =
            displacement_row(c.line, x.at, kink(c.line, x.at), m);
        double theta = a[3], phi = 0, scale = std::abs(a[3]);
        for (std::size_t i = 0; i < 3; ++i) {
          theta += a[i] * b.theta[i];
          phi += a[i] * b.phi[i];
          scale += std::abs(a[i] * b.theta[i]) + std::abs(a[i] * b.phi[i]);
        }
        CHECK(std::abs(theta) <= 1e-14 * scale);
        CHECK(std::abs(phi) <= 1e-14 * scale);
      }
    }
  }
}

}  // namespace gttf::test::GTTF_TEST_FILE
