// SPDX-License-Identifier: Apache-2.0
// The names of models: read from detector files, studies and options, and
// shown.
#pragma once

#include <optional>
#include <string_view>

#include "gttf/config/reader.hpp"
#include "gttf/detector/physics_model.hpp"

namespace gttf {

/// "highland-total"; "mean": as files and options name them.
std::string_view to_string(Scattering model);
std::string_view to_string(EnergyLoss model);

namespace detail {

/// Nothing if `value` is no such name, which is then reported.
std::optional<Scattering> read_scattering(const Value& value);
std::optional<EnergyLoss> read_energy_loss(const Value& value);

/// `{ scattering: highland-total, energy_loss: mean }`, either or both.
PhysicsModel read_model(const Value& value);

}  // namespace detail
}  // namespace gttf
