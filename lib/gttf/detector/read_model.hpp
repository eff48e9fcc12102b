// SPDX-License-Identifier: Apache-2.0
// The names of models in detector files, studies, options and
// output.
#pragma once

#include <optional>
#include <string_view>

#include "gttf/config/reader.hpp"
#include "gttf/detector/physics_model.hpp"

namespace gttf {

/// "highland-total"; "mean": names in files and options.
std::string_view to_string(Scattering model);
std::string_view to_string(EnergyLoss model);

namespace detail {

/// Nothing if `value` is not such a name, which is then reported.
std::optional<Scattering> read_scattering(const Value& value);
std::optional<EnergyLoss> read_energy_loss(const Value& value);

/// `{ scattering: highland-total, energy_loss: mean }`, either or both.
PhysicsModel read_model(const Value& value);

}  // namespace detail
}  // namespace gttf
