// SPDX-License-Identifier: Apache-2.0
#include "gttf/detector/read_model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gttf {

std::string_view to_string(Scattering model) {
  return scattering_names[static_cast<std::size_t>(model)];
}

std::string_view to_string(EnergyLoss model) {
  return energy_loss_names[static_cast<std::size_t>(model)];
}

namespace detail {
namespace {

template <class Model, class Names>
std::optional<Model> read_name(const Value& value, std::string_view what,
                               const Names& names) {
  const auto index =
      value.choice(what, std::vector<std::string>(names.begin(), names.end()));
  if (!index) return std::nullopt;
  return static_cast<Model>(*index);
}

}  // namespace

std::optional<Scattering> read_scattering(const Value& value) {
  return read_name<Scattering>(value, "scattering model", scattering_names);
}

std::optional<EnergyLoss> read_energy_loss(const Value& value) {
  return read_name<EnergyLoss>(value, "model of the energy loss",
                               energy_loss_names);
}

PhysicsModel read_model(const Value& value) {
  PhysicsModel model;
  MapReader map(value, "{ scattering: highland-total, energy_loss: mean }");
  if (!map) return model;
  if (const auto name = map.find("scattering"))
    model.scattering = read_scattering(*name);
  if (const auto name = map.find("energy_loss"))
    model.energy_loss = read_energy_loss(*name);
  map.finish();
  return model;
}

}  // namespace detail
}  // namespace gttf
