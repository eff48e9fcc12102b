// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track_state.hpp"

#include <cmath>

#include "gttf/core/units.hpp"

namespace gttf {

namespace {

/// atan(y)/y, and (atan(y)/y - 1/(1 + y^2))/y^2.
struct ArcTangent {
  double ratio, lag;
};

ArcTangent arc_tangent(double y) {
  const double y2 = y * y;
  if (y2 < 1e-3)
    return {
        1 - y2 * (1. / 3 - y2 * (1. / 5 - y2 * (1. / 7 - y2 / 9))),
        2. / 3 - y2 * (4. / 5 - y2 * (6. / 7 - y2 * (8. / 9 - y2 * 10 / 11)))};
  const double ratio = std::atan(y) / y;
  return {ratio, (ratio - 1 / (1 + y2)) / y2};
}

}  // namespace

PerigeeTransport to_perigee(const Vector6& state, const Vector3& origin) {
  const double theta = state[StateIndex::theta];
  const double phi = state[StateIndex::phi];
  const double kappa = state[StateIndex::kappa];
  const double sine = std::sin(theta), cot = std::cos(theta) / sine;
  const double c = kappa / sine;
  const double x = state[0] - origin[0], y = state[1] - origin[1];
  const double cos_phi = std::cos(phi), sin_phi = std::sin(phi);
  const double ut = x * cos_phi + y * sin_phi;
  const double un = y * cos_phi - x * sin_phi;
  const double u2 = x * x + y * y;
  const double m = 1 + c * un, big_n = std::hypot(m, c * ut);
  const double d0 = (2 * un + c * u2) / (1 + big_n);
  const double back = std::atan2(c * ut, m);
  const double phi0 = phi - back;
  // beyond a quarter of a turn from the perigee the tangent is no measure
  const double q = ut / m, t = c * q;
  const bool near = m > 0.1;
  const ArcTangent arc = near ? arc_tangent(t) : ArcTangent{1, 0};
  const double s = near ? q * arc.ratio : back / c;
  // ds/dc = s_c = derivative of atan2(c ut, 1 + c un)/c at fixed u
  const double s_c = near
                         ? -q * un / (m * (1 + t * t)) - c * q * q * q * arc.lag
                         : (ut / (big_n * big_n) - s) / c;

  PerigeeTransport p;
  p.parameters << d0, state[2] - origin[2] - s * cot,
      std::remainder(phi0, 2 * unit::pi), theta, kappa;
  const double cos0 = std::cos(phi0), sin0 = std::sin(phi0);
  const double c_theta = -c * cot, c_kappa = 1 / sine;
  auto& j = p.jacobian;
  j.setZero();
  const auto set = [&](int row, double dx, double dy, double dphi, double dc) {
    j(row, 0) = dx;
    j(row, 1) = dy;
    j(row, StateIndex::phi) = dphi;
    j(row, StateIndex::theta) = dc * c_theta;
    j(row, StateIndex::kappa) = dc * c_kappa;
  };
  set(Perigee::d0, -sin0, cos0, -ut / big_n, (u2 - d0 * d0) / (2 * big_n));
  set(Perigee::phi, -c / big_n * cos0, -c / big_n * sin0, m / (big_n * big_n),
      -ut / (big_n * big_n));
  set(Perigee::z0, cos0 / big_n, sin0 / big_n, (un + c * u2) / (big_n * big_n),
      s_c);
  j.row(Perigee::z0) *= -cot;
  j(Perigee::z0, 2) = 1;
  j(Perigee::z0, StateIndex::theta) += s / (sine * sine);
  j(Perigee::theta, StateIndex::theta) = 1;
  j(Perigee::kappa, StateIndex::kappa) = 1;
  return p;
}

}  // namespace gttf
