// SPDX-License-Identifier: Apache-2.0
// Reads the names of models from detector files, studies and options.
#pragma once

#include <optional>

#include "gttf/config/reader.hpp"
#include "gttf/detector/physics_model.hpp"

namespace gttf::detail {

/// Nothing if `value` is no such name, which is then reported.
std::optional<Scattering> read_scattering(const Value& value);
std::optional<EnergyLoss> read_energy_loss(const Value& value);

/// `{ scattering: highland-total, energy_loss: mean }`, either or both.
PhysicsModel read_model(const Value& value);

}  // namespace gttf::detail
