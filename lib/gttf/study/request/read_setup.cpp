// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/request/read_setup.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "gttf/config/text.hpp"
#include "gttf/trajectory/track.hpp"

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
          "the mass belongs to the particle: the two cannot be used together",
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

namespace {

constexpr std::array<std::string_view, 3> axes = {"x", "y", "z"};

/// The three values of a list, or nothing and a diagnostic.
std::vector<Value> three_items(const Value& value, std::string_view what) {
  std::vector<Value> items = value.items();
  if (items.size() == axes.size()) return items;
  value.error(fmt::format("{} has 3 coordinates, got {}", what, items.size()),
              "write x, y and z");
  return {};
}

}  // namespace

std::array<double, 3> read_vertex(const Value& value) {
  std::array<double, 3> vertex{};
  if (value.is_list()) {
    const std::vector<Value> items = three_items(value, "a vertex");
    for (std::size_t i = 0; i < items.size(); ++i)
      vertex[i] = items[i].quantity(Dimension::length).value_or(0);
    return vertex;
  }
  MapReader map(value, "{ x: 0 mm, y: 0 mm, z: 0 mm }");
  if (!map) return vertex;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (const auto coordinate = map.find(axes[i]))
      vertex[i] = coordinate->quantity(Dimension::length).value_or(0);
  map.finish();
  return vertex;
}

double read_turns(const Value& value) {
  // a trapped track would turn forever
  constexpr double most = 100;
  const auto turns = value.quantity(Dimension::number);
  if (!turns) return 0;
  if (*turns >= 0 && *turns <= most) return *turns;
  value.error(fmt::format("the number of turns must be between 0 and {}, got "
                          "{}",
                          most, describe(value.node())),
              "write for example 2: tracks are followed for two full turns");
  return 0;
}

namespace {

/// Three lengths, x, y and z; those with an error are 1.
/// @param is_right  (length, its value) -> whether it is; reports if not
template <class IsRight>
std::array<double, 3> read_sizes(const Value& value, std::string_view what,
                                 const IsRight& is_right) {
  std::array<double, 3> sizes{1, 1, 1};
  const auto read = [&](std::size_t i, const Value& item) {
    const auto length = item.quantity(Dimension::length, "um");
    if (length && is_right(*length, item)) sizes[i] = *length;
  };
  if (value.is_list()) {
    const std::vector<Value> items = three_items(value, what);
    for (std::size_t i = 0; i < items.size(); ++i) read(i, items[i]);
    return sizes;
  }
  MapReader map(value, "{ x: 10 um, y: 5 um, z: 30 mm }");
  if (!map) return sizes;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (const auto item = map.require(axes[i], i == 2 ? "30 mm" : "10 um"))
      read(i, *item);
  map.finish();
  return sizes;
}

}  // namespace

std::optional<BeamSpot> read_beam_spot(const Value& value) {
  if (value.is("off")) return std::nullopt;
  const auto positive = [](double length, const Value& item) {
    if (!(length > 0))
      item.error("the size of a beam spot must be positive",
                 "write for example \"10 um\", or beam_spot: off");
    return length > 0;
  };
  const auto sigma = read_sizes(value, "a beam spot", positive);
  return BeamSpot{sigma[0], sigma[1], sigma[2]};
}

std::array<double, 3> read_luminous_region(const Value& value) {
  return read_sizes(value, "a luminous region",
                    [](double length, const Value& item) {
                      if (length < 0)
                        item.error("a size must not be negative",
                                   "write for example \"10 um\"");
                      return length >= 0;
                    });
}

namespace {

/// Beyond this, sums would need more than 128 bits.
constexpr std::int64_t most_toys = 1000000000000;

void read_fit(const Value& value, std::vector<FitChoice>& fits) {
  const auto name = value.text("the name of a fit");
  if (!name) return;
  const auto fit = find_fit(*name);
  if (!fit) {
    const std::vector<std::string> names = fit_names();
    const auto near = nearest(*name, names);
    value.error(fmt::format("unknown fit {}", in_quotes(*name)),
                near ? fmt::format("did you mean {}? known: {}",
                                   in_quotes(*near), joined(names))
                     : fmt::format("known: {}", joined(names)));
  } else if (std::ranges::find(fits, *fit) != fits.end()) {
    value.error(fmt::format("the fit {} is given twice", in_quotes(*name)),
                "remove one of them");
  } else {
    fits.push_back(*fit);
  }
}

}  // namespace

void read_toys(const ToyKeys& keys, ToyRequest& request) {
  if (keys.toys) {
    const auto n = keys.toys->integer("100000");
    if (n && (*n < 1 || *n > most_toys))
      keys.toys->error(
          fmt::format("the number of toys must be between 1 and {}, got {}",
                      most_toys, *n));
    else if (n)
      request.toys = static_cast<std::uint64_t>(*n);
  }
  if (keys.seed) {
    const auto seed = keys.seed->integer("1");
    if (seed && *seed < 0)
      keys.seed->error(
          fmt::format("the seed must not be negative, got {}", *seed));
    else if (seed)
      request.seed = static_cast<std::uint64_t>(*seed);
  }
  if (keys.fits) {
    const Value& fits = *keys.fits;
    request.fits.clear();
    if (fits.is_list())
      for (const Value& item : fits.items()) read_fit(item, request.fits);
    else
      read_fit(fits, request.fits);
    if (fits.is_list() && fits.items().empty())
      fits.error("no fits", "write fits: [general]");
  }
}

}  // namespace gttf::detail
