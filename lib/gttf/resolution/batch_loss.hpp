// SPDX-License-Identifier: Apache-2.0
// Energy loss for the kernels: the slabs of all surfaces as plain numbers.
#pragma once

#include <cstddef>

#include "gttf/detector/physics_model.hpp"
#include "gttf/trajectory/loss_fluctuation.hpp"
#include "gttf/trajectory/stopping_piece.hpp"

namespace gttf::detail {

/// A slab of a surface. Thicknesses at normal incidence.
struct BatchSlab {
  std::size_t medium = 0;  ///< index of its table
  /// g/cm2; if the loss is given, that loss, GeV: the stopping power is then 1
  /// for any charge.
  double mass_thickness = 0;
  double x_over_x0 = 0;
  bool has_given_loss = false;
  /// xi of a unit charge times beta^2 per mass thickness, GeV cm2/g.
  double xi_at_rest = 0;

  friend bool operator==(const BatchSlab&, const BatchSlab&) = default;
};

/// Numbers of every track that a kernel keeps for a medium: its ElementPower.
inline constexpr std::size_t numbers_of_medium = 5 + StoppingPiece::n_powers;

/// What tracks of one mass lose energy in.
struct BatchLoss {
  double rest_energy = 0;  ///< GeV
  Projectile particle;     ///< with the charge of one of them
  EnergyLoss model = EnergyLoss::mean;
  double largest_part = 0;  ///< of the kinetic energy, lost in one step
  const std::size_t* first = nullptr;  ///< of a surface; one more than surfaces
  const BatchSlab* slabs = nullptr;
  std::size_t n_media = 0;
  /// The stopping power of a medium for unit charge at a kinetic energy.
  const StoppingPiece& (*find)(void* tables, std::size_t medium,
                               double kinetic) = nullptr;
  void* tables = nullptr;
};

}  // namespace gttf::detail
