// SPDX-License-Identifier: Apache-2.0
// The detectors that come with the program, and tracks to try on them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gttf/detector/read.hpp"
#include "gttf/trajectory/track.hpp"

namespace gttf::test {

/// Whether all surfaces are closed and all errors constant. Detectors of
/// modules or with errors that depend on the track are calculated track by
/// track, up to 26,400 planes of them: what is tried on every detector and
/// costs time for each surface leaves them out. They are read in shipped_test,
/// exported and imported in import_test; general_surfaces_test tests their
/// physics.
inline bool is_closed(const Detector& detector) {
  return std::ranges::none_of(detector.layers, [](const Layer& layer) {
    return layer.surface.is_inclined() ||
           std::ranges::any_of(layer.coordinates, [](const Coordinate& c) {
             return c.error != nullptr;
           });
  });
}

/// detectors/<name>.yaml
inline Detector shipped(const std::string& name) {
  return read_detector(GTTF_SOURCE_DIR "/detectors/" + name + ".yaml").detector;
}

/// Those of detectors/*.yaml that have a solenoid and closed surfaces, for
/// tracks from the origin, by name of the file.
inline std::vector<Detector> shipped_detectors() {
  std::vector<std::string> files;
  const auto folder = std::filesystem::path(GTTF_SOURCE_DIR) / "detectors";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::vector<Detector> detectors;
  for (const std::string& file : files)
    if (Detector d = read_detector(file).detector;
        d.field.kind == FieldKind::solenoid && is_closed(d))
      detectors.push_back(std::move(d));
  return detectors;
}

/// Tracks from low to high momentum, central and forward.
inline std::vector<Track> some_tracks() {
  std::vector<Track> tracks;
  for (const double p : {0.05, 0.4, 3.0, 50.0})
    for (const double theta : {90.0, 61.0, 20.0, 150.0}) {
      Track t;
      t.p = p;
      t.theta = theta * unit::deg;
      t.phi = 0.1;
      tracks.push_back(t);
    }
  return tracks;
}

}  // namespace gttf::test
