// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "gttf/config/text.hpp"
#include "gttf/study/request/read_particle.hpp"
#include "gttf/trajectory/particle.hpp"

namespace gttf::detail {
namespace {

/// Above the charge of any bare nucleus.
constexpr double largest_charge = 120;

void read_mass(const Value& value, Particle& particle) {
  const auto mass = value.quantity(Dimension::energy);
  if (!mass) return;
  if (*mass < 0)
    value.error(fmt::format("the mass must not be negative, got {}",
                            describe(value.node())));
  particle.mass = *mass;
}

void read_charge(const Value& value, Particle& particle) {
  const auto charge = value.quantity(Dimension::number);
  if (!charge) return;
  if (*charge == 0)
    value.error("charge 0: a neutral particle leaves no track",
                "write for example -1");
  else if (std::abs(*charge) > largest_charge)
    value.error(
        fmt::format("no particle has the charge {}", describe(value.node())),
        "the charge is in units of e");
  particle.charge = *charge;
}

Particle read_named(const Value& value) {
  Particle particle;
  if (value.is_map()) {
    particle.name = "custom";
    MapReader map(value);
    if (const auto name = map.find("name"))
      particle.name = name->text("a name").value_or("");
    if (const auto mass = map.require("mass", "0.5 GeV"))
      read_mass(*mass, particle);
    if (const auto charge = map.find("charge")) read_charge(*charge, particle);
    map.finish();
    return particle;
  }
  const auto name = value.text("a particle");
  if (!name) return particle;
  if (const auto known = find_particle(*name)) return *known;
  const std::vector<std::string> names = particle_names();
  const auto near = nearest(*name, names);
  value.error(fmt::format("unknown particle {}", in_quotes(*name)),
              near ? fmt::format("did you mean {}? known: {}", in_quotes(*near),
                                 joined(names))
                   : fmt::format("known: {}", joined(names)));
  return particle;
}

}  // namespace

Particle read_particle(const ParticleKeys& options, const ParticleKeys& file) {
  const bool by_option = options.particle || options.mass;
  const ParticleKeys& keys = by_option ? options : file;
  Particle particle;
  if (keys.particle) {
    particle = read_named(*keys.particle);
    if (keys.mass)
      keys.mass->error(
          "the mass belongs to the particle: the two exclude each other",
          "remove one of them, or write particle: { mass: ..., charge: ... }");
  } else if (keys.mass) {
    particle.name = "custom";
    read_mass(*keys.mass, particle);
  }
  const std::optional<Value>& charge =
      options.charge ? options.charge : keys.charge;
  if (!charge) return particle;
  const double own = particle.charge;
  read_charge(*charge, particle);
  const bool fixed = keys.particle && keys.particle->is_scalar() &&
                     names_charge(keys.particle->node().text());
  if (fixed && particle.charge != own)
    charge->error(fmt::format("{} has charge {:+g}, got {}",
                              in_quotes(keys.particle->node().text()), own,
                              describe(charge->node())),
                  "write the particle without its sign");
  return particle;
}

}  // namespace gttf::detail
