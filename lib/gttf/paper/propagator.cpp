// SPDX-License-Identifier: Apache-2.0
#include "gttf/paper/propagator.hpp"

#include <cmath>

#include "gttf/trajectory/flight.hpp"

namespace gttf {

namespace {

using detail::same_place;

/// On which side the flight leaves the surface, or is.
double side_of(const SurfaceLevel& surface, const Flyer& start) {
  const double value = surface.at(start.position);
  if (std::abs(value) > same_place) return value > 0 ? 1 : -1;
  return surface.slope(start.position, start.direction) > 0 ? 1 : -1;
}

}  // namespace

Propagator::Propagator(const TrackingGeometry& geometry)
    : field_(&geometry.field()), bounds_(geometry) {}

Arrival Propagator::to(const SurfaceRecord& surface, const Flyer& start,
                       FlyerJacobian* jacobian) const {
  const SurfaceLevel level(surface);
  if (!jacobian)
    return fly<0>(level, {start.position, start.direction, start.qop}, nullptr);
  FlightState<7> state{start.position, start.direction, start.qop};
  state.d_position.leftCols<3>().setIdentity();
  state.d_direction.middleCols<3>(3).setIdentity();
  state.d_qop[6] = 1;
  return fly<7>(level, state, jacobian);
}

template <int N>
Arrival Propagator::fly(const SurfaceLevel& surface,
                        const FlightState<N>& start,
                        FlyerJacobian* jacobian) const {
  const double side =
      side_of(surface, {start.position, start.direction, start.qop});
  Flight<N> flight(*field_, start, bounds_);
  Arrival arrival;
  for (bool first = true;; first = false) {
    const double at = flight.find_crossing(surface, side);
    if (at > (first ? same_place : -1)) {
      flight.fly_onto(surface, at);
      arrival.end = FlightEnd::reached;
      break;
    }
    const LegEnd end = flight.leg_end();
    if (end == LegEnd::open || end == LegEnd::half_turn ||
        end == LegEnd::map_edge) {
      flight.fly_to(flight.leg());
      arrival.end = end == LegEnd::open        ? FlightEnd::missed
                    : end == LegEnd::half_turn ? FlightEnd::turned_back
                                               : FlightEnd::left_map;
      break;
    }
    flight.next_leg();
  }
  const FlightState<N>& s = flight.state();
  arrival.flyer = {s.position, s.direction, s.qop};
  arrival.path = flight.path();
  if constexpr (N == 7) {
    if (arrival) {
      const auto slip = flight.slip(surface.gradient(s.position));
      jacobian->template topRows<3>() = s.d_position - s.direction * slip;
      jacobian->template middleRows<3>(3) =
          s.d_direction - flight.bend() * slip;
      jacobian->template bottomRows<1>() = s.d_qop;
    }
  }
  return arrival;
}

}  // namespace gttf
