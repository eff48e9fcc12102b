// SPDX-License-Identifier: Apache-2.0
// Attributions at every point of a grid, in parallel and in a fixed order.
#include <map>

#include "gttf/core/parallel.hpp"
#include "gttf/study/compare/comparison.hpp"
#include "gttf/study/scan/point_columns.hpp"

namespace gttf {
namespace {

/// Where the keys of a design stand; the same at every point.
std::map<std::string, Place> places_of(const Detector& first,
                                       const DetectorInput& design) {
  std::vector<KeyChange> changes = differing_keys(first, design.detector);
  locate(changes, design);
  std::map<std::string, Place> places;
  for (const KeyChange& change : changes) places[change.key] = change.place;
  return places;
}

}  // namespace

ModelOf models_of(const StudyRequest& request, const Detector& first,
                  Engine engine) {
  const Model model = model_of(request, first, engine);
  return {[request, model](const Detector& detector) {
    Model own = model;
    own.scattering = scattering_of(request, detector);
    own.loss = energy_loss_of(request, detector);
    return own;
  }};
}

std::vector<AttributedPoint> attribute_grid(
    const StudyRequest& request, std::span<const DetectorInput> designs,
    const ScanOptions& options) {
  const Detector& first = designs.front().detector;
  const ModelOf model = models_of(request, first, options.engine);
  std::vector<AttributedPoint> list;
  std::vector<std::map<std::string, Place>> places(1);
  for (std::size_t d = 1; d < designs.size(); ++d) {
    places.push_back(places_of(first, designs[d]));
    for (const GridPoint point : grid_points(request))
      list.push_back({d, point, {}});
  }
  const auto work = [&](AttributedPoint& item) {
    item.of = attribute_all(first, designs[item.design].detector,
                            grid_track(request, item.point), model);
    for (Attribution& a : item.of)
      for (KeyChange& change : a.changes)
        change.place = places[item.design].at(change.key);
  };
  parallel_workers(list.size(), thread_count(options.threads),
                   [&](const auto& next) {
                     while (const auto i = next()) work(list[*i]);
                   });
  return list;
}

}  // namespace gttf
