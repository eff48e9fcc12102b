// SPDX-License-Identifier: Apache-2.0
#include "gttf/study/scan/track_notes.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "gttf/config/text.hpp"
#include "gttf/detector/surface_outline.hpp"
#include "gttf/study/scan/point_columns.hpp"
#include "gttf/trajectory/crossings.hpp"
#include "gttf/trajectory/energy_loss.hpp"
#include "gttf/trajectory/tracking_geometry.hpp"

namespace gttf {
namespace {

template <class Indices>
std::string quoted_layers(const Detector& detector, const Indices& layers) {
  std::vector<std::string> names;
  for (const std::size_t i : layers)
    names.push_back(in_quotes(detector.layers[i].name));
  return joined(names);
}

// Only the first crossing of a layer counts. Within half a turn in a solenoid
// there can be a second one of planes along z, and of curved surfaces for
// tracks that do not start on the axis.
std::set<std::size_t> layers_met_again(const StudyRequest& request,
                                       const Detector& detector) {
  const bool on_axis = request.vertex[0] == 0 && request.vertex[1] == 0;
  const auto may_be_met_again = [&](const Layer& layer) {
    const std::optional<Axis> normal = flat_normal(layer.surface);
    return layer.measures() && normal != Axis::z && (normal || !on_axis);
  };
  if (request.turns > 0 || detector.field.kind != FieldKind::solenoid ||
      std::ranges::none_of(detector.layers, may_be_met_again))
    return {};
  const TrackingGeometry geometry(detector);
  constexpr std::size_t most_points = 4096;  // of a larger grid, every n-th
  const std::size_t n = n_grid_points(request);
  std::set<std::size_t> layers;
  for (std::size_t i = 0; i < n; i += 1 + n / most_points)
    for (const unsigned surface : surfaces_met_again(
             geometry, grid_track(request, grid_point(request, i))))
      layers.insert(surface);
  return layers;
}

}  // namespace

std::optional<std::string> assumed_materials_note(const StudyRequest& request,
                                                  const Detector& detector) {
  const std::string text = assumed_materials(detector);
  if (text.empty() || energy_loss_of(request, detector) == EnergyLoss::off)
    return std::nullopt;
  return detector.name + ": " + text;
}

std::vector<std::string> start_warnings(const StudyRequest& request,
                                        const Detector& detector) {
  std::vector<std::string> warnings;
  if (const auto layers = layers_met_again(request, detector); !layers.empty())
    warnings.push_back(
        detector.name +
        ": some tracks cross layers a second time within half a turn; only the "
        "first hit in " +
        quoted_layers(detector, layers) +
        " is counted; --turns 0.5 counts all");
  return warnings;
}

}  // namespace gttf
