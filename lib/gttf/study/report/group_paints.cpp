// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/report/group_paints.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gttf/study/show/layer_names.hpp"

namespace gttf::detail {
namespace {

constexpr std::size_t most_systems = 8;
constexpr std::size_t bunches = 5;  // of measuring layers, if names are many

std::vector<std::string> unique_inside_out(
    const Detector& detector, const std::vector<std::string>& names,
    bool measuring) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (detector.layers[i].measures() == measuring) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return inner_radius(detector.layers[a]) < inner_radius(detector.layers[b]);
  });
  std::vector<std::string> unique;
  for (const std::size_t i : order)
    if (std::find(unique.begin(), unique.end(), names[i]) == unique.end())
      unique.push_back(names[i]);
  return unique;
}

// Names of layers or groups, or of bunches of them where there are many.
std::vector<std::string> system_names(const Detector& detector) {
  std::vector<std::string> names = names_by(detector, Grouping::group);
  const auto measuring = unique_inside_out(detector, names, true);
  const auto passive = unique_inside_out(detector, names, false);
  if (measuring.size() + passive.size() <= most_systems) return names;
  const std::size_t parts = std::min(bunches, measuring.size());
  for (std::string& name : names) {
    const auto found = std::find(measuring.begin(), measuring.end(), name);
    if (found == measuring.end()) {
      name = "passive layers";
      continue;
    }
    const auto i = static_cast<std::size_t>(found - measuring.begin());
    const std::size_t part = i * parts / measuring.size();
    const std::size_t first = (part * measuring.size() + parts - 1) / parts;
    const std::size_t last =
        ((part + 1) * measuring.size() + parts - 1) / parts - 1;
    name = first == last ? measuring[first]
                         : measuring[first] + " – " + measuring[last];
  }
  return names;
}

void paint(std::vector<Subsystem>& systems) {
  int next = 0;
  for (Subsystem& system : systems) {
    const auto owner = std::find_if(
        systems.begin(), systems.end(), [&](const Subsystem& other) {
          return other.measures && !system.measures &&
                 system.name.starts_with(other.name + " ");
        });
    if (owner != systems.end()) continue;
    // Grey is for the first system if it is passive: a beam pipe.
    if (next == 0 && system.measures) next = 1;
    // Blue, green, red, yellow, ...: neighbours differ most.
    constexpr std::array<int, n_group_paints - 1> order{1, 2, 4, 3, 5, 6, 7};
    const int index =
        next == 0 ? 0
                  : order[static_cast<std::size_t>(next - 1) % order.size()];
    ++next;
    system.fill = {Tone::group, index};
    system.edge = {Tone::edge, index};
  }
  for (Subsystem& system : systems)
    for (const Subsystem& other : systems)
      if (other.measures && !system.measures &&
          system.name.starts_with(other.name + " ")) {
        system.fill = {Tone::pale_group, other.fill.index};
        system.edge = other.edge;
        break;
      }
}

}  // namespace

double inner_radius(const Layer& layer) {
  const Surface& s = layer.surface;
  switch (s.shape) {
    case Shape::cylinder:
      return s.position;
    case Shape::disk:
      return s.v.lower;
    case Shape::plane:
      break;
  }
  return std::abs(s.position);
}

GroupPaints make_group_paints(const Detector& detector) {
  const std::vector<std::string> names = system_names(detector);
  GroupPaints paints;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto found = std::find_if(
        paints.systems.begin(), paints.systems.end(),
        [&](const Subsystem& system) { return system.name == names[i]; });
    if (found == paints.systems.end()) {
      Subsystem system;
      system.name = names[i];
      system.inner = std::numeric_limits<double>::infinity();
      paints.systems.push_back(std::move(system));
      found = paints.systems.end() - 1;
    }
    found->measures = found->measures || detector.layers[i].measures();
    found->inner = std::min(found->inner, inner_radius(detector.layers[i]));
  }
  std::stable_sort(
      paints.systems.begin(), paints.systems.end(),
      [](const Subsystem& a, const Subsystem& b) { return a.inner < b.inner; });
  paint(paints.systems);
  for (const std::string& name : names)
    for (std::size_t k = 0; k < paints.systems.size(); ++k)
      if (paints.systems[k].name == name) paints.of_layer.push_back(k);
  return paints;
}

std::vector<LegendEntry> GroupPaints::legend() const {
  std::vector<LegendEntry> entries;
  for (const Subsystem& system : systems)
    entries.push_back({.key = LegendEntry::Key::box,
                       .text = literal_text(system.name),
                       .paint = system.fill});
  return entries;
}

}  // namespace gttf::detail
