// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/explore/design_faults.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "gttf/detector/surface_outline.hpp"
#include "gttf/detector/surface_overlap.hpp"
#include "gttf/study/show/layer_names.hpp"

namespace gttf {
namespace {

void add_faults_of(const Layer& layer, std::vector<std::string>& faults) {
  const auto fault = [&](std::string_view what) {
    faults.push_back(layer.name + ": " + std::string(what));
  };
  const Surface& s = layer.surface;
  if (s.shape == Shape::cylinder && !(s.position > 0))
    fault("the radius is not positive");
  if (!(s.v.length() > 0) || (s.shape == Shape::plane && !(s.u.length() > 0)))
    fault(s.shape == Shape::disk ? "the inner radius is not below the outer one"
                                 : "the length is not positive");
  if (s.shape == Shape::disk && s.v.lower < 0)
    fault("the inner radius is negative");
  if (s.shape == Shape::cone) {
    const Meridian line = meridian(s);
    if (line.r[0] < 0 || line.r[1] < 0) fault("a radius is negative");
  }
  for (const Slab& slab : layer.material)
    if (slab.thickness < 0 || slab.x_over_x0 < 0)
      fault("the material is negative");
  for (const Coordinate& coordinate : layer.coordinates)
    if (!(coordinate.sigma > 0)) fault("the error is not positive");
}

}  // namespace

std::vector<std::string> layers_at_one_place(const Detector& detector) {
  std::vector<std::string> faults;
  // modules of one entry may touch
  const std::vector<std::string> entries = names_by(detector, Grouping::layer);
  std::vector<std::pair<Carrier, std::size_t>> order;
  for (std::size_t i = 0; i < detector.layers.size(); ++i)
    order.emplace_back(carrier(detector.layers[i].surface), i);
  const auto key = [](const Carrier& c) {
    return std::tuple(c.family, c.slope, c.normal, c.place);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) {
                     return key(a.first) < key(b.first);
                   });
  std::set<std::pair<std::string, std::string>> reported;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const auto& [of_a, a] = order[i];
      const auto& [of_b, b] = order[j];
      if (!of_a.same_family(of_b) ||
          of_b.place - of_a.place > detail::same_place)
        break;
      if (entries[a] == entries[b] ||
          !detail::overlap(detector.layers[a].surface,
                           detector.layers[b].surface))
        continue;
      if (reported.insert(std::minmax(entries[a], entries[b])).second)
        faults.push_back(entries[a] + " and " + entries[b] +
                         " are at the same place");
    }
  return faults;
}

std::vector<std::string> design_faults(const Detector& detector) {
  std::vector<std::string> faults;
  for (const Layer& layer : detector.layers) add_faults_of(layer, faults);
  for (const DipoleGap& gap : detector.field.dipoles)
    if (!(gap.extent.length() > 0))
      faults.emplace_back("the dipole ends before it begins");
  return faults;
}

}  // namespace gttf
