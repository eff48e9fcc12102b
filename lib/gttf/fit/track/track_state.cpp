// SPDX-License-Identifier: Apache-2.0
#include "gttf/fit/track/track_state.hpp"

#include <cmath>

#include "gttf/core/matrix.hpp"
#include "gttf/core/units.hpp"
#include "gttf/fit/track/perigee_transport.hpp"

namespace gttf {

PerigeeTransport to_perigee(const Vector6& state, const Vector3& origin) {
  const PerigeeOf<double> perigee = perigee_of(Helix<double>{
      cartesian(state.head<3>() - origin), state[StateIndex::theta],
      state[StateIndex::phi], state[StateIndex::kappa]});
  PerigeeTransport p;
  for (int i = 0; i < track_dim; ++i) {
    p.parameters[i] = perigee.parameters[i];
    for (int j = 0; j < 6; ++j) p.jacobian(i, j) = perigee.jacobian[i][j];
  }
  p.parameters[Perigee::phi] =
      std::remainder(p.parameters[Perigee::phi], 2 * unit::pi);
  return p;
}

}  // namespace gttf
