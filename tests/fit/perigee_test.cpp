// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/perigee_transport.hpp"

#include <doctest/doctest.h>

#include "gttf/core/dual.hpp"
#include "support/triplets.hpp"

namespace gttf::test::GTTF_TEST_FILE {

TEST_CASE("perigee: rows are the derivatives of the exact closest approach") {
  // The state at the end of an arc as a function of the perigee parameters at
  // its start, derivatives by automatic differentiation; the rows must invert
  // it, and give zero for a step along the track.
  using D = Dual<6>;
  for (const double bend : {0.0, 1e-7, -0.1, 0.9, -2.0, 2.9})
    for (const double theta : {0.2, 1.3, 2.6}) {
      CAPTURE(bend);
      CAPTURE(theta);
      const double length = 45, kappa_value = bend / length, phi = 0.8;
      const D d0 = D::variable(0, 0), phi0 = D::variable(phi, 2);
      const D kappa = D::variable(kappa_value, 4);
      const HelixState<D> start{
          {-(d0 * sin(phi0)), d0 * cos(phi0), D::variable(0, 1)},
          phi0,
          D::variable(theta, 3)};
      const auto end = propagate(start, kappa, D::variable(length, 5));
      const Cartesian<double> x{end.position.x.value, end.position.y.value,
                                end.position.z.value};
      const auto perigee =
          perigee_of(Helix<double>{x, theta, end.phi.value, kappa_value});
      const auto& rows = perigee.jacobian;
      const auto apply = [&](const double(&row)[6], std::size_t i) {
        return row[0] * end.position.x.derivative[i] +
               row[1] * end.position.y.derivative[i] +
               row[2] * end.position.z.derivative[i] +
               row[3] * end.theta.derivative[i] +
               row[4] * end.phi.derivative[i] + row[5] * kappa.derivative[i];
      };
      // columns of kappa are length^2 = 2000 mm^2, of angles 45/sin^2(theta)
      const double scale[] = {1, 1, 50, 1200, 1e5, 1};
      for (std::size_t i = 0; i < 6; ++i) {
        CAPTURE(i);
        CHECK(std::abs(apply(rows[0], i) - (i == 0)) < 1e-14 * scale[i]);
        CHECK(std::abs(apply(rows[1], i) - (i == 1)) < 1e-14 * scale[i]);
        CHECK(std::abs(apply(rows[2], i) - (i == 2)) < 1e-14 * scale[i]);
      }
    }
}

}  // namespace gttf::test::GTTF_TEST_FILE
