// SPDX-License-Identifier: Apache-2.0
// Turn: how far a track has turned around the field.
#pragma once

#include "gttf/core/scalar.hpp"
#include "gttf/core/units.hpp"
#include "gttf/trajectory/uniform_path.hpp"

namespace gttf {

/// The turn up to which a track is followed by default, rad.
inline constexpr double half_a_turn = unit::pi;

/// The largest ratio of the bending of a track behind all layers to that at the
/// start, up to which tracks that lose energy are followed in batches.
inline constexpr double bend_bound = 1.5;

namespace detail {

/// The turn of a track is the angle |integral of q/p B dl|: it counts forwards
/// and backwards. In a solenoid it is the turn of the azimuth, |kappa| times
/// the transverse arc, at any polar angle; for helices, see arc_of_half_turn().
template <class S>
struct Turn {
  Cartesian<S> angle = {S(0), S(0), S(0)};  ///< rad

  /// @param field_integral  of B over a piece of the path
  Turn after(const S& qop, const Cartesian<S>& field_integral) const {
    return {angle - qop * field_integral};
  }
  MaskOf<S> reaches(double most) const {
    return inner(angle, angle) >= S(most * most);
  }
};

}  // namespace detail

}  // namespace gttf
